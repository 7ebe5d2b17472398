//! The Debian package, installed and removed by dpkg below a root of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{APPLETS, runs, succeed, there_is, xtask};

/// Makes the package, once for each name: the tests run at the same time.
fn package(directory: &Path) -> PathBuf {
    let package = directory.join("multicall.deb");
    succeed(xtask(&["deb", "--output"]).arg(&package));
    package
}

/// dpkg on a root and a database of its own. Without scripts in the package it never leaves it.
fn dpkg(root: &Path, action: &str, subject: &Path) -> Command {
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--root").arg(root).arg("--force-not-root").arg(action).arg(subject);
    // It insists on programs that are in administrators' directories.
    let path = std::env::var("PATH").unwrap_or_default();
    dpkg.env("PATH", format!("{path}:/usr/local/sbin:/usr/sbin:/sbin"));
    dpkg
}

/// Every path below the root but dpkg's own.
fn files(root: &Path) -> Vec<String> {
    let mut find = Command::new("find");
    find.arg(root).args(["-mindepth", "1", "-path", "*/var", "-prune", "-o", "-printf", "%P\n"]);
    let found = String::from_utf8(succeed(&mut find)).unwrap();
    let mut found: Vec<String> = found.lines().map(str::to_owned).collect();
    found.sort();
    found
}

#[test]
fn it_installs_runs_and_leaves_nothing_behind() {
    if !there_is("dpkg", runs("dpkg", "--version")) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let package = package(directory.path());
    let root = directory.path().join("root");
    for path in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "bin"] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    fs::write(root.join("bin/cat"), "the system's own").unwrap();
    let before = files(&root);

    succeed(&mut dpkg(&root, "--install", &package));
    assert_eq!(fs::read(root.join("bin/cat")).unwrap(), b"the system's own");
    let library = root.join("usr/lib/multicall");
    fs::write(directory.path().join("data"), "through the package\n").unwrap();
    let shown = succeed(Command::new(library.join("cat")).arg(directory.path().join("data")));
    assert_eq!(shown, b"through the package\n");
    for name in APPLETS {
        assert_eq!(fs::read_link(library.join(name)).unwrap(), Path::new("multicall"));
        assert!(library.join(format!("share/man/man1/{name}.1")).is_file());
    }
    assert!(root.join("usr/share/man/man1/multicall.1").is_file());
    let listed = succeed(Command::new(root.join("usr/bin/multicall")).arg("--list"));
    assert_eq!(listed, b"cat\nyes\n");

    succeed(&mut dpkg(&root, "--remove", Path::new("multicall")));
    assert_eq!(files(&root), before);
}

#[test]
fn it_is_the_same_bytes_each_time_and_says_what_it_is() {
    if !there_is("dpkg-deb", runs("dpkg-deb", "--version")) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let make = |name: &str, umask: &str| {
        let path = directory.path().join(name);
        let task = xtask(&["deb", "--output"]);
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask \"$1\"; shift; exec \"$@\"", "sh", umask]);
        shell.arg(task.get_program()).args(task.get_args()).arg(&path);
        succeed(shell.env("SOURCE_DATE_EPOCH", "1000000000"));
        path
    };
    let (first, second) = (make("first.deb", "022"), make("second.deb", "077"));
    assert!(fs::read(&first).unwrap() == fs::read(second).unwrap());
    let mut field = Command::new("dpkg-deb");
    let fields = field.arg("--field").arg(&first).args(["Package", "Version", "Depends"]);
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("Package: multicall\nVersion: {version}\n");
    assert_eq!(String::from_utf8(succeed(fields)).unwrap(), expected);
}
