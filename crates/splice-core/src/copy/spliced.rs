//! The paths that hand on references instead of bytes: `splice`, straight or through a pipe of our
//! own, and `copy_file_range`.

use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use nix::errno::Errno;

use crate::copy::{CALL_CAP, End, Transfer};
use crate::error::CopyError;
use crate::pipe::{LARGE_PIPE, Pipe, grow_pipe};
use crate::sys;

/// Once this much has come through them, larger pipes pay: both neighbours and we wake each other
/// less often.
const MUCH: u64 = 64 * 1024;

impl Transfer<'_> {
    /// File to file. Any refusal and any error means: go on by read and write from the position
    /// reached. Nothing is lost by that, and a real error shows itself again there, on its side.
    pub(super) fn copy_file_range(&mut self) -> End {
        loop {
            match sys::copy_file_range(self.input, self.output, CALL_CAP) {
                Ok(0) if self.delivered > 0 => return End::OfInput,
                Ok(0) | Err(_) => return End::Refused,
                Ok(moved) => self.delivered += moved as u64,
            }
        }
    }

    /// Straight from the input, a pipe, into the output.
    pub(super) fn splice(&mut self) -> Result<End, CopyError> {
        let mut enlarged = false;
        loop {
            // Far more than the pipe's capacity: that counts pages, and slots can hold more.
            match sys::splice(self.input, self.output, CALL_CAP) {
                Ok(0) => return Ok(End::OfInput),
                Ok(moved) => self.delivered += moved as u64,
                Err(error) if self.may_fall_back(error) => return Ok(End::Refused),
                // A pipe has no way to fail when it is read: it is the other side.
                Err(error) => return Err(CopyError::output(error)),
            }
            if !enlarged && self.delivered >= MUCH {
                enlarged = true;
                grow_pipe(self.input, LARGE_PIPE);
                // Where the output is no pipe, it is left as it is.
                grow_pipe(self.output, LARGE_PIPE);
            }
        }
    }

    /// Into a pipe of our own and from there into the output, which need not be a pipe.
    pub(super) fn splice_through_pipe(&mut self) -> Result<End, CopyError> {
        let Ok(pipe) = Pipe::new() else { return Ok(End::Refused) };
        let capacity = pipe.grow_to(LARGE_PIPE);
        loop {
            let end = match self.take(&pipe, capacity)? {
                ControlFlow::Continue(taken) => self.deliver(&pipe, taken)?,
                ControlFlow::Break(end) => return Ok(end),
            };
            if let ControlFlow::Break(end) = end {
                return Ok(end);
            }
        }
    }

    /// Takes at most `len` bytes, no more than the pipe holds, into the pipe.
    pub(super) fn take(
        &mut self,
        pipe: &Pipe,
        len: usize,
    ) -> Result<ControlFlow<End, usize>, CopyError> {
        match sys::splice(self.input, pipe.writer(), len) {
            Ok(0) => Ok(ControlFlow::Break(End::OfInput)),
            Ok(taken) => Ok(ControlFlow::Continue(taken)),
            Err(error) if self.may_fall_back(error) => Ok(ControlFlow::Break(End::Refused)),
            Err(error) => Err(CopyError::input(error)),
        }
    }

    /// Hands on the `left` bytes that the pipe holds.
    pub(super) fn deliver(
        &mut self,
        pipe: &Pipe,
        mut left: usize,
    ) -> Result<ControlFlow<End>, CopyError> {
        while left > 0 {
            match sys::splice(pipe.reader(), self.output, left) {
                Ok(moved) if moved > 0 => {
                    left -= moved;
                    self.delivered += moved as u64;
                }
                Err(error) if !self.may_fall_back(error) => return Err(CopyError::output(error)),
                // Refused by the output, or given up by the kernel: the bytes are in the pipe.
                Ok(_) | Err(_) => {
                    self.empty_by_read_write(pipe.reader(), left)?;
                    return Ok(ControlFlow::Break(End::Refused));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether a fast call that failed may be followed by read and write: before the first byte any
    /// error may be, for a real one shows itself again there. Except for what a socket tells once:
    /// after a reset has been told, the next read says that the stream has ended.
    fn may_fall_back(&self, error: Errno) -> bool {
        let told_once = matches!(
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
        );
        self.delivered == 0 && !told_once
    }

    /// Delivers the `left` bytes that our pipe holds, now that the output refuses to be spliced to.
    pub(super) fn empty_by_read_write(
        &mut self,
        pipe: BorrowedFd<'_>,
        mut left: usize,
    ) -> Result<(), CopyError> {
        let mut buffer = [0; 16 * 1024];
        while left > 0 {
            let room = left.min(buffer.len());
            match sys::read(pipe, &mut buffer[..room]) {
                // The input has given these bytes, and they are nowhere else: it is the delivery
                // that failed.
                Ok(0) => return Err(CopyError::output(Errno::EIO)),
                Err(error) => return Err(CopyError::output(error)),
                Ok(taken) => {
                    self.write(&buffer[..taken])?;
                    left -= taken;
                }
            }
        }
        Ok(())
    }
}
