//! Whether an output is exactly what it has to be, less what it may lack.

use crate::expected::{self, Lacking};
use crate::roles::{self, Role};
use crate::run::Outcome;
use crate::scenario::{Expected, Scenario, Sink};
use crate::sink::KEPT;

/// Whether `outcome` left what `scenario` expects, less what it may lack. `text` is what a run
/// without a fault prints, where that is what is expected.
pub fn fits(
    scenario: &Scenario,
    text: &[u8],
    outcome: &Outcome,
    lacking: &Lacking,
    links_are_right: bool,
) -> bool {
    match (&scenario.expected, &outcome.output) {
        (Expected::Links { .. }, _) => lacking.rest || links_are_right,
        (Expected::Text { .. }, None) => true,
        (Expected::Text { begins }, Some(output)) => {
            let output = own(scenario, output);
            let whole = output == text && output.starts_with(begins.as_bytes());
            whole || (lacking.rest && text.starts_with(output))
        }
        (Expected::Segments(segments), Some(output)) => {
            expected::fits(own(scenario, output), segments, lacking)
        }
        (Expected::Segments(segments), None) => {
            let partial = lacking.rest || !lacking.cut.is_empty() || scenario.endless;
            partial || accepted(scenario, outcome) == expected::length(segments) as u64
        }
    }
}

/// The bytes that /dev/null took: only the trace can tell.
fn accepted(scenario: &Scenario, outcome: &Outcome) -> u64 {
    let steps = roles::steps(&outcome.trace, scenario);
    let to_output = steps.iter().filter(|step| step.to == Some(Role::Output));
    to_output.map(|step| step.event.moved()).sum()
}

/// The output less what stood in the file before. Where that is gone nothing else can be right.
pub fn own<'a>(scenario: &Scenario, output: &'a [u8]) -> &'a [u8] {
    match scenario.sink {
        Sink::AppendFile => output.strip_prefix(KEPT).unwrap_or(b"overwritten"),
        _ => output,
    }
}
