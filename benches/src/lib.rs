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

mod areas;
mod cells;
mod check;
mod compare;
mod contenders;
mod disturbance;
mod ends;
mod feed;
mod interrupt;
mod lab;
mod machine;
mod measure;
mod options;
mod ours;
mod pin;
mod pipeline;
mod plots;
mod plumbing;
mod processes;
mod published;
mod readme;
mod report;
mod results;
mod run;
mod sample;
mod stats;
mod text;
mod texts;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

use cells::Cell;
use options::Options;
use results::Results;

/// The whole program: the bench, or one end of a pipeline when it started itself as one.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let done = match arguments.get(1) {
        Some(word) if word == ends::HIDDEN => ends::play(&arguments[2..]).map(|()| true),
        _ => in_users_folder().and_then(|()| bench(&Options::parse())),
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

/// Cargo runs a benchmark in its package's folder; paths on the command line are meant from where
/// the user is, which the shell left in the environment.
fn in_users_folder() -> Result<()> {
    match std::env::var_os("PWD") {
        Some(folder) => std::env::set_current_dir(folder).context("going where the user is"),
        None => Ok(()),
    }
}

/// Whether everything was as it should be.
fn bench(options: &Options) -> Result<bool> {
    if options.list {
        let line = |cell: &Cell| format!("{:36} {}\n", cell.id, cell.title);
        let list: String = run::cells(options)?.iter().map(line).collect();
        // Whoever pages through it may leave early: an error, not a panic.
        io::stdout().write_all(list.as_bytes())?;
        return Ok(true);
    }
    let results = match &options.from {
        Some(path) => Results::read(path)?,
        None => run::measure_all(options)?,
    };
    let complete = results.cells.iter().all(|cell| cell.ours().is_some());
    if !complete {
        eprintln!("bench: ours failed in a cell: see OUT above");
    }
    if results.interrupted {
        eprintln!("bench: interrupted: what was measured by then is kept");
    }
    let complete = complete && !results.interrupted;
    if options.only_checks() && options.from.is_none() {
        return Ok(complete);
    }
    published::write(&results, &options.folder(&results))?;
    println!("\n{}", text::summary(&results));
    let Some(old) = &options.compare else { return Ok(complete) };
    let (changes, passed) = compare::report(&compare::changes(&Results::read(old)?, &results)?);
    println!("\n{changes}");
    Ok(complete && passed)
}
