//! What became slower since an earlier run: the everyday guard.
//!
//! A machine is not equally fast on two days. The peers did not change meanwhile, so what they
//! became slower or faster by is the machine's doing, and is divided out, cell by cell.

use anyhow::{Result, ensure};

use crate::cells::Unit;
use crate::results::{CellResult, Figures, Results};
use crate::stats::Summary;
use crate::text;

/// Less than this is no change, however quiet both runs were: it is what linking in another order
/// can do.
const LEAST: f64 = 0.05;

/// Counts do not vary.
const LEAST_OF_COUNTS: f64 = 0.01;

/// How ours changed in one cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    /// The cell.
    pub(crate) id: String,
    /// How many times as good as before: below 1 is worse.
    pub(crate) factor: f64,
    /// A change has to be larger than this part to be one.
    pub(crate) noise: f64,
}

impl Change {
    fn is_slower(&self) -> bool {
        self.factor < 1.0 / (1.0 + self.noise)
    }

    fn is_faster(&self) -> bool {
        self.factor > 1.0 + self.noise
    }
}

/// The changes of ours in every cell that both runs have.
pub(crate) fn changes(old: &Results, new: &Results) -> Result<Vec<Change>> {
    ensure!(old.quick == new.quick, "a quick run and a full one do not compare");
    let both = new.cells.iter().filter_map(|cell| {
        let before = old.cells.iter().find(|before| before.id == cell.id)?;
        change(before, cell)
    });
    Ok(both.collect())
}

fn change(old: &CellResult, new: &CellResult) -> Option<Change> {
    let (before, after) = (old.ours()?, new.ours()?);
    let ours = improvement(new.unit, before, after)?;
    if matches!(new.unit, Unit::Calls | Unit::Bytes) {
        return Some(Change { id: new.id.clone(), factor: ours, noise: LEAST_OF_COUNTS });
    }
    let of_peers: Vec<f64> = new
        .peers()
        .filter_map(|after| {
            let before = old.peers().find(|before| before.name == after.name)?;
            improvement(new.unit, before, after)
        })
        .collect();
    let drift = Summary::of(&of_peers);
    let spread = |figures: &Figures| figures.summary().map_or(0.0, |it| it.spread());
    let noise = spread(before) + spread(after) + drift.map_or(0.0, |drift| drift.spread());
    Some(Change {
        id: new.id.clone(),
        factor: ours / drift.map_or(1.0, |drift| drift.median),
        noise: noise.max(LEAST),
    })
}

/// How many times as good `after` is.
fn improvement(unit: Unit, before: &Figures, after: &Figures) -> Option<f64> {
    let (before, after) = (before.summary()?.median, after.summary()?.median);
    let factor = if unit == Unit::BytesPerSecond { after / before } else { before / after };
    factor.is_finite().then_some(factor)
}

/// What a reader is told, and whether nothing became slower.
pub(crate) fn report(changes: &[Change]) -> (String, bool) {
    let line = |change: &Change| {
        let (times, noise) = (text::digits(change.factor), change.noise * 100.0);
        format!("  {:36} {times} x what it was (noise {noise:.0}%)", change.id)
    };
    let slower: Vec<String> = changes.iter().filter(|it| it.is_slower()).map(line).collect();
    let faster: Vec<String> = changes.iter().filter(|it| it.is_faster()).map(line).collect();
    let heading = format!(
        "Of {} cells in both runs, {} became slower and {} faster",
        changes.len(),
        slower.len(),
        faster.len()
    );
    let passed = slower.is_empty();
    let part = |name: &str, lines: Vec<String>| match lines.is_empty() {
        true => vec![],
        false => [vec![format!("{name}:")], lines].concat(),
    };
    let lines = [vec![heading], part("Slower", slower), part("Faster", faster)].concat();
    (lines.join("\n"), passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::Role;

    fn cell(unit: Unit, ours: &[f64], peer: &[f64]) -> CellResult {
        let figures = |name: &str, role, samples: &[f64]| Figures {
            name: name.into(),
            role,
            samples: samples.iter().copied().map(Some).collect(),
        };
        let figures = vec![figures("ours", Role::Ours, ours), figures("GNU", Role::Peer, peer)];
        let (id, title) = ("cell".into(), "a cell".into());
        CellResult { id, title, unit, point: None, figures, failures: vec![], disturbed: None }
    }

    #[test]
    fn half_the_throughput_is_slower() {
        let old = cell(Unit::BytesPerSecond, &[10.0, 10.0], &[5.0, 5.0]);
        let new = cell(Unit::BytesPerSecond, &[5.0, 5.0], &[5.0, 5.0]);
        let change = change(&old, &new).unwrap();
        assert_eq!(change.factor, 0.5);
        assert!(change.is_slower());
        assert!(!report(&[change]).1);
    }

    #[test]
    fn half_the_time_is_faster() {
        let old = cell(Unit::Seconds, &[2.0], &[1.0]);
        let new = cell(Unit::Seconds, &[1.0], &[1.0]);
        let change = change(&old, &new).unwrap();
        assert!(change.is_faster());
        assert!(report(&[change]).1);
    }

    #[test]
    fn a_slower_machine_is_no_regression() {
        let old = cell(Unit::BytesPerSecond, &[10.0, 10.0], &[5.0, 5.0]);
        let new = cell(Unit::BytesPerSecond, &[5.0, 5.0], &[2.5, 2.5]);
        assert_eq!(change(&old, &new).unwrap().factor, 1.0);
    }

    #[test]
    fn a_change_within_the_spread_is_none() {
        let old = cell(Unit::Seconds, &[1.0, 1.5, 2.0], &[1.0]);
        let new = cell(Unit::Seconds, &[1.2, 1.7, 2.2], &[1.0]);
        let change = change(&old, &new).unwrap();
        assert!(!change.is_slower() && !change.is_faster());
    }

    #[test]
    fn one_more_system_call_is_noticed() {
        let old = cell(Unit::Calls, &[20.0], &[40.0]);
        let new = cell(Unit::Calls, &[21.0], &[40.0]);
        assert!(change(&old, &new).unwrap().is_slower());
    }
}
