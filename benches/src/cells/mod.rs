//! What is measured: a list of cells, each a pipeline and the figure that is wanted of it.

mod cat;
mod files;
mod footprint;
mod format;
mod growth;
mod yes;

pub(crate) use format::{OPTIONS as FORMAT_OPTIONS, PREFIX as FORMAT_PREFIX};

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::contenders::{Applet, Contender, Role};
use crate::lab::Lab;
use crate::pipeline::Pipeline;

/// How much is measured.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Fewer cells, less data.
    pub(crate) quick: bool,
    /// Samples of each contender in each cell.
    pub(crate) rounds: usize,
    /// For how long a program without an end is watched.
    pub(crate) time: Duration,
    /// Bytes of the large file.
    pub(crate) large: u64,
    /// Bytes of the text that is formatted.
    pub(crate) text: u64,
}

impl Settings {
    /// All that there is, or about that many of it, evenly apart, if it has to be quick.
    fn some<T: Copy>(&self, all: &[T], quick: usize) -> Vec<T> {
        let step = if self.quick { all.len().div_ceil(quick) } else { 1 };
        all.iter().copied().step_by(step).collect()
    }
}

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Unit {
    /// Bytes a second: more is better. The others: less is better.
    BytesPerSecond,
    /// Seconds from start to end.
    Seconds,
    /// Seconds of processor time in user mode for a GiB of input.
    UserSecondsPerGib,
    /// Bytes of memory or of a file.
    Bytes,
    /// System calls.
    Calls,
}

/// Where a cell stands in a series that shows how cost grows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// The value on the axis, in the axis's unit.
    pub(crate) x: f64,
}

/// What the bytes must be for the figure to count.
#[derive(Debug, Clone)]
pub(crate) enum Expected {
    /// These, over and over, so many in all.
    Repeat(Vec<u8>, u64),
    /// What is in these files, one after another.
    Files(Vec<PathBuf>),
    /// What the first peer makes of the input: for formats whose bytes nobody wrote down.
    AsFirstPeer,
}

/// How a figure is got.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    /// From so many runs of a pipeline, one after another: the mean of one.
    Runs(Pipeline, u32),
    /// From one run with much input, or with little where a program takes long for that.
    Scaled {
        /// With little input.
        little: Pipeline,
        /// How little, in bytes.
        few: u64,
        /// With much input.
        much: Pipeline,
        /// How much, in bytes.
        many: u64,
    },
    /// The peak of memory in a run of a pipeline.
    PeakMemory(Pipeline),
    /// The system calls of the program in a pipeline, of which only its arguments matter.
    SystemCalls(Pipeline),
    /// The size of the files that a program at rest in a pipeline runs from.
    ProgramSize(Pipeline),
}

impl Work {
    /// The pipeline whose bytes are checked.
    pub(crate) fn pipeline(&self) -> &Pipeline {
        match self {
            Work::Runs(pipeline, _)
            | Work::Scaled { little: pipeline, .. }
            | Work::PeakMemory(pipeline)
            | Work::SystemCalls(pipeline)
            | Work::ProgramSize(pipeline) => pipeline,
        }
    }
}

/// How many bytes of an endless stream are checked: more than every pipe of a pipeline holds.
const CHECKED: u64 = 17 << 20;

type Make = Box<dyn Fn(&Lab) -> Result<(Work, Expected)>>;

/// One thing to measure.
pub(crate) struct Cell {
    /// Its name, a path: `cat/file/pipe-s`.
    pub(crate) id: String,
    /// What it measures, for a table.
    pub(crate) title: String,
    /// What its figures count.
    pub(crate) unit: Unit,
    /// The program that takes part.
    pub(crate) applet: Applet,
    /// Its place in a series.
    pub(crate) point: Option<Point>,
    /// No more rounds than this, for what takes long.
    pub(crate) most_rounds: usize,
    make: Make,
}

impl Cell {
    fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        unit: Unit,
        applet: Applet,
        make: impl Fn(&Lab) -> Result<(Work, Expected)> + 'static,
    ) -> Cell {
        let (id, title) = (id.into(), title.into());
        let most_rounds = usize::MAX;
        Cell { id, title, unit, applet, point: None, most_rounds, make: Box::new(make) }
    }

    fn in_rounds(self, most_rounds: usize) -> Cell {
        Cell { most_rounds, ..self }
    }

    fn at(self, x: f64) -> Cell {
        Cell { point: Some(Point { x }), ..self }
    }

    /// Makes the files that it needs, and what is to be run.
    pub(crate) fn prepare(&self, lab: &Lab) -> Result<(Work, Expected)> {
        (self.make)(lab)
    }

    /// Whether `contender` takes part.
    pub(crate) fn admits(&self, contender: &Contender) -> bool {
        let plays = contender.command(self.applet).is_some();
        // Options are not faster or slower for the paths that a variant forbids.
        plays && !(self.applet == Applet::Cat && contender.role == Role::Variant)
    }
}

/// Every cell there is.
pub(crate) fn all(settings: &Settings) -> Vec<Cell> {
    [
        yes::cells(settings),
        cat::cells(settings),
        files::cells(settings),
        format::cells(settings),
        footprint::cells(settings),
        growth::cells(settings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// One path as the arguments of a program.
fn operand(path: &Path) -> Vec<std::ffi::OsString> {
    vec![path.into()]
}
