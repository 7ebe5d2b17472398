//! A pipe of our own: its capacity only grows, and neither end takes a standard stream's number.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::fcntl::OFlag;

use crate::sys;

/// The capacity in bytes that pipes are grown to, ours and others' through which much goes: what a
/// process without privileges may have.
pub(crate) const LARGE_PIPE: usize = 1 << 20;

/// A pipe that this process made and holds both ends of.
///
/// A pipe is a ring of slots, each a reference to some bytes of one page (or of one compound
/// page). Use one pipe for one copy and drop it: what is left in it after a failure must never
/// come out of the next copy.
///
/// ```
/// use splice_core::Pipe;
///
/// let pipe = Pipe::new()?;
/// let capacity = pipe.grow_to(1 << 20);
/// assert_eq!(capacity, pipe.capacity()?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Pipe {
    reader: OwnedFd,
    writer: OwnedFd,
}

impl Pipe {
    /// Makes an empty pipe, closed on exec, whose descriptors are above 2 even where 0, 1 or 2
    /// are closed. Does not block.
    ///
    /// System calls: [`pipe2`](https://man7.org/linux/man-pages/man2/pipe.2.html), and
    /// [`fcntl(F_DUPFD_CLOEXEC)`](https://man7.org/linux/man-pages/man2/fcntl.2.html) where a
    /// descriptor came out below 3.
    ///
    /// # Errors
    /// EMFILE and ENFILE: no descriptor is left for this process, or for the system.
    pub fn new() -> io::Result<Pipe> {
        let (reader, writer) = nix::unistd::pipe2(OFlag::O_CLOEXEC)?;
        Ok(Pipe {
            reader: above_standard_streams(reader)?,
            writer: above_standard_streams(writer)?,
        })
    }

    /// The end to read from.
    pub fn reader(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }

    /// The end to write to.
    pub fn writer(&self) -> BorrowedFd<'_> {
        self.writer.as_fd()
    }

    /// The capacity in bytes: the number of slots times the page size. A slot that holds a
    /// compound page can hold more, so this is not the most that the pipe can carry.
    ///
    /// System call: [`fcntl(F_GETPIPE_SZ)`](https://man7.org/linux/man-pages/man2/F_GETPIPE_SZ.2const.html).
    ///
    /// # Errors
    /// What `fcntl` says, for example under a system call filter.
    pub fn capacity(&self) -> io::Result<usize> {
        Ok(sys::pipe_capacity(self.writer())?)
    }

    /// Grows the pipe to at least `bytes` where the kernel allows it, and returns the capacity in
    /// bytes that it has then. Never shrinks it; see [`grow_pipe`].
    pub fn grow_to(&self, bytes: usize) -> usize {
        grow_pipe(self.writer(), bytes)
    }
}

/// A pipe made while 0, 1 or 2 are closed gets their numbers: data and messages meant for the
/// streams would flow into it. A duplicate made by `try_clone` is always above 2.
pub(crate) fn above_standard_streams(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    if descriptor.as_raw_fd() > 2 { Ok(descriptor) } else { descriptor.try_clone() }
}

/// Grows any pipe to a capacity of at least `bytes` if the kernel allows it, never shrinks it, and
/// returns the capacity in bytes that the kernel reports afterwards (one page if it will not say:
/// the smallest pipe there is). Does not block.
///
/// Not to be allowed to grow is no error: an unprivileged user may own only so many pipe pages
/// (EPERM), and a pipe in use may be too full to be moved (EBUSY).
///
/// System calls: [`fcntl(F_GETPIPE_SZ, F_SETPIPE_SZ)`](https://man7.org/linux/man-pages/man2/F_GETPIPE_SZ.2const.html).
///
/// ```
/// let pipe = splice_core::Pipe::new()?;
/// let before = pipe.capacity()?;
/// assert_eq!(splice_core::grow_pipe(pipe.writer(), 1), before, "never shrinks");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn grow_pipe(pipe: impl AsFd, bytes: usize) -> usize {
    let pipe = pipe.as_fd();
    match sys::pipe_capacity(pipe) {
        Ok(capacity) if capacity >= bytes => capacity,
        Ok(capacity) => match sys::set_pipe_capacity(pipe, bytes) {
            // What was granted is asked for again: sandboxes have been seen to answer wrongly.
            Ok(()) => sys::pipe_capacity(pipe).unwrap_or(capacity),
            Err(_) => capacity,
        },
        Err(_) => page_size(),
    }
}

/// The size of a page of memory in bytes, as the kernel tells it. Does not block.
///
/// ```
/// assert!(splice_core::page_size().is_power_of_two());
/// ```
pub fn page_size() -> usize {
    use nix::unistd::{SysconfVar, sysconf};
    const SMALLEST_ON_LINUX: usize = 4096;
    match sysconf(SysconfVar::PAGE_SIZE) {
        Ok(Some(size)) => usize::try_from(size).unwrap_or(SMALLEST_ON_LINUX),
        _ => SMALLEST_ON_LINUX,
    }
}
