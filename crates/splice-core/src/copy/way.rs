//! The way of one input: which strategy is taken, and which one follows where that is refused.

use std::os::fd::BorrowedFd;

use super::row::Row;
use super::source::Source;
use super::{Copier, mapped, spliced};
use crate::error::{CopyError, Side};
use crate::kind::FdKind;
use crate::plan::{SMALL_FILE, SMALL_FOR_SPLICE, Strategy, plan_above};
use crate::sys;

/// After so many files in a row that were just too small to be spliced, more of them are expected:
/// together they are not.
const A_ROW: u32 = 2;

/// How a path ended, if it did not fail.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The input's end, as far as this path can tell.
    OfInput,
    /// The kernel will not have it this way, or not the rest; what was taken was delivered.
    Refused,
}

impl Copier<'_> {
    /// Runs a strategy until it is at the end of the input, or is refused; returns the one that
    /// has to finish what is left, if anything is.
    pub(super) fn run(
        &mut self,
        path: Strategy,
        source: &mut Source<'_>,
    ) -> Result<Strategy, CopyError> {
        let end = match path {
            Strategy::ReadWrite => End::Refused,
            Strategy::BodyAndTail => self.append_to_row(source)?,
            Strategy::Splice => spliced::splice(source, &mut self.sink)?,
            Strategy::Mapped => mapped::map_and_write(source, &mut self.sink)?,
            Strategy::CopyFileRange => spliced::copy_file_range(source, &mut self.sink),
        };
        match (end, self.next(path)) {
            (End::Refused, Some(next)) => self.run(next, source),
            (End::Refused, None) => Ok(Strategy::ReadWrite),
            (End::OfInput, _) => Ok(path),
        }
    }

    /// What is tried after a path that was refused, before `read` and `write`. From a file to a file
    /// one copy is still less than two.
    fn next(&self, path: Strategy) -> Option<Strategy> {
        let is_to_file = matches!(self.sink.kind(), FdKind::Regular { .. });
        match path {
            // Between file systems, for example.
            Strategy::CopyFileRange if !self.sink.refuses_splice() => Some(Strategy::Splice),
            // Open for append, for example.
            Strategy::CopyFileRange | Strategy::Splice if is_to_file => Some(Strategy::Mapped),
            _ => None,
        }
    }

    fn append_to_row(&mut self, source: &mut Source<'_>) -> Result<End, CopyError> {
        let row = match &mut self.row {
            Some(row) => row,
            none => match Row::new(&mut self.sink) {
                Some(row) => none.insert(row),
                None => return Ok(End::Refused),
            },
        };
        let end = row.append(source, &mut self.sink);
        let output_failed = end.as_ref().is_err_and(|error| error.side() == Side::Output);
        if output_failed || row.is_empty() {
            self.row = None;
        }
        end
    }

    /// The strategy, and what the input is: with the size that is left to read, if it is a file.
    pub(super) fn plan(&mut self, input: BorrowedFd<'_>) -> (Strategy, FdKind) {
        // What cannot be asked can still be read, or `read` says why not.
        let mut kind = FdKind::of(input).unwrap_or(FdKind::Other);
        if let FdKind::Regular { size } = &mut kind {
            *size = size.saturating_sub(sys::position(input).unwrap_or(*size));
            if *size > SMALL_FOR_SPLICE {
                sys::advise_sequential(input);
            }
        }
        if self.read_write_only {
            return (Strategy::ReadWrite, kind);
        }
        let in_a_row = self.row.is_some() || self.rather_small >= A_ROW;
        let small = if in_a_row { SMALL_FILE } else { SMALL_FOR_SPLICE };
        match plan_above(small, kind, self.sink.kind()) {
            Strategy::Splice | Strategy::BodyAndTail if self.sink.refuses_splice() => {
                (Strategy::ReadWrite, kind)
            }
            // What lies amid a block cannot be shared, whatever the file system says.
            Strategy::CopyFileRange
                if self.sink.is_amid_a_block() && self.sink.shares_nothing_here() =>
            {
                (Strategy::Splice, kind)
            }
            strategy => {
                let rather_small = matches!(kind, FdKind::Regular { size } if size > SMALL_FILE);
                self.rather_small = if rather_small { self.rather_small + 1 } else { 0 };
                (strategy, kind)
            }
        }
    }
}
