//! The watch over a running program: how it ends, and when that takes too long.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal};

use crate::rest::{Helpers, Rest};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
    /// It did not, within the limit: killed by the harness.
    Hung,
    /// It would have gone on for ever, as it should, and was stopped.
    Stopped,
}

/// When a run is over even if it is not. One in which nobody moves any more is over at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time by the clock, for what wakes up again and again: a busy machine must not reach it.
    pub time: Duration,
    /// Time on a processor, for who computes for ever.
    pub processor: Duration,
    /// Bytes of trace: whoever retries for ever gets there first.
    pub trace: u64,
}

/// An endless run into a sink that is never full has shown enough then.
const TRACE_OF_ENDLESS: u64 = 24 << 10;
const OUTPUT_OF_ENDLESS: u64 = 4 << 20;

/// How many of `events`, which an endless run made until it was stopped, every run makes: where it is
/// stopped is chance, and on a busy machine late. A third is left for what it does after a fault.
pub fn made_by_every_run(events: usize, traced: u64, output: u64) -> usize {
    let events = events as u64;
    let until = |limit: u64, reached: u64| events * limit / reached.max(limit);
    let sure = until(TRACE_OF_ENDLESS, traced).min(until(OUTPUT_OF_ENDLESS, output));
    usize::try_from(sure * 2 / 3).unwrap_or(usize::MAX)
}

/// The process groups of all runs that are on, for who has to end them in a hurry.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Processor time after which a run is killed by the kernel, even if the harness is gone.
const LAST_RESORT: u64 = 120;

/// A run that is on.
struct Running(Pid);

impl Running {
    fn new(process: Pid) -> Running {
        lock(&RUNNING).insert(process.as_raw_nonzero().get());
        let limit = Rlimit { current: Some(LAST_RESORT), maximum: Some(LAST_RESORT) };
        // Where it cannot be set, or the run is over already, there is no need for it.
        let _ = rustix::process::prlimit(Some(process), Resource::Cpu, limit);
        Running(process)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&RUNNING).remove(&self.0.as_raw_nonzero().get());
    }
}

/// Kills every run that is on. What strace traces would go on without it.
pub fn kill_all() {
    for process in lock(&RUNNING).iter().copied().filter_map(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(process, Signal::KILL);
    }
}

/// A thread that panicked ends the campaign: what it held is not read again.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is watched.
#[derive(Debug)]
pub struct Watch<'a> {
    /// Where the trace and the output are, if they are files.
    pub folder: &'a Path,
    /// Nothing but the harness ends the run.
    pub never_ends: bool,
    /// The limits.
    pub limits: Limits,
    /// When it was started.
    pub begun: Instant,
}

impl Watch<'_> {
    /// Waits for the end of `child`, which leads a process group and is fed and read by `helpers`;
    /// lets it go on once if it will be stopped by a signal.
    ///
    /// # Errors
    /// The kernel cannot watch processes (before Linux 5.3).
    pub fn until_over(&self, mut child: Child, mut stopped: bool, helpers: Helpers) -> Result<End> {
        let process = Pid::from_child(&child);
        let _running = Running::new(process);
        let mut rest = Rest::new(process, helpers);
        let handle = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
        loop {
            let wait = if stopped || self.never_ends { 1_000_000 } else { 20_000_000 };
            let wait = Timespec { tv_sec: 0, tv_nsec: wait };
            if poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&wait))? > 0 {
                return Ok(ended(child.wait()?));
            }
            let traced = fs::metadata(self.folder.join("trace")).map_or(0, |trace| trace.len());
            let end = if self.never_ends && self.seen_enough(traced) {
                End::Stopped
            } else if rest.is_final() || self.is_too_much(traced, rest.spent()) {
                End::Hung
            } else {
                stopped = stopped && !self.let_go_on();
                continue;
            };
            // strace and what it traces are one group: strace alone would leave the rest behind.
            rustix::process::kill_process_group(process, Signal::KILL)?;
            child.wait()?;
            return Ok(end);
        }
    }

    fn is_too_much(&self, traced: u64, spent: Duration) -> bool {
        let Limits { time, processor, trace } = self.limits;
        self.begun.elapsed() > time || spent > processor || traced > trace
    }

    fn seen_enough(&self, traced: u64) -> bool {
        let output = fs::metadata(self.folder.join("output")).map_or(0, |file| file.len());
        traced > TRACE_OF_ENDLESS || output > OUTPUT_OF_ENDLESS
    }

    /// Once the trace says that the program was stopped, lets it go on; tells whether it did.
    fn let_go_on(&self) -> bool {
        let text = fs::read_to_string(self.folder.join("trace")).unwrap_or_default();
        let stop = text.lines().find(|line| line.contains("--- stopped by SIGSTOP"));
        let process = stop.and_then(|line| line.split(' ').next()?.parse().ok());
        process
            .and_then(Pid::from_raw)
            .is_some_and(|process| rustix::process::kill_process(process, Signal::CONT).is_ok())
    }
}

fn ended(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Killed(signal.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_run_that_was_stopped_late_shows_no_more_than_one_stopped_in_time() {
        assert_eq!(made_by_every_run(300, 1000, 0), 200);
        assert_eq!(made_by_every_run(300, TRACE_OF_ENDLESS, OUTPUT_OF_ENDLESS), 200);
        assert_eq!(made_by_every_run(600, TRACE_OF_ENDLESS * 2, 0), 200);
        assert_eq!(made_by_every_run(900, TRACE_OF_ENDLESS * 2, OUTPUT_OF_ENDLESS * 3), 200);
    }
}
