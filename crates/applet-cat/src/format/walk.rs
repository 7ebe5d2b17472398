//! Walks.
use super::line_number::LineNumber;
use super::scan::{self, BLOCK, Special, Window};
use super::visible::Visible;
use super::{Format, Formatter, Numbering};

/// What a block may become: every byte a newline with its number, `$\n`; and what is written too far.
pub(super) const MOST_A_BLOCK: usize = BLOCK * 21 + 2 * BLOCK;

pub(super) struct Masks {
    number_all: u64,
    number_nonblank: u64,
    squeeze: u64,
}

fn all_if(flag: bool) -> u64 {
    if flag { u64::MAX } else { 0 }
}

impl Masks {
    pub(super) fn new(format: Format) -> Masks {
        Masks {
            number_all: all_if(format.numbering == Numbering::All),
            number_nonblank: all_if(format.numbering == Numbering::NonBlank),
            squeeze: all_if(format.squeeze_blank),
        }
    }
}

#[inline(always)]
fn find<const SCAN: u8>(window: &Window, special: Special) -> u64 {
    match SCAN {
        0 => 0,
        1 => special.tabs(window),
        2 => special.ends(window),
        _ => special.nonprinting(window),
    }
}

struct Out<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Out<'_> {
    #[inline(always)]
    fn place<const N: usize>(&mut self) -> &mut [u8; N] {
        (&mut self.bytes[self.at..self.at + N]).try_into().unwrap()
    }

    #[inline(always)]
    fn run(&mut self, window: &Window, from: usize, to: usize) {
        let from = from & 63;
        *self.place::<BLOCK>() = *window[from..from + BLOCK].first_chunk().unwrap();
        self.at += to - from;
    }

    #[inline(always)]
    fn number(&mut self, number: &mut LineNumber) {
        let len = number.put(self.place());
        self.at += len;
    }

    #[inline(always)]
    fn word(&mut self, visible: &Visible, byte: u8) {
        let len = visible.put(byte, self.place());
        self.at += len;
    }

    #[inline(always)]
    fn text<const SCAN: u8>(
        &mut self,
        window: &Window,
        mut from: usize,
        to: usize,
        mut special: u64,
        visible: &Visible,
    ) {
        if SCAN != 0
            && special.count_ones() > 20
            && (SCAN != 2 || scan::returns(window) & !special == 0)
        {
            for &byte in &window[from..to] {
                self.word(visible, byte);
            }
            return;
        }
        while special != 0 {
            let p = special.trailing_zeros() as usize & 63;
            self.run(window, from, p);
            self.word(visible, window[p]);
            special &= special - 1;
            from = p + 1;
        }
        if from < to {
            self.run(window, from, to);
        }
    }
}

impl Formatter {
    #[inline(never)]
    pub(super) fn blocks<const SCAN: u8, const LINES: bool>(
        &mut self,
        input: &[u8],
        newline_follows: bool,
        out: &mut [u8],
    ) -> (usize, usize) {
        let mut scratch;
        let mut read = 0;
        let mut out = Out { bytes: out, at: 0 };
        while read < input.len() && out.bytes.len() - out.at >= MOST_A_BLOCK {
            let rest = &input[read..];
            let window = match rest.first_chunk::<{ 2 * BLOCK }>() {
                Some(window) => window,
                None => {
                    scratch = [0; 2 * BLOCK];
                    scratch[..rest.len()].copy_from_slice(rest);
                    if newline_follows {
                        scratch[rest.len()] = b'\n';
                    }
                    &scratch
                }
            };
            let n = rest.len().min(BLOCK);
            self.block::<SCAN, LINES>(window, n, &mut out);
            read += n;
        }
        (read, out.at)
    }

    #[inline(always)]
    fn block<const SCAN: u8, const LINES: bool>(
        &mut self,
        window: &Window,
        n: usize,
        out: &mut Out<'_>,
    ) {
        let valid = u64::MAX >> (BLOCK - n);
        let special = find::<SCAN>(window, self.special) & valid;
        if !LINES {
            return out.text::<SCAN>(window, 0, n, special, &self.visible);
        }
        let newlines = scan::newlines(window) & valid;
        let starts = (newlines << 1 | self.at_start) & valid;
        let blank = newlines & starts;
        let squeezed = blank & (blank << 1 | self.after_blank) & self.masks.squeeze;
        self.at_start = newlines >> (n - 1) & 1;
        self.after_blank = blank >> (n - 1) & 1;
        let numbered =
            starts & !squeezed & (self.masks.number_all | (self.masks.number_nonblank & !newlines));
        let special = special & !squeezed;
        let mut events = numbered | squeezed;
        if SCAN == 0 && squeezed == 0 {
            let mut from = 0;
            while events != 0 {
                let p = events.trailing_zeros() as usize & 63;
                out.run(window, from, p);
                out.number(&mut self.number);
                events &= events - 1;
                from = p;
            }
            return out.run(window, from, n);
        }
        if SCAN >= 2 && squeezed | (special & !newlines) == 0 && special != 0 {
            if numbered & 1 != 0 {
                out.number(&mut self.number);
            }
            let numbered_next = numbered >> 1;
            let mut from = 0;
            let mut ends = newlines;
            while ends != 0 {
                let p = ends.trailing_zeros() as usize & 63;
                out.run(window, from, p);
                *out.place() = *b"$\n";
                out.at += 2;
                if numbered_next >> p & 1 != 0 {
                    out.number(&mut self.number);
                }
                ends &= ends - 1;
                from = p + 1;
            }
            if from < n {
                out.run(window, from, n);
            }
            return;
        }
        let mut from = 0;
        let mut done = 0u64;
        while events != 0 {
            let bit = events & events.wrapping_neg();
            let p = events.trailing_zeros() as usize & 63;
            out.text::<SCAN>(window, from, p, special & (bit - 1) & !done, &self.visible);
            if squeezed & bit != 0 {
                from = p + 1;
            } else {
                out.number(&mut self.number);
                from = p;
            }
            done = bit - 1;
            events &= events - 1;
        }
        out.text::<SCAN>(window, from, n, special & !done, &self.visible);
    }
}
