//! Formats block by block: walks the bits of the masks, lowest first, and copies what is between.

use super::lines::{Lines, Marks, first};
use super::machine::Machine;
use super::room::Room;
use super::scan::{self, BLOCK, Search, Window};
use super::spell::Part;
use super::visible::Visible;

/// After so many blocks in a row in which nothing happens, it is looked how far that goes on.
const PATIENCE: usize = 2;

/// A run that is as long as this is not copied but passed on from where it lies: half a page.
const LONG: usize = 768;

/// What came of a walk.
pub(super) struct Walked {
    /// How many bytes of the input were read.
    pub(super) read: usize,
    /// How many bytes were put down for them.
    pub(super) written: usize,
    /// How many bytes of the input after those stay as they are, and are to be passed on.
    pub(super) stay: usize,
}

/// Formats as many blocks of `input` as there is surely room for in `out`. `next` is the byte that
/// follows the input, if it matters. Without `LINES`, lines are neither numbered nor squeezed.
///
/// The walk is put together in here, from arguments that are known not to overlap, so that what
/// changes with every step is kept in registers.
#[inline(always)]
pub(super) fn blocks<const LINES: bool, M: Machine>(
    machine: M,
    search: impl Search,
    visible: &Visible,
    lines: &mut Lines,
    (input, next): (&[u8], u8),
    out: &mut [u8],
) -> Walked {
    let (mut read, mut written) = (0, 0);
    // Where it is time to look how far nothing happens.
    let mut look_at = PATIENCE * BLOCK;
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
        let mut walk = Walk { machine, search, visible, lines, room: Room::new(place) };
        let still = walk.block::<LINES>(window, len);
        written += walk.room.used();
        read += len;
        if !still {
            look_at = read + PATIENCE * BLOCK;
        } else if read >= look_at {
            let stay = scan::still::<LINES>(machine, search, &input[read..]);
            if stay >= LONG {
                return Walked { read, written, stay };
            }
            let copied = copy(&input[read..read + stay], &mut out[written..]);
            read += copied;
            written += copied;
        }
    }
    Walked { read, written, stay: 0 }
}

/// Copies `run`, in whole blocks, as far as there is room.
#[inline(always)]
fn copy(run: &[u8], out: &mut [u8]) -> usize {
    let (from, to) = (run.as_chunks::<BLOCK>().0, out.as_chunks_mut::<BLOCK>().0);
    for (from, to) in from.iter().zip(&mut *to) {
        *to = *from;
    }
    from.len().min(to.len()) * BLOCK
}

/// The last bytes of the input as a window of their own.
#[cold]
#[inline(never)]
fn pad(rest: &[u8], next: u8) -> Window {
    let mut window = [next; 2 * BLOCK];
    window[..rest.len()].copy_from_slice(rest);
    window
}

struct Walk<'a, M, S> {
    machine: M,
    search: S,
    visible: &'a Visible,
    lines: &'a mut Lines,
    room: Room<'a>,
}

impl<M: Machine, S: Search> Walk<'_, M, S> {
    /// Formats the first `len` bytes of `window`, and returns whether they all stay as they are and
    /// no line begins or ends.
    #[inline(always)]
    fn block<const LINES: bool>(&mut self, window: &Window, len: usize) -> bool {
        let special = scan::special(self.machine, self.search, window) & first(len);
        if !LINES {
            self.bytes(window, 0, len, special);
            return special == 0;
        }
        let newlines = scan::newlines(self.machine, window) & first(len);
        let marks = self.lines.mark(newlines, len);
        if marks.squeezed | (special & !newlines) != 0 {
            self.any_lines(window, len, special, marks);
        } else if special != 0 {
            self.ended_lines(window, len, newlines, marks.numbered);
        } else {
            self.numbered_lines(window, len, marks.numbered);
        }
        newlines | special | marks.numbered == 0
    }

    /// The bytes from `from` to `to`, of which those in `special` are shown in another form.
    #[inline(always)]
    fn bytes(&mut self, window: &Window, mut from: usize, to: usize, mut special: u64) {
        if special.count_ones() >= M::DENSE {
            let Walk { machine, search, visible, room, .. } = self;
            let part = Part { window, from, to, special };
            let len = machine.spell(*search, visible, part, room.widest());
            return room.keep(len);
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
