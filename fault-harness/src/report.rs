//! What a campaign found: a table for people, JSON for programs, a line to repeat each violation.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::plan::Fault;
use crate::run::Outcome;
use crate::verdict::{Class, Judgement, Violation};

/// One scenario's results.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The scenario.
    pub scenario: String,
    /// Faults that happened and were judged.
    pub judged: usize,
    /// Faults that another course of the run passed by; the run was judged all the same.
    pub missed: usize,
    /// Faults for which the time did not suffice.
    pub left_out: usize,
    /// How often each call was made to fail.
    pub calls: BTreeMap<&'static str, usize>,
    /// What was broken.
    pub broken: Vec<Broken>,
    /// Why the scenario could not be used.
    pub unfit: Option<String>,
    /// Calls that the table of calls does not know.
    pub unknown: Vec<String>,
}

/// A fault and what was broken under it.
#[derive(Debug, Serialize)]
pub struct Broken {
    /// The fault, as strace or the list of real faults calls it.
    pub fault: String,
    /// The first violation: those after it follow from it, more often than not.
    #[serde(flatten)]
    pub violation: Violation,
    /// The command line.
    pub command: String,
}

impl Row {
    /// No results yet.
    pub fn new(scenario: &str) -> Row {
        Row {
            scenario: scenario.to_owned(),
            judged: 0,
            missed: 0,
            left_out: 0,
            calls: BTreeMap::new(),
            broken: Vec::new(),
            unfit: None,
            unknown: Vec::new(),
        }
    }

    /// Adds a run.
    pub fn count(&mut self, fault: &Fault, outcome: &Outcome, judgement: Judgement) {
        if judgement.reached {
            self.judged += 1;
            *self.calls.entry(fault.call).or_default() += 1;
        } else {
            self.missed += 1;
        }
        self.broken.extend(judgement.violations.into_iter().next().map(|violation| Broken {
            fault: fault.to_string(),
            violation,
            command: outcome.command.clone(),
        }));
    }

    fn of_class(&self, class: Class) -> usize {
        self.broken.iter().filter(|broken| broken.violation.class == class).count()
    }
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The strace that was used.
    pub strace: String,
    /// What the spread was drawn with.
    pub seed: u64,
    /// Left out, and why.
    pub skipped: Vec<String>,
    /// What this machine or its strace lacks, and what was therefore left out.
    pub lacking: Vec<String>,
    /// Whether that is a failure: who runs everything, as CI does, wants to know.
    pub strict: bool,
    /// Injected faults, a row a scenario.
    pub injected: Vec<Row>,
    /// Real faults, a row a kind.
    pub real: Vec<Row>,
}

impl Report {
    /// Faults judged.
    pub fn judged(&self) -> usize {
        self.rows().map(|row| row.judged).sum()
    }

    /// Faults under which something was broken.
    pub fn broken(&self) -> usize {
        self.rows().map(|row| row.broken.len()).sum()
    }

    /// Whether there is anything that must not be.
    pub fn is_clean(&self) -> bool {
        let whole = !self.strict || self.lacking.is_empty();
        whole && self.broken() == 0 && self.rows().all(|row| row.unfit.is_none())
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.injected.iter().chain(&self.real)
    }

    /// The table, what was left out, and each violation with the line that repeats it.
    pub fn text(&self, again: &str) -> String {
        let mut text = String::new();
        for (title, rows) in [("injected faults", &self.injected), ("real faults", &self.real)] {
            if !rows.is_empty() {
                table(&mut text, title, rows);
            }
        }
        for (row, broken) in with_violations(&self.injected) {
            let Broken { fault, violation, .. } = broken;
            let (class, what) = (violation.class.name(), &violation.what);
            let _ = writeln!(text, "\n{class}: {} [{fault}]: {what}", row.scenario);
            let _ = writeln!(text, "  {again} --scenario '{}' --inject '{fault}'", row.scenario);
        }
        for (row, broken) in with_violations(&self.real) {
            let Broken { fault, violation, command } = broken;
            let (class, what) = (violation.class.name(), &violation.what);
            let _ = writeln!(text, "\n{class}: {}: {fault}: {what}", row.scenario);
            let _ = writeln!(text, "  {command}");
            let _ = writeln!(text, "  {again} --real '{}: {fault}'", row.scenario);
        }
        self.notes(&mut text);
        let _ = writeln!(
            text,
            "\n{} faults judged, {} with a violation. {}; seed {}.",
            self.judged(),
            self.broken(),
            self.strace,
            self.seed
        );
        text
    }

    fn notes(&self, text: &mut String) {
        let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
        for (call, count) in self.injected.iter().flat_map(|row| &row.calls) {
            *calls.entry(call).or_default() += count;
        }
        if !calls.is_empty() {
            let calls: Vec<_> =
                calls.iter().map(|(call, count)| format!("{call} {count}")).collect();
            let _ = writeln!(text, "made to fail: {}", calls.join(", "));
        }
        let left_out: usize = self.rows().map(|row| row.left_out).sum();
        if left_out > 0 {
            let _ = writeln!(text, "SKIPPED: {left_out} faults: the time was over");
        }
        for skipped in &self.skipped {
            let _ = writeln!(text, "SKIPPED: {skipped}");
        }
        for lacking in &self.lacking {
            let _ = writeln!(text, "NOT TESTED HERE: {lacking}");
        }
        for row in self.rows() {
            if let Some(unfit) = &row.unfit {
                let _ = writeln!(text, "UNFIT: {}: {unfit}", row.scenario);
            }
        }
        let mut unknown: BTreeMap<&str, &str> = BTreeMap::new();
        for row in self.rows() {
            unknown.extend(row.unknown.iter().map(|call| (call.as_str(), row.scenario.as_str())));
        }
        for (call, scenario) in unknown {
            let _ = writeln!(
                text,
                "NOT MADE TO FAIL: {call}, which the table of calls lacks ({scenario})"
            );
        }
    }
}

fn with_violations(rows: &[Row]) -> impl Iterator<Item = (&Row, &Broken)> {
    rows.iter().flat_map(|row| row.broken.iter().map(move |broken| (row, broken)))
}

fn table(text: &mut String, title: &str, rows: &[Row]) {
    let width = rows.iter().map(|row| row.scenario.len()).max().unwrap_or(0).max(title.len());
    let _ = write!(text, "{title:width$}  judged  missed");
    for class in Class::ALL {
        let _ = write!(text, " {:>8}", class.name());
    }
    text.push('\n');
    let mut sums = Row::new("total");
    for row in rows {
        line(text, width, row, |class| row.of_class(class));
        sums.judged += row.judged;
        sums.missed += row.missed;
    }
    line(text, width, &sums, |class| rows.iter().map(|row| row.of_class(class)).sum());
    text.push('\n');
}

fn line(text: &mut String, width: usize, row: &Row, of_class: impl Fn(Class) -> usize) {
    let _ = write!(text, "{:width$}  {:6}  {:6}", row.scenario, row.judged, row.missed);
    for class in Class::ALL {
        match of_class(class) {
            0 => text.push_str("        -"),
            count => {
                let _ = write!(text, " {count:8}");
            }
        }
    }
    text.push('\n');
}
