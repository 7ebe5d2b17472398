//! A feeder: standard output gets one pattern, as fast as a pipe can be filled.
//!
//! What a pipe's reader can do depends on how its slots were filled: 4 KiB a slot is what most
//! programs leave there, 32 KiB what a producer can reach that takes them from a socket. A pipe
//! full of such slots is made once and handed over by `tee`, which copies references alone.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use anyhow::{Context, Result, ensure};
use nix::errno::Errno;
use nix::fcntl::{SpliceFFlags, splice, tee};
use nix::sys::socket::{setsockopt, sockopt};
use splice_core::{Pipe, grow_pipe};

/// What a page holds, and what a `write` leaves in a slot.
pub(crate) const PAGE_SLOT: usize = 4096;

/// The most that one slot holds: what a socket keeps in one compound page.
pub(crate) const SOCKET_SLOT: usize = 32 * 1024;

/// The capacity that an unprivileged user may give a pipe.
const CAPACITY: usize = 1 << 20;

/// More than any pipe holds.
const MOST: usize = 1 << 30;

/// Compound pages that the slots refer to.
const PAGES: usize = 8;

const TRIES: usize = 64;

/// What is repeated. Every slot of either size holds the same bytes: a `tee` that stops early
/// begins again at the first slot.
pub(crate) fn pattern() -> Vec<u8> {
    let line = b"thirty-one bytes and a newline.\n";
    line.repeat(PAGE_SLOT / line.len())
}

/// Writes `volume` bytes to standard output in slots of `slot` bytes, once standard input ends.
pub(crate) fn feed(slot: usize, volume: u64) -> Result<()> {
    let output = io::stdout();
    grow_pipe(&output, CAPACITY);
    let source = Pipe::new()?;
    let slots = source.grow_to(CAPACITY) / splice_core::page_size();
    match slot {
        PAGE_SLOT => splice_core::write_all(source.writer(), &pattern().repeat(slots))?,
        _ => fill_from_socket(&source, slots)?,
    }

    // Everything is prepared; whoever started this says when by closing our standard input.
    io::stdin().read_to_end(&mut Vec::new())?;
    let mut left = volume;
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(MOST);
        match tee(source.reader(), &output, wanted, SpliceFFlags::empty()) {
            // Whoever read has seen enough: the usual end of a feeder without a limit.
            Err(Errno::EPIPE) => break,
            given => left -= given? as u64,
        }
    }
    Ok(())
}

/// Fills `source` with slots that refer to a few compound pages in turn: with one alone, both ends
/// of the pipe would fight for its reference count.
fn fill_from_socket(source: &Pipe, slots: usize) -> Result<()> {
    let seed = Pipe::new()?;
    for _ in 0..PAGES {
        // The kernel gives smaller pages when memory is in pieces; a later try may do better.
        let slot = (0..TRIES).find_map(|_| socket_slot().ok());
        let slot = slot.context("this kernel gives a socket no compound pages")?;
        splice(slot.reader(), None, seed.writer(), None, SOCKET_SLOT, SpliceFFlags::empty())?;
    }
    let mut held = 0;
    while held < slots * SOCKET_SLOT {
        held += tee(seed.reader(), source.writer(), MOST, SpliceFFlags::SPLICE_F_NONBLOCK)
            .context("a slot holds less than was put in")?;
    }
    Ok(())
}

/// A pipe with one slot of the largest size: a `write` of just that much to a socket lands in one
/// compound page, and from there in one slot.
fn socket_slot() -> Result<Pipe> {
    let (mut sender, receiver) = UnixStream::pair()?;
    // The usual buffer is enough unless an administrator made it small.
    let _ = setsockopt(&sender, sockopt::SndBuf, &(4 * SOCKET_SLOT));
    sender.write_all(&pattern().repeat(SOCKET_SLOT / PAGE_SLOT))?;
    let pipe = Pipe::new()?;
    let at_once = SpliceFFlags::SPLICE_F_NONBLOCK;
    let moved = splice(&receiver, None, pipe.writer(), None, SOCKET_SLOT, at_once)?;
    ensure!(moved == SOCKET_SLOT, "a socket gave {moved} bytes at once");
    Ok(pipe)
}
