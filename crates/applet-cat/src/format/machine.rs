//! What the walk asks of a processor, and the answer that every processor has.
//!
//! The walk is written once. It is compiled for each [`Machine`]: for [`Portable`], and where there
//! is one for the machine with wider registers.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use bytemuck::{cast, cast_ref, pod_read_unaligned};
use wide::{CmpEq, CmpGt, i8x16, u8x16};

use super::lines::Lines;
use super::scan::{BLOCK, Search, Window};
use super::spell::{self, Forms, Part};
use super::visible::Visible;
use super::walk::{self, Walked};

/// A register of bytes. A comparison gives all ones where it holds, and zeros elsewhere.
pub(super) trait Lane:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// How many bytes: 64 is a multiple of it.
    const WIDTH: usize;

    /// Where the bytes are equal.
    fn is(self, other: Self) -> Self;

    /// Where the bytes, taken as signed, are greater.
    fn above(self, other: Self) -> Self;

    /// The sums of the bytes, without a carry from one to the next.
    fn plus(self, other: Self) -> Self;

    /// The highest bit of each byte.
    fn bits(self) -> u64;

    /// Puts the bytes down at the beginning of `place`.
    fn store(self, place: &mut [u8]);
}

/// A set of instructions. A value of such a type is proof that the processor has them.
pub(super) trait Machine: Copy {
    type Lane: Lane;

    /// From this many special bytes in a block on, [`spell`](Self::spell) is faster than to go from
    /// one to the next.
    const DENSE: u32;

    /// A register of equal bytes.
    fn splat(self, byte: u8) -> Self::Lane;

    /// The bytes from `at` on.
    fn load(self, window: &Window, at: usize) -> Self::Lane;

    /// [`walk::blocks`], compiled for this machine.
    fn walk<const LINES: bool>(
        self,
        search: impl Search,
        visible: &Visible,
        lines: &mut Lines,
        input: (&[u8], u8),
        out: &mut [u8],
    ) -> Walked;

    /// Puts down the bytes of `window` from `from` to `to` (no more than 64), those in `special` in
    /// their other form, and returns how long that is. Takes the same time wherever they are.
    fn spell(
        self,
        search: impl Search,
        visible: &Visible,
        part: Part<'_>,
        place: &mut [u8],
    ) -> usize;
}

/// Sixteen bytes at a time: SSE2 on x86-64, NEON on aarch64, plain Rust elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Machine for Portable {
    type Lane = i8x16;

    const DENSE: u32 = 20;

    #[inline(always)]
    fn splat(self, byte: u8) -> i8x16 {
        i8x16::splat(byte as i8)
    }

    #[inline(always)]
    fn load(self, window: &Window, at: usize) -> i8x16 {
        pod_read_unaligned(&window[at..at + i8x16::WIDTH])
    }

    #[inline(never)]
    fn walk<const LINES: bool>(
        self,
        search: impl Search,
        visible: &Visible,
        lines: &mut Lines,
        input: (&[u8], u8),
        out: &mut [u8],
    ) -> Walked {
        walk::blocks::<LINES, _>(self, search, visible, lines, input, out)
    }

    #[inline(always)]
    fn spell(
        self,
        search: impl Search,
        visible: &Visible,
        part: Part<'_>,
        place: &mut [u8],
    ) -> usize {
        let mut pairs = [0; 2 * BLOCK];
        let mut high = 0;
        for at in (0..BLOCK).step_by(i8x16::WIDTH) {
            let forms = Forms::of(self, search, part.window, part.from + at);
            let (prefix, letter): (u8x16, u8x16) = (cast(forms.prefix), cast(forms.letter));
            high |= forms.high.bits() << at;
            pairs[2 * at..][..16].copy_from_slice(&u8x16::unpack_low(prefix, letter).to_array());
            pairs[2 * at + 16..][..16]
                .copy_from_slice(&u8x16::unpack_high(prefix, letter).to_array());
        }
        let (len, special) = (part.to - part.from, part.special >> part.from);
        if special & high != 0 {
            return visible.spell(&part.window[part.from..part.to], place);
        }
        if special == u64::MAX {
            place[..pairs.len()].copy_from_slice(&pairs);
            return pairs.len();
        }
        spell::backwards(cast_ref(&pairs), len, special, place)
    }
}

impl Lane for i8x16 {
    const WIDTH: usize = 16;

    #[inline(always)]
    fn is(self, other: i8x16) -> i8x16 {
        self.cmp_eq(other)
    }

    #[inline(always)]
    fn above(self, other: i8x16) -> i8x16 {
        self.cmp_gt(other)
    }

    #[inline(always)]
    fn plus(self, other: i8x16) -> i8x16 {
        self + other
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.move_mask() as u16)
    }

    #[inline(always)]
    fn store(self, place: &mut [u8]) {
        place[..Self::WIDTH].copy_from_slice(bytemuck::bytes_of(&self));
    }
}

/// The bits of a whole block, whose registers `lane` gives by their place in it.
#[inline(always)]
pub(super) fn bits<L: Lane>(lane: impl Fn(usize) -> L) -> u64 {
    let mut bits = 0;
    for i in 0..BLOCK / L::WIDTH {
        bits |= lane(i * L::WIDTH).bits() << (i * L::WIDTH);
    }
    bits
}

/// Whether any bit of them is set: less work than to gather all.
#[inline(always)]
pub(super) fn any<L: Lane>(lane: impl Fn(usize) -> L) -> bool {
    let mut all = lane(0);
    for i in 1..BLOCK / L::WIDTH {
        all = all | lane(i * L::WIDTH);
    }
    all.bits() != 0
}
