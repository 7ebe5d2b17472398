//! The third path: `write` from a buffer of many patterns. Nothing can refuse it.

use std::os::fd::BorrowedFd;

use super::fill;
use super::progress::Progress;
use crate::pipe::LARGE_PIPE;
use crate::{Buffer, FdKind, grow_pipe, sys};

/// Bytes for one call, or one pattern where that is longer.
fn most_at_once(kind: FdKind) -> usize {
    match kind {
        // Reader and writer take turns with a pipe: the shorter each turn, the less they wait.
        FdKind::Pipe => 8 << 10,
        // A call makes a message, and any socket takes one of this size.
        FdKind::MessageSocket => 8 << 10,
        // A device that discards takes any size in the same time.
        FdKind::MemoryDevice => 1 << 20,
        // Files took as much in a second with 256 KiB, and less with 64 KiB, on disk and in memory.
        _ => 512 << 10,
    }
}

/// Writes until the limit is reached or the output fails.
pub(super) fn run(
    kind: FdKind,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> sys::Result<()> {
    let pattern = progress.pattern();
    if kind == FdKind::Pipe {
        grow_pipe(output, LARGE_PIPE);
    }
    let most = most_at_once(kind);
    // A long pattern is written from where it is: a copy of it would only cost memory.
    let mut buffer = match most / pattern.len() {
        0 | 1 => None,
        count => Buffer::of_units(count, pattern.len()).ok(),
    };
    let patterns = match buffer.as_mut() {
        Some(buffer) => {
            fill(buffer, pattern, 0);
            &**buffer
        }
        None => pattern,
    };
    while !progress.is_done() {
        // Each call ends where the buffer does. So the second one makes up for the first pattern,
        // which went before, and the others begin where a page of the file does if the buffer is a
        // whole number of pages: two bytes off, a file in memory took two thirds as much.
        progress.write(patterns, output)?;
    }
    Ok(())
}
