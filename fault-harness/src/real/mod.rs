//! Real faults: no call is tampered with, the world around the program is what fails.

mod changes;
mod descriptors;
mod held;
mod limits;
mod sandbox;
mod streams;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::campaign::Campaign;
use crate::messages::Blamed;
use crate::report::Row;
use crate::rulings::{Charge, Ruling, Tell};
use crate::run::Around;
use crate::scenario::Scenario;

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

/// A trial on a scenario, to be held in a folder of its own.
struct Planned {
    kind: &'static str,
    scenario: Scenario,
    folder: PathBuf,
    trial: Trial,
}

impl Planned {
    /// What it is called in reports and on the command line, less its kind.
    fn name(&self) -> String {
        format!("{}, {}", self.scenario.name, self.trial.detail)
    }

    fn full_name(&self) -> String {
        format!("{}: {}", self.kind, self.name())
    }
}

/// Where trials are thought out.
struct Laboratory {
    /// Where the folders of the runs will be.
    work: PathBuf,
    planned: Vec<Planned>,
    /// Needs of a trial that this machine does not meet.
    lacking: Vec<String>,
}

/// The names of all trials on `scenarios`; as `hold_all`.
pub fn names(
    scenarios: &[Scenario],
    hatches: &BTreeMap<String, BTreeMap<String, String>>,
) -> Vec<String> {
    let laboratory = plan(Path::new(""), scenarios, hatches);
    laboratory.planned.iter().map(Planned::full_name).collect()
}

/// What came of all trials.
#[derive(Debug, Default)]
pub struct Findings {
    /// A row a kind.
    pub rows: Vec<Row>,
    /// Trials that a program could not even start under.
    pub skipped: Vec<String>,
    /// Needs of a trial that this machine does not meet.
    pub lacking: Vec<String>,
}

/// Holds every trial on every scenario of `scenarios` that it fits. `hatches` says by applet what
/// keeps it to `read` and `write`; `only` trials whose name is this, or else contains it.
///
/// # Errors
/// The harness itself failed.
pub fn hold_all(
    campaign: &Campaign,
    scenarios: &[Scenario],
    hatches: &BTreeMap<String, BTreeMap<String, String>>,
    only: Option<&str>,
) -> Result<Findings> {
    let mut laboratory = plan(&campaign.work, scenarios, hatches);
    if let Some(only) = only {
        let exact = laboratory.planned.iter().any(|trial| trial.full_name() == only);
        laboratory.planned.retain(|trial| {
            let name = trial.full_name();
            if exact { name == only } else { name.contains(only) }
        });
    }
    let (rows, skipped) = held::hold(campaign, laboratory.planned)?;
    let mut lacking = laboratory.lacking;
    let none = rows.iter().filter(|row| row.judged == 0 && row.left_out == 0);
    lacking.extend(none.map(|row| format!("{}: not one could be held", row.scenario)));
    Ok(Findings { rows, skipped, lacking })
}

fn plan(
    work: &Path,
    scenarios: &[Scenario],
    hatches: &BTreeMap<String, BTreeMap<String, String>>,
) -> Laboratory {
    let (planned, lacking) = (Vec::new(), Vec::new());
    let mut laboratory = Laboratory { work: work.to_owned(), planned, lacking };
    for scenario in scenarios.iter().filter(|scenario| scenario.real) {
        limits::plan(&mut laboratory, scenario);
        streams::plan(&mut laboratory, scenario);
        descriptors::plan(&mut laboratory, scenario);
        changes::plan(&mut laboratory, scenario);
        sandbox::plan(&mut laboratory, scenario, hatches.get(&scenario.applet));
    }
    laboratory
}

impl Laboratory {
    /// One trial more of `scenario`, counted under `kind`.
    fn add(&mut self, kind: &'static str, scenario: &Scenario, trial: Trial) {
        let (folder, scenario) = (self.next_folder(), scenario.clone());
        self.planned.push(Planned { kind, scenario, folder, trial });
    }

    /// Where the next trial will be held.
    fn next_folder(&self) -> PathBuf {
        self.work.join(format!("real-{}", self.planned.len()))
    }

    /// Notes that a kind of trial cannot be held here.
    fn lacks(&mut self, what: &str) {
        if !self.lacking.iter().any(|it| it == what) {
            self.lacking.push(what.to_owned());
        }
    }
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
