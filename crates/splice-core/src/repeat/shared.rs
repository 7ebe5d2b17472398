//! Handing pages over by reference: straight into an output that is a pipe, and through a pipe
//! between for everything else.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::PollFlags;

use super::progress::Progress;
use super::{Stop, fill};
use crate::patience::Patience;
use crate::pipe::LARGE_PIPE;
use crate::sys::{self, Wait};
use crate::{FdKind, Pipe, grow_pipe, page_size};

/// A repeated pattern in pages that can be put into a pipe without copying them.
pub(super) trait SharedPages {
    /// Can the next byte be the one at this offset of the pattern?
    fn can_begin_at(&self, phase: usize) -> bool;

    /// Puts at most `len` bytes into `pipe`, from that offset of the pattern on.
    fn put(&self, phase: usize, len: usize, pipe: BorrowedFd<'_>, wait: Wait)
    -> sys::Result<usize>;

    /// Whether so few bytes tell that the pipe was all but full before the call.
    fn filled_up(&self, moved: usize) -> bool;
}

/// The most bytes that one call moves, but for a pipe. Until it returns no signal is seen, and an
/// output may be a slow disk.
pub(super) const MOST_AT_ONCE: usize = 1 << 20;

/// The most bytes that one call puts into a pipe: what half of its 256 slots can hold, so that
/// reader and writer seldom ask for the pipe's lock. It takes microseconds, since none is copied.
pub(super) const MOST_INTO_A_PIPE: usize = 4 << 20;

/// How long a pipe that was all but full is left to its reader. The kernel adds some 50
/// microseconds; a reader that copies takes five times that for what is in a pipe of 1 MiB.
const A_MOMENT: Duration = Duration::from_micros(1);

/// Hands pages over until the limit is reached.
pub(super) fn run(
    pages: &impl SharedPages,
    kind: FdKind,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> Result<(), Stop> {
    let mut route = Route::to(output, kind).map_err(|_| Stop::Refused)?;
    fill_a_page(output, progress).map_err(Stop::Failed)?;
    let before = progress.accepted();
    while !progress.is_done() {
        if !pages.can_begin_at(progress.phase()) {
            // After another path, or where a kernel's slots are not what they should be.
            progress.write_to_the_end_of_a_pattern(output).map_err(Stop::Failed)?;
            continue;
        }
        let moved = match &mut route {
            Route::Straight { roomy, patience } => {
                patience.await_ready(output, PollFlags::POLLOUT);
                straight(pages, output, progress, *roomy)
            }
            Route::Through(broker) => through(broker, pages, output, progress),
        };
        match moved {
            // There is no end to come to: a kernel that says so cannot do it.
            Ok(0) => return Err(Stop::Refused),
            Ok(_) => {}
            Err(errno) => return Err(judge(errno, progress.accepted() > before)),
        }
    }
    Ok(())
}

/// Writes patterns up to the end of a page, if one ends there. Pages that follow are then copied to
/// where a page of the reader's begins. Two bytes further on, the first pattern of `y` and newline,
/// they were copied at a tenth of the speed: processors fear that the one overlaps the other.
fn fill_a_page(output: BorrowedFd<'_>, progress: &mut Progress<'_>) -> sys::Result<()> {
    let (page, pattern) = (page_size(), progress.pattern());
    if !page.is_multiple_of(pattern.len()) {
        return Ok(());
    }
    let mut patterns = vec![0; page];
    fill(&mut patterns, pattern, 0);
    loop {
        let over = usize::try_from(progress.accepted() % page as u64).unwrap_or(0);
        if over == 0 || progress.is_done() {
            return Ok(());
        }
        // Ends where the page does, whole patterns or not.
        progress.write(&patterns[..progress.phase() + page - over], output)?;
    }
}

/// How pages get to the output.
enum Route {
    /// It is a pipe itself, and `roomy` if it is a large one. Room in it is waited for awake.
    Straight { roomy: bool, patience: Patience },
    /// By way of a pipe that is empty before and after every step.
    Through(Pipe),
}

impl Route {
    fn to(output: BorrowedFd<'_>, kind: FdKind) -> io::Result<Route> {
        if kind == FdKind::Pipe {
            let roomy = grow_pipe(output, LARGE_PIPE) >= LARGE_PIPE;
            return Ok(Route::Straight { roomy, patience: Patience::default() });
        }
        let broker = Pipe::new()?;
        broker.grow_to(LARGE_PIPE);
        Ok(Route::Through(broker))
    }
}

fn straight(
    pages: &impl SharedPages,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
    roomy: bool,
) -> sys::Result<usize> {
    let len = progress.allowance(MOST_INTO_A_PIPE);
    let moved = pages.put(progress.phase(), len, output, Wait::ForRoom)?;
    progress.advance(moved);
    if roomy && pages.filled_up(moved) && !progress.is_done() {
        // The reader has plenty. To ask for room at once would only take the pipe's lock from it,
        // again and again, for a slot or two each time.
        std::thread::sleep(A_MOMENT);
    }
    Ok(moved)
}

fn through(
    broker: &Pipe,
    pages: &impl SharedPages,
    output: BorrowedFd<'_>,
    progress: &mut Progress<'_>,
) -> sys::Result<usize> {
    let len = progress.allowance(MOST_AT_ONCE);
    // A broker that takes nothing says nothing of the output.
    let brought = pages.put(progress.phase(), len, broker.writer(), Wait::Never).unwrap_or(0);
    let mut left = brought;
    while left > 0 {
        match sys::splice(broker.reader(), output, left)? {
            // What is left in the broker is dropped with it: `progress` knows what has gone out.
            0 => return Ok(0),
            moved => {
                progress.advance(moved);
                left -= moved;
            }
        }
    }
    Ok(brought)
}

/// What an error means of a call that moves bytes by reference.
fn judge(errno: Errno, has_worked: bool) -> Stop {
    match errno {
        // Refusals of the path. They may come late: a descriptor's flags can be changed by others.
        Errno::EINVAL | Errno::ENOSYS | Errno::EPERM | Errno::EOPNOTSUPP | Errno::ENOMEM => {
            Stop::Refused
        }
        // The next path meets the same error if it is the output's.
        _ if !has_worked => Stop::Refused,
        _ => Stop::Failed(errno),
    }
}
