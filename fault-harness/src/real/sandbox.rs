//! Sandboxes: each call that can be done without is refused by a real filter in the kernel, with
//! an error, or by the death of whoever makes it.

use std::collections::BTreeMap;

use super::{Laboratory, Trial};
use crate::scenario::{Scenario, Sink};
use crate::seccomp;

/// Calls that move bytes by reference: with the way out named in the scenario file none is made.
const FAST: &str = "splice,tee,vmsplice,sendfile,copy_file_range";

pub(super) fn plan(
    laboratory: &mut Laboratory,
    scenario: &Scenario,
    hatch: Option<&BTreeMap<String, String>>,
) {
    if !matches!(scenario.sink, Sink::Pipe | Sink::File | Sink::Socket)
        || (scenario.endless && scenario.sink == Sink::File)
    {
        return;
    }
    // Under this name it is found even if its file is replaced meanwhile.
    let harness = format!("/proc/{}/exe", std::process::id());
    let wrapper = |calls: &str, answer: &str| {
        ["refuse", calls, answer].iter().fold(vec![harness.clone()], |mut words, word| {
            words.push((*word).to_owned());
            words
        })
    };
    for call in seccomp::DISPENSABLE.iter().map(|(name, _)| *name).chain([FAST]) {
        for answer in ["ENOSYS", "EPERM"] {
            let trial = under(wrapper(call, answer), format!("{call} says {answer}"));
            laboratory.add("sandbox", scenario, trial);
        }
        // Who makes the call dies of it: then at least what was written is a beginning.
        let mut trial = under(wrapper(call, "KILL"), format!("{call} kills"));
        trial.charge.deaths.push(libc::SIGSYS);
        laboratory.add("sandbox", scenario, trial);
    }
    let Some(hatch) = hatch.filter(|hatch| !hatch.is_empty()) else { return };
    let environment: Vec<_> = hatch.iter().map(|(a, b)| (a.clone(), b.clone())).collect();
    let detail = format!("{FAST} kill, with {}={}", environment[0].0, environment[0].1);
    let trial = under(wrapper(FAST, "KILL"), detail);
    laboratory.add("sandbox", scenario, Trial { environment, ..trial });
}

fn under(wrapper: Vec<String>, detail: String) -> Trial {
    Trial { detail, wrapper, may_not_start: true, ..Trial::default() }
}
