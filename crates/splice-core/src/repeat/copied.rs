//! The third path: `write` from a buffer of many patterns. Nothing can refuse it.

use std::os::fd::BorrowedFd;

use nix::errno::Errno;

use super::fill;
use super::progress::Progress;
use super::shared::PIPE_CAPACITY;
use crate::{Buffer, FdKind, grow_pipe, sys};

/// Bytes for one call, or one pattern where that is longer.
fn most_at_once(kind: FdKind) -> usize {
    match kind {
        // Small enough for any socket: a call makes a message.
        FdKind::MessageSocket => 8 << 10,
        // Reader and writer take turns with the pipe: the shorter each turn, the less they wait.
        FdKind::Pipe => 16 << 10,
        // A device that discards takes any size in the same time.
        FdKind::CharacterDevice => 1 << 20,
        // Fits into the processor's second cache, together with what it is copied to.
        _ => 256 << 10,
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
        grow_pipe(output, PIPE_CAPACITY);
    }
    let most = most_at_once(kind);
    // A long pattern is written from where it is: a copy of it would only cost memory.
    let buffer = match most / pattern.len() {
        0 | 1 => None,
        count => Buffer::new(count * pattern.len()).ok(),
    };
    match buffer {
        Some(mut buffer) => {
            fill(&mut buffer, pattern, 0);
            write_again_and_again(&buffer, output, progress)
        }
        None => write_again_and_again(pattern, output, progress),
    }
}

/// `block` holds whole patterns.
fn write_again_and_again(
    block: &[u8],
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> sys::Result<()> {
    while !progress.is_done() {
        let next = &block[progress.phase()..];
        match sys::write(output, &next[..progress.allowance(next.len())])? {
            0 => return Err(Errno::EIO),
            accepted => progress.advance(accepted),
        }
    }
    Ok(())
}
