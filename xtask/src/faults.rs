//! `cargo xtask faults`: makes every system call of the program fail in turn.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{dist, files, run};

/// What `cargo xtask faults` can be told: all that the harness can.
#[derive(Args)]
pub(crate) struct Options {
    /// Options of the harness, `--help` among them; without `--bin-dir` the program that is
    /// shipped is built and tested
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    harness: Vec<OsString>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut cargo = run::cargo();
    run::run(cargo.args(["build", "--release", "--quiet", "--package", "fault-harness"]))?;
    let mut harness = Command::new(run::target_directory().join("release/fault-harness"));
    harness.args(["--again", "cargo xtask faults"]);
    let given = |name: &str| options.harness.iter().any(|it| it == name);
    if !given("--scenarios") {
        harness.arg("--scenarios").args(scenarios()?);
    }
    if !given("--bin-dir") && !given("--help") {
        let program = dist::build(&dist::Options::default())?;
        let programs = run::target_directory().join("faults/bin");
        link(&program.path, &programs)?;
        harness.arg("--bin-dir").arg(programs);
    }
    let status = harness.args(&options.harness).status().context("cannot start the harness")?;
    ensure!(status.success(), "the harness ends with {status}: 1 says that a promise was broken");
    Ok(())
}

/// The scenario file of the program, and of each applet in the table: one without is an error.
pub(crate) fn scenarios() -> Result<Vec<PathBuf>> {
    let crates = run::root().join("crates");
    let applets = multicall::APPLETS.iter().map(|applet| format!("applet-{}", applet.name));
    let packages = applets.chain(["multicall".to_owned()]);
    packages
        .map(|package| {
            let file = crates.join(&package).join("faults.toml");
            ensure!(file.is_file(), "{package} has no scenarios: {} is missing", file.display());
            Ok(file)
        })
        .collect()
}

/// Links to `program` in `folder`: one for each applet, and one for the program itself.
pub(crate) fn link(program: &Path, folder: &Path) -> Result<()> {
    let names = multicall::APPLETS.iter().map(|applet| applet.name).chain(["multicall"]);
    for name in names {
        files::replace(&folder.join(name), |beside| std::os::unix::fs::symlink(program, beside))?;
    }
    Ok(())
}
