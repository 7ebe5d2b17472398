//! Which applet runs under which name.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::process::Command;

use assert_cmd::assert::Assert;
use nix::sys::signal::Signal;
use nix::unistd::{execve, fexecve};
use predicates::prelude::*;
use support::{Folder, Run, died_silently_of, multicall};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", "data\n");
    folder
}

/// The program with that argv[0].
fn called(folder: &Folder, name: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = folder.command(multicall());
    command.arg0(name).args(arguments);
    command
}

/// The message about a name that is no applet: the name, then the applets there are and how to
/// call one.
#[track_caller]
fn not_found(run: Assert, name: &[u8]) {
    let first = [name, b": applet not found\n"].concat();
    let output = run.code(127).stdout("").get_output().clone();
    let shown = output.stderr.escape_ascii();
    assert!(output.stderr.starts_with(&first), "{shown}");
    let rest = String::from_utf8_lossy(&output.stderr[first.len()..]);
    assert_eq!(rest.lines().count(), 1, "{shown}");
    let words: Vec<&str> = rest.split(|letter: char| !letter.is_alphanumeric()).collect();
    for word in ["cat", "yes", "multicall"] {
        assert!(words.contains(&word), "{word} is not in: {shown}");
    }
}

#[test]
fn the_base_name_decides() {
    let folder = folder();
    for name in ["cat", "/bin/cat", "./cat", "../x/y/cat", "-cat", "/bin/-cat", "//cat"] {
        called(&folder, name, &["-", "in"]).fed(b"a\n").success().stdout("a\ndata\n").stderr("");
    }
    for name in ["yes", "-yes", "x/yes"] {
        let mut running = called(&folder, name, &["a", "b"]).begin();
        assert_eq!(running.hear(8), b"a b\na b\n");
        running.stop_listening();
        died_silently_of(Signal::SIGPIPE, running.finish());
    }
}

#[test]
fn messages_begin_with_the_applets_name_whatever_the_path() {
    let folder = folder();
    let message = "cat: missing: No such file or directory\n";
    for name in ["/usr/local/bin/cat", "-cat", "./cat"] {
        called(&folder, name, &["missing"]).run().code(1).stderr(message);
    }
    called(&folder, "multicall", &["cat", "missing"]).run().code(1).stderr(message);
    let message = "yes: invalid option -- 'z'\nTry 'yes --help' for more information.\n";
    called(&folder, "./yes", &["-z"]).run().code(1).stderr(message);
}

#[test]
fn every_name_that_begins_with_multicall_is_the_program_itself() {
    let folder = folder();
    for name in ["multicall", "multicall-x86_64", "multicall.new", "/opt/multicall2/multicall-1.0"]
    {
        called(&folder, name, &["cat", "in"]).run().success().stdout("data\n").stderr("");
        called(&folder, name, &["--list"]).run().success().stdout("cat\nyes\n").stderr("");
    }
    not_found(called(&folder, "/opt/multicall/tac", &["in"]).run(), b"tac");
}

#[test]
fn arguments_after_the_applets_name_are_its_own() {
    let folder = folder();
    let run = |arguments: &[&str]| called(&folder, "multicall", arguments).run();
    run(&["cat", "-E", "in", "--", "in"]).success().stdout("data$\ndata$\n");
    run(&["cat", "--", "in"]).success().stdout("data\n");
    run(&["cat", "cat"]).code(1).stderr("cat: cat: No such file or directory\n");
    let version = predicate::str::starts_with("cat (multicall) ");
    run(&["cat", "--version", "--list"]).success().stdout(version);
    called(&folder, "cat", &["cat"]).run().code(1).stderr("cat: cat: No such file or directory\n");
}

#[test]
fn unknown_names() {
    let folder = folder();
    for arguments in [&[][..], &["in"], &["--version"], &["--help"], &["--list"], &["cat"]] {
        not_found(called(&folder, "./foo", arguments).run(), b"foo");
        not_found(called(&folder, "uu-cat", arguments).run(), b"uu-cat");
        not_found(called(&folder, "CAT", arguments).run(), b"CAT");
        not_found(called(&folder, "cat.exe", arguments).run(), b"cat.exe");
    }
    for arguments in [&["foo"][..], &["foo", "--version"], &["help", "foo"], &["foo", "cat"]] {
        not_found(called(&folder, "multicall", arguments).run(), b"foo");
    }
    not_found(called(&folder, "multicall", &["./cat"]).run(), b"./cat");
}

#[test]
fn odd_names_get_a_message() {
    let folder = folder();
    let odd: &[&[u8]] = &[b"", b"/", b"//", b".", b"..", b"-", b"--", b"cat/", b"\xff\xfe", b"a b"];
    for name in odd {
        for arguments in [&[][..], &["--version"], &["cat"]] {
            let run = called(&folder, OsStr::from_bytes(name), arguments).run();
            let run = run.append_context("argv[0]", name.escape_ascii().to_string());
            let message = predicate::function(|text: &[u8]| {
                let text = String::from_utf8_lossy(text);
                text.contains(": applet not found\n") && !text.contains("panic")
            });
            run.code(127).stdout("").stderr(message);
        }
    }
    for name in [&b"\xff"[..], b"", b"/"] {
        let run = called(&folder, "multicall", &[]).arg(OsStr::from_bytes(name)).run();
        run.code(127).stdout("").stderr(predicate::str::contains(": applet not found\n"));
    }
}

/// Runs this very test again in a child, where it replaces itself by the program: a command has
/// no other way to be without argv[0], or without a file name.
fn again(test: &str, role: &str) -> Assert {
    let folder = Folder::new();
    let mut child = folder.command(std::env::current_exe().expect("the test's own file"));
    child.args(["--exact", test, "--nocapture"]).env("INSTEAD", role);
    child.run()
}

#[test]
fn no_arguments_at_all() {
    if std::env::var_os("INSTEAD").is_some() {
        let program = std::ffi::CString::new(multicall()).unwrap();
        let nothing: [&std::ffi::CStr; 0] = [];
        panic!("{:?}", execve(&program, &nothing, &nothing));
    }
    let run = again("no_arguments_at_all", "nothing");
    run.code(127).stderr(predicate::str::contains("applet not found\n"));
}

#[test]
fn executed_through_a_descriptor() {
    if let Some(role) = std::env::var_os("INSTEAD") {
        let program = fs::File::open(multicall()).unwrap();
        let arguments = [role.to_str().unwrap(), "/proc/version"];
        let arguments = arguments.map(|it| std::ffi::CString::new(it).unwrap());
        let nothing: [&std::ffi::CStr; 0] = [];
        panic!("{:?}", fexecve(program, &arguments, &nothing));
    }
    let version = fs::read_to_string("/proc/version").unwrap();
    again("executed_through_a_descriptor", "cat")
        .success()
        .stdout(predicate::str::ends_with(version));
    again("executed_through_a_descriptor", "tac").code(127).stderr(predicate::str::contains("tac"));
}

#[test]
fn links_copies_and_scripts() {
    let folder = folder();
    fs::create_dir(folder.path("links")).unwrap();
    folder.executable(multicall(), "links/cat");
    fs::hard_link(folder.path("links/cat"), folder.path("links/yes")).unwrap();
    fs::hard_link(folder.path("links/cat"), folder.path("links/multicall")).unwrap();
    symlink("cat", folder.path("links/other")).unwrap();
    fs::rename(folder.path("links/other"), folder.path("links/foo")).unwrap();
    folder.sh("links/cat in").run().success().stdout("data\n");
    folder.sh("links/yes no | head -n 2").run().success().stdout("no\nno\n");
    folder.sh("links/multicall cat in").run().success().stdout("data\n");
    not_found(folder.sh("links/foo in").run(), b"foo");

    // A shebang line has one argument; the script's name follows.
    let script = |line: &str| {
        let text =
            format!("#!{}\ntext\n", line.replace("DIR", folder.path("links").to_str().unwrap()));
        folder.write("text", &text);
        folder.executable("text", "script");
        (folder.sh("./script in").run(), text)
    };
    let (run, text) = script("DIR/cat");
    run.success().stdout(text + "data\n");
    let (run, text) = script("DIR/cat -E");
    run.success().stdout((text + "data\n").replace('\n', "$\n"));
    let (run, text) = script("DIR/multicall cat");
    run.success().stdout(text + "data\n");
}
