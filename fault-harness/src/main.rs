//! The harness as a program: chooses, runs, shows.
#![forbid(unsafe_code)]

mod arguments;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;

use arguments::{Arguments, Chosen};
use fault_harness::campaign::Campaign;
use fault_harness::plan::Fault;
use fault_harness::real;
use fault_harness::report::Report;
use fault_harness::scenario::Scenario;
use fault_harness::seccomp;
use fault_harness::strace::Strace;
use fault_harness::watch;

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
    let Chosen { programs, scenarios, hatches, mut skipped } = arguments.choose()?;
    if arguments.list {
        let names = match arguments.real {
            Some(_) => real::names(&scenarios, &hatches),
            None => scenarios.into_iter().map(|scenario| scenario.name).collect(),
        };
        std::io::stdout().write_all((names.join("\n") + "\n").as_bytes())?;
        return Ok(true);
    }
    if scenarios.is_empty() {
        bail!("no scenario is left to run");
    }
    fault_harness::house::put_in_order()?;
    let strace = Strace::probe()?;
    let mut lacking: Vec<String> =
        strace.missing().iter().map(|what| format!("{what}: not in this strace")).collect();
    end_all_runs_when_interrupted()?;
    let place = arguments.work_dir.clone().unwrap_or_else(std::env::temp_dir);
    let work = tempfile::Builder::new().prefix("faults-").tempdir_in(place)?;
    let campaign = Campaign {
        strace,
        programs,
        work: work.path().canonicalize()?,
        jobs: arguments.jobs.unwrap_or(std::thread::available_parallelism()?.get()).max(1),
        seed: arguments.seed,
        limit: arguments.limit(),
        time: arguments.minutes.map(|minutes| Duration::from_secs(60 * minutes)),
    };
    if let Some(inject) = &arguments.inject {
        return replay(&campaign, &scenarios, inject);
    }
    let injected = match arguments.real {
        Some(_) => Vec::new(),
        None => campaign.run(&scenarios)?,
    };
    let real = match arguments.no_real {
        true => real::Findings::default(),
        false => real::hold_all(&campaign, &scenarios, &hatches, arguments.real.as_deref())?,
    };
    skipped.extend(real.skipped);
    lacking.extend(real.lacking);
    let (version, seed) = (campaign.strace.version().to_owned(), campaign.seed);
    let strict = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let real = real.rows;
    show(arguments, &Report { strace: version, seed, skipped, lacking, strict, injected, real })
}

fn end_all_runs_when_interrupted() -> Result<()> {
    ctrlc::set_handler(|| {
        watch::kill_all();
        // The folder of the runs stays behind, for whoever wants to know what was going on.
        let _ = writeln!(std::io::stderr(), "fault-harness: interrupted");
        // SIGINT's status, as a shell counts; no destructor can run in the middle of the workers.
        #[allow(clippy::exit, reason = "a signal ends the program, wherever it is")]
        std::process::exit(130);
    })?;
    Ok(())
}

/// Prints the report; tells whether it is clean.
fn show(arguments: &Arguments, report: &Report) -> Result<bool> {
    let text = if arguments.json {
        serde_json::to_string_pretty(report)? + "\n"
    } else {
        report.text(&arguments.again())
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(report.is_clean())
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
