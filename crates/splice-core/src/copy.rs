//! The copy engine: runs the strategy that `plan` chose, falls back, and says which side failed.
//!
//! Every path works at the descriptors' own positions, so the next path, and the next program,
//! goes on exactly where the last one stopped. A path ends in one of three ways: at the end of the
//! input, refused (every byte that it took has been delivered: read and write finish the copy), or
//! failed, which is final.

mod body_and_tail;
mod read_write;
mod spliced;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{LARGE_PIPE, grow_pipe};
use crate::plan::{SMALL_FILE, Strategy, plan};
use crate::stream::Buffer;
use crate::sys;

/// The most bytes that one system call is asked to move where the kernel itself sets no limit.
///
/// A call that moves bytes hears no signal until it returns. 16 MiB are a sixth of a second on a
/// disk that writes 100 MB/s, and in memory no slower than calls of 1 GiB.
pub const CALL_CAP: usize = 16 << 20;

/// Bytes of the buffer for `read` and `write`.
const BUFFER: usize = 128 * 1024;

/// What a copy did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Bytes that the output accepted.
    pub bytes: u64,
    /// The path that finished the copy: the planned one, or [`Strategy::ReadWrite`] if the kernel
    /// refused it.
    pub path: Strategy,
}

/// Copies inputs, one after the other, to one output by the cheapest path there is for each.
///
/// * Copying begins at the position where the input stands and ends at its end; both descriptors
///   are left there. Flags of the descriptors are never changed; a pipe's capacity may grow.
/// * Once [`copy`](Copier::copy) has returned, **nothing in an output pipe or socket refers to an
///   input file**: whoever overwrites or truncates the file then does not change what the reader
///   gets. (The last part of a file, as large as the pipe, is copied through memory, and pushes
///   all that was spliced out of the pipe. A file that shrinks, or a pipe that its reader enlarges,
///   in those very microseconds is beyond what the kernel lets anyone promise.)
/// * End of file is believed of `read` alone. A refused fast call is invisible.
///
/// ```
/// use std::io::{Read, Seek};
/// use splice_core::Copier;
///
/// let input = std::fs::File::open("/proc/self/status")?;
/// let mut output = tempfile::tempfile()?;
/// let copied = Copier::new(&output)?.copy(&input)?;
///
/// let mut text = String::new();
/// output.rewind()?;
/// output.read_to_string(&mut text)?;
/// assert!(text.starts_with("Name:"));
/// assert_eq!(copied.bytes, text.len() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Copier<'fd> {
    output: BorrowedFd<'fd>,
    output_kind: FdKind,
    read_write_only: bool,
    buffer: Option<Buffer>,
}

/// How a path ended, if it did not fail.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The input's end, as far as this path can tell.
    OfInput,
    /// The kernel will not have it this way; what was taken was delivered.
    Refused,
}

/// One input on its way to the output.
#[derive(Debug)]
struct Transfer<'a> {
    input: BorrowedFd<'a>,
    /// With the size that was left to read at the start, if it is a file.
    input_kind: FdKind,
    output: BorrowedFd<'a>,
    /// Bytes accepted by the output so far.
    delivered: u64,
}

impl<'fd> Copier<'fd> {
    /// Asks what `output` is. Does not block.
    ///
    /// System calls: those of [`FdKind::of`].
    ///
    /// # Errors
    /// EBADF: the descriptor is closed. Others as [`FdKind::of`].
    pub fn new(output: &'fd impl AsFd) -> io::Result<Copier<'fd>> {
        let output = output.as_fd();
        Ok(Copier {
            output,
            output_kind: FdKind::of(output)?,
            read_write_only: false,
            buffer: None,
        })
    }

    /// Uses `read` and `write` alone from now on: for file systems whose fast calls damage data
    /// and sandboxes that kill whoever makes them.
    ///
    /// ```
    /// use splice_core::{Copier, Strategy};
    ///
    /// let (input, output) = (tempfile::tempfile()?, tempfile::tempfile()?);
    /// input.set_len(1 << 20)?;
    /// let copied = Copier::new(&output)?.read_write_only().copy(&input)?;
    /// assert_eq!(copied.path, Strategy::ReadWrite);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_write_only(mut self) -> Self {
        self.read_write_only = true;
        self
    }

    /// What the output is.
    pub fn output_kind(&self) -> FdKind {
        self.output_kind
    }

    /// Copies from where `input` stands to its end. Blocks until that is done, also on
    /// non-blocking descriptors.
    ///
    /// System calls: [`fstat`](https://man7.org/linux/man-pages/man2/stat.2.html) and
    /// [`lseek`](https://man7.org/linux/man-pages/man2/lseek.2.html) to plan, then by strategy
    /// [`copy_file_range`](https://man7.org/linux/man-pages/man2/copy_file_range.2.html),
    /// [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html) with
    /// [`pipe2`](https://man7.org/linux/man-pages/man2/pipe.2.html) and
    /// [`fcntl`](https://man7.org/linux/man-pages/man2/F_GETPIPE_SZ.2const.html), and
    /// [`read`](https://man7.org/linux/man-pages/man2/read.2.html),
    /// [`write`](https://man7.org/linux/man-pages/man2/write.2.html),
    /// [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html).
    ///
    /// # Errors
    /// The side that failed and its error number: whatever `read` says of the input (EIO, EISDIR,
    /// EBADF ...) and `write` of the output (ENOSPC, EPIPE, EDQUOT, EFBIG ...); ENOMEM, blamed on
    /// the input, if there is no memory for a buffer. Never EINTR or EAGAIN, and never the error
    /// of a fast call that was refused before it moved a byte.
    pub fn copy(&mut self, input: &impl AsFd) -> Result<Copied, CopyError> {
        let (path, input_kind) = self.plan(input.as_fd());
        let mut transfer =
            Transfer { input: input.as_fd(), input_kind, output: self.output, delivered: 0 };
        let end = match path {
            Strategy::ReadWrite => End::Refused,
            Strategy::CopyFileRange => transfer.copy_file_range(),
            Strategy::BodyAndTail => transfer.body_and_tail()?,
            Strategy::Splice => transfer.splice()?,
            Strategy::SpliceThroughPipe => transfer.splice_through_pipe()?,
        };
        // Also at an end of input: only `read` is believed. It is one call, and it finds what a
        // file with a wrong size, or a fast call that gave up, still holds.
        self.finish_by_read_write(&mut transfer)?;
        Ok(Copied {
            bytes: transfer.delivered,
            path: if end == End::Refused { Strategy::ReadWrite } else { path },
        })
    }

    /// The strategy, and what the input is: with the size that is left to read, if it is a file.
    fn plan(&self, input: BorrowedFd<'_>) -> (Strategy, FdKind) {
        // What cannot be asked can still be read, or `read` says why not.
        let mut kind = FdKind::of(input).unwrap_or(FdKind::Other);
        if let FdKind::Regular { size } = &mut kind {
            *size = size.saturating_sub(sys::position(input).unwrap_or(*size));
            if *size > SMALL_FILE {
                sys::advise_sequential(input);
                self.make_room();
            }
        }
        if self.read_write_only {
            (Strategy::ReadWrite, kind)
        } else {
            (plan(kind, self.output_kind), kind)
        }
    }

    /// Enlarges an output pipe for a file that is not small. Whenever a pipe runs full or empty one
    /// process sleeps until the other wakes it, which can cost as much as splicing a megabyte.
    fn make_room(&self) {
        if self.output_kind == FdKind::Pipe && !self.read_write_only {
            grow_pipe(self.output, LARGE_PIPE);
        }
    }
}
