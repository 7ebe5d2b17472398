//! `cargo xtask dist`: the static, stripped, reproducible program that is shipped.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Object, ObjectSection, elf};

use crate::{files, musl, run};

/// What `cargo xtask dist` can be told.
#[derive(Args, Default)]
// Other tasks take these options too, beside a group of their own of the same name.
#[group(skip)]
pub(crate) struct Options {
    /// Build for this target instead of this machine's with musl or, where the compiler does not have
    /// that, the compiler's own
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// The program that is shipped.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) target: String,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let program = build(options)?;
    let bytes = fs::read(&program.path)?;
    let applets: Vec<&str> = multicall::APPLETS.iter().map(|applet| applet.name).collect();
    run::say(format_args!(
        "{}: {} bytes for {}",
        program.path.display(),
        bytes.len(),
        program.target
    ));
    run::say(format_args!("applets: {}", applets.join(", ")));
    let mut sections: Vec<(u64, String)> = object::File::parse(&*bytes)?
        .sections()
        .filter(|section| section.file_range().is_some())
        .filter_map(|section| Some((section.size(), section.name().ok()?.to_owned())))
        .collect();
    sections.sort_by(|a, b| b.cmp(a));
    for (size, name) in sections.iter().take_while(|(size, _)| *size >= 4096) {
        run::say(format_args!("{size:>8} {name}"));
    }
    Ok(())
}

/// Builds the program, makes sure that it is static, and puts it into the `dist` directory.
pub(crate) fn build(options: &Options) -> Result<Program> {
    let target = match &options.target {
        Some(target) => target.clone(),
        None => default_target(&compiler_target()?)?,
    };
    let mut cargo = run::cargo();
    // The package alone: xtask's own dependencies would switch on features of shared ones.
    cargo.args(["build", "--release", "--package", "multicall", "--bin", "multicall"]);
    // A target that is named, even this machine's own, keeps the flags from procedural macros.
    cargo.args(["--target", &target]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(&target)?.join(&OsString::from("\x1f")));
    cargo.env_remove("RUSTFLAGS");
    run::run(&mut cargo)?;
    let built = run::target_directory().join(&target).join("release/multicall");
    let bytes = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    let header = elf::FileHeader64::<object::Endianness>::parse(&*bytes)?;
    let endian = header.endian()?;
    let mut segments = header.program_headers(endian, &*bytes)?.iter();
    let loader = segments.any(|segment| segment.p_type(endian) == elf::PT_INTERP);
    ensure!(!loader, "{} is not static: it asks for a dynamic loader", built.display());
    let path = run::target_directory().join("dist/multicall");
    files::write(&path, &bytes, 0o755)?;
    Ok(Program { path, target })
}

/// musl where there is one, else `host`, and the reader is told: the one starts sooner.
fn default_target(host: &str) -> Result<String> {
    let target = musl::target(host);
    if musl::is_installed(&sysroot()?, &target) {
        return Ok(target);
    }
    run::say(format_args!("no {target} here ('rustup target add' installs it): built for {host}"));
    Ok(host.to_owned())
}

/// The compiler's own target.
pub(crate) fn compiler_target() -> Result<String> {
    let version = run::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

/// Has `cargo xtask test --setup` install what the program is built with best.
pub(crate) fn set_up() {
    let done = sysroot().and_then(|sysroot| musl::set_up(&sysroot, &compiler_target()?));
    if let Err(error) = done {
        run::say(format_args!("set-up: {error:#}"));
    }
}

fn sysroot() -> Result<PathBuf> {
    run::output(Command::new("rustc").args(["--print", "sysroot"])).map(PathBuf::from)
}

/// The compiler's flags: static, at a fixed address, no tables for unwinding, and no trace of
/// where it was built.
fn flags(target: &str) -> Result<Vec<OsString>> {
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from).or(home);
    let root = fs::canonicalize(run::root())?;
    let places = [(Some(sysroot()?), "/rust"), (cargo_home, "/cargo"), (Some(root), "/multicall")];
    let renamed = places.into_iter().filter_map(|(place, name)| {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(place?);
        flag.push("=");
        flag.push(name);
        Some(flag)
    });
    Ok(link_flags(target).into_iter().map(OsString::from).chain(renamed).collect())
}

fn link_flags(target: &str) -> Vec<&'static str> {
    let mut flags = vec![
        "-Ctarget-feature=+crt-static",
        "-Crelocation-model=static",
        // The linker runs in the workspace; a full path would make builds in two folders differ.
        "-Clink-arg=-Wl,-T,xtask/dist.ld",
    ];
    if target.starts_with("aarch64") {
        // Kernels there have pages of 4, 16 or 64 KiB: aligned for the largest, it loads on all.
        flags.push("-Clink-arg=-Wl,-z,max-page-size=65536");
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::link_flags;

    #[test]
    fn segments_are_aligned_for_the_largest_page_there_is() {
        let alignment = "-Clink-arg=-Wl,-z,max-page-size=65536";
        assert!(link_flags("aarch64-unknown-linux-gnu").contains(&alignment));
        assert!(!link_flags("x86_64-unknown-linux-gnu").contains(&alignment));
    }
}
