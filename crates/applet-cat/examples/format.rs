//! Formats files to standard output, for measuring.
use applet_cat::format::{self, Format, Formatter, Numbering, Sink};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

struct Output {
    buffer: splice_core::Buffer,
    used: usize,
}
impl Output {
    fn flush(&mut self) -> io::Result<()> {
        splice_core::write_all(io::stdout().as_fd(), &self.buffer[..std::mem::take(&mut self.used)])
    }
}
impl Sink for Output {
    type Error = io::Error;
    fn room(&mut self, at_least: usize) -> io::Result<&mut [u8]> {
        if self.buffer.len() - self.used < at_least {
            self.flush()?;
        }
        Ok(&mut self.buffer[self.used..])
    }
    fn advance(&mut self, count: usize) {
        self.used += count;
    }
}
fn main() -> io::Result<()> {
    let env = |k: &str, d: usize| std::env::var(k).ok().map_or(d, |v| v.parse().unwrap());
    let mut f = Format::default();
    let mut files = vec![];
    for a in std::env::args().skip(1) {
        if a.starts_with('-') {
            for c in a[1..].chars() {
                match c {
                    'n' if f.numbering == Numbering::None => f.numbering = Numbering::All,
                    'b' => f.numbering = Numbering::NonBlank,
                    's' => f.squeeze_blank = true,
                    'E' => f.show_ends = true,
                    'T' => f.show_tabs = true,
                    'v' => f.show_nonprinting = true,
                    'A' => (f.show_ends, f.show_tabs, f.show_nonprinting) = (true, true, true),
                    'e' => (f.show_ends, f.show_nonprinting) = (true, true),
                    't' => (f.show_tabs, f.show_nonprinting) = (true, true),
                    _ => {}
                }
            }
        } else {
            files.push(a);
        }
    }
    let mut input = splice_core::Buffer::new(env("IN", format::INPUT_BLOCK))?;
    let mut output =
        Output { buffer: splice_core::Buffer::new(env("OUT", format::OUTPUT_BUFFER))?, used: 0 };
    let mut formatter = Formatter::new(f);
    for file in files {
        let file = std::fs::File::open(file)?;
        loop {
            let n = splice_core::read(&file, &mut input)?;
            if n == 0 {
                break;
            }
            formatter.format(&input[..n], &mut output)?;
        }
    }
    formatter.finish(&mut output)?;
    output.flush()
}
