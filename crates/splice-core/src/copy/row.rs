//! Files on their way to a pipe, one behind the other: bodies by reference, the last tail in
//! slices.
//!
//! A spliced slot refers to the file's own page: whoever overwrites the file before the reader has
//! come to that slot changes what the reader gets. But a pipe is a ring of slots: once as many
//! slots that were filled otherwise have gone in as it has, every spliced slot before them has come
//! out. So the last bytes of a file, its tail, are read into memory; and in the end they are cut
//! into that many slots, each of a few bytes. One page is enough for a pipe of 1 MiB, where a tail
//! of full slots would be a copy of 1 MiB.
//!
//! To cut the tail is to wait until the reader has taken everything before it. Files in a row wait
//! once: the tail of each but the last goes out whole, like any other bytes.
//!
//! All goes through an intermediate pipe: page look-ups then happen outside of the lock that the
//! reader of the output wants, each error tells its side, and several small bodies go out together.

use std::os::fd::AsFd;

use super::sink::{Delivery, Sink};
use super::source::{Source, Taken};
use super::way::End;
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{LARGE_PIPE, Pipe, page_size};
use crate::sys;

/// The least that is kept for the tail. Any pipe takes it in one slot before it is cut.
const TAIL: usize = 4096;

/// The pipes of a row of files, and what is in them.
#[derive(Debug)]
pub(super) struct Row {
    /// Holds what is on its way: bodies and tails, in their order.
    intermediate: Pipe,
    /// Takes it at the end, with the last tail in slices.
    sliced: Pipe,
    /// Bytes of a tail: at least one for every slot of the output.
    tail_len: usize,
    /// Bytes in the intermediate pipe before the last tail.
    waiting: usize,
    /// Bytes of the last tail, behind them.
    tail: usize,
    /// Whether something was delivered: until then an error may be a refusal.
    delivered: bool,
}

impl Row {
    /// Makes what a row needs, all of it: once a body has gone out, its tail must be possible.
    /// None if it cannot be had.
    pub(super) fn new(sink: &mut Sink<'_>) -> Option<Row> {
        sink.make_room();
        let slots = output_slots(sink)?;
        let tail_len = slots.next_multiple_of(TAIL).max(TAIL);
        let (intermediate, sliced) = (Pipe::new().ok()?, Pipe::new().ok()?);
        let capacity = intermediate.grow_to(LARGE_PIPE.max(tail_len));
        sliced.grow_to(capacity);
        let row = Row { intermediate, sliced, tail_len, waiting: 0, tail: 0, delivered: false };
        (tail_len <= capacity).then_some(row)
    }

    /// Takes a file as large as its size told. What it has grown by since is left to `read`.
    pub(super) fn append(
        &mut self,
        source: &mut Source<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<End, CopyError> {
        let FdKind::Regular { size } = source.kind() else { return Ok(End::Refused) };
        let body = size.saturating_sub(self.tail_len as u64);
        loop {
            let left = body.saturating_sub(source.taken());
            if left == 0 {
                break;
            }
            let most = usize::try_from(left).map_or(LARGE_PIPE, |left| left.min(LARGE_PIPE));
            match source.splice_at_once(&self.intermediate, most)? {
                // The tail that is there already goes out as it is: there is another one to come.
                Taken::Bytes(taken) => self.waiting += std::mem::take(&mut self.tail) + taken,
                Taken::NoRoom if self.is_empty() => return Ok(End::Refused),
                // The tail alone fills it, where pipes have a page or two.
                Taken::NoRoom if self.waiting == 0 => self.empty(sink)?,
                Taken::NoRoom => {}
                Taken::End => break,
                Taken::Refused => return Ok(End::Refused),
            }
            // What did not fit in one piece has filled the pipe, or comes from a slow disk.
            if source.taken() < body && self.deliver_waiting(sink)? == Delivery::Copied {
                return Ok(End::Refused);
            }
        }
        self.take_tail(source, sink)?;
        Ok(End::OfInput)
    }

    /// Whether there is nothing to deliver.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting + self.tail == 0
    }

    /// Delivers what waits, and a tail behind it that is not the last any more.
    fn deliver(&mut self, sink: &mut Sink<'_>) -> Result<Delivery, CopyError> {
        self.waiting += std::mem::take(&mut self.tail);
        self.deliver_waiting(sink)
    }

    /// Delivers what waits. The last tail stays behind.
    fn deliver_waiting(&mut self, sink: &mut Sink<'_>) -> Result<Delivery, CopyError> {
        if self.waiting == 0 {
            return Ok(Delivery::ByReference);
        }
        let waiting = std::mem::take(&mut self.waiting);
        let may_fall_back = !std::mem::replace(&mut self.delivered, true);
        sink.splice_from(&self.intermediate, waiting, may_fall_back)
    }

    /// Reads the tail of a file, whose body is in the intermediate pipe, and puts it there too.
    fn take_tail(&mut self, source: &mut Source<'_>, sink: &mut Sink<'_>) -> Result<(), CopyError> {
        let mut tail = vec![0; self.tail_len];
        let mut len = 0;
        let read = loop {
            match source.read(&mut tail[len..]) {
                Ok(0) => break Ok(()),
                Ok(taken) => len += taken,
                Err(error) => break Err(error),
            }
            if len == tail.len() {
                break Ok(());
            }
        };
        if len > 0 {
            self.waiting += std::mem::take(&mut self.tail);
            self.hold_back(&tail[..len], sink)?;
        }
        read
    }

    /// Takes bytes that come after the last file, and are no file's pages any more.
    pub(super) fn write(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), CopyError> {
        let (body, tail) = bytes.split_at(bytes.len().saturating_sub(self.tail_len));
        if !body.is_empty() {
            self.deliver(sink)?;
            sink.write(body, true)?;
        }
        self.hold_back(tail, sink)
    }

    /// Puts bytes behind the tail, which is then the last of both.
    fn hold_back(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), CopyError> {
        // Nobody but us empties this pipe: no write that would wait.
        if !self.has_room(bytes.len()) {
            self.deliver_waiting(sink)?;
        }
        let held =
            self.has_room(bytes.len()) && sys::write_all(self.intermediate.writer(), bytes).is_ok();
        if held {
            self.tail += bytes.len();
            let body = self.tail.saturating_sub(self.tail_len);
            self.tail -= body;
            self.waiting += body;
            return Ok(());
        }
        // Our own pipe is too small or fails us, which is nobody's fault: the bytes are still here,
        // and may go out as they are once the tail before them has been cut.
        self.empty(sink)?;
        sink.write(bytes, true)
    }

    /// Whether the intermediate pipe takes so many bytes at once: a page in one slot, or what it was
    /// made for if it is empty.
    fn has_room(&self, len: usize) -> bool {
        (self.is_empty() || len <= page_size()) && sys::has_room(self.intermediate.writer())
    }

    /// Delivers everything, the last tail in as many slices as the output has slots.
    pub(super) fn settle(mut self, sink: &mut Sink<'_>) -> Result<(), CopyError> {
        self.empty(sink)
    }

    fn empty(&mut self, sink: &mut Sink<'_>) -> Result<(), CopyError> {
        // Asked again, for the reader may have enlarged its pipe.
        let mut slots = output_slots(sink).unwrap_or(self.tail_len);
        while !self.is_empty() {
            let sliced = self.slice(&mut slots);
            if sliced == 0 {
                // The kernel will not cut any more. Whole, the tail is at least not lost.
                let left = std::mem::take(&mut self.waiting) + std::mem::take(&mut self.tail);
                return sink.copy_from(&self.intermediate, left);
            }
            let may_fall_back = !std::mem::replace(&mut self.delivered, true);
            sink.splice_from(&self.sliced, sliced, may_fall_back)?;
        }
        Ok(())
    }

    /// Moves what waits into the second pipe, and slices of the tail behind it, as far as there is
    /// room; the reader is then woken once for both. Returns how many bytes were moved.
    fn slice(&mut self, slots: &mut usize) -> usize {
        let mut moved = 0;
        while !self.is_empty() {
            let piece = match self.waiting {
                0 => self.tail.div_ceil((*slots).max(1)),
                waiting => waiting,
            };
            let (from, to) = (self.intermediate.reader(), self.sliced.writer());
            match sys::splice_at_once(from, to, piece) {
                Ok(0) | Err(_) => break,
                Ok(bytes) if self.waiting > 0 => {
                    self.waiting -= bytes;
                    moved += bytes;
                }
                Ok(bytes) => {
                    self.tail -= bytes;
                    *slots = slots.saturating_sub(1);
                    moved += bytes;
                }
            }
        }
        moved
    }
}

/// How many slots the output, a pipe, has. None if it cannot be asked.
fn output_slots(sink: &Sink<'_>) -> Option<usize> {
    let capacity = sys::pipe_capacity(sink.as_fd()).ok()?;
    Some(capacity.div_ceil(page_size()))
}
