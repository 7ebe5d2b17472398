//! Standard streams that are closed, open the wrong way round, or full.

use super::{Laboratory, Trial, input_failed, output_failed};
use crate::rulings::{Charge, Ruling, Tell};
use crate::scenario::{Scenario, Sink};

pub(super) fn plan(laboratory: &mut Laboratory, scenario: &Scenario) {
    if scenario.sink != Sink::Pipe {
        return;
    }
    output(laboratory, scenario);
    input(laboratory, scenario);
    errors(laboratory, scenario)
}

fn output(laboratory: &mut Laboratory, scenario: &Scenario) {
    for (detail, redirect, reason) in [
        ("output closed", ">&-", "EBADF"),
        ("output read-only", "1</dev/null", "EBADF"),
        ("output full", ">/dev/full", "ENOSPC"),
        ("input and output closed", "<&- >&-", "EBADF"),
    ] {
        if redirect.contains('<') && redirect.contains('>') && scenario.reads_stream().is_some() {
            continue;
        }
        laboratory.add(
            "standard streams",
            scenario,
            Trial {
                detail: detail.to_owned(),
                redirect: redirect.to_owned(),
                charge: output_failed(&[reason]),
                ..Trial::default()
            },
        );
    }
}

fn input(laboratory: &mut Laboratory, scenario: &Scenario) {
    for (detail, redirect) in [("input closed", "<&-"), ("input write-only", "0>/dev/null")] {
        let charge = match scenario.reads_stream() {
            Some(input) => input_failed(input, &["EBADF"]),
            None => Charge::default(),
        };
        laboratory.add(
            "standard streams",
            scenario,
            Trial {
                detail: detail.to_owned(),
                redirect: redirect.to_owned(),
                charge,
                // GNU says a second time that what it never had cannot be closed.
                lines: vec![format!(
                    "{}: closing standard input: Bad file descriptor",
                    scenario.speaks
                )],
                ..Trial::default()
            },
        );
    }
}

/// Words that cannot be said are dropped: bytes and status stand.
fn errors(laboratory: &mut Laboratory, scenario: &Scenario) {
    for (detail, redirect, output_fails) in [
        ("errors closed", "2>&-", false),
        ("errors full", "2>/dev/full", false),
        ("errors read-only", "2</dev/null", false),
        ("input and errors closed", "<&- 2>&-", false),
        ("output full, errors closed", ">/dev/full 2>&-", true),
        ("output and errors full", ">/dev/full 2>/dev/full", true),
        ("everything closed", "<&- >&- 2>&-", true),
    ] {
        if redirect.contains("<&-") && scenario.reads_stream().is_some() {
            continue;
        }
        let mut charge = if output_fails {
            output_failed(&[])
        } else {
            let rulings = vec![Ruling::new(Tell::Never, Vec::new(), "standard error")];
            Charge { rulings, ..Charge::default() }
        };
        charge.rulings[0].speechless = true;
        laboratory.add(
            "standard streams",
            scenario,
            Trial {
                detail: detail.to_owned(),
                redirect: redirect.to_owned(),
                charge,
                must_fail: output_fails,
                ..Trial::default()
            },
        );
    }
}
