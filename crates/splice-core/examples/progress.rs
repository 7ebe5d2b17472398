//! Copies a file and shows how far it is: `cargo run --example progress -- FROM TO`. A copy works
//! at the descriptors' own positions, so a second thread only has to look where the input stands.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to whoever runs it")]

use std::fs::File;
use std::io::{self, Seek};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use splice_core::Copier;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &arguments[..] else {
        return Err(io::Error::other("usage: progress FROM TO"));
    };
    let input = File::open(from)?;
    let output = File::create(to)?;
    let watched = input.try_clone()?;
    let (done, ended) = mpsc::channel::<()>();
    let copied = thread::scope(|scope| {
        scope.spawn(move || show(watched, ended));
        let copied = Copier::new(&output)?.copy(&input)?;
        drop(done);
        io::Result::Ok(copied)
    })?;
    eprintln!("{} bytes by {:?}", copied.bytes, copied.path);
    Ok(())
}

/// Prints the position ten times a second until the copy has ended.
fn show(mut input: File, ended: mpsc::Receiver<()>) {
    while ended.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
        if let (Ok(at), Ok(whole)) = (input.stream_position(), input.metadata()) {
            eprintln!("{at} of {} bytes", whole.len());
        }
    }
}
