//! Plain reading and writing for those who look at the bytes: what `std::io` does, with EINTR and
//! EAGAIN handled, for borrowed descriptors, without a hidden buffer.

use std::io::{self, IoSlice};
use std::ops::{Deref, DerefMut};
use std::os::fd::AsFd;

use crate::{page_size, sys};

/// Reads at most `buffer.len()` bytes and returns how many; 0 is the end of the input (or an empty
/// buffer). Blocks until there is something, also on a non-blocking descriptor.
///
/// System calls: [`read`](https://man7.org/linux/man-pages/man2/read.2.html),
/// [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html).
///
/// # Errors
/// Those of `read` and `poll` but EINTR and EAGAIN.
///
/// ```
/// let zero = std::fs::File::open("/dev/zero")?;
/// let mut buffer = [1; 16];
/// assert_eq!(splice_core::read(&zero, &mut buffer)?, 16);
/// assert_eq!(buffer, [0; 16]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read(input: impl AsFd, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(sys::read(input.as_fd(), buffer)?)
}

/// As [`read`], but does not wait on a non-blocking descriptor.
///
/// # Errors
/// EAGAIN ([`io::ErrorKind::WouldBlock`]): there is nothing to read yet. Others as [`read`].
///
/// ```
/// use std::os::unix::net::UnixStream;
///
/// let (input, _peer) = UnixStream::pair()?;
/// input.set_nonblocking(true)?;
/// let error = splice_core::read_ready(&input, &mut [0; 16]).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_ready(input: impl AsFd, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(sys::read_ready(input.as_fd(), buffer)?)
}

/// As [`read_ready`], but from byte `offset` of the file; where the descriptor stands stays as it is.
///
/// System call: [`pread`](https://man7.org/linux/man-pages/man2/pread.2.html).
///
/// # Errors
/// ESPIPE: the input has no offsets, as a pipe, a terminal or a socket. EINVAL: `offset` is more than
/// `i64::MAX`. Others as [`read_ready`].
///
/// ```
/// let zero = std::fs::File::open("/dev/zero")?;
/// assert_eq!(splice_core::read_ready_at(&zero, &mut [1; 16], 1 << 40)?, 16);
/// let pipe = splice_core::Pipe::new()?;
/// let error = splice_core::read_ready_at(pipe.reader(), &mut [0; 16], 0).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotSeekable);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_ready_at(input: impl AsFd, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    Ok(sys::read_ready_at(input.as_fd(), buffer, offset)?)
}

/// Blocks until `input` has something to read, is at its end, or has failed. A FIFO that was opened
/// without waiting for a writer counts as ready only once a writer has come.
///
/// System call: [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html).
///
/// # Errors
/// Those of `poll` but EINTR and EAGAIN.
///
/// ```
/// let pipe = splice_core::Pipe::new()?;
/// splice_core::write_all(pipe.writer(), b"ready")?;
/// splice_core::await_readable(pipe.reader())?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn await_readable(input: impl AsFd) -> io::Result<()> {
    Ok(sys::await_readable(input.as_fd())?)
}

/// Writes all of `bytes`. Blocks until they are accepted, also on a non-blocking descriptor.
///
/// System calls: [`write`](https://man7.org/linux/man-pages/man2/write.2.html),
/// [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html).
///
/// # Errors
/// Those of `write` and `poll` but EINTR and EAGAIN. How much was accepted before is not told.
///
/// ```
/// let null = std::fs::File::options().write(true).open("/dev/null")?;
/// splice_core::write_all(&null, b"gone")?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_all(output: impl AsFd, bytes: &[u8]) -> io::Result<()> {
    Ok(sys::write_all(output.as_fd(), bytes)?)
}

/// Writes all bytes of all `slices`, one after the other, in one call where the output takes them.
/// Blocks until they are accepted, also on a non-blocking descriptor. What the slices refer to
/// afterwards is not told.
///
/// System calls: [`writev`](https://man7.org/linux/man-pages/man2/writev.2.html),
/// [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html).
///
/// # Errors
/// Those of `writev` and `poll` but EINTR and EAGAIN. How much was accepted before is not told.
///
/// ```
/// use std::io::{IoSlice, Read};
///
/// let (mut reader, writer) = std::io::pipe()?;
/// let mut slices = [IoSlice::new(b"one, "), IoSlice::new(b""), IoSlice::new(b"two")];
/// splice_core::write_all_vectored(&writer, &mut slices)?;
/// drop(writer);
/// let mut text = String::new();
/// reader.read_to_string(&mut text)?;
/// assert_eq!(text, "one, two");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_all_vectored(output: impl AsFd, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    Ok(sys::write_all_vectored(output.as_fd(), slices)?)
}

/// Zeroed memory that begins at a page, for `read` and `write`: the kernel copies whole pages
/// fastest. Pages that are never used are never made resident.
///
/// ```
/// let buffer = splice_core::Buffer::new(128 * 1024)?;
/// assert_eq!(buffer.len(), 128 * 1024);
/// assert_eq!(buffer.as_ptr().align_offset(splice_core::page_size()), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Buffer {
    memory: Box<[u8]>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// Allocates `len` bytes. Does not block.
    ///
    /// # Errors
    /// ENOMEM: there is no memory (a limit such as RLIMIT_AS, most often).
    pub fn new(len: usize) -> io::Result<Buffer> {
        let page = page_size();
        let memory = bytemuck::allocation::try_zeroed_slice_box::<u8>(len + page)
            .map_err(|()| io::Error::from(nix::errno::Errno::ENOMEM))?;
        let start = memory.as_ptr().align_offset(page);
        // `align_offset` may decline to answer; an unaligned buffer is only slower.
        let start = if start > page { 0 } else { start };
        Ok(Buffer { memory, start, len })
    }

    /// Allocates `count` times `unit` bytes, or half as many units, and so on: with little memory
    /// more calls are made, but they are made.
    pub(crate) fn of_units(mut count: usize, unit: usize) -> io::Result<Buffer> {
        loop {
            match Buffer::new(count * unit) {
                Err(_) if count > 1 => count /= 2,
                done => return done,
            }
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}
