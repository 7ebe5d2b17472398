//! How a pattern is cut into slots: arithmetic alone.

/// The most slots that one cycle has, and so the most source pipes. With slots of 32 KiB this is
/// enough for 6 MiB, the most that the kernel takes for all arguments of a program together.
pub(super) const MOST_SLOTS: usize = 192;

/// A cycle of slots that holds a whole number of patterns.
///
/// Every slot is full but the last one, which ends with a pattern. After the last comes the first,
/// for ever. A transfer from one pipe to another may stop after any slot, so the cycle is short:
/// there is a source pipe for each slot that it can go on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pattern: usize,
    slot: usize,
    patterns: usize,
}

impl Layout {
    /// The shortest cycle that fills its slots well, for patterns of `pattern` bytes in slots that
    /// can hold `slot` bytes. None: the pattern is too long for any.
    pub(super) fn of(pattern: usize, slot: usize) -> Option<Layout> {
        let cycles = (1..=MOST_SLOTS)
            .map(|slots| Layout { pattern, slot, patterns: slots * slot / pattern })
            .filter(|cycle| cycle.patterns > 0);
        // Time goes by the slot: one that is half empty halves the speed. The last eighth is not
        // worth another pipe.
        cycles.clone().find(|cycle| cycle.eighths_filled() >= 7).or_else(|| {
            // The first of the best, where several are equal.
            cycles.rev().max_by_key(|cycle| cycle.bytes() * MOST_SLOTS / cycle.slots())
        })
    }

    /// The length of the cycle in bytes.
    pub(super) fn bytes(self) -> usize {
        self.pattern * self.patterns
    }

    /// How many slots the cycle has.
    pub(super) fn slots(self) -> usize {
        self.bytes().div_ceil(self.slot)
    }

    /// The length of slot `index`, counted from the beginning of any cycle, in bytes.
    pub(super) fn len(self, index: usize) -> usize {
        self.slot.min(self.bytes() - index % self.slots() * self.slot)
    }

    /// The offset in the pattern at which slot `index` begins.
    pub(super) fn phase(self, index: usize) -> usize {
        index % self.slots() * self.slot % self.pattern
    }

    fn eighths_filled(self) -> usize {
        self.bytes() * 8 / (self.slots() * self.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: usize = 32768;

    fn shape(pattern: usize) -> (usize, usize) {
        let layout = Layout::of(pattern, SLOT).unwrap();
        (layout.slots(), layout.bytes())
    }

    #[test]
    fn short_patterns_take_one_slot() {
        assert_eq!(shape(1), (1, 32768));
        assert_eq!(shape(2), (1, 32768));
        assert_eq!(shape(6), (1, 32766));
        assert_eq!(shape(5000), (1, 30000));
        assert_eq!(shape(16384), (1, 32768));
        assert_eq!(shape(32768), (1, 32768));
    }

    #[test]
    fn long_patterns_take_as_few_slots_as_they_can_fill() {
        assert_eq!(shape(16385), (4, 7 * 16385));
        assert_eq!(shape(20000), (2, 60000));
        assert_eq!(shape(32769), (8, 7 * 32769));
        assert_eq!(shape(70000), (7, 210000));
        assert_eq!(shape(1 << 20), (32, 32 * SLOT));
        assert_eq!(shape(MOST_SLOTS * SLOT), (MOST_SLOTS, MOST_SLOTS * SLOT));
        assert_eq!(Layout::of(MOST_SLOTS * SLOT + 1, SLOT), None);
    }

    #[test]
    fn every_slot_goes_on_where_the_one_before_ends() {
        for pattern in
            [1, 7, 999, 16385, 20000, 32767, 32769, 100_000, 300_001, 16 * SLOT, 3_000_001]
        {
            let layout = Layout::of(pattern, SLOT).unwrap();
            let mut at = 0;
            for index in 0..3 * layout.slots() {
                assert_eq!(layout.phase(index), at % pattern, "{layout:?} slot {index}");
                assert!((1..=SLOT).contains(&layout.len(index)), "{layout:?} slot {index}");
                at += layout.len(index);
            }
            assert_eq!(at, 3 * layout.bytes());
        }
    }

    #[test]
    fn no_pattern_leaves_more_than_a_quarter_of_its_slots_empty() {
        // All that fit into a few slots, and then one in so many.
        let few = 16 * SLOT;
        for pattern in (1..few).chain((few..MOST_SLOTS * SLOT).step_by(997)) {
            let layout = Layout::of(pattern, SLOT).unwrap();
            assert!(layout.bytes() * 4 >= layout.slots() * SLOT * 3, "{layout:?}");
        }
    }
}
