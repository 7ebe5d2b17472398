//! Numbers that nobody can foretell, and that are the same each time.

/// A generator of the xorshift kind.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new() -> Dice {
        Dice(0x9e37_79b9_7f4a_7c15)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 up to and without `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 33) as usize) % end.max(1)
    }

    pub(super) fn byte(&mut self) -> u8 {
        (self.next() >> 56) as u8
    }

    /// One of several; the first ones more often, as words are in a language.
    pub(super) fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let (one, other) = (self.below(words.len()), self.below(words.len()));
        words[one.min(other)]
    }

    /// True once in so many times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}
