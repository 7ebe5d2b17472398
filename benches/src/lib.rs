//! Measures multicall against whatever peers are installed.
//!
//! Each cell is a real pipeline: processes with pipes between them, or a process and a file. Ours
//! and every peer take turns in it, round by round, so that what the machine does meanwhile falls
//! on all of them alike; each process is pinned to a core; every contender's bytes are checked
//! before it is timed. Medians, spreads and ratios of pairs come out, and every sample is kept.
//!
//! This is a crate, and not part of the benchmark target, so that its arithmetic has tests
//! (`cargo test -p bench`); a target without a test harness can have none. It is not a library
//! that the tasks link: `cargo xtask bench` runs `cargo bench`, because both ends of a pipeline
//! are this very program and must be built with optimisation, which the tasks are not.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that talks")]

mod cells;
mod contenders;
mod ends;
mod feed;
mod lab;
mod machine;
mod measure;
mod options;
mod ours;
mod pin;
mod pipeline;
mod processes;
mod results;
mod stats;
mod text;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Result, ensure};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use cells::Cell;
use contenders::Contender;
use lab::Lab;
use machine::Machine;
use options::Options;
use results::{Entrant, Results};

/// The whole program: the bench, or one end of a pipeline when it started itself as one.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let done = match arguments.get(1) {
        Some(word) if word == ends::HIDDEN => ends::play(&arguments[2..]).map(|()| true),
        _ => bench(&Options::parse()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything was as it should be.
fn bench(options: &Options) -> Result<bool> {
    let settings = options.settings();
    let mut cells = cells::all(&settings);
    cells.retain(|cell| options.wants(&cell.id));
    if options.list {
        cells.iter().for_each(|cell| println!("{:40} {}", cell.id, cell.title));
        return Ok(true);
    }
    ensure!(!cells.is_empty(), "no cell has such a name: see --list");

    let mut contenders = contenders::ours(&ours::program(options.ours.as_deref())?)?;
    contenders.extend(contenders::peers(&options.peer)?);
    for contender in &contenders {
        println!("{:16} {}", contender.name, contender.version);
    }
    let lab = Lab::new()?;
    let rounds = if options.only_checks() { 0 } else { settings.rounds };
    let results = measure_all(&lab, &cells, &contenders, rounds, options.quick)?;
    println!("\n{}", text::summary(&results));
    let right = results.cells.iter().all(|cell| cell.ours().is_some());
    Ok(right)
}

fn measure_all(
    lab: &Lab,
    cells: &[Cell],
    contenders: &[Contender],
    rounds: usize,
    quick: bool,
) -> Result<Results> {
    let bar = ProgressBar::new((cells.len() * rounds.max(1)) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {percent:>3}%  {eta:>4} left  {msg}")?);
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let mut measured = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        bar.set_message(cell.id.clone());
        let before = (number * rounds.max(1)) as u64;
        let result = measure::measure(cell, lab, contenders, rounds, |round| {
            bar.set_position(before + round as u64);
        })?;
        bar.suspend(|| println!("{}", text::cell(&result)));
        measured.push(result);
    }
    bar.finish_and_clear();
    let entrant = |contender: &Contender| Entrant {
        name: contender.name.clone(),
        version: contender.version.clone(),
        role: contender.role,
    };
    Ok(Results {
        date,
        machine: Machine::find(lab.cores.count()),
        rounds,
        quick,
        contenders: contenders.iter().map(entrant).collect(),
        cells: measured,
    })
}
