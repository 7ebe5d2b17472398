//! `multicall --install`: a link for every applet, and nothing of anybody else's touched.

mod support;

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use predicates::prelude::*;
use support::{Folder, Run, multicall};

/// A folder with a copy of the program in it, so that hard links can be made, and an empty `dir`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.executable(multicall(), "multicall");
    fs::create_dir(folder.path("dir")).expect("an empty folder");
    folder
}

fn install(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(folder.path("multicall"));
    command.arg("--install").args(arguments);
    command
}

/// The file that a path names, links followed.
fn identity(path: impl AsRef<Path>) -> (u64, u64) {
    let file = fs::metadata(path).expect("a file");
    (file.dev(), file.ino())
}

#[track_caller]
fn links_work(folder: &Folder, symbolic: bool) {
    for name in ["cat", "yes"] {
        let link = folder.path("dir").join(name);
        assert_eq!(identity(&link), identity(folder.path("multicall")), "{name}");
        assert_eq!(link.is_symlink(), symbolic, "{name}");
    }
    folder
        .sh("dir/cat - in 2>&1")
        .fed(b"works\n")
        .code(1)
        .stdout("works\ncat: in: No such file or directory\n");
    folder.sh("dir/yes no | head -n 1").run().success().stdout("no\n").stderr("");
    let names: Vec<_> = fs::read_dir(folder.path("dir")).expect("a folder").collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn hard_links_for_every_applet() {
    let folder = folder();
    install(&folder, &["dir"]).run().success().stdout("").stderr("");
    links_work(&folder, false);
}

#[test]
fn symbolic_links_for_every_applet() {
    for line in [&["-s", "dir"][..], &["dir", "-s"], &["--symbolic", "dir"], &["-sf", "dir/"]] {
        let folder = folder();
        install(&folder, line).run().success().stdout("").stderr("");
        links_work(&folder, true);
    }
}

#[test]
fn the_links_are_those_of_the_list() {
    let folder = folder();
    install(&folder, &["dir"]).run().success();
    let mut names: Vec<String> = fs::read_dir(folder.path("dir"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap() + "\n")
        .collect();
    names.sort();
    folder.sh("./multicall --list").run().success().stdout(names.concat());
}

#[test]
fn symbolic_links_find_the_program_from_anywhere() {
    let folder = folder();
    // Through a relative path, through PATH, and through a link of the program itself.
    symlink("multicall", folder.path("multicall-1")).unwrap();
    for line in ["./multicall", "PATH=$PWD:$PATH; multicall", "./multicall-1"] {
        folder.sh(format!("{line} --install -s dir")).run().success().stderr("");
        folder.sh("cd / && \"$OLDPWD/dir/cat\" /dev/null").run().success().stderr("");
        links_work(&folder, true);
        fs::remove_dir_all(folder.path("dir")).unwrap();
        fs::create_dir(folder.path("dir")).unwrap();
    }
}

#[test]
fn once_more_changes_nothing() {
    for line in [&["dir"][..], &["-s", "dir"], &["-f", "dir"], &["-s", "-f", "dir"]] {
        let folder = folder();
        install(&folder, line).run().success().stdout("").stderr("");
        let before = fs::symlink_metadata(folder.path("dir/cat")).unwrap();
        install(&folder, line).run().success().stdout("").stderr("");
        let after = fs::symlink_metadata(folder.path("dir/cat")).unwrap();
        assert_eq!((before.is_symlink(), before.len()), (after.is_symlink(), after.len()));
        links_work(&folder, line.contains(&"-s"));
    }
}

#[test]
fn links_may_go_beside_the_program() {
    for (line, symbolic) in [(&["."][..], false), (&["-s", "."], true)] {
        let folder = folder();
        install(&folder, line).run().success().stderr("");
        for name in ["cat", "yes"] {
            assert_eq!(identity(folder.path(name)), identity(folder.path("multicall")));
            assert_eq!(fs::symlink_metadata(folder.path(name)).unwrap().is_symlink(), symbolic);
        }
        assert!(fs::symlink_metadata(folder.path("multicall")).unwrap().is_file());
        folder.sh("./multicall --list").run().success().stdout("cat\nyes\n");
    }
}

/// What is in the way: a file, links to somewhere and to nowhere, a copy of the program.
fn in_the_way(folder: &Folder, kind: &str) {
    let link = folder.path("dir/cat");
    match kind {
        "file" => fs::write(link, "theirs"),
        "link" => {
            folder.write("theirs", "theirs");
            symlink("../theirs", link)
        }
        "dangling" => symlink("nowhere", link),
        _ => fs::copy(multicall(), link).map(drop),
    }
    .expect("something in the way");
}

const KINDS: [&str; 4] = ["file", "link", "dangling", "copy"];

#[test]
fn what_is_not_a_link_to_us_is_left_alone_and_named() {
    for kind in KINDS {
        for option in [&[][..], &["-s"]] {
            let folder = folder();
            in_the_way(&folder, kind);
            let before = fs::symlink_metadata(folder.path("dir/cat")).unwrap();
            let mut command = install(&folder, option);
            let said = predicate::str::starts_with("multicall: dir/cat: ")
                .and(predicate::str::contains("dir/yes").not());
            command.arg("dir").run().code(1).stdout("").stderr(said);
            let after = fs::symlink_metadata(folder.path("dir/cat")).unwrap();
            assert_eq!((before.ino(), before.len()), (after.ino(), after.len()), "{kind}");
            // The other applet got its link all the same.
            assert_eq!(identity(folder.path("dir/yes")), identity(folder.path("multicall")));
        }
    }
}

#[test]
fn force_replaces_it() {
    for kind in KINDS {
        for (line, symbolic) in [(&["-f", "dir"][..], false), (&["dir", "--force", "-s"], true)] {
            let folder = folder();
            in_the_way(&folder, kind);
            install(&folder, line).run().success().stdout("").stderr("");
            links_work(&folder, symbolic);
            if kind == "link" {
                assert_eq!(folder.read("theirs"), b"theirs", "the file behind the link");
            }
        }
    }
}

#[test]
fn a_directory_in_the_way_is_never_removed() {
    let folder = folder();
    fs::create_dir(folder.path("dir/cat")).unwrap();
    for option in [&[][..], &["-f"], &["-sf"]] {
        let said = predicate::str::starts_with("multicall: dir/cat: ")
            .and(predicate::str::contains("os error").not());
        install(&folder, option).arg("dir").run().code(1).stdout("").stderr(said);
        assert!(folder.path("dir/cat").is_dir());
        let names = fs::read_dir(folder.path("dir")).unwrap().count();
        assert_eq!(names, 2, "cat, yes and nothing left over");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder();
    folder.write("file", "");
    for (directory, reason) in
        [("missing", "No such file or directory"), ("file", "Not a directory")]
    {
        let message = ["cat", "yes"]
            .map(|name| format!("multicall: {directory}/{name}: {reason}\n"))
            .concat();
        install(&folder, &[directory]).run().code(1).stdout("").stderr(message);
    }
    let said = predicate::str::starts_with("multicall: ");
    for line in [&[][..], &["-s"], &["dir", "dir"]] {
        install(&folder, line).run().code(1).stdout("").stderr(said.clone());
    }
    assert_eq!(fs::read_dir(folder.path("dir")).unwrap().count(), 0);
}

#[test]
fn a_program_without_a_file_says_why_it_is_not_found() {
    let folder = folder();
    let program = folder.open("multicall");
    fs::remove_file(folder.path("multicall")).expect("the program's name is gone");
    fs::remove_file(folder.bin("multicall")).expect("nor is it in PATH");
    let descriptor = program.as_raw_fd();
    let mut command = folder.command(format!("/proc/{}/fd/{descriptor}", std::process::id()));
    command
        .arg0("multicall")
        .args(["--install", "dir"])
        .run()
        .code(1)
        .stdout("")
        .stderr("multicall: cannot find this program's own file: No such file or directory\n");
}
