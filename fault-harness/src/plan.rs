//! From a recorded run to the list of faults.

use std::collections::BTreeMap;
use std::fmt;

use fastrand::Rng;

use crate::calls::{self, Purpose};
use crate::trace::Event;

/// One fault: what strace is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The call that fails.
    pub call: &'static str,
    /// Which of its occurrences, counted from the program's start.
    pub when: usize,
    /// All later ones too.
    pub persistent: bool,
    /// What happens instead.
    pub effect: Effect,
}

/// What happens instead of the call, or at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It fails with this error and does nothing.
    Error(&'static str),
    /// It answers 0 and does nothing.
    Zero,
    /// It is made, and this signal comes with it.
    Signal(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effect = match self.effect {
            Effect::Error(error) => format!("error={error}"),
            Effect::Zero => "retval=0".to_owned(),
            Effect::Signal(signal) => format!("signal={signal}"),
        };
        let plus = if self.persistent { "+" } else { "" };
        write!(formatter, "{}:{effect}:when={}{plus}", self.call, self.when)
    }
}

impl Fault {
    /// Reads what `to_string` writes.
    pub fn parse(text: &str) -> Option<Fault> {
        let mut parts = text.split(':');
        let call = calls::find(parts.next()?)?;
        let (kind, value) = parts.next()?.split_once('=')?;
        let when = parts.next()?.strip_prefix("when=")?;
        let effect = match kind {
            "error" => Effect::Error(call.errors().find(|error| *error == value)?),
            "retval" if value == "0" => Effect::Zero,
            "signal" => Effect::Signal(SIGNALS.into_iter().find(|signal| *signal == value)?),
            _ => return None,
        };
        let persistent = when.ends_with('+');
        let when = when.trim_end_matches('+').parse().ok()?;
        Some(Fault { call: call.name, when, persistent, effect })
    }
}

/// Signals that must change nothing: a stop (the harness lets the process go on), and those whose
/// default is to be ignored.
const SIGNALS: [&str; 3] = ["SIGSTOP", "SIGWINCH", "SIGCHLD"];

/// Every fault for the calls in `events` from `start` on. Occurrences: the first `edge` and the
/// last two of each call, and `middle` in between, drawn by `rng`.
pub fn faults(
    events: &[&Event],
    start: usize,
    edge: usize,
    middle: usize,
    rng: &mut Rng,
) -> Vec<Fault> {
    let mut occurrences: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        let count = counts.entry(&event.call).or_default();
        *count += 1;
        // `brk(NULL)` only asks, and never fails.
        let asks = event.call == "brk" && event.arguments.first().is_some_and(|it| it == "NULL");
        if index >= start && !asks {
            occurrences.entry(&event.call).or_default().push(*count);
        }
    }
    let mut faults = Vec::new();
    for (name, occurrences) in occurrences {
        let Some(call) = calls::find(name) else { continue };
        for when in chosen(&occurrences, edge, middle, rng) {
            faults.extend(effects(call).map(|(effect, persistent)| Fault {
                call: call.name,
                when,
                persistent,
                effect,
            }));
        }
    }
    faults
}

/// Calls in `events` that are neither made to fail nor left alone for a reason.
pub fn unknown(events: &[&Event], start: usize) -> Vec<String> {
    let names = events[start..].iter().map(|event| event.call.as_str());
    let unknown = names.filter(|it| calls::find(it).is_none() && !calls::LEFT_ALONE.contains(it));
    let mut unknown: Vec<String> = unknown.map(str::to_owned).collect();
    unknown.sort();
    unknown.dedup();
    unknown
}

fn chosen(occurrences: &[usize], edge: usize, middle: usize, rng: &mut Rng) -> Vec<usize> {
    if occurrences.len() <= edge + middle + 2 {
        return occurrences.to_vec();
    }
    let (first, rest) = occurrences.split_at(edge);
    let (between, last) = rest.split_at(rest.len() - 2);
    let mut chosen = [first, last].concat();
    chosen.extend(rng.choose_multiple(between.iter().copied(), middle));
    chosen.sort_unstable();
    chosen
}

fn effects(call: &calls::Call) -> impl Iterator<Item = (Effect, bool)> {
    let once_and_on = |effect| [(effect, false), (effect, true)];
    let mut effects = Vec::new();
    if call.fails_by_zero() {
        effects.extend(once_and_on(Effect::Zero));
        return effects.into_iter();
    }
    for error in call.errors() {
        effects.push((Effect::Error(error), false));
        // A call that would block for ever is not a fault: it is a wait.
        if !matches!(error, "EINTR" | "EAGAIN") {
            effects.push((Effect::Error(error), true));
        }
    }
    if call.purpose == Purpose::Fast {
        effects.extend(once_and_on(Effect::Zero));
    }
    if matches!(call.purpose, Purpose::Read | Purpose::Write) {
        effects.push((Effect::Zero, false));
    }
    if matches!(call.purpose, Purpose::Fast | Purpose::Read | Purpose::Write | Purpose::Wait) {
        effects.extend(SIGNALS.map(|signal| (Effect::Signal(signal), false)));
    }
    effects.into_iter()
}

/// How many faults of a call are kept for each one of the others: bytes are lost where they move.
fn weight(call: &str) -> usize {
    match calls::find(call).map(|call| call.purpose) {
        Some(Purpose::Fast) => 4,
        Some(Purpose::Read | Purpose::Write | Purpose::Open | Purpose::Close) => 2,
        _ => 1,
    }
}

/// At most about `limit` of `faults`, with something left of every call: the list is shuffled, and
/// then dealt out by call.
pub fn thin(mut faults: Vec<Fault>, limit: usize, rng: &mut Rng) -> Vec<Fault> {
    if faults.len() <= limit {
        return faults;
    }
    rng.shuffle(&mut faults);
    let mut by_call: BTreeMap<&str, Vec<Fault>> = BTreeMap::new();
    for fault in faults {
        by_call.entry(fault.call).or_default().push(fault);
    }
    let mut kept = Vec::new();
    while kept.len() < limit {
        for (call, faults) in &mut by_call {
            let left = faults.len().saturating_sub(weight(call));
            kept.extend(faults.drain(left..));
        }
    }
    kept
}

/// What a fault does, whichever occurrence it does it to.
pub type Kind = (&'static str, Effect, bool);

impl Fault {
    /// See `Kind`.
    pub fn kind(&self) -> Kind {
        (self.call, self.effect, self.persistent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Trace;

    #[test]
    fn a_fault_reads_back_as_it_was_written() {
        for text in
            ["write:error=ENOSPC:when=2+", "splice:retval=0:when=1", "read:signal=SIGSTOP:when=3"]
        {
            assert_eq!(Fault::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Fault::parse("write:error=ENOTTY:when=1"), None);
    }

    #[test]
    fn faults_are_counted_from_the_programs_start_and_begin_after_it() {
        let trace = Trace::parse("1 execve() = 0\n1 read(3, 1) = 1\n1 read(3, 1) = 1\n1 x() = 0\n");
        let events: Vec<&Event> = trace.events.iter().collect();
        let faults = faults(&events, 2, 3, 2, &mut Rng::with_seed(1));
        assert!(faults.iter().all(|fault| fault.call == "read" && fault.when == 2));
        assert!(faults.iter().any(|fault| fault.to_string() == "read:error=EIO:when=2+"));
        assert!(!faults.iter().any(|fault| fault.to_string() == "read:error=EINTR:when=2+"));
        assert_eq!(unknown(&events, 2), ["x"]);
    }

    #[test]
    fn thinning_leaves_something_of_every_call() {
        let fault = |call, when| Fault { call, when, persistent: false, effect: Effect::Zero };
        let mut faults: Vec<Fault> = (0..90).map(|when| fault("read", when)).collect();
        faults.push(fault("close", 1));
        let kept = thin(faults, 10, &mut Rng::with_seed(1));
        assert!(kept.iter().any(|fault| fault.call == "close"));
        assert!((10..=12).contains(&kept.len()), "{}", kept.len());
    }
}
