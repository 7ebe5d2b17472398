//! Medians, quartiles, and ratios of pairs.
//!
//! Neighbours on the machine make single runs slower, never faster, and they come and go: medians
//! shrug off the slow runs, and a ratio of two runs that followed each other cancels what lasted.

/// The middle of some samples, and how far they spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    /// The quarter of the samples below.
    pub(crate) low: f64,
    /// Half below, half above.
    pub(crate) median: f64,
    /// The quarter of the samples above.
    pub(crate) high: f64,
}

impl Summary {
    /// `None` without samples.
    pub(crate) fn of(samples: &[f64]) -> Option<Summary> {
        if samples.is_empty() {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Summary {
            low: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            high: quantile(&sorted, 0.75),
        })
    }

    /// Half the distance between the quartiles, as a part of the median.
    pub(crate) fn spread(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median }
    }
}

/// Linear between the two samples that are nearest.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let position = part * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}

/// One ratio a round that both ran in, `left` over `right`: within the same few seconds.
pub(crate) fn ratios(left: &[Option<f64>], right: &[Option<f64>]) -> Vec<f64> {
    let pairs = left.iter().zip(right).filter_map(|(left, right)| (*left).zip(*right));
    pairs.filter(|(_, right)| *right != 0.0).map(|(left, right)| left / right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_samples() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(summary, Summary { low: 1.75, median: 2.5, high: 3.25 });
        assert_eq!(summary.spread(), 0.3);
    }

    #[test]
    fn one_sample_is_its_own_summary() {
        let summary = Summary::of(&[7.0]).unwrap();
        assert_eq!(summary, Summary { low: 7.0, median: 7.0, high: 7.0 });
        assert!(Summary::of(&[]).is_none());
    }

    #[test]
    fn ratios_pair_the_rounds() {
        let left = [Some(2.0), Some(7.0), Some(9.0), Some(8.0)];
        let right = [Some(1.0), None, Some(3.0), Some(0.0)];
        assert_eq!(ratios(&left, &right), [2.0, 3.0]);
    }
}
