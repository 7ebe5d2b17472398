//! Numbering, squeezing and visible bytes: what `cat` does when it is told to change what it reads.
//!
//! The input is taken in blocks of 64 bytes. `scan` finds the bytes that matter in a block as the
//! bits of a word; `lines` turns the newlines among them into lines to number and lines to drop,
//! without a loop; `walk` goes from one set bit to the next and copies what lies between, in pieces
//! of fixed width. Text that takes no change costs one comparison and one copy of 64 bytes.
//!
//! How fast each step is, and what was tried and given up, is in `docs/formatting.md`.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod line_number;
mod lines;
mod machine;
mod processor;
mod room;
mod scan;
#[cfg(target_arch = "x86_64")]
mod shuffles;
mod sink;
mod spell;
mod visible;
mod walk;

pub use processor::Instructions;
pub use sink::Sink;

use lines::Lines;
use processor::Processor;
use scan::{Search, Wanted};
use visible::Visible;
use walk::Walked;

/// The most that a [`Sink`] is asked for at once, in bytes. Its buffer is not to be smaller.
pub const MOST_AT_ONCE: usize = room::MOST_A_BLOCK;

/// How many bytes to read at a time, by measurement.
pub const INPUT_BLOCK: usize = 128 * 1024;

/// With so many bytes it is worth the time to ask the processor for its instructions. On a virtual
/// machine that is some 40 µs, in which as many bytes and more are formatted without.
const WORTH_ASKING: usize = 64 * 1024;

/// How large the buffer of a [`Sink`] is best, in bytes, by measurement.
pub const OUTPUT_BUFFER: usize = 128 * 1024;

/// Which lines get a number.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// None of them.
    #[default]
    None,
    /// All of them, `-n`.
    All,
    /// Those that are not blank, `-b`.
    NonBlank,
}

/// What to show. Plain flags, filled from the command line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Which lines get a number.
    pub numbering: Numbering,
    /// Keep one of each run of blank lines, `-s`.
    pub squeeze_blank: bool,
    /// `$` before each newline, and `^M$` for CR LF, `-E`.
    pub show_ends: bool,
    /// `^I` for each tab, `-T`.
    pub show_tabs: bool,
    /// `^X` and `M-X` for what is neither printable ASCII, newline nor tab, `-v`.
    pub show_nonprinting: bool,
}

/// Formats one stream of bytes, which may come from several files and in pieces of any size.
pub struct Formatter {
    processor: Processor,
    /// After how many more bytes the processor is asked for something better, if it is to be.
    asks_after: Option<usize>,
    wanted: Wanted,
    visible: Visible,
    /// Whether lines are numbered or squeezed.
    by_line: bool,
    lines: Lines,
    /// Whether a carriage return at the end of a piece has to wait for its newline.
    holds_returns: bool,
    holds_return: bool,
}

impl Formatter {
    /// A formatter at the start of its stream. Once there is enough to do it turns to the best
    /// instructions that the processor has.
    pub fn new(format: Format) -> Formatter {
        Formatter { asks_after: Some(WORTH_ASKING), ..Formatter::on(Processor::Portable, format) }
    }

    /// As [`new`](Self::new), with these instructions from the start; `None` if the processor does not
    /// have them. What comes out is the same.
    pub fn with(instructions: Instructions, format: Format) -> Option<Formatter> {
        Processor::with(instructions).map(|processor| Formatter::on(processor, format))
    }

    fn on(processor: Processor, format: Format) -> Formatter {
        Formatter {
            processor,
            asks_after: None,
            wanted: Wanted::new(format),
            visible: Visible::new(format),
            by_line: format.numbering != Numbering::None || format.squeeze_blank,
            lines: Lines::new(format),
            holds_returns: format.show_ends && !format.show_nonprinting,
            holds_return: false,
        }
    }

    /// Formats the next piece of the stream, of any size, into `sink`. A carriage return at its
    /// end may be held back: it is shown as `^M` if the stream goes on with a newline.
    ///
    /// # Errors
    /// Those of the sink. What was formatted before is not told: the stream ends here.
    pub fn format<'i, S: Sink<'i>>(
        &mut self,
        input: &'i [u8],
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let Some(next) = input.first() else { return Ok(()) };
        self.maybe_ask(input.len());
        if std::mem::take(&mut self.holds_return) {
            self.run(b"\r", *next, sink)?;
        }
        self.holds_return = self.holds_returns && input.ends_with(b"\r");
        let held = usize::from(self.holds_return);
        self.run(&input[..input.len() - held], 0, sink)
    }

    /// Asks the processor, if with this piece there is enough to do.
    fn maybe_ask(&mut self, coming: usize) {
        let Some(left) = &mut self.asks_after else { return };
        *left = left.saturating_sub(coming);
        if *left == 0 {
            self.asks_after = None;
            self.processor = Processor::best();
        }
    }

    /// Ends the stream: gives out a carriage return that still waits for its newline.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish<'i, S: Sink<'i>>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        if std::mem::take(&mut self.holds_return) { self.run(b"\r", 0, sink) } else { Ok(()) }
    }

    /// Formats all of `input`, which `next` follows, room by room.
    fn run<'i, S: Sink<'i>>(
        &mut self,
        input: &'i [u8],
        next: u8,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let mut rest = input;
        while !rest.is_empty() {
            let out = sink.room(MOST_AT_ONCE)?;
            let Walked { read, written, stay } = match self.wanted {
                Wanted::Nothing => self.walk(scan::Nothing, rest, next, out),
                Wanted::Tabs(search) => self.walk(search, rest, next, out),
                Wanted::Ends(search) => self.walk(search, rest, next, out),
                Wanted::Nonprinting(search) => self.walk(search, rest, next, out),
            };
            sink.advance(written);
            let (stays, after) = rest[read..].split_at(stay);
            if stay > 0 {
                sink.pass(stays)?;
            }
            rest = after;
        }
        Ok(())
    }

    /// Formats what there is room for.
    fn walk(&mut self, search: impl Search, input: &[u8], next: u8, out: &mut [u8]) -> Walked {
        let Formatter { processor, visible, lines, .. } = self;
        if self.by_line {
            processor.walk::<true>(search, visible, lines, (input, next), out)
        } else {
            processor.walk::<false>(search, visible, lines, (input, next), out)
        }
    }
}
