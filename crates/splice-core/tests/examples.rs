//! The examples, run as a user would.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

/// The example of that name, which `cargo test` builds beside this test.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let path: PathBuf = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(path.exists(), "{} is missing: run `cargo build --examples`", path.display());
    Command::new(path)
}

#[test]
fn copy_and_progress_copy_a_file() {
    for name in ["copy", "progress"] {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let content = b"line\n".repeat(300_000);
        std::fs::write(&from, &content).unwrap();
        let output = example(name).args([&from, &to]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {said}");
        assert!(said.ends_with("1500000 bytes by CopyFileRange\n"), "{name}: {said}");
        assert!(std::fs::read(&to).unwrap() == content);
    }
}

#[test]
fn proxy_carries_both_directions() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut proxy =
        example("proxy").args(["127.0.0.1:0", &address]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(proxy.stdout.take().unwrap());
    let mut listening = String::new();
    said.read_line(&mut listening).unwrap();

    let request = b"request ".repeat(100_000);
    let answer = b"answer ".repeat(200_000);
    let (expected, reply) = (request.clone(), answer.clone());
    let serving = thread::spawn(move || {
        let (mut connection, _) = server.accept().unwrap();
        let mut got = Vec::new();
        connection.read_to_end(&mut got).unwrap();
        assert!(got == expected);
        connection.write_all(&reply).unwrap();
    });
    let mut client = TcpStream::connect(listening.trim()).unwrap();
    client.write_all(&request).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut got = Vec::new();
    client.read_to_end(&mut got).unwrap();
    assert!(got == answer);
    serving.join().unwrap();
    let mut summary = String::new();
    said.read_to_string(&mut summary).unwrap();
    assert_eq!(summary, "800000 bytes up, 1400000 bytes down\n");
    assert!(proxy.wait().unwrap().success());
}
