//! One sample: what a contender gives in one turn, in the unit of the cell.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::cells::{Unit, Work};
use crate::contenders::Contender;
use crate::lab::Lab;

/// A program that takes so long for little input is not given much.
const SLOW: Duration = Duration::from_millis(60);

/// User time is counted in ticks of some milliseconds: a figure needs many of them, from several
/// runs if need be.
const MANY_TICKS: Duration = Duration::from_millis(60);
const MOST_RUNS: u32 = 8;

/// The longest tick there is: who was seen in none took no more than one.
const TICK: Duration = Duration::from_millis(10);

/// Lets `contender` do `work` once.
pub(crate) fn sample(unit: Unit, work: &Work, lab: &Lab, contender: &Contender) -> Result<f64> {
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
            user.max(TICK).as_secs_f64() * (1 << 30) as f64 / bytes as f64
        }
        Work::PeakMemory(pipeline) => pipeline.run(lab, contender)?.look.peak as f64,
        Work::ProgramSize(pipeline) => pipeline.run(lab, contender)?.look.files as f64,
        Work::SystemCalls(pipeline) => {
            let mut command =
                contender.command(pipeline.applet).context("it has no such program")?;
            command.args(&pipeline.arguments);
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
