//! The first path: slots that hold compound pages of the kernel's own.
//!
//! A pipe is a ring of slots, and moving bytes by reference costs time by the slot. `splice` from
//! a file and `vmsplice` put one page into a slot, 4 KiB as a rule. What arrives from an AF_UNIX
//! stream socket sits in compound pages of up to 32 KiB, and one slot refers to all of it. `tee`
//! then makes any number of slots refer to the same page.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socketpair, sockopt};

use super::fill;
use super::layout::Layout;
use super::shared::{MOST_INTO_A_PIPE, SharedPages};
use crate::pipe::above_standard_streams;
use crate::sys::{self, Wait};
use crate::{Buffer, Pipe, page_size};

/// What the kernel puts into one compound page when a socket is sent exactly that much in one
/// call. Other sizes may be split.
const COMPOUND_PAGE: usize = 32 * 1024;

/// The slots of all sources together, if each may have so many: an unprivileged user may own 16384
/// pages of capacity in all pipes, and each slot counts as one.
const SLOTS_OF_ALL_SOURCES: usize = 2048;

/// The least slots of one source.
const LEAST_SLOTS: usize = 32;

/// More than any cycle has.
const WHOLE_SEED: usize = 1 << 30;

/// Full pipes, one for each slot of the cycle to begin with. They are never emptied: `tee` copies.
pub(super) struct SharedSlots {
    cycle: usize,
    /// What one `tee` moves at least where there is room for it.
    offered: usize,
    /// In the order of their phases, of which no two are equal.
    sources: Vec<Source>,
}

/// A pipe full of slots that go round the cycle.
struct Source {
    /// The offset in the pattern of its first byte.
    phase: usize,
    pipe: Pipe,
}

impl SharedSlots {
    /// Makes the pages and fills the pipes. Nothing here waits, whatever the kernel says that a
    /// pipe can hold, and no source is trusted unless it holds what it should.
    ///
    /// # Errors
    /// Whatever was refused. EINVAL also: the kernel's slots are smaller, or the pattern too long.
    pub(super) fn of(pattern: &[u8]) -> io::Result<SharedSlots> {
        let slot = COMPOUND_PAGE.max(page_size());
        let layout = Layout::of(pattern.len(), slot).ok_or(Errno::EINVAL)?;
        let seed = one_cycle(pattern, layout, slot)?;
        let most = MOST_INTO_A_PIPE / slot;
        let wanted = (SLOTS_OF_ALL_SOURCES / layout.slots()).clamp(LEAST_SLOTS.min(most), most);
        let mut offered = whole_cycles(wanted * slot, layout.bytes());
        let source = |first| {
            let pipe = Pipe::new()?;
            let capacity = pipe.grow_to(wanted * page_size());
            let slots = first..first + capacity / page_size();
            let bytes = fill_up(&pipe, &seed)?;
            exactly(slots.map(|slot| layout.len(slot)).sum(), bytes)?;
            offered = offered.min(bytes);
            // The next source begins with the next slot.
            turn(&seed, layout.len(first))?;
            Ok(Source { phase: layout.phase(first), pipe })
        };
        let mut sources = (0..layout.slots()).map(source).collect::<io::Result<Vec<_>>>()?;
        sources.sort_unstable_by_key(|source| source.phase);
        Ok(SharedSlots { cycle: layout.bytes(), offered, sources })
    }

    fn source(&self, phase: usize) -> Option<&Source> {
        let index = self.sources.binary_search_by_key(&phase, |source| source.phase).ok()?;
        self.sources.get(index)
    }
}

impl SharedPages for SharedSlots {
    fn can_begin_at(&self, phase: usize) -> bool {
        self.source(phase).is_some()
    }

    fn put(
        &self,
        phase: usize,
        len: usize,
        pipe: BorrowedFd<'_>,
        wait: Wait,
    ) -> sys::Result<usize> {
        let source = self.source(phase).ok_or(Errno::EINVAL)?;
        sys::tee(source.pipe.reader(), pipe, whole_cycles(len, self.cycle), wait)
    }

    fn filled_up(&self, moved: usize) -> bool {
        // A reader that takes everything at once leaves more room than this.
        moved < self.offered / 4
    }
}

/// As much of `len` as ends with a cycle: nothing could go on in the middle of a slot. It is only
/// cut at the very end of a run.
fn whole_cycles(len: usize, cycle: usize) -> usize {
    if len > cycle { len - len % cycle } else { len }
}

/// A pipe that holds one cycle: each of its slots a page of its own.
fn one_cycle(pattern: &[u8], layout: Layout, slot: usize) -> io::Result<Pipe> {
    let seed = Pipe::new()?;
    seed.grow_to(layout.slots() * page_size());
    let mut maker = SlotMaker::new(slot)?;
    for index in 0..layout.slots() {
        maker.make(pattern, layout.phase(index), layout.len(index), &seed)?;
    }
    Ok(seed)
}

/// Puts the slots of `seed` into `pipe`, round and round, until there is no room; the bytes that
/// it holds then.
fn fill_up(pipe: &Pipe, seed: &Pipe) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        // To ask for less than the seed holds would begin again in the middle of the cycle.
        match sys::tee(seed.reader(), pipe.writer(), WHOLE_SEED, Wait::Never) {
            Ok(0) => return Err(Errno::EINVAL.into()),
            Ok(more) => filled += more,
            Err(Errno::EAGAIN) => return Ok(filled),
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Makes the first slot of `seed`, `len` bytes long, its last one.
fn turn(seed: &Pipe, len: usize) -> io::Result<()> {
    let aside = Pipe::new()?;
    exactly(len, sys::splice_at_once(seed.reader(), aside.writer(), len)?)?;
    exactly(len, sys::splice_at_once(aside.reader(), seed.writer(), len)?)
}

/// Fewer bytes than a call should have moved mean that slots are not what they are taken for.
fn exactly(wanted: usize, moved: usize) -> io::Result<()> {
    if moved == wanted { Ok(()) } else { Err(Errno::EINVAL.into()) }
}

/// Makes slots of a compound page each.
struct SlotMaker {
    near: OwnedFd,
    far: OwnedFd,
    buffer: Buffer,
}

impl SlotMaker {
    fn new(slot: usize) -> io::Result<SlotMaker> {
        let (near, far) = socketpair(
            AddressFamily::Unix,
            SockType::Stream,
            None,
            SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK,
        )?;
        let (near, far) = (above_standard_streams(near)?, above_standard_streams(far)?);
        // The default is enough unless an administrator made it small.
        let _ = setsockopt(&near, sockopt::SndBuf, &(4 * slot));
        Ok(SlotMaker { near, far, buffer: Buffer::new(slot)? })
    }

    /// Puts one slot with `len` bytes of `pattern` into `pipe`, from the offset `phase` on.
    fn make(&mut self, pattern: &[u8], phase: usize, len: usize, pipe: &Pipe) -> io::Result<()> {
        let slot = self.buffer.len();
        fill(&mut self.buffer, pattern, phase);
        exactly(slot, sys::write_at_once(self.near.as_fd(), &self.buffer)?)?;
        // The slot is cut on its way out of this pipe; what is left over goes with it.
        let uncut = Pipe::new()?;
        exactly(slot, sys::splice_at_once(self.far.as_fd(), uncut.writer(), slot)?)?;
        exactly(len, sys::splice_at_once(uncut.reader(), pipe.writer(), len)?)
    }
}
