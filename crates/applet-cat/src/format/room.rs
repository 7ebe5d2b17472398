//! The part of the sink's buffer that is being filled.

use super::scan::{BLOCK, Window};

/// Text is put down in pieces of fixed width, which compile to a few wide moves, and only then is
/// it said how much of it counts; the next piece overwrites the rest.
pub(super) struct Room<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Room<'a> {
    pub(super) fn new(bytes: &'a mut [u8]) -> Room<'a> {
        Room { bytes, at: 0 }
    }

    /// How many bytes count so far.
    pub(super) fn used(&self) -> usize {
        self.at
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Puts down `text`, of which the first `len` bytes count.
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, text: &[u8; N], len: usize) {
        self.bytes[self.at..self.at + N].copy_from_slice(text);
        self.at += len;
    }

    /// Puts down the bytes from `from` to `to` of the window's first block.
    #[inline(always)]
    pub(super) fn put_run(&mut self, window: &Window, from: usize, to: usize) {
        // No more than 63, which spares the check of the slice below.
        let start = from % BLOCK;
        self.bytes[self.at..self.at + BLOCK].copy_from_slice(&window[start..start + BLOCK]);
        self.at += to - from;
    }

    /// Lends the next `most` bytes to `fill`, which says how many of them count.
    #[inline(always)]
    pub(super) fn fill(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        self.at += fill(&mut self.bytes[self.at..self.at + most]);
    }
}
