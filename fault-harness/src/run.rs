//! One run: the stage it happens on, the watch over it, and what it left.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::plan::{Effect, Fault};
use crate::scenario::{Expected, Scenario};
use crate::sink::Collector;
use crate::source::{self, Feeder};
use crate::strace::Strace;
use crate::trace::Trace;

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

/// What a run left.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What came out, where it can be seen.
    pub output: Option<Vec<u8>>,
    /// What was said on standard error.
    pub errors: Vec<u8>,
    /// The calls it made.
    pub trace: Trace,
    /// How long it took.
    pub took: Duration,
    /// The command line, for a reader.
    pub command: String,
}

/// When a run is over even if it is not.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time.
    pub time: Duration,
    /// Bytes of trace: whoever retries for ever gets there first.
    pub trace: u64,
}

/// A place where one scenario is run again and again.
#[derive(Debug)]
pub struct Stage<'a> {
    /// What is run.
    pub scenario: &'a Scenario,
    strace: &'a Strace,
    programs: PathBuf,
    folder: PathBuf,
}

/// An endless run into a sink that is never full has shown enough then.
const TRACE_OF_ENDLESS: u64 = 24 << 10;
const OUTPUT_OF_ENDLESS: u64 = 4 << 20;

impl<'a> Stage<'a> {
    /// Builds the inputs in `folder`, which must not exist.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn new(
        scenario: &'a Scenario,
        strace: &'a Strace,
        programs: &Path,
        folder: PathBuf,
    ) -> Result<Stage<'a>> {
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        source::make_named(&folder, &scenario.inputs)?;
        let mut programs = programs.to_owned();
        if matches!(scenario.expected, Expected::Links { .. }) {
            // Hard links do not cross file systems: the program is brought to where they are made.
            fs::copy(programs.join(&scenario.applet), folder.join(&scenario.applet))?;
            programs.clone_from(&folder);
        }
        Ok(Stage { scenario, strace, programs, folder })
    }

    /// The folder that the program runs in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the scenario with `fault`, or without one and with every call recorded.
    ///
    /// # Errors
    /// The run could not be set up: that is the harness's failure, not the program's.
    pub fn run(
        &self,
        fault: Option<&Fault>,
        arguments: &[String],
        limits: Limits,
    ) -> Result<Outcome> {
        let scenario = self.scenario;
        if let Expected::Links { folder } = &scenario.expected {
            let folder = self.folder.join(folder);
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir(&folder)?;
        }
        let (trace, errors) = (self.folder.join("trace"), self.folder.join("errors"));
        let inject = fault.map(Fault::to_string);
        let mut words = self.strace.words(&trace, fault.is_none(), inject.as_deref());
        words.push(scenario.applet.clone());
        words.extend_from_slice(arguments);
        let (feeder, input) = Feeder::start(&self.folder, &scenario.inputs)?;
        let (collector, output) = Collector::start(scenario.sink, &self.folder, scenario.endless)?;
        let begun = Instant::now();
        let _ = fs::remove_file(&trace);
        let child = self.spawn(&words, input, output, File::create(&errors)?.into())?;
        let stopped = fault.is_some_and(|it| it.effect == Effect::Signal("SIGSTOP"));
        let end = Watch { trace: &trace, stage: self, limits, begun }.until_over(child, stopped)?;
        feeder.finish();
        let output = collector.finish()?;
        let text = fs::read(&trace).context("strace left no trace")?;
        let environment = format!("PATH={}", self.programs.display());
        Ok(Outcome {
            end,
            output,
            errors: fs::read(&errors)?,
            trace: Trace::parse(&String::from_utf8_lossy(&text)),
            took: begun.elapsed(),
            command: format!("env -i LC_ALL=C {environment} {}", words.join(" ")),
        })
    }

    fn spawn(&self, words: &[String], input: Stdio, output: Stdio, errors: Stdio) -> Result<Child> {
        Command::new(&words[0])
            .args(&words[1..])
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", &self.programs)
            .current_dir(&self.folder)
            .process_group(0)
            .stdin(input)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .context("cannot start strace")
    }
}

struct Watch<'a> {
    trace: &'a Path,
    stage: &'a Stage<'a>,
    limits: Limits,
    begun: Instant,
}

impl Watch<'_> {
    fn until_over(&self, mut child: Child, mut stopped: bool) -> Result<End> {
        let process = Pid::from_child(&child);
        let handle = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
        let endless = self.stage.scenario.endless && self.stage.scenario.sink.never_full();
        loop {
            let wait = if stopped || endless { 1_000_000 } else { 20_000_000 };
            let wait = Timespec { tv_sec: 0, tv_nsec: wait };
            if poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&wait))? > 0 {
                return Ok(ended(child.wait()?));
            }
            let traced = fs::metadata(self.trace).map_or(0, |trace| trace.len());
            let end = if endless && self.seen_enough(traced) {
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
        let output = fs::metadata(self.stage.folder.join("output")).map_or(0, |file| file.len());
        traced > TRACE_OF_ENDLESS || output > OUTPUT_OF_ENDLESS
    }

    /// Once the trace says that the program was stopped, lets it go on; tells whether it did.
    fn let_go_on(&self) -> bool {
        let text = fs::read_to_string(self.trace).unwrap_or_default();
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
