//! What was read from small files and not yet written.

use std::io;
use std::os::fd::AsFd;

use splice_core::{Buffer, read_ready, read_ready_at};

/// Bytes that are gathered before they are written.
const CAPACITY: usize = 128 * 1024;

/// As much is read of a file to see whether it is a small one; with less room than this, the buffer
/// is written before another file is read into it.
pub(crate) const SMALL_FILE: usize = 32 * 1024;

/// A buffer in front of the output. Made when the first file is read.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    buffer: Option<Buffer>,
    len: usize,
}

impl Gathered {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Drops what was gathered after the first `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Whether there is too little room for a small file.
    pub(crate) fn is_nearly_full(&self) -> bool {
        CAPACITY - self.len < SMALL_FILE
    }

    /// Reads from where `file` stands into the room that there is (see
    /// [`is_nearly_full`](Self::is_nearly_full)), and tells how much; `None`: there is no memory. Does
    /// not wait for a file that was opened without waiting.
    pub(crate) fn read(&mut self, file: impl AsFd) -> io::Result<Option<usize>> {
        self.fill(|room| read_ready(file, room))
    }

    /// The same from `offset`. Where `file` stands stays as it is.
    pub(crate) fn read_at(&mut self, file: impl AsFd, offset: u64) -> io::Result<Option<usize>> {
        self.fill(|room| read_ready_at(file, room, offset))
    }

    fn fill(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        if self.buffer.is_none() {
            self.buffer = Buffer::new(CAPACITY).ok();
        }
        let Some(buffer) = &mut self.buffer else { return Ok(None) };
        let end = (self.len + SMALL_FILE).min(CAPACITY);
        let read = read(&mut buffer[self.len..end])?;
        self.len += read;
        Ok(Some(read))
    }

    /// Hands out what was gathered, and is empty then.
    pub(crate) fn give(&mut self) -> &[u8] {
        let len = std::mem::take(&mut self.len);
        self.buffer.as_ref().map_or(&[], |buffer| &buffer[..len])
    }
}
