//! `cat` with options, by the kind of text: processor time in user mode, since the time from start
//! to end is mostly the kernel's copying, which is the same for all.

use crate::contenders::Applet;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::{Cell, Expected, Settings, Unit, Work, operand};

const OPTIONS: [&str; 11] = ["-n", "-b", "-E", "-e", "-s", "-A", "-v", "-T", "-t", "-nE", "-ns"];

/// Those that are measured with every kind of text.
const OTHERS: [&str; 4] = ["-n", "-s", "-E", "-A"];

/// The kernel counts user time in ticks of some milliseconds, so runs are long, and few.
const ROUNDS: usize = 5;

/// Makes a text to repeat.
type Text = fn() -> Vec<u8>;

/// Kinds of text that cost differently.
const TEXTS: [(&str, Text); 4] = [
    ("lines-30", || lines_of(30)),
    ("lines-100", || lines_of(100)),
    ("blank-lines", || [lines_of(20), b"\n\n\n\t\tindented\r\n".to_vec()].concat().repeat(16)),
    ("bytes", all_bytes),
];

/// Input on which a slow program is measured, and on which all are checked.
const FEW: u64 = 4 << 20;

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (number, (name, text)) in settings.some(&TEXTS, 2).into_iter().enumerate() {
        // Every option with the usual text; with others those that look at every byte.
        let options = if number == 0 { settings.some(&OPTIONS, 6) } else { OTHERS.to_vec() };
        cells.extend(options.into_iter().map(|option| cell(settings, option, name, text)));
    }
    cells
}

fn cell(settings: &Settings, option: &'static str, name: &'static str, text: Text) -> Cell {
    let many = settings.text;
    let id = format!("format/{name}/{option}");
    let title = format!("cat {option}, {name}, user time for a GiB");
    let cell = Cell::new(id, title, Unit::UserSecondsPerGib, Applet::Cat, move |lab| {
        let pipeline = |bytes| -> anyhow::Result<Pipeline> {
            let path = lab.file(name, &text(), bytes)?;
            let arguments = [vec![option.into()], operand(&path)].concat();
            let (source, sink, extent) = (Source::Nothing, Sink::Null, Extent::End);
            Ok(Pipeline::new(Applet::Cat, arguments, source, sink, extent))
        };
        let (little, much) = (pipeline(FEW)?, pipeline(many)?);
        Ok((Work::Scaled { little, few: FEW, much, many }, Expected::AsFirstPeer))
    });
    cell.in_rounds(ROUNDS)
}

/// Words in a line of `length` bytes, newline included.
fn lines_of(length: usize) -> Vec<u8> {
    let text = b"the quick brown fox jumps over the lazy dog ";
    let mut line: Vec<u8> = text.iter().copied().cycle().take(length - 1).collect();
    line.push(b'\n');
    line.repeat(1024)
}

/// Every byte value, in an order that no branch predictor learns: what a binary file is like.
fn all_bytes() -> Vec<u8> {
    let mut state: u32 = 1;
    let next = || {
        // A linear congruential generator: the same bytes on every machine.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(1 << 20).collect()
}
