//! Sandboxes: each call that can be done without is refused by a real filter in the kernel, with
//! an error, or by the death of whoever makes it.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Laboratory, Trial};
use crate::rulings::Charge;
use crate::scenario::{Scenario, Sink};
use crate::seccomp;

/// Calls that move bytes by reference: with the way out named in the scenario file none is made.
const FAST: &str = "splice,tee,vmsplice,sendfile,copy_file_range";

pub(super) fn hold(
    laboratory: &mut Laboratory<'_>,
    scenario: &Scenario,
    hatch: Option<&BTreeMap<String, String>>,
) -> Result<()> {
    if !matches!(scenario.sink, Sink::Pipe | Sink::File | Sink::Socket)
        || (scenario.endless && scenario.sink == Sink::File)
    {
        return Ok(());
    }
    let harness = std::env::current_exe()?.display().to_string();
    let wrapper = |calls: &str, answer: &str| {
        ["refuse", calls, answer].iter().fold(vec![harness.clone()], |mut words, word| {
            words.push((*word).to_owned());
            words
        })
    };
    for call in seccomp::DISPENSABLE.iter().map(|(name, _)| *name).chain([FAST]) {
        for answer in ["ENOSYS", "EPERM"] {
            laboratory.hold(
                "sandbox",
                scenario,
                Trial {
                    detail: format!("{call} says {answer}"),
                    wrapper: wrapper(call, answer),
                    may_not_start: true,
                    charge: Charge::default(),
                    ..Trial::default()
                },
            )?;
        }
    }
    let Some(hatch) = hatch.filter(|hatch| !hatch.is_empty()) else { return Ok(()) };
    let environment: Vec<_> = hatch.iter().map(|(a, b)| (a.clone(), b.clone())).collect();
    laboratory.hold(
        "sandbox",
        scenario,
        Trial {
            detail: format!("{FAST} kill, with {}={}", environment[0].0, environment[0].1),
            wrapper: wrapper(FAST, "KILL"),
            environment,
            may_not_start: true,
            ..Trial::default()
        },
    )
}
