//! `cargo xtask install` and `uninstall`: below a prefix, around what others put there, and cut
//! short at every step.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use predicates::prelude::*;

use crate::{APPLETS, program, said, succeed, there_is, xtask};

fn install(prefix: &Path, options: &[&str]) -> Command {
    install_program(program(), prefix, options)
}

fn install_program(program: &Path, prefix: &Path, options: &[&str]) -> Command {
    let mut task = xtask(&["install", "--program"]);
    task.arg(program).arg("--prefix").arg(prefix).args(options);
    task
}

fn uninstall(prefix: &Path) -> Command {
    let mut task = xtask(&["uninstall", "--prefix"]);
    task.arg(prefix);
    task
}

/// Every path below a directory, with what it holds: a file's size and inode, a link's target.
fn tree(directory: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(directory) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        let about = fs::symlink_metadata(&path).unwrap();
        if about.is_dir() {
            found.extend(tree(&path));
        } else if about.is_symlink() {
            found.insert(path.clone(), format!("-> {}", fs::read_link(&path).unwrap().display()));
        } else {
            found.insert(path, format!("{} bytes, inode {}", about.len(), about.ino()));
        }
    }
    found
}

fn works(prefix: &Path) {
    let file = prefix.join("something to show");
    fs::write(&file, "shown\n").unwrap();
    assert_eq!(succeed(Command::new(prefix.join("bin/cat")).arg(&file)), b"shown\n");
    assert_eq!(succeed(Command::new(prefix.join("bin/multicall")).arg("--list")), b"cat\nyes\n");
    fs::remove_file(file).unwrap();
}

fn refused(output: &Output, because: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", said(output));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(predicate::str::contains(because).eval(&error), "{error}");
}

/// A program that is not the same bytes but runs the same: an older version.
fn older(directory: &Path) -> PathBuf {
    let path = directory.join("multicall-older");
    fs::copy(program(), &path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"older");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn everything_is_put_where_it_belongs_and_taken_away_again() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("prefix");
    let says = String::from_utf8(succeed(&mut install(&prefix, &[]))).unwrap();
    works(&prefix);
    for name in APPLETS {
        assert_eq!(fs::read_link(prefix.join("bin").join(name)).unwrap(), Path::new("multicall"));
        for path in [
            format!("bin/{name}"),
            format!("share/man/man1/{name}.1"),
            format!("share/bash-completion/completions/{name}"),
            format!("share/zsh/site-functions/_{name}"),
            format!("share/fish/vendor_completions.d/{name}.fish"),
        ] {
            let path = prefix.join(path);
            assert!(path.exists(), "{}", path.display());
            let line = format!("installed {}\n", path.display());
            assert!(predicate::str::contains(line.as_str()).eval(&says), "{line}{says}");
        }
    }
    assert!(prefix.join("share/man/man1/multicall.1").is_file());
    assert!(predicate::str::contains("is not in PATH").eval(&says), "{says}");

    let before = tree(&prefix);
    let again = String::from_utf8(succeed(&mut install(&prefix, &[]))).unwrap();
    assert!(!predicate::str::contains("installed").eval(&again), "{again}");
    let mut after = tree(&prefix);
    // The receipt is written anew; everything else is not even touched.
    let receipt = prefix.join("share/multicall/receipt");
    after.insert(receipt.clone(), before[&receipt].clone());
    assert_eq!(after, before);

    succeed(&mut uninstall(&prefix));
    assert!(!prefix.exists());
    let nothing = String::from_utf8(succeed(&mut uninstall(&prefix))).unwrap();
    assert!(predicate::str::contains("nothing is installed").eval(&nothing), "{nothing}");
}

#[test]
fn links_can_be_hard_and_change_their_kind() {
    let prefix = tempfile::tempdir().unwrap();
    let prefix = prefix.path();
    let inode = |name: &str| fs::symlink_metadata(prefix.join("bin").join(name)).unwrap().ino();
    succeed(&mut install(prefix, &["--hard-links"]));
    assert!(APPLETS.iter().all(|name| inode(name) == inode("multicall")));
    works(prefix);
    succeed(&mut install(prefix, &[]));
    assert!(APPLETS.iter().all(|name| inode(name) != inode("multicall")));
    succeed(&mut install(prefix, &["--hard-links"]));
    works(prefix);
    succeed(&mut uninstall(prefix));
    assert_eq!(tree(prefix), BTreeMap::new());
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let prefix = tempfile::tempdir().unwrap();
    let prefix = prefix.path();
    fs::create_dir_all(prefix.join("bin")).unwrap();
    fs::write(prefix.join("bin/cat"), "#!/bin/sh\n").unwrap();
    fs::write(prefix.join("bin/other"), "stays").unwrap();
    let before = tree(prefix);
    let output = install(prefix, &[]).output().unwrap();
    refused(&output, "in the way and not ours");
    refused(&output, "bin/cat");
    assert_eq!(tree(prefix), before, "a refusal changes nothing");

    succeed(&mut install(prefix, &["--force"]));
    works(prefix);
    // Replaced behind our back: it is somebody else's again, for both tasks.
    fs::remove_file(prefix.join("bin/yes")).unwrap();
    fs::write(prefix.join("bin/yes"), "another yes").unwrap();
    refused(&install(prefix, &[]).output().unwrap(), "bin/yes");
    let says = String::from_utf8(succeed(&mut uninstall(prefix))).unwrap();
    assert!(predicate::str::contains("left alone").eval(&says), "{says}");
    let left: Vec<PathBuf> = tree(prefix).into_keys().collect();
    assert_eq!(left, [prefix.join("bin/other"), prefix.join("bin/yes")]);
    assert_eq!(fs::read(prefix.join("bin/yes")).unwrap(), b"another yes");
}

#[test]
fn a_directory_in_the_way_is_refused_even_by_force() {
    let prefix = tempfile::tempdir().unwrap();
    let prefix = prefix.path();
    fs::create_dir_all(prefix.join("bin/yes")).unwrap();
    refused(&install(prefix, &["--force"]).output().unwrap(), "is not a file");
    assert_eq!(tree(prefix), BTreeMap::new());
    assert!(prefix.join("bin/yes").is_dir());
}

#[test]
fn packagers_collect_everything_below_destdir() {
    let destination = tempfile::tempdir().unwrap();
    let mut task = install(Path::new("/usr/local"), &[]);
    succeed(task.env("DESTDIR", destination.path()));
    let prefix = destination.path().join("usr/local");
    works(&prefix);
    let receipt = fs::read_to_string(prefix.join("share/multicall/receipt")).unwrap();
    let folder = destination.path().to_str().unwrap();
    assert!(!receipt.contains(folder), "a package must not know where it was packed");
    let mut task = uninstall(Path::new("/usr/local"));
    succeed(task.env("DESTDIR", destination.path()));
    assert_eq!(tree(destination.path()), BTreeMap::new());
}

#[test]
fn manual_pages_are_well_formed() {
    let mandoc = Command::new("mandoc").arg("/dev/null").output();
    if !there_is("mandoc", mandoc.is_ok()) {
        return;
    }
    let prefix = tempfile::tempdir().unwrap();
    succeed(&mut install(prefix.path(), &[]));
    for name in APPLETS.into_iter().chain(["multicall"]) {
        let page = prefix.path().join(format!("share/man/man1/{name}.1"));
        succeed(Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(page));
    }
}

/// Kills the task at each of its renames in turn, the points at which something becomes visible.
#[test]
fn an_interrupted_install_leaves_a_working_program() {
    if !there_is("strace", crate::runs("strace", "--version")) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let older = older(directory.path());
    let prefix = directory.path().join("prefix");
    let mut killed = 0;
    for step in 1.. {
        succeed(&mut install_program(&older, &prefix, &["--hard-links"]));
        let task = install(&prefix, &["--hard-links"]);
        let mut strace = Command::new("strace");
        let kill = format!("inject=rename,renameat,renameat2:signal=SIGKILL:when={step}");
        strace.args(["-o", "/dev/null", "-e", &kill]).arg(task.get_program()).args(task.get_args());
        let ended = strace.output().unwrap();
        works(&prefix);
        if ended.status.success() {
            break;
        }
        killed += 1;
        // What was cut short is ours: it can be completed, and taken away.
        succeed(&mut install(&prefix, &["--hard-links"]));
        succeed(&mut uninstall(&prefix));
        assert_eq!(tree(&prefix), BTreeMap::new(), "killed at rename {step}");
    }
    // The receipt, the program and its links, and the receipt again.
    assert_eq!(killed, 2 + 1 + APPLETS.len());
}
