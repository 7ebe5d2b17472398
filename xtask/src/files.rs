//! Files that appear whole or not at all: written beside their place, then renamed over it.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Puts a file with these bytes and permissions in place, and its directory if there is none.
/// Whoever has the old file open, or runs it, keeps it.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    replace(path, |beside| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(beside)?;
        // The permissions that are wanted, whatever the umask says.
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.write_all(bytes)?;
        // After a crash the name must not lead to a file whose bytes never reached the disk.
        file.sync_all()
    })
}

/// Lets `make` make something beside `path`, and renames it over `path`.
pub(crate) fn replace(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
    let make_and_rename = || {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let beside = beside(path)?;
        make(&beside)?;
        fs::rename(&beside, path).inspect_err(|_| {
            // The error that is reported is the one that came first.
            let _ = fs::remove_file(&beside);
        })
    };
    make_and_rename().with_context(|| format!("cannot write {}", path.display()))
}

/// The name under which a file is made. It is always the same, so that what a killed task left
/// behind is used up by the next one.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let beside = path.with_file_name(name);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(beside),
    }
}
