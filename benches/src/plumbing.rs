//! Both ends of a pipeline, opened: descriptors for the measured program, and whoever is behind them.

use std::fs::{self, File};
use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result};
use nix::fcntl::{FcntlArg, fcntl};

use crate::contenders::{Applet, Contender};
use crate::ends::{self, Until};
use crate::lab::Lab;
use crate::pipeline::{Extent, Pipeline, Sink, Source};
use crate::processes::{ConsumerProcess, Feeder};

/// A source that has something to give, or waits to be told.
pub(crate) struct OpenSource {
    /// The measured program's standard input.
    pub(crate) end: Stdio,
    /// The process that feeds it.
    pub(crate) feeder: Option<Feeder>,
    /// Keeps the pipe from ending.
    _held: Option<PipeWriter>,
}

impl OpenSource {
    /// Opens `source`; a `yes` in it is the contender's own.
    pub(crate) fn open(lab: &Lab, contender: &Contender, source: &Source) -> Result<OpenSource> {
        let only = |end| OpenSource { end, feeder: None, _held: None };
        let command = match source {
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

/// A sink that is ready to take bytes.
pub(crate) struct OpenSink {
    /// The measured program's standard output.
    pub(crate) output: Stdio,
    /// The process that takes what it puts out.
    pub(crate) consumer: Option<ConsumerProcess>,
    /// The file that it writes.
    pub(crate) file: Option<PathBuf>,
    /// Keeps the pipe from breaking, so that a program can be looked at that writes for ever.
    _held: Option<PipeReader>,
}

impl OpenSink {
    /// Opens the sink of `pipeline`.
    pub(crate) fn open(lab: &Lab, pipeline: &Pipeline) -> Result<OpenSink> {
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
