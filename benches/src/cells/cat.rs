//! `cat` by source and sink.

use crate::contenders::Applet;
use crate::ends::Consumer;
use crate::feed::{self, PAGE_SLOT, SOCKET_SLOT};
use crate::lab::Place;
use crate::pipeline::{Extent, Pipeline, Sink, Source};

use super::yes::line_of;
use super::{CHECKED, Cell, Expected, Settings, Unit, Work, operand};

/// Every sink, how a path calls it, and how a table does.
const SINKS: [(Sink, &str, &str); 8] = [
    (Sink::Pipe(Consumer::Splice), "pipe-s", "to a reader that splices"),
    (Sink::Pipe(Consumer::Read), "pipe-r", "to a reader that reads"),
    (Sink::Socket(Consumer::Read), "socket", "to a socket"),
    (Sink::Null, "null", "to /dev/null"),
    (Sink::File(Place::Disk), "disk", "to a file on disk"),
    (Sink::File(Place::Memory), "tmpfs", "to a file in memory"),
    (Sink::Append(Place::Disk), "append-disk", "appended to a file on disk"),
    (Sink::Append(Place::Memory), "append-tmpfs", "appended to a file in memory"),
];

pub(super) fn cells(settings: &Settings) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (sink, name, to) in SINKS {
        cells.push(from_file(settings.large, Applet::Move, sink, name, to));
    }
    for (slot, source, from) in
        [(PAGE_SLOT, "pipe-4k", "a pipe of 4 KiB slots"), (SOCKET_SLOT, "pipe-32k", "of 32 KiB")]
    {
        for (sink, name, to) in settings.some(&SINKS, 4) {
            let id = format!("cat/{source}/{name}");
            cells.push(from_pipe(settings, slot, sink, id, format!("{from} {to}")));
        }
    }
    for length in [2, 100] {
        for (sink, name, to) in &SINKS[..2] {
            let id = format!("chain/{name}/{length}");
            let title = format!("yes | cat, lines of {length} bytes, {to}");
            cells.push(chain(settings, length, *sink, id, title));
        }
    }
    for (sink, name, to) in [SINKS[3], SINKS[0], SINKS[1]] {
        cells.push(small_files(200, 20_000, format!("files/20000x200/{name}"), (sink, to)));
    }
    for (sink, name, to) in
        [&SINKS[..2], &[(Sink::File(Place::Disk), "disk", "to a file on disk")]].concat()
    {
        let cell = from_file(settings.large, Applet::Library, sink, name, to);
        let id = format!("library/file/{name}");
        cells.push(Cell { id, title: format!("copy a file {to}"), ..cell });
    }
    cells
}

/// Lines of 30 bytes with their numbers, a length that no page or slot divides.
pub(super) fn text() -> Vec<u8> {
    (0..33_333).flat_map(|number| format!("{number:>29}\n").into_bytes()).collect()
}

fn from_file(size: u64, applet: Applet, sink: Sink, name: &str, to: &str) -> Cell {
    let title = format!("a file of {} MiB {to}", size >> 20);
    Cell::new(format!("cat/file/{name}"), title, Unit::BytesPerSecond, applet, move |lab| {
        let path = lab.file("text", &text(), size)?;
        let (arguments, source) = match applet {
            Applet::Library => (vec![], Source::File(path)),
            _ => (operand(&path), Source::Nothing),
        };
        let extent = Extent::Volume(size);
        let pipeline = Pipeline::new(applet, arguments, source, sink, extent);
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(text(), size)))
    })
}

fn from_pipe(settings: &Settings, slot: usize, sink: Sink, id: String, title: String) -> Cell {
    // Whatever writes into pipes of slots is slow beside the rest: a part of the bytes will do.
    let (time, large) = (settings.time, settings.large / 4);
    Cell::new(id, title, Unit::BytesPerSecond, Applet::Move, move |_| {
        let endless = matches!(sink, Sink::Pipe(_) | Sink::Socket(_));
        let (volume, extent, checked) = match endless {
            true => (u64::MAX, Extent::Time(time), CHECKED),
            false => (large, Extent::Volume(large), large),
        };
        let pipeline =
            Pipeline::new(Applet::Move, vec![], Source::Slots { slot, volume }, sink, extent);
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(feed::pattern(), checked)))
    })
}

fn chain(settings: &Settings, length: usize, sink: Sink, id: String, title: String) -> Cell {
    let extent = Extent::Time(settings.time);
    Cell::new(id, title, Unit::BytesPerSecond, Applet::Cat, move |_| {
        let (arguments, line) = line_of(length);
        let pipeline = Pipeline::new(Applet::Cat, vec![], Source::Yes(arguments), sink, extent);
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(line, CHECKED)))
    })
}

pub(super) fn small_files(size: usize, count: usize, id: String, to: (Sink, &str)) -> Cell {
    let (sink, to) = to;
    let title = format!("{count} × {size} bytes in files {to}");
    // A run of few files takes as long as a start: a sample is the mean of several.
    let runs = if count <= 1000 { 10 } else { 1 };
    Cell::new(id, title, Unit::Seconds, Applet::Cat, move |lab| {
        let (folder, names) = lab.small_files(count, size)?;
        let bytes = (size * count) as u64;
        let arguments = names.into_iter().map(Into::into).collect();
        let extent = Extent::Volume(bytes);
        let pipeline = Pipeline::new(Applet::Cat, arguments, Source::Nothing, sink, extent);
        let pipeline = Pipeline { folder: Some(folder), ..pipeline };
        Ok((Work::Runs(pipeline, runs), Expected::AsFirstPeer))
    })
}
