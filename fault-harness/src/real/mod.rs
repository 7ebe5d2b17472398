//! Real faults: no call is tampered with, the world around the program is what fails.

mod changes;
mod descriptors;
mod limits;
mod sandbox;
mod streams;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use crate::campaign::Campaign;
use crate::judge::{self, Baseline};
use crate::messages::Blamed;
use crate::report::{Broken, Row};
use crate::rulings::{Charge, Ruling, Tell};
use crate::run::{Around, Stage};
use crate::scenario::Scenario;
use crate::verdict::{Class, Violation};
use crate::watch::{End, Limits};

/// One run in a world that fails.
#[derive(Debug, Default)]
struct Trial {
    /// What fails, in a few words; with the scenario it names the trial.
    detail: String,
    /// Shell words before the program is run: limits, traps, mounts.
    before: String,
    /// Redirections.
    redirect: String,
    /// A program that runs the program.
    wrapper: Vec<String>,
    environment: Vec<(String, String)>,
    around: Around,
    charge: Charge,
    /// Lines that are right here besides those of a run without a fault.
    lines: Vec<String>,
    /// From here on the output may hold NUL instead of what the first input held.
    hollow_from: Option<usize>,
    /// Whether the run cannot have been good, whatever the words.
    must_fail: bool,
    /// Whether a program that cannot even print its version here is passed over.
    may_not_start: bool,
}

/// Where trials are held.
struct Laboratory<'a> {
    campaign: &'a Campaign,
    rows: BTreeMap<&'static str, Row>,
    skipped: Vec<String>,
    count: usize,
    /// Only trials whose name contains this.
    only: Option<String>,
}

/// Holds every trial on every scenario of `scenarios` that it fits.
///
/// # Errors
/// The harness itself failed.
pub fn hold_all(
    campaign: &Campaign,
    scenarios: &[Scenario],
    hatches: &BTreeMap<String, BTreeMap<String, String>>,
    only: Option<&str>,
) -> Result<(Vec<Row>, Vec<String>)> {
    let (rows, skipped, count) = (BTreeMap::new(), Vec::new(), 0);
    let only = only.map(str::to_owned);
    let mut laboratory = Laboratory { campaign, rows, skipped, count, only };
    for scenario in scenarios.iter().filter(|scenario| scenario.real) {
        limits::hold(&mut laboratory, scenario)?;
        streams::hold(&mut laboratory, scenario)?;
        descriptors::hold(&mut laboratory, scenario)?;
        changes::hold(&mut laboratory, scenario)?;
        sandbox::hold(&mut laboratory, scenario, hatches.get(&scenario.applet))?;
    }
    Ok((laboratory.rows.into_values().collect(), laboratory.skipped))
}

impl Laboratory<'_> {
    /// Holds one trial of `scenario` and counts it under `kind`.
    fn hold(&mut self, kind: &'static str, scenario: &Scenario, trial: Trial) -> Result<()> {
        let name = format!("{}, {}", scenario.name, trial.detail);
        let full = format!("{kind}: {name}");
        if self.only.as_ref().is_some_and(|only| !full.contains(only.as_str())) {
            return Ok(());
        }
        self.count += 1;
        let stage = stage(self.campaign, self.count, scenario)?;
        let baseline = Self::baseline(&stage, &trial)?;
        let limits = Limits { time: Duration::from_secs(20), trace: u64::MAX };
        if trial.may_not_start {
            let version = [scenario.before.clone(), vec!["--version".to_owned()]].concat();
            let words = trial.words(scenario, &version);
            let started =
                stage.perform(&words, &trial.environment, Around::default(), limits, false);
            if started?.end != End::Exited(0) {
                self.skip(format!("{kind}: {}: the program cannot even start", trial.detail));
                return Ok(());
            }
        }
        let words = trial.words(scenario, &scenario.arguments);
        let mut outcome = stage.perform(&words, &trial.environment, trial.around, limits, false)?;
        if let (Some(from), Some(output)) = (trial.hollow_from, &mut outcome.output) {
            let bytes = output.iter_mut().zip(&scenario.inputs[0].bytes).skip(from);
            bytes.filter(|(shown, _)| **shown == 0).for_each(|(shown, held)| *shown = *held);
        }
        let mut violations = judge::judge(scenario, &baseline, &trial.charge, &outcome, true);
        if trial.must_fail && outcome.end == End::Exited(0) {
            let (class, what) = (Class::Silent, "status 0".to_owned());
            violations.insert(0, Violation { class, what, because: trial.detail.clone() });
        }
        let row = self.rows.entry(kind).or_insert_with(|| Row::new(kind));
        row.judged += 1;
        row.broken.extend(violations.into_iter().next().map(|violation| Broken {
            fault: name,
            violation,
            command: outcome.command,
        }));
        Ok(())
    }

    /// Where the next trial will be held.
    fn next_folder(&self) -> PathBuf {
        self.campaign.work.join(format!("real-{}", self.count + 1))
    }

    /// Notes that a kind of trial cannot be held here.
    fn skip(&mut self, what: String) {
        if !self.skipped.contains(&what) {
            self.skipped.push(what);
        }
    }

    /// What the scenario says when nothing fails. An endless one says nothing.
    fn baseline(stage: &Stage<'_>, trial: &Trial) -> Result<Baseline> {
        let mut lines = trial.lines.clone();
        if stage.scenario.inputs.iter().any(|input| input.fails_by_itself()) {
            let words = Trial::default().words(stage.scenario, &stage.scenario.arguments);
            let limits = Limits { time: Duration::from_secs(20), trace: u64::MAX };
            let outcome = stage.perform(&words, &[], Around::default(), limits, false)?;
            lines.extend(String::from_utf8_lossy(&outcome.errors).lines().map(str::to_owned));
        }
        Ok(Baseline { lines, text: Vec::new() })
    }
}

/// Where trial `number` is held.
fn stage<'a>(campaign: &'a Campaign, number: usize, scenario: &'a Scenario) -> Result<Stage<'a>> {
    // Only the last one is kept: some of them are large.
    let _ = std::fs::remove_dir_all(campaign.work.join(format!("real-{}", number - 1)));
    let folder = campaign.work.join(format!("real-{number}"));
    Stage::new(scenario, &campaign.strace, &campaign.programs, folder)
}

impl Trial {
    /// The command line: a shell, for what only a shell can set up, that becomes the program.
    fn words(&self, scenario: &Scenario, arguments: &[String]) -> Vec<String> {
        let script = format!("{} exec \"$@\" {}", self.before, self.redirect);
        let mut words = vec!["/bin/sh".to_owned(), "-c".to_owned(), script, "sh".to_owned()];
        words.extend_from_slice(&self.wrapper);
        words.push(scenario.applet.clone());
        words.extend_from_slice(arguments);
        words
    }
}

/// The output failed, for one of these reasons.
fn output_failed(reasons: &[&'static str]) -> Charge {
    Charge {
        rulings: vec![Ruling::new(Tell::Must, vec![Blamed::Output], "the output")],
        reasons: reasons.to_vec(),
        ..Charge::default()
    }
}

/// The input failed, for one of these reasons.
fn input_failed(input: usize, reasons: &[&'static str]) -> Charge {
    Charge {
        rulings: vec![Ruling::new(Tell::Must, vec![Blamed::Input(input)], "an input")],
        reasons: reasons.to_vec(),
        ..Charge::default()
    }
}
