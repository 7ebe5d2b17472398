//! `cargo xtask test`: all that CI runs, in order, and how many tests passed and failed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{dist, oldest, run, tools};

/// What `cargo xtask test` can be told.
#[derive(Args)]
pub(crate) struct Options {
    /// First install the programs that the tests run, with the system's package manager
    #[arg(long)]
    setup: bool,
}

/// One thing that must hold: a cargo command that succeeds.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
}

/// In the order in which they run. One that fails does not keep the others from running. A task of
/// our own is a step like any other: its arguments begin with `xtask`.
const STEPS: &[Step] = &[
    Step { name: "format", arguments: &["fmt", "--all", "--check"] },
    Step {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    },
    Step { name: "tests", arguments: &["test", "--workspace", "--no-fail-fast"] },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items"],
    },
    Step { name: "faults", arguments: &["xtask", "faults"] },
];

/// Tests that ran, as the test runner counts them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if options.setup {
        tools::set_up()?;
        oldest::set_up();
        dist::set_up();
    } else {
        tools::check()?;
    }
    // What users get is what is tested, by the tests that run the program.
    let shipped = dist::build(&dist::Options::default())?;
    let mut total = Count::default();
    let mut failed = Vec::new();
    for step in STEPS {
        match perform(step, &shipped.path, &mut total) {
            Ok(true) => {}
            Ok(false) => failed.push(step.name),
            Err(error) => bail!("{}: {error:#}", step.name),
        }
    }
    if oldest::check()? == Some(false) {
        failed.push("oldest Rust");
    }
    // The last line, alone: whoever reads the log looks for it there.
    let closing = format!("{} passed, {} failed", total.passed, total.failed);
    if !failed.is_empty() {
        bail!("failed: {}\n{closing}", failed.join(", "));
    }
    if total.passed == 0 {
        bail!("no test ran\n{closing}");
    }
    println!("{closing}");
    Ok(())
}

/// Runs a step, shows what it says and adds up the tests it counted. False if it failed.
fn perform(step: &Step, shipped: &Path, total: &mut Count) -> Result<bool> {
    let mut cargo = run::cargo();
    cargo.args(step.arguments);
    // Each step takes what is meant for it.
    cargo.env("RUSTDOCFLAGS", "-D warnings").env("MULTICALL_PROGRAM", shipped);
    println!("== {}: {}", step.name, run::shown(&cargo));
    let mut child = cargo.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().context("standard output was not piped")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        if let Some(count) = counted(&line) {
            total.passed += count.passed;
            total.failed += count.failed;
        }
    }
    Ok(child.wait()?.success())
}

/// Reads a closing line of cargo's test runner.
fn counted(line: &str) -> Option<Count> {
    let mut parts = line.strip_prefix("test result: ")?.split(';');
    let mut number =
        |unit: &str| parts.next()?.strip_suffix(unit)?.split(' ').next_back()?.parse().ok();
    Some(Count { passed: number(" passed")?, failed: number(" failed")? })
}

#[cfg(test)]
mod tests {
    use super::{Count, counted};

    #[test]
    fn closing_lines_are_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered \
                    out; finished in 0.31s";
        assert_eq!(counted(line), Some(Count { passed: 12, failed: 3 }));
        let line = "test result: ok. 1 passed; 0 failed; 0 ignored";
        assert_eq!(counted(line), Some(Count { passed: 1, failed: 0 }));
    }

    #[test]
    fn other_lines_count_nothing() {
        for line in
            ["", "test a ... ok", "running 3 tests", "test result: ok.", " 1 passed; 0 failed"]
        {
            assert_eq!(counted(line), None, "{line}");
        }
    }
}
