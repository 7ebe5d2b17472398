//! What was read from small files and not yet written.

use std::io;
use std::os::fd::AsFd;

use splice_core::{Buffer, read_ready};

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

/// How much of a file was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The first read said that there is nothing.
    Nothing,
    /// All of it: a second read said so.
    Whole,
    /// Some of it, or none for want of memory: the file's position tells.
    Part,
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

    /// Reads a file into the room that there is (see [`is_nearly_full`](Self::is_nearly_full)): one
    /// read for its bytes, one for its end. Does not
    /// wait for a file that was opened without waiting.
    pub(crate) fn take(&mut self, file: impl AsFd) -> io::Result<Taken> {
        if self.buffer.is_none() {
            self.buffer = Buffer::new(CAPACITY).ok();
        }
        let Some(buffer) = &mut self.buffer else { return Ok(Taken::Part) };
        let end = self.len + SMALL_FILE;
        let first = read_ready(&file, &mut buffer[self.len..end])?;
        self.len += first;
        if first == 0 || self.len == end {
            return Ok(if first == 0 { Taken::Nothing } else { Taken::Part });
        }
        match read_ready(&file, &mut buffer[self.len..end]) {
            Ok(0) => Ok(Taken::Whole),
            Ok(more) => {
                self.len += more;
                Ok(Taken::Part)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Taken::Part),
            Err(error) => Err(error),
        }
    }

    /// Hands out what was gathered, and is empty then.
    pub(crate) fn give(&mut self) -> &[u8] {
        let len = std::mem::take(&mut self.len);
        self.buffer.as_ref().map_or(&[], |buffer| &buffer[..len])
    }
}
