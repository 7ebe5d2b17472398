//! The harness under test: programs that are broken on purpose, one defect each, must be caught,
//! and the same programs without a defect must not.
//!
//! The broken programs are this very file: under the name `cat` or `yes` it is that program, with
//! the defect that its folder is called after. It is built for this test and for nothing else.
#![forbid(unsafe_code)]

mod programs;

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

/// A defect, and the classes of violation of which it must be found guilty.
type Case = (&'static str, &'static [&'static str]);

const CAT: &[Case] = &[
    ("sound", &[]),
    // No defect: who is slow does not hang.
    ("takes-its-time", &[]),
    // Writes to a pipe that does not wait are short without any fault of ours.
    ("drops-short-writes", &["unfit"]),
    ("swallows-read-errors", &["silent"]),
    ("succeeds-after-write-errors", &["silent"]),
    ("retries-for-ever", &["hang"]),
    ("waits-for-ever", &["hang"]),
    ("blames-the-wrong-side", &["side"]),
    ("panics", &["died"]),
    ("shows-interruptions", &["visible"]),
    ("says-nothing", &["untold"]),
    ("speaks-to-programmers", &["words"]),
    ("says-it-twice", &["words"]),
    ("stops-at-a-bad-input", &["bytes"]),
    ("fails-with-two", &["status"]),
];

const YES: &[Case] = &[
    ("sound", &[]),
    ("drops-short-writes", &["unfit"]),
    ("succeeds-after-write-errors", &["silent"]),
    ("retries-for-ever", &["hang"]),
    ("computes-for-ever", &["hang"]),
    // It has no other side: it blames somebody who has no part in this.
    ("blames-the-wrong-side", &["words"]),
    ("panics", &["died"]),
    ("shows-interruptions", &["visible"]),
    ("says-nothing", &["untold"]),
    ("speaks-to-programmers", &["words"]),
];

fn main() -> ExitCode {
    let called = std::env::args().next().unwrap_or_default();
    let name = called.rsplit('/').next().unwrap_or_default();
    if let "cat" | "yes" = name {
        return programs::run(name);
    }
    let cases = |applet: &'static str, cases: &'static [Case]| {
        cases.iter().map(move |(defect, classes)| {
            Trial::test(format!("{applet}::{defect}"), move || caught(applet, defect, classes))
        })
    };
    let injected = ["--no-real", "--limit", "60", "--scenario", "cat several > pipe"];
    let real = ["--real", "standard streams", "--scenario", "cat medium > pipe"];
    let repeated = [
        Trial::test("repeated::injected", move || {
            repeats("blames-the-wrong-side", "side", &injected)
        }),
        Trial::test("repeated::real", move || {
            repeats("succeeds-after-write-errors", "silent", &real)
        }),
    ];
    let trials = cases("cat", CAT).chain(cases("yes", YES)).chain(repeated).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The harness over the program with this defect, which is put in `folder`.
fn harness(folder: &Path, applet: &str, defect: &str) -> std::io::Result<Command> {
    let programs = folder.join(defect);
    std::fs::create_dir(&programs)?;
    symlink(std::env::current_exe()?, programs.join(applet))?;
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut harness = Command::new(env!("CARGO_BIN_EXE_fault-harness"));
    harness.stdin(Stdio::null()).arg("--bin-dir").arg(&programs);
    harness.arg("--scenarios").arg(data.join(format!("{applet}.toml")));
    Ok(harness)
}

/// The line that a report gives for a violation repeats that violation.
fn repeats(defect: &str, class: &str, arguments: &[&str]) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let output = harness(folder.path(), "cat", defect)?.args(arguments).output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{class}: ")));
    let violation = lines.next().ok_or_else(|| format!("no violation of class {class}: {text}"))?;
    let is_command =
        |line: &&str| line.trim_start().starts_with(env!("CARGO_BIN_EXE_fault-harness"));
    let command = lines.find(is_command).ok_or_else(|| format!("no command: {text}"))?;
    let again = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).output()?;
    let shown = String::from_utf8(again.stdout)?;
    // The last part is what was broken; before it stands where, in words of each report's own.
    let (_, what) = violation.rsplit_once("]: ").unwrap_or(("", violation));
    let said = String::from_utf8_lossy(&again.stderr);
    if again.status.code() == Some(1)
        && shown.contains(&format!("{class}: "))
        && shown.contains(what)
    {
        return Ok(());
    }
    Err(format!("{command}\ngives {:?}: {shown}{said}", again.status).into())
}

/// Runs the harness over the program with this defect.
fn caught(applet: &str, defect: &str, classes: &[&str]) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut harness = harness(folder.path(), applet, defect)?;
    harness.args(["--json", "--no-real", "--jobs", "4", "--limit"]);
    if classes.contains(&"hang") || defect == "takes-its-time" {
        // Who waits is waited for: one scenario shows it. A reader that leaves would be the end of
        // such a `yes` without any fault.
        let scenario = if applet == "cat" { "cat medium > pipe" } else { "yes > null" };
        harness.args(["30", "--scenario", scenario]);
    } else {
        harness.arg("450");
    }
    let output = harness.output()?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}; the harness says: {words}"))?;
    let found = violations(&report);
    let status = output.status.code();
    let wanted: BTreeSet<&str> = classes.iter().copied().collect();
    if classes.is_empty() {
        if found.is_empty() && status == Some(0) && judged(&report) > 60 {
            return Ok(());
        }
        return Err(format!("status {status:?}, found {found:?} in {report:#}").into());
    }
    let missing: Vec<_> = wanted.iter().filter(|class| !found.contains(**class)).collect();
    if missing.is_empty() && status == Some(1) {
        return Ok(());
    }
    Err(format!("status {status:?}, not caught as {missing:?} but as {found:?}").into())
}

fn rows(report: &serde_json::Value) -> impl Iterator<Item = &serde_json::Value> {
    report["injected"].as_array().into_iter().flatten()
}

fn judged(report: &serde_json::Value) -> u64 {
    rows(report).filter_map(|row| row["judged"].as_u64()).sum()
}

/// The classes of violation in a report; a scenario that fails without a fault is `unfit`.
fn violations(report: &serde_json::Value) -> BTreeSet<&str> {
    let broken = rows(report).filter_map(|row| row["broken"].as_array()).flatten();
    let mut found: BTreeSet<&str> = broken.filter_map(|it| it["class"].as_str()).collect();
    found.extend(rows(report).filter(|row| row["unfit"].is_string()).map(|_| "unfit"));
    found
}
