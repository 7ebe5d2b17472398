//! Fast calls that are refused, interrupted, or lie: each fallback by injection into the example
//! `copy`, which says which path it took.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The example of that name, which `cargo test` builds beside this test.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(path.exists(), "{} is missing: run `cargo build --examples`", path.display());
    path
}

/// Copies `from` to `to` ("|" for a pipe that is read) with one fault in it.
fn copy_with(fault: &str, from: &str, to: &str) -> Output {
    let trace = if to == "|" { "-" } else { to };
    Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={fault}")])
        .arg(example("copy"))
        .args([from, trace])
        .stdin(Stdio::null())
        .output()
        .expect("strace is needed: `cargo xtask test --setup` installs it")
}

struct Bench {
    folder: tempfile::TempDir,
    content: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> =
            (0..2_500_001_u32).flat_map(|n| n.to_le_bytes()).take(2_500_001).collect();
        std::fs::write(folder.path().join("in"), &content).unwrap();
        Bench { folder, content }
    }

    fn name(&self, file: &str) -> String {
        self.folder.path().join(file).to_str().unwrap().to_owned()
    }

    /// Runs a copy with a fault; the copy must be complete, and have taken one of these paths.
    fn survives(&self, fault: &str, to: &str, paths: &[&str]) {
        let target = if to == "|" { to.to_owned() } else { self.name(to) };
        let output = copy_with(fault, &self.name("in"), &target);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let arrived = if to == "|" { output.stdout } else { std::fs::read(&target).unwrap() };
        assert!(output.status.success(), "{fault}: {said}");
        assert!(arrived == self.content, "{fault}: {} bytes arrived", arrived.len());
        let expected = paths.iter().any(|path| said.contains(&format!("bytes by {path}")));
        assert!(expected, "{fault}: {said}");
    }
}

#[test]
fn without_a_fault_the_planned_path_is_taken() {
    let bench = Bench::new();
    bench.survives("nanosleep:error=EINTR", "out", &["CopyFileRange"]);
    bench.survives("nanosleep:error=EINTR", "|", &["BodyAndTail"]);
}

#[test]
fn every_refusal_of_copy_file_range_means_the_next_path() {
    let bench = Bench::new();
    for errno in [
        "EXDEV",
        "EINVAL",
        "EPERM",
        "ENOSYS",
        "EOPNOTSUPP",
        "ENOENT",
        "ETXTBSY",
        "EFBIG",
        "EBADF",
        "EACCES",
        "EOVERFLOW",
        "EISDIR",
        "EIO",
    ] {
        // EBADF is what a file says that is open for append, and `splice` has no use for one either.
        let next = if errno == "EBADF" { "Mapped" } else { "Splice" };
        bench.survives(&format!("copy_file_range:error={errno}:when=1"), "out", &[next]);
        bench.survives(&format!("copy_file_range:error={errno}:when=2"), "out", &[next]);
        let both = format!("copy_file_range,splice:error={errno}:when=1+");
        bench.survives(&both, "out", &["Mapped"]);
    }
    bench.survives("copy_file_range:retval=0:when=1", "out", &["Splice"]);
    bench.survives("copy_file_range:error=EINTR:when=1", "out", &["CopyFileRange"]);
}

/// Only the calls on the input fail: the program itself could not start without `mmap`.
#[test]
fn a_file_that_cannot_be_mapped_is_read() {
    let bench = Bench::new();
    let input = bench.name("in");
    for errno in ["ENODEV", "EACCES", "EPERM", "ENOMEM", "EAGAIN", "ENOSYS"] {
        for when in ["1+", "2+"] {
            let mapping = format!("mmap:error={errno}:when={when}");
            let target = bench.name(&format!("out-{errno}-{when}"));
            let output = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-P", &input])
                .args(["-e", "inject=copy_file_range,splice:error=EPERM"])
                .args(["-e", &format!("inject={mapping}")])
                .arg(example("copy"))
                .args([&input, &target])
                .stdin(Stdio::null())
                .output()
                .expect("strace is needed: `cargo xtask test --setup` installs it");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{mapping}: {said}");
            assert!(said.contains("bytes by ReadWrite"), "{mapping}: {said}");
            assert!(std::fs::read(&target).unwrap() == bench.content, "{mapping}");
        }
    }
}

#[test]
fn every_refusal_of_splice_before_progress_means_the_next_path() {
    let bench = Bench::new();
    for errno in ["EINVAL", "ENOSYS", "EPERM", "ENOMEM", "EIO", "EBADF", "ESPIPE"] {
        for call in [1, 2] {
            bench.survives(&format!("splice:error={errno}:when={call}"), "|", &["ReadWrite"]);
        }
        bench.survives(&format!("splice:error={errno}:when=1+"), "|", &["ReadWrite"]);
    }
}

#[test]
fn a_splice_that_answers_0_or_is_interrupted_loses_nothing() {
    let bench = Bench::new();
    for call in 1..=6 {
        let either = ["ReadWrite", "BodyAndTail"];
        bench.survives(&format!("splice:retval=0:when={call}"), "|", &either);
        bench.survives(&format!("splice:error=EINTR:when={call}"), "|", &["BodyAndTail"]);
    }
}

#[test]
fn pipes_that_cannot_be_made_or_grown_are_done_without() {
    let bench = Bench::new();
    for errno in ["EMFILE", "ENFILE"] {
        for call in [1, 2] {
            bench.survives(&format!("pipe2:error={errno}:when={call}"), "|", &["ReadWrite"]);
        }
    }
    for errno in ["EPERM", "EBUSY", "EINVAL"] {
        // The first call is the example's own, to duplicate its standard output.
        for call in 2..=12 {
            let either = ["ReadWrite", "BodyAndTail"];
            bench.survives(&format!("fcntl:error={errno}:when={call}"), "|", &either);
        }
    }
}

#[test]
fn after_progress_a_failure_is_final_and_names_its_side() {
    let bench = Bench::new();
    let input = bench.name("in");
    for (call, side) in [(3, input.as_str()), (4, "-")] {
        let output = copy_with(&format!("splice:error=EIO:when={call}"), &input, "|");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert_eq!(said, format!("copy: {side}: Input/output error (os error 5)\n"));
        assert!(bench.content.starts_with(&output.stdout));
    }
}
