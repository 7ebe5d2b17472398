//! The completions that are installed, asked for by the shells themselves.

use std::path::Path;
use std::process::Command;

use crate::{program, runs, succeed, there_is, xtask};

fn installed() -> tempfile::TempDir {
    let prefix = tempfile::tempdir().unwrap();
    let mut task = xtask(&["install", "--program"]);
    succeed(task.arg(program()).arg("--prefix").arg(prefix.path()));
    prefix
}

fn lines(command: &mut Command) -> Vec<String> {
    String::from_utf8(succeed(command)).unwrap().lines().map(str::to_owned).collect()
}

/// What bash offers once `words` are typed, the last one in part.
fn bash(prefix: &Path, words: &[&str]) -> Vec<String> {
    let script = "source \"$1/share/bash-completion/completions/$2\"; shift; COMP_WORDS=(\"$@\"); \
                  COMP_CWORD=$(($# - 1)); \"_multicall_$1\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    lines(Command::new("bash").args(["-uc", script, "bash"]).arg(prefix).args(words))
}

#[test]
fn bash_completes_options_and_applets() {
    if !there_is("bash", runs("bash", "--version")) {
        return;
    }
    let prefix = installed();
    let prefix = prefix.path();
    assert_eq!(bash(prefix, &["cat", "--numb"]), ["--number-nonblank", "--number"]);
    assert_eq!(bash(prefix, &["cat", "file", "--sq"]), ["--squeeze-blank"]);
    assert_eq!(bash(prefix, &["cat", "fi"]), [""], "file names are bash's own affair");
    assert_eq!(bash(prefix, &["cat", "--", "--numb"]), [""], "no options after --");
    assert_eq!(bash(prefix, &["yes", "--"]), ["--help", "--version"]);
    assert_eq!(bash(prefix, &["multicall", ""]), ["cat", "yes", "help"]);
    assert_eq!(bash(prefix, &["multicall", "cat", "--show-t"]), ["--show-tabs"]);
}

/// What fish offers for a command line: a word a line, with its description behind a tab.
fn fish(prefix: &Path, line: &str) -> Vec<String> {
    let mut fish = Command::new("fish");
    // The way that ~/.local is found, without anybody's configuration. fish looks for completions
    // of commands that it finds.
    let path = std::env::var("PATH").unwrap_or_default();
    fish.env("PATH", format!("{}:{path}", prefix.join("bin").display()));
    fish.env("HOME", prefix)
        .env_remove("XDG_CONFIG_HOME")
        .env("XDG_DATA_HOME", prefix.join("share"));
    lines(fish.args(["-c", "complete -C $argv[1]", line]))
}

#[test]
fn fish_completes_options_and_applets() {
    if !there_is("fish", runs("fish", "--version")) {
        return;
    }
    let prefix = installed();
    let prefix = prefix.path();
    let words = |line: &str| -> Vec<String> {
        let offered = fish(prefix, line);
        offered.iter().map(|it| it.split('\t').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(words("cat --numb"), ["--number", "--number-nonblank"]);
    assert_eq!(words("multicall y"), ["yes"]);
    assert_eq!(words("multicall cat --squ"), ["--squeeze-blank"]);
    assert_eq!(words("yes --"), ["--help", "--version"]);
    let described = fish(prefix, "cat --squ");
    assert_eq!(described, ["--squeeze-blank\tkeep one of each run of empty lines"]);
}

#[test]
fn zsh_finds_and_reads_them() {
    if !there_is("zsh", runs("zsh", "--version")) {
        return;
    }
    let prefix = installed();
    let directory = prefix.path().join("share/zsh/site-functions");
    for name in ["_cat", "_yes", "_multicall"] {
        succeed(Command::new("zsh").arg("-n").arg(directory.join(name)));
    }
    let script = "fpath=($1 $fpath); autoload -Uz compinit; compinit -D -u; \
                  print -l $_comps[cat] $_comps[yes] $_comps[multicall]; \
                  _arguments() { print -l -- \"$@\" }; autoload +X _cat; _cat";
    let mut zsh = Command::new("zsh");
    let said = lines(zsh.args(["-fc", script, "zsh"]).arg(&directory));
    assert_eq!(said[..3], ["_cat", "_yes", "_multicall"]);
    let number = "(-n --number)--number[number all lines]";
    assert!(said.iter().any(|line| line == number), "{said:#?}");
    assert_eq!(said.last().unwrap(), "*:file:_files");
}
