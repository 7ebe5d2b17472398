//! An input that changes while it is read.

use std::fs::File;
use std::io::Write;

use super::{Laboratory, Trial};
use crate::rulings::{Charge, Ruling, Tell};
use crate::run::Around;
use crate::scenario::{Expected, Scenario, Sink, SourceKind};
use crate::sink::{Act, After};

pub(super) fn plan(laboratory: &mut Laboratory, scenario: &Scenario) {
    let [input] = &scenario.inputs[..] else { return };
    let plain = scenario.option.is_empty() && !scenario.endless;
    if input.kind != SourceKind::File || scenario.sink != Sink::PagePipe || !plain {
        return;
    }
    for at in [1, 10_000, 1 << 20] {
        if at < input.bytes.len() / 2 {
            truncated(laboratory, scenario, at);
            grown(laboratory, scenario, at);
        }
    }
}

/// What is there is a beginning of the old file. Bytes that the kernel handed over by reference
/// are the file's own until they are read: those that were cut off may have become NUL.
fn truncated(laboratory: &mut Laboratory, scenario: &Scenario, at: usize) {
    for left in [0, 1 << 16] {
        let path = laboratory.next_folder().join(&scenario.inputs[0].name);
        let act = Act::Call(Box::new(move || {
            // A failure leaves the file whole, and the run right.
            let _ = File::options().write(true).open(path).and_then(|file| file.set_len(left));
        }));
        let mut ruling = Ruling::new(Tell::Never, Vec::new(), "a file cut short");
        ruling.ended = Some(0);
        laboratory.add(
            "file changes",
            scenario,
            Trial {
                detail: format!("cut to {left} when {at} were read"),
                around: Around { after: Some(After { bytes: at, act }), ..Around::default() },
                charge: Charge { rulings: vec![ruling], ..Charge::default() },
                hollow_from: Some(left as usize),
                ..Trial::default()
            },
        );
    }
}

fn grown(laboratory: &mut Laboratory, scenario: &Scenario, at: usize) {
    let mut longer = scenario.clone();
    let Expected::Segments(segments) = &mut longer.expected else { return };
    segments.push(segments[0].clone());
    let path = laboratory.next_folder().join(&scenario.inputs[0].name);
    let more = scenario.inputs[0].bytes.clone();
    let act = Act::Call(Box::new(move || {
        let _ = File::options().append(true).open(path).and_then(|mut file| file.write_all(&more));
    }));
    // How much of what was added is seen depends on when it was added.
    let mut ruling = Ruling::new(Tell::Never, Vec::new(), "a file that grows");
    ruling.ended = Some(1);
    laboratory.add(
        "file changes",
        &longer,
        Trial {
            detail: format!("doubled when {at} were read"),
            around: Around { after: Some(After { bytes: at, act }), ..Around::default() },
            charge: Charge { rulings: vec![ruling], ..Charge::default() },
            ..Trial::default()
        },
    )
}
