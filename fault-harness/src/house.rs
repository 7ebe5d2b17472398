//! Puts this process in the state that every run must start from: runs inherit it.
//!
//! Test runners start programs with SIGPIPE ignored, stray descriptors, limits of their own. A
//! harness that passed these on would judge its surroundings.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

/// The variable that says that signals were put right already.
const DONE: &str = "FAULT_HARNESS_SIGNALS_ARE_DEFAULT";

/// Descriptors above 2 close on exec, limits and the file mode mask are set, no signal is ignored.
///
/// # Errors
/// /proc is missing, or there is no `env` that resets signals although one is ignored.
pub fn put_in_order() -> Result<()> {
    close_fds::set_fds_cloexec(3, &[]);
    umask(Mode::WGRP | Mode::WOTH);
    for (resource, soft) in [
        (Resource::Core, Some(0)),
        (Resource::Fsize, None),
        (Resource::As, None),
        (Resource::Nofile, Some(1024)),
    ] {
        let hard = getrlimit(resource).maximum;
        let within = |wanted: u64| hard.map_or(wanted, |hard| wanted.min(hard));
        let limit = Rlimit { current: soft.map(within).or(hard), maximum: hard };
        setrlimit(resource, limit).with_context(|| format!("cannot set {resource:?}"))?;
    }
    default_signals()
}

/// Rust's `Command` gives children SIGPIPE and an empty mask; other signals that our own parent
/// ignored stay ignored over an exec, so this program is started once more through `env`.
fn default_signals() -> Result<()> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc is needed")?;
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .context("no SigIgn in /proc/self/status")?;
    // The runtime of this very program ignores SIGPIPE; 32 and 33 are the C library's own, and
    // nobody can set them.
    let of_no_matter = [libc::SIGPIPE, 32, 33].map(|signal| 1_u64 << (signal - 1));
    let ignored = of_no_matter.into_iter().fold(ignored, |mask, signal| mask & !signal);
    if ignored == 0 {
        return Ok(());
    }
    if std::env::var_os(DONE).is_some() {
        bail!("signals are ignored (mask {ignored:x}) and `env --default-signal` did not help");
    }
    let itself = std::env::current_exe()?;
    let failed = Command::new("env")
        .args(["--default-signal", "--block-signal="])
        .arg(format!("{DONE}=1"))
        .arg(itself)
        .args(std::env::args_os().skip(1))
        .exec();
    Err(failed).context("signals are ignored and `env --default-signal` cannot be run")
}
