//! Where formatted bytes go.

/// A buffer of fixed size in front of an output: it is emptied when what is to come may not fit.
pub trait Sink {
    /// Why the output did not take the bytes.
    type Error;

    /// The free part of the buffer, at least `at_least` bytes of it: writes out what is there
    /// first if it has to. `at_least` is never more than [`MOST_AT_ONCE`](super::MOST_AT_ONCE).
    ///
    /// # Errors
    /// The output failed.
    fn room(&mut self, at_least: usize) -> Result<&mut [u8], Self::Error>;

    /// Keeps the first `count` bytes of what [`room`](Self::room) lent last.
    fn advance(&mut self, count: usize);
}
