//! Figures and cells in words, the same for the terminal and the report.

use std::time::Duration;

use crate::cells::Unit;
use crate::results::{CellResult, Figures, NOISY, Results, Standing};
use crate::stats::Summary;

/// A value with its unit, in three digits.
pub(crate) fn value(unit: Unit, value: f64) -> String {
    in_words(unit, value, digits)
}

/// The same for a value that is round in its unit, as on an axis.
pub(crate) fn round_value(unit: Unit, value: f64) -> String {
    in_words(unit, value, short)
}

fn in_words(unit: Unit, value: f64, number: fn(f64) -> String) -> String {
    let scaled = |mut value: f64, step: f64, names: &[&str]| {
        let mut names = names;
        while let [_, rest @ ..] = names
            && !rest.is_empty()
            && value >= step * 0.9995
        {
            value /= step;
            names = rest;
        }
        format!("{} {}", number(value), names[0])
    };
    match unit {
        Unit::BytesPerSecond => scaled(value, 1024.0, &["B/s", "KiB/s", "MiB/s", "GiB/s"]),
        Unit::Bytes => scaled(value, 1024.0, &["B", "KiB", "MiB", "GiB"]),
        Unit::Seconds | Unit::UserSecondsPerGib => scaled(value * 1e6, 1000.0, &["µs", "ms", "s"]),
        Unit::Calls => format!("{value:.0}"),
    }
}

/// Without zeros that say nothing.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Three digits that count.
pub(crate) fn digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// A median and its spread.
pub(crate) fn figure(unit: Unit, figures: &Figures) -> String {
    let Some(summary) = figures.summary() else { return "no figure".into() };
    let median = value(unit, summary.median);
    match figures.samples.iter().flatten().count() {
        1 => median,
        _ => format!("{median} ±{:.0}%", summary.spread() * 100.0),
    }
}

/// A cell in a few lines, with the time that it took: ours, then each other with how many times
/// ours is better.
pub(crate) fn cell(result: &CellResult, took: Duration) -> String {
    let (id, title, took) = (&result.id, &result.title, took.as_secs_f64());
    let mut lines = vec![format!("{id}  ({title}; {took:.1} s)")];
    let ours = result.ours();
    for figures in &result.figures {
        let advantage = ours
            .filter(|ours| ours.name != figures.name)
            .and_then(|ours| result.advantage(ours, figures));
        let mut line = format!("  {:16}{:>20}", figures.name, figure(result.unit, figures));
        if let Some(advantage) = advantage {
            line += &format!("   ours x {}", digits(advantage.median));
            if Standing::of(&advantage) == Standing::Behind {
                line += "  BEHIND";
            }
        }
        if figures.summary().is_some_and(|summary| summary.spread() > NOISY) {
            line += "  (noisy)";
        }
        lines.push(line);
    }
    if let Some(part) = result.disturbed {
        lines.push(format!("  DISTURBED: others took {:.0}% of a core meanwhile", part * 100.0));
    }
    for failure in &result.failures {
        lines.push(format!("  {:16} OUT: {}", failure.name, failure.reason));
    }
    lines.join("\n")
}

/// How ours stands in all cells, in a sentence.
pub(crate) fn standings(results: &Results) -> String {
    let against_best = || results.cells.iter().filter_map(CellResult::best_peer);
    let count = |standing| against_best().filter(|(_, it)| Standing::of(it) == standing).count();
    format!(
        "Of {} cells, ours is ahead of every peer in {}, level with the best in {}, behind in {}",
        against_best().count(),
        count(Standing::Ahead),
        count(Standing::Level),
        count(Standing::Behind)
    )
}

/// Each cell where ours is behind a peer beyond the noise, with the best peer there.
pub(crate) fn behind(results: &Results) -> Vec<(&CellResult, &Figures, Summary)> {
    let behind = results.cells.iter().filter_map(|cell| {
        let (peer, advantage) = cell.best_peer()?;
        (Standing::of(&advantage) == Standing::Behind).then_some((cell, peer, advantage))
    });
    behind.collect()
}

/// The end of a run on the terminal.
pub(crate) fn summary(results: &Results) -> String {
    let mut lines = vec![standings(results)];
    for (cell, peer, advantage) in behind(results) {
        lines.push(format!("  {:36} x {} {}", cell.id, digits(advantage.median), peer.name));
    }
    for cell in &results.left_out {
        lines.push(format!("LEFT OUT: {}: {}", cell.name, cell.reason));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits_and_a_unit() {
        assert_eq!(value(Unit::BytesPerSecond, 3.5 * 1024.0 * 1024.0 * 1024.0), "3.50 GiB/s");
        assert_eq!(value(Unit::BytesPerSecond, 12.0), "12.0 B/s");
        assert_eq!(value(Unit::Seconds, 0.000_512), "512 µs");
        assert_eq!(value(Unit::Seconds, 1.5), "1.50 s");
        assert_eq!(value(Unit::Calls, 20.0), "20");
        assert_eq!(value(Unit::Bytes, 1024.0), "1.00 KiB");
        assert_eq!(round_value(Unit::Bytes, 10.0 * 1024.0), "10 KiB");
        assert_eq!(short(0.25), "0.25");
    }
}
