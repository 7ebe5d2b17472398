//! How much one call brings to a file.
//!
//! The kernel wants memory in one piece for what one call brings, and a file on disk in larger pieces
//! is faster by a tenth. But such pieces run out, or a virtual machine has to get them from its host
//! first, and then the same calls take several times as long, where smaller ones find what others
//! have used before. So large parts are on trial: what they take longer than small ones is a debt,
//! and while there is one parts are small and pay for it, a little each. However bad large parts
//! are, they cost that little and no more.

use std::time::Duration;

use crate::sys;

/// What is small, large, and known of the two. Times are in nanoseconds.
#[derive(Debug)]
pub(super) struct Parts {
    small: usize,
    large: usize,
    /// Small parts to take before the next large one, to know how long they take.
    to_measure: u32,
    /// Large parts since small ones were measured.
    unmeasured: u32,
    /// What a small part takes: a mean of the last ones.
    mean: i64,
    /// What large parts have saved, or, below zero, cost.
    balance: i64,
}

/// So many small parts tell how long they take.
const A_FEW: u32 = 4;

/// So many large parts are taken before small ones are measured again.
const MANY: u32 = 64;

/// What large parts may cost before it is a debt, in small parts: nothing takes equally long each time.
const MOST_CREDIT: i64 = 16;

/// The most that a debt can be, in small parts: a disk that stood still for once is forgiven in the end.
const MOST_DEBT: i64 = 256;

/// An hour. What takes longer is not counted further.
const LONGEST: i64 = 3_600_000_000_000;

/// The share of its own time that a small part pays of a debt.
const PAYMENT: i64 = 16;

impl Parts {
    /// Sizes in bytes.
    pub(super) const fn new(small: usize, large: usize) -> Parts {
        Parts { small, large, to_measure: A_FEW, unmeasured: 0, mean: 0, balance: 0 }
    }

    /// How much to bring next.
    pub(super) fn size(&self) -> usize {
        if self.to_measure > 0 || self.balance < 0 { self.small } else { self.large }
    }

    /// Makes a call that tells how many bytes it brought, and notes how long that took.
    pub(super) fn time(&mut self, call: impl FnOnce() -> sys::Result<usize>) -> sys::Result<usize> {
        let begun = sys::clock();
        let brought = call()?;
        self.took(brought, sys::clock().saturating_sub(begun));
        Ok(brought)
    }

    fn took(&mut self, bytes: usize, time: Duration) {
        let time = i64::try_from(time.as_nanos()).map_or(LONGEST, |time| time.min(LONGEST));
        if bytes == self.small {
            self.note_small(time);
        } else if bytes > self.small && self.mean > 0 {
            self.note_large(bytes, time);
        }
    }

    fn note_small(&mut self, time: i64) {
        // One that had to wait for something says little about the others.
        let usual = if self.mean == 0 { time } else { time.min(4 * self.mean) };
        let share = if self.mean == 0 { 1 } else { 8 };
        self.mean += (usual - self.mean) / share;
        self.to_measure = self.to_measure.saturating_sub(1);
        if self.balance < 0 {
            self.balance += self.mean / PAYMENT + 1;
        }
    }

    fn note_large(&mut self, bytes: usize, time: i64) {
        let as_small = self.mean.saturating_mul(bytes as i64) / self.small as i64;
        let balance = self.balance.saturating_add(as_small - time);
        self.balance = balance.clamp(-MOST_DEBT * self.mean, MOST_CREDIT * self.mean);
        self.unmeasured += 1;
        if self.unmeasured == MANY {
            self.unmeasured = 0;
            self.to_measure = A_FEW;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: usize = 256;
    const LARGE: usize = 1024;

    /// What so many parts came to.
    #[derive(Debug, Default)]
    struct Brought {
        large: usize,
        bytes: u64,
        time: u64,
    }

    /// Brings `count` parts, of which a byte takes as many nanoseconds as the functions of its number
    /// say.
    fn bring(
        parts: &mut Parts,
        count: usize,
        small: impl Fn(usize) -> u64,
        large: impl Fn(usize) -> u64,
    ) -> Brought {
        let mut brought = Brought::default();
        for number in 0..count {
            let bytes = parts.size();
            let pace = if bytes == LARGE { large(number) } else { small(number) };
            let time = bytes as u64 * pace;
            brought.large += usize::from(bytes == LARGE);
            brought.bytes += bytes as u64;
            brought.time += time;
            parts.took(bytes, Duration::from_nanos(time));
        }
        brought
    }

    #[test]
    fn large_parts_are_taken_while_they_are_faster() {
        let mut parts = Parts::new(SMALL, LARGE);
        assert!(bring(&mut parts, 1000, |_| 100, |_| 92).large > 900);
        // However much each differs from the next.
        let uneven = |number| if number % 3 == 0 { 200 } else { 40 };
        assert!(bring(&mut parts, 1000, |_| 100, uneven).large > 900);
    }

    /// Whatever they take, and also where only some of them are bad.
    #[test]
    fn bad_large_parts_cost_little() {
        for (bad, one_in) in
            [(1000, 1), (500, 1), (200, 1), (120, 1), (1000, 4), (400, 4), (3000, 10), (600, 7)]
        {
            let mut parts = Parts::new(SMALL, LARGE);
            let pace = |number| if number % one_in == 0 { bad } else { 95 };
            let brought = bring(&mut parts, 100_000, |_| 100, pace);
            let as_small = brought.bytes * 100;
            assert!(brought.time < as_small * 108 / 100, "{bad}, {one_in}: {brought:?}");
            // And they are tried again.
            assert!(brought.large > 100, "{bad}, {one_in}: {brought:?}");
        }
    }

    #[test]
    fn one_that_stood_still_is_forgiven() {
        for (before, still) in [(0, SMALL), (4, SMALL), (100, SMALL), (4, LARGE), (100, LARGE)] {
            let mut parts = Parts::new(SMALL, LARGE);
            bring(&mut parts, before, |_| 100, |_| 92);
            parts.took(still, Duration::MAX);
            bring(&mut parts, (MOST_DEBT * PAYMENT) as usize, |_| 100, |_| 92);
            assert!(bring(&mut parts, 1000, |_| 100, |_| 92).large > 900);
        }
    }

    /// When everything becomes slower, or faster, large parts are no longer judged by what used to be.
    #[test]
    fn small_parts_are_measured_again() {
        for (small, large) in [(1000, 920), (10, 11)] {
            let mut parts = Parts::new(SMALL, LARGE);
            bring(&mut parts, 100, |_| 100, |_| 92);
            bring(&mut parts, 5000, |_| small, |_| large);
            let brought = bring(&mut parts, 1000, |_| small, |_| large);
            assert_eq!(brought.large > 900, large < small, "{brought:?}");
        }
    }

    #[test]
    fn what_is_neither_says_nothing() {
        let mut parts = Parts::new(SMALL, LARGE);
        for _ in 0..100 {
            parts.took(SMALL / 2, Duration::from_secs(1));
            parts.took(LARGE, Duration::from_secs(1));
        }
        assert_eq!(parts.size(), SMALL);
        bring(&mut parts, 4, |_| 100, |_| 90);
        parts.took(0, Duration::from_secs(1));
        assert_eq!(parts.size(), LARGE);
    }

    /// As where the clock stands still.
    #[test]
    fn what_takes_no_time_at_all_is_as_good() {
        let mut parts = Parts::new(SMALL, LARGE);
        assert!(bring(&mut parts, 1000, |_| 0, |_| 0).large > 900);
    }
}
