//! What happens below the surface, with strace as a witness and as a saboteur.

mod support;

use std::process::Command;

use support::{Folder, Run, noise, same, tool};

fn strace_works() -> bool {
    tool("strace", &["-f", "-qq", "-o", "/dev/null", "-e", "inject=close:delay_enter=1", "true"])
}

/// A shell line under `strace`, its log in the file `log`: with those `-e` expressions, and with
/// `paths`, if any, for only those calls that have to do with them (never those of the loader).
fn strace(folder: &Folder, paths: &[&str], expressions: &[&str], line: &str) -> Command {
    let mut command = folder.command("strace");
    command.args(["-f", "-qq", "-o", "log"]);
    for path in paths {
        command.arg("-P").arg(folder.path(path));
    }
    for expression in expressions {
        command.args(["-e", expression]);
    }
    command.args(["/bin/sh", "-c", line]);
    command
}

/// A fault that never happened would prove nothing.
#[track_caller]
fn faults_were_injected(folder: &Folder) {
    let log = String::from_utf8(folder.read("log")).expect("strace writes ASCII");
    assert!(log.contains("(INJECTED)"), "nothing was injected:\n{log}");
}

/// What a call returned each time. While another process calls, one is logged in two lines.
fn results(log: &str, call: &str) -> Vec<usize> {
    let (whole, resumed) = (format!(" {call}("), format!("<... {call} resumed>"));
    log.lines()
        .filter(|line| line.contains(&whole) || line.contains(&resumed))
        .filter_map(|line| line.rsplit_once(" = ")?.1.trim().parse().ok())
        .collect()
}

#[test]
fn nothing_is_opened_but_the_operands() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    folder.write("in", noise(300_000));
    for line in
        ["cat in", "cat -A in", "cat <in", "cat --help", "multicall --list", "yes >/dev/full"]
    {
        for closed in ["", "<&-", "2>&-", "<&- 2>&-"] {
            let script = format!("{line} {closed}");
            let filter = ["trace=?open,openat,?creat,execve"];
            strace(&folder, &[], &filter, &script).run();
            let log = String::from_utf8(folder.read("log")).unwrap();
            let program = line.split(' ').next().unwrap();
            // The shell may have made a child of it, or become it.
            let start = log.find(&format!("[\"{program}\"")).expect("the program is in the log");
            let own = &log[start..];
            assert!(!own.contains("\"/dev/") && !own.contains("\"/proc"), "{script}:\n{own}");
        }
    }
}

/// Interrupted calls and calls that would block are no news: nobody is told, nothing is lost.
#[test]
fn eintr_and_eagain_are_never_visible() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let bytes = b"some words\n".repeat(200_000);
    let ends = b"some words$\n".repeat(200_000);
    folder.write("in", &bytes);
    let moving = "read,readv,write,writev,splice,tee,vmsplice,sendfile,copy_file_range";
    for error in ["EINTR", "EAGAIN"] {
        for when in ["1", "2", "1+2", "2+3", "1..4"] {
            for (options, want) in [("", &bytes), ("-u", &bytes), ("-E", &ends)] {
                let inject = format!("inject={moving}:error={error}:when={when}");
                let script = format!("exec cat {options} in >>out");
                folder.write("out", "");
                let run = strace(&folder, &["in", "out"], &[&inject], &script).run();
                run.append_context("injection", inject).success().stdout("").stderr("");
                same(&folder.read("out"), want);
                faults_were_injected(&folder);
            }
        }
    }
}

#[test]
fn an_interrupted_open_is_repeated() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    folder.write("in", "data\n");
    for when in ["1", "1..3"] {
        let inject = format!("inject=?open,openat:error=EINTR:when={when}");
        // The shell does not open it; the whole path, so that strace need not resolve one.
        let run = strace(&folder, &["in"], &[&inject], "exec cat $PWD/in missing").run();
        run.code(1).stdout("data\n").stderr("cat: missing: No such file or directory\n");
        faults_were_injected(&folder);
    }
}

/// Whenever a small pipe is full or empty somebody has to be woken, however the bytes get into it.
#[test]
fn pipes_are_enlarged_also_where_only_copying_is_allowed() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let bytes = noise(300_000);
    folder.write("in", &bytes);
    for script in ["cat in | tail -c +1 >out", "tail -c +1 in | cat >out"] {
        let script = format!("export MULTICALL_IO=copy; {script}");
        strace(&folder, &[], &["trace=fcntl,splice,poll,sched_yield"], &script).run().success();
        same(&folder.read("out"), &bytes);
        let log = String::from_utf8(folder.read("log")).unwrap();
        assert!(log.contains("F_SETPIPE_SZ, 1048576"), "{script}: {log}");
        // No call is made for speed that a sandbox may kill for.
        for call in ["splice(", "poll(", "sched_yield("] {
            assert!(!log.contains(call), "{script}: {log}");
        }
    }
}

/// Nobody looks at what goes to /dev/null, so nothing of it is fetched from memory: after a few small
/// files each costs open, splice, read, close, and a row of them is opened, read and closed together.
#[test]
fn small_files_that_are_discarded_are_not_read() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let names: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
    for name in &names {
        folder.write(name, "a line of some length\n");
    }
    folder.write("large", noise(500_000));
    folder.write("empty", "");
    let all = format!("{} large empty missing f0 /dev/null - f1", names.join(" "));
    let calls = ["trace=openat,read,pread64,splice,write,close,mmap,fstat,lseek"];
    let said = "cat: missing: No such file or directory\n";
    for (variable, spliced) in [("", true), ("copy", false)] {
        let script = format!("exec cat {all} </dev/null >/dev/null");
        let mut command = strace(&folder, &[], &calls, &script);
        command.env("MULTICALL_IO", variable).run().code(1).stdout("").stderr(said);
        let log = String::from_utf8(folder.read("log")).unwrap();
        let taken = log.lines().filter(|line| line.contains(" splice(") && line.ends_with("= 22"));
        assert_eq!(taken.count() >= 84, spliced, "{log}");
        // Two files with which a row begins.
        let from = log.find("openat(AT_FDCWD, \"f20\"").unwrap();
        let to = log.find("openat(AT_FDCWD, \"f72\"").unwrap();
        assert_eq!(log[from..to].lines().count() - 1, 4 * (72 - 20), "{log}");
    }
    // Where it is refused nothing else changes. The loader of the shell reads at offsets, too.
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    for (call, error, paths) in [
        ("splice", "EPERM", &[][..]),
        ("splice", "EINVAL", &[]),
        ("splice", "ENOSYS", &[]),
        ("splice", "EIO", &[]),
        ("pread64", "EPERM", &files),
        ("pread64", "ENOSYS", &files),
        ("pread64", "ESPIPE", &files),
        ("pread64", "EAGAIN", &files),
    ] {
        for when in ["1+", "2+", "5", "20"] {
            let inject = format!("inject={call}:error={error}:when={when}");
            let script = format!("exec cat {all} </dev/null >/dev/null");
            let run = strace(&folder, paths, &[&inject], &script).run();
            let run = run.append_context("injection", inject);
            run.code(1).stdout("").stderr(said);
            faults_were_injected(&folder);
        }
    }
}

/// A file keeps what one call writes in pieces as large as the place where it begins allows.
#[test]
fn calls_that_write_to_a_file_end_at_a_boundary() {
    const BOUNDARY: usize = 256 * 1024;
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    let bytes = noise(1_000_003);
    folder.write("in", &bytes);
    for script in [
        "cat in >>out",
        "tail -c +1 in | exec cat >>out",
        "MULTICALL_IO=copy cat in >>out",
        "MULTICALL_IO=copy cat - in </dev/null >>out",
    ] {
        folder.write("out", "begun");
        strace(&folder, &["out"], &["trace=write"], script).run().success();
        same(&folder.read("out")[5..], &bytes);
        let log = String::from_utf8(folder.read("log")).unwrap();
        let mut at = 5;
        let mut ends_well = 0;
        for written in results(&log, "write") {
            at += written;
            ends_well += usize::from(at % BOUNDARY == 0);
        }
        assert_eq!(at, bytes.len() + 5, "{script}: {log}");
        // No boundary is written across.
        assert_eq!(ends_well, at / BOUNDARY, "{script}: {log}");
    }
}

/// Reasons that are hard to come by, each once for opening and once for reading.
#[test]
fn an_input_that_fails_is_named_with_the_reason() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    folder.write("in", noise(300_000));
    folder.write("after", "after\n");
    let input = folder.path("in").to_str().unwrap().to_owned();
    for (error, words) in [
        ("EMFILE", "Too many open files"),
        ("ENFILE", "Too many open files in system"),
        ("EIO", "Input/output error"),
        ("ENOMEM", "Cannot allocate memory"),
        ("ESTALE", "Stale file handle"),
        ("EPERM", "Operation not permitted"),
    ] {
        for (calls, option) in [("?open,openat", "-u"), ("read", "-u"), ("read", "-n")] {
            // Reading by any other call has to be refused for a failing read to show.
            let inject = format!("inject={calls}:error={error}");
            let refuse = "inject=splice,sendfile,copy_file_range,readv:error=EINVAL";
            let line = format!("exec cat {option} $PWD/in after");
            let run = strace(&folder, &["in"], &[&inject, refuse], &line).run();
            let after = if option == "-n" { "     1\tafter\n" } else { "after\n" };
            run.code(1).stdout(after).stderr(format!("cat: {input}: {words}\n"));
        }
    }
}

/// `close` is where disk quotas and network file systems say that bytes were lost.
#[test]
fn a_failing_close_of_standard_output_is_reported() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    folder.write("in", "data\n");
    for (line, name) in [
        ("cat in", "cat"),
        ("cat -n in", "cat"),
        ("cat /dev/null", "cat"),
        ("cat --help", "cat"),
        ("yes --version", "yes"),
        ("multicall --list", "multicall"),
    ] {
        for (error, words) in [("EDQUOT", "Disk quota exceeded"), ("EIO", "Input/output error")] {
            let inject = format!("inject=close:error={error}");
            let script = format!("exec {line} >out");
            // The shell closes its own copy of the descriptor; it does not look at the answer.
            let run = strace(&folder, &["out"], &[&inject], &script).run();
            run.code(1).stderr(format!("{name}: write error: {words}\n"));
        }
        // Linux has closed the descriptor then: no news.
        let script = format!("exec {line} >out");
        let run = strace(&folder, &["out"], &["inject=close:error=EINTR"], &script).run();
        run.success().stderr("");
    }
}

#[test]
fn no_flag_of_an_inherited_descriptor_is_set() {
    if !strace_works() {
        return;
    }
    let folder = Folder::new();
    folder.write("in", noise(300_000));
    for script in ["cat in | cat -n | cat >out", "yes | head -n 100000 | cat >out"] {
        let filter = ["trace=fcntl,ioctl,dup,?dup2,dup3"];
        strace(&folder, &[], &filter, script).run().success();
        let log = String::from_utf8(folder.read("log")).unwrap();
        assert!(!log.contains("F_SETFL") && !log.contains("FIONBIO"), "{log}");
    }
}
