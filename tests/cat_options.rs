//! `cat`'s command line: what is accepted, and the four usage errors to the byte.

mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use predicates::prelude::*;
use support::{Folder, Run};

/// Says something different for each option: a tab, an empty line or two, bytes that do not print.
const INPUT: &[u8] = b"a\tb\n\n\n\x01\x80\n";

/// Each option alone, in every way to write it, and what it makes of `INPUT`.
const TABLE: &[(&[&str], &[u8])] = &[
    (&[], INPUT),
    (&["-u"], INPUT),
    (&["-n", "--number"], b"     1\ta\tb\n     2\t\n     3\t\n     4\t\x01\x80\n"),
    (&["-b", "--number-nonblank", "--number-n"], b"     1\ta\tb\n\n\n     2\t\x01\x80\n"),
    (&["-s", "--squeeze-blank", "--sq"], b"a\tb\n\n\x01\x80\n"),
    (&["-v", "--show-nonprinting", "--show-n"], b"a\tb\n\n\n^AM-^@\n"),
    (&["-E", "--show-ends", "--show-e"], b"a\tb$\n$\n$\n\x01\x80$\n"),
    (&["-T", "--show-tabs", "--show-t"], b"a^Ib\n\n\n\x01\x80\n"),
    (&["-e", "-vE", "-Ev"], b"a\tb$\n$\n$\n^AM-^@$\n"),
    (&["-t", "-vT", "-Tv"], b"a^Ib\n\n\n^AM-^@\n"),
    (&["-A", "--show-all", "--show-a", "-vET", "-et"], b"a^Ib$\n$\n$\n^AM-^@$\n"),
];

#[test]
fn every_option_in_every_spelling() {
    let folder = Folder::new();
    folder.write("in", INPUT);
    folder.cat(["in"]).run().success().stdout(INPUT).stderr("");
    for (spellings, output) in TABLE {
        for option in *spellings {
            folder.cat([option, "in"]).run().success().stdout(*output).stderr("");
        }
    }
}

#[test]
fn options_may_be_repeated_clustered_and_follow_operands() {
    let folder = Folder::new();
    folder.write("in", "a\n\nb\n");
    let numbered = "     1\ta$\n     2\t$\n     3\tb$\n";
    let lines: &[&[&str]] = &[
        &["-nE", "in"],
        &["-n", "-E", "in"],
        &["in", "-n", "-E"],
        &["-n", "in", "--show-ends"],
        &["-nEnE", "-E", "--number", "in"],
        &["-unE", "in", "-u"],
        &["--number", "in", "--show-e", "--number"],
    ];
    for line in lines {
        folder.cat(*line).run().success().stdout(numbered).stderr("");
    }
    let nonblank = "     1\ta\n\n     2\tb\n";
    for line in [["-b", "-n"], ["-n", "-b"], ["-bn", "-n"], ["-nb", "-b"]] {
        folder.cat(line).arg("in").run().success().stdout(nonblank).stderr("");
    }
}

#[test]
fn two_dashes_end_the_options() {
    let folder = Folder::new();
    folder.write("-n", "name of an option\n");
    folder.write("--", "two dashes\n");
    folder.cat(["--", "-n"]).run().success().stdout("name of an option\n");
    folder.cat(["-E", "--", "--"]).run().success().stdout("two dashes$\n");
    folder.cat(["--", "-n", "--"]).run().success().stdout("name of an option\ntwo dashes\n");
    folder.cat(["-E", "--"]).fed(b"x\n").success().stdout("x$\n");
    folder
        .cat(["--", "--help"])
        .run()
        .code(1)
        .stdout("")
        .stderr("cat: --help: No such file or directory\n");
}

#[test]
fn posixly_correct_lets_the_first_operand_end_the_options() {
    let folder = Folder::new();
    folder.write("in", "a\n");
    let missing = "cat: -n: No such file or directory\n";
    for value in ["", "1"] {
        let posix = |line: &[&str]| {
            let mut cat = folder.cat(line);
            cat.env("POSIXLY_CORRECT", value);
            cat
        };
        posix(&["in", "-n"]).run().code(1).stdout("a\n").stderr(missing);
        posix(&["-E", "in", "-n"]).run().code(1).stdout("a$\n").stderr(missing);
        posix(&["-n", "in"]).run().success().stdout("     1\ta\n");
        posix(&["-", "-n"]).fed(b"b\n").code(1).stdout("b\n").stderr(missing);
        posix(&["--", "in"]).run().success().stdout("a\n");
    }
}

#[test]
fn a_dash_is_an_operand() {
    let folder = Folder::new();
    folder.write("in", "file\n");
    folder.cat(["-"]).fed(b"pipe\n").success().stdout("pipe\n");
    folder.cat(["in", "-", "in"]).fed(b"pipe\n").success().stdout("file\npipe\nfile\n");
    folder.cat(["-", "-E", "-"]).fed(b"pipe\n").success().stdout("pipe$\n");
}

const HINT: &str = "Try 'cat --help' for more information.\n";

#[test]
fn usage_errors_to_the_byte() {
    let ambiguous_show = "possibilities: '--show-nonprinting' '--show-ends' '--show-tabs' \
                          '--show-all'";
    let ambiguous_s = format!(
        "option '--s' is ambiguous; {}",
        ambiguous_show.replace(": ", ": '--squeeze-blank' ")
    );
    let table: &[(&[&str], &str)] = &[
        (&["-z"], "invalid option -- 'z'"),
        (&["-nzE"], "invalid option -- 'z'"),
        (&["-n="], "invalid option -- '='"),
        (&["-n-"], "invalid option -- '-'"),
        (&["--zz"], "unrecognized option '--zz'"),
        (&["--zz=value"], "unrecognized option '--zz=value'"),
        (&["---"], "unrecognized option '---'"),
        (&["--number-nonblanks"], "unrecognized option '--number-nonblanks'"),
        (&["--t"], "unrecognized option '--t'"),
        (&["--Number"], "unrecognized option '--Number'"),
        (&["--help=x"], "option '--help' doesn't allow an argument"),
        (&["--he=x"], "option '--help' doesn't allow an argument"),
        (&["--version="], "option '--version' doesn't allow an argument"),
        (&["--number=3"], "option '--number' doesn't allow an argument"),
        (&["--show-a=x"], "option '--show-all' doesn't allow an argument"),
        (
            &["--numb"],
            "option '--numb' is ambiguous; possibilities: '--number-nonblank' '--number'",
        ),
        (&["--n=3"], "option '--n=3' is ambiguous; possibilities: '--number-nonblank' '--number'"),
        (&["--show"], &format!("option '--show' is ambiguous; {ambiguous_show}")),
        (&["--s"], &ambiguous_s),
        (
            &["--=x"],
            "option '--=x' is ambiguous; possibilities: '--number-nonblank' '--number' \
             '--squeeze-blank' '--show-nonprinting' '--show-ends' '--show-tabs' '--show-all' \
             '--help' '--version'",
        ),
    ];
    let folder = Folder::new();
    folder.write("in", "never read\n");
    for (line, words) in table {
        let message = format!("cat: {words}\n{HINT}");
        folder.cat(*line).arg("in").run().code(1).stdout("").stderr(message.clone());
        folder.cat(["in"]).args(*line).run().code(1).stdout("").stderr(message);
    }
}

#[test]
fn usage_errors_repeat_raw_bytes() {
    let folder = Folder::new();
    let table: &[(&[u8], &[u8])] = &[
        (b"-\xff", b"invalid option -- '\xff'"),
        (b"-n\xff", b"invalid option -- '\xff'"),
        ("-é".as_bytes(), b"invalid option -- '\xc3'"),
        ("-vé".as_bytes(), b"invalid option -- '\xc3'"),
        (b"-\n", b"invalid option -- '\n'"),
        (b"- ", b"invalid option -- ' '"),
        (b"--\xff\xfe", b"unrecognized option '--\xff\xfe'"),
        (b"--zz=\xff", b"unrecognized option '--zz=\xff'"),
        (
            b"--num=\xff b",
            b"option '--num=\xff b' is ambiguous; possibilities: \
                           '--number-nonblank' '--number'",
        ),
        (b"--help=\xff", b"option '--help' doesn't allow an argument"),
    ];
    for (argument, words) in table {
        let message = [b"cat: ", *words, b"\n", HINT.as_bytes()].concat();
        folder.cat([OsStr::from_bytes(argument)]).run().code(1).stdout("").stderr(message);
    }
}

#[test]
fn the_first_of_a_wrong_option_help_and_version_decides() {
    let folder = Folder::new();
    folder.write("in", "never read\n");
    let help = || predicate::str::starts_with("Usage: cat ");
    let version = || predicate::str::starts_with("cat (multicall) ");
    folder.cat(["--help", "-z", "--version"]).run().success().stdout(help()).stderr("");
    folder.cat(["in", "missing", "--help"]).run().success().stdout(help()).stderr("");
    folder.cat(["--version", "--help", "--zz"]).run().success().stdout(version()).stderr("");
    folder.cat(["-nE", "--vers", "in"]).run().success().stdout(version()).stderr("");
    let wrong = format!("cat: invalid option -- 'z'\n{HINT}");
    folder.cat(["-z", "--help"]).run().code(1).stdout("").stderr(wrong.clone());
    folder.cat(["in", "-nz", "--version"]).run().code(1).stdout("").stderr(wrong);
}

#[test]
fn help_has_a_line_for_every_option() {
    let folder = Folder::new();
    let help = folder.cat(["--help"]).run().success().stderr("");
    let help = String::from_utf8(help.get_output().stdout.clone()).unwrap();
    assert!(help.starts_with("Usage: cat [OPTION]... [FILE]...\n"), "{help}");
    assert!(!help.contains('\x1b') && !help.contains('\t'), "{help}");
    let described = |names: &str| {
        help.lines().any(|line| {
            let found = line.trim_start().strip_prefix(names);
            line.starts_with(' ') && found.is_some_and(|rest| rest.starts_with("  "))
        })
    };
    for names in [
        "-A, --show-all",
        "-b, --number-nonblank",
        "-e",
        "-E, --show-ends",
        "-n, --number",
        "-s, --squeeze-blank",
        "-t",
        "-T, --show-tabs",
        "-u",
        "-v, --show-nonprinting",
        "--help",
        "--version",
    ] {
        assert!(described(names), "no line for {names} in\n{help}");
    }
    folder.cat(["--h"]).run().success().stdout(help);
}
