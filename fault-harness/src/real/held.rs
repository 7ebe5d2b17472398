//! Holds trials, as many at a time as the campaign runs.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Result;
use fastrand::Rng;

use super::{Planned, Trial};
use crate::campaign::{Campaign, FIRST};
use crate::exact;
use crate::judge::{self, Baseline};
use crate::parallel::in_parallel;
use crate::report::{Broken, Row};
use crate::run::{Around, Outcome, Stage};
use crate::scenario::Expected;
use crate::verdict::{Class, Violation};
use crate::watch::{End, Limits, lock};

/// These runs are not traced: who tries again for ever is known by its processor time alone.
const LIMITS: Limits = Limits { trace: u64::MAX, processor: Duration::from_secs(3), ..FIRST };

/// What came of one trial.
enum Held {
    /// The program cannot even start in such a world.
    NotStarted,
    /// The way out that is asked for is none of this program's.
    NotKnown,
    /// The time was over.
    LeftOut,
    /// What was broken, worst first, and the command line.
    Judged(Vec<Violation>, String),
}

/// Holds `planned`; a row a kind, and what had to be passed over.
pub(super) fn hold(
    campaign: &Campaign,
    mut planned: Vec<Planned>,
) -> Result<(Vec<Row>, Vec<String>)> {
    if campaign.time.is_some() {
        // What is left out must not be all of the last kinds.
        Rng::with_seed(campaign.seed).shuffle(&mut planned);
    }
    let waiting: Vec<Mutex<Option<Planned>>> =
        planned.into_iter().map(|trial| Mutex::new(Some(trial))).collect();
    let begun = Instant::now();
    let held = in_parallel(campaign.jobs, waiting.len(), |index, _| {
        let Some(planned) = lock(&waiting[index]).take() else { return Ok(None) };
        let (kind, name) = (planned.kind, planned.name());
        let alone = format!("{kind}: {}", planned.trial.detail);
        if campaign.time.is_some_and(|time| begun.elapsed() > time) {
            return Ok(Some((kind, name, alone, Held::LeftOut)));
        }
        Ok(Some((kind, name, alone, one(campaign, planned)?)))
    })?;
    let (mut rows, mut skipped) = (BTreeMap::new(), Vec::new());
    for (kind, name, alone, held) in held.into_iter().flatten() {
        let row = rows.entry(kind).or_insert_with(|| Row::new(kind));
        let (violations, command) = match held {
            Held::Judged(violations, command) => (violations, command),
            Held::LeftOut => {
                row.left_out += 1;
                continue;
            }
            Held::NotStarted | Held::NotKnown => {
                let why = match held {
                    Held::NotKnown => "the program does not know the variable",
                    _ => "the program cannot even start",
                };
                let words = format!("{alone}: {why}");
                if !skipped.contains(&words) {
                    skipped.push(words);
                }
                continue;
            }
        };
        row.judged += 1;
        let worst = violations.into_iter().next();
        row.broken.extend(worst.map(|violation| Broken { fault: name, violation, command }));
    }
    Ok((rows.into_values().collect(), skipped))
}

fn one(campaign: &Campaign, planned: Planned) -> Result<Held> {
    let Planned { scenario, folder, trial, .. } = planned;
    let stage = Stage::new(&scenario, &campaign.strace, &campaign.programs, folder.clone())?;
    let baseline = baseline(&stage, &trial)?;
    if trial.may_not_start {
        let version = [scenario.before.clone(), vec!["--version".to_owned()]].concat();
        let words = trial.words(&scenario, &version);
        let started =
            stage.perform(&words, &trial.environment, Around::default(), LIMITS, false)?;
        if started.end != End::Exited(0) {
            fs::remove_dir_all(folder)?;
            return Ok(Held::NotStarted);
        }
    }
    if !knows_variables(&stage, &trial)? {
        fs::remove_dir_all(folder)?;
        return Ok(Held::NotKnown);
    }
    let words = trial.words(&scenario, &scenario.arguments);
    let mut outcome = stage.perform(&words, &trial.environment, trial.around, LIMITS, false)?;
    if let (Some(from), Some(output)) = (trial.hollow_from, &mut outcome.output) {
        let bytes = output.iter_mut().zip(scenario.inputs[0].bytes.iter()).skip(from);
        bytes.filter(|(shown, _)| **shown == 0).for_each(|(shown, held)| *shown = *held);
    }
    let mut violations = judge::judge(&scenario, &baseline, &trial.charge, &outcome, true);
    if trial.must_fail && outcome.end == End::Exited(0) {
        let (class, what) = (Class::Silent, "status 0".to_owned());
        violations.insert(0, Violation { class, what, because: trial.detail });
    }
    fs::remove_dir_all(folder)?;
    Ok(Held::Judged(violations, outcome.command))
}

/// Whether the program looks at the variables of a trial: one that does names them when their value
/// makes no sense. Of others the trial asks what they never promised.
fn knows_variables(stage: &Stage<'_>, trial: &Trial) -> Result<bool> {
    let names = trial.environment.iter().map(|(name, _)| name);
    let senseless: Vec<_> = names.map(|name| (name.clone(), "no such value".to_owned())).collect();
    let Some((name, _)) = senseless.first() else { return Ok(true) };
    let words = Trial::default().words(stage.scenario, &stage.scenario.arguments);
    let outcome = stage.perform(&words, &senseless, Around::default(), LIMITS, false)?;
    Ok(String::from_utf8_lossy(&outcome.errors).contains(name))
}

/// What the scenario says, and prints if that is known from nowhere else, when nothing fails.
fn baseline(stage: &Stage<'_>, trial: &Trial) -> Result<Baseline> {
    let mut baseline = Baseline { lines: trial.lines.clone(), text: Vec::new() };
    let scenario = stage.scenario;
    let is_text = matches!(scenario.expected, Expected::Text { .. });
    if is_text || scenario.inputs.iter().any(|input| input.fails_by_itself()) {
        let words = Trial::default().words(scenario, &scenario.arguments);
        let outcome = stage.perform(&words, &[], Around::default(), LIMITS, false)?;
        let Outcome { output, errors, .. } = outcome;
        baseline.text = exact::own(scenario, output.as_deref().unwrap_or_default()).to_vec();
        baseline.lines.extend(String::from_utf8_lossy(&errors).lines().map(str::to_owned));
    }
    Ok(baseline)
}
