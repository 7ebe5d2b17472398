//! Pages of a file, mapped only to be written from: this process never looks at them.
//!
//! A file may be cut short, or its disk fail, while it is mapped. Whoever touches such a page gets
//! SIGBUS; but the kernel, which alone touches them here, answers EFAULT from `write`.

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

use nix::errno::Errno;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

use super::{Result, await_writable, persist};

/// Pages of a file.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<c_void>,
    len: usize,
}

impl Mapping {
    /// `mmap(2)` of `len` bytes of a file, from `offset` on, which is a multiple of the page size.
    #[allow(unsafe_code, reason = "mmap is unsafe, since it can replace memory that is in use")]
    pub(crate) fn of(file: BorrowedFd<'_>, offset: u64, len: NonZeroUsize) -> Result<Mapping> {
        let offset = libc::off_t::try_from(offset).map_err(|_| Errno::EOVERFLOW)?;
        // One call looks all pages up; otherwise each few of them would be a fault of their own.
        let flags = MapFlags::MAP_SHARED | MapFlags::MAP_POPULATE;
        // SAFETY: the kernel chooses the address, so nothing is replaced. Rust never refers to the
        // memory, whose bytes others may change: it is only named to the kernel.
        let start = unsafe { mmap(None, len, ProtFlags::PROT_READ, flags, file, offset) }?;
        Ok(Mapping { start, len: len.get() })
    }

    /// `write(2)` of at most `len` bytes of it, `from` bytes after its start. EFAULT: the file no
    /// longer has them.
    #[allow(unsafe_code, reason = "nix writes from slices, and this must never be one")]
    pub(crate) fn write(&self, from: usize, len: usize, output: BorrowedFd<'_>) -> Result<usize> {
        let from = from.min(self.len);
        let len = len.min(self.len - from);
        let call = || {
            // SAFETY: `from + len` is within the mapping, which lives as long as `self`. The call
            // only reads it, and only in the kernel.
            let written =
                unsafe { libc::write(output.as_raw_fd(), self.start.as_ptr().byte_add(from), len) };
            Errno::result(written).map(isize::unsigned_abs)
        };
        persist(call, || await_writable(output))
    }
}

impl Drop for Mapping {
    #[allow(unsafe_code, reason = "munmap is unsafe, since memory may still be in use")]
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping, nobody else has its address, and no reference to it
        // was ever made. A failure would leave address space in use, and no byte is lost by that.
        let _ = unsafe { munmap(self.start, self.len) };
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    use super::*;
    use crate::page_size;

    #[test]
    fn bytes_that_a_file_no_longer_has_are_an_error_and_no_signal() {
        let page = page_size();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![b'x'; 2 * page]).unwrap();
        let mapping = Mapping::of(file.as_fd(), 0, NonZeroUsize::new(2 * page).unwrap()).unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        file.set_len(0).unwrap();
        assert_eq!(mapping.write(0, 2 * page, writer.as_fd()), Err(Errno::EFAULT));
        drop(writer);
        assert_eq!(reader.read(&mut [0; 1]).unwrap(), 0);
    }

    #[test]
    fn nothing_beyond_the_mapping_is_written() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[b'x'; 100]).unwrap();
        let mapping = Mapping::of(file.as_fd(), 0, NonZeroUsize::new(100).unwrap()).unwrap();
        let (_reader, writer) = std::io::pipe().unwrap();
        assert_eq!(mapping.write(90, usize::MAX, writer.as_fd()), Ok(10));
        assert_eq!(mapping.write(500, 1, writer.as_fd()), Ok(0));
    }
}
