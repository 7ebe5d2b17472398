//! Where the text of one block is put together.

use super::line_number::LineNumber;
use super::scan::{BLOCK, Window};

/// Longer than the longest text of a block, a number and `$` before every one of 64 newlines; a
/// power of two, so that a remainder by it is one cheap operation.
const LONGEST: usize = (BLOCK * (LineNumber::LONGEST + 2)).next_power_of_two();

/// The widest piece: 64 bytes that are all shown as four, and what is written beyond them.
pub(super) const WIDEST: usize = 4 * BLOCK + 16;

/// What a block asks of the buffer: its text, and how much further the widest piece may reach.
pub(super) const MOST_A_BLOCK: usize = LONGEST + WIDEST;

/// A part of the sink's buffer.
///
/// Text is put down in pieces of fixed width, which compile to a few wide moves, and only then is
/// it said how much of it counts; the next piece overwrites the rest.
pub(super) struct Room<'a> {
    bytes: &'a mut [u8; MOST_A_BLOCK],
    used: usize,
}

impl<'a> Room<'a> {
    pub(super) fn new(bytes: &'a mut [u8; MOST_A_BLOCK]) -> Room<'a> {
        Room { bytes, used: 0 }
    }

    /// How many bytes count so far.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// The place for the next piece, `N` bytes of it.
    #[inline(always)]
    fn place<const N: usize>(&mut self) -> &mut [u8] {
        const { assert!(N <= WIDEST) };
        debug_assert!(self.used <= LONGEST);
        // In range as it is: the remainder is for the compiler, which then need not check.
        let start = self.used % LONGEST;
        &mut self.bytes[start..start + N]
    }

    /// Puts down `text`, of which the first `len` bytes count.
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, text: &[u8; N], len: usize) {
        self.place::<N>().copy_from_slice(text);
        self.used += len;
    }

    /// Puts down the bytes from `from` to `to` of the window's first block.
    #[inline(always)]
    pub(super) fn put_run(&mut self, window: &Window, from: usize, to: usize) {
        debug_assert!(from <= to && to <= BLOCK);
        let start = from % BLOCK;
        self.place::<BLOCK>().copy_from_slice(&window[start..start + BLOCK]);
        self.used += to - from;
    }

    /// The place of a piece that is put together where it goes.
    #[inline(always)]
    pub(super) fn widest(&mut self) -> &mut [u8] {
        self.place::<WIDEST>()
    }

    /// Keeps the first `len` bytes of such a piece.
    #[inline(always)]
    pub(super) fn keep(&mut self, len: usize) {
        self.used += len;
    }
}
