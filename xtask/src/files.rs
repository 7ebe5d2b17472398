//! Files that appear whole or not at all: written beside their place, then renamed over it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use nix::fcntl::{Flock, FlockArg};

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

/// Lets `make` make something beside `path`, and renames it over `path`. Tasks that write into one
/// directory at once take turns.
pub(crate) fn replace(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
    let make_and_rename = || {
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(directory)?;
        // Where a file system has no such locks, two at once are at their own risk.
        let _turn = Flock::lock(File::open(directory)?, FlockArg::LockExclusive).ok();
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

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn many_may_write_one_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("not there yet/program");
        thread::scope(|scope| {
            for number in 0..8u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..50 {
                        write(path, &[number; 100_000], 0o755).unwrap();
                    }
                });
            }
        });
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() == 100_000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "names beside it are left behind");
    }

    #[test]
    fn what_cannot_be_put_in_place_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("directory");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, b"text", 0o644).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
