//! The processes at both ends of a pipeline: this very program, started again with a hidden first
//! argument. Ends of our own make every contender feed and be fed by the same thing.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use splice_core::{Buffer, Copier};
use xxhash_rust::xxh3::Xxh3;

use crate::feed;

/// The first argument that makes this program one end of a pipeline.
pub(crate) const HIDDEN: &str = "__end";

/// What many programs read at a time, among them GNU's.
const READ_SIZE: usize = 128 * 1024;

/// The clock is looked at between portions. They start so small that a slow source fills one in no
/// time, and double until one takes a while.
const SMALLEST_PORTION: u64 = 1 << 20;
const PORTION_TIME: Duration = Duration::from_millis(1);

const CHECK_TIME: Duration = Duration::from_millis(100);

/// A process that takes bytes from its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Consumer {
    /// Splices to /dev/null, in requests larger than any pipe: bytes are never touched.
    Splice,
    /// Reads into memory, as most programs do.
    Read,
    /// Reads and hashes: for checks, not for timing.
    Hash,
}

impl Consumer {
    fn word(self) -> &'static str {
        match self {
            Consumer::Splice => "splice",
            Consumer::Read => "read",
            Consumer::Hash => "hash",
        }
    }
}

/// When a consumer stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// At the end of its input.
    End,
    /// After so much time, counted from the first byte.
    Elapsed(Duration),
    /// After so many bytes.
    Bytes(u64),
}

/// What a consumer tells when it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// How many bytes it took.
    pub(crate) bytes: u64,
    /// How long that took, from the first byte.
    pub(crate) time: Duration,
    /// Their hash, from [`Consumer::Hash`]; 0 from the others.
    pub(crate) hash: u64,
}

/// The command that makes this program a consumer.
pub(crate) fn consumer(kind: Consumer, until: Until) -> Result<Command> {
    let (word, number) = match until {
        Until::End => ("end", 0),
        Until::Elapsed(time) => ("elapsed", u64::try_from(time.as_nanos())?),
        Until::Bytes(bytes) => ("bytes", bytes),
    };
    this_program(&["consume", kind.word(), word, &number.to_string()])
}

/// The command that makes this program a feeder of `volume` bytes (`u64::MAX`: for ever).
pub(crate) fn feeder(slot: usize, volume: u64) -> Result<Command> {
    this_program(&["feed", &slot.to_string(), &volume.to_string()])
}

/// The words that copy standard input to standard output by a function of `library`:
/// `splice-core` or `std`.
pub(crate) fn copier(library: &str) -> Result<Vec<OsString>> {
    let program = std::env::current_exe().context("where this program is")?;
    Ok(vec![program.into(), HIDDEN.into(), "copy".into(), library.into()])
}

fn this_program(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("where this program is")?);
    command.arg(HIDDEN).args(arguments);
    Ok(command)
}

/// Plays the end that `arguments` (those after [`HIDDEN`]) name.
pub(crate) fn play(arguments: &[OsString]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match words[..] {
        ["consume", kind, until, number] => {
            let number = number.parse()?;
            let until = match until {
                "elapsed" => Until::Elapsed(Duration::from_nanos(number)),
                "bytes" => Until::Bytes(number),
                _ => Until::End,
            };
            consume(kind, until)
        }
        ["feed", slot, volume] => feed::feed(slot.parse()?, volume.parse()?),
        ["copy", "std"] => {
            let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
            io::copy(&mut { input }, &mut { output })?;
            Ok(())
        }
        ["copy", "splice-core"] => {
            Copier::new(&io::stdout())?.copy(&io::stdin())?;
            Ok(())
        }
        _ => bail!("no such end: {words:?}"),
    }
}

fn consume(kind: &str, until: Until) -> Result<()> {
    let input = io::stdin();
    let mut report = io::stdout();
    report.write_all(b"ready\n")?;
    let mut buffer = Buffer::new(READ_SIZE)?;
    let mut hash = Xxh3::new();
    splice_core::await_readable(&input)?;
    let start = Instant::now();
    let (mut bytes, mut portion) = (0, SMALLEST_PORTION);
    loop {
        let wanted = match until {
            Until::Elapsed(time) if start.elapsed() >= time => break,
            // A slow program shows with fewer bytes whether they are right.
            Until::Bytes(_) if kind == "hash" && start.elapsed() >= CHECK_TIME => break,
            Until::Bytes(limit) => limit - bytes,
            Until::End => u64::MAX,
            Until::Elapsed(_) => portion,
        };
        let begun = Instant::now();
        let taken = match kind {
            "splice" => splice_core::drain(&input, Some(wanted))?,
            _ => {
                let most = usize::try_from(wanted).unwrap_or(READ_SIZE).min(READ_SIZE);
                let taken = splice_core::read(&input, &mut buffer[..most])?;
                if kind == "hash" {
                    hash.update(&buffer[..taken]);
                }
                taken as u64
            }
        };
        bytes += taken;
        if taken == 0 {
            break;
        }
        if begun.elapsed() < PORTION_TIME {
            portion = portion.saturating_mul(2);
        }
    }
    let time = start.elapsed().as_nanos();
    writeln!(report, "{bytes} {time} {}", hash.digest())?;
    Ok(())
}

/// Waits until the consumer behind `report` has started.
pub(crate) fn await_ready(report: &mut impl Read) -> Result<()> {
    let mut word = [0; 6];
    report.read_exact(&mut word).context("a consumer did not start")
}

/// Reads what the consumer behind `report` tells when it stops.
pub(crate) fn read_report(report: &mut impl Read) -> Result<Taken> {
    let mut text = String::new();
    report.read_to_string(&mut text)?;
    let numbers: Vec<u64> =
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().context("a report")?;
    let [bytes, nanoseconds, hash] = numbers[..] else { bail!("a consumer failed: {text:?}") };
    Ok(Taken { bytes, time: Duration::from_nanos(nanoseconds), hash })
}
