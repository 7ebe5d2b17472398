//! How cost grows: with bytes, with files, with the capacity of the pipe. A cliff where ours falls
//! behind shows here and nowhere else. (The length of a line is among the cells of `yes`.)

use anyhow::ensure;

use crate::contenders::Applet;
use crate::ends::Consumer;
use crate::lab::Place;
use crate::machine;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::cat::text;
use super::yes::line_of;
use super::{CHECKED, Cell, Expected, Settings, Unit, Work, files, format, operand};

/// From a small text to more than most caches hold, closer together where strategies change.
const SIZES: [u64; 17] = [
    1 << 10,
    4 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
    2 << 20,
    4 << 20,
    8 << 20,
    16 << 20,
    64 << 20,
    256 << 20,
    1 << 30,
    10 << 30,
];

const COUNTS: [usize; 6] = [1, 10, 100, 1000, 10_000, 100_000];

const CAPACITIES: [i32; 9] =
    [4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576];

/// A run takes less than a millisecond up to this size: a sample is the mean of several.
const SHORT: u64 = 1 << 20;
const SHORT_RUNS: u32 = 10;

/// So many files are a long run, too.
const MANY: usize = 100_000;

/// From this size on a run takes seconds for some: fewer rounds must do.
const LONG: u64 = 1 << 30;
const LONG_ROUNDS: usize = 3;

/// No run with more takes less than a tenth of a second for everybody.
const MOST_IF_QUICK: u64 = 64 << 20;

/// Curves show what is wrong by their shape: fewer rounds than elsewhere will do.
const ROUNDS: usize = 5;

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let most = if settings.quick { MOST_IF_QUICK } else { u64::MAX };
    let sizes = || settings.some(&SIZES, 6).into_iter().filter(|size| *size <= most);
    let mut cells: Vec<Cell> =
        sizes().map(|size| bytes(size, Consumer::Splice, "pipe-s")).collect();
    // What a reader that reads can take is soon known.
    cells.extend(
        sizes().filter(|size| *size < LONG).map(|size| bytes(size, Consumer::Read, "pipe-r")),
    );
    cells.extend(settings.some(&COUNTS, 3).into_iter().map(|count| {
        let (id, title) = (format!("growth/files/{count}"), format!("{count} files of 200 bytes"));
        let cell = files::cell(count, 200, id, title, Sink::Null);
        cell.at(count as f64).in_rounds(if count >= MANY { LONG_ROUNDS } else { ROUNDS })
    }));
    for capacity in settings.some(&CAPACITIES, 3) {
        cells.push(capacity_of_yes(settings, capacity));
        cells.push(capacity_of_cat(settings, capacity));
    }
    cells.extend(format::by_line_length(settings));
    cells
}

fn bytes(size: u64, consumer: Consumer, name: &str) -> Cell {
    let id = format!("growth/bytes-{name}/{size}");
    let title = format!("cat a file of {}, {}", readable(size), super::yes::describe(consumer));
    let cell = Cell::new(id, title, Unit::BytesPerSecond, Applet::Cat, move |lab| {
        let memory = machine::available_memory();
        ensure!(memory > size + size / 4, "{} do not fit into memory", readable(size));
        let (path, pattern) = match size {
            LONG.. => (lab.hole(size)?, vec![0; 1 << 20]),
            _ => (lab.file(Place::Disk, "text", text, size)?, text()),
        };
        let (sink, extent) = (Sink::Pipe(consumer), Extent::Volume(size));
        let pipeline = Pipeline::new(Applet::Cat, operand(&path), Source::Nothing, sink, extent);
        let runs = if size <= SHORT { SHORT_RUNS } else { 1 };
        Ok((Work::Runs(pipeline, runs), Expected::Repeat(pattern, size)))
    });
    cell.at(size as f64).in_rounds(if size >= LONG { LONG_ROUNDS } else { ROUNDS })
}

fn capacity_of_yes(settings: &Settings, capacity: i32) -> Cell {
    let id = format!("growth/capacity-yes/{capacity}");
    let title = format!("yes into a pipe of {}", readable(capacity.unsigned_abs().into()));
    let extent = Extent::Time(settings.time);
    let cell = Cell::new(id, title, Unit::BytesPerSecond, Applet::Yes, move |_| {
        let (arguments, line) = line_of(2);
        let sink = Sink::Pipe(Consumer::Splice);
        let pipeline = Pipeline::new(Applet::Yes, arguments, Source::Nothing, sink, extent);
        let pipeline = Pipeline { capacity: Some(capacity), ..pipeline };
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(line, CHECKED)))
    });
    cell.at(capacity.into()).in_rounds(ROUNDS)
}

fn capacity_of_cat(settings: &Settings, capacity: i32) -> Cell {
    let id = format!("growth/capacity-cat/{capacity}");
    let title = format!("cat a file into a pipe of {}", readable(capacity.unsigned_abs().into()));
    let size = settings.large / 4;
    let cell = Cell::new(id, title, Unit::BytesPerSecond, Applet::Cat, move |lab| {
        let path = lab.file(Place::Disk, "text", text, size)?;
        let (sink, extent) = (Sink::Pipe(Consumer::Splice), Extent::Volume(size));
        let pipeline = Pipeline::new(Applet::Cat, operand(&path), Source::Nothing, sink, extent);
        let pipeline = Pipeline { capacity: Some(capacity), ..pipeline };
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(text(), size)))
    });
    cell.at(capacity.into()).in_rounds(ROUNDS)
}

/// A number of bytes that is a power of two, or ten of one.
fn readable(bytes: u64) -> String {
    crate::text::value(Unit::Bytes, bytes as f64)
}
