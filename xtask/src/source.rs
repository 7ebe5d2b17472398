//! What is known of the source that is built: its version, revision and time.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};

use crate::run;

pub(crate) const NAME: &str = "multicall";
pub(crate) const ABOUT: &str =
    "cat and yes at the speed of the kernel, in one small static program";
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
pub(crate) const LICENSES: &str = "MIT OR Apache-2.0";

/// The commit, with `-dirty` behind it if files differ from it. None outside of a git checkout.
pub(crate) fn revision() -> Option<String> {
    git(&["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"])
}

/// The time that packages give to what is in them, in seconds since 1970: SOURCE_DATE_EPOCH, else
/// the time of the last commit, else 0. It is never the time of the build.
pub(crate) fn epoch() -> Result<u64> {
    const VARIABLE: &str = "SOURCE_DATE_EPOCH";
    if let Ok(seconds) = env::var(VARIABLE) {
        return seconds.parse().with_context(|| format!("{VARIABLE}={seconds}: not a number"));
    }
    let committed = git(&["log", "-1", "--format=%ct"]);
    committed.map_or(Ok(0), |seconds| seconds.parse().context("git's time is not a number"))
}

fn git(arguments: &[&str]) -> Option<String> {
    run::output(Command::new("git").arg("-C").arg(run::root()).args(arguments)).ok()
}
