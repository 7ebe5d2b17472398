//! Numbering, squeezing and visible bytes: what `cat` does with its formatting options.
#![allow(missing_docs)]

mod line_number;
mod scan;
mod sink;
mod visible;
mod walk;

pub use sink::Sink;

use line_number::LineNumber;
use visible::Visible;

pub const MOST_AT_ONCE: usize = walk::MOST_A_BLOCK;
pub const INPUT_BLOCK: usize = 128 * 1024;
pub const OUTPUT_BUFFER: usize = 128 * 1024;

/// Which lines get a number.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    #[default]
    None,
    All,
    NonBlank,
}

/// What to show. Plain flags, filled from the command line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    pub numbering: Numbering,
    pub squeeze_blank: bool,
    pub show_ends: bool,
    pub show_tabs: bool,
    pub show_nonprinting: bool,
}

pub struct Formatter {
    format: Format,
    visible: Visible,
    number: LineNumber,
    masks: walk::Masks,
    special: scan::Special,
    /// 1 where the next byte begins a line.
    at_start: u64,
    /// 1 where the line before was blank.
    after_blank: u64,
    held_return: bool,
}

impl Formatter {
    pub fn new(format: Format) -> Formatter {
        Formatter {
            format,
            visible: Visible::new(format),
            number: LineNumber::first(),
            masks: walk::Masks::new(format),
            special: scan::Special::new(format),
            at_start: 1,
            after_blank: 0,
            held_return: false,
        }
    }

    pub fn format<S: Sink>(&mut self, input: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let Some(first) = input.first() else { return Ok(()) };
        if std::mem::take(&mut self.held_return) {
            self.run(b"\r", *first == b'\n', sink)?;
        }
        let input = match input {
            [input @ .., b'\r'] if self.format.show_ends && !self.format.show_nonprinting => {
                self.held_return = true;
                input
            }
            _ => input,
        };
        self.run(input, false, sink)
    }

    pub fn finish<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        if std::mem::take(&mut self.held_return) { self.run(b"\r", false, sink) } else { Ok(()) }
    }

    fn run<S: Sink>(
        &mut self,
        mut input: &[u8],
        newline_follows: bool,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let format = self.format;
        let lines = format.numbering != Numbering::None || format.squeeze_blank;
        while !input.is_empty() {
            let out = sink.room(walk::MOST_A_BLOCK)?;
            let (read, written) =
                match (format.show_nonprinting, format.show_ends, format.show_tabs, lines) {
                    (true, _, _, true) => self.blocks::<3, true>(input, newline_follows, out),
                    (true, _, _, false) => self.blocks::<3, false>(input, newline_follows, out),
                    (_, true, _, true) => self.blocks::<2, true>(input, newline_follows, out),
                    (_, true, _, false) => self.blocks::<2, false>(input, newline_follows, out),
                    (_, _, true, true) => self.blocks::<1, true>(input, newline_follows, out),
                    (_, _, true, false) => self.blocks::<1, false>(input, newline_follows, out),
                    _ => self.blocks::<0, true>(input, newline_follows, out),
                };
            sink.advance(written);
            input = &input[read..];
        }
        Ok(())
    }
}
