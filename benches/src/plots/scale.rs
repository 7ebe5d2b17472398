//! Logarithmic axes: where a value lies, and which values get a tick.

/// Values from `low` to `high` along pixels from `from` to `to`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// For values above 0. Equal ends are moved apart.
    pub(super) fn new(values: (f64, f64), pixels: (f64, f64)) -> Scale {
        let (low, high) = values;
        let (low, high) = if high > low { (low, high) } else { (low / 2.0, low * 2.0) };
        Scale { low, high, from: pixels.0, to: pixels.1 }
    }

    /// The pixel of `value`.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + part * (self.to - self.from)
    }

    /// At most `most` powers of `base` between the ends, evenly apart.
    pub(super) fn ticks(&self, base: f64, most: usize) -> Vec<f64> {
        // A value that is a power but for rounding is one.
        let first = (self.low.log(base) - 1e-9).ceil() as i32;
        let last = (self.high.log(base) + 1e-9).floor() as i32;
        let step = (1..).find(|step| (last - first) / step < most as i32).unwrap_or(1);
        let aligned = first + (step - first.rem_euclid(step)) % step;
        (aligned..=last).step_by(step as usize).map(|power| base.powi(power)).collect()
    }

    /// Powers of ten between the ends; with their doubles and fives where that is not too many.
    pub(super) fn decimal_ticks(&self, most: usize) -> Vec<f64> {
        let inside = |value: &f64| (self.low..=self.high).contains(value);
        let powers = (self.low.log10().floor() as i32)..=(self.high.log10().ceil() as i32);
        let fine: Vec<f64> = powers
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
            .filter(inside)
            .collect();
        if fine.len() <= most { fine } else { self.ticks(10.0, most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_geometric_mean() {
        let scale = Scale::new((1.0, 100.0), (0.0, 200.0));
        assert_eq!(scale.at(10.0), 100.0);
        assert_eq!(scale.at(100.0), 200.0);
    }

    #[test]
    fn ticks_are_powers_and_not_too_many() {
        let scale = Scale::new((1.0, 1000.0), (0.0, 1.0));
        assert_eq!(scale.ticks(10.0, 8), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(scale.ticks(10.0, 2), [1.0, 100.0]);
        assert_eq!(Scale::new((3.0, 30.0), (0.0, 1.0)).decimal_ticks(8), [5.0, 10.0, 20.0]);
        assert_eq!(scale.decimal_ticks(8), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(Scale::new((3.0, 70.0), (0.0, 1.0)).ticks(4.0, 8), [4.0, 16.0, 64.0]);
    }
}
