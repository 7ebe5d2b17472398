//! Every system call that moves data, one call a function.
//!
//! Two answers of the kernel are dealt with here and seen nowhere else: a call that a signal
//! interrupted (EINTR) is made again, and a call that would have blocked on a non-blocking
//! descriptor (EAGAIN) is made again once `poll` says that the descriptor is ready. The call is
//! always tried first: a pipe that is not "writable" for `poll` may still have room in a slot.

mod mapping;
mod waiting;

use std::io::IoSlice;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{self, FcntlArg, PosixFadviseAdvice, SpliceFFlags};
use nix::sys::uio::pread;
use nix::time::ClockId;
use nix::unistd;

pub(crate) use mapping::Mapping;
pub(crate) use waiting::{await_readable, await_writable, has_room, is_ready, persist};

use waiting::await_both;

/// More slices than this in one call are an error.
const IOV_MAX: usize = 1024;

pub(crate) type Result<T> = std::result::Result<T, Errno>;

/// `read(2)`: 0 is the end of the file.
pub(crate) fn read(input: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
    persist(|| unistd::read(input, buffer), || await_readable(input))
}

/// `read(2)` that leaves EAGAIN to the caller, who has something better to do than wait.
pub(crate) fn read_ready(input: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
    persist(|| unistd::read(input, buffer), || Err(Errno::EAGAIN))
}

/// `pread(2)`, as [`read_ready`]. A pipe refuses it with ESPIPE.
pub(crate) fn read_ready_at(
    input: BorrowedFd<'_>,
    buffer: &mut [u8],
    offset: u64,
) -> Result<usize> {
    let offset = offset.try_into().map_err(|_| Errno::EINVAL)?;
    persist(|| pread(input, buffer, offset), || Err(Errno::EAGAIN))
}

/// `write(2)`: may take fewer bytes than it was given.
pub(crate) fn write(output: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
    persist(|| unistd::write(output, bytes), || await_writable(output))
}

/// `write(2)` to a non-blocking descriptor, without waiting: EAGAIN if there is no room.
pub(crate) fn write_at_once(output: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
    persist(|| unistd::write(output, bytes), || Wait::Never.until_writable(output))
}

/// `write(2)` until every byte is accepted.
pub(crate) fn write_all(output: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match write(output, bytes)? {
            // No kernel answers 0 to a write of something; to try for ever would be a hang.
            0 => return Err(Errno::EIO),
            accepted => bytes = &bytes[accepted..],
        }
    }
    Ok(())
}

/// `writev(2)` until every byte of every slice is accepted.
pub(crate) fn write_all_vectored(
    output: BorrowedFd<'_>,
    mut slices: &mut [IoSlice<'_>],
) -> Result<()> {
    // Leaves out the empty slices at the front: a call with nothing else would answer 0.
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        let most = slices.len().min(IOV_MAX);
        let call = || nix::sys::uio::writev(output, &slices[..most]);
        match persist(call, || await_writable(output))? {
            0 => return Err(Errno::EIO),
            accepted => IoSlice::advance_slices(&mut slices, accepted),
        }
    }
    Ok(())
}

/// `splice(2)` at the descriptors' own positions. At least one of the two is a pipe.
pub(crate) fn splice(input: BorrowedFd<'_>, output: BorrowedFd<'_>, len: usize) -> Result<usize> {
    persist(
        || fcntl::splice(input, None, output, None, len, SpliceFFlags::empty()),
        || await_both(input, output),
    )
}

/// `copy_file_range(2)` at the descriptors' own positions.
pub(crate) fn copy_file_range(
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    len: usize,
) -> Result<usize> {
    persist(|| fcntl::copy_file_range(input, None, output, None, len), || await_both(input, output))
}

/// Whether a call may wait for room in a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It may: until a reader makes room, however long that takes.
    ForRoom,
    /// It must not: EAGAIN tells that there is none. The only right way to fill a pipe of our own,
    /// which nobody else will ever read.
    Never,
}

impl Wait {
    fn flags(self) -> SpliceFFlags {
        match self {
            Wait::ForRoom => SpliceFFlags::empty(),
            Wait::Never => SpliceFFlags::SPLICE_F_NONBLOCK,
        }
    }

    fn until_writable(self, output: BorrowedFd<'_>) -> Result<()> {
        match self {
            Wait::ForRoom => await_writable(output),
            Wait::Never => Err(Errno::EAGAIN),
        }
    }
}

/// `splice(2)` that takes what there is and what there is room for, and never waits.
pub(crate) fn splice_at_once(
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    len: usize,
) -> Result<usize> {
    persist(
        || fcntl::splice(input, None, output, None, len, Wait::Never.flags()),
        || Wait::Never.until_writable(output),
    )
}

/// `tee(2)`: the slots of the pipe `input`, from its first on, in the pipe `output` too.
pub(crate) fn tee(
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    len: usize,
    wait: Wait,
) -> Result<usize> {
    persist(|| fcntl::tee(input, output, len, wait.flags()), || wait.until_writable(output))
}

/// `vmsplice(2)`: the memory itself in a pipe, never gifted.
#[allow(unsafe_code, reason = "nix cannot know how long memory lives; a static slice says it")]
pub(crate) fn vmsplice(pipe: BorrowedFd<'_>, memory: &'static [u8], wait: Wait) -> Result<usize> {
    let memory = [IoSlice::new(memory)];
    persist(
        // SAFETY: the kernel refers to this memory for as long as any pipe does, even after the
        // call and after a reader passed it on. It is borrowed for ever and shared, and a byte has
        // no interior mutability: no safe code can change or free it.
        || unsafe { fcntl::vmsplice(pipe, &memory, wait.flags()) },
        || wait.until_writable(pipe),
    )
}

/// `fcntl(F_GETPIPE_SZ)`: the pipe's capacity in bytes.
pub(crate) fn pipe_capacity(pipe: BorrowedFd<'_>) -> Result<usize> {
    fcntl::fcntl(pipe, FcntlArg::F_GETPIPE_SZ).map(|size| size.unsigned_abs() as usize)
}

/// `fcntl(F_SETPIPE_SZ)`. It also shrinks: the caller compares with the capacity there is.
pub(crate) fn set_pipe_capacity(pipe: BorrowedFd<'_>, bytes: usize) -> Result<()> {
    let bytes = i32::try_from(bytes).map_err(|_| Errno::EINVAL)?;
    fcntl::fcntl(pipe, FcntlArg::F_SETPIPE_SZ(bytes)).map(drop)
}

/// `fstat(2)`.
pub(crate) fn stat(descriptor: BorrowedFd<'_>) -> Result<nix::sys::stat::FileStat> {
    persist(|| nix::sys::stat::fstat(descriptor), || Err(Errno::EAGAIN))
}

/// `fcntl(F_GETFL)`: whether every write goes to the end, which no call by reference can do.
pub(crate) fn is_for_append(output: BorrowedFd<'_>) -> bool {
    fcntl::fcntl(output, FcntlArg::F_GETFL)
        .is_ok_and(|flags| fcntl::OFlag::from_bits_retain(flags).contains(fcntl::OFlag::O_APPEND))
}

/// What kind of place a file is kept in, as far as copies within it go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSystem {
    /// Blocks of its own, which files can share.
    Sharing,
    /// Blocks of its own, each of them one file's.
    NotSharing,
    /// Another machine, process or file system, which may copy without us in ways of its own; or one
    /// that is not known here.
    Other,
}

/// `fstatfs(2)`: the kind of file system that a file is on.
pub(crate) fn file_system(file: BorrowedFd<'_>) -> FileSystem {
    use nix::sys::statfs::{
        BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, FsType, TMPFS_MAGIC, fstatfs,
    };
    // What nix does not know under every C library.
    const XFS_SUPER_MAGIC: FsType = FsType(0x5846_5342);
    match fstatfs(file).map(|answer| answer.filesystem_type()) {
        // The number of ext4 is that of ext2 and ext3 too.
        Ok(EXT4_SUPER_MAGIC | F2FS_SUPER_MAGIC | TMPFS_MAGIC) => FileSystem::NotSharing,
        Ok(BTRFS_SUPER_MAGIC | XFS_SUPER_MAGIC) => FileSystem::Sharing,
        _ => FileSystem::Other,
    }
}

/// `lseek(SEEK_CUR)`: where the descriptor stands, in bytes from the start.
pub(crate) fn position(input: BorrowedFd<'_>) -> Result<u64> {
    let position = move_by(input, 0)?;
    u64::try_from(position).map_err(|_| Errno::EOVERFLOW)
}

/// `lseek(SEEK_CUR)`: moves the descriptor `bytes` on.
pub(crate) fn skip(input: BorrowedFd<'_>, bytes: usize) -> Result<()> {
    move_by(input, i64::try_from(bytes).map_err(|_| Errno::EOVERFLOW)?).map(drop)
}

fn move_by(input: BorrowedFd<'_>, bytes: i64) -> Result<i64> {
    let call = || unistd::lseek(input, bytes, unistd::Whence::SeekCur);
    persist(call, || Err(Errno::EAGAIN))
}

/// `posix_fadvise(POSIX_FADV_SEQUENTIAL)`: twice the read-ahead. Advice that is refused is no error.
pub(crate) fn advise_sequential(input: BorrowedFd<'_>) {
    let _ = fcntl::posix_fadvise(input, 0, 0, PosixFadviseAdvice::POSIX_FADV_SEQUENTIAL);
}

/// `clock_gettime(CLOCK_MONOTONIC)`, which the kernel answers without being called. Where it does not,
/// time stands still.
pub(crate) fn clock() -> Duration {
    nix::time::clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from)
}
