//! Measures a cell: checks every contender's bytes, then lets them take turns.

use anyhow::{Context, Result};

use crate::cells::{Cell, Unit, Work};
use crate::check::check_all;
use crate::contenders::{Contender, Role};
use crate::disturbance::Watch;
use crate::interrupt::Interrupt;
use crate::lab::Lab;
use crate::results::{CellResult, Failure, Figures};
use crate::sample::sample;

/// Whoever ours beats by so many times is measured in every third round only: nobody doubts the
/// outcome, and the slow take most of the time.
const FAR_BEHIND: f64 = 3.0;
const EVERY: usize = 3;

/// A contender in a cell.
struct Entrant<'a> {
    contender: &'a Contender,
    figures: Figures,
    rests: bool,
}

/// Measures `cell` in so many rounds; `after_round` is told of each.
pub(crate) fn measure(
    cell: &Cell,
    lab: &Lab,
    contenders: &[Contender],
    rounds: usize,
    interrupt: &Interrupt,
    mut after_round: impl FnMut(usize),
) -> Result<CellResult> {
    let (work, expected) = cell.prepare(lab).with_context(|| format!("preparing {}", cell.id))?;
    let (right, mut failures) = check_all(cell, lab, contenders, &work, &expected);
    let mut entrants: Vec<Entrant<'_>> = right.into_iter().map(Entrant::new).collect();

    // What does not vary is measured once.
    let varies = matches!(work, Work::Runs(..) | Work::Scaled { .. });
    let rounds = rounds.min(if varies { cell.most_rounds } else { 1 });
    let watch = Watch::start(&lab.cores);
    for round in 0..rounds {
        for turn in order(round, entrants.len()) {
            interrupt.check()?;
            let entrant = &mut entrants[turn];
            if entrant.rests && round % EVERY != 0 {
                entrant.figures.samples.push(None);
                continue;
            }
            match sample(cell.unit, &work, lab, entrant.contender) {
                Ok(value) => entrant.figures.samples.push(Some(value)),
                Err(error) => failures.push(Failure::of(entrant.contender, &error)),
            }
        }
        entrants.retain(|entrant| entrant.figures.samples.len() == round + 1);
        if round == 0 {
            send_to_rest(cell.unit, &mut entrants);
        }
        after_round(round + 1);
    }
    // An interruption kills what runs, too: what failed by that says nothing.
    interrupt.check()?;
    Ok(CellResult {
        id: cell.id.clone(),
        title: cell.title.clone(),
        unit: cell.unit,
        point: cell.point,
        figures: entrants.into_iter().map(|entrant| entrant.figures).collect(),
        failures,
        disturbed: watch.and_then(Watch::much_by_others),
    })
}

/// In which order `count` contenders take their turns. Another one begins each round, and in each the
/// steps from one to the next are as long as in none just before: whoever comes first leaves memory
/// and caches in some state, and should not always leave it to the same other.
fn order(round: usize, count: usize) -> impl Iterator<Item = usize> {
    let steps: Vec<usize> = (1..=count).filter(|step| gcd(*step, count) == 1).collect();
    let step = steps.get(round % steps.len().max(1)).copied().unwrap_or(1);
    (0..count).map(move |turn| (round + turn * step) % count)
}

fn gcd(left: usize, right: usize) -> usize {
    if right == 0 { left } else { gcd(right, left % right) }
}

impl<'a> Entrant<'a> {
    fn new(contender: &'a Contender) -> Entrant<'a> {
        let (name, role) = (contender.name.clone(), contender.role);
        Entrant { contender, figures: Figures { name, role, samples: Vec::new() }, rests: false }
    }

    fn first(&self) -> Option<f64> {
        self.figures.samples.first().copied().flatten()
    }
}

/// Decides who rests, from everybody's first sample.
fn send_to_rest(unit: Unit, entrants: &mut [Entrant<'_>]) {
    let ours = entrants.iter().find(|entrant| entrant.figures.role == Role::Ours);
    let Some(ours) = ours.and_then(Entrant::first) else { return };
    for entrant in entrants {
        let Some(first) = entrant.first() else { continue };
        let times = if unit == Unit::BytesPerSecond { ours / first } else { first / ours };
        entrant.rests = times >= FAR_BEHIND;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_one_turn_a_round() {
        for count in 0..12 {
            for round in 0..30 {
                let mut turns: Vec<usize> = order(round, count).collect();
                turns.sort_unstable();
                assert!(turns.iter().copied().eq(0..count), "round {round} of {count}");
            }
        }
    }

    #[test]
    fn nobody_always_follows_the_same_other() {
        for count in 3..12 {
            let follows_0 = |round| {
                let turns: Vec<usize> = order(round, count).collect();
                let at = turns.iter().position(|&turn| turn == 0);
                at.and_then(|at| turns.get(at + 1).copied())
            };
            let others: std::collections::BTreeSet<_> = (0..7).filter_map(follows_0).collect();
            assert!(others.len() > 1, "{count}: {others:?}");
        }
    }
}
