//! The output of a Copier: how much it has accepted, and how it is waited for.

use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use nix::poll::PollFlags;

use super::file::OutputFile;
use super::{CALL_CAP, MUCH};
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::patience::Patience;
use crate::pipe::{LARGE_PIPE, Pipe, grow_pipe};
use crate::sys;

/// The output, for one input after the other.
#[derive(Debug)]
pub(crate) struct Sink<'fd> {
    descriptor: BorrowedFd<'fd>,
    kind: FdKind,
    /// Bytes accepted so far, of all inputs.
    accepted: u64,
    /// Whether it would not be spliced to.
    refuses_splice: bool,
    roomy: bool,
    file: Option<OutputFile<'fd>>,
    patience: Patience,
}

/// What became of bytes that were to be handed on by reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// They were.
    ByReference,
    /// They were copied instead: the output refuses the fast call.
    Copied,
}

impl<'fd> Sink<'fd> {
    pub(crate) fn new(descriptor: BorrowedFd<'fd>, kind: FdKind) -> Sink<'fd> {
        let file = match kind {
            FdKind::Regular { size } => Some(OutputFile::new(descriptor, size)),
            _ => None,
        };
        let patience = Patience::default();
        Sink { descriptor, kind, accepted: 0, refuses_splice: false, roomy: false, file, patience }
    }

    pub(super) fn kind(&self) -> FdKind {
        self.kind
    }

    /// Whether it refused to be spliced to: there is no use in trying again.
    pub(super) fn refuses_splice(&self) -> bool {
        self.refuses_splice
    }

    /// How much to take out of an input before it is spliced on. Far more than a pipe's capacity, which
    /// counts pages where slots can hold more; but a file gets whole parts.
    pub(super) fn to_take(&self) -> usize {
        self.file.as_ref().map_or(CALL_CAP, OutputFile::to_take)
    }

    /// How much one call should write, if that makes a difference.
    pub(super) fn to_write(&self) -> Option<usize> {
        self.file.as_ref().map(OutputFile::to_write)
    }

    /// Whether it is a file and stands in the middle of a block.
    pub(super) fn is_amid_a_block(&self) -> bool {
        self.file.as_ref().is_some_and(OutputFile::is_amid_a_block)
    }

    /// Whether it is a file to which splicing is faster than `copy_file_range`.
    pub(super) fn shares_nothing_here(&mut self) -> bool {
        !self.refuses_splice && self.file.as_mut().is_some_and(OutputFile::shares_nothing_here)
    }

    /// Notes that it would refuse to be spliced to.
    pub(super) fn refuse_splice(&mut self) {
        self.refuses_splice = true;
    }

    /// Notes that `bytes` more were accepted.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.accepted += bytes as u64;
        if let Some(file) = &mut self.file {
            file.advance(bytes);
        }
    }

    /// Enlarges the output if it is a pipe. Whenever a pipe runs full or empty, one process sleeps
    /// until the other wakes it, which can cost as much as splicing a megabyte.
    pub(super) fn make_room(&mut self) {
        if self.kind == FdKind::Pipe && !self.roomy {
            self.roomy = true;
            grow_pipe(self.descriptor, LARGE_PIPE);
        }
    }

    /// Enlarges a pipe once much has gone in, and waits `awake` for room, for a moment: a consumer at
    /// full speed needs no more. Not where the output is a socket: `poll` says of one that it is full
    /// long before it would take nothing.
    fn await_room(&mut self, awake: bool) {
        if self.accepted < MUCH || self.kind != FdKind::Pipe {
            return;
        }
        self.make_room();
        if awake {
            self.patience.await_ready(self.descriptor, PollFlags::POLLOUT);
        }
    }

    /// `write` until everything is accepted. `awake`: a pipe may be waited for in that way.
    pub(super) fn write(&mut self, bytes: &[u8], awake: bool) -> Result<(), CopyError> {
        self.await_room(awake);
        let written = self.write_part(|output| {
            sys::write_all(output, bytes)?;
            Ok(bytes.len())
        });
        self.advance(written.map_err(CopyError::output)?);
        Ok(())
    }

    /// Makes a call that writes, and tells how much.
    pub(super) fn write_part(
        &mut self,
        call: impl FnOnce(BorrowedFd<'_>) -> sys::Result<usize>,
    ) -> sys::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(call),
            None => call(self.descriptor),
        }
    }

    /// Hands on the `left` bytes that our `pipe` holds, by reference. If the kernel refuses that at
    /// the first call, or gives up, they are read out of the pipe and written; `may_fall_back`
    /// tells whether an error at the first call may be such a refusal.
    pub(crate) fn splice_from(
        &mut self,
        pipe: &Pipe,
        mut left: usize,
        mut may_fall_back: bool,
    ) -> Result<Delivery, CopyError> {
        while left > 0 && !self.refuses_splice {
            self.await_room(true);
            match self.splice_part(pipe, left) {
                Ok(moved) if moved > 0 => {
                    left -= moved;
                    self.advance(moved);
                    may_fall_back = false;
                }
                Err(error) if !may_fall_back => return Err(CopyError::output(error)),
                Ok(_) | Err(_) => self.refuses_splice = true,
            }
        }
        if left > 0 {
            self.copy_from(pipe, left)?;
        }
        Ok(if self.refuses_splice { Delivery::Copied } else { Delivery::ByReference })
    }

    /// One splice of the `left` bytes that our `pipe` holds, or of as many as it should bring.
    fn splice_part(&mut self, pipe: &Pipe, left: usize) -> sys::Result<usize> {
        match &mut self.file {
            Some(file) => file.splice_from(pipe, left),
            None => sys::splice(pipe.reader(), self.descriptor, left),
        }
    }

    /// Writes the `left` bytes that our `pipe` holds.
    pub(super) fn copy_from(&mut self, pipe: &Pipe, mut left: usize) -> Result<(), CopyError> {
        let mut buffer = [0; 16 * 1024];
        while left > 0 {
            let room = left.min(buffer.len());
            match sys::read(pipe.reader(), &mut buffer[..room]) {
                // The input has given these bytes, and they are nowhere else: it is the delivery
                // that failed.
                Ok(0) => return Err(CopyError::output(Errno::EIO)),
                Err(error) => return Err(CopyError::output(error)),
                Ok(taken) => {
                    self.write(&buffer[..taken], true)?;
                    left -= taken;
                }
            }
        }
        Ok(())
    }
}

impl AsFd for Sink<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor
    }
}
