//! The judge: what a run left, held against what is right.

use std::collections::BTreeSet;

use crate::exact;
use crate::expected::Lacking;
use crate::messages::{self, Blamed, Message};
use crate::rulings::{Charge, Ruling, Tell};
use crate::run::Outcome;
use crate::scenario::Scenario;
use crate::sink::ENOUGH;
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
        let told = if self.is_speechless() { self.unheard() } else { self.messages(&text) };
        self.status(&told);
        self.output(&told);
    }

    fn is_speechless(&self) -> bool {
        self.charge.rulings.iter().any(|ruling| ruling.speechless)
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
            // EINVAL is what a splice to a terminal that was closed gets.
            && message.reason_is(["EPIPE", "ECONNRESET", "EIO", "EINVAL"])
            && self.outcome.output.as_ref().is_some_and(|output| output.len() >= ENOUGH)
    }

    /// Whether an endless input that was said to be at its end was read on all the same.
    fn went_on_to_the_end(&self) -> bool {
        let text = String::from_utf8_lossy(&self.outcome.errors);
        text.lines().any(|line| self.natural_end(&messages::read(line, self.scenario)))
    }

    fn status(&mut self, told: &BTreeSet<Blamed>) {
        let usual = self.scenario.inputs.iter().any(|input| input.fails_by_itself());
        // An input that would have failed, had its first read not been told that there is nothing.
        let without_ended = self.scenario.inputs.iter().enumerate().any(|(index, input)| {
            input.fails_by_itself() && !self.charge.rulings.iter().any(|it| it.ended == Some(index))
        });
        let usual = [usual, without_ended].map(i32::from);
        let End::Exited(status) = self.outcome.end else { return };
        let right = if !told.is_empty() {
            status == 1 || (self.charge.of_memory && (1..=125).contains(&status))
        } else if self.scenario.endless && !self.charge.rulings.iter().any(|it| it.ended.is_some())
        {
            status == 1
        } else {
            usual.contains(&status)
                || (status == 1 && (self.is_speechless() || self.went_on_to_the_end()))
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
        let unheard = self.outcome.end == End::Exited(1) && self.is_speechless();
        let class = match () {
            // It failed and would have said so, although nobody need have noticed anything.
            () if unheard && self.fits(&beginning) => Class::Visible,
            () if self.outcome.end == End::Exited(0) || told.is_empty() => Class::Silent,
            () => Class::Bytes,
        };
        let length = self.outcome.output.as_ref().map_or(0, Vec::len);
        self.found(class, format!("the output is not right ({length} bytes)"));
    }

    fn fits(&self, lacking: &Lacking) -> bool {
        let text = &self.baseline.text;
        exact::fits(self.scenario, text, self.outcome, lacking, self.links_are_right)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
