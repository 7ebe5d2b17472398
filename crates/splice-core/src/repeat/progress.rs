//! Where a run stands: how much the output has accepted, and where in the pattern that is.

use std::os::fd::BorrowedFd;

use nix::errno::Errno;

use super::shared::MOST_AT_ONCE;
use crate::sys;

/// The state that survives every change of path and every short count.
#[derive(Debug)]
pub(super) struct Progress<'p> {
    pattern: &'p [u8],
    /// Offset in the pattern of the byte that comes next.
    phase: usize,
    accepted: u64,
    limit: Option<u64>,
}

impl<'p> Progress<'p> {
    pub(super) fn new(pattern: &'p [u8], limit: Option<u64>) -> Progress<'p> {
        Progress { pattern, phase: 0, accepted: 0, limit }
    }

    pub(super) fn pattern(&self) -> &'p [u8] {
        self.pattern
    }

    pub(super) fn phase(&self) -> usize {
        self.phase
    }

    pub(super) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// How many bytes may go out next, `most` at the most.
    pub(super) fn allowance(&self, most: usize) -> usize {
        match self.limit {
            None => most,
            Some(limit) => {
                usize::try_from(limit - self.accepted).map_or(most, |left| left.min(most))
            }
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.limit == Some(self.accepted)
    }

    /// Notes that the output has accepted `bytes` more, which were within the allowance.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.accepted += bytes as u64;
        self.phase = (self.phase + bytes) % self.pattern.len();
    }

    /// Makes one call of `write` out of `patterns`, which holds any number of whole ones: from where
    /// the run would stand if it had gone round and round them from its beginning.
    pub(super) fn write(&mut self, patterns: &[u8], output: BorrowedFd<'_>) -> sys::Result<()> {
        // The remainder is less than a `usize`.
        let at = (self.accepted % patterns.len() as u64) as usize;
        let next = &patterns[at..];
        let next = &next[..self.allowance(next.len().min(MOST_AT_ONCE))];
        match sys::write(output, next)? {
            // No kernel answers 0 to a write of something; to try for ever would be a hang.
            0 => Err(Errno::EIO),
            accepted => {
                self.advance(accepted);
                Ok(())
            }
        }
    }

    /// Writes the rest of the pattern, or as much of it as the limit allows.
    pub(super) fn write_to_the_end_of_a_pattern(
        &mut self,
        output: BorrowedFd<'_>,
    ) -> sys::Result<()> {
        while !self.is_done() {
            self.write(self.pattern, output)?;
            if self.phase == 0 {
                break;
            }
        }
        Ok(())
    }
}
