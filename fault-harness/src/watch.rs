//! The watch over a running program: how it ends, and when that takes too long.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};

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

/// When a run is over even if it is not.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time.
    pub time: Duration,
    /// Bytes of trace: whoever retries for ever gets there first.
    pub trace: u64,
}

/// An endless run into a sink that is never full has shown enough then.
const TRACE_OF_ENDLESS: u64 = 24 << 10;
const OUTPUT_OF_ENDLESS: u64 = 4 << 20;

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
    /// Waits for the end of `child`, which leads a process group; lets it go on once if it will
    /// be stopped by a signal.
    ///
    /// # Errors
    /// The kernel cannot watch processes (before Linux 5.3).
    pub fn until_over(&self, mut child: Child, mut stopped: bool) -> Result<End> {
        let process = Pid::from_child(&child);
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
            } else if self.begun.elapsed() > self.limits.time || traced > self.limits.trace {
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
