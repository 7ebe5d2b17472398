//! The second path: pages of this process, put into a pipe by `vmsplice`.
//!
//! A page that was given to a pipe must never change again, not even after this process closed
//! the pipe: the reader may have passed it on. So the memory is made once and never freed.

use std::io;
use std::os::fd::BorrowedFd;

use super::fill;
use super::shared::SharedPages;
use crate::Buffer;
use crate::sys::{self, Wait};

/// An eighth of the capacity of the output's pipe: while the reader takes one part, the next is
/// looked up.
const ENOUGH: usize = 128 * 1024;

/// Whole patterns in memory that begins at a page and lives as long as the process.
pub(super) struct StaticMemory(&'static [u8]);

impl StaticMemory {
    pub(super) fn of(pattern: &[u8]) -> io::Result<StaticMemory> {
        let len = pattern.len() * (ENOUGH / pattern.len()).max(1);
        let mut buffer = Buffer::new(len)?;
        fill(&mut buffer, pattern, 0);
        let buffer: &'static Buffer = Box::leak(Box::new(buffer));
        Ok(StaticMemory(buffer))
    }
}

impl SharedPages for StaticMemory {
    fn can_begin_at(&self, _phase: usize) -> bool {
        true
    }

    fn put(
        &self,
        phase: usize,
        len: usize,
        pipe: BorrowedFd<'_>,
        wait: Wait,
    ) -> sys::Result<usize> {
        let memory = &self.0[phase..];
        sys::vmsplice(pipe, &memory[..memory.len().min(len)], wait)
    }

    fn filled_up(&self, _moved: usize) -> bool {
        // Any call may be short: the memory ends somewhere.
        false
    }
}
