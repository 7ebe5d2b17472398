//! A run: who takes part, every cell in turn, and how far it is.

use std::time::{Instant, SystemTime};

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cells::{self, Cell};
use crate::contenders::{self, Contender};
use crate::interrupt::Interrupt;
use crate::lab::Lab;
use crate::machine::Machine;
use crate::options::Options;
use crate::results::{Entrant, Failure, Results};
use crate::{measure, ours, text};

/// The cells that are wanted.
pub(crate) fn cells(options: &Options) -> Result<Vec<Cell>> {
    let mut cells = cells::all(&options.settings());
    cells.retain(|cell| options.wants(&cell.id));
    ensure!(!cells.is_empty(), "no cell has such a name: see --list");
    Ok(cells)
}

/// Measures them, and tells each cell's figures when it has them.
pub(crate) fn measure_all(options: &Options) -> Result<Results> {
    let cells = cells(options)?;
    let mut contenders = contenders::ours(&ours::program(options.ours.as_deref())?)?;
    contenders.extend(contenders::peers(&options.peer)?);
    for contender in &contenders {
        println!("{:16} {}", contender.name, contender.version);
    }
    let absent = contenders::absent(&contenders);
    for name in &absent {
        println!("{name:16} is not on this machine");
    }
    let interrupt = Interrupt::listen()?;
    let lab = Lab::new()?;
    let rounds = if options.only_checks() { 0 } else { options.settings().rounds };
    let mut results = Results {
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        machine: Machine::find(lab.cores.count()),
        rounds,
        took: 0,
        quick: options.quick,
        contenders: contenders.iter().map(entrant).collect(),
        cells: Vec::new(),
        left_out: Vec::new(),
        absent,
        interrupted: false,
    };
    let started = Instant::now();
    let steps = rounds.max(1) as u64;
    let bar = ProgressBar::new(cells.len() as u64 * steps);
    bar.set_style(ProgressStyle::with_template("{bar:30} {percent:>3}%  {eta:>4} left  {msg}")?);
    for (number, cell) in cells.iter().enumerate() {
        bar.set_message(cell.id.clone());
        let before = number as u64 * steps;
        let begun = Instant::now();
        let measured = measure::measure(cell, &lab, &contenders, rounds, &interrupt, |round| {
            bar.set_position(before + round as u64);
        });
        match measured {
            Ok(result) => {
                bar.suspend(|| println!("{}", text::cell(&result, begun.elapsed())));
                results.cells.push(result);
            }
            Err(error) => {
                let failure = Failure { name: cell.id.clone(), reason: format!("{error:#}") };
                bar.suspend(|| println!("{} LEFT OUT: {}", failure.name, failure.reason));
                results.left_out.push(failure);
            }
        }
        lab.tidy()?;
        if interrupt.happened() {
            results.interrupted = true;
            break;
        }
    }
    results.took = started.elapsed().as_secs();
    bar.finish_and_clear();
    Ok(results)
}

fn entrant(contender: &Contender) -> Entrant {
    Entrant {
        name: contender.name.clone(),
        version: contender.version.clone(),
        role: contender.role,
    }
}
