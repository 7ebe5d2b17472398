//! Measures a cell: checks every contender's bytes, then lets them take turns.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use xxhash_rust::xxh3::Xxh3;

use crate::cells::{Cell, Expected, Unit, Work};
use crate::contenders::{Contender, Role};
use crate::ends::Consumer;
use crate::lab::Lab;
use crate::pipeline::{Extent, Pipeline, Sink};
use crate::results::{CellResult, Failure, Figures};

/// A program that takes so long for little input is not given much.
const SLOW: Duration = Duration::from_millis(60);

/// User time is counted in ticks of some milliseconds: a figure needs many of them, from several
/// runs if need be.
const MANY_TICKS: Duration = Duration::from_millis(60);
const MOST_RUNS: u32 = 8;

/// The length and the hash of what must arrive.
type Bytes = (u64, u64);

/// Measures `cell` in so many rounds; `after_round` is told of each.
pub(crate) fn measure(
    cell: &Cell,
    lab: &Lab,
    contenders: &[Contender],
    rounds: usize,
    mut after_round: impl FnMut(usize),
) -> Result<CellResult> {
    let (work, expected) = cell.prepare(lab).with_context(|| format!("preparing {}", cell.id))?;
    let mut failures = Vec::new();
    let mut entrants = check_all(cell, lab, contenders, &work, &expected, &mut failures);

    // What does not vary is measured once.
    let varies = matches!(work, Work::Runs(..) | Work::Scaled { .. });
    let most = if varies { cell.most_rounds } else { 1 };
    let rounds = rounds.min(most);
    for round in 0..rounds {
        let count = entrants.len().max(1);
        for turn in 0..entrants.len() {
            // Another one begins each round, so that none always follows the same other.
            let (contender, figures) = &mut entrants[(round + turn) % count];
            match sample(cell.unit, &work, lab, contender) {
                Ok(value) => figures.samples.push(value),
                Err(error) => failures.push(failure(contender, &error)),
            }
        }
        entrants.retain(|(_, figures)| figures.samples.len() == round + 1);
        after_round(round + 1);
    }
    Ok(CellResult {
        id: cell.id.clone(),
        title: cell.title.clone(),
        unit: cell.unit,
        point: cell.point,
        figures: entrants.into_iter().map(|(_, figures)| figures).collect(),
        failures,
    })
}

fn failure(contender: &Contender, error: &anyhow::Error) -> Failure {
    let reason = format!("{error:#}");
    // Some answer with a page of help.
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    Failure { name: contender.name.clone(), reason }
}

/// Those whose bytes are right: a fast program that loses some is out of the race.
fn check_all<'a>(
    cell: &Cell,
    lab: &Lab,
    contenders: &'a [Contender],
    work: &Work,
    expected: &Expected,
    failures: &mut Vec<Failure>,
) -> Vec<(&'a Contender, Figures)> {
    let admitted = || contenders.iter().filter(|contender| cell.admits(contender));
    let pipeline = match work {
        Work::Runs(pipeline, _)
        | Work::Scaled { little: pipeline, .. }
        | Work::PeakMemory(pipeline)
        | Work::ProgramSize(pipeline) => Some(pipeline),
        Work::SystemCalls(..) => None,
    };
    let mut reference = match (expected, pipeline) {
        (Expected::AsFirstPeer, Some(pipeline)) => admitted()
            .filter(|contender| contender.role == Role::Peer)
            .find_map(|contender| arrived(pipeline, None, lab, contender).ok()),
        _ => None,
    };
    let mut entrants = Vec::new();
    for contender in admitted() {
        let checked = pipeline
            .map_or(Ok(()), |pipeline| check(pipeline, expected, &mut reference, lab, contender));
        if let Err(error) = checked {
            failures.push(failure(contender, &error));
            continue;
        }
        let figures =
            Figures { name: contender.name.clone(), role: contender.role, samples: Vec::new() };
        entrants.push((contender, figures));
    }
    entrants
}

fn check(
    pipeline: &Pipeline,
    expected: &Expected,
    reference: &mut Option<Bytes>,
    lab: &Lab,
    contender: &Contender,
) -> Result<()> {
    let (found, right) = match expected {
        Expected::Repeat(pattern, bytes) => {
            let found = arrived(pipeline, Some(*bytes), lab, contender)?;
            let endless = matches!(pipeline.extent, Extent::Time(_) | Extent::AtRest(_));
            let bytes = if endless { found.0.min(*bytes) } else { *bytes };
            ensure!(bytes > 0, "nothing arrived");
            (found, (bytes, hash_of_repeated(pattern, bytes)))
        }
        Expected::AsFirstPeer => {
            let found = arrived(pipeline, None, lab, contender)?;
            // Without a peer to agree with, ours is what the others must match.
            (found, *reference.get_or_insert(found))
        }
    };
    ensure!(found == right, "{} bytes, of {}, not the right ones", found.0, right.0);
    Ok(())
}

/// Runs `pipeline` with a consumer that hashes, or hashes the file that it wrote.
fn arrived(
    pipeline: &Pipeline,
    limit: Option<u64>,
    lab: &Lab,
    contender: &Contender,
) -> Result<Bytes> {
    let extent = match (pipeline.extent, limit) {
        (Extent::Time(_), Some(bytes)) if pipeline.sink.is_read() => Extent::FirstBytes(bytes),
        (extent, _) => extent,
    };
    let sink = match pipeline.sink {
        Sink::Pipe(_) | Sink::Null => Sink::Pipe(Consumer::Hash),
        Sink::Socket(_) => Sink::Socket(Consumer::Hash),
        file => file,
    };
    let run = pipeline.with(sink, extent).run(lab, contender)?;
    match (run.hash, sink) {
        (Some(hash), _) => Ok((run.bytes, hash)),
        (None, Sink::File(place) | Sink::Append(place)) => {
            hash_of_file(File::open(lab.sink_file(place))?, limit.unwrap_or(u64::MAX))
        }
        (None, _) => bail!("nobody saw the bytes"),
    }
}

fn sample(unit: Unit, work: &Work, lab: &Lab, contender: &Contender) -> Result<f64> {
    let value = match work {
        Work::Runs(pipeline, count) => {
            let mut sum = 0.0;
            for _ in 0..*count {
                let run = pipeline.run(lab, contender)?;
                let time = run.time.as_secs_f64();
                sum += if unit == Unit::BytesPerSecond { run.bytes as f64 / time } else { time };
            }
            sum / f64::from(*count)
        }
        Work::Scaled { little, few, much, many } => {
            let run = little.run(lab, contender)?;
            let (mut user, mut bytes) = (run.user, *few);
            if run.time < SLOW {
                (user, bytes) = (Duration::ZERO, 0);
                for _ in 0..MOST_RUNS {
                    user += much.run(lab, contender)?.user;
                    bytes += many;
                    if user >= MANY_TICKS {
                        break;
                    }
                }
            }
            user.as_secs_f64() * (1 << 30) as f64 / bytes as f64
        }
        Work::PeakMemory(pipeline) => pipeline.run(lab, contender)?.look.peak as f64,
        Work::ProgramSize(pipeline) => pipeline.run(lab, contender)?.look.files as f64,
        Work::SystemCalls(applet, arguments) => {
            let mut command = contender.command(*applet).context("it has no such program")?;
            command.args(arguments);
            system_calls(&command)?
        }
    };
    ensure!(value > 0.0, "too little to measure");
    Ok(value)
}

/// Runs `command` under strace, and reads the total of its table.
fn system_calls(command: &Command) -> Result<f64> {
    let table = tempfile::NamedTempFile::new()?;
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-c", "-o"]).arg(table.path());
    strace.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    let status = strace.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.context("strace counts system calls: is it installed?")?;
    ensure!(status.success(), "under strace: {status}");
    let text = std::fs::read_to_string(table.path())?;
    let total = text.lines().find(|line| line.trim_end().ends_with(" total"));
    let calls = total.and_then(|line| line.split_whitespace().nth(3));
    Ok(calls.context("strace printed no total")?.parse()?)
}

fn hash_of_repeated(pattern: &[u8], mut bytes: u64) -> u64 {
    let mut hash = Xxh3::new();
    while bytes > 0 {
        let part = pattern.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
        hash.update(&pattern[..part]);
        bytes -= part as u64;
    }
    hash.digest()
}

fn hash_of_file(mut file: File, limit: u64) -> Result<Bytes> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let wanted = buffer.len().min(usize::try_from(limit - bytes).unwrap_or(usize::MAX));
        let read = file.read(&mut buffer[..wanted])?;
        if read == 0 {
            return Ok((bytes, hash.digest()));
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
}
