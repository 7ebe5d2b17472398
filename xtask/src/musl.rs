//! The C library that ships: musl, where the compiler has it.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::run;

/// The musl target for the machine that `host`, a target of Linux, names.
pub(crate) fn target(host: &str) -> String {
    let machine = host.split('-').next().unwrap_or(host);
    format!("{machine}-unknown-linux-musl")
}

/// Whether the compiler whose files are below `sysroot` has the standard library for `target`.
pub(crate) fn is_installed(sysroot: &Path, target: &str) -> bool {
    sysroot.join("lib/rustlib").join(target).join("lib").is_dir()
}

/// Installs it where there is rustup and a network; without them the program is built, and tested,
/// with the compiler's own C library, and `dist` says so.
pub(crate) fn set_up(sysroot: &Path, host: &str) -> Result<()> {
    let target = target(host);
    if is_installed(sysroot, &target) {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", &target]).current_dir(run::root());
    run::run(&mut rustup)
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn the_target_is_for_the_same_machine() {
        assert_eq!(target("x86_64-unknown-linux-gnu"), "x86_64-unknown-linux-musl");
        assert_eq!(target("aarch64-unknown-linux-gnu"), "aarch64-unknown-linux-musl");
        assert_eq!(target("x86_64-unknown-linux-musl"), "x86_64-unknown-linux-musl");
    }
}
