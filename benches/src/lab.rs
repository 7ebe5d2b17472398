//! Where the bench works: the files that are read and written, and the cores.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use nix::unistd::syncfs;
use tempfile::TempDir;

use crate::pin::Cores;

/// A kind of file system that a sink or source lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Below the build directory: a disk, most often.
    Disk,
    /// Memory: /dev/shm.
    Memory,
}

/// Lines in files are no longer than that.
const LONGEST_LINE: usize = 200;

/// The folders of one run, removed when it ends.
#[derive(Debug)]
pub(crate) struct Lab {
    /// Which cores there are.
    pub(crate) cores: Cores,
    disk: TempDir,
    memory: TempDir,
}

impl Lab {
    /// Makes the folders.
    pub(crate) fn new() -> Result<Lab> {
        let build = std::env::current_exe()?;
        let near = build.parent().context("this program lies in no folder")?;
        let disk = TempDir::with_prefix_in("bench-", near)?;
        let memory = TempDir::with_prefix_in("bench-", "/dev/shm").context("a folder in memory")?;
        ensure!(statfs(memory.path())?.filesystem_type() == TMPFS_MAGIC, "/dev/shm is no tmpfs");
        Ok(Lab { cores: Cores::find()?, disk, memory })
    }

    /// The folder at `place`.
    pub(crate) fn folder(&self, place: Place) -> &Path {
        match place {
            Place::Disk => self.disk.path(),
            Place::Memory => self.memory.path(),
        }
    }

    /// The file at `place` that sinks write to.
    pub(crate) fn sink_file(&self, place: Place) -> PathBuf {
        self.folder(place).join("sink")
    }

    /// A file of `size` bytes at `place` that repeats the pattern that `make` makes, in page cache,
    /// written at its first use.
    pub(crate) fn file(
        &self,
        place: Place,
        name: &str,
        make: impl Fn() -> Vec<u8>,
        size: u64,
    ) -> Result<PathBuf> {
        let path = self.folder(place).join(format!("{name}-{size}"));
        if !path.exists() {
            let pattern = make();
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            let mut left = usize::try_from(size)?;
            while left > 0 {
                let part = left.min(pattern.len());
                file.write_all(&pattern[..part])?;
                left -= part;
            }
            // Written back now, so that no write-back runs while something is measured.
            file.into_inner()?.sync_all()?;
        }
        Ok(path)
    }

    /// The same, with a newline as its last byte: some programs add one where it is missing.
    pub(crate) fn text(
        &self,
        place: Place,
        name: &str,
        make: impl Fn() -> Vec<u8>,
        size: u64,
    ) -> Result<PathBuf> {
        let path = self.file(place, name, make, size)?;
        File::options().write(true).open(&path)?.write_all_at(b"\n", size - 1)?;
        Ok(path)
    }

    /// A file of `size` zeros on disk that takes none of it: what is so large would take minutes to
    /// write, and is in page cache like any other once it has been read.
    pub(crate) fn hole(&self, size: u64) -> Result<PathBuf> {
        let path = self.folder(Place::Disk).join(format!("hole-{size}"));
        if !path.exists() {
            File::create(&path)?.set_len(size)?;
        }
        Ok(path)
    }

    /// Removes files so large that others would have no room.
    pub(crate) fn tidy(&self) -> Result<()> {
        for place in [Place::Disk, Place::Memory] {
            for entry in fs::read_dir(self.folder(place))? {
                let entry = entry?;
                let data = entry.metadata()?;
                if data.is_file() && data.len() >= 1 << 30 {
                    fs::remove_file(entry.path())?;
                }
            }
        }
        // And what the last sink was given.
        for place in [Place::Disk, Place::Memory] {
            let _ = fs::remove_file(self.sink_file(place));
        }
        Ok(())
    }

    /// A folder of `count` files of `size` bytes each, and their names.
    pub(crate) fn small_files(&self, count: usize, size: usize) -> Result<(PathBuf, Vec<String>)> {
        let folder = self.disk.path().join(format!("files-{size}"));
        fs::create_dir_all(&folder)?;
        let names: Vec<String> = (0..count).map(|number| format!("{number:x}")).collect();
        for name in &names {
            let path = folder.join(name);
            if !path.exists() {
                // A line that tells which file it is.
                let line = format!("{name:>width$}\n", width = size.min(LONGEST_LINE) - 1);
                let text: Vec<u8> = line.bytes().cycle().take(size).collect();
                fs::write(path, text)?;
            }
        }
        syncfs(File::open(&folder)?)?;
        Ok((folder, names))
    }
}
