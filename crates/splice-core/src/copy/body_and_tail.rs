//! From a file to a pipe: the body by reference, the tail through memory.
//!
//! A spliced slot refers to the file's own page: whoever overwrites the file before the reader has
//! come to that slot changes what the reader gets. A pipe is a ring of slots, so once as many
//! copied pages as it has slots have gone in, every spliced slot before them has come out. The
//! tail, as long as the output pipe's capacity, is therefore left to `read` and `write`.
//!
//! The body goes through an intermediate pipe: page look-ups then happen outside of the lock that
//! the reader of the output wants, and each error tells its side.

use crate::copy::spliced::{LARGE_PIPE, Step};
use crate::copy::{End, Transfer};
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{Pipe, grow_pipe};
use crate::sys;

/// From this much on, growing the output pipe pays for the longer tail that has to be copied.
const GROW_FROM: u64 = 8 << 20;

impl Transfer<'_> {
    /// Splices all but the tail. Ends as if the input had ended there: read and write do the rest.
    pub(super) fn body(&mut self) -> Result<End, CopyError> {
        let FdKind::Regular { size } = self.input_kind else { return Ok(End::Refused) };
        let Ok(pipe) = Pipe::new() else { return Ok(End::Refused) };
        let wanted = if size >= GROW_FROM { LARGE_PIPE } else { 0 };
        grow_pipe(self.output, wanted);
        let capacity = pipe.grow_to(wanted);
        loop {
            // Asked anew each time: the reader may have enlarged the pipe since.
            let Ok(tail) = sys::pipe_capacity(self.output) else { return Ok(End::Refused) };
            let body = size.saturating_sub(self.delivered).saturating_sub(tail as u64);
            let len = capacity.min(usize::try_from(body).unwrap_or(capacity));
            if len == 0 {
                return Ok(End::OfInput);
            }
            if let Step::Ended(end) = self.step(&pipe, len)? {
                return Ok(end);
            }
        }
    }
}
