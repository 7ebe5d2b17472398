//! `cargo xtask bench`: the distributed program against every peer that is installed.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;

use crate::run;

/// What `cargo xtask bench` can be told.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// What the bench can be told: --help names it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    bench: Vec<OsString>,
}

/// Runs it as cargo runs benchmarks: both ends of a pipeline are the bench itself, and have to be
/// built with optimisation. It builds the distributed program itself.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut cargo = run::cargo();
    cargo.args(["bench", "--quiet", "--package", "multicall", "--bench", "throughput", "--"]);
    run::run(cargo.args(&options.bench))
}
