//! An output that is a regular file: how much one call brings to it, and whether its file system has
//! anything better than a copy.
//!
//! A file keeps what is written in one call in pieces as large as the place where they begin allows:
//! one page off, a file on disk took a tenth less. So calls end at boundaries.

use std::os::fd::BorrowedFd;

use super::parts::Parts;
use crate::pipe::{Pipe, page_size};
use crate::sys::{self, FileSystem};

/// Bytes that one splice brings: what is always fast enough, and what is faster while there is memory
/// for it.
const SPLICED: Parts = Parts::new(256 * 1024, AT_A_TIME);

/// Bytes that one `write` brings. They were read before, and of larger parts the beginning would no
/// longer be in the processor's cache.
const WRITTEN: Parts = Parts::new(128 * 1024, 256 * 1024);

/// Bytes that are taken out of an input before they are spliced on.
const AT_A_TIME: usize = 1024 * 1024;

/// The file.
#[derive(Debug)]
pub(super) struct OutputFile<'fd> {
    descriptor: BorrowedFd<'fd>,
    /// Where it stands. That is a guess: at its end, as if it was emptied or is open for append.
    at: u64,
    /// Where it is kept, once that was asked.
    file_system: Option<FileSystem>,
    spliced: Parts,
    written: Parts,
}

impl<'fd> OutputFile<'fd> {
    /// A file of `size` bytes.
    pub(super) fn new(descriptor: BorrowedFd<'fd>, size: u64) -> OutputFile<'fd> {
        OutputFile { descriptor, at: size, file_system: None, spliced: SPLICED, written: WRITTEN }
    }

    /// Notes that `bytes` more were accepted.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }

    /// How many bytes are left to the next multiple of `size`.
    fn to_a_boundary(&self, size: usize) -> usize {
        size - usize::try_from(self.at % size as u64).unwrap_or(0)
    }

    /// How much to take out of an input to splice it on: whole parts.
    pub(super) fn to_take(&self) -> usize {
        self.to_a_boundary(AT_A_TIME)
    }

    /// How much the next [`write`](Self::write) should bring.
    pub(super) fn to_write(&self) -> usize {
        self.to_a_boundary(self.written.size())
    }

    /// Makes a call that writes, and tells how much.
    pub(super) fn write(
        &mut self,
        call: impl FnOnce(BorrowedFd<'_>) -> sys::Result<usize>,
    ) -> sys::Result<usize> {
        self.written.time(|| call(self.descriptor))
    }

    /// One splice of the `left` bytes that `pipe` holds, or of as many as it should bring.
    pub(super) fn splice_from(&mut self, pipe: &Pipe, left: usize) -> sys::Result<usize> {
        let most = left.min(self.to_a_boundary(self.spliced.size()));
        self.spliced.time(|| sys::splice(pipe.reader(), self.descriptor, most))
    }

    /// Whether it stands in the middle of a block.
    pub(super) fn is_amid_a_block(&self) -> bool {
        self.to_a_boundary(page_size()) != page_size()
    }

    /// Whether `copy_file_range` to it could only copy, in smaller pieces than `splice`, which may be
    /// had: its file system shares whole blocks if it shares any, and it stands amid one.
    pub(super) fn shares_nothing_here(&mut self) -> bool {
        match self.file_system() {
            FileSystem::Sharing => self.is_amid_a_block(),
            FileSystem::NotSharing => true,
            FileSystem::Other => false,
        }
    }

    fn file_system(&mut self) -> FileSystem {
        let output = self.descriptor;
        *self.file_system.get_or_insert_with(|| match sys::is_for_append(output) {
            true => FileSystem::Other,
            false => sys::file_system(output),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    const KIB: usize = 1024;

    #[test]
    fn calls_end_at_boundaries() {
        let file = tempfile::tempfile().unwrap();
        for (size, take, write) in [
            (0, 1024 * KIB, 128 * KIB),
            (1, 1024 * KIB - 1, 128 * KIB - 1),
            (64 * KIB, 960 * KIB, 64 * KIB),
            (5 << 40, 1024 * KIB, 128 * KIB),
        ] {
            let mut output = OutputFile::new(file.as_fd(), size as u64);
            assert_eq!((output.to_take(), output.to_write()), (take, write), "{size}");
            output.advance(take);
            assert_eq!((output.to_take(), output.to_write()), (1024 * KIB, 128 * KIB), "{size}");
        }
    }

    /// However little or much the pipe holds, and whatever was found out about large parts.
    #[test]
    fn a_splice_ends_at_a_boundary_or_where_there_is_no_more() {
        let file = tempfile::tempfile().unwrap();
        let mut output = OutputFile::new(file.as_fd(), 1000);
        let pipe = Pipe::new().unwrap();
        pipe.grow_to(1024 * KIB);
        let mut at = 1000;
        for held in [300 * KIB, 700 * KIB, 10, 1024 * KIB, 1024 * KIB, 1024 * KIB, 1024 * KIB] {
            let held = held.min(pipe.capacity().unwrap());
            crate::write_all(pipe.writer(), &vec![b'x'; held]).unwrap();
            let mut left = held;
            while left > 0 {
                let moved = output.splice_from(&pipe, left).unwrap();
                output.advance(moved);
                at += moved;
                left -= moved;
                assert!(left == 0 || at % (256 * KIB) == 0, "{at}");
            }
        }
    }
}
