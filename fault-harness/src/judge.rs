//! The judge: what a run left, held against what is right.

use std::collections::BTreeSet;

use crate::calls;
use crate::expected::{self, Lacking};
use crate::messages::{self, Blamed, Message};
use crate::plan::{Effect, Fault};
use crate::roles::{self, Role, Step};
use crate::rulings::{self, Ruling, Tell};
use crate::run::{End, Outcome};
use crate::scenario::{Expected, Scenario, Sink};
use crate::sink::{ENOUGH, KEPT};
use crate::verdict::{Class, Violation};

/// What a run without a fault left.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The lines on standard error.
    pub lines: Vec<String>,
    /// The text, where the scenario expects one.
    pub text: Vec<u8>,
}

/// What the judge made of a run.
#[derive(Debug)]
pub struct Judgement {
    /// The fault happened: another course of the run can pass by the call.
    pub reached: bool,
    /// What is wrong.
    pub violations: Vec<Violation>,
}

/// Judges `outcome`, a run of `scenario` with `fault` (or with none).
pub fn judge(
    scenario: &Scenario,
    baseline: &Baseline,
    fault: Option<&Fault>,
    outcome: &Outcome,
    links_are_right: bool,
) -> Judgement {
    let steps = roles::steps(&outcome.trace, scenario);
    let rulings = rulings_on(&steps, fault, scenario);
    let signalled = match fault.map(|fault| fault.effect) {
        Some(Effect::Signal(name)) => outcome.trace.signals.iter().any(|signal| signal == name),
        _ => false,
    };
    let mut case = Case {
        scenario,
        baseline,
        fault,
        outcome,
        steps: &steps,
        rulings: &rulings,
        links_are_right,
        violations: Vec::new(),
    };
    case.judge();
    Judgement { reached: signalled || !rulings.is_empty(), violations: case.violations }
}

fn rulings_on(steps: &[Step<'_>], fault: Option<&Fault>, scenario: &Scenario) -> Vec<Ruling> {
    let Some(fault) = fault else { return Vec::new() };
    let hit = steps.iter().enumerate().filter(|(_, step)| step.event.injected);
    hit.map(|(index, _)| rulings::ruling(steps, index, fault.effect, scenario)).collect()
}

struct Case<'a> {
    scenario: &'a Scenario,
    baseline: &'a Baseline,
    fault: Option<&'a Fault>,
    outcome: &'a Outcome,
    steps: &'a [Step<'a>],
    rulings: &'a [Ruling],
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
            End::Killed(signal) if !(signal == libc::SIGPIPE && self.scenario.endless) => {
                return self.found(Class::Died, format!("by signal {signal}"));
            }
            _ => {}
        }
        let text = String::from_utf8_lossy(&self.outcome.errors).into_owned();
        if text.contains("panicked at") {
            return self.found(Class::Died, format!("by a panic: {}", first_line(&text)));
        }
        let speechless = self.rulings.iter().any(|ruling| ruling.speechless);
        let told = if speechless { self.unheard() } else { self.messages(&text) };
        self.status(&told, speechless);
        self.output(&told);
    }

    fn found(&mut self, class: Class, what: String) {
        let because = self.rulings.first().map(|ruling| ruling.because.clone());
        self.violations.push(Violation { class, what, because: because.unwrap_or_default() });
    }

    fn must_tell(&self) -> bool {
        self.rulings.iter().any(|ruling| ruling.tell == Tell::Must)
    }

    /// What may have been said where nothing could be: only the status is left to tell it.
    fn unheard(&self) -> BTreeSet<Blamed> {
        let failed = self.outcome.end == End::Exited(1);
        let open = self.rulings.iter().filter(|ruling| failed && ruling.tell != Tell::Never);
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
        let untold = self.rulings.iter().find(|ruling| {
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
        let allowed: Vec<&Ruling> = self.rulings.iter().filter(open).collect();
        let Some(first) = allowed.first() else {
            self.found(Class::Visible, line.to_owned());
            return message.blamed.first().copied();
        };
        let anybody = first.sides.is_empty();
        let accepted = message.blamed.iter().copied().find(|side| {
            allowed.iter().any(|ruling| ruling.sides.is_empty() || ruling.sides.contains(side))
                && !told.contains(side)
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
        match self.fault.map(|fault| fault.effect) {
            Some(Effect::Error(error)) => {
                let memory = message.blamed.contains(&Blamed::Memory) || self.about_memory();
                memory || message.reason_is([error])
            }
            _ => true,
        }
    }

    /// An allocator turns every failure into "no memory".
    fn about_memory(&self) -> bool {
        let call = self.fault.and_then(|fault| calls::find(fault.call));
        call.is_some_and(|call| call.purpose == calls::Purpose::Memory)
    }

    /// An endless run ends when its output goes away; with SIGPIPE ignored it says so.
    fn natural_end(&self, message: &Message) -> bool {
        self.scenario.endless
            && !self.scenario.sink.never_full()
            && message.blamed.contains(&Blamed::Output)
            && message.reason_is(["EPIPE", "ECONNRESET", "EIO"])
            && self.outcome.output.as_ref().is_some_and(|output| output.len() >= ENOUGH)
    }

    fn status(&mut self, told: &BTreeSet<Blamed>, speechless: bool) {
        let usual = i32::from(self.scenario.inputs.iter().any(|input| input.fails_by_itself()));
        let End::Exited(status) = self.outcome.end else { return };
        let right = if !told.is_empty() {
            status == 1 || (self.about_memory() && (1..=125).contains(&status))
        } else if self.scenario.endless && !self.rulings.iter().any(|it| it.ended.is_some()) {
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
            let ended = self.rulings.iter().any(|ruling| ruling.ended == Some(index));
            let blamed = told.contains(&Blamed::Input(index));
            if ended || blamed || input.fails_by_itself() {
                lacking.cut.insert(index);
            }
        }
        lacking.rest = told.iter().any(|side| !matches!(side, Blamed::Input(_)))
            || self.outcome.end == End::Stopped;
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
        let to_output = self.steps.iter().filter(|step| step.to == Some(Role::Output));
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
