//! `cargo xtask faults`: makes every system call of the program fail in turn.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{dist, files, harness, run};

/// What `cargo xtask faults` can be told: all that the harness can.
#[derive(Args)]
pub(crate) struct Options {
    /// Options of the harness, `--help` among them; without `--bin-dir` the program that is
    /// shipped is built and tested
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    harness: Vec<OsString>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let shipped = dist::build(&dist::Options::default())?;
    let mut harness = Command::new(harness::build()?);
    let programs = option(&options.harness, "--bin-dir");
    let again =
        programs.as_ref().map_or(String::new(), |it| format!(" --bin-dir {}", it.display()));
    harness.arg("--again").arg(format!("cargo xtask faults{again}"));
    if option(&options.harness, "--scenarios").is_none() {
        harness.arg("--scenarios").args(scenarios()?);
    }
    if programs.is_none() {
        let programs = run::target_directory().join("faults/bin");
        link(&shipped.path, &programs)?;
        harness.arg("--bin-dir").arg(programs);
    }
    let status = harness.args(&options.harness).status().context("cannot start the harness")?;
    ensure!(status.success(), "the harness ends with {status}: 1 says that a promise was broken");
    Ok(())
}

/// The value of an option of the harness, in one word or in two.
fn option(words: &[OsString], name: &str) -> Option<PathBuf> {
    let mut words = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if word == name {
            return words.next().map(|value| PathBuf::from(&*value));
        }
        if let Some(value) = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            return Some(PathBuf::from(value));
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_in_both_forms() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let programs = |given: &[&str]| option(&words(given), "--bin-dir");
        assert_eq!(programs(&["--quick", "--bin-dir", "peers"]), Some("peers".into()));
        assert_eq!(programs(&["--bin-dir=peers"]), Some("peers".into()));
        assert_eq!(programs(&["--bin-directory=peers", "--quick"]), None);
    }
}
