//! `cargo xtask dist`: the static, stripped, reproducible program that is shipped.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::run;

/// What `cargo xtask dist` can be told.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Build for this target instead of this machine's musl target, or else its glibc target
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let program = build(options)?;
    let size = fs::metadata(&program)?.len();
    let applets: Vec<&str> = multicall::APPLETS.iter().map(|applet| applet.name).collect();
    println!("{}: {size} bytes", program.display());
    println!("applets: {}", applets.join(", "));
    Ok(())
}

/// Builds the program and returns where it is.
pub(crate) fn build(options: &Options) -> Result<PathBuf> {
    let target = match &options.target {
        Some(target) => target.clone(),
        None => default_target()?,
    };
    let mut cargo = run::cargo();
    // The package alone: xtask's own dependencies would switch on features of shared ones.
    cargo.args(["build", "--release", "--package", "multicall", "--bin", "multicall"]);
    // A target that is named, even this machine's own, keeps the flags from procedural macros.
    cargo.args(["--target", &target]);
    let flags: Vec<OsString> = flags(&target)?;
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join(&OsString::from("\x1f")));
    cargo.env_remove("RUSTFLAGS");
    run::run(&mut cargo)?;
    let built = run::target_directory().join(target).join("release/multicall");
    let program = run::target_directory().join("dist/multicall");
    publish(&built, &program)?;
    Ok(program)
}

/// This machine's musl target if its standard library is installed (the program is smaller), else
/// the target of the compiler.
fn default_target() -> Result<String> {
    let version = run::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc -vV names no host")?;
    let musl = host.replace("-gnu", "-musl");
    let installed = sysroot()?.join("lib/rustlib").join(&musl).join("lib").is_dir();
    Ok(if installed { musl } else { host.to_owned() })
}

fn sysroot() -> Result<PathBuf> {
    run::output(Command::new("rustc").args(["--print", "sysroot"])).map(PathBuf::from)
}

/// The compiler's flags: static, at a fixed address, and without a trace of where it was built.
fn flags(target: &str) -> Result<Vec<OsString>> {
    let mut flags: Vec<OsString> =
        vec!["-Ctarget-feature=+crt-static".into(), "-Crelocation-model=static".into()];
    if target.starts_with("aarch64") {
        // Kernels there have pages of 4, 16 or 64 KiB: segments aligned for the largest load on all.
        flags.push("-Clink-arg=-Wl,-z,max-page-size=65536".into());
    }
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let workspace = fs::canonicalize(run::root())?;
    let replaced =
        [(Some(sysroot()?), "/rust"), (cargo_home, "/cargo"), (Some(workspace), "/multicall")];
    for (path, name) in replaced {
        let Some(path) = path else { continue };
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(path);
        flag.push("=");
        flag.push(name);
        flags.push(flag);
    }
    Ok(flags)
}

/// Puts a copy in place at once: whoever runs the old program keeps it.
fn publish(built: &Path, program: &Path) -> Result<()> {
    let directory = program.parent().context("no directory to put the program in")?;
    fs::create_dir_all(directory)?;
    let beside = program.with_extension("new");
    fs::copy(built, &beside).with_context(|| format!("cannot copy {}", built.display()))?;
    fs::rename(&beside, program)?;
    Ok(())
}
