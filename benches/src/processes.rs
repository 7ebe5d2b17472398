//! The three kinds of process in a pipeline. None outlives the value that stands for it: a `yes`
//! left behind would spoil every figure that follows.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::ends::{self, Taken};
use crate::lab::Lab;
use crate::pin::Seat;

/// A process that is killed and reaped when it is dropped.
#[derive(Debug)]
struct Owned {
    child: Child,
    started: Instant,
}

impl Owned {
    /// Starts `command` on the core of `seat`. The command is dropped, and with it this process's
    /// copies of the pipe ends it was given: an open copy would keep a pipe from ever ending.
    fn start(lab: &Lab, seat: Seat, mut command: Command) -> Result<Owned> {
        // The clock starts on the core where the process will: moving there takes a while.
        let (started, child) = lab.cores.seated(seat, || (Instant::now(), command.spawn()))?;
        let child =
            child.with_context(|| format!("starting {}", command.get_program().display()))?;
        Ok(Owned { child, started })
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Both fail where it is gone already, as it should be.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The process that takes what the measured program puts out.
#[derive(Debug)]
pub(crate) struct ConsumerProcess {
    process: Owned,
    told: ChildStdout,
}

impl ConsumerProcess {
    /// Starts it and waits until it is about to read, so that its start is not measured.
    pub(crate) fn start(
        lab: &Lab,
        mut command: Command,
        input: OwnedFd,
    ) -> Result<ConsumerProcess> {
        command.stdin(input).stdout(Stdio::piped());
        let mut process = Owned::start(lab, Seat::Consumer, command)?;
        let mut told = process.child.stdout.take().context("a consumer without an output")?;
        ends::await_ready(&mut told)?;
        Ok(ConsumerProcess { process, told })
    }

    /// Waits until it stops, and returns what it tells.
    pub(crate) fn report(mut self) -> Result<Taken> {
        let taken = ends::read_report(&mut self.told)?;
        self.process.child.wait()?;
        Ok(taken)
    }
}

/// The process that makes the measured program's input.
#[derive(Debug)]
pub(crate) struct Feeder(Owned);

impl Feeder {
    /// Starts it; one of ours only prepares itself until it is told to go.
    pub(crate) fn start(lab: &Lab, mut command: Command, output: OwnedFd) -> Result<Feeder> {
        command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::null());
        Ok(Feeder(Owned::start(lab, Seat::Feeder, command)?))
    }

    /// Lets it feed.
    pub(crate) fn go(&mut self) {
        drop(self.0.child.stdin.take());
    }
}

/// What is known of a measured process that ended by itself.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// From its start to its end.
    pub(crate) time: Duration,
    /// Processor time that it spent in user mode.
    pub(crate) user: Duration,
}

/// What can be seen of a process at rest.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Look {
    /// The most memory that it has had resident, in bytes.
    pub(crate) peak: u64,
    /// The size in bytes of the files that it runs from: the program and its libraries.
    pub(crate) files: u64,
}

/// The process that everything is about.
#[derive(Debug)]
pub(crate) struct Measured {
    process: Owned,
    user_before: Duration,
}

impl Measured {
    /// Starts it.
    pub(crate) fn start(lab: &Lab, command: Command) -> Result<Measured> {
        let user_before = user_time_of_children()?;
        let process = Owned::start(lab, Seat::Measured, command)?;
        Ok(Measured { process, user_before })
    }

    /// Waits until it ends, which it must do without complaint.
    pub(crate) fn finish(mut self) -> Result<Finished> {
        let status = self.process.child.wait()?;
        let time = self.process.started.elapsed();
        // No other child has been reaped since it started, so the difference is its own.
        let user = user_time_of_children()?.saturating_sub(self.user_before);
        let mut said = String::new();
        if let Some(mut complaints) = self.process.child.stderr.take() {
            complaints.read_to_string(&mut said)?;
        }
        ensure!(status.success() && said.is_empty(), "{status}, it says: {}", said.trim());
        Ok(Finished { time, user })
    }

    /// When it started.
    pub(crate) fn started(&self) -> Instant {
        self.process.started
    }

    /// Ends it: it has no end of its own, and what was wanted from it is there.
    pub(crate) fn stop(mut self) -> Result<()> {
        self.process.child.kill()?;
        self.process.child.wait()?;
        Ok(())
    }

    /// How many bytes it has written so far, as the kernel counts them.
    pub(crate) fn written(&self) -> Result<u64> {
        let counts = fs::read_to_string(format!("/proc/{}/io", self.process.child.id()))?;
        let written = counts.lines().find_map(|line| line.strip_prefix("wchar: "));
        Ok(written.context("the kernel does not count what is written")?.parse()?)
    }

    /// Looks at it while it has nothing to do.
    pub(crate) fn look(&self) -> Result<Look> {
        // Its output has arrived; let it come to rest.
        std::thread::sleep(Duration::from_millis(20));
        let about = |what| fs::read_to_string(format!("/proc/{}/{what}", self.process.child.id()));
        // Not from its resource usage: `ru_maxrss` starts at what the process that forked had.
        let status = about("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kibibytes = kibibytes.context("the kernel tells no peak: did it end?")?;
        let maps = about("maps")?;
        let files: BTreeSet<&str> =
            maps.lines().filter_map(|line| Some(&line[line.find('/')?..])).collect();
        let sizes = files.into_iter().map(|file| Ok(fs::metadata(file)?.len()));
        Ok(Look { peak: kibibytes.parse::<u64>()? * 1024, files: sizes.sum::<Result<u64>>()? })
    }
}

fn user_time_of_children() -> Result<Duration> {
    let user = getrusage(UsageWho::RUSAGE_CHILDREN)?.user_time();
    Ok(Duration::from_micros(u64::try_from(user.num_microseconds())?))
}
