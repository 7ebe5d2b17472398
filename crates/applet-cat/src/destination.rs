//! Standard output, looked at once: is it a file that one of the inputs could be?

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::{SFlag, fstat, major, minor};
use nix::unistd::{Whence, lseek};

/// Where the bytes go.
#[derive(Debug)]
pub(crate) struct Destination {
    descriptor: BorrowedFd<'static>,
    /// Device and inode, if it is a regular file.
    file: Option<(u64, u64)>,
    /// Whether it is /dev/null.
    discards: bool,
}

/// The numbers of /dev/null, of all Linux.
const NULL: (u64, u64) = (1, 3);

impl Destination {
    /// Looks at a descriptor; EBADF if it is closed.
    pub(crate) fn look_at(descriptor: BorrowedFd<'static>) -> io::Result<Destination> {
        let stat = loop {
            match fstat(descriptor) {
                Err(Errno::EINTR) => {}
                answer => break answer?,
            }
        };
        let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        let file = (kind == SFlag::S_IFREG).then_some((stat.st_dev, stat.st_ino));
        let device = (major(stat.st_rdev), minor(stat.st_rdev));
        let discards = kind == SFlag::S_IFCHR && device == NULL;
        Ok(Destination { descriptor, file, discards })
    }

    /// Whether it looks at no byte that it gets.
    pub(crate) fn discards(&self) -> bool {
        self.discards
    }

    /// Whether `input` is this very file. Asks nothing where the output is no regular file.
    pub(crate) fn is(&self, input: impl AsFd) -> bool {
        self.file
            .is_some_and(|file| fstat(input).is_ok_and(|stat| (stat.st_dev, stat.st_ino) == file))
    }

    /// Whether copying `input`, which is this very file, would never end: it is read at a place
    /// that writing has yet to pass, so that every byte written is one more to read.
    ///
    /// What is unknown (a position that cannot be told) is not refused.
    pub(crate) fn runs_ahead_of(&self, input: impl AsFd) -> bool {
        let ahead = || {
            let end = fstat(&input)?.st_size;
            let reads_at = lseek(&input, 0, Whence::SeekCur)?;
            let flags = OFlag::from_bits_retain(fcntl(self.descriptor, FcntlArg::F_GETFL)?);
            let writes_at = if flags.contains(OFlag::O_APPEND) {
                end
            } else {
                lseek(self.descriptor, 0, Whence::SeekCur)?
            };
            nix::Result::Ok(reads_at < end && reads_at < writes_at)
        };
        ahead().unwrap_or(false)
    }
}

impl AsFd for Destination {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor
    }
}
