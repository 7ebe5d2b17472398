//! `yes` by the length of its line, into pipes, files and /dev/null.

use std::ffi::OsString;

use crate::contenders::Applet;
use crate::ends::Consumer;
use crate::lab::Place;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::{Cell, Expected, Settings, Unit, Work};

/// Short lines, the borders of pages and of slots, what two slots share, and the longest.
const LINE_LENGTHS: [usize; 18] = [
    1, 2, 6, 30, 100, 300, 999, 4095, 4096, 5000, 16383, 20_000, 32_768, 40_000, 65_536, 100_000,
    262_144, 1_048_576,
];

/// The kernel takes no argument of more than 128 KiB; `yes` joins arguments with spaces.
const LONGEST_WORD: usize = 100_000;

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (consumer, name) in [(Consumer::Splice, "pipe-s"), (Consumer::Read, "pipe-r")] {
        // What is left of them in a quick run begins with the `y` that everybody knows.
        let lengths = &LINE_LENGTHS[usize::from(settings.quick)..];
        for length in settings.some(lengths, 9) {
            let id = format!("yes/{name}/{length}");
            let title = format!("yes, lines of {length} bytes, {}", describe(consumer));
            let cell = cell(settings, id, title, length, Sink::Pipe(consumer));
            cells.push(cell.at(length as f64));
        }
    }
    for (place, name) in [(Place::Memory, "tmpfs"), (Place::Disk, "disk")] {
        for length in [2, 100, 5000] {
            let id = format!("yes/file-{name}/{length}");
            let title = format!("yes, lines of {length} bytes, to a file ({name})");
            cells.push(cell(settings, id, title, length, Sink::File(place)));
        }
    }
    for length in [2, 100] {
        let id = format!("yes/null/{length}");
        let title = format!("yes, lines of {length} bytes, to /dev/null");
        cells.push(cell(settings, id, title, length, Sink::Null));
    }
    cells
}

/// How a table calls a consumer.
pub(super) fn describe(consumer: Consumer) -> &'static str {
    match consumer {
        Consumer::Splice => "to a reader that splices",
        Consumer::Read | Consumer::Hash => "to a reader that reads",
    }
}

fn cell(settings: &Settings, id: String, title: String, length: usize, sink: Sink) -> Cell {
    let extent = Extent::Time(settings.time);
    Cell::new(id, title, Unit::BytesPerSecond, Applet::Yes, move |_| {
        let (arguments, line) = line_of(length);
        let pipeline = Pipeline::new(Applet::Yes, arguments, Source::Nothing, sink, extent);
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(line, super::CHECKED)))
    })
}

/// Arguments that make `yes` print lines of `length` bytes, newline included, and such a line.
pub(super) fn line_of(length: usize) -> (Vec<OsString>, Vec<u8>) {
    let text: String = match length {
        2 => "y".into(),
        _ => (1..length)
            .map(|at| match at % LONGEST_WORD {
                0 => ' ',
                // Runs of letters of a prime length: no slot or page begins like another.
                rest => char::from(b'a' + (rest % 23) as u8),
            })
            .collect(),
    };
    (text.split(' ').map(OsString::from).collect(), (text + "\n").into_bytes())
}
