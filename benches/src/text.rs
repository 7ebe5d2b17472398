//! Figures and cells in words, the same for the terminal and the report.

use crate::cells::Unit;
use crate::results::{CellResult, Figures, NOISY, Results, Standing};
use crate::stats::Summary;

/// A value with its unit, in three digits.
pub(crate) fn value(unit: Unit, value: f64) -> String {
    let scaled = |value: f64, step: f64, names: &[&str]| {
        let mut value = value;
        let mut rest = names;
        while let [_, _, ..] = rest
            && value >= step * 0.9995
        {
            value /= step;
            rest = &rest[1..];
        }
        format!("{} {}", digits(value), rest[0])
    };
    match unit {
        Unit::BytesPerSecond => scaled(value, 1024.0, &["B/s", "KiB/s", "MiB/s", "GiB/s"]),
        Unit::Bytes => scaled(value, 1024.0, &["B", "KiB", "MiB", "GiB"]),
        Unit::Seconds | Unit::UserSeconds => scaled(value * 1e6, 1000.0, &["µs", "ms", "s"]),
        Unit::Calls => format!("{value:.0}"),
    }
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
    let Some(summary) = Summary::of(&figures.samples) else { return "no figure".into() };
    let median = value(unit, summary.median);
    match figures.samples.len() {
        1 => median,
        _ => format!("{median} ±{:.0}%", summary.spread() * 100.0),
    }
}

/// A cell in a few lines: ours, then each other with how many times ours is better.
pub(crate) fn cell(result: &CellResult) -> String {
    let mut lines = vec![format!("{}  ({})", result.id, result.title)];
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
        if Summary::of(&figures.samples).is_some_and(|summary| summary.spread() > NOISY) {
            line += "  (noisy)";
        }
        lines.push(line);
    }
    for failure in &result.failures {
        lines.push(format!("  {:16} OUT: {}", failure.name, failure.reason));
    }
    lines.join("\n")
}

/// How ours stands in all cells, and each cell where it is behind a peer.
pub(crate) fn summary(results: &Results) -> String {
    let (mut ahead, mut level, mut behind) = (0, 0, Vec::new());
    for cell in &results.cells {
        let Some((peer, advantage)) = cell.best_peer() else { continue };
        match Standing::of(&advantage) {
            Standing::Ahead => ahead += 1,
            Standing::Level => level += 1,
            Standing::Behind => {
                let times = digits(advantage.median);
                behind.push(format!("  {:32} x {times} of {}", cell.id, peer.name));
            }
        }
    }
    let count = behind.len();
    let heading = format!(
        "Against the best peer: ahead in {ahead} cells, level in {level}, behind in {count}"
    );
    [vec![heading], behind].concat().join("\n")
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
    }
}
