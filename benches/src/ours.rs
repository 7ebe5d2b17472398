//! Our program: the static one that is distributed, since that is what people run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The workspace, where tasks run.
pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The build directory, which holds what need not be kept.
pub(crate) fn target_directory() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    workspace().join(named.unwrap_or_else(|| "target".into()))
}

/// The file that `named` is, or the distributed program, built now.
pub(crate) fn program(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["xtask", "dist"]).current_dir(workspace()).stdout(Stdio::null());
    let status = build.status().context("starting cargo")?;
    ensure!(status.success(), "cargo xtask dist failed");
    Ok(target_directory().join("dist/multicall"))
}
