//! Finds the bytes that matter in a block of 64, as bit masks: bit `i` stands for byte `i`.

use bytemuck::cast;
use wide::{CmpEq, CmpLt, i8x16};

use super::Format;

/// Bytes in a block: one bit each in a word.
pub(super) const BLOCK: usize = 64;

/// A block, and as much again of what follows it.
pub(super) type Window = [u8; 2 * BLOCK];

#[inline(always)]
fn lanes(window: &Window, from: usize) -> [i8x16; 4] {
    let mut block = [0; BLOCK];
    block.copy_from_slice(&window[from..from + BLOCK]);
    cast(block)
}

#[inline(always)]
fn mask(matches: impl Fn(usize) -> i8x16) -> u64 {
    let mut mask = 0;
    for i in 0..4 {
        mask |= u64::from(matches(i).move_mask() as u16) << (16 * i);
    }
    mask
}

#[inline(always)]
fn is(lane: i8x16, byte: u8) -> i8x16 {
    lane.cmp_eq(i8x16::splat(byte as i8))
}

#[inline(always)]
pub(super) fn newlines(window: &Window) -> u64 {
    let lanes = lanes(window, 0);
    mask(|i| is(lanes[i], b'\n'))
}

#[inline(always)]
pub(super) fn returns(window: &Window) -> u64 {
    let lanes = lanes(window, 0);
    mask(|i| is(lanes[i], b'\r'))
}

/// Finds the bytes that are shown in another form.
#[derive(Clone, Copy)]
pub(super) struct Special {
    newline: u8,
    tab: u8,
}

/// Stands for no byte to look for. Space is never special.
const NONE: u8 = b' ';

impl Special {
    pub(super) fn new(format: Format) -> Special {
        let v = format.show_nonprinting;
        Special {
            newline: if format.show_ends != v { b'\n' } else { NONE },
            tab: if format.show_tabs != v { b'\t' } else { NONE },
        }
    }

    #[inline(always)]
    pub(super) fn nonprinting(self, window: &Window) -> u64 {
        let lanes = lanes(window, 0);
        let kept_newline = i8x16::splat(self.newline as i8);
        let kept_tab = i8x16::splat(self.tab as i8);
        mask(|i| {
            let lane = lanes[i];
            (lane.cmp_lt(i8x16::splat(0x20)) | is(lane, 0x7f))
                & !(lane.cmp_eq(kept_newline) | lane.cmp_eq(kept_tab))
        })
    }

    #[inline(always)]
    pub(super) fn ends(self, window: &Window) -> u64 {
        let here = lanes(window, 0);
        let next = lanes(window, 1);
        let tab = i8x16::splat(if self.tab == NONE { b'\n' } else { self.tab } as i8);
        mask(|i| {
            is(here[i], b'\n') | here[i].cmp_eq(tab) | (is(here[i], b'\r') & is(next[i], b'\n'))
        })
    }

    #[inline(always)]
    pub(super) fn tabs(self, window: &Window) -> u64 {
        let lanes = lanes(window, 0);
        mask(|i| is(lanes[i], b'\t'))
    }
}
