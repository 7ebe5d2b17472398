//! What all tests share: a temporary folder with links to the program, children that start from
//! a known state whatever this process inherited, and a limit on how long anything may take.

#![allow(dead_code, unused_imports, reason = "each file of tests takes what it needs from here")]

mod child;
mod data;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

pub(crate) use child::{Rest, Run, died_silently_of};
pub(crate) use data::{add_flag, broken_pipe, drain, drain_by, flags, noise, same, tool};

/// The program under test: the one that cargo built, or another that MULTICALL_PROGRAM names, the
/// shipped one in `cargo xtask test`.
pub(crate) fn multicall() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let built = || env!("CARGO_BIN_EXE_multicall").to_owned();
        std::env::var("MULTICALL_PROGRAM").unwrap_or_else(|_| built())
    });
    &PROGRAM
}

/// A temporary folder: the working directory of the programs, and their links in another.
pub(crate) struct Folder {
    root: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Folder {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = Folder { root };
        fs::create_dir(folder.path("")).expect("a working directory");
        fs::create_dir(folder.bin("")).expect("a folder for links");
        for name in ["cat", "yes", "multicall"] {
            symlink(multicall(), folder.bin(name)).expect("a link to the program");
        }
        folder
    }

    /// The working directory of the programs, and what is in it.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Where the links `cat`, `yes` and `multicall` are.
    pub(crate) fn bin(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("bin").join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("an input file");
    }

    #[track_caller]
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).expect("an output file")
    }

    /// Copies a file and makes the copy executable. Another program does it: as long as this one
    /// had it open for writing, children of other threads could too, and nobody may execute it.
    pub(crate) fn executable(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) {
        self.command("cp").arg(from).arg(&to).run().success();
        self.command("chmod").arg("755").arg(&to).run().success();
    }

    /// A file of this folder, for one of a child's standard streams.
    pub(crate) fn open(&self, name: impl AsRef<Path>) -> fs::File {
        fs::File::open(self.path(name)).expect("an input file")
    }

    /// Any program in the working directory, with the C locale and PATH for an environment, no
    /// input, and its output captured.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path(""))
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", self.search_path())
            .process_group(0);
        child::capture(&mut command);
        command
    }

    /// The links first, then where this machine has its tools.
    fn search_path(&self) -> OsString {
        let mut path = self.bin("").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        path
    }

    pub(crate) fn cat(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        self.applet("cat", arguments)
    }

    pub(crate) fn yes(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        self.applet("yes", arguments)
    }

    pub(crate) fn applet(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = self.command(self.bin(name));
        command.args(arguments);
        command
    }

    /// A shell line: for redirections, limits and ignored signals, where the shell says it best.
    pub(crate) fn sh(&self, script: impl AsRef<OsStr>) -> Command {
        let mut command = self.command("/bin/sh");
        command.arg("-c").arg(script);
        command
    }
}
