//! Which of its data paths `yes` takes, as strace sees it, and that every refusal on the way to
//! one leads to the next in silence, with no line broken.

mod support;

use std::fs::File;
use std::process::Command;

use nix::sys::signal::Signal;
use support::{Folder, Run, died_silently_of, same, tool};

/// All calls that move bytes, make what they are moved through, or look whether there is room.
const CALLS: &str = "trace=socketpair,pipe2,splice,tee,vmsplice,write,writev,sendfile,poll";

fn strace_works() -> bool {
    tool("strace", &["-f", "-qq", "-o", "/dev/null", "-e", "inject=close:delay_enter=1", "true"])
}

/// `yes` with those words under strace, the log in the file `log`.
fn yes(folder: &Folder, option: &str, words: &[&str]) -> Command {
    let mut command = folder.command("strace");
    command.args(["-f", "-qq", "-o", "log", "-e", option]).arg(folder.bin("yes")).args(words);
    command
}

/// Checks the first `count` bytes and the silent end, and returns strace's log.
#[track_caller]
fn repeats(folder: &Folder, command: &mut Command, line: &str, count: usize) -> String {
    let mut running = command.begin();
    let got = running.hear(count);
    running.stop_listening();
    died_silently_of(Signal::SIGPIPE, running.finish());
    let want: Vec<u8> = line.bytes().cycle().take(count).collect();
    same(&got, &want);
    String::from_utf8_lossy(&folder.read("log")).into_owned()
}

/// Whether a call of that name was made and succeeded.
fn called(log: &str, name: &str) -> bool {
    log.lines().any(|line| {
        let call = line.split_once(' ').map_or("", |(_, call)| call.trim_start());
        call.starts_with(&format!("{name}(")) && !line.contains(" = -1 ")
    })
}

#[test]
fn each_path_makes_its_own_calls() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let table: &[(&str, &[&str], &[&str])] = &[
        // Room is waited for awake where no byte is copied: to be woken would take longer.
        ("", &["socketpair", "splice", "tee", "poll"], &["vmsplice", "sendfile"]),
        ("vmsplice", &["vmsplice", "poll"], &["socketpair", "splice", "tee", "sendfile"]),
        ("copy", &[], &["socketpair", "pipe2", "splice", "tee", "vmsplice", "sendfile", "poll"]),
    ];
    for (value, made, never) in table {
        let mut command = yes(&folder, CALLS, &["word"]);
        let log = repeats(&folder, command.env("MULTICALL_IO", value), "word\n", 5_000_000);
        for name in *made {
            assert!(called(&log, name), "MULTICALL_IO={value}: no {name}");
        }
        for name in *never {
            assert!(!log.contains(&format!(" {name}(")), "MULTICALL_IO={value}: {name}");
        }
        assert!(!log.contains("GIFT"), "a gift may be taken to pieces while it is still in use");
        let writes = log.lines().filter(|line| line.contains(" write(1")).count();
        assert_eq!(writes > 1, *value == "copy", "MULTICALL_IO={value}: {writes} writes");
    }
}

/// A page that is begun in one call and ended in the next is looked up twice, and what is copied to
/// an odd place of a page takes longer.
#[test]
fn writes_to_a_file_begin_at_a_page() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let script =
        "ulimit -c 0; ulimit -f 20000; exec strace -qq -o log -e trace=write \"$1\" 0123456 >out";
    let run = folder.sh(script).arg("sh").arg(folder.bin("yes")).run();
    died_silently_of(Signal::SIGXFSZ, run);
    let log = String::from_utf8(folder.read("log")).unwrap();
    let taken: Vec<usize> =
        log.lines().filter_map(|line| line.rsplit_once(" = ")?.1.parse().ok()).collect();
    let ends = taken.iter().scan(0, |end, taken| {
        *end += taken;
        Some(*end)
    });
    let ends: Vec<usize> = ends.take(10).collect();
    assert_eq!(ends[0], 8, "the first line by itself");
    let want: Vec<usize> = (1..10).map(|call| call << 19).collect();
    assert_eq!(ends[1..], want);
}

/// A reader whose buffer begins at a page gets the bytes there two places further on otherwise,
/// which some processors copy ten times as slowly.
#[test]
fn shared_pages_begin_where_a_page_of_the_stream_does() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let shares = |line: &str| {
        line.starts_with("vmsplice(1,") || line.starts_with("tee(") && line.contains(", 1, ")
    };
    for value in ["", "vmsplice"] {
        let script =
            "strace -qq -o log -e trace=write,tee,vmsplice \"$1\" abc | head -c 300000 >out";
        folder.sh(script).arg("sh").arg(folder.bin("yes")).env("MULTICALL_IO", value).run().code(0);
        let log = String::from_utf8(folder.read("log")).unwrap();
        let before = log.lines().position(shares);
        let writes = log.lines().take(before.expect("pages are shared"));
        let to_output = writes.filter(|line| line.starts_with("write(1,"));
        let taken: Vec<usize> =
            to_output.filter_map(|line| line.rsplit_once(" = ")?.1.parse().ok()).collect();
        assert_eq!(taken[0], 4, "the first line by itself");
        let page = splice_core::page_size();
        assert_eq!(taken.iter().sum::<usize>(), page, "{value}: {log}");
    }
}

#[test]
fn a_bad_output_costs_no_set_up() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    for value in ["", "vmsplice", "copy"] {
        let mut command = yes(&folder, CALLS, &[]);
        command.env("MULTICALL_IO", value).stdout(File::create("/dev/full").unwrap());
        let message = "yes: standard output: No space left on device\n";
        command.run().code(1).stderr(message);
        let log = String::from_utf8(folder.read("log")).unwrap();
        let calls = log.lines().filter(|line| !line.contains(" write(2")).count();
        assert_eq!(calls, 1, "one write that fails:\n{log}");
    }
}

/// Every call of the set-up, and the first ones that move bytes, refused in turn.
#[test]
fn every_refusal_leads_to_the_next_path() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let long = "0123456789".repeat(3999);
    let table: &[(&str, &[&str])] = &[
        ("socketpair", &["EMFILE", "EAFNOSUPPORT"]),
        ("setsockopt", &["EPERM"]),
        ("pipe2", &["EMFILE", "ENFILE"]),
        ("fcntl", &["EPERM", "EBUSY"]),
        ("splice", &["ENOSYS", "EAGAIN", "EINTR"]),
        ("tee", &["EPERM", "EINVAL", "EIO", "EINTR"]),
        ("vmsplice", &["EOPNOTSUPP", "EINTR"]),
    ];
    for (call, errors) in table {
        // Paths that fall to one another: without the first, the second has to stand up.
        let value = if *call == "vmsplice" { "vmsplice" } else { "" };
        for error in *errors {
            for (line, when) in
                ["short", &long].into_iter().flat_map(|it| [1, 2, 4].map(|n| (it, n)))
            {
                for lasting in ["", "+"] {
                    let inject = format!("inject={call}:error={error}:when={when}{lasting}");
                    if lasting == "+" && *error == "EINTR" {
                        continue;
                    }
                    let mut command = yes(&folder, &inject, &[line]);
                    command.env("MULTICALL_IO", value);
                    let log = repeats(&folder, &mut command, &format!("{line}\n"), 700_001);
                    assert!(when > 1 || log.contains("(INJECTED)"), "{inject}: not injected");
                }
            }
        }
    }
}

/// What sandboxes do: none of the fast calls is there.
#[test]
fn a_sandbox_without_any_of_the_calls() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    for error in ["ENOSYS", "EPERM", "EINVAL"] {
        for value in ["", "vmsplice", "copy"] {
            let inject = format!("inject=splice,tee,vmsplice,socketpair,fcntl,fstat:error={error}");
            let mut command = yes(&folder, &inject, &["ab"]);
            repeats(&folder, command.env("MULTICALL_IO", value), "ab\n", 1_000_000);
        }
    }
}

#[test]
fn a_size_limit_is_reported_once_and_reached_exactly() {
    let folder = Folder::new();
    for value in ["", "vmsplice", "copy"] {
        let script = "trap '' XFSZ; ulimit -f 3001; exec yes 0123456789 >out";
        let message = "yes: standard output: File too large\n";
        folder.sh(script).env("MULTICALL_IO", value).run().code(1).stderr(message);
        let got = folder.read("out");
        same(&got, &b"0123456789\n".repeat(200_000)[..got.len()]);
        // POSIX counts in half kilobytes; some shells in whole ones.
        assert!([3001 * 512, 3001 * 1024].contains(&got.len()), "{}", got.len());
    }
}

#[test]
fn an_unknown_path_is_an_error_before_any_output() {
    let folder = Folder::new();
    for value in ["Copy", "splice", "copy "] {
        let shown = if value.contains(' ') { format!("'{value}'") } else { value.to_owned() };
        let message =
            format!("yes: MULTICALL_IO: no such path: {shown}; accepted: copy, vmsplice\n");
        folder.yes(["a"]).env("MULTICALL_IO", value).run().code(1).stdout("").stderr(message);
    }
}
