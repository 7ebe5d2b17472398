//! The command line of the harness.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use clap::Parser;

use fault_harness::book::Book;
use fault_harness::campaign::Campaign;
use fault_harness::plan::Fault;
use fault_harness::real;
use fault_harness::report::Report;
use fault_harness::scenario::Scenario;
use fault_harness::seccomp;
use fault_harness::strace::Strace;
use fault_harness::watch;

/// Makes every system call of a program fail in turn, and judges what the program does about it.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder that holds the programs under test, by their applets' names [default: bin,
    /// beside this program]
    #[arg(long)]
    bin_dir: Option<PathBuf>,
    /// Scenario files [default: all in scenarios, beside this program]
    #[arg(long, num_args = 1..)]
    scenarios: Vec<PathBuf>,
    /// The everyday choice: fewer scenarios, fewer faults
    #[arg(long)]
    quick: bool,
    /// What the choice among many faults is drawn with
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// About how many faults in all [default: 16000, quick: 2500]
    #[arg(long)]
    limit: Option<usize>,
    /// Runs at a time [default: the number of processors]
    #[arg(long)]
    jobs: Option<usize>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Only scenarios whose name contains this (or is this)
    #[arg(long)]
    scenario: Option<String>,
    /// One fault, shown in full: CALL:error=E:when=N, as strace writes it
    #[arg(long, requires = "scenario")]
    inject: Option<String>,
    /// Only real faults, of those only whose name contains this
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    real: Option<String>,
    /// No real faults
    #[arg(long, conflicts_with = "real")]
    no_real: bool,
    /// List the scenarios
    #[arg(long)]
    list: bool,
    /// Where runs leave their files: choose the file system to test on
    #[arg(long)]
    work_dir: Option<PathBuf>,
    /// How this program is called in the lines that repeat a violation
    #[arg(long, hide = true)]
    again: Option<String>,
}

fn main() -> ExitCode {
    // The harness runs programs through itself: a filter stays over an exec.
    let words: Vec<String> = std::env::args().collect();
    let outcome = match &words[..] {
        [_, word, calls, answer, command @ ..] if word == "refuse" => {
            seccomp::refuse(calls, answer, command).map(|()| true)
        }
        _ => run(&Arguments::parse()),
    };
    match outcome {
        Ok(clean) => ExitCode::from(u8::from(!clean)),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fault-harness: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool> {
    let mut skipped = Vec::new();
    let mut hatches = BTreeMap::new();
    let programs = arguments.bin_dir.clone().map_or_else(|| beside("bin"), Ok)?;
    let programs = programs.canonicalize().with_context(|| programs.display().to_string())?;
    let scenarios = scenarios(arguments, &programs, &mut skipped, &mut hatches)?;
    if arguments.list {
        let names: String = scenarios.iter().map(|it| format!("{}\n", it.name)).collect();
        std::io::stdout().write_all(names.as_bytes())?;
        return Ok(true);
    }
    if scenarios.is_empty() {
        bail!("no scenario is left to run");
    }
    fault_harness::house::put_in_order()?;
    let strace = Strace::probe()?;
    skipped.extend(strace.missing().iter().map(|what| format!("{what}: not in this strace")));
    ctrlc::set_handler(|| {
        watch::kill_all();
        // The folder of the runs stays behind, for whoever wants to know what was going on.
        let _ = writeln!(std::io::stderr(), "fault-harness: interrupted");
        // SIGINT's status, as a shell counts; no destructor can run in the middle of the workers.
        #[allow(clippy::exit, reason = "a signal ends the program, wherever it is")]
        std::process::exit(130);
    })?;
    let place = arguments.work_dir.clone().unwrap_or_else(std::env::temp_dir);
    let work = tempfile::Builder::new().prefix("faults-").tempdir_in(place)?;
    let campaign = Campaign {
        strace,
        programs,
        work: work.path().canonicalize()?,
        jobs: arguments.jobs.unwrap_or(std::thread::available_parallelism()?.get()),
        seed: arguments.seed,
        limit: arguments.limit.unwrap_or(if arguments.quick { 2500 } else { 16000 }),
        hangs: Mutex::default(),
    };
    if let Some(inject) = &arguments.inject {
        return replay(&campaign, &scenarios, inject);
    }
    let injected = match arguments.real {
        Some(_) => Vec::new(),
        None => campaign.run(&scenarios)?,
    };
    let real = match arguments.no_real {
        true => Vec::new(),
        false => {
            let (rows, not_held) =
                real::hold_all(&campaign, &scenarios, &hatches, arguments.real.as_deref())?;
            skipped.extend(not_held);
            rows
        }
    };
    let report = Report {
        strace: campaign.strace.version().to_owned(),
        seed: campaign.seed,
        skipped,
        injected,
        real,
    };
    let text = if arguments.json {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        report.text(&again(arguments))
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(report.is_clean())
}

/// The command that repeats one fault, less which.
fn again(arguments: &Arguments) -> String {
    if let Some(again) = &arguments.again {
        return again.clone();
    }
    let mut words = vec!["fault-harness".to_owned()];
    words.extend(arguments.bin_dir.iter().map(|it| format!("--bin-dir {}", it.display())));
    words.extend((!arguments.scenarios.is_empty()).then(|| "--scenarios".to_owned()));
    words.extend(arguments.scenarios.iter().map(|it| it.display().to_string()));
    words.join(" ")
}

/// The scenario files that were named, or all that lie beside this program.
fn files(arguments: &Arguments) -> Result<Vec<PathBuf>> {
    if !arguments.scenarios.is_empty() {
        return Ok(arguments.scenarios.clone());
    }
    let folder = beside("scenarios")?;
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("no --scenarios, and no {}", folder.display()))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|it| it == "toml"));
    files.sort();
    Ok(files)
}

/// A file or folder that lies beside this program.
fn beside(name: &str) -> Result<PathBuf> {
    let itself = std::env::current_exe()?;
    Ok(itself.parent().context("this program is in no folder")?.join(name))
}

fn scenarios(
    arguments: &Arguments,
    programs: &Path,
    skipped: &mut Vec<String>,
    hatches: &mut BTreeMap<String, BTreeMap<String, String>>,
) -> Result<Vec<Scenario>> {
    let mut chosen = Vec::new();
    for path in &files(arguments)? {
        let book = Book::read(path)?;
        if !programs.join(&book.applet).exists() {
            skipped.push(format!("{}: not in {}", book.applet, programs.display()));
            continue;
        }
        chosen.extend(book.scenarios()?);
        hatches.insert(book.applet, book.copy_only);
    }
    if let Some(name) = &arguments.scenario {
        let exact = chosen.iter().any(|scenario| scenario.name == *name);
        chosen.retain(|it| if exact { it.name == *name } else { it.name.contains(name) });
    } else if arguments.quick {
        chosen.retain(|scenario| scenario.quick);
    }
    Ok(chosen)
}

/// One fault, with everything that was seen.
fn replay(campaign: &Campaign, scenarios: &[Scenario], inject: &str) -> Result<bool> {
    let [scenario] = scenarios else {
        bail!("--inject needs one scenario, and {} fit", scenarios.len());
    };
    let fault = Fault::parse(inject).with_context(|| format!("not a fault: {inject}"))?;
    let (outcome, judgement) = campaign.replay(scenario, Some(&fault))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}\n", outcome.command)?;
    for event in &outcome.trace.events {
        let (call, arguments) = (&event.call, event.arguments.join(", "));
        let error = event.error.as_deref().unwrap_or_default();
        let mark = if event.injected { "   <== injected" } else { "" };
        let returned = event.returned.map_or("?".to_owned(), |value| value.to_string());
        writeln!(out, "{call}({arguments}) = {returned} {error}{mark}")?;
    }
    let length = outcome.output.as_ref().map_or(0, Vec::len);
    writeln!(out, "\nended: {:?}; {length} bytes of output; standard error:", outcome.end)?;
    out.write_all(&outcome.errors)?;
    for violation in &judgement.violations {
        let (class, what) = (violation.class.name(), &violation.what);
        writeln!(out, "\n{class}: {what} ({})", violation.because)?;
    }
    if judgement.violations.is_empty() {
        let reached = if judgement.reached { "as it should be" } else { "the fault was passed by" };
        writeln!(out, "\n{reached}")?;
    }
    Ok(judgement.violations.is_empty())
}
