//! Formats block by block: walks the bits of the masks, lowest first, and copies what is between.

use super::lines::{Lines, Marks, first};
use super::room::Room;
use super::scan::{self, BLOCK, Search, Window};
use super::visible::Visible;

/// From this many special bytes in a block on, looking every byte up is faster than walking.
const DENSE: u32 = 20;

/// Formats as many blocks of `input` as there is surely room for in `out`, and returns how many
/// bytes that read and wrote. `next` is the byte that follows the input, if it matters. Without
/// `LINES`, lines are neither numbered nor squeezed.
///
/// The walk is put together in here, from arguments that are known not to overlap, so that what
/// changes with every step is kept in registers.
#[inline(never)]
pub(super) fn walk<const LINES: bool>(
    search: impl Search,
    visible: &Visible,
    lines: &mut Lines,
    (input, next): (&[u8], u8),
    out: &mut [u8],
) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while read < input.len()
        && let Some(place) = out[written..].first_chunk_mut()
    {
        let rest = &input[read..];
        let padded;
        let window = if let Some(window) = rest.first_chunk() {
            window
        } else {
            padded = pad(rest, next);
            &padded
        };
        let len = rest.len().min(BLOCK);
        let mut walk = Walk { search, visible, lines, room: Room::new(place) };
        walk.block::<LINES>(window, len);
        written += walk.room.used();
        read += len;
    }
    (read, written)
}

/// The last bytes of the input as a window of their own.
#[cold]
#[inline(never)]
fn pad(rest: &[u8], next: u8) -> Window {
    let mut window = [next; 2 * BLOCK];
    window[..rest.len()].copy_from_slice(rest);
    window
}

struct Walk<'a, S> {
    search: S,
    visible: &'a Visible,
    lines: &'a mut Lines,
    room: Room<'a>,
}

impl<S: Search> Walk<'_, S> {
    /// Formats the first `len` bytes of `window`.
    #[inline(always)]
    fn block<const LINES: bool>(&mut self, window: &Window, len: usize) {
        let special = self.search.special(window) & first(len);
        if !LINES {
            return self.bytes(window, 0, len, special);
        }
        let newlines = scan::newlines(window) & first(len);
        let marks = self.lines.mark(newlines, len);
        if marks.squeezed | (special & !newlines) != 0 {
            self.any_lines(window, len, special, marks);
        } else if special != 0 {
            self.ended_lines(window, len, newlines, marks.numbered);
        } else {
            self.numbered_lines(window, len, marks.numbered);
        }
    }

    /// The bytes from `from` to `to`, of which those in `special` are shown in another form.
    #[inline(always)]
    fn bytes(&mut self, window: &Window, mut from: usize, to: usize, mut special: u64) {
        if special.count_ones() >= DENSE && !self.search.some_stay(window, special) {
            return self.dense_bytes(window, from, to, special);
        }
        while special != 0 {
            let at = special.trailing_zeros() as usize % BLOCK;
            self.room.put_run(window, from, at);
            self.visible.put(window[at], &mut self.room);
            special &= special - 1;
            from = at + 1;
        }
        if from < to {
            self.room.put_run(window, from, to);
        }
    }

    /// The same where many bytes are special. All of them, as in long runs of tabs, newlines or
    /// zeros, are the one case where a byte at a time would be slower than a plain loop.
    #[inline(always)]
    fn dense_bytes(&mut self, window: &Window, from: usize, to: usize, special: u64) {
        if special == u64::MAX
            && let Some(pairs) = scan::pairs(window)
        {
            return self.room.put(&pairs, pairs.len());
        }
        self.visible.put_all(&window[from..to], &mut self.room);
    }

    /// A block where lines get numbers, and nothing else happens.
    #[inline(always)]
    fn numbered_lines(&mut self, window: &Window, len: usize, mut numbered: u64) {
        let mut from = 0;
        while numbered != 0 {
            let at = numbered.trailing_zeros() as usize % BLOCK;
            self.room.put_run(window, from, at);
            self.lines.number.put(&mut self.room);
            numbered &= numbered - 1;
            from = at;
        }
        self.room.put_run(window, from, len);
    }

    /// A block where lines get numbers and a `$` at their ends, and nothing else happens. The end
    /// of a line and the number of the next are one step.
    #[inline(always)]
    fn ended_lines(&mut self, window: &Window, len: usize, mut newlines: u64, numbered: u64) {
        let mut from = 0;
        if numbered & 1 != 0 {
            self.lines.number.put(&mut self.room);
        }
        let numbered_next = numbered >> 1;
        while newlines != 0 {
            let at = newlines.trailing_zeros() as usize % BLOCK;
            self.room.put_run(window, from, at);
            self.room.put(b"$\n", 2);
            if numbered_next >> at & 1 != 0 {
                self.lines.number.put(&mut self.room);
            }
            newlines &= newlines - 1;
            from = at + 1;
        }
        if from < len {
            self.room.put_run(window, from, len);
        }
    }

    /// A block where anything can happen.
    #[inline(always)]
    fn any_lines(&mut self, window: &Window, len: usize, mut special: u64, marks: Marks) {
        if marks.squeezed == first(len) {
            return;
        }
        let mut from = 0;
        let mut events = marks.numbered | marks.squeezed;
        special &= !marks.squeezed;
        while events != 0 {
            let bit = events & events.wrapping_neg();
            let at = events.trailing_zeros() as usize % BLOCK;
            self.bytes(window, from, at, special & (bit - 1));
            special &= !(bit - 1);
            if marks.squeezed & bit != 0 {
                from = at + 1;
            } else {
                self.lines.number.put(&mut self.room);
                from = at;
            }
            events &= events - 1;
        }
        self.bytes(window, from, len, special);
    }
}
