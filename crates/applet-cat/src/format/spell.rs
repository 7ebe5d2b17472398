//! Spells out blocks in which many bytes have another form, in a time that does not depend on where
//! they are.

use super::machine::{Lane, Machine};
use super::scan::{BLOCK, Search, Window};

/// What is to be put down: the bytes from `from` to `to`, of which those in `special`, which has no
/// bits elsewhere, are shown in another form.
pub(super) struct Part<'a> {
    pub(super) window: &'a Window,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) special: u64,
}

/// The other forms of a register of bytes: maybe `M-`, maybe a prefix, and a letter.
pub(super) struct Forms<L> {
    /// `^` or, before a newline, `$`.
    pub(super) prefix: L,
    /// The letter; or the byte itself, if it is not special.
    pub(super) letter: L,
    /// Where there is a prefix.
    pub(super) prefixed: L,
    /// Where the byte is special and 128 or more.
    pub(super) high: L,
}

impl<L: Lane> Forms<L> {
    #[inline(always)]
    pub(super) fn of<M: Machine<Lane = L>>(
        machine: M,
        search: impl Search,
        window: &Window,
        at: usize,
    ) -> Forms<L> {
        let here = machine.load(window, at);
        let special = search.special(machine, window, at);
        let high = here & special & machine.splat(0x80);
        let low = here ^ high;
        // DEL and one is less than a space, as bytes with a sign.
        let printing = low.plus(machine.splat(1)).above(machine.splat(b' '));
        let prefixed = special & !printing;
        let newline = here.is(machine.splat(b'\n'));
        Forms {
            prefix: machine.splat(b'^') ^ (newline & machine.splat(b'^' ^ b'$')),
            letter: low ^ (prefixed & !newline & machine.splat(0x40)),
            prefixed,
            high,
        }
    }
}

/// Each byte of a block behind its prefix, needed or not.
pub(super) type Pairs = [[u8; 2]; BLOCK];

/// Puts down the first `len` bytes of a block from the last to the first: each with its prefix, and
/// where it is not `special` and so has none, the byte before it comes over that.
#[inline(never)]
pub(super) fn backwards(pairs: &Pairs, len: usize, special: u64, place: &mut [u8]) -> usize {
    let text = len + special.count_ones() as usize;
    let (first, others) = (&pairs[0], &pairs[1..len]);
    let mut end = text;
    // The bit of the last byte at the top.
    let mut marks = special << (BLOCK - len);
    for pair in others.iter().rev() {
        // In range as it is: the remainder spares the check of the slice.
        let start = (end - 2) % (2 * BLOCK);
        place[start..start + 2].copy_from_slice(pair);
        end -= 1 + (marks >> (BLOCK - 1)) as usize;
        marks <<= 1;
    }
    if special & 1 != 0 {
        place[..2].copy_from_slice(first);
    } else {
        place[0] = first[1];
    }
    text
}
