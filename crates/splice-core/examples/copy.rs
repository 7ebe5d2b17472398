//! Copies one file to another by the cheapest path and says which one that was:
//! `cargo run --example copy -- FROM TO`, with `-` for standard input or output.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to whoever runs it")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

use splice_core::{Copier, Side};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &arguments[..] else {
        eprintln!("usage: copy FROM TO");
        return ExitCode::FAILURE;
    };
    match copy(from, to) {
        Ok(summary) => {
            eprintln!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("copy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn copy(from: &str, to: &str) -> io::Result<String> {
    let input = if from == "-" { io::stdin().as_fd().try_clone_to_owned()? } else { open(from)? };
    let output = if to == "-" {
        io::stdout().as_fd().try_clone_to_owned()?
    } else {
        OwnedFd::from(File::create(to)?)
    };
    let copied = Copier::new(&output)?.copy(&input).map_err(|error| {
        let name = if error.side() == Side::Input { from } else { to };
        io::Error::other(format!("{name}: {}", error.io_error()))
    })?;
    Ok(format!("{} bytes by {:?}", copied.bytes, copied.path))
}

fn open(name: &str) -> io::Result<OwnedFd> {
    Ok(OwnedFd::from(File::open(name)?))
}
