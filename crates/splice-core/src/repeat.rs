//! One pattern, again and again: the fastest way to fill a descriptor that the kernel has.
//!
//! Three paths, tried in this order; `docs/yes.md` tells what each costs.
//!
//! 1. Shared slots (`slots.rs`): pages that the kernel owns, each with a whole number of patterns,
//!    handed to the output by `tee`. No byte is copied and no page is looked up.
//! 2. `vmsplice` (`memory.rs`): pages of this process that never change again.
//! 3. `write` (`copied.rs`): works everywhere.
//!
//! A path that is refused costs nothing but the attempt: [`Progress`] knows how many bytes the
//! output has accepted, so the next path goes on at the right place of the pattern.

mod copied;
mod layout;
mod memory;
mod progress;
mod shared;
mod slots;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;

use crate::FdKind;
use progress::Progress;

/// How a [`Repeater`] handed its bytes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RepeatPath {
    /// Pages of the kernel's own, shared by `tee`.
    SharedSlots,
    /// Memory of this process, shared by `vmsplice`.
    Vmsplice,
    /// Bytes copied by `write`.
    Write,
}

/// What a [`Repeater`] with a limit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// Bytes that the output accepted: the limit.
    pub bytes: u64,
    /// The path that the last of them took. The first pattern is always written.
    pub path: RepeatPath,
}

/// With a limit below this many bytes, to write them costs less than the set-up of another path.
const WORTH_A_SET_UP: u64 = 256 * 1024;

/// Writes a pattern again and again, for ever or up to a number of bytes.
///
/// ```
/// use splice_core::{Pipe, Repeater, read};
///
/// let pipe = Pipe::new()?;
/// let done = Repeater::new(b"yes\n").limit(10).run(pipe.writer())?;
/// assert_eq!(done.bytes, 10);
/// let mut buffer = [0; 16];
/// let len = read(pipe.reader(), &mut buffer)?;
/// assert_eq!(&buffer[..len], b"yes\nyes\nye");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Repeater<'p> {
    pattern: &'p [u8],
    limit: Option<u64>,
    first_path: Option<RepeatPath>,
}

impl<'p> Repeater<'p> {
    /// Repeats `pattern` for ever.
    pub fn new(pattern: &'p [u8]) -> Repeater<'p> {
        Repeater { pattern, limit: None, first_path: None }
    }

    /// Stops after exactly that many bytes, be it in the middle of the pattern.
    pub fn limit(self, bytes: u64) -> Repeater<'p> {
        Repeater { limit: Some(bytes), ..self }
    }

    /// Leaves out the paths before this one, for comparison and for tests. Without it the choice
    /// depends on what the output is.
    pub fn first_path(self, path: RepeatPath) -> Repeater<'p> {
        Repeater { first_path: Some(path), ..self }
    }

    /// Fills `output` until the limit is reached or it fails. Blocks while the output takes
    /// nothing, also on a non-blocking descriptor, whose flags stay as they are.
    ///
    /// The first pattern is written plainly, so that an output that is bad costs no set-up. An
    /// output that is a pipe is grown to 1 MiB where that is allowed. One system call moves 1 MiB,
    /// into a pipe 4 MiB, or one pattern where that is longer, at the most: no signal is seen
    /// before it returns.
    ///
    /// [`RepeatPath::Vmsplice`] never frees its memory (the size of the pattern, or 128 KiB where
    /// that is more): the kernel may refer to it long after the run.
    ///
    /// System calls: [`write`](https://man7.org/linux/man-pages/man2/write.2.html),
    /// [`tee`](https://man7.org/linux/man-pages/man2/tee.2.html),
    /// [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html),
    /// [`vmsplice`](https://man7.org/linux/man-pages/man2/vmsplice.2.html),
    /// [`poll`](https://man7.org/linux/man-pages/man2/poll.2.html),
    /// [`sched_yield`](https://man7.org/linux/man-pages/man2/sched_yield.2.html),
    /// [`nanosleep`](https://man7.org/linux/man-pages/man2/nanosleep.2.html), and for the set-up
    /// [`socketpair`](https://man7.org/linux/man-pages/man2/socketpair.2.html) and
    /// [`pipe2`](https://man7.org/linux/man-pages/man2/pipe.2.html).
    ///
    /// # Errors
    /// Those of the output: what `write` says, or `splice` or `tee` to the same descriptor. EINTR,
    /// EAGAIN and refusals of a path never come out. EINVAL: the pattern is empty.
    pub fn run(&self, output: impl AsFd) -> io::Result<Repeated> {
        if self.pattern.is_empty() {
            return Err(Errno::EINVAL.into());
        }
        let output = output.as_fd();
        let mut progress = Progress::new(self.pattern, self.limit);
        progress.write_to_the_end_of_a_pattern(output)?;
        let mut path = RepeatPath::Write;
        if !progress.is_done() {
            let kind = FdKind::of(output).unwrap_or(FdKind::Other);
            for &next in self.paths(kind) {
                path = next;
                match attempt(path, kind, output, &mut progress) {
                    Ok(()) => break,
                    Err(Stop::Refused) => {}
                    Err(Stop::Failed(errno)) => return Err(errno.into()),
                }
            }
        }
        Ok(Repeated { bytes: progress.accepted(), path })
    }

    /// The paths to try, in order. The last one is never refused.
    fn paths(&self, kind: FdKind) -> &'static [RepeatPath] {
        use RepeatPath::{SharedSlots, Vmsplice, Write};
        let best = match kind {
            _ if self.limit.is_some_and(|bytes| bytes < WORTH_A_SET_UP) => Write,
            FdKind::Pipe | FdKind::StreamSocket => SharedSlots,
            // A file copies the bytes from wherever they are, and so do devices, unless they
            // discard them: a pipe between would be one more step.
            _ => Write,
        };
        let first = match kind {
            // A message must not end where a page does.
            FdKind::MessageSocket => Write,
            _ => self.first_path.unwrap_or(best),
        };
        match first {
            SharedSlots => &[SharedSlots, Vmsplice, Write],
            Vmsplice => &[Vmsplice, Write],
            Write => &[Write],
        }
    }
}

/// Why a path ended before the limit was reached.
#[derive(Debug, PartialEq, Eq)]
enum Stop {
    /// The path cannot be had here: the next one goes on.
    Refused,
    /// The output failed.
    Failed(Errno),
}

fn attempt(
    path: RepeatPath,
    kind: FdKind,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> Result<(), Stop> {
    let line = progress.pattern();
    match path {
        RepeatPath::SharedSlots => {
            let slots = slots::SharedSlots::of(line).map_err(|_| Stop::Refused)?;
            shared::run(&slots, kind, output, progress)
        }
        RepeatPath::Vmsplice => {
            let memory = memory::StaticMemory::of(line).map_err(|_| Stop::Refused)?;
            shared::run(&memory, kind, output, progress)
        }
        RepeatPath::Write => copied::run(kind, output, progress).map_err(Stop::Failed),
    }
}

/// Fills `buffer` with `pattern`, which begins `phase` bytes before the buffer does.
fn fill(buffer: &mut [u8], pattern: &[u8], phase: usize) {
    let (before, after) = pattern.split_at(phase);
    let mut filled = 0;
    for part in [after, before] {
        let len = part.len().min(buffer.len() - filled);
        buffer[filled..filled + len].copy_from_slice(&part[..len]);
        filled += len;
    }
    // Doubled: a pattern of one byte would otherwise take a copy a byte.
    while filled < buffer.len() {
        let len = filled.min(buffer.len() - filled);
        buffer.copy_within(..len, filled);
        filled += len;
    }
}
