//! One run of a real pipeline: started process by process, each on its core, and timed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::fcntl::{FcntlArg, fcntl};

use crate::contenders::{Applet, Contender};
use crate::ends::{self, Consumer, Taken, Until};
use crate::lab::{Lab, Place};
use crate::processes::{ConsumerProcess, Feeder, Look, Measured};

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
#[derive(Debug, Clone, Copy)]
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
        let sink = OpenSink::open(lab, self)?;
        let mut input = self.open_source(lab, contender)?;
        program.stdin(input.end).stdout(sink.output).stderr(Stdio::piped());

        let measured = Measured::start(lab, program)?;
        if let Some(feeder) = &mut input.feeder {
            feeder.go();
        }
        let run = match (self.extent, sink.consumer) {
            (Extent::Volume(_) | Extent::End, consumer) => {
                let started = measured.started();
                let finished = measured.finish()?;
                let taken = consumer.map(ConsumerProcess::report).transpose()?;
                let bytes = match (&taken, &sink.file, self.extent) {
                    (Some(taken), ..) => taken.bytes,
                    (None, Some(file), _) => fs::metadata(file)?.len(),
                    // Nobody counts what /dev/null is given: the check before told.
                    (None, None, Extent::Volume(bytes)) => bytes,
                    (None, None, _) => 0,
                };
                // With a consumer it is over when the last byte is taken.
                let time = taken.map_or(finished.time, |_| started.elapsed());
                Run {
                    bytes,
                    time,
                    user: finished.user,
                    hash: taken.map(|t| t.hash),
                    look: Look::default(),
                }
            }
            (_, Some(consumer)) => {
                let taken = consumer.report()?;
                let look = match self.extent {
                    Extent::AtRest(_) => measured.look()?,
                    _ => Look::default(),
                };
                measured.stop()?;
                let Taken { bytes, time, hash } = taken;
                Run { bytes, time, hash: Some(hash), user: Duration::ZERO, look }
            }
            (Extent::Time(time), None) => {
                let started = measured.started();
                std::thread::sleep(time);
                measured.stop()?;
                let time = started.elapsed();
                let file = sink.file.context("nobody counts what arrives")?;
                let bytes = fs::metadata(file)?.len();
                Run { bytes, time, user: Duration::ZERO, hash: None, look: Look::default() }
            }
            (_, None) => bail!("only a consumer can tell when so much has arrived"),
        };
        if let Extent::Volume(expected) = self.extent {
            ensure!(run.bytes == expected, "{} bytes arrived instead of {expected}", run.bytes);
        }
        Ok(run)
    }

    fn open_source(&self, lab: &Lab, contender: &Contender) -> Result<OpenSource> {
        let only = |end| OpenSource { end, feeder: None, _held: None };
        let command = match &self.source {
            Source::Nothing => return Ok(only(Stdio::null())),
            Source::File(path) => return Ok(only(File::open(path)?.into())),
            Source::Held => {
                let (reader, writer) = std::io::pipe()?;
                return Ok(OpenSource { _held: Some(writer), ..only(reader.into()) });
            }
            Source::Slots { slot, volume } => ends::feeder(*slot, *volume)?,
            Source::Yes(line) => {
                let mut yes = contender.command(Applet::Yes).context("it has no yes")?;
                yes.args(line);
                yes
            }
        };
        let (reader, writer) = std::io::pipe()?;
        let feeder = Feeder::start(lab, command, writer.into())?;
        Ok(OpenSource { feeder: Some(feeder), ..only(reader.into()) })
    }
}

/// A source that has something to give, or waits to be told.
struct OpenSource {
    end: Stdio,
    feeder: Option<Feeder>,
    _held: Option<PipeWriter>,
}

/// A sink that is ready to take bytes.
struct OpenSink {
    output: Stdio,
    consumer: Option<ConsumerProcess>,
    file: Option<PathBuf>,
    /// Keeps the pipe from breaking, so that a program can be looked at that writes for ever.
    _held: Option<PipeReader>,
}

impl OpenSink {
    fn open(lab: &Lab, pipeline: &Pipeline) -> Result<OpenSink> {
        let until = match pipeline.extent {
            Extent::Volume(_) | Extent::End => Until::End,
            Extent::Time(time) => Until::Elapsed(time),
            Extent::FirstBytes(bytes) | Extent::AtRest(bytes) => Until::Bytes(bytes),
        };
        let at_rest = matches!(pipeline.extent, Extent::AtRest(_));
        let to_consumer = |kind, input: OwnedFd, output: OwnedFd| -> Result<OpenSink> {
            let consumer = ConsumerProcess::start(lab, ends::consumer(kind, until)?, input)?;
            Ok(OpenSink {
                output: output.into(),
                consumer: Some(consumer),
                file: None,
                _held: None,
            })
        };
        let to_file = |place, append: bool| -> Result<OpenSink> {
            let path = lab.sink_file(place);
            // A new file each time: what the last run wrote is thrown away, not written back.
            let _ = fs::remove_file(&path);
            let file = File::options().create(true).write(!append).append(append).open(&path)?;
            Ok(OpenSink { output: file.into(), consumer: None, file: Some(path), _held: None })
        };
        match pipeline.sink {
            Sink::Pipe(kind) => {
                let (reader, writer) = std::io::pipe()?;
                if let Some(bytes) = pipeline.capacity {
                    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(bytes)).context("a pipe's capacity")?;
                }
                let held = Some(reader.try_clone()?);
                let sink = to_consumer(kind, reader.into(), writer.into())?;
                Ok(OpenSink { _held: held.filter(|_| at_rest), ..sink })
            }
            Sink::Socket(kind) => {
                let (reader, writer) = UnixStream::pair()?;
                to_consumer(kind, reader.into(), writer.into())
            }
            Sink::Null => {
                let null = File::options().write(true).open("/dev/null")?;
                Ok(OpenSink { output: null.into(), consumer: None, file: None, _held: None })
            }
            Sink::File(place) => to_file(place, false),
            Sink::Append(place) => to_file(place, true),
        }
    }
}
