//! The three standard streams as descriptors, with no buffer and no runtime between.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::sys::stat::Mode;

/// Standard input, output and error as they were inherited: any of them may be closed, and then
/// every use of it fails with EBADF, as it should.
#[derive(Debug, Clone, Copy)]
pub struct Streams {
    /// Descriptor 0.
    pub input: BorrowedFd<'static>,
    /// Descriptor 1.
    pub output: BorrowedFd<'static>,
    /// Descriptor 2.
    pub error: BorrowedFd<'static>,
}

impl Streams {
    /// Closes one of the streams and tells what `close` says: some file systems report only
    /// there that bytes were lost.
    ///
    /// # Errors
    /// Those of [`close`](https://man7.org/linux/man-pages/man2/close.2.html) but EINTR: Linux has
    /// closed the descriptor then.
    pub fn close(stream: BorrowedFd<'static>) -> io::Result<()> {
        close_checked(stream.as_raw_fd())
    }
}

fn close_checked(descriptor: impl std::os::fd::IntoRawFd) -> io::Result<()> {
    match nix::unistd::close(descriptor) {
        Ok(()) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// An input file that was opened by name.
#[derive(Debug)]
pub struct InputFile(OwnedFd);

impl InputFile {
    /// Closes the file and tells what `close` says.
    ///
    /// # Errors
    /// As [`Streams::close`].
    pub fn close(self) -> io::Result<()> {
        close_checked(self.0)
    }
}

impl std::os::fd::AsFd for InputFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Opens a file for reading, on a descriptor above 2 even where a standard stream is closed. May
/// block, as opening a FIFO that nobody writes to does.
///
/// # Errors
/// Those of [`open`](https://man7.org/linux/man-pages/man2/open.2.html) but EINTR.
pub fn open_input(name: &CStr) -> io::Result<InputFile> {
    open_with(name, OFlag::empty())
}

/// The same with O_NONBLOCK: a FIFO opens at once, and so does a device that would wait.
///
/// # Errors
/// As [`open_input`]; EAGAIN for a file that another process holds a lease on.
pub fn open_input_without_waiting(name: &CStr) -> io::Result<InputFile> {
    open_with(name, OFlag::O_NONBLOCK)
}

fn open_with(name: &CStr, flags: OFlag) -> io::Result<InputFile> {
    let descriptor = loop {
        // Not `open`: musl's asks for O_CLOEXEC a second time, by a call of its own.
        match openat(AT_FDCWD, name, OFlag::O_RDONLY | OFlag::O_CLOEXEC | flags, Mode::empty()) {
            Err(Errno::EINTR) => {}
            opened => break opened?,
        }
    };
    let taken = descriptor.as_raw_fd() <= 2;
    Ok(InputFile(if taken { descriptor.try_clone()? } else { descriptor }))
}
