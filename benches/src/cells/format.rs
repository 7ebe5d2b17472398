//! `cat` with options, by the kind of text: processor time in user mode, since the time from start
//! to end is mostly the kernel's copying, which is the same for all.

use crate::contenders::Applet;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::{Cell, Expected, Settings, Unit, Work, operand};

const OPTIONS: [&str; 11] = ["-n", "-b", "-E", "-e", "-s", "-A", "-v", "-T", "-t", "-nE", "-ns"];

/// Makes a text to repeat.
type Text = fn() -> Vec<u8>;

/// Kinds of text that cost differently.
const TEXTS: [(&str, Text); 4] = [
    ("lines-30", || lines_of(30)),
    ("lines-100", || lines_of(100)),
    ("blank-lines", || [lines_of(20), b"\n\n\n\t\tindented\r\n".to_vec()].concat().repeat(16)),
    ("bytes", all_bytes),
];

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let size = settings.text;
    let cell = |option: &'static str, name: &'static str, text: Text| {
        let id = format!("format/{name}/{option}");
        let title = format!("cat {option}, {} MiB of {name}", size >> 20);
        Cell::new(id, title, Unit::UserSeconds, Applet::Cat, move |lab| {
            let path = lab.file(name, &text(), size)?;
            let pipeline = Pipeline::new(
                Applet::Cat,
                [vec![option.into()], operand(&path)].concat(),
                Source::Nothing,
                Sink::Null,
                Extent::End,
            );
            Ok((Work::Runs(pipeline, 1), Expected::AsFirstPeer))
        })
    };
    let by_text = |(name, text)| OPTIONS.into_iter().map(move |option| cell(option, name, text));
    TEXTS.into_iter().flat_map(by_text).collect()
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
