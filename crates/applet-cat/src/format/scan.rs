//! Finds the bytes that matter in a block of 64, as bit masks: bit `i` stands for byte `i`.
//!
//! `wide` compares sixteen bytes at a time: SSE2 on x86-64, NEON on aarch64, plain Rust elsewhere.

use bytemuck::cast;
use wide::{CmpEq, CmpLt, i8x16, u8x16};

use super::Format;

/// Bytes in a block: one bit each in a word.
pub(super) const BLOCK: usize = 64;

/// A block and as much again of what follows it: so that a run of the block can be copied in one
/// width from wherever it starts, and the byte after the block can be looked at.
pub(super) type Window = [u8; 2 * BLOCK];

type Lanes = [i8x16; BLOCK / 16];

/// The 64 bytes of `window` that begin at `from`.
#[inline(always)]
fn lanes(window: &Window, from: usize) -> Lanes {
    let mut block = [0; BLOCK];
    block.copy_from_slice(&window[from..from + BLOCK]);
    cast(block)
}

/// The mask of the lanes whose bytes are negative, as those of a comparison that holds are.
#[inline(always)]
fn mask(lane: impl Fn(usize) -> i8x16) -> u64 {
    (0..BLOCK / 16).fold(0, |mask, i| mask | u64::from(lane(i).move_mask() as u16) << (16 * i))
}

#[inline(always)]
fn is(lane: i8x16, byte: u8) -> i8x16 {
    lane.cmp_eq(i8x16::splat(byte as i8))
}

/// The newlines of the block.
#[inline(always)]
pub(super) fn newlines(window: &Window) -> u64 {
    let block = lanes(window, 0);
    mask(|i| is(block[i], b'\n'))
}

/// Which bytes of a block are shown in another form: one search for each kind of option set, so
/// that no block is searched for what cannot matter.
pub(super) trait Search: Copy {
    /// The bytes that are shown in another form.
    fn special(self, window: &Window) -> u64;

    /// Whether the block holds a byte that has a form of its own and yet is not `special`.
    #[inline(always)]
    fn some_stay(self, _window: &Window, _special: u64) -> bool {
        false
    }
}

/// Neither of `-E`, `-T`, `-v`.
#[derive(Clone, Copy)]
pub(super) struct Nothing;

impl Search for Nothing {
    #[inline(always)]
    fn special(self, _window: &Window) -> u64 {
        0
    }
}

/// `-T` alone.
#[derive(Clone, Copy)]
pub(super) struct Tabs;

impl Search for Tabs {
    #[inline(always)]
    fn special(self, window: &Window) -> u64 {
        let block = lanes(window, 0);
        mask(|i| is(block[i], b'\t'))
    }
}

/// `-E`, with or without `-T`: of the carriage returns only those before a newline are special.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// A tab, or where tabs stay as they are another newline.
    tab: u8,
}

impl Search for Ends {
    #[inline(always)]
    fn special(self, window: &Window) -> u64 {
        let (here, next) = (lanes(window, 0), lanes(window, 1));
        mask(|i| {
            let before_newline = is(here[i], b'\r') & is(next[i], b'\n');
            is(here[i], b'\n') | is(here[i], self.tab) | before_newline
        })
    }

    #[inline(always)]
    fn some_stay(self, window: &Window, special: u64) -> bool {
        let block = lanes(window, 0);
        mask(|i| is(block[i], b'\r')) & !special != 0
    }
}

/// `-v`, with or without the other two.
#[derive(Clone, Copy)]
pub(super) struct Nonprinting {
    /// Control bytes that stay as they are; or a space, which is none.
    kept: [u8; 2],
}

impl Search for Nonprinting {
    #[inline(always)]
    fn special(self, window: &Window) -> u64 {
        let block = lanes(window, 0);
        mask(|i| {
            // Bytes from 128 on are below zero here.
            let nonprinting = block[i].cmp_lt(i8x16::splat(b' ' as i8)) | is(block[i], 0x7f);
            nonprinting & !(is(block[i], self.kept[0]) | is(block[i], self.kept[1]))
        })
    }
}

/// The search that a set of options asks for.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Nothing,
    Tabs(Tabs),
    Ends(Ends),
    Nonprinting(Nonprinting),
}

impl Wanted {
    pub(super) fn new(format: Format) -> Wanted {
        let kept = |shown, byte| if shown { b' ' } else { byte };
        if format.show_nonprinting {
            let kept = [kept(format.show_ends, b'\n'), kept(format.show_tabs, b'\t')];
            Wanted::Nonprinting(Nonprinting { kept })
        } else if format.show_ends {
            Wanted::Ends(Ends { tab: if format.show_tabs { b'\t' } else { b'\n' } })
        } else if format.show_tabs {
            Wanted::Tabs(Tabs)
        } else {
            Wanted::Nothing
        }
    }
}

/// The words of a whole block whose bytes are all special and below 128: two bytes each, `$` and
/// the newline, or `^` and a letter. `None` if any byte is not below 128.
#[inline(always)]
pub(super) fn pairs(window: &Window) -> Option<[u8; 2 * BLOCK]> {
    let block = lanes(window, 0);
    if mask(|i| block[i]) != 0 {
        return None;
    }
    let mut pairs = [u8x16::splat(0); 2 * BLOCK / 16];
    for (lane, pairs) in block.into_iter().zip(pairs.chunks_exact_mut(2)) {
        let newline = is(lane, b'\n');
        let first = newline.blend(i8x16::splat(b'$' as i8), i8x16::splat(b'^' as i8));
        let second = lane ^ (i8x16::splat(0x40) & !newline);
        pairs[0] = u8x16::unpack_low(cast(first), cast(second));
        pairs[1] = u8x16::unpack_high(cast(first), cast(second));
    }
    Some(cast(pairs))
}
