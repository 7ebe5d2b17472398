//! Waiting awake: a look or two at a descriptor before sleeping until it is ready.
//!
//! Whoever sleeps in a call has to be woken by its neighbour. Where the two run on different cores
//! that takes an interrupt to a core that may be asleep itself, some 30 microseconds in all, and in
//! that time a pipe of 256 slots can be filled or emptied. A transfer at full speed that sleeps
//! whenever a pipe is empty or full spends half of its time on being woken. So it looks again for
//! about as long as that, and lets whoever else wants the core go first each time.
//!
//! Looking is for those who get something for it. A neighbour that is slow makes it wait longer
//! than that each time; then it is done less and less often, and costs nothing that can be
//! measured.

use std::os::fd::BorrowedFd;

use nix::poll::PollFlags;

use crate::sys;

/// How often to look: together some 50 microseconds, if nobody else wants the core.
const LOOKS: u32 = 100;

/// After so many waits in vain, one in 64 is still tried.
const MOST_MISSES: u32 = 6;

/// What waiting awake for one side of a transfer was worth so far.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// Waits in a row that were in vain, as far as they are counted.
    misses: u32,
    /// Waits to sit out before the next try.
    left_out: u32,
}

impl Patience {
    /// Waits until `descriptor` is ready for `event`, but not for long. Says nothing: the call that
    /// comes next finds out how things are, and sleeps if it must.
    pub(crate) fn await_ready(&mut self, descriptor: BorrowedFd<'_>, event: PollFlags) {
        if self.left_out > 0 {
            self.left_out -= 1;
            return;
        }
        for _ in 0..LOOKS {
            if sys::is_ready(descriptor, event) {
                self.misses = 0;
                return;
            }
            std::thread::yield_now();
        }
        self.misses = MOST_MISSES.min(self.misses + 1);
        self.left_out = (1 << self.misses) - 1;
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::Pipe;

    #[test]
    fn what_is_ready_is_not_waited_for() {
        let pipe = Pipe::new().unwrap();
        let mut patience = Patience::default();
        for _ in 0..1000 {
            patience.await_ready(pipe.writer(), PollFlags::POLLOUT);
        }
        assert_eq!((patience.misses, patience.left_out), (0, 0));
    }

    #[test]
    fn waits_in_vain_become_rare_and_one_that_was_worth_it_ends_that() {
        let pipe = Pipe::new().unwrap();
        let mut patience = Patience::default();
        let mut tries = 0;
        for _ in 0..1000 {
            tries += u32::from(patience.left_out == 0);
            patience.await_ready(pipe.reader(), PollFlags::POLLIN);
        }
        // The first, the 3rd, the 7th, 15th, 31st and 63rd, and then one in 64.
        assert_eq!(tries, 6 + 14);

        crate::write_all(pipe.writer(), b"x").unwrap();
        for _ in 0..64 {
            patience.await_ready(pipe.reader(), PollFlags::POLLIN);
        }
        assert_eq!((patience.misses, patience.left_out), (0, 0));
    }

    #[test]
    fn a_descriptor_that_has_failed_is_ready() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut patience = Patience::default();
        patience.await_ready(writer.as_fd(), PollFlags::POLLOUT);
        assert_eq!(patience.misses, 0);
    }
}
