//! The copy engine: runs the strategy that `plan` chose, falls back, and says which side failed.
//!
//! Every path works at the descriptors' own positions, so the next path, and the next program,
//! goes on exactly where the last one stopped. A path ends in one of three ways: at the end of the
//! input, refused (every byte that it took has been delivered: read and write finish the copy), or
//! failed, which is final.

mod file;
mod mapped;
mod parts;
mod read_write;
mod row;
mod sink;
mod source;
mod spliced;
mod way;

use std::io;
use std::os::fd::AsFd;

use crate::error::CopyError;
use crate::kind::FdKind;
use crate::plan::Strategy;
use crate::stream::Buffer;
use row::Row;
pub(crate) use sink::Sink;
use source::Source;

/// The most bytes that one system call is asked to move where the kernel itself sets no limit.
///
/// A call that moves bytes hears no signal until it returns. 16 MiB are a sixth of a second on a
/// disk that writes 100 MB/s, and in memory no slower than calls of 1 GiB.
pub const CALL_CAP: usize = 16 << 20;

/// Once this much has come through, larger pipes and waiting awake are worth while.
const MUCH: u64 = 64 * 1024;

/// What a copy did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Bytes that the input gave. The output has accepted them; after
    /// [`append`](Copier::append), the last of them may still be held back.
    pub bytes: u64,
    /// The path that finished the copy: the planned one, the one that is faster for the rest of a large
    /// file, or what the kernel left, which is [`Strategy::ReadWrite`] in the end.
    pub path: Strategy,
}

/// Copies inputs, one after the other, to one output by the cheapest path there is for each.
///
/// * Copying begins at the position where the input stands and ends at its end; both descriptors
///   are left there. Flags of the descriptors are never changed; a pipe's capacity may grow.
/// * Once [`copy`](Copier::copy) has returned, **nothing in an output pipe or socket refers to an
///   input file**: whoever overwrites or truncates the file then does not change what the reader
///   gets. (The end of a file is copied through memory, in as many slots as the pipe has, and
///   pushes all that was spliced out of the pipe. A file that shrinks, or a pipe that its reader
///   enlarges, in those very microseconds is beyond what the kernel lets anyone promise.)
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
    sink: Sink<'fd>,
    read_write_only: bool,
    buffer: Option<Buffer>,
    /// Files whose last one has yet to let go of the output.
    row: Option<Row>,
    /// Files in a row that were read and written since they are small for splicing.
    rather_small: u32,
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
            sink: Sink::new(output, FdKind::of(output)?),
            read_write_only: false,
            buffer: None,
            row: None,
            rather_small: 0,
        })
    }

    /// Uses `read` and `write` alone from now on: for file systems whose fast calls damage data
    /// and sandboxes that kill whoever makes them. Pipes are still enlarged, and waited for asleep.
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
        self.sink.kind()
    }

    /// Copies from where `input` stands to its end. Blocks until that is done, also on
    /// non-blocking descriptors.
    ///
    /// System calls: [`fstat`](https://man7.org/linux/man-pages/man2/stat.2.html) and
    /// [`lseek`](https://man7.org/linux/man-pages/man2/lseek.2.html) to plan, then by strategy
    /// [`copy_file_range`](https://man7.org/linux/man-pages/man2/copy_file_range.2.html),
    /// [`mmap`](https://man7.org/linux/man-pages/man2/mmap.2.html),
    /// [`fstatfs`](https://man7.org/linux/man-pages/man2/statfs.2.html),
    /// [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html) with
    /// [`pipe2`](https://man7.org/linux/man-pages/man2/pipe.2.html) and
    /// [`fcntl`](https://man7.org/linux/man-pages/man2/F_GETPIPE_SZ.2const.html), and
    /// [`read`](https://man7.org/linux/man-pages/man2/read.2.html),
    /// [`write`](https://man7.org/linux/man-pages/man2/write.2.html),
    /// [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html),
    /// [`sched_yield`](https://man7.org/linux/man-pages/man2/sched_yield.2.html); and around a call that
    /// brings bytes to a file
    /// [`clock_gettime`](https://man7.org/linux/man-pages/man2/clock_gettime.2.html), which most kernels
    /// answer without being called.
    ///
    /// # Errors
    /// The side that failed and its error number: whatever `read` says of the input (EIO, EISDIR,
    /// EBADF ...) and `write` of the output (ENOSPC, EPIPE, EDQUOT, EFBIG ...); ENOMEM, blamed on
    /// the input, if there is no memory for a buffer. Never EINTR or EAGAIN, and never the error
    /// of a fast call that was refused before it moved a byte. Where the input failed, and then the
    /// output too, it is the output's that is told.
    pub fn copy(&mut self, input: &impl AsFd) -> Result<Copied, CopyError> {
        let copied = self.append(input);
        self.settle()?;
        self.rather_small = 0;
        copied
    }

    /// Copies like [`copy`](Copier::copy), for one of several inputs in a row: what `copy` promises
    /// of the file may only be true, and its last bytes may only be delivered, after the next
    /// `copy` or [`settle`](Copier::settle). So files wait together for the reader of a pipe, and
    /// not each for itself.
    ///
    /// ```
    /// use std::io::Read;
    /// use splice_core::Copier;
    ///
    /// let file = std::fs::File::open("/etc/passwd")?;
    /// let (mut reader, writer) = std::io::pipe()?;
    /// let mut copier = Copier::new(&writer)?;
    /// let first = copier.append(&file)?.bytes;
    /// let second = copier.append(&std::fs::File::open("/etc/group")?)?.bytes;
    /// copier.settle()?;
    ///
    /// drop(copier);
    /// drop(writer);
    /// let mut text = Vec::new();
    /// reader.read_to_end(&mut text)?;
    /// assert_eq!(text.len() as u64, first + second);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// System calls: those of `copy`.
    ///
    /// # Errors
    /// Those of `copy`. After one of the input's, what was read before it is delivered by the next
    /// `copy` or `settle`.
    pub fn append(&mut self, input: &impl AsFd) -> Result<Copied, CopyError> {
        let (path, kind) = self.plan(input.as_fd());
        let mut source = Source::new(input.as_fd(), kind, !self.read_write_only);
        if !matches!(kind, FdKind::Regular { .. }) {
            // It may have to be waited for, and nothing is held back meanwhile.
            self.settle()?;
        }
        let path = self.run(path, &mut source)?;
        // Also at an end of input: only `read` is believed. It is one call, and it finds what a
        // file with a wrong size, or a fast call that gave up, still holds.
        self.finish_by_read_write(&mut source)?;
        Ok(Copied { bytes: source.taken(), path })
    }

    /// Writes all of `bytes`, after what [`append`](Copier::append) holds back. Blocks until that
    /// is done, also on a non-blocking descriptor.
    ///
    /// System calls: [`write`](https://man7.org/linux/man-pages/man2/write.2.html), and those of
    /// [`settle`](Copier::settle).
    ///
    /// # Errors
    /// Those of the output, as [`copy`](Copier::copy) tells them.
    ///
    /// ```
    /// use std::io::{Read, Seek};
    /// use splice_core::Copier;
    ///
    /// let mut output = tempfile::tempfile()?;
    /// let mut copier = Copier::new(&output)?;
    /// copier.write(b"# ")?;
    /// copier.append(&std::fs::File::open("/etc/passwd")?)?;
    /// copier.settle()?;
    /// drop(copier);
    ///
    /// let mut text = String::new();
    /// output.rewind()?;
    /// output.read_to_string(&mut text)?;
    /// assert!(text.starts_with("# root:"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CopyError> {
        match &mut self.row {
            Some(row) => row.write(bytes, &mut self.sink).inspect_err(|_| self.row = None),
            None => self.sink.write(bytes, !self.read_write_only),
        }
    }

    /// Delivers what [`append`](Copier::append) holds back, and returns once nothing in the output
    /// refers to a file. Blocks until the reader of the output has taken enough for that.
    ///
    /// A Copier that is dropped does the same, and then nobody learns of a failure.
    ///
    /// System calls: [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html),
    /// [`fcntl`](https://man7.org/linux/man-pages/man2/F_GETPIPE_SZ.2const.html), and as `copy`
    /// where they are refused.
    ///
    /// # Errors
    /// Those of the output, as [`copy`](Copier::copy) tells them.
    pub fn settle(&mut self) -> Result<(), CopyError> {
        self.row.take().map_or(Ok(()), |row| row.settle(&mut self.sink))
    }
}

impl Drop for Copier<'_> {
    fn drop(&mut self) {
        // Nobody is there to be told; whoever wants to know settles first.
        let _ = self.settle();
    }
}
