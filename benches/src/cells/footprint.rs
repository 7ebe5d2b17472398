//! What a program costs before it moves anything: start-up, memory, system calls, size.

use crate::contenders::Applet;
use crate::ends::Consumer;
use crate::lab::Place;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::cat;
use super::yes::line_of;
use super::{Cell, Expected, Settings, Unit, Work, operand};

/// Runs that one sample of a start-up is the mean of.
const STARTS: u32 = 30;

/// What `yes` has written when it is looked at.
const LITTLE: u64 = 1 << 20;

const TINY: (&[u8], u64) = (b"ab\n", 3);

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let large = settings.large;
    vec![
        start_up(),
        peak_memory_of_cat("tiny", TINY.1),
        peak_memory_of_cat("large", large),
        peak_memory_of_yes(),
        system_calls("tiny", TINY.1),
        // By a peer that moves 4 KiB a call, traced: an eighth of it is enough.
        system_calls("large", large / 8),
        program_size(),
    ]
}

fn pattern_for(size: u64) -> Vec<u8> {
    if size == TINY.1 { TINY.0.to_vec() } else { cat::text() }
}

fn start_up() -> Cell {
    let title = "start, cat a file of 3 bytes, end";
    Cell::new("footprint/start", title, Unit::Seconds, Applet::Cat, |lab| {
        let path = lab.file(Place::Disk, "text", || TINY.0.to_vec(), TINY.1)?;
        let pipeline = Pipeline::new(
            Applet::Cat,
            operand(&path),
            Source::Nothing,
            Sink::Null,
            Extent::Volume(TINY.1),
        );
        Ok((Work::Runs(pipeline, STARTS), Expected::Repeat(TINY.0.to_vec(), TINY.1)))
    })
}

fn peak_memory_of_cat(name: &'static str, size: u64) -> Cell {
    let id = format!("footprint/memory/cat-{name}");
    let title = format!("peak memory, cat a {name} file to a pipe");
    Cell::new(id, title, Unit::Bytes, Applet::Cat, move |lab| {
        let pattern = pattern_for(size);
        let path = lab.file(Place::Disk, "text", || pattern.clone(), size)?;
        let pipeline = Pipeline::new(
            Applet::Cat,
            [operand(&path), vec!["-".into()]].concat(),
            Source::Held,
            Sink::Pipe(Consumer::Read),
            Extent::AtRest(size),
        );
        Ok((Work::PeakMemory(pipeline), Expected::Repeat(pattern, size)))
    })
}

/// With its shared libraries: what an image that holds nothing else must hold.
fn program_size() -> Cell {
    let title = "size of the program and the shared libraries that it loads";
    let cell = peak_memory_of_cat("tiny", TINY.1);
    Cell::new("footprint/size", title, Unit::Bytes, Applet::Cat, move |lab| {
        Ok(match cell.prepare(lab)? {
            (Work::PeakMemory(pipeline), expected) => (Work::ProgramSize(pipeline), expected),
            other => other,
        })
    })
}

fn peak_memory_of_yes() -> Cell {
    Cell::new("footprint/memory/yes", "peak memory, yes", Unit::Bytes, Applet::Yes, |_| {
        let (arguments, line) = line_of(2);
        let pipeline = Pipeline::new(
            Applet::Yes,
            arguments,
            Source::Nothing,
            Sink::Pipe(Consumer::Read),
            Extent::AtRest(LITTLE),
        );
        Ok((Work::PeakMemory(pipeline), Expected::Repeat(line, LITTLE)))
    })
}

fn system_calls(name: &'static str, size: u64) -> Cell {
    let id = format!("footprint/calls/{name}");
    let title = format!("system calls, cat a {name} file to /dev/null");
    Cell::new(id, title, Unit::Calls, Applet::Cat, move |lab| {
        let pattern = pattern_for(size);
        let path = lab.file(Place::Disk, "text", || pattern.clone(), size)?;
        let (source, extent) = (Source::Nothing, Extent::Volume(size));
        let pipeline = Pipeline::new(Applet::Cat, operand(&path), source, Sink::Null, extent);
        Ok((Work::SystemCalls(pipeline), Expected::Repeat(pattern, size)))
    })
}
