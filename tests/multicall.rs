//! What the program says under its own name.

mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use predicates::prelude::*;
use support::{Folder, Run};

fn multicall(folder: &Folder, arguments: &[&str]) -> Command {
    folder.applet("multicall", arguments)
}

#[test]
fn alone_it_prints_its_usage_as_an_error() {
    let folder = Folder::new();
    let run = multicall(&folder, &[]).run();
    run.code(1).stdout("").stderr(predicate::str::starts_with("Usage: multicall "));
}

#[test]
fn help_version_and_list() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| multicall(&folder, arguments).run();
    let help = run(&["--help"]).success().stderr("").get_output().stdout.clone();
    let text = String::from_utf8(help.clone()).unwrap();
    assert!(text.starts_with("Usage: multicall "), "{text}");
    for option in ["--install", "--list", "--help", "--version"] {
        assert!(text.contains(option), "{option} is not in {text}");
    }
    run(&["help"]).success().stdout(help.clone()).stderr("");
    run(&["--he"]).success().stdout(help);
    run(&["--list"]).success().stdout("cat\nyes\n").stderr("");
    run(&["--li"]).success().stdout("cat\nyes\n");
    let first = format!("multicall (multicall) {}\n", env!("CARGO_PKG_VERSION"));
    run(&["--version"]).success().stdout(predicate::str::starts_with(first)).stderr("");
    for name in ["cat", "yes"] {
        let first = format!("{name} (multicall) {}\n", env!("CARGO_PKG_VERSION"));
        let version = predicate::str::starts_with(first);
        run(&[name, "--version"]).success().stdout(version).stderr("");
        let help = run(&["help", name]).success().stderr("").get_output().stdout.clone();
        run(&[name, "--help"]).success().stdout(help.clone());
        folder.applet(name, ["--help"]).run().success().stdout(help.clone());
        assert!(help.starts_with(format!("Usage: {name} ").as_bytes()));
        assert!(!help.contains(&b'\x1b'));
    }
}

#[test]
fn its_own_usage_errors() {
    let folder = Folder::new();
    let hint = "Try 'multicall --help' for more information.\n";
    for (argument, words) in [
        ("--zz", "unrecognized option '--zz'"),
        ("-z", "invalid option -- 'z'"),
        ("--list=x", "option '--list' doesn't allow an argument"),
    ] {
        let run = multicall(&folder, &[argument]).run();
        run.code(1).stdout("").stderr(format!("multicall: {words}\n{hint}"));
    }
    let mut raw = multicall(&folder, &[]);
    raw.arg(OsStr::from_bytes(b"--\xff"));
    let message = [b"multicall: unrecognized option '--\xff'\n", hint.as_bytes()].concat();
    raw.run().code(1).stdout("").stderr(message);
}

#[test]
fn no_environment_at_all() {
    let folder = Folder::new();
    folder.write("in", "data\n");
    for (line, output) in [(&["cat", "in"][..], "data\n"), (&["--list"], "cat\nyes\n")] {
        let mut command = multicall(&folder, line);
        command.env_clear().run().success().stdout(output).stderr("");
    }
    let mut yes = folder.yes([""; 0]);
    let mut running = yes.env_clear().begin();
    assert_eq!(running.hear(4), b"y\ny\n");
    let mut missing = folder.cat(["é"]);
    let message = "cat: ''$'\\303\\251': No such file or directory\n";
    missing.env_clear().run().code(1).stderr(message);
}
