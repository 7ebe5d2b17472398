//! What a descriptor is: the one question that decides how its bytes travel.

use std::io;
use std::os::fd::AsFd;

use nix::sys::socket::{SockType, getsockopt, sockopt};
use nix::sys::stat::{FileStat, SFlag, major};

use crate::sys;

/// The major number of /dev/null, /dev/zero, /dev/full and /dev/urandom.
const MEMORY: u64 = 1;

/// What a file descriptor refers to, as far as moving bytes is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FdKind {
    /// A regular file of the given size in bytes, as `fstat` tells it: 0 for most files of /proc.
    Regular {
        /// `st_size`. The file may hold more or less by the time it is read.
        size: u64,
    },
    /// A pipe or FIFO.
    Pipe,
    /// A stream socket (TCP, AF_UNIX stream).
    StreamSocket,
    /// A socket that keeps message boundaries: datagram, seqpacket, raw.
    MessageSocket,
    /// A terminal.
    Terminal,
    /// A device of memory: /dev/null, /dev/zero and their kind.
    MemoryDevice,
    /// Another character device, and a terminal that would not say that it is one.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A directory, or what this version has no name for.
    Other,
}

impl FdKind {
    /// Asks the kernel what `descriptor` is. Does not block.
    ///
    /// System calls: [`fstat`](https://man7.org/linux/man-pages/man2/stat.2.html);
    /// [`getsockopt(SO_TYPE)`](https://man7.org/linux/man-pages/man7/socket.7.html) for sockets,
    /// [`ioctl(TCGETS)`](https://man7.org/linux/man-pages/man3/isatty.3.html) (musl: TIOCGWINSZ) for
    /// character devices but those of memory.
    ///
    /// # Errors
    /// EBADF: the descriptor is closed. Others as `fstat` tells.
    ///
    /// ```
    /// use splice_core::FdKind;
    ///
    /// let null = std::fs::File::open("/dev/null")?;
    /// assert_eq!(FdKind::of(&null)?, FdKind::MemoryDevice);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn of(descriptor: impl AsFd) -> io::Result<FdKind> {
        let descriptor = descriptor.as_fd();
        Ok(FdKind::from_stat(descriptor, &sys::stat(descriptor)?))
    }

    fn from_stat(descriptor: impl AsFd, stat: &FileStat) -> FdKind {
        let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        match kind {
            SFlag::S_IFREG => FdKind::Regular { size: u64::try_from(stat.st_size).unwrap_or(0) },
            SFlag::S_IFIFO => FdKind::Pipe,
            SFlag::S_IFCHR if major(stat.st_rdev) == MEMORY => FdKind::MemoryDevice,
            SFlag::S_IFCHR => character_device(descriptor),
            SFlag::S_IFBLK => FdKind::BlockDevice,
            SFlag::S_IFSOCK => socket(descriptor),
            _ => FdKind::Other,
        }
    }
}

fn character_device(descriptor: impl AsFd) -> FdKind {
    match nix::unistd::isatty(descriptor) {
        Ok(true) => FdKind::Terminal,
        // Not a terminal, or nobody will say: what is special about terminals is only needed
        // where a person can press the end-of-file key.
        Ok(false) | Err(_) => FdKind::CharacterDevice,
    }
}

fn socket(descriptor: impl AsFd) -> FdKind {
    match getsockopt(&descriptor, sockopt::SockType) {
        Ok(SockType::Stream) => FdKind::StreamSocket,
        // If its type is refused, message boundaries are the safe guess: read and write keep them.
        Ok(_) | Err(_) => FdKind::MessageSocket,
    }
}
