//! One run: the stage it happens on, the watch over it, and what it left.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::plan::{Effect, Fault};
use crate::rest::Helpers;
use crate::scenario::{Expected, Scenario, Sink};
use crate::sink::{After, Collector};
use crate::source::{self, Feeder};
use crate::strace::Strace;
use crate::trace::Trace;
use crate::watch::{End, Limits, Watch};

/// The standard library starts programs in another folder by this function if it is there, and else
/// by a fork, which copies the page tables of all scenarios for each run. It asks by a weak name, and
/// a static link leaves out what nobody else asks for.
#[cfg(target_env = "gnu")]
#[used]
static CHANGES_FOLDER: unsafe extern "C" fn(
    *mut libc::posix_spawn_file_actions_t,
    *const libc::c_char,
) -> libc::c_int = libc::posix_spawn_file_actions_addchdir_np;

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

/// What happens around a run at its sources and sinks.
#[derive(Debug, Default)]
pub struct Around {
    /// Streams are fed so many bytes and then end badly: a reset, a terminal that hangs up.
    pub fed: Option<usize>,
    /// The sink does something when it has got so many bytes.
    pub after: Option<After>,
    /// The output is a TCP connection.
    pub tcp: bool,
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

/// How often a run is tried in which strace did not come to open its trace.
const ATTEMPTS: u32 = 3;

fn read_trace(mut outcome: Outcome, trace: &Path) -> Result<Outcome> {
    let text = fs::read(trace).context("strace left no trace")?;
    outcome.trace = Trace::parse(&String::from_utf8_lossy(&text));
    Ok(outcome)
}

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
        let trace = self.folder.join("trace");
        let _ = fs::remove_file(&trace);
        let inject = fault.map(Fault::to_string);
        let mut words = self.strace.words(&trace, fault.is_none(), inject.as_deref());
        words.push(self.scenario.applet.clone());
        words.extend_from_slice(arguments);
        let stopped = fault.is_some_and(|it| it.effect == Effect::Signal("SIGSTOP"));
        for _ in 1..ATTEMPTS {
            let outcome = self.perform(&words, &[], Around::default(), limits, stopped)?;
            // On a machine under load strace may not even have begun when the time was over.
            if trace.exists() {
                return read_trace(outcome, &trace);
            }
        }
        read_trace(self.perform(&words, &[], Around::default(), limits, stopped)?, &trace)
    }

    /// Runs any command line between the scenario's sources and sinks.
    ///
    /// # Errors
    /// As `run`.
    pub fn perform(
        &self,
        words: &[String],
        environment: &[(String, String)],
        around: Around,
        limits: Limits,
        stopped: bool,
    ) -> Result<Outcome> {
        let scenario = self.scenario;
        if let Expected::Links { folder } = &scenario.expected {
            let folder = self.folder.join(folder);
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir(&folder)?;
        }
        let helpers = Helpers::default();
        // A pipe, not a file: limits on files must not silence a program.
        let (said, errors) = Collector::start(Sink::Pipe, &self.folder, None, &helpers)?;
        let (feeder, input) = Feeder::start(&self.folder, &scenario.inputs, around.fed, &helpers)?;
        let after = around.after.or(scenario.endless.then(After::enough));
        let (collector, output) = if around.tcp {
            Collector::tcp(after, &helpers)?
        } else {
            Collector::start(scenario.sink, &self.folder, after, &helpers)?
        };
        let begun = Instant::now();
        let child = self.spawn(words, environment, input, output, errors)?;
        let watch = Watch {
            folder: &self.folder,
            never_ends: scenario.endless && scenario.sink.never_full(),
            limits,
            begun,
        };
        let end = watch.until_over(child, stopped, helpers)?;
        feeder.finish();
        let set = scenario.environment.iter().chain(environment);
        let mut environment: Vec<String> =
            set.map(|(name, value)| format!("{name}={value}")).collect();
        environment.push(format!("PATH={}", self.programs.display()));
        Ok(Outcome {
            end,
            output: collector.finish()?,
            errors: said.finish()?.unwrap_or_default(),
            trace: Trace::default(),
            took: begun.elapsed(),
            command: format!("env -i LC_ALL=C {} {}", environment.join(" "), quoted(words)),
        })
    }

    fn spawn(
        &self,
        words: &[String],
        environment: &[(String, String)],
        input: Stdio,
        output: Stdio,
        errors: Stdio,
    ) -> Result<Child> {
        Command::new(&words[0])
            .args(&words[1..])
            .env_clear()
            .env("LC_ALL", "C")
            .envs(
                self.scenario
                    .environment
                    .iter()
                    .chain(environment)
                    .map(|(name, value)| (name, value)),
            )
            .env("PATH", &self.programs)
            .current_dir(&self.folder)
            .process_group(0)
            .stdin(input)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", words[0]))
    }
}

/// The words as a shell reads them.
pub fn quoted(words: &[String]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-+=,./:@%?".contains(letter);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
