//! The project's tasks: one row each here, one file each beside this one.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to whoever runs them")]

mod bench;
mod dist;
mod run;
mod test;
mod tools;

use std::process::ExitCode;

use clap::Parser;

/// The tasks, as `cargo xtask --help` lists them.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "The project's tasks")]
enum Task {
    /// Run everything that CI runs: format, lints, tests, documentation
    Test(test::Options),
    /// Build the static program that is shipped: target/dist/multicall
    Dist(dist::Options),
    /// Measure against every peer that is installed, and write docs/benchmarks
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Test(options) => test::run(&options),
        Task::Dist(options) => dist::run(&options),
        Task::Bench(options) => bench::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
