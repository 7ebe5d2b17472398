//! The input of a copy: how much has been taken out of it, and how it is waited for.

use std::os::fd::BorrowedFd;

use nix::errno::Errno;
use nix::poll::PollFlags;

use super::MUCH;
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::patience::Patience;
use crate::pipe::{LARGE_PIPE, Pipe, grow_pipe};
use crate::sys;

/// One input.
#[derive(Debug)]
pub(super) struct Source<'a> {
    descriptor: BorrowedFd<'a>,
    /// With the size that was left to read at the start, if it is a file.
    kind: FdKind,
    taken: u64,
    /// Whether it may be waited for awake.
    awake: bool,
    roomy: bool,
    patience: Patience,
}

/// What a fast call got out of an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// So many bytes.
    Bytes(usize),
    /// Nothing: its end, as far as this call can tell.
    End,
    /// Nothing: our pipe has no room. Only where the call must not wait.
    NoRoom,
    /// Nothing: the kernel will not have it this way, and `read` may.
    Refused,
}

impl<'a> Source<'a> {
    pub(super) fn new(descriptor: BorrowedFd<'a>, kind: FdKind, awake: bool) -> Source<'a> {
        let patience = Patience::default();
        Source { descriptor, kind, taken: 0, awake, roomy: false, patience }
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'a> {
        self.descriptor
    }

    pub(super) fn kind(&self) -> FdKind {
        self.kind
    }

    /// Bytes taken out so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Notes that `bytes` more were taken out.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.taken += bytes as u64;
    }

    /// Moves it on over bytes that were delivered without being read.
    pub(super) fn skip(&mut self, bytes: usize) -> Result<(), CopyError> {
        sys::skip(self.descriptor, bytes).map_err(CopyError::input)?;
        self.advance(bytes);
        Ok(())
    }

    /// `read`: 0 is the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, CopyError> {
        self.await_bytes();
        let taken = sys::read(self.descriptor, buffer).map_err(CopyError::input)?;
        self.advance(taken);
        Ok(taken)
    }

    /// `splice` into our own pipe, as many bytes as there are and as it has room for, but no more
    /// than `most`. Waits until there are some.
    pub(super) fn splice_into(&mut self, pipe: &Pipe, most: usize) -> Result<Taken, CopyError> {
        self.await_bytes();
        let taken = sys::splice(self.descriptor, pipe.writer(), most);
        self.judge(taken)
    }

    /// The same for a file, which never makes one wait, into a pipe that may be full, which nobody
    /// else will ever empty.
    pub(super) fn splice_at_once(&mut self, pipe: &Pipe, most: usize) -> Result<Taken, CopyError> {
        match sys::splice_at_once(self.descriptor, pipe.writer(), most) {
            Err(Errno::EAGAIN) => Ok(Taken::NoRoom),
            taken => self.judge(taken),
        }
    }

    fn judge(&mut self, taken: sys::Result<usize>) -> Result<Taken, CopyError> {
        match taken {
            Ok(0) => Ok(Taken::End),
            Ok(bytes) => {
                self.advance(bytes);
                Ok(Taken::Bytes(bytes))
            }
            // Before the first byte any error may be followed by `read`: a real one shows itself
            // again there. Except for what is told once: after the word of a reset, the next read
            // of a socket says that the stream has ended.
            Err(error) if self.taken == 0 && !is_told_once(error) => Ok(Taken::Refused),
            Err(error) => Err(CopyError::input(error)),
        }
    }

    /// Enlarges its pipe once much has come, and waits awake, for a moment: a producer at full speed
    /// needs no more.
    fn await_bytes(&mut self) {
        if self.taken < MUCH {
            return;
        }
        if self.kind == FdKind::Pipe && !self.roomy {
            self.roomy = true;
            grow_pipe(self.descriptor, LARGE_PIPE);
        }
        if self.awake && matches!(self.kind, FdKind::Pipe | FdKind::StreamSocket) {
            self.patience.await_ready(self.descriptor, PollFlags::POLLIN);
        }
    }
}

fn is_told_once(error: Errno) -> bool {
    matches!(
        error,
        Errno::ECONNRESET
            | Errno::ECONNABORTED
            | Errno::ECONNREFUSED
            | Errno::ETIMEDOUT
            | Errno::EHOSTDOWN
            | Errno::EHOSTUNREACH
            | Errno::ENETDOWN
            | Errno::ENETRESET
            | Errno::ENETUNREACH
            | Errno::EPROTO
    )
}
