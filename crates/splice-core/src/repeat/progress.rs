//! Where a run stands: how much the output has accepted, and where in the pattern that is.

use std::os::fd::BorrowedFd;

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

    /// Writes the rest of the pattern, or as much of it as the limit allows.
    pub(super) fn write_up_to_a_whole_pattern(
        &mut self,
        output: BorrowedFd<'_>,
    ) -> sys::Result<()> {
        let rest = &self.pattern[self.phase..];
        let rest = &rest[..self.allowance(rest.len())];
        sys::write_all(output, rest)?;
        self.advance(rest.len());
        Ok(())
    }
}
