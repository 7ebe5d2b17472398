//! What the formatter is held against: the same text made the slow, obvious way, a line at a time
//! and a byte at a time; and a sink that shows every misuse of its buffer. Shared with the fuzz target.

use std::convert::Infallible;

use applet_cat::format::{Format, Formatter, Instructions, MOST_AT_ONCE, Numbering, Sink};

/// What `cat` prints for `stream`, all its inputs one after the other.
pub(crate) fn reference(format: Format, stream: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut number = 0;
    let mut after_blank = false;
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        let blank = line == b"\n";
        if format.squeeze_blank && blank && after_blank {
            continue;
        }
        after_blank = blank;
        let numbered = match format.numbering {
            Numbering::None => false,
            Numbering::All => true,
            Numbering::NonBlank => !blank,
        };
        if numbered {
            number += 1;
            text.extend(format!("{number:6}\t").bytes());
        }
        for (i, byte) in line.iter().enumerate() {
            show(format, *byte, line.get(i + 1).copied(), &mut text);
        }
    }
    text
}

fn show(format: Format, byte: u8, next: Option<u8>, text: &mut Vec<u8>) {
    match byte {
        b'\n' if format.show_ends => text.extend(b"$\n"),
        b'\n' => text.push(b'\n'),
        b'\t' if format.show_tabs => text.extend(b"^I"),
        b'\t' => text.push(b'\t'),
        b'\r' if format.show_ends && next == Some(b'\n') => text.extend(b"^M"),
        _ if format.show_nonprinting => {
            if byte >= 128 {
                text.extend(b"M-");
            }
            match byte % 128 {
                low @ 0..32 => text.extend([b'^', low + 64]),
                127 => text.extend(b"^?"),
                low => text.push(low),
            }
        }
        _ => text.push(byte),
    }
}

/// All that a formatter can be compiled for.
pub(crate) const ALL_INSTRUCTIONS: [Instructions; 2] = [Instructions::Portable, Instructions::Avx2];

/// What the formatter with these instructions makes of `pieces`, through a buffer of `MOST_AT_ONCE`
/// and `spare` bytes; `None` if the processor does not have them.
pub(crate) fn formatted<'a>(
    instructions: Instructions,
    format: Format,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    spare: usize,
) -> Option<Vec<u8>> {
    let mut sink = Gathered::new(spare);
    let mut formatter = Formatter::with(instructions, format)?;
    for piece in pieces {
        let Ok(()) = formatter.format(piece, &mut sink);
    }
    let Ok(()) = formatter.finish(&mut sink);
    Some(sink.text())
}

/// Gathers the text in memory, through a buffer that is no larger than it is told to be.
pub(crate) struct Gathered {
    text: Vec<u8>,
    buffer: Vec<u8>,
    used: usize,
}

impl Gathered {
    pub(crate) fn new(spare: usize) -> Gathered {
        Gathered { text: Vec::new(), buffer: vec![b'#'; MOST_AT_ONCE + spare], used: 0 }
    }

    fn flush(&mut self) {
        self.text.extend_from_slice(&self.buffer[..self.used]);
        // What lies here from before is nobody's: a byte that is kept unwritten would show.
        self.buffer.fill(b'#');
        self.used = 0;
    }

    pub(crate) fn text(mut self) -> Vec<u8> {
        self.flush();
        self.text
    }
}

impl Sink<'_> for Gathered {
    type Error = Infallible;

    fn room(&mut self, at_least: usize) -> Result<&mut [u8], Infallible> {
        assert!((1..=MOST_AT_ONCE).contains(&at_least));
        if self.buffer.len() - self.used < at_least {
            self.flush();
        }
        Ok(&mut self.buffer[self.used..])
    }

    fn advance(&mut self, count: usize) {
        assert!(count <= self.buffer.len() - self.used, "more kept than lent");
        self.used += count;
    }

    fn pass(&mut self, run: &[u8]) -> Result<(), Infallible> {
        assert!(!run.is_empty(), "a run of nothing");
        self.flush();
        self.text.extend_from_slice(run);
        Ok(())
    }
}

/// The option set of the low six bits of `bits`: `-n`, `-b`, `-s`, `-E`, `-T`, `-v`.
pub(crate) fn option_set(bits: u8) -> Format {
    let given = |bit: u8| bits >> bit & 1 != 0;
    Format {
        numbering: match (given(0), given(1)) {
            (_, true) => Numbering::NonBlank,
            (true, false) => Numbering::All,
            (false, false) => Numbering::None,
        },
        squeeze_blank: given(2),
        show_ends: given(3),
        show_tabs: given(4),
        show_nonprinting: given(5),
    }
}
