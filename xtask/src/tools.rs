//! The programs that the tests run, and how they are installed.

use std::process::Command;

use anyhow::{Result, bail};

use crate::run;

/// A program that some test runs.
struct Tool {
    program: &'static str,
    /// The Debian package it comes in.
    package: &'static str,
    purpose: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "strace", package: "strace", purpose: "which system calls are made" },
    Tool { program: "busybox", package: "busybox", purpose: "a shell for container images" },
    Tool { program: "mandoc", package: "mandoc", purpose: "manual pages are well formed" },
    Tool { program: "file", package: "file", purpose: "the program is linked statically" },
    Tool { program: "skopeo", package: "skopeo", purpose: "the container image is sound" },
    Tool { program: "dpkg-deb", package: "dpkg", purpose: "the Debian package" },
    Tool { program: "fish", package: "fish", purpose: "completions" },
    Tool { program: "zsh", package: "zsh", purpose: "completions" },
];

/// Installs the tools that are missing, with the system's package manager, and says so.
pub(crate) fn set_up() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        eprintln!("set-up: every tool that the tests run is there");
        return Ok(());
    }
    for tool in &missing {
        eprintln!("set-up: {} is missing ({})", tool.program, tool.purpose);
    }
    let packages: Vec<&str> = missing.iter().map(|tool| tool.package).collect();
    if run::find("apt-get").is_none() {
        bail!("no apt-get here: install {} with your package manager", packages.join(", "));
    }
    run::run(&mut apt_get(&["update", "--quiet"]))?;
    let install = ["install", "--quiet", "--yes", "--no-install-recommends"];
    run::run(apt_get(&install).args(packages))?;
    check()
}

/// Fails if a tool is missing, and says which one and what to do.
pub(crate) fn check() -> Result<()> {
    let missing: Vec<String> = missing()
        .iter()
        .map(|tool| format!("{} ({}; package {})", tool.program, tool.purpose, tool.package))
        .collect();
    if !missing.is_empty() {
        bail!(
            "the tests run programs that are missing: {}. Install them, or let \
             'cargo xtask test --setup' do it",
            missing.join(", ")
        );
    }
    Ok(())
}

fn missing() -> Vec<&'static Tool> {
    TOOLS.iter().filter(|tool| run::find(tool.program).is_none()).collect()
}

/// apt-get, without questions; as root by sudo where we are not root.
fn apt_get(arguments: &[&str]) -> Command {
    let is_root = run::output(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    let mut command = Command::new(if is_root { "apt-get" } else { "sudo" });
    if !is_root {
        command.arg("apt-get");
    }
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
