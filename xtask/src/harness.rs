//! `cargo xtask harness`: the fault harness as a folder that needs neither this repository nor
//! cargo.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::{dist, faults, files, run};

/// What `cargo xtask harness` can be told.
#[derive(Args)]
pub(crate) struct Options {
    /// The folder to write
    #[arg(long, value_name = "DIRECTORY")]
    out: PathBuf,
    /// The program that the links lead to, instead of the one that is shipped
    #[arg(long, value_name = "PROGRAM")]
    program: Option<PathBuf>,
}

const README: &str = include_str!("../harness.md");

pub(crate) fn run(options: &Options) -> Result<()> {
    let shipped = dist::build(&dist::Options::default())?;
    let program = options.program.as_ref().unwrap_or(&shipped.path);
    let program = fs::canonicalize(program)
        .with_context(|| format!("cannot find the program {}", program.display()))?;
    let harness = build()?;
    files::write(&options.out.join("fault-harness"), &fs::read(harness)?, 0o755)?;
    for file in faults::scenarios()? {
        let package = file.parent().and_then(|it| it.file_name()).unwrap_or_default();
        let name = package.to_string_lossy().replace("applet-", "");
        let copy = options.out.join("scenarios").join(name + ".toml");
        files::write(&copy, &fs::read(&file)?, 0o644)?;
    }
    faults::link(&program, &options.out.join("bin"))?;
    files::write(&options.out.join("README.md"), README.as_bytes(), 0o644)?;
    run::say(format_args!("{}: run ./fault-harness --quick there", options.out.display()));
    Ok(())
}

/// Builds the harness, static: it runs on machines with another C library, and under limits as
/// early as any. With the compiler's own C library, since it expects the words of that in messages,
/// and musl's are not those that users know.
pub(crate) fn build() -> Result<PathBuf> {
    let target = &dist::compiler_target()?;
    let mut cargo = run::cargo();
    cargo.args(["build", "--release", "--quiet", "--package", "fault-harness", "--target", target]);
    cargo.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", "-C target-feature=+crt-static");
    run::run(&mut cargo)?;
    Ok(run::target_directory().join(target).join("release/fault-harness"))
}
