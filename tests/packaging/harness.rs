//! The fault harness as a folder: it runs where there is neither the repository nor cargo.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use predicates::prelude::*;
use serde_json::Value;

use crate::{is_root, program, runs, said, succeed, there_is, workspace, xtask};

/// What the harness runs besides the programs under test.
const TOOLS: [&str; 6] = ["strace", "sh", "env", "unshare", "mount", "cp"];

/// A harness, written into a folder and then carried to another.
struct Packed {
    folder: tempfile::TempDir,
}

impl Packed {
    fn new() -> Packed {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::copy(program(), place("program")).unwrap();
        let mut task = xtask(&["harness", "--out"]);
        task.arg(place("written")).arg("--program").arg(place("program"));
        succeed(&mut task);
        fs::rename(place("written"), place("carried")).unwrap();
        fs::create_dir(place("tools")).unwrap();
        for tool in TOOLS {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
                .map(|folder| folder.join(tool))
                .find(|path| path.is_file());
            symlink(found.unwrap(), place("tools").join(tool)).unwrap();
        }
        Packed { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs it where the repository and the home folder with cargo in it are hidden.
    fn run(&self, arguments: &[&str]) -> Output {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let home = home.filter(|it| it.is_dir() && !self.folder.path().starts_with(it));
        let script =
            "for hidden in \"$1\" \"$2\"; do mount -t tmpfs none \"$hidden\" || exit 9; done
                      cd \"$3\" && shift 3 && exec ./fault-harness \"$@\"";
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "sh", "-c", script, "sh"]).arg(workspace());
        unshare.arg(home.as_deref().unwrap_or(Path::new("/mnt"))).arg(self.path("carried"));
        unshare.args(arguments).env_clear().env("PATH", self.path("tools"));
        unshare.env("TMPDIR", self.folder.path()).stdin(Stdio::null()).output().unwrap()
    }
}

#[test]
fn a_packed_harness_needs_neither_repository_nor_cargo() {
    if !is_root() || !there_is("strace", runs("strace", "--version")) {
        return;
    }
    let packed = Packed::new();
    let says = succeed(Command::new("file").arg(packed.path("carried/fault-harness")));
    let says = String::from_utf8(says).unwrap();
    let is_static = predicate::str::is_match("static(ally|-pie) linked").unwrap();
    assert!(is_static.eval(&says), "{says}");
    finds_nothing(&packed);
    finds_what_is_broken(&packed);
}

/// The program that the links lead to keeps every promise.
fn finds_nothing(packed: &Packed) {
    let chosen = ["--scenario", "cat several > file", "--limit", "120"];
    let output = packed.run(&[&chosen[..], &["--json"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let judged = |kind: &str| -> u64 {
        let rows = report[kind].as_array().into_iter().flatten();
        rows.filter_map(|row| row["judged"].as_u64()).sum()
    };
    assert!(judged("injected") > 60 && judged("real") > 10, "{report:#}");
    let output = packed.run(&[&chosen[..], &["--no-real"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let says = String::from_utf8(output.stdout).unwrap();
    assert!(predicate::str::contains(" 0 with a violation").eval(&says), "{says}");
}

/// Another program is put to the test by a folder with its link.
fn finds_what_is_broken(packed: &Packed) {
    let others = packed.path("others");
    fs::create_dir(&others).unwrap();
    symlink(fs::canonicalize("/bin/true").unwrap(), others.join("cat")).unwrap();
    let others = others.display().to_string();
    let chosen = ["--scenario", "cat small > pipe", "--no-real", "--bin-dir", &others];
    let output = packed.run(&chosen);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let says = String::from_utf8(output.stdout).unwrap();
    assert!(predicate::str::contains("UNFIT: cat small > pipe").eval(&says), "{says}");
    assert!(predicate::str::contains("SKIPPED: yes: not in").eval(&says), "{says}");
}
