//! The whole run: record every scenario, plan its faults, inject them on all cores, judge each.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;

use crate::exact;
use crate::judge::{self, Baseline};
use crate::parallel::in_parallel;
use crate::plan::{self, Effect, Fault};
use crate::report::Row;
use crate::roles;
use crate::rulings::Charge;
use crate::run::{Outcome, Stage};
use crate::scenario::{Expected, Scenario};
use crate::share;
use crate::startup;
use crate::strace::Strace;
use crate::trace::Event;
use crate::verdict::Judgement;
use crate::watch::{self, Limits, lock};

/// What a campaign is made of.
#[derive(Debug)]
pub struct Campaign {
    /// The strace that makes the faults.
    pub strace: Strace,
    /// The folder of the programs under test.
    pub programs: PathBuf,
    /// Where runs leave their files.
    pub work: PathBuf,
    /// Runs at a time.
    pub jobs: usize,
    /// Draws the spread.
    pub seed: u64,
    /// About how many faults in all.
    pub limit: usize,
    /// How long it may take, from now on.
    pub time: Option<Duration>,
}

/// A scenario that was run without a fault.
#[derive(Debug)]
pub(crate) struct Recorded<'a> {
    scenario: &'a Scenario,
    baseline: Baseline,
    limits: Limits,
    pub(crate) faults: Vec<Fault>,
    unknown: Vec<String>,
    /// Why it cannot be used.
    unfit: Option<String>,
}

/// The limits of a run of which nothing is known yet.
pub const FIRST: Limits =
    Limits { time: Duration::from_secs(60), processor: Duration::from_secs(10), trace: 4 << 20 };

impl Campaign {
    /// Runs everything.
    ///
    /// # Errors
    /// The harness itself failed.
    pub fn run(&self, scenarios: &[Scenario]) -> Result<Vec<Row>> {
        let begun = Instant::now();
        let recorded = in_parallel(self.jobs, scenarios.len(), |index, worker| {
            self.record(&scenarios[index], index, worker)
        })?;
        let mut recorded = recorded;
        share::out(&mut recorded, self.limit, self.seed);
        let jobs = self.order(&recorded);
        let rows = recorded.iter().map(|it| {
            let mut row = Row::new(&it.scenario.name);
            row.unknown.clone_from(&it.unknown);
            row.unfit.clone_from(&it.unfit);
            row
        });
        let rows = Mutex::new(rows.collect::<Vec<Row>>());
        let stages: Vec<Mutex<Option<(usize, Stage<'_>)>>> =
            (0..self.jobs).map(|_| Mutex::new(None)).collect();
        in_parallel(self.jobs, jobs.len(), |job, worker| {
            let (index, fault) = jobs[job];
            if self.time.is_some_and(|time| begun.elapsed() > time) {
                lock(&rows)[index].left_out += 1;
                return Ok(());
            }
            let mut stage = lock(&stages[worker]);
            if stage.as_ref().is_none_or(|(built, _)| *built != index) {
                *stage = Some((index, self.stage(recorded[index].scenario, index, worker)?));
            }
            let Some((_, stage)) = stage.as_ref() else { return Ok(()) };
            let (outcome, judgement) = self.inject(stage, &recorded[index], fault)?;
            lock(&rows)[index].count(fault, &outcome, judgement);
            Ok(())
        })?;
        Ok(rows.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The faults in the order in which they are made: scenario by scenario. Where the time may not
    /// suffice, in rounds, so that it is not all of the last scenarios that is left out.
    fn order<'a>(&self, recorded: &'a [Recorded<'_>]) -> Vec<(usize, &'a Fault)> {
        let rounds = if self.time.is_some() { 8 } else { 1 };
        let of_round = |round: usize| {
            recorded.iter().enumerate().flat_map(move |(index, recorded)| {
                let some = recorded.faults.iter().skip(round).step_by(rounds);
                some.map(move |fault| (index, fault))
            })
        };
        (0..rounds).flat_map(of_round).collect()
    }

    /// One fault, or none, for a reader's eyes.
    ///
    /// # Errors
    /// The harness itself failed.
    pub fn replay(
        &self,
        scenario: &Scenario,
        fault: Option<&Fault>,
    ) -> Result<(Outcome, Judgement)> {
        let recorded = self.record(scenario, 0, 0)?;
        let stage = self.stage(scenario, 0, 0)?;
        self.inject(&stage, &recorded, fault.context("no fault")?)
    }

    fn stage<'a>(
        &'a self,
        scenario: &'a Scenario,
        index: usize,
        worker: usize,
    ) -> Result<Stage<'a>> {
        let folder = self.work.join(format!("worker-{worker}"));
        // What the last scenario left is not needed any more.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        let folder = folder.join(format!("scenario-{index}"));
        Stage::new(scenario, &self.strace, &self.programs, folder)
    }

    fn record<'a>(
        &self,
        scenario: &'a Scenario,
        index: usize,
        worker: usize,
    ) -> Result<Recorded<'a>> {
        let stage = self.stage(scenario, index, worker)?;
        let version = [scenario.before.clone(), vec!["--version".to_owned()]].concat();
        let reference = stage.run(None, &version, FIRST)?;
        let outcome = stage.run(None, &scenario.arguments, FIRST)?;
        let errors = String::from_utf8_lossy(&outcome.errors);
        // What an endless run says at its end is no usual line: a fault may be behind the same.
        let usual = errors.lines().filter(|_| !scenario.endless);
        let baseline = Baseline {
            lines: usual.map(str::to_owned).collect(),
            text: exact::own(scenario, outcome.output.as_deref().unwrap_or_default()).to_vec(),
        };
        let right = links_are_right(&stage, &self.programs)?;
        let violations = judge::judge(scenario, &baseline, &Charge::default(), &outcome, right);
        let failing = scenario.inputs.iter().filter(|input| input.fails_by_itself()).count();
        let unfit = match violations.first() {
            Some(violation) => Some(format!("without a fault: {}", violation.what)),
            None if baseline.lines.len() != failing && !scenario.endless => {
                Some(format!("without a fault it says: {}", errors.trim_end()))
            }
            None => None,
        };
        let steps = roles::steps(&outcome.trace, scenario);
        let process = outcome.trace.main_process();
        let events = outcome.trace.events.iter().filter(|event| event.process == process);
        let mut events: Vec<&Event> = events.collect();
        let start = startup::length(&outcome.trace, &reference.trace, &steps);
        if scenario.endless {
            let output = outcome.output.as_ref().map_or(0, Vec::len) as u64;
            let (made, traced) = (events.len() - start, outcome.trace.length);
            events.truncate(start + watch::made_by_every_run(made, traced, output));
        }
        let mut rng = Rng::with_seed(self.seed ^ index as u64);
        let faults = match unfit {
            Some(_) => Vec::new(),
            None => plan::faults(&events, start, 3, 2, &mut rng),
        };
        let took = outcome.took;
        // About eight times the lines of a run without a fault.
        let trace = (256 << 10) + outcome.trace.events.len() as u64 * 800;
        let limits = Limits {
            time: FIRST.time + took * 30,
            processor: Duration::from_secs(1) + took * 10,
            trace,
        };
        let unknown = plan::unknown(&events, start);
        Ok(Recorded { scenario, baseline, limits, faults, unknown, unfit })
    }

    fn inject(
        &self,
        stage: &Stage<'_>,
        recorded: &Recorded<'_>,
        fault: &Fault,
    ) -> Result<(Outcome, Judgement)> {
        let arguments = &recorded.scenario.arguments;
        let outcome = stage.run(Some(fault), arguments, recorded.limits)?;
        let right = links_are_right(stage, &self.programs)?;
        let charge = Charge::of(fault, &outcome.trace, recorded.scenario);
        let arrived = match fault.effect {
            Effect::Signal(name) => outcome.trace.signals.iter().any(|signal| signal == name),
            _ => false,
        };
        let reached = arrived || !charge.rulings.is_empty();
        let violations =
            judge::judge(recorded.scenario, &recorded.baseline, &charge, &outcome, right);
        Ok((outcome, Judgement { reached, violations }))
    }
}

/// Whether every applet that the program lists has its link, and the link is to the program.
fn links_are_right(stage: &Stage<'_>, programs: &Path) -> Result<bool> {
    let Expected::Links { folder } = &stage.scenario.expected else { return Ok(true) };
    let program = programs.join(&stage.scenario.applet);
    let list = Command::new(&program).arg("--list").stdin(Stdio::null()).output()?;
    let names: BTreeSet<String> =
        String::from_utf8_lossy(&list.stdout).lines().map(str::to_owned).collect();
    let installed = fs::metadata(stage.folder().join(&stage.scenario.applet))?;
    let linked = |name: &String| {
        fs::metadata(stage.folder().join(folder).join(name))
            .is_ok_and(|link| (link.dev(), link.ino()) == (installed.dev(), installed.ino()))
    };
    Ok(!names.is_empty() && names.iter().all(linked))
}
