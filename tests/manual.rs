//! The manual pages say what the program does: the options of the tables, all of them and no
//! others, the words of its messages, and the system calls that are made where only reading and
//! writing is allowed.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod support;

use std::collections::BTreeSet;
use std::os::unix::net::UnixStream;

use applet::Spec;
use predicates::prelude::*;
use support::{Folder, Run, noise, tool};

/// A page, and the options that it has to describe.
struct Page {
    name: &'static str,
    roff: &'static str,
    options: Vec<Spec>,
}

fn pages() -> Vec<Page> {
    let applets = multicall::APPLETS.iter().map(|applet| Page {
        name: applet.name,
        roff: applet.manual,
        options: (applet.options)(),
    });
    let program =
        Page { name: "multicall", roff: multicall::MANUAL, options: multicall::options() };
    applets.chain([program]).collect()
}

/// The lines of a section, from the one after its title to the next title.
fn section<'a>(roff: &'a str, title: &str) -> impl Iterator<Item = &'a str> {
    let title = format!(".SH {title}");
    let lines = roff.lines().skip_while(move |line| **line != title).skip(1);
    lines.take_while(|line| !line.starts_with(".SH "))
}

/// The lines that a section's descriptions hang from, as they are printed.
fn tags(roff: &str, title: &str) -> Vec<String> {
    let lines: Vec<&str> = section(roff, title).collect();
    lines.windows(2).filter(|pair| pair[0] == ".TP").map(|pair| printed(pair[1])).collect()
}

/// A line without its macro, quotes and escapes. Words of a macro that alternates fonts stand
/// together unless a quoted space is between.
fn printed(line: &str) -> String {
    let Some((font, words)) = line.split_once(' ').filter(|_| line.starts_with('.')) else {
        return line.replace('\\', "");
    };
    let between = if font.len() == 3 { "" } else { " " };
    let mut text = String::new();
    for (place, part) in words.split('"').enumerate() {
        let quoted = place % 2 == 1;
        if quoted {
            text.push_str(part);
        } else {
            text.push_str(&part.split_whitespace().collect::<Vec<_>>().join(between));
        }
    }
    text.replace('\\', "")
}

/// An option as a page's tag shows it.
fn spelled(option: &Spec) -> String {
    let short = option.short.map(|letter| format!("-{letter}"));
    let long = option.long.map(|word| format!("--{word}"));
    short.into_iter().chain(long).collect::<Vec<_>>().join(", ")
}

#[test]
fn each_page_describes_every_option_and_no_other() {
    for page in pages() {
        let described: Vec<String> = tags(page.roff, "OPTIONS")
            .into_iter()
            .filter(|tag| tag != "--")
            .map(|tag| tag.trim_end_matches(" DIRECTORY").to_owned())
            .collect();
        let options: Vec<String> = page.options.iter().map(spelled).collect();
        assert_eq!(described, options, "{}", page.name);
    }
}

#[test]
fn each_page_is_complete_and_of_this_program() {
    for page in pages() {
        let name = page.name;
        let title = page.roff.lines().find(|line| line.starts_with(".TH ")).unwrap();
        assert!(title.starts_with(&format!(".TH {} 1 ", name.to_uppercase())), "{title}");
        for needed in
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "SEE ALSO"]
        {
            assert!(section(page.roff, needed).next().is_some(), "{name} has no {needed}");
        }
        let named = section(page.roff, "NAME").next().unwrap();
        assert!(named.starts_with(&format!("{name} \\- ")), "{named}");
    }
}

#[test]
fn each_page_is_clean_under_a_linter() {
    if !tool("mandoc", &["/dev/null"]) {
        return;
    }
    let folder = Folder::new();
    for page in pages() {
        let file = format!("{}.1", page.name);
        folder.write(&file, page.roff);
        let run = folder.command("mandoc").args(["-T", "lint", "-W", "warning", &file]).run();
        run.success().stdout("").stderr("");
    }
    // The linter must be able to fail.
    folder.write("broken.1", ".TH BROKEN 1\n.SH NAME\n.NOSUCHMACRO\n");
    let broken = ["-T", "lint", "-W", "warning", "broken.1"];
    folder.command("mandoc").args(broken).run().failure();
}

/// Each message is provoked, and stands in the page with its variable parts in capitals.
#[test]
fn messages_stand_in_the_pages_as_they_are_printed() {
    let folder = Folder::new();
    folder.write("in", "text\n");
    let said = |page: &str, tag: &str, line: &str, printed: &str| {
        let page = pages().into_iter().find(|it| it.name == page).unwrap();
        let tags = tags(page.roff, "DIAGNOSTICS");
        assert!(tags.contains(&tag.to_owned()), "{tag} is not in {tags:?}");
        let run = folder.sh(line).run();
        run.stderr(predicate::str::contains(printed));
    };
    for (tag, line, printed) in [
        ("cat: FILE: REASON", "cat missing", "cat: missing: No such file or directory\n"),
        ("cat: FILE: input file is output file", "cat in >>in", "cat: in: input file is output"),
        ("cat: write error: REASON", "cat in >/dev/full", "cat: write error: No space left on"),
        ("cat: standard output: REASON", "cat in >&-", "cat: standard output: Bad file"),
        ("cat: closing standard input: REASON", "cat <&-", "cat: closing standard input: Bad"),
        (
            "cat: MULTICALL_IO: no such path: VALUE; accepted: copy",
            "MULTICALL_IO=fast cat in",
            "cat: MULTICALL_IO: no such path: fast; accepted: copy\n",
        ),
    ] {
        said("cat", tag, line, printed);
    }
    for (tag, line, printed) in [
        ("yes: standard output: REASON", "yes >/dev/full", "yes: standard output: No space left"),
        (
            "yes: MULTICALL_IO: no such path: VALUE; accepted: copy, vmsplice",
            "MULTICALL_IO=fast yes",
            "yes: MULTICALL_IO: no such path: fast; accepted: copy, vmsplice\n",
        ),
    ] {
        said("yes", tag, line, printed);
    }
    for (tag, line, printed) in [
        ("NAME: applet not found", "multicall dog", "dog: applet not found\n"),
        (
            "multicall: LINK: not a link to this program, left alone",
            "mkdir d; echo mine >d/cat; multicall --install -s d",
            "multicall: d/cat: not a link to this program, left alone\n",
        ),
        (
            "multicall: --install needs one DIRECTORY",
            "multicall --install",
            "multicall: --install needs one DIRECTORY\n",
        ),
    ] {
        said("multicall", tag, line, printed);
    }
}

/// The pages of a system call that has another name in the kernel than in the C library.
fn page_of(call: &str) -> &str {
    match call {
        "newfstatat" | "fstat64" => "fstat",
        "fadvise64" | "fadvise64_64" | "arm_fadvise64_64" => "posix_fadvise",
        "ppoll" => "poll",
        "_llseek" => "lseek",
        "fcntl64" => "fcntl",
        "mmap2" => "mmap",
        "open" => "openat",
        other => other,
    }
}

/// Calls made where MULTICALL_IO is `copy`, from the applet's first on: `cat` begins by looking at
/// its standard output.
fn calls_of_a_copy(folder: &Folder, arguments: &[&str], sink: &str) -> BTreeSet<String> {
    let _ = std::fs::remove_file(folder.path("log"));
    let mut command = folder.command("strace");
    // A shell opens what the arguments cannot say; it becomes the program.
    let line = format!("exec cat {} {sink}", arguments.join(" "));
    command.args(["-qq", "-o", "log", "/bin/sh", "-c", &line]).env("MULTICALL_IO", "copy");
    let (input, _peer) = UnixStream::pair().unwrap();
    input.shutdown(std::net::Shutdown::Both).unwrap();
    command.stdin(std::os::fd::OwnedFd::from(input)).run();
    let log = String::from_utf8_lossy(&folder.read("log")).into_owned();
    let own = log.lines().skip_while(|line| !line.contains("execve(") || !line.contains("\"cat\""));
    let applets = own.skip_while(|line| !line.contains("stat") || !line.contains("(1,"));
    let calls: BTreeSet<String> = applets
        .filter_map(|line| line.split_once('('))
        .map(|(call, _)| page_of(call.trim_start()).to_owned())
        .collect();
    assert!(calls.contains("read") || calls.contains("openat"), "{line}:\n{log}");
    calls
}

#[test]
fn where_only_copying_is_allowed_no_system_call_is_made_that_the_page_does_not_name() {
    if !tool("strace", &["-qq", "-o", "/dev/null", "true"]) {
        return;
    }
    let cat = pages().into_iter().find(|page| page.name == "cat").unwrap();
    let named: BTreeSet<String> = section(cat.roff, "ENVIRONMENT")
        .skip_while(|line| !line.starts_with("The system calls"))
        .take_while(|line| *line != ".TP")
        .filter_map(|line| printed(line).split_once("(2)").map(|(call, _)| call.to_owned()))
        .collect();
    let folder = Folder::new();
    folder.write("small", noise(100));
    folder.write("large", noise(3_000_000));
    folder.write("endless", vec![b'x'; 300_000]);
    let mut made = BTreeSet::new();
    for (arguments, sink) in [
        // Into a pipe, the one that the output is captured by.
        (&["small", "large", "-"][..], ""),
        (&["small", "large", "-"][..], ">out"),
        (&["-A", "small", "large"][..], ">out"),
        (&["-n", "endless"][..], ">out"),
        (&["large", "missing", "/", "/dev/null"][..], ">/dev/null"),
        (&["small"][..], "<&- >>small"),
        (&["small", "/proc/self/status"][..], "<&- 2>&- >out"),
    ] {
        made.extend(calls_of_a_copy(&folder, arguments, sink));
    }
    let unnamed: Vec<&String> = made.difference(&named).collect();
    assert!(unnamed.is_empty(), "not in cat(1): {unnamed:?}");
    for call in ["openat", "read", "write", "writev", "close", "lseek", "fcntl", "getsockopt"] {
        assert!(made.contains(call), "{call} was to be seen, but there was only {made:?}");
    }
}
