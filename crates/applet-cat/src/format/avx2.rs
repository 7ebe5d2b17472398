//! The walk for processors with AVX2: 32 bytes in a register, and bytes in another order by one
//! instruction (`shuffles` has what that is for).
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
use super::scan::{Search, Window};
use super::shuffles;
use super::spell::Part;
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
    pub(super) fn shuffle(self, source: &[u8], order: &[u8]) -> [u8; 16] {
        let (source, order) = (pod_read_unaligned(source), pod_read_unaligned(order));
        // SAFETY: `self` proves that AVX2 is there, and with it SSSE3. No memory is involved.
        let shuffled: __m128i = unsafe { _mm_shuffle_epi8(source, order) };
        bytemuck::cast(shuffled)
    }
}

impl Machine for Avx2 {
    type Lane = Bytes;

    const DENSE: u32 = 1;

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
        shuffles::spell(self, search, part, place)
    }
}

/// 32 bytes. There is one only where there is an [`Avx2`].
#[derive(Clone, Copy)]
pub(super) struct Bytes(__m256i);

impl Bytes {
    /// Eight bytes of one and eight of the other: the first and the third of such groups, and the
    /// second and the fourth.
    #[inline(always)]
    pub(super) fn eights(self, other: Bytes) -> (Bytes, Bytes) {
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
