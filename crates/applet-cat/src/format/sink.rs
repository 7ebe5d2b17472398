//! Where formatted bytes go.

/// A buffer in front of an output, emptied when what is to come may not fit.
///
/// The formatter writes into the free part of the buffer itself: that saves a copy, and lets it
/// write further than the text reaches, which is faster than to the byte.
///
/// `'i` is how long the formatter's input lives: long runs of it may be written from where they lie.
pub trait Sink<'i> {
    /// Why the output did not take the bytes.
    type Error;

    /// Lends the free part of the buffer, at least `at_least` bytes, writing out what the buffer
    /// holds if it has to. `at_least` is never more than [`MOST_AT_ONCE`](super::MOST_AT_ONCE);
    /// the more there is to lend, the less often the formatter asks.
    ///
    /// # Errors
    /// The output failed: the formatter gives up.
    fn room(&mut self, at_least: usize) -> Result<&mut [u8], Self::Error>;

    /// Keeps the first `count` bytes of what [`room`](Self::room) lent last.
    fn advance(&mut self, count: usize);

    /// Takes a long part of the input as it is, after all that was kept so far.
    ///
    /// # Errors
    /// The output failed: the formatter gives up.
    fn pass(&mut self, run: &'i [u8]) -> Result<(), Self::Error>;
}
