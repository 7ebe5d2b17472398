//! Finds the bytes that matter in a block of 64, as bit masks: bit `i` stands for byte `i`.

use bytemuck::cast;
use wide::{CmpEq, CmpLt, i8x16};

/// Bytes in a block: one bit each in a word.
pub(super) const BLOCK: usize = 64;

/// The mask of the bytes of `block` for which `matches` is true, sixteen at a time.
#[inline(always)]
pub(super) fn mask(block: &[u8; BLOCK], matches: impl Fn(i8x16) -> i8x16) -> u64 {
    let lanes: [i8x16; 4] = cast(*block);
    let mut mask = 0;
    for (i, lane) in lanes.into_iter().enumerate() {
        mask |= u64::from(matches(lane).move_mask() as u16) << (16 * i);
    }
    mask
}

#[inline(always)]
pub(super) fn equal_to(byte: u8) -> impl Fn(i8x16) -> i8x16 {
    move |lane| lane.cmp_eq(i8x16::splat(byte as i8))
}

/// Control bytes, newline and tab included, DEL, and 128 to 255, which are negative here.
#[inline(always)]
pub(super) fn nonprinting(lane: i8x16) -> i8x16 {
    lane.cmp_lt(i8x16::splat(0x20)) | lane.cmp_eq(i8x16::splat(0x7f))
}
