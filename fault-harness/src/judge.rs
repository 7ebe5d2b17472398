//! The judge: what a run left, held against what is right.

use std::collections::BTreeSet;

use crate::expected::{self, Lacking};
use crate::messages::{self, Blamed, Message};
use crate::roles::{self, Role};
use crate::rulings::{Charge, Ruling, Tell};
use crate::run::Outcome;
use crate::scenario::{Expected, Scenario, Sink};
use crate::sink::{ENOUGH, KEPT};
use crate::verdict::{Class, Violation};
use crate::watch::End;

/// What a run without a fault left.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The lines on standard error.
    pub lines: Vec<String>,
    /// The text, where the scenario expects one.
    pub text: Vec<u8>,
}

/// Judges `outcome`, a run of `scenario` to which `charge` was done: what is wrong, the worst
/// first.
pub fn judge(
    scenario: &Scenario,
    baseline: &Baseline,
    charge: &Charge,
    outcome: &Outcome,
    links_are_right: bool,
) -> Vec<Violation> {
    let violations = Vec::new();
    let mut case = Case { scenario, baseline, charge, outcome, links_are_right, violations };
    case.judge();
    case.violations
}

struct Case<'a> {
    scenario: &'a Scenario,
    baseline: &'a Baseline,
    charge: &'a Charge,
    outcome: &'a Outcome,
    links_are_right: bool,
    violations: Vec<Violation>,
}

impl Case<'_> {
    fn judge(&mut self) {
        match self.outcome.end {
            End::Hung => return self.found(Class::Hang, "it did not end".to_owned()),
            End::Stopped if self.must_tell() => {
                return self.found(Class::Hang, "it goes on as if nothing had happened".to_owned());
            }
            End::Killed(signal) if !self.may_die_of(signal) => {
                return self.found(Class::Died, format!("by signal {signal}"));
            }
            _ => {}
        }
        let text = String::from_utf8_lossy(&self.outcome.errors).into_owned();
        if text.contains("panicked at") {
            return self.found(Class::Died, format!("by a panic: {}", first_line(&text)));
        }
        let speechless = self.charge.rulings.iter().any(|ruling| ruling.speechless);
        let told = if speechless { self.unheard() } else { self.messages(&text) };
        self.status(&told, speechless);
        self.output(&told);
    }

    fn found(&mut self, class: Class, what: String) {
        let because = self.charge.rulings.first().map(|ruling| ruling.because.clone());
        self.violations.push(Violation { class, what, because: because.unwrap_or_default() });
    }

    fn may_die_of(&self, signal: i32) -> bool {
        self.charge.deaths.contains(&signal) || (signal == libc::SIGPIPE && self.scenario.endless)
    }

    fn must_tell(&self) -> bool {
        self.charge.rulings.iter().any(|ruling| ruling.tell == Tell::Must)
    }

    /// What may have been said where nothing could be: only the status is left to tell it.
    fn unheard(&self) -> BTreeSet<Blamed> {
        let failed = self.outcome.end == End::Exited(1);
        let open = self.charge.rulings.iter().filter(|ruling| failed && ruling.tell != Tell::Never);
        open.flat_map(|ruling| ruling.sides.iter().copied()).collect()
    }

    /// Holds the lines that a run without a fault does not print against the rulings.
    fn messages(&mut self, text: &str) -> BTreeSet<Blamed> {
        let mut usual = self.baseline.lines.clone();
        let (mut told, mut told_as_usual) = (BTreeSet::new(), BTreeSet::new());
        for line in text.lines() {
            let message = messages::read(line, self.scenario);
            if let Some(known) = usual.iter().position(|usual| usual == line) {
                usual.swap_remove(known);
                told_as_usual.extend(message.blamed);
                continue;
            }
            if self.natural_end(&message) {
                continue;
            }
            told.extend(self.message(line, &message, &told));
        }
        let killed = matches!(self.outcome.end, End::Killed(_));
        let untold = self.charge.rulings.iter().filter(|_| !killed).find(|ruling| {
            let by = |side| told.contains(side) || told_as_usual.contains(side);
            ruling.tell == Tell::Must && !ruling.sides.iter().any(by)
        });
        if let Some(ruling) = untold
            && self.violations.is_empty()
        {
            let class =
                if self.outcome.end == End::Exited(0) { Class::Silent } else { Class::Untold };
            self.found(class, format!("no message about {}", ruling.because));
        }
        told
    }

    /// One line more than usual: who is blamed, if anybody may be.
    fn message(
        &mut self,
        line: &str,
        message: &Message,
        told: &BTreeSet<Blamed>,
    ) -> Option<Blamed> {
        if let Some(flaw) = &message.flaw {
            self.found(Class::Words, format!("{flaw}: {line}"));
            return message.blamed.first().copied();
        }
        let open = |ruling: &&Ruling| ruling.tell != Tell::Never;
        let allowed: Vec<&Ruling> = self.charge.rulings.iter().filter(open).collect();
        let Some(first) = allowed.first() else {
            self.found(Class::Visible, line.to_owned());
            return message.blamed.first().copied();
        };
        let anybody = first.sides.is_empty();
        let accepted = message.blamed.iter().copied().find(|side| {
            let ours = |ruling: &&Ruling| ruling.sides.is_empty() || ruling.sides.contains(side);
            let anew = !told.contains(side) || *side == Blamed::Nobody;
            anew && allowed.iter().copied().any(|ruling| ours(&ruling))
        });
        match accepted {
            Some(Blamed::Nobody) if !anybody => {
                self.found(Class::Words, format!("blames nobody: {line}"));
            }
            None if message.blamed.iter().any(|side| told.contains(side)) => {
                self.found(Class::Words, format!("said twice: {line}"));
            }
            None if message.blamed.contains(&Blamed::Nobody) => {
                self.found(Class::Words, format!("blames nobody: {line}"));
            }
            None => self.found(Class::Side, line.to_owned()),
            Some(_) if !self.reason_fits(message) => {
                self.found(Class::Words, format!("not the reason: {line}"));
            }
            Some(_) => {}
        }
        accepted.or(message.blamed.first().copied())
    }

    fn reason_fits(&self, message: &Message) -> bool {
        // An allocator turns every failure into "no memory".
        let memory = message.blamed.contains(&Blamed::Memory) || self.charge.of_memory;
        memory
            || self.charge.reasons.is_empty()
            || message.reason_is(self.charge.reasons.iter().copied())
    }

    /// An endless run ends when its output goes away; with SIGPIPE ignored it says so.
    fn natural_end(&self, message: &Message) -> bool {
        self.scenario.endless
            && !self.must_tell()
            && !self.scenario.sink.never_full()
            && message.blamed.contains(&Blamed::Output)
            && message.reason_is(["EPIPE", "ECONNRESET", "EIO"])
            && self.outcome.output.as_ref().is_some_and(|output| output.len() >= ENOUGH)
    }

    fn status(&mut self, told: &BTreeSet<Blamed>, speechless: bool) {
        let usual = i32::from(self.scenario.inputs.iter().any(|input| input.fails_by_itself()));
        let End::Exited(status) = self.outcome.end else { return };
        let right = if !told.is_empty() {
            status == 1 || (self.charge.of_memory && (1..=125).contains(&status))
        } else if self.scenario.endless && !self.charge.rulings.iter().any(|it| it.ended.is_some())
        {
            status == 1
        } else {
            status == usual || (speechless && status == 1)
        };
        if !right && self.violations.is_empty() {
            match (status, told.is_empty()) {
                (0, false) => self.found(Class::Silent, "status 0 in spite of a message".into()),
                (_, true) => self.found(Class::Untold, format!("status {status}, no message")),
                _ => self.found(Class::Status, format!("status {status}")),
            }
        }
    }

    fn output(&mut self, told: &BTreeSet<Blamed>) {
        let mut lacking = Lacking::default();
        for (index, input) in self.scenario.inputs.iter().enumerate() {
            let ended = self.charge.rulings.iter().any(|ruling| ruling.ended == Some(index));
            let blamed = told.contains(&Blamed::Input(index));
            if ended || blamed || input.fails_by_itself() {
                lacking.cut.insert(index);
            }
        }
        lacking.rest = told.iter().any(|side| !matches!(side, Blamed::Input(_)))
            || matches!(self.outcome.end, End::Stopped | End::Killed(_));
        if self.fits(&lacking) {
            return;
        }
        let beginning = Lacking { rest: true, ..lacking };
        let silent = self.outcome.end == End::Exited(0) || told.is_empty();
        let class = match (silent, self.fits(&beginning)) {
            (true, _) => Class::Silent,
            (false, _) => Class::Bytes,
        };
        let length = self.outcome.output.as_ref().map_or(0, Vec::len);
        self.found(class, format!("the output is not right ({length} bytes)"));
    }

    fn fits(&self, lacking: &Lacking) -> bool {
        match (&self.scenario.expected, &self.outcome.output) {
            (Expected::Links { .. }, _) => lacking.rest || self.links_are_right,
            (Expected::Text { .. }, None) => true,
            (Expected::Text { begins }, Some(output)) => {
                let Some(output) = self.own(output) else { return false };
                let whole = output == self.baseline.text && output.starts_with(begins.as_bytes());
                whole || (lacking.rest && self.baseline.text.starts_with(output))
            }
            (Expected::Segments(segments), Some(output)) => {
                self.own(output).is_some_and(|output| expected::fits(output, segments, lacking))
            }
            (Expected::Segments(segments), None) => {
                let partial = lacking.rest || !lacking.cut.is_empty() || self.scenario.endless;
                partial || self.accepted() == expected::length(segments) as u64
            }
        }
    }

    /// The bytes that /dev/null took: only the trace can tell.
    fn accepted(&self) -> u64 {
        let steps = roles::steps(&self.outcome.trace, self.scenario);
        let to_output = steps.iter().filter(|step| step.to == Some(Role::Output));
        to_output.map(|step| step.event.moved()).sum()
    }

    /// The output less what stood in the file before.
    fn own<'b>(&self, output: &'b [u8]) -> Option<&'b [u8]> {
        let appended = self.scenario.sink == Sink::AppendFile;
        output.strip_prefix(if appended { KEPT } else { b"" })
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
