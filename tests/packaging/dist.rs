//! The program that is shipped: static, small, reproducible, and content with an empty root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::read::elf::{FileHeader, ProgramHeader};
use object::{Object, elf};
use predicates::prelude::*;

use crate::{all_bytes, feed, is_root, program, said, succeed, there_is, workspace, xtask};

/// What all applets that there are now may take with the C library inside, in bytes.
const LARGEST: u64 = 1_150_000;

#[test]
fn it_is_static_stripped_and_small() {
    let says = String::from_utf8(succeed(Command::new("file").arg(program()))).unwrap();
    assert!(predicate::str::contains("statically linked").eval(&says), "{says}");
    assert!(predicate::str::contains("stripped").eval(&says), "{says}");
    assert!(!predicate::str::contains("not stripped").eval(&says), "{says}");
    let size = fs::metadata(program()).unwrap().len();
    assert!(size <= LARGEST, "{size} bytes");
}

#[test]
fn segments_are_aligned_for_every_page_size_of_the_architecture() {
    let bytes = fs::read(program()).unwrap();
    let header = elf::FileHeader64::<object::Endianness>::parse(&*bytes).unwrap();
    let endian = header.endian().unwrap();
    let page = match object::File::parse(&*bytes).unwrap().architecture() {
        object::Architecture::Aarch64 => 64 * 1024,
        _ => 4096,
    };
    let segments = header.program_headers(endian, &*bytes).unwrap();
    let loaded = segments.iter().filter(|it| it.p_type(endian) == elf::PT_LOAD);
    let alignments: Vec<u64> = loaded.map(|it| it.p_align(endian)).collect();
    assert!(!alignments.is_empty());
    assert!(alignments.iter().all(|it| it % page == 0), "{alignments:x?}, pages of {page}");
}

#[test]
fn the_task_says_how_large_it_is_and_what_is_in_it() {
    let says = String::from_utf8(succeed(&mut xtask(&["dist"]))).unwrap();
    assert!(predicate::str::is_match("multicall: [0-9]+ bytes").unwrap().eval(&says), "{says}");
    assert!(predicate::str::contains("applets: cat, yes\n").eval(&says), "{says}");
    assert!(predicate::str::is_match("[0-9]+ \\.text\n").unwrap().eval(&says), "{says}");
}

#[test]
fn two_at_once_do_not_meet() {
    // Built before, so that both come to the writing of the file at about the same time.
    program();
    for _ in 0..3 {
        let start = |_| xtask(&["dist"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let tasks: Vec<_> = (0..4).map(|number| start(number).unwrap()).collect();
        for task in tasks {
            let output = task.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
        }
    }
}

#[test]
fn two_builds_in_two_folders_are_the_same_bytes() {
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("another folder with a longer name");
    copy_sources(&workspace(), &copy);
    let mut task = xtask(&["dist"]);
    task.env("CARGO_MANIFEST_DIR", copy.join("xtask")).env("CARGO_TARGET_DIR", "target");
    succeed(task.current_dir(&copy));
    let here = fs::read(program()).unwrap();
    let there = fs::read(copy.join("target/dist/multicall")).unwrap();
    assert!(here == there, "{} and {} bytes differ", here.len(), there.len());
    let folder = workspace();
    let folder = folder.to_str().unwrap().as_bytes();
    assert!(!here.windows(folder.len()).any(|it| it == folder), "it knows where it was built");
}

/// The workspace without what was built in it and without its history.
fn copy_sources(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if name == "target" || name == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy_sources(&entry.path(), &to.join(name));
        } else {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

/// A directory with the program, its links and one file: no /proc, no /dev, no /etc.
fn empty_root() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::copy(program(), root.join("multicall")).unwrap();
    fs::write(root.join("data"), all_bytes(3 << 20)).unwrap();
    for name in crate::APPLETS {
        std::os::unix::fs::symlink("multicall", root.join(name)).unwrap();
    }
    (directory, root)
}

/// A command in that root: as nobody, without environment, on a read-only file system.
fn in_root(root: &Path, command: &[&str]) -> Command {
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \
                  env -i \"$(command -v chroot)\" --userspec=65534:65534 \"$@\"";
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", script, "sh"]).arg(root).arg(root).args(command);
    unshare
}

#[test]
fn it_runs_in_an_empty_root_as_nobody() {
    if !is_root() {
        return;
    }
    let (_kept, root) = empty_root();
    let expected = all_bytes(3 << 20);
    assert!(succeed(&mut in_root(&root, &["/cat", "/data"])) == expected);
    assert!(succeed(&mut in_root(&root, &["/multicall", "cat", "data"])) == expected);
    assert_eq!(succeed(&mut in_root(&root, &["/multicall", "--list"])), b"cat\nyes\n");
    let fed = feed(&mut in_root(&root, &["/cat", "-", "/data"]), b"first\n");
    assert!(fed.status.success(), "{}", said(&fed));
    assert!(fed.stdout == [b"first\n", &expected[..]].concat());
    let failed = in_root(&root, &["/cat", "/proc/version"]).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    assert_eq!(failed.stderr, b"cat: /proc/version: No such file or directory\n");
}

#[test]
fn a_reader_that_leaves_ends_yes_in_an_empty_root() {
    if !is_root() || !there_is("bash", crate::runs("bash", "--version")) {
        return;
    }
    let (_kept, root) = empty_root();
    let yes = in_root(&root, &["/yes", "line"]);
    let words = std::iter::once(yes.get_program()).chain(yes.get_args());
    let mut bash = Command::new("bash");
    bash.args(["-c", "\"$@\" | head -n 2; echo ${PIPESTATUS[0]}", "bash"]).args(words);
    assert_eq!(succeed(&mut bash), b"line\nline\n141\n");
}
