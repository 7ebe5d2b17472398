//! What is shipped and how it gets there: the real package tools, the real docker engine, an
//! empty root. One file a subject; this one has what they share.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking and speak on standard error"
)]

mod deb;
mod dist;
mod harness;
mod image;
mod image_copy;
mod image_refused;
mod install;
mod publish;
mod shells;

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The applets that there are, sorted.
const APPLETS: [&str; 2] = ["cat", "yes"];

/// `cargo xtask`, without cargo.
fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).env_remove("DESTDIR");
    command
}

/// The program that is shipped: built once, then copied to where no other task replaces it.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        succeed(&mut xtask(&["dist"]));
        let built = workspace().join("target/dist/multicall");
        let built = env::var_os("CARGO_TARGET_DIR")
            .map_or(built, |target| workspace().join(target).join("dist/multicall"));
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("multicall");
        // Beside it first, under a name of this process: another may do the same just now.
        let beside = copy.with_extension(std::process::id().to_string());
        fs::copy(&built, &beside).unwrap();
        fs::rename(&beside, &copy).unwrap();
        copy
    })
}

/// The root of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Runs a command that must succeed, and returns its standard output.
fn succeed(command: &mut Command) -> Vec<u8> {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", said(&output));
    output.stdout
}

/// Runs a command with `input` on its standard input.
fn feed(command: &mut Command, input: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // The reader may end before it has read all: that is for the caller to see.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// Both streams of a command, to be shown when a test fails.
fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Whether something that a test needs is there. If not, the test says so; in CI it fails.
fn there_is(what: &str, present: bool) -> bool {
    if !present {
        assert!(env::var_os("CI").is_none(), "CI tests everything, but there is no {what} here");
        eprintln!("NOT TESTED: there is no {what} here");
    }
    present
}

/// Whether a program can be run.
fn runs(program: &str, argument: &str) -> bool {
    let quiet = Command::new(program).arg(argument).stdin(Stdio::null()).output();
    quiet.is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    there_is("root user", succeed(Command::new("id").arg("-u")) == b"0\n")
}

/// Bytes of every value that no filter, line editor or encoding leaves alone by chance.
fn all_bytes(len: usize) -> Vec<u8> {
    (0..len).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}
