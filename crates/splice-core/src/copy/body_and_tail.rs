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

use crate::copy::spliced::LARGE_PIPE;
use crate::copy::{End, Transfer};
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{Pipe, grow_pipe, page_size};
use crate::sys;

/// From this much on, larger pipes pay for what it costs to grow them and to cut a longer tail:
/// they save the reader and us from waking each other.
const GROW_FROM: u64 = 512 * 1024;

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

impl Transfer<'_> {
    /// Copies a file as large as its size told. What it has grown by since is left to `read`.
    pub(super) fn body_and_tail(&mut self) -> Result<End, CopyError> {
        let FdKind::Regular { size } = self.input_kind else { return Ok(End::Refused) };
        // Both before the first byte is spliced: from then on the tail must be possible.
        let (Ok(intermediate), Ok(uncut)) = (Pipe::new(), Pipe::new()) else {
            return Ok(End::Refused);
        };
        let wanted = if size >= GROW_FROM { LARGE_PIPE } else { 0 };
        grow_pipe(self.output, wanted);
        let capacity = intermediate.grow_to(wanted);
        let pipes = Pipes { intermediate, uncut, capacity };
        match self.body(&pipes, size)? {
            ControlFlow::Continue(slots) => self.tail(&pipes, slots),
            ControlFlow::Break(end) => Ok(end),
        }
    }

    /// Splices all but the tail, and goes on with the number of slots that the tail has to fill.
    fn body(&mut self, pipes: &Pipes, size: u64) -> Result<ControlFlow<End, usize>, CopyError> {
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
                return Ok(ControlFlow::Continue(slots));
            }
            if let ControlFlow::Break(end) = self.step(&pipes.intermediate, len)? {
                return Ok(ControlFlow::Break(end));
            }
        }
    }

    /// Reads the tail, cuts it into `slots` slots and delivers them.
    fn tail(&mut self, pipes: &Pipes, mut slots: usize) -> Result<End, CopyError> {
        let mut bytes = vec![0; tail_len(slots)];
        let mut left = 0;
        while left < bytes.len() {
            match sys::read(self.input, &mut bytes[left..]).map_err(CopyError::input)? {
                0 => break,
                taken => left += taken,
            }
        }
        sys::write_all(pipes.uncut.writer(), &bytes[..left]).map_err(CopyError::output)?;
        while left > 0 {
            let cut = pipes.cut(left, &mut slots);
            if cut == 0 {
                // The kernel will not cut any more. Whole, the tail is at least not lost.
                self.empty_by_read_write(pipes.uncut.reader(), left)?;
                break;
            }
            // However these bytes went, the next ones are still to be delivered.
            let _ = self.deliver(&pipes.intermediate, cut)?;
            left -= cut;
        }
        Ok(End::OfInput)
    }
}

impl Pipes {
    /// Cuts as many slots off the `left` bytes of the tail as the intermediate pipe has, and
    /// returns how many bytes are in them.
    fn cut(&self, left: usize, slots: &mut usize) -> usize {
        let mut cut = 0;
        for _ in 0..self.capacity / page_size() {
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

/// Bytes of the tail: at least one for every slot of the output pipe.
fn tail_len(slots: usize) -> usize {
    slots.next_multiple_of(TAIL).max(TAIL)
}
