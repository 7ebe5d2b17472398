//! From a file to a pipe: the body by reference, the tail through memory.
//!
//! A spliced slot refers to the file's own page: whoever overwrites the file before the reader has
//! come to that slot changes what the reader gets. But a pipe is a ring of slots: once as many
//! copied slots have gone in as it has, every spliced slot before them has come out. So the last
//! bytes of the file are read into memory and cut into that many slots, each of a few bytes. One
//! page is enough for a pipe of 1 MiB, where a tail of full slots would be a copy of 1 MiB.
//!
//! The body goes through an intermediate pipe: page look-ups then happen outside of the lock that
//! the reader of the output wants, and each error tells its side.

use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use crate::copy::{End, Transfer};
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{LARGE_PIPE, Pipe, page_size};
use crate::sys;

/// The least that is left for the tail. Any pipe takes it in one slot before it is cut.
const TAIL: usize = 4096;

/// The pipes of one copy from a file to a pipe.
struct Pipes {
    /// Carries the body, and takes the cut tail.
    intermediate: Pipe,
    /// Holds the tail while it is cut.
    uncut: Pipe,
    /// Bytes of the intermediate pipe.
    capacity: usize,
}

/// What is left to do when the body is done.
struct Rest {
    /// Bytes of the body that are still in the intermediate pipe, to go out with the tail.
    held: usize,
    /// Slots that the tail has to fill.
    slots: usize,
}

impl Transfer<'_> {
    /// Copies a file as large as its size told. What it has grown by since is left to `read`.
    pub(super) fn body_and_tail(&mut self) -> Result<End, CopyError> {
        let FdKind::Regular { size } = self.input_kind else { return Ok(End::Refused) };
        // Both before the first byte is spliced: from then on the tail must be possible.
        let (Ok(intermediate), Ok(uncut)) = (Pipe::new(), Pipe::new()) else {
            return Ok(End::Refused);
        };
        let capacity = intermediate.grow_to(LARGE_PIPE);
        let pipes = Pipes { intermediate, uncut, capacity };
        match self.body(&pipes, size)? {
            ControlFlow::Continue(rest) => self.tail(&pipes, rest),
            ControlFlow::Break(end) => Ok(end),
        }
    }

    /// Splices all but the tail. The last piece waits in our pipe if the tail fits in behind it:
    /// the reader is then woken once for both.
    fn body(&mut self, pipes: &Pipes, size: u64) -> Result<ControlFlow<End, Rest>, CopyError> {
        let mut slots = 0;
        loop {
            let left = size.saturating_sub(self.delivered);
            if slots == 0 || left <= LARGE_PIPE as u64 {
                // Near the end again, for the reader may have enlarged the pipe. Not every time:
                // the question waits for the lock that the reader holds while it takes pages.
                match sys::pipe_capacity(self.output) {
                    Ok(capacity) => slots = capacity.div_ceil(page_size()),
                    Err(_) => return Ok(ControlFlow::Break(End::Refused)),
                }
            }
            let tail = tail_len(slots);
            if tail > TAIL && tail > pipes.uncut.grow_to(tail) {
                return Ok(ControlFlow::Break(End::Refused));
            }
            let body = left.saturating_sub(tail as u64);
            let len = pipes.capacity.min(usize::try_from(body).unwrap_or(pipes.capacity));
            if len == 0 {
                return Ok(ControlFlow::Continue(Rest { held: 0, slots }));
            }
            let taken = match self.take(&pipes.intermediate, len)? {
                ControlFlow::Continue(taken) => taken,
                ControlFlow::Break(end) => return Ok(ControlFlow::Break(end)),
            };
            if taken as u64 == body && pipes.slots_behind(taken) >= slots {
                return Ok(ControlFlow::Continue(Rest { held: taken, slots }));
            }
            if let ControlFlow::Break(end) = self.deliver(&pipes.intermediate, taken)? {
                return Ok(ControlFlow::Break(end));
            }
        }
    }

    /// Reads the tail, cuts it into slots and delivers them behind what is held.
    fn tail(&mut self, pipes: &Pipes, rest: Rest) -> Result<End, CopyError> {
        let Rest { mut held, mut slots } = rest;
        let mut bytes = vec![0; tail_len(slots)];
        let (mut left, read) = read_fully(self.input, &mut bytes);
        if sys::write_all(pipes.uncut.writer(), &bytes[..left]).is_err() {
            // Our own pipe fails us, which is nobody's fault: the bytes are still here.
            let _ = self.deliver(&pipes.intermediate, held)?;
            self.write(&bytes[..left])?;
            return read.map(|()| End::OfInput).map_err(CopyError::input);
        }
        while held + left > 0 {
            let cut = pipes.cut(left, pipes.slots_behind(held), &mut slots);
            if held + cut == 0 {
                // The kernel will not cut any more. Whole, the tail is at least not lost.
                self.empty_by_read_write(pipes.uncut.reader(), left)?;
                break;
            }
            // However these bytes went, the next ones are still to be delivered.
            let _ = self.deliver(&pipes.intermediate, held + cut)?;
            left -= cut;
            held = 0;
        }
        read.map_err(CopyError::input)?;
        Ok(End::OfInput)
    }
}

impl Pipes {
    /// The slots that are free in the intermediate pipe behind `held` bytes of a file, of which the
    /// first and the last page may be there in part.
    fn slots_behind(&self, held: usize) -> usize {
        let used = if held == 0 { 0 } else { held / page_size() + 2 };
        (self.capacity / page_size()).saturating_sub(used)
    }

    /// Cuts slots off the `left` bytes of the tail, as many as are `free` in the intermediate pipe,
    /// and returns how many bytes are in them.
    fn cut(&self, left: usize, free: usize, slots: &mut usize) -> usize {
        let mut cut = 0;
        for _ in 0..free {
            if cut == left || *slots == 0 {
                break;
            }
            let piece = (left - cut).div_ceil(*slots);
            match sys::splice(self.uncut.reader(), self.intermediate.writer(), piece) {
                Ok(0) | Err(_) => break,
                Ok(moved) => cut += moved,
            }
            *slots -= 1;
        }
        cut
    }
}

/// Reads until the buffer is full or the file ends; how much there was, and whether reading failed.
fn read_fully(input: BorrowedFd<'_>, buffer: &mut [u8]) -> (usize, sys::Result<()>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match sys::read(input, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(taken) => filled += taken,
            Err(error) => return (filled, Err(error)),
        }
    }
    (filled, Ok(()))
}

/// Bytes of the tail: at least one for every slot of the output pipe.
fn tail_len(slots: usize) -> usize {
    slots.next_multiple_of(TAIL).max(TAIL)
}
