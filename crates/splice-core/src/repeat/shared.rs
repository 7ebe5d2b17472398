//! Handing pages over by reference: straight into an output that is a pipe, and through a pipe
//! between for everything else.

use std::os::fd::BorrowedFd;

use super::progress::Progress;
use super::{Stop, judge};
use crate::sys::{self, Wait};
use crate::{FdKind, Pipe, grow_pipe};

/// A repeated pattern in pages that can be put into a pipe without copying them.
pub(super) trait SharedPages {
    /// Can the next byte be the one at this offset of the pattern?
    fn can_begin_at(&self, phase: usize) -> bool;

    /// Puts at most `len` bytes into `pipe`, from that offset of the pattern on.
    fn put(&self, phase: usize, len: usize, pipe: BorrowedFd<'_>, wait: Wait)
    -> sys::Result<usize>;
}

/// The capacity in bytes that pipes are grown to: what an unprivileged process may have.
pub(super) const PIPE_CAPACITY: usize = 1 << 20;

/// The most that one call puts into a pipe: more than any pipe of that capacity can carry.
pub(super) const MOST_BY_REFERENCE: usize = 8 << 20;

/// The most that goes through the broker pipe at a time, and so the most that one call moves
/// into an output which copies it, be it to a slow disk: until it returns, no signal is seen.
const MOST_BY_COPY: usize = 1 << 20;

/// Hands pages over until the limit is reached.
pub(super) fn run(
    pages: &impl SharedPages,
    kind: FdKind,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> Result<(), Stop> {
    if kind == FdKind::Pipe {
        grow_pipe(output, PIPE_CAPACITY);
        return repeat(pages, output, progress, MOST_BY_REFERENCE, |pages, len, progress| {
            let moved = pages.put(progress.phase(), len, output, Wait::ForRoom)?;
            progress.advance(moved);
            Ok(moved)
        });
    }
    let broker = Pipe::new().map_err(|_| Stop::Refused)?;
    broker.grow_to(PIPE_CAPACITY);
    repeat(pages, output, progress, MOST_BY_COPY, |pages, len, progress| {
        through(&broker, pages, len, output, progress)
    })
}

/// Calls `step` with a byte count until the limit is reached, at places where pages can begin.
fn repeat<P: SharedPages>(
    pages: &P,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
    most: usize,
    mut step: impl FnMut(&P, usize, &mut Progress<'_>) -> sys::Result<usize>,
) -> Result<(), Stop> {
    let before = progress.accepted();
    while !progress.is_done() {
        if !pages.can_begin_at(progress.phase()) {
            // After another path, or where a kernel's slots are not what they should be.
            progress.write_up_to_a_whole_pattern(output).map_err(Stop::Failed)?;
            continue;
        }
        match step(pages, progress.allowance(most), progress) {
            // Neither an error nor an end exists here: such an answer is a kernel that cannot.
            Ok(0) => return Err(Stop::Refused),
            Ok(_) => {}
            Err(errno) => return Err(judge(errno, progress.accepted() > before)),
        }
    }
    Ok(())
}

/// Fills the broker pipe, which is empty, and empties it into the output.
fn through(
    broker: &Pipe,
    pages: &impl SharedPages,
    len: usize,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> sys::Result<usize> {
    let brought = pages.put(progress.phase(), len, broker.writer(), Wait::Never)?;
    let mut left = brought;
    while left > 0 {
        match sys::splice(broker.reader(), output, left)? {
            // What is left in the broker goes with it; `progress` knows what has gone out.
            0 => return Ok(0),
            moved => {
                progress.advance(moved);
                left -= moved;
            }
        }
    }
    Ok(brought)
}
