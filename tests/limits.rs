//! Few descriptors and little memory are enough.

mod support;

use std::fs::File;

use nix::sys::signal::Signal;
use support::{Folder, Run, died_silently_of, noise, same};

#[test]
fn few_descriptors() {
    let folder = Folder::new();
    let bytes = noise(1 << 20);
    let names = ["a", "b", "c", "d", "e"];
    for name in names {
        folder.write(name, &bytes);
    }
    let five = bytes.repeat(5);
    for limit in [9, 4] {
        for option in ["", "-u", "-v"] {
            for to in ["", "exec >out;"] {
                let line = format!("{to} ulimit -n {limit}; exec cat {option} a b c d e");
                let run = folder.sh(line).run().success().stderr("");
                let got = if to.is_empty() {
                    run.get_output().stdout.clone()
                } else {
                    folder.read("out")
                };
                if option == "-v" {
                    assert!(got.len() > five.len());
                } else {
                    same(&got, &five);
                }
            }
        }
        let mut running = folder.sh(format!("ulimit -n {limit}; exec yes")).begin();
        same(&running.hear(1 << 20), &b"y\n".repeat(1 << 19));
        running.stop_listening();
        died_silently_of(Signal::SIGPIPE, running.finish());
    }
}

/// The least address space, in KiB, with which `--version` works, rounded up to 64.
fn least_for_version(folder: &Folder, applet: &str) -> u64 {
    let works = |step: u64| {
        let line = format!("ulimit -c 0; ulimit -v {}; exec {applet} --version", step * 64);
        folder.sh(line).run().try_success().is_ok()
    };
    let (mut fails, mut enough) = (0, 1 << 14);
    assert!(works(enough), "{applet} --version needs more than a gibibyte");
    while enough - fails > 1 {
        let middle = (fails + enough) / 2;
        if works(middle) { enough = middle } else { fails = middle }
    }
    enough * 64
}

#[test]
fn twelve_mebibytes_more_than_the_version_needs() {
    let folder = Folder::new();
    // Zeros: a single line of 64 MiB, which nobody can hold.
    File::create(folder.path("large")).unwrap().set_len(64 << 20).unwrap();
    folder.write("lines", "a line\n".repeat(1 << 20));
    let limit = least_for_version(&folder, "cat") + (12 << 10);
    for (line, count) in [
        ("cat large", 64 << 20),
        ("cat <large", 64 << 20),
        ("cat -u large lines", (64 << 20) + (7 << 20)),
        ("cat -n large", (64 << 20) + 7),
        ("cat -A large", 128 << 20),
        ("cat -E lines", 8 << 20),
        ("cat -s lines", 7 << 20),
        ("cat /dev/zero | head -c 50000000", 50_000_000),
        ("cat large | cat -", 64 << 20),
    ] {
        let script = format!("(ulimit -v {limit}; {line}) | wc -c");
        folder.sh(script).run().success().stdout(format!("{count}\n")).stderr("");
    }
    let script = format!("(ulimit -v {limit}; cat large >out) && cmp large out");
    folder.sh(script).run().success().stdout("").stderr("");
}

#[test]
fn twelve_mebibytes_are_enough_for_yes() {
    let folder = Folder::new();
    let limit = least_for_version(&folder, "yes") + (12 << 10);
    let long = "x".repeat(100_000);
    for words in [&[][..], &["a b c"], &[&long], &[long.as_str(); 18]] {
        says_yes_within(limit, &folder, words);
    }
}

/// The longest list of arguments that a stack of 8 MiB, the usual limit, lets through.
#[test]
fn many_short_arguments_cost_yes_no_memory_each() {
    let folder = Folder::new();
    let limit = least_for_version(&folder, "yes") + (12 << 10);
    says_yes_within(limit, &folder, &["xx"; 180_000]);
}

#[track_caller]
fn says_yes_within(limit: u64, folder: &Folder, words: &[&str]) {
    let line = if words.is_empty() { "y\n".to_owned() } else { words.join(" ") + "\n" };
    let mut command = folder.sh(format!("ulimit -v {limit}; exec \"$0\" \"$@\""));
    command.arg(folder.bin("yes")).args(words);
    let mut running = command.begin();
    let got = running.hear(3_000_000);
    running.stop_listening();
    died_silently_of(Signal::SIGPIPE, running.finish());
    same(&got, &line.repeat(3_000_000 / line.len() + 1).as_bytes()[..got.len()]);
}
