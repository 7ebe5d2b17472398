//! Finds the bytes that matter in a block of 64, as bit masks: bit `i` stands for byte `i`.

use super::Format;
use super::machine::{Lane, Machine, any, bits};

/// Bytes in a block: one bit each in a word.
pub(super) const BLOCK: usize = 64;

/// A block and as much again of what follows it: so that a run of the block can be copied in one
/// width from wherever it starts, and the byte after the block can be looked at.
pub(super) type Window = [u8; 2 * BLOCK];

/// The newlines of the block.
#[inline(always)]
pub(super) fn newlines(machine: impl Machine, window: &Window) -> u64 {
    bits(|at| machine.load(window, at).is(machine.splat(b'\n')))
}

/// The bytes of the block that are shown in another form.
#[inline(always)]
pub(super) fn special(machine: impl Machine, search: impl Search, window: &Window) -> u64 {
    if search.never() { 0 } else { bits(|at| search.special(machine, window, at)) }
}

/// How many bytes of `input`, in whole blocks from its beginning on, surely stay as they are: none
/// is special, and with `LINES` no line ends.
#[inline(always)]
pub(super) fn still<const LINES: bool>(
    machine: impl Machine,
    search: impl Search,
    input: &[u8],
) -> usize {
    let mut still = 0;
    while let Some(window) = input[still..].first_chunk::<{ 2 * BLOCK }>() {
        let happens = any(|at| {
            let special = search.special(machine, window, at);
            if LINES {
                special | machine.load(window, at).is(machine.splat(b'\n'))
            } else {
                special
            }
        });
        if happens {
            break;
        }
        still += BLOCK;
    }
    still
}

/// Which bytes are shown in another form: one search for each kind of option set, so that no block
/// is searched for what cannot matter.
pub(super) trait Search: Copy {
    /// Whether there is nothing to be found.
    #[inline(always)]
    fn never(self) -> bool {
        false
    }

    /// All ones for each special byte of the register at `at`.
    fn special<M: Machine>(self, machine: M, window: &Window, at: usize) -> M::Lane;
}

/// Neither of `-E`, `-T`, `-v`.
#[derive(Clone, Copy)]
pub(super) struct Nothing;

impl Search for Nothing {
    #[inline(always)]
    fn never(self) -> bool {
        true
    }

    #[inline(always)]
    fn special<M: Machine>(self, machine: M, _window: &Window, _at: usize) -> M::Lane {
        machine.splat(0)
    }
}

/// `-T` alone.
#[derive(Clone, Copy)]
pub(super) struct Tabs;

impl Search for Tabs {
    #[inline(always)]
    fn special<M: Machine>(self, machine: M, window: &Window, at: usize) -> M::Lane {
        machine.load(window, at).is(machine.splat(b'\t'))
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
    fn special<M: Machine>(self, machine: M, window: &Window, at: usize) -> M::Lane {
        let newline = machine.splat(b'\n');
        let (here, next) = (machine.load(window, at), machine.load(window, at + 1));
        let before_newline = here.is(machine.splat(b'\r')) & next.is(newline);
        here.is(newline) | here.is(machine.splat(self.tab)) | before_newline
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
    fn special<M: Machine>(self, machine: M, window: &Window, at: usize) -> M::Lane {
        let here = machine.load(window, at);
        // One more than DEL is below zero as bytes from 128 on are: one comparison for all three.
        let printing = here.plus(machine.splat(1)).above(machine.splat(b' '));
        let [first, second] = self.kept.map(|byte| here.is(machine.splat(byte)));
        !(printing | first | second)
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
