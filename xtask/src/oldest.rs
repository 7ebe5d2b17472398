//! The oldest Rust that what we give away builds with, where that compiler is at hand.

use std::process::Command;

use anyhow::Result;

use crate::run;

/// What is given away. Tests and tasks may need newer things.
const PACKAGES: [&str; 2] = ["splice-core", "multicall"];

/// `rust-version` of the workspace as rustup names a toolchain.
fn toolchain() -> String {
    format!("{}.0", env!("CARGO_PKG_RUST_VERSION"))
}

/// Builds with it, if rustup has it: whether it did, and `None` where there is none.
pub(crate) fn check() -> Result<Option<bool>> {
    let toolchain = toolchain();
    if !is_installed(&toolchain) {
        // Said, since nothing else here would notice a library function that is too new but the
        // lint `clippy::incompatible_msrv`, nor a dependency but the test of the packages.
        run::say(format_args!(
            "NOT CHECKED: Rust {toolchain} is not here ('cargo xtask test --setup' installs it)"
        ));
        return Ok(None);
    }
    let mut cargo = Command::new("rustup");
    cargo.args(["run", &toolchain, "cargo", "check", "--locked"]).current_dir(run::root());
    // The compiler of the cargo that runs this task is not the one that is meant.
    cargo.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    for package in PACKAGES {
        cargo.args(["--package", package]);
    }
    run::say(format_args!("== oldest Rust: {}", run::shown(&cargo)));
    Ok(Some(cargo.status()?.success()))
}

/// Installs it where there is rustup and a network; without them the check is left out, and said to be.
pub(crate) fn set_up() {
    let toolchain = toolchain();
    if run::find("rustup").is_none() || is_installed(&toolchain) {
        return;
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["toolchain", "install", &toolchain, "--profile", "minimal"]);
    if let Err(error) = run::run(&mut rustup) {
        eprintln!("set-up: {error:#}");
    }
}

fn is_installed(toolchain: &str) -> bool {
    let list = run::output(Command::new("rustup").args(["toolchain", "list"]));
    list.is_ok_and(|list| list.lines().any(|line| line.starts_with(toolchain)))
}
