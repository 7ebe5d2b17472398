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
    let from = |applet, place, sink| (settings.large, applet, place, sink);
    let mut cells = Vec::new();
    for sink in SINKS {
        cells.push(from_file("cat/file", from(Applet::Move, Place::Disk, sink)));
    }
    for sink in [SINKS[0], SINKS[1], SINKS[4], SINKS[5]] {
        cells.push(from_file("cat/tmpfs", from(Applet::Move, Place::Memory, sink)));
    }
    for slot in [PAGE_SLOT, SOCKET_SLOT] {
        for sink in settings.some(&SINKS, 4) {
            cells.push(from_pipe(settings, "cat", Applet::Move, slot, sink));
        }
    }
    for length in [2, 100] {
        for (sink, name, to) in &SINKS[..2] {
            let id = format!("chain/{name}/{length}");
            let title = format!("yes | cat, lines of {length} bytes, {to}");
            cells.push(chain(settings, length, *sink, id, title));
        }
    }
    for sink in [SINKS[0], SINKS[1], SINKS[4]] {
        cells.push(from_file("library/file", from(Applet::Library, Place::Disk, sink)));
        cells.push(from_pipe(settings, "library", Applet::Library, PAGE_SLOT, sink));
    }
    cells
}

/// Lines of 30 bytes with their numbers, a length that no page or slot divides.
pub(super) fn text() -> Vec<u8> {
    (0..33_333).flat_map(|number| format!("{number:>29}\n").into_bytes()).collect()
}

fn from_file(
    prefix: &str,
    (size, applet, place, (sink, name, to)): (u64, Applet, Place, (Sink, &str, &str)),
) -> Cell {
    let lies = if place == Place::Disk { "on disk" } else { "in memory" };
    let title = format!("a file of {} MiB {lies} {to}", size >> 20);
    Cell::new(format!("{prefix}/{name}"), title, Unit::BytesPerSecond, applet, move |lab| {
        let path = lab.file(place, "text", text, size)?;
        let (arguments, source) = match applet {
            Applet::Library => (vec![], Source::File(path)),
            _ => (operand(&path), Source::Nothing),
        };
        let extent = Extent::Volume(size);
        let pipeline = Pipeline::new(applet, arguments, source, sink, extent);
        Ok((Work::Runs(pipeline, 1), Expected::Repeat(text(), size)))
    })
}

fn from_pipe(
    settings: &Settings,
    prefix: &str,
    applet: Applet,
    slot: usize,
    (sink, name, to): (Sink, &str, &str),
) -> Cell {
    // Whatever writes into pipes of slots is slow beside the rest: a part of the bytes will do.
    let (time, large) = (settings.time, settings.large / 4);
    let id = format!("{prefix}/pipe-{}k/{name}", slot >> 10);
    let title = format!("a pipe of {} KiB slots {to}", slot >> 10);
    Cell::new(id, title, Unit::BytesPerSecond, applet, move |_| {
        let endless = matches!(sink, Sink::Pipe(_) | Sink::Socket(_));
        let (volume, extent, checked) = match endless {
            true => (u64::MAX, Extent::Time(time), CHECKED),
            false => (large, Extent::Volume(large), large),
        };
        let pipeline = Pipeline::new(applet, vec![], Source::Slots { slot, volume }, sink, extent);
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
