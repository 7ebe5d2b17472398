//! `cat` of many files, the way `cat *` is run: from inside their folder, with short names.

use crate::contenders::Applet;
use crate::ends::Consumer;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::{Cell, Expected, Settings, Unit, Work};

/// Small ones, where all cost is by the file.
const SMALL: (usize, usize) = (20_000, 200);

/// Larger ones in a row, where what belongs to a pipe may be paid once or for each of them.
const IN_A_ROW: usize = 400;
const SIZES: [(usize, &str); 3] = [(40 << 10, "40KiB"), (200 << 10, "200KiB"), (1 << 20, "1MiB")];

const PIPES: [(Sink, &str, &str); 2] = [
    (Sink::Pipe(Consumer::Splice), "pipe-s", "to a reader that splices"),
    (Sink::Pipe(Consumer::Read), "pipe-r", "to a reader that reads"),
];

/// A run of fewer takes about as long as a start: a sample is the mean of several.
const FEW: usize = 1000;
const RUNS_OF_FEW: u32 = 10;

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let (count, size) = SMALL;
    let sinks = [&[(Sink::Null, "null", "to /dev/null")], &PIPES[..]].concat();
    let small = sinks.into_iter().map(|(sink, name, to)| {
        let title = format!("{count} files of {size} bytes {to}");
        cell(count, size, format!("files/{count}x{size}/{name}"), title, sink)
    });
    let mut cells: Vec<Cell> = small.collect();
    for (size, called) in settings.some(&SIZES, 2) {
        for (sink, name, to) in PIPES {
            let title = format!("{IN_A_ROW} files of {} KiB {to}", size >> 10);
            let id = format!("files/{IN_A_ROW}x{called}/{name}");
            cells.push(cell(IN_A_ROW, size, id, title, sink));
        }
    }
    cells
}

/// `count` files of `size` bytes each, from the start of `cat` to its last byte.
pub(super) fn cell(count: usize, size: usize, id: String, title: String, sink: Sink) -> Cell {
    let bytes = size * count;
    let runs = if count <= FEW && size < FEW { RUNS_OF_FEW } else { 1 };
    Cell::new(id, title, Unit::Seconds, Applet::Cat, move |lab| {
        let (folder, names) = lab.small_files(count, size)?;
        let paths = names.iter().map(|name| folder.join(name)).collect();
        let arguments = names.into_iter().map(Into::into).collect();
        let extent = Extent::Volume(bytes as u64);
        let pipeline = Pipeline::new(Applet::Cat, arguments, Source::Nothing, sink, extent);
        let pipeline = Pipeline { folder: Some(folder), ..pipeline };
        Ok((Work::Runs(pipeline, runs), Expected::Files(paths)))
    })
}
