//! Cells by area, as reports and plots show them together.

use crate::results::{CellResult, Results};

/// Cells that belong together.
#[derive(Debug)]
pub(crate) struct Area {
    /// What the names of its cells begin with.
    pub(crate) prefix: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What grows along a series of its cells, and in which unit; none where they are no series.
    pub(crate) axis: Option<Axis>,
}

/// What grows along a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Bytes of something: its name.
    Bytes(&'static str),
    /// A number of something: its name.
    Count(&'static str),
}

/// Every area, in the order of a report.
pub(crate) const AREAS: [Area; 19] = [
    series("yes/pipe-s/", "yes to a reader that splices", Axis::Bytes("length of a line")),
    series("yes/pipe-r/", "yes to a reader that reads", Axis::Bytes("length of a line")),
    area("yes/file", "yes to a file"),
    area("yes/null", "yes to /dev/null"),
    area("cat/file/", "cat a large file on disk"),
    area("cat/tmpfs/", "cat a large file in memory"),
    area("cat/pipe", "cat from a pipe"),
    area("chain/", "yes | cat"),
    area("files/", "cat many files"),
    area("format/", "cat with options"),
    area("footprint/", "Start-up, memory, system calls, size"),
    area("library/", "splice-core against std::io::copy"),
    series("growth/bytes-pipe-s/", "cat by size, to a reader that splices", Axis::Bytes("file")),
    series("growth/bytes-pipe-r/", "cat by size, to a reader that reads", Axis::Bytes("file")),
    series("growth/files/", "cat by number of files", Axis::Count("files of 200 bytes")),
    series("growth/capacity-yes/", "yes by capacity of the pipe", CAPACITY),
    series("growth/capacity-cat/", "cat by capacity of the pipe", CAPACITY),
    series("growth/lines-n/", "cat -n by length of lines", LINES),
    series("growth/lines-E/", "cat -E by length of lines", LINES),
];

const LINES: Axis = Axis::Bytes("mean length of a line");

const CAPACITY: Axis = Axis::Bytes("capacity of the pipe");

const fn area(prefix: &'static str, title: &'static str) -> Area {
    Area { prefix, title, axis: None }
}

const fn series(prefix: &'static str, title: &'static str, axis: Axis) -> Area {
    Area { prefix, title, axis: Some(axis) }
}

impl Area {
    /// Its cells among `results`.
    pub(crate) fn cells<'a>(&self, results: &'a Results) -> Vec<&'a CellResult> {
        results.cells.iter().filter(|cell| cell.id.starts_with(self.prefix)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cells::{self, Settings};

    #[test]
    fn every_cell_has_one_area_and_a_name_of_its_own() {
        let settings =
            Settings { quick: false, rounds: 1, time: Duration::ZERO, large: 1, text: 1 };
        let mut names = Vec::new();
        for cell in cells::all(&settings) {
            let areas = AREAS.iter().filter(|area| cell.id.starts_with(area.prefix));
            assert_eq!(areas.count(), 1, "{}", cell.id);
            assert!(!names.contains(&cell.id), "{} is there twice", cell.id);
            names.push(cell.id);
        }
        assert!(!names.is_empty());
    }
}
