//! Calls that were interrupted, or would have blocked: made again, after `poll` if need be.

use std::os::fd::BorrowedFd;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout};

use super::Result;

/// Makes `call` until it is neither interrupted nor refused for want of readiness.
pub(crate) fn persist<T>(
    mut call: impl FnMut() -> Result<T>,
    mut until_ready: impl FnMut() -> Result<()>,
) -> Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => until_ready()?,
            done => return done,
        }
    }
}

/// Whether `descriptor` is ready for `event`, at its end or failed. Never waits; what cannot be
/// asked counts as ready, since the call that comes next will tell.
pub(crate) fn is_ready(descriptor: BorrowedFd<'_>, event: PollFlags) -> bool {
    let mut watched = [PollFd::new(descriptor, event)];
    !matches!(nix::poll::poll(&mut watched, PollTimeout::ZERO), Ok(0) | Err(Errno::EINTR))
}

/// Whether a pipe has a free slot.
pub(crate) fn has_room(pipe: BorrowedFd<'_>) -> bool {
    is_ready(pipe, PollFlags::POLLOUT)
}

/// Waits until `input` has bytes, is at its end, or failed.
pub(crate) fn await_readable(input: BorrowedFd<'_>) -> Result<()> {
    await_event(input, PollFlags::POLLIN)
}

/// Waits until `output` takes bytes, or failed.
pub(crate) fn await_writable(output: BorrowedFd<'_>) -> Result<()> {
    await_event(output, PollFlags::POLLOUT)
}

/// EAGAIN from a call on two descriptors does not tell which one was not ready: wait for both.
pub(super) fn await_both(input: BorrowedFd<'_>, output: BorrowedFd<'_>) -> Result<()> {
    await_readable(input)?;
    await_writable(output)
}

fn await_event(descriptor: BorrowedFd<'_>, event: PollFlags) -> Result<()> {
    let mut watched = [PollFd::new(descriptor, event)];
    loop {
        match nix::poll::poll(&mut watched, PollTimeout::NONE) {
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            done => return done.map(drop),
        }
    }
}
