//! Output that cannot be written: full devices, readers that are gone, limits on file size. Every
//! text and every byte of every applet is written with a check.

mod support;

use std::fs::File;

use nix::sys::signal::Signal;
use support::{Folder, Run, broken_pipe, died_silently_of};

/// Command lines that print something, and what their message begins with.
const LINES: &[(&str, &str)] = &[
    ("cat in", "cat: write error"),
    ("cat - <in", "cat: write error"),
    ("cat -u in", "cat: write error"),
    ("cat -b in", "cat: write error"),
    ("cat -n in", "cat: write error"),
    ("cat -s in", "cat: write error"),
    ("cat -v in", "cat: write error"),
    ("cat -E in", "cat: write error"),
    ("cat -T in", "cat: write error"),
    ("cat -e in", "cat: write error"),
    ("cat -t in", "cat: write error"),
    ("cat -A in", "cat: write error"),
    ("cat -A large", "cat: write error"),
    ("cat large", "cat: write error"),
    ("cat /proc/version", "cat: write error"),
    ("cat /dev/zero", "cat: write error"),
    ("cat -A /dev/zero", "cat: write error"),
    ("cat --help", "cat: write error"),
    ("cat --version", "cat: write error"),
    ("yes", "yes: standard output"),
    ("yes a b c", "yes: standard output"),
    ("yes ''", "yes: standard output"),
    ("yes --help", "yes: write error"),
    ("yes --version", "yes: write error"),
    ("multicall --help", "multicall: write error"),
    ("multicall --version", "multicall: write error"),
    ("multicall --list", "multicall: write error"),
    ("multicall help", "multicall: write error"),
    ("multicall help cat", "cat: write error"),
    ("multicall help yes", "yes: write error"),
    ("multicall cat --help", "cat: write error"),
    ("multicall cat in", "cat: write error"),
    ("multicall yes", "yes: standard output"),
];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", "a\tb\n\n");
    folder.write("large", support::noise(3 << 20));
    folder
}

/// `exec`, so that the status is the program's and not one that the shell makes of it.
fn exec(line: &str) -> String {
    format!("exec {line}")
}

#[test]
fn a_full_device() {
    let folder = folder();
    for (line, subject) in LINES {
        let run = folder.sh(exec(line) + " >/dev/full").run();
        run.code(1).stdout("").stderr(format!("{subject}: No space left on device\n"));
    }
}

#[test]
fn a_full_device_behind_a_pipe_as_input() {
    let folder = folder();
    let message = "cat: write error: No space left on device\n";
    for option in ["", "-n", "-A"] {
        let line = format!("cat {option} >/dev/full");
        folder.sh(&line).fed(b"a\n").code(1).stderr(message);
        folder.sh(&line).fed(&support::noise(1 << 20)).code(1).stderr(message);
        folder.sh(&line).fed(b"").success().stderr("");
    }
}

#[test]
fn a_write_error_ends_the_run() {
    let folder = folder();
    for option in ["", "-n"] {
        let line = format!("cat {option} missing in missing in >/dev/full");
        let missing = "cat: missing: No such file or directory\n";
        let message = format!("{missing}cat: write error: No space left on device\n");
        folder.sh(line).run().code(1).stderr(message);
    }
}

#[test]
fn nothing_to_write_is_no_failure() {
    let folder = folder();
    folder.write("empty", "");
    for option in ["", "-A"] {
        folder.sh(format!("cat {option} empty >/dev/full")).run().success().stderr("");
        folder.cat(["empty"]).stdout(broken_pipe()).run().success().stderr("");
    }
}

#[test]
fn a_reader_that_is_gone_ends_the_program_in_silence() {
    let folder = folder();
    for (line, _) in LINES {
        let run = folder.sh(exec(line)).stdout(broken_pipe()).run();
        died_silently_of(Signal::SIGPIPE, run.append_context("line", *line));
    }
}

#[test]
fn a_reader_that_leaves_ends_the_program_in_silence() {
    let folder = folder();
    for line in ["cat /dev/zero", "cat -A /dev/zero", "cat large large", "yes", "yes a b"] {
        let mut running = folder.sh(exec(line)).begin();
        running.hear(100_000);
        running.stop_listening();
        died_silently_of(Signal::SIGPIPE, running.finish());
    }
}

#[test]
fn a_socket_whose_other_end_is_gone_is_a_broken_pipe() {
    let folder = folder();
    for (line, subject) in [("cat in", "cat: write error"), ("yes", "yes: standard output")] {
        let gone = || {
            let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
            drop(ours);
            std::os::fd::OwnedFd::from(theirs)
        };
        died_silently_of(Signal::SIGPIPE, folder.sh(exec(line)).stdout(gone()).run());
        let run = folder.sh(format!("trap '' PIPE; exec {line}")).stdout(gone()).run();
        run.code(1).stderr(format!("{subject}: Broken pipe\n"));
    }
}

#[test]
fn with_sigpipe_ignored_it_is_one_message() {
    let folder = folder();
    for (line, subject) in LINES {
        let script = format!("trap '' PIPE; exec {line}");
        let run = folder.sh(script).stdout(broken_pipe()).run();
        run.code(1).stderr(format!("{subject}: Broken pipe\n"));
    }
}

/// A file that may hold 512 bytes: the disposition of SIGXFSZ is the one that was inherited.
#[test]
fn a_limit_on_file_size() {
    let folder = folder();
    for (line, subject) in [
        ("cat large", "cat: write error"),
        ("cat -A large", "cat: write error"),
        ("cat <large", "cat: write error"),
        ("yes", "yes: standard output"),
    ] {
        let killed = folder.sh(format!("ulimit -c 0; ulimit -f 1; exec {line} >out")).run();
        died_silently_of(Signal::SIGXFSZ, killed);
        assert_eq!(folder.read("out").len(), 512, "{line}");
        let run = folder.sh(format!("trap '' XFSZ; ulimit -f 1; exec {line} >out")).run();
        run.code(1).stderr(format!("{subject}: File too large\n"));
        assert_eq!(folder.read("out").len(), 512, "{line}");
    }
}

#[test]
fn messages_that_cannot_be_written_are_dropped() {
    let folder = folder();
    for to in ["2>/dev/full", "2>&-", "2</dev/null"] {
        let missing = format!("cat in missing in {to}");
        folder.sh(missing).run().code(1).stdout("a\tb\n\na\tb\n\n");
        for (line, status) in [
            ("cat --zz", 1),
            ("yes --zz", 1),
            ("yes >/dev/full", 1),
            ("cat in >/dev/full", 1),
            ("multicall", 1),
            ("multicall --zz", 1),
            ("multicall nothing", 127),
            ("multicall --install", 1),
        ] {
            folder.sh(format!("exec {line} {to}")).run().code(status).stdout("");
        }
    }
}

#[test]
fn a_broken_standard_error_is_death_by_sigpipe() {
    let folder = folder();
    let run = folder.cat(["missing"]).stderr(broken_pipe()).run();
    died_silently_of(Signal::SIGPIPE, run);
    let run = folder.sh("trap '' PIPE; exec cat missing in").stderr(broken_pipe()).run();
    run.code(1).stdout("a\tb\n\n");
}

#[test]
fn a_descriptor_that_is_not_for_writing() {
    let folder = folder();
    for (line, subject) in LINES {
        let read_only = File::open("/dev/null").unwrap();
        let run = folder.sh(exec(line)).stdout(read_only).run();
        run.code(1).stderr(format!("{subject}: Bad file descriptor\n"));
    }
}

/// A closed output is found out before anything is read, but texts are written at once.
#[test]
fn a_closed_standard_output() {
    let folder = folder();
    for (line, subject) in LINES {
        let text = line.contains("help") || line.ends_with("--version");
        let copies = *subject == "cat: write error" && !text;
        let subject = if copies { "cat: standard output" } else { subject };
        let run = folder.sh(exec(line) + " >&-").run();
        run.code(1).stdout("").stderr(format!("{subject}: Bad file descriptor\n"));
    }
}
