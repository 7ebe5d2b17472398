//! The walk for processors with AVX2: 32 bytes in a register, and a shuffle that spells out eight
//! bytes at once.
//!
//! All `unsafe` of the formatter is here: an instruction that the processor may not have can only be
//! called under a promise that it has it. [`Avx2`] is that promise: it is made by asking the
//! processor and by nothing else, and every register of [`Bytes`] comes from one. Nothing in here
//! holds a pointer: memory is reached through slices and arrays whose bounds are checked.
#![allow(unsafe_code, reason = "instructions of AVX2 are unsafe where it is not known to be there")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_shuffle_epi8, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};
use std::ops::{BitAnd, BitOr, BitXor, Not};

use bytemuck::{bytes_of, pod_read_unaligned};

use super::lines::Lines;
use super::machine::{Lane, Machine};
use super::room::WIDEST;
use super::scan::{BLOCK, Search, Window};
use super::shuffles::{EIGHTS, FOURS, FOURS_LENGTHS};
use super::spell::{Forms, Part};
use super::visible::Visible;
use super::walk::{self, Walked};

/// Proof that the processor has AVX2, and what every processor with it has.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Asks the processor, once in the life of the program.
    pub(super) fn find() -> Option<Avx2> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        found.then_some(Avx2(()))
    }

    /// The bytes of `source` in the order of `order`; zeros where that is 128 or more.
    #[inline(always)]
    fn shuffle(self, source: &[u8], order: &[u8]) -> [u8; 16] {
        let (source, order) = (pod_read_unaligned(source), pod_read_unaligned(order));
        // SAFETY: `self` proves that AVX2 is there, and with it SSSE3. No memory is involved.
        let shuffled: __m128i = unsafe { _mm_shuffle_epi8(source, order) };
        bytemuck::cast(shuffled)
    }
}

impl Machine for Avx2 {
    type Lane = Bytes;

    const DENSE: u32 = 8; //T

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes {
        // SAFETY: `self` proves that AVX2 is there.
        Bytes(unsafe { _mm256_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn load(self, window: &Window, at: usize) -> Bytes {
        Bytes(pod_read_unaligned(&window[at..at + Bytes::WIDTH]))
    }

    #[inline(always)]
    fn walk<const LINES: bool>(
        self,
        search: impl Search,
        visible: &Visible,
        lines: &mut Lines,
        input: (&[u8], u8),
        out: &mut [u8],
    ) -> Walked {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[inline(never)]
        fn compiled<const LINES: bool>(
            machine: Avx2,
            search: impl Search,
            visible: &Visible,
            lines: &mut Lines,
            input: (&[u8], u8),
            out: &mut [u8],
        ) -> Walked {
            walk::blocks::<LINES, _>(machine, search, visible, lines, input, out)
        }
        // SAFETY: `self` proves that all of these are there. Nothing else is asked: the function
        // is safe.
        unsafe { compiled::<LINES>(self, search, visible, lines, input, out) }
    }

    #[inline(always)]
    fn spell(
        self,
        search: impl Search,
        _visible: &Visible,
        part: Part<'_>,
        place: &mut [u8],
    ) -> usize {
        let mut groups = [0; 2 * BLOCK];
        let (mut high, mut prefixed) = (0, 0);
        for half in 0..2 {
            let at = half * Bytes::WIDTH;
            let forms = Forms::of(self, search, part.window, part.from + at);
            let (even, odd) = forms.letter.eights(forms.prefix);
            even.store(&mut groups[2 * at..]);
            odd.store(&mut groups[2 * at + Bytes::WIDTH..]);
            high |= forms.high.bits() << at;
            prefixed |= forms.prefixed.bits() << at;
        }
        let (len, special) = (part.to - part.from, part.special >> part.from);
        if special & high == 0 {
            self.eights(&groups, len, special, place)
        } else {
            self.fours(&groups, len, (special & high, special & prefixed), place)
        }
    }
}

/// A block in groups of eight: their letters, then their prefixes. See [`GROUPS`] for their order.
type Groups = [u8; 2 * BLOCK];

/// Where the eight groups of a block are: the unpacking works on the halves of a register.
const GROUPS: [usize; 8] = [0, 32, 16, 48, 64, 96, 80, 112];

impl Avx2 {
    /// Eight bytes at a time, each with a prefix or without: all 256 ways are in a table.
    #[inline(always)]
    fn eights(self, groups: &Groups, len: usize, special: u64, place: &mut [u8]) -> usize {
        let place = &mut place[..WIDEST];
        let mut used = 0;
        for (number, group) in GROUPS.into_iter().enumerate() {
            let ways = (special >> (8 * number)) as u8;
            let text = self.shuffle(&groups[group..group + 16], &EIGHTS[usize::from(ways)]);
            // In range as it is: the remainder spares the check of the slice.
            let start = used % 128;
            place[start..start + 16].copy_from_slice(&text);
            used += 8 + ways.count_ones() as usize;
        }
        used - (BLOCK - len)
    }

    /// Four bytes at a time, each with `M-` or without, and with a prefix or without.
    #[inline(always)]
    fn fours(
        self,
        groups: &Groups,
        len: usize,
        (high, prefixed): (u64, u64),
        place: &mut [u8],
    ) -> usize {
        let place = &mut place[..WIDEST];
        let mut used = 0;
        for number in 0..BLOCK / 4 {
            let ways = (high >> (4 * number) & 15) << 4 | prefixed >> (4 * number) & 15;
            let at = GROUPS[number / 2] + number % 2 * 4;
            let half = |at: usize| u64::from(pod_read_unaligned::<u32>(&groups[at..at + 4]));
            let source: [u8; 16] = bytemuck::cast([half(at) | half(at + 8) << 32, M_AND_DASH]);
            let text = self.shuffle(&source, &FOURS[ways as usize]);
            let start = used % (4 * BLOCK);
            place[start..start + 16].copy_from_slice(&text);
            used += usize::from(FOURS_LENGTHS[ways as usize]);
        }
        used - (BLOCK - len)
    }
}

/// `M-`, in the lowest bytes.
const M_AND_DASH: u64 = u16::from_le_bytes(*b"M-") as u64;

/// 32 bytes. There is one only where there is an [`Avx2`].
#[derive(Clone, Copy)]
pub(super) struct Bytes(__m256i);

impl Bytes {
    /// Eight bytes of one and eight of the other: the first and the third of such groups, and the
    /// second and the fourth.
    #[inline(always)]
    fn eights(self, other: Bytes) -> (Bytes, Bytes) {
        // SAFETY: a register proves that AVX2 is there.
        let even = unsafe { _mm256_unpacklo_epi64(self.0, other.0) };
        // SAFETY: as before.
        let odd = unsafe { _mm256_unpackhi_epi64(self.0, other.0) };
        (Bytes(even), Bytes(odd))
    }
}

impl Lane for Bytes {
    const WIDTH: usize = 32;

    #[inline(always)]
    fn is(self, other: Bytes) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        Bytes(unsafe { _mm256_cmpeq_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn above(self, other: Bytes) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        Bytes(unsafe { _mm256_cmpgt_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn plus(self, other: Bytes) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        Bytes(unsafe { _mm256_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        // SAFETY: a register proves that AVX2 is there.
        u64::from(unsafe { _mm256_movemask_epi8(self.0) } as u32)
    }

    #[inline(always)]
    fn store(self, place: &mut [u8]) {
        place[..Self::WIDTH].copy_from_slice(bytes_of(&self.0));
    }
}

impl BitAnd for Bytes {
    type Output = Bytes;

    #[inline(always)]
    fn bitand(self, other: Bytes) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        Bytes(unsafe { _mm256_and_si256(self.0, other.0) })
    }
}

impl BitOr for Bytes {
    type Output = Bytes;

    #[inline(always)]
    fn bitor(self, other: Bytes) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        Bytes(unsafe { _mm256_or_si256(self.0, other.0) })
    }
}

impl BitXor for Bytes {
    type Output = Bytes;

    #[inline(always)]
    fn bitxor(self, other: Bytes) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        Bytes(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
}

impl Not for Bytes {
    type Output = Bytes;

    #[inline(always)]
    fn not(self) -> Bytes {
        // SAFETY: a register proves that AVX2 is there.
        self ^ Bytes(unsafe { _mm256_set1_epi8(-1) })
    }
}
