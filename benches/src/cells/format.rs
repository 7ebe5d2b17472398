//! `cat` with options, by the kind of text: processor time in user mode, since the time from start
//! to end is mostly the kernel's copying, which is the same for all.

use crate::contenders::Applet;
use crate::lab::Place;
use crate::pipeline::{Extent, Pipeline, Sink, Source};
use crate::texts::{self, Kind, USUAL, WORST};

use super::{Cell, Expected, Settings, Unit, Work, operand};

/// All of them, in the order of a table.
pub(crate) const OPTIONS: [&str; 11] =
    ["-n", "-b", "-E", "-e", "-s", "-A", "-v", "-T", "-t", "-nE", "-ns"];

/// What the names of these cells begin with.
pub(crate) const PREFIX: &str = "format/";

/// The options that nearly every text is hard for in one way or the other.
const MAIN: [&str; 4] = ["-n", "-A", "-E", "-s"];

/// From lines that are empty to lines that no buffer holds.
const LINE_LENGTHS: [usize; 10] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 131_072, 1_048_576];

/// The kernel counts user time in ticks of some milliseconds, so runs are long, and few.
const ROUNDS: usize = 5;

/// Input on which a slow program is measured, and on which all are checked.
const FEW: u64 = 1 << 20;

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let of_text = |options: &[&'static str], kind: Kind| -> Vec<Cell> {
        let cell = |option: &&'static str| {
            let id = format!("{PREFIX}{}/{option}", kind.name);
            cell(settings, option, id, kind.title.into(), move || (kind.make)())
        };
        options.iter().map(cell).collect()
    };
    let mut cells = Vec::new();
    for (number, kind) in settings.some(&USUAL, 4).into_iter().enumerate() {
        let all = !settings.quick || number == 0;
        cells.extend(of_text(if all { &OPTIONS } else { &MAIN[..2] }, kind));
    }
    for kind in settings.some(&WORST, 2) {
        cells.extend(of_text(if settings.quick { &MAIN[..2] } else { &MAIN }, kind));
    }
    cells
}

/// The same by the length of lines, as a part of what grows.
pub(super) fn by_line_length(settings: &Settings) -> Vec<Cell> {
    let mut cells = Vec::new();
    for option in ["-n", "-E"] {
        for length in settings.some(&LINE_LENGTHS, 4) {
            let id = format!("growth/lines{option}/{length}");
            let lines = format!("lines of about {length} bytes");
            let cell = cell(settings, option, id, lines, move || texts::lines_around(length));
            cells.push(cell.at(length as f64));
        }
    }
    cells
}

fn cell(
    settings: &Settings,
    option: &'static str,
    id: String,
    of: String,
    text: impl Fn() -> Vec<u8> + 'static,
) -> Cell {
    let many = settings.text;
    let title = format!("cat {option}, {of}");
    // Files are kept by the kind of text, not by the option.
    let file = id.split('/').filter(|part| !part.starts_with('-')).collect::<Vec<_>>().join("-");
    let cell = Cell::new(id, title, Unit::UserSecondsPerGib, Applet::Cat, move |lab| {
        let pipeline = |bytes| -> anyhow::Result<Pipeline> {
            let path = lab.text(Place::Memory, &file, &text, bytes)?;
            let arguments = [vec![option.into()], operand(&path)].concat();
            let (source, sink, extent) = (Source::Nothing, Sink::Null, Extent::End);
            Ok(Pipeline::new(Applet::Cat, arguments, source, sink, extent))
        };
        let (little, much) = (pipeline(FEW)?, pipeline(many)?);
        Ok((Work::Scaled { little, few: FEW, much, many }, Expected::AsFirstPeer))
    });
    cell.in_rounds(ROUNDS)
}
