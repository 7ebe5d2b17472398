//! The other ends of streams: a reader that leaves, a connection that is reset, a terminal that
//! hangs up.

use super::{Laboratory, Trial, input_failed, output_failed};
use crate::messages::Blamed;
use crate::rulings::{Charge, Ruling, Tell};
use crate::run::Around;
use crate::scenario::{Scenario, Sink, SourceKind};
use crate::sink::{Act, After};

pub(super) fn plan(laboratory: &mut Laboratory, scenario: &Scenario) {
    if scenario.is_long() {
        match scenario.sink {
            Sink::Pipe => reader_gone(laboratory, scenario),
            Sink::Socket => output_reset(laboratory, scenario),
            Sink::Terminal => terminal_closed(laboratory, scenario),
            _ => {}
        }
    }
    match scenario.inputs.first().map(|input| input.kind) {
        Some(SourceKind::Socket) if scenario.sink == Sink::Pipe => {
            input_reset(laboratory, scenario)
        }
        Some(SourceKind::Terminal) if scenario.sink == Sink::Pipe => hang_up(laboratory, scenario),
        _ => {}
    }
}

fn gone_after(bytes: usize, act: Act, tcp: bool) -> Around {
    Around { after: Some(After { bytes, act }), tcp, ..Around::default() }
}

fn reader_gone(laboratory: &mut Laboratory, scenario: &Scenario) {
    for bytes in [0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 1 << 20] {
        for ignored in [false, true] {
            let charge = if ignored {
                output_failed(&["EPIPE"])
            } else {
                Charge { deaths: vec![libc::SIGPIPE], ..Charge::default() }
            };
            laboratory.add(
                "reader gone",
                scenario,
                Trial {
                    detail: format!(
                        "after {bytes}{}",
                        if ignored { ", SIGPIPE ignored" } else { "" }
                    ),
                    before: if ignored { "trap '' PIPE;".to_owned() } else { String::new() },
                    around: gone_after(bytes, Act::Leave, false),
                    charge,
                    must_fail: true,
                    ..Trial::default()
                },
            );
        }
    }
}

fn output_reset(laboratory: &mut Laboratory, scenario: &Scenario) {
    for bytes in [0, 1, 5000, 100_000, 1 << 20] {
        for ignored in [false, true] {
            let mut charge = output_failed(&["ECONNRESET", "EPIPE"]);
            charge.deaths.extend((!ignored).then_some(libc::SIGPIPE));
            laboratory.add(
                "socket reset",
                scenario,
                Trial {
                    detail: format!(
                        "output after {bytes}{}",
                        if ignored { ", SIGPIPE ignored" } else { "" }
                    ),
                    before: if ignored { "trap '' PIPE;".to_owned() } else { String::new() },
                    around: gone_after(bytes, Act::Reset, true),
                    charge,
                    ..Trial::default()
                },
            );
        }
    }
}

fn terminal_closed(laboratory: &mut Laboratory, scenario: &Scenario) {
    for bytes in [0, 1, 1000, 10_000] {
        laboratory.add(
            "terminal closed",
            scenario,
            Trial {
                detail: format!("output after {bytes}"),
                around: gone_after(bytes, Act::Leave, false),
                charge: output_failed(&["EIO"]),
                ..Trial::default()
            },
        );
    }
}

fn input_reset(laboratory: &mut Laboratory, scenario: &Scenario) {
    for bytes in [0, 1, 5000, 100_000] {
        laboratory.add(
            "socket reset",
            scenario,
            Trial {
                detail: format!("input after {bytes}"),
                around: Around { fed: Some(bytes), ..Around::default() },
                charge: input_failed(0, &["ECONNRESET"]),
                ..Trial::default()
            },
        );
    }
}

/// A terminal that is gone is at its end, or fails: the kernel decides which, by when it is asked.
fn hang_up(laboratory: &mut Laboratory, scenario: &Scenario) {
    for bytes in [0, 1, 100, 1000] {
        let mut ruling = Ruling::new(Tell::May, vec![Blamed::Input(0)], "an input");
        ruling.ended = Some(0);
        laboratory.add(
            "terminal closed",
            scenario,
            Trial {
                detail: format!("input after {bytes}"),
                around: Around { fed: Some(bytes), ..Around::default() },
                charge: Charge { rulings: vec![ruling], reasons: vec!["EIO"], ..Charge::default() },
                ..Trial::default()
            },
        );
    }
}
