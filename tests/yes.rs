//! `yes`: the line that its arguments make, for ever, on every kind of output.

mod support;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::Signal;
use nix::unistd::{SysconfVar, sysconf};
use predicates::prelude::*;
use support::{Folder, Run, add_flag, died_silently_of, flags, same};

/// Checks that `count` bytes of output are that line again and again, and that `yes` then dies of
/// the reader's end.
#[track_caller]
fn repeats(yes: &mut Command, line: &[u8], count: usize) {
    let mut running = yes.begin();
    let got = running.hear(count);
    running.stop_listening();
    died_silently_of(Signal::SIGPIPE, running.finish());
    same(&got, &repeated(line, count));
}

fn repeated(line: &[u8], count: usize) -> Vec<u8> {
    line.iter().copied().cycle().take(count).collect()
}

#[test]
fn arguments_make_the_line() {
    let folder = Folder::new();
    let table: &[(&[&str], &str)] = &[
        (&[], "y\n"),
        (&["no"], "no\n"),
        (&["a", "b"], "a b\n"),
        (&[""], "\n"),
        (&["", ""], " \n"),
        (&["a", "", "b"], "a  b\n"),
        (&["a\nb"], "a\nb\n"),
        (&["-"], "-\n"),
        (&["a", "-", "b"], "a - b\n"),
        (&["--"], "y\n"),
        (&["--", "-n"], "-n\n"),
        (&["--", "--"], "--\n"),
        (&["--", "--help"], "--help\n"),
        (&["a", "--", "b"], "a b\n"),
        (&["a", "--"], "a\n"),
        (&["--", "a", "--", "b"], "a -- b\n"),
        (&["a", "--", "--", "b"], "a -- b\n"),
    ];
    for (arguments, line) in table {
        repeats(&mut folder.yes(*arguments), line.as_bytes(), 5000);
    }
}

#[test]
fn posixly_correct_makes_what_follows_an_operand_operands() {
    let folder = Folder::new();
    let table: &[(&[&str], &str)] = &[
        (&["a", "--help"], "a --help\n"),
        (&["a", "-z", "--"], "a -z --\n"),
        (&["--", "a", "--"], "a --\n"),
    ];
    for (arguments, line) in table {
        let mut yes = folder.yes(*arguments);
        repeats(yes.env("POSIXLY_CORRECT", "1"), line.as_bytes(), 1000);
    }
}

#[test]
fn arguments_are_bytes() {
    let folder = Folder::new();
    for line in [&b"\xff\xfe"[..], b"\xc3", b"a\xffb", "é".as_bytes(), b"\x01\x7f"] {
        let yes = &mut folder.yes([OsStr::from_bytes(line)]);
        repeats(yes, &[line, b"\n"].concat(), 3000);
    }
}

const HINT: &str = "Try 'yes --help' for more information.\n";

#[test]
fn every_other_option_is_an_error_wherever_it_stands() {
    let folder = Folder::new();
    let table: &[(&[&str], &str)] = &[
        (&["-d"], "invalid option -- 'd'"),
        (&["a", "-d"], "invalid option -- 'd'"),
        (&["-n", "a"], "invalid option -- 'n'"),
        (&["-h"], "invalid option -- 'h'"),
        (&["--zz"], "unrecognized option '--zz'"),
        (&["a", "--zz=b"], "unrecognized option '--zz=b'"),
        (&["---"], "unrecognized option '---'"),
        (&["--help=x"], "option '--help' doesn't allow an argument"),
        (&["--v=x"], "option '--version' doesn't allow an argument"),
        (&["--=x"], "option '--=x' is ambiguous; possibilities: '--help' '--version'"),
        (&["-d", "--help"], "invalid option -- 'd'"),
    ];
    for (arguments, words) in table {
        let message = format!("yes: {words}\n{HINT}");
        folder.yes(*arguments).run().code(1).stdout("").stderr(message);
    }
    let message = [b"yes: invalid option -- '\xff'\n", HINT.as_bytes()].concat();
    folder.yes([OsStr::from_bytes(b"-\xff")]).run().code(1).stdout("").stderr(message);
}

#[test]
fn help_and_version_are_recognised_anywhere_before_two_dashes() {
    let folder = Folder::new();
    for line in [&["--help"][..], &["a", "--h"], &["--help", "-d"], &["a", "--help", "--", "b"]] {
        let help = predicate::str::starts_with("Usage: yes ");
        folder.yes(line).run().success().stdout(help).stderr("");
    }
    for line in [&["--version"][..], &["a", "b", "--vers"], &["--version", "--help"]] {
        let version = predicate::str::starts_with("yes (multicall) ");
        folder.yes(line).run().success().stdout(version).stderr("");
    }
}

/// Lengths up to what any block or slot may hold, and around the sizes that programs like.
#[test]
fn lines_of_every_length() {
    let folder = Folder::new();
    let powers = [128_usize, 4096, 8192, 16384, 32768, 65536, 100_000, 131_070];
    let around = powers.into_iter().flat_map(|size| [size - 2, size - 1, size, size + 1]);
    for length in (1..=40).chain(around.filter(|&length| length < 131_072)) {
        let word: Vec<u8> =
            (b'!'..=b'~').filter(|byte| *byte != b'-').cycle().take(length).collect();
        let line = [&word[..], b"\n"].concat();
        let count = (line.len() * 5 / 2).max(300_000);
        repeats(&mut folder.yes([OsString::from_vec(word)]), &line, count);
    }
}

#[test]
fn arguments_near_the_systems_limit() {
    let folder = Folder::new();
    let limit = sysconf(SysconfVar::ARG_MAX).unwrap().unwrap_or(131_072).clamp(131_072, 6 << 20);
    // Each pointer to an argument counts, and so does the environment.
    let limit = usize::try_from(limit).unwrap() / 8 * 7;
    let many = vec!["ab"; limit / (3 + size_of::<usize>())];
    let line = many.join(" ") + "\n";
    repeats(&mut folder.yes(&many), line.as_bytes(), line.len() * 2 + 12_345);
    let huge = vec!["x".repeat(100_000); limit / 100_010];
    let line = huge.join(" ") + "\n";
    repeats(&mut folder.yes(&huge), line.as_bytes(), line.len() * 2 + 12_345);
}

#[test]
fn every_kind_of_output() {
    let folder = Folder::new();
    for (words, line) in [(&[][..], &b"y\n"[..]), (&["seven c"], b"seven c\n"), (&[""], b"\n")] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let running = folder.yes(words).stdout(OwnedFd::from(theirs)).begin();
        let mut got = vec![0; 1_000_000];
        std::io::Read::read_exact(&mut ours, &mut got).unwrap();
        drop(running);
        same(&got, &repeated(line, got.len()));

        // A file that may grow to one mebibyte.
        for to in [">out", ">>out"] {
            folder.write("out", "");
            let arguments =
                if words == [""] { "''".into() } else { format!("{:?}", words.join("")) };
            let arguments = if words.is_empty() { String::new() } else { arguments };
            let script = format!("ulimit -c 0; ulimit -f 2048; exec yes {arguments} {to}");
            died_silently_of(Signal::SIGXFSZ, folder.sh(script).run());
            same(&folder.read("out"), &repeated(line, 1 << 20));
        }
    }
}

/// A pipe that is read in pieces which are no multiple of anything, with room for one page.
#[test]
fn short_writes_lose_nothing() {
    let folder = Folder::new();
    for (nonblocking, capacity, piece) in
        [(false, 4096, 777), (true, 4096, 777), (false, 65536, 7), (true, 1 << 20, 4099)]
    {
        let (mut reader, writer) = std::io::pipe().unwrap();
        fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
        let writer_too = writer.try_clone().unwrap();
        if nonblocking {
            add_flag(&writer, OFlag::O_NONBLOCK);
        }
        let before = flags(&writer_too);
        let mut running = folder.yes(["abcdefg"]).stdout(writer).begin();
        running.until_asleep();
        assert_eq!(flags(&writer_too), before, "the flags are the parent's");
        drop(writer_too);
        let got = thread::spawn(move || {
            let mut got = Vec::new();
            while got.len() < 600_000 {
                let mut bytes = vec![0; piece];
                let count = std::io::Read::read(&mut reader, &mut bytes).unwrap();
                assert_ne!(count, 0, "yes has ended");
                got.extend_from_slice(&bytes[..count]);
            }
            got
        });
        let got = got.join().unwrap();
        died_silently_of(Signal::SIGPIPE, running.finish());
        same(&got, &repeated(b"abcdefg\n", got.len()));
    }
}

/// Somebody may have made the pipe larger on purpose.
#[test]
fn a_pipe_is_never_made_smaller() {
    let folder = Folder::new();
    for capacity in [65536, 1 << 20] {
        let (reader, writer) = std::io::pipe().unwrap();
        fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
        let mut running = folder.yes(["x"]).stdout(writer).begin();
        running.until_asleep();
        assert!(fcntl(&reader, FcntlArg::F_GETPIPE_SZ).unwrap() >= capacity);
        drop(reader);
        died_silently_of(Signal::SIGPIPE, running.finish());
    }
}

#[test]
fn standard_streams_that_cannot_be_used() {
    let folder = Folder::new();
    let closed = "yes: standard output: Bad file descriptor\n";
    for line in ["yes >&-", "yes a b >&- <&-", "yes '' 1</dev/null", "yes <&- 1<&-"] {
        folder.sh(format!("exec {line}")).run().code(1).stdout("").stderr(closed);
    }
    for line in ["yes >&- 2>&-", "yes <&- >&- 2>&-", "yes >/dev/full 2>/dev/full"] {
        folder.sh(format!("exec {line}")).run().code(1).stdout("").stderr("");
    }
    for line in ["yes <&-", "yes 2>&-", "yes <&- 2>&-"] {
        repeats(&mut folder.sh(format!("exec {line}")), b"y\n", 500_000);
    }
}

#[test]
fn a_failure_is_told_once_and_names_the_reason() {
    let folder = Folder::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let message = "yes: standard output: No space left on device\n";
    for words in [&[][..], &["a"], &["", ""]] {
        let run = folder.yes(words).stdout(full.try_clone().unwrap()).run();
        run.code(1).stderr(message);
    }
}
