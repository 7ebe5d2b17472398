//! One run of a real pipeline: started process by process, each on its core, and timed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::contenders::{Applet, Contender};
use crate::ends::{Consumer, Taken};
use crate::lab::{Lab, Place};
use crate::plumbing::{OpenSink, OpenSource};
use crate::processes::{ConsumerProcess, Look, Measured};

/// What the measured program reads on standard input.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// Nothing: it reads operands, or makes its bytes itself.
    Nothing,
    /// A pipe fed with slots of so many bytes, this much in all.
    Slots {
        /// Bytes a slot.
        slot: usize,
        /// Bytes in all; `u64::MAX` for as long as somebody reads.
        volume: u64,
    },
    /// A pipe from the contender's own `yes` with these arguments.
    Yes(Vec<OsString>),
    /// A file, opened for it.
    File(PathBuf),
    /// A pipe that stays open and empty, so that the program waits and can be looked at.
    Held,
}

/// Where its output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sink {
    /// A pipe to one of our consumers.
    Pipe(Consumer),
    /// A stream socket to one of our consumers.
    Socket(Consumer),
    /// /dev/null.
    Null,
    /// A new file.
    File(Place),
    /// A new file opened for appending.
    Append(Place),
}

impl Sink {
    /// Whether one of our consumers reads it, or could in its place.
    pub(crate) fn is_read(self) -> bool {
        matches!(self, Sink::Pipe(_) | Sink::Socket(_) | Sink::Null)
    }
}

/// When a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// When every byte has arrived; how many there are is known.
    Volume(u64),
    /// When every byte has arrived, however many there are.
    End,
    /// After some time, for programs that never end: what arrived by then counts.
    Time(Duration),
    /// After so many bytes from a program that never ends, or fewer if it is slow: what arrives
    /// first is checked.
    FirstBytes(u64),
    /// The same, and then it is looked at while the full pipe, or an empty input, makes it wait.
    AtRest(u64),
}

/// A pipeline to run.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    /// The measured program.
    pub(crate) applet: Applet,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// The folder it runs in, if that matters.
    pub(crate) folder: Option<PathBuf>,
    /// Its input.
    pub(crate) source: Source,
    /// Its output.
    pub(crate) sink: Sink,
    /// When it is over.
    pub(crate) extent: Extent,
    /// The capacity in bytes that the output pipe has at the start; `None` leaves the usual one.
    pub(crate) capacity: Option<i32>,
}

/// What one run gave.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    /// Bytes that arrived at the sink.
    pub(crate) bytes: u64,
    /// From the start of the measured program to the end of the last process; for
    /// [`Extent::Time`] what the consumer timed.
    pub(crate) time: Duration,
    /// What the consumer told, where there is one.
    pub(crate) hash: Option<u64>,
    /// Processor time that the measured program spent in user mode, where it ended by itself.
    pub(crate) user: Duration,
    /// What could be seen of it at rest, for [`Extent::AtRest`].
    pub(crate) look: Look,
}

impl Pipeline {
    /// A pipeline in this process's folder, with pipes as the kernel makes them.
    pub(crate) fn new(
        applet: Applet,
        arguments: Vec<OsString>,
        source: Source,
        sink: Sink,
        extent: Extent,
    ) -> Pipeline {
        Pipeline { applet, arguments, folder: None, source, sink, extent, capacity: None }
    }

    /// The same pipeline with other bytes to wait for and somewhere else to send them.
    pub(crate) fn with(&self, sink: Sink, extent: Extent) -> Pipeline {
        Pipeline { sink, extent, ..self.clone() }
    }

    /// Runs it once with `contender`.
    pub(crate) fn run(&self, lab: &Lab, contender: &Contender) -> Result<Run> {
        let mut program = contender.command(self.applet).context("it has no such program")?;
        program.args(&self.arguments);
        if let Some(folder) = &self.folder {
            program.current_dir(folder);
        }
        let mut source = OpenSource::open(lab, contender, &self.source)?;
        let mut sink = OpenSink::open(lab, self)?;
        program.stdin(source.end).stdout(sink.output).stderr(Stdio::piped());

        let measured = Measured::start(lab, program)?;
        if let Some(feeder) = &mut source.feeder {
            feeder.go();
        }
        match (self.extent, sink.consumer.take()) {
            (Extent::Volume(_) | Extent::End, consumer) => {
                self.until_end(measured, consumer, sink.file.as_deref())
            }
            (_, Some(consumer)) => self.until_taken(measured, consumer),
            (Extent::Time(time), None) => match sink.file {
                Some(file) => until_time(time, measured, &file),
                None => written_in(time, measured),
            },
            (_, None) => bail!("only a consumer can tell when so much has arrived"),
        }
    }

    fn until_end(
        &self,
        measured: Measured,
        consumer: Option<ConsumerProcess>,
        file: Option<&Path>,
    ) -> Result<Run> {
        let started = measured.started();
        let finished = measured.finish()?;
        let taken = consumer.map(ConsumerProcess::report).transpose()?;
        let bytes = match (&taken, file, self.extent) {
            (Some(taken), ..) => taken.bytes,
            (None, Some(file), _) => fs::metadata(file)?.len(),
            // Nobody counts what /dev/null is given: the check before told.
            (None, None, Extent::Volume(bytes)) => bytes,
            (None, None, _) => 0,
        };
        if let Extent::Volume(expected) = self.extent {
            ensure!(bytes == expected, "{bytes} bytes arrived instead of {expected}");
        }
        // With a consumer it is over when the last byte is taken.
        let time = taken.map_or(finished.time, |_| started.elapsed());
        let hash = taken.map(|taken| taken.hash);
        Ok(Run { bytes, time, hash, user: finished.user, ..Run::default() })
    }

    fn until_taken(&self, measured: Measured, consumer: ConsumerProcess) -> Result<Run> {
        let Taken { bytes, time, hash } = consumer.report()?;
        let look = match self.extent {
            Extent::AtRest(_) => measured.look()?,
            _ => Look::default(),
        };
        measured.stop()?;
        Ok(Run { bytes, time, hash: Some(hash), look, ..Run::default() })
    }
}

fn until_time(time: Duration, measured: Measured, file: &Path) -> Result<Run> {
    let started = measured.started();
    std::thread::sleep(time);
    measured.stop()?;
    let time = started.elapsed();
    Ok(Run { bytes: fs::metadata(file)?.len(), time, ..Run::default() })
}

/// Nobody counts what /dev/null is given, but the kernel counts what a process writes.
fn written_in(time: Duration, measured: Measured) -> Result<Run> {
    let half = time / 2;
    std::thread::sleep(half);
    let (from, before) = (Instant::now(), measured.written()?);
    std::thread::sleep(half);
    let (time, after) = (from.elapsed(), measured.written()?);
    measured.stop()?;
    ensure!(after > before, "the kernel counts what is written, not what is spliced");
    Ok(Run { bytes: after - before, time, ..Run::default() })
}
