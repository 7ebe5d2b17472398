//! The output of a Copier: how much it has accepted, and how it is waited for.

use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use nix::poll::PollFlags;

use super::MUCH;
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::patience::Patience;
use crate::pipe::{LARGE_PIPE, Pipe, grow_pipe, page_size};
use crate::sys::{self, FileSystem};

/// The most bytes that one splice puts into a file. The kernel looks for memory in one piece for all
/// of them; larger ones are hardly faster, and less often at hand.
pub(super) const FILE_PART: usize = 256 * 1024;

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
    /// Where it is kept, if it can be spliced to, once that was asked.
    file_system: Option<FileSystem>,
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
        let patience = Patience::default();
        Sink {
            descriptor,
            kind,
            accepted: 0,
            refuses_splice: false,
            roomy: false,
            file_system: None,
            patience,
        }
    }

    pub(super) fn kind(&self) -> FdKind {
        self.kind
    }

    /// Whether it refused to be spliced to: there is no use in trying again.
    pub(super) fn refuses_splice(&self) -> bool {
        self.refuses_splice
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'fd> {
        self.descriptor
    }

    /// How many bytes are left to the next multiple of `size`, if it is a file; otherwise that is
    /// `size`. A file keeps what is written in one call in pieces as large as the place where they
    /// begin allows: one page off, a file on disk took a tenth less.
    pub(super) fn to_a_boundary(&self, size: usize) -> usize {
        match self.kind {
            // Where it stands is a guess: at its end, as if it was emptied or is open for append.
            FdKind::Regular { size: before } => {
                size - usize::try_from((before + self.accepted) % size as u64).unwrap_or(0)
            }
            _ => size,
        }
    }

    /// Whether it is a file and stands in the middle of a block.
    pub(super) fn is_amid_a_block(&self) -> bool {
        self.to_a_boundary(page_size()) != page_size()
    }

    /// Whether `copy_file_range` to it could only copy, in smaller pieces than `splice`, which may be
    /// had: its file system shares whole blocks if it shares any, and it stands amid one.
    pub(super) fn shares_nothing_here(&mut self) -> bool {
        match self.file_system() {
            FileSystem::Sharing => self.is_amid_a_block(),
            FileSystem::NotSharing => true,
            FileSystem::Other => false,
        }
    }

    fn file_system(&mut self) -> FileSystem {
        let output = self.descriptor;
        if self.refuses_splice {
            return FileSystem::Other;
        }
        *self.file_system.get_or_insert_with(|| match sys::is_for_append(output) {
            true => FileSystem::Other,
            false => sys::file_system(output),
        })
    }

    /// Notes that it would refuse to be spliced to.
    pub(super) fn refuse_splice(&mut self) {
        self.refuses_splice = true;
    }

    /// Notes that `bytes` more were accepted.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.accepted += bytes as u64;
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
        sys::write_all(self.descriptor, bytes).map_err(CopyError::output)?;
        self.advance(bytes.len());
        Ok(())
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
            let most = match self.kind {
                FdKind::Regular { .. } => left.min(self.to_a_boundary(FILE_PART)),
                _ => left,
            };
            match sys::splice(pipe.reader(), self.descriptor, most) {
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
