//! A TCP proxy for one connection: `cargo run --example proxy -- LISTEN FORWARD`, for example
//! `127.0.0.1:8080 127.0.0.1:80`. Bytes go from socket to socket through pipes of the kernel and
//! are never copied into this process.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to whoever runs it")]

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use splice_core::Copier;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [listen, forward] = &arguments[..] else {
        return Err(io::Error::other("usage: proxy LISTEN FORWARD"));
    };
    let listener = TcpListener::bind(listen)?;
    println!("{}", listener.local_addr()?);
    let (client, _) = listener.accept()?;
    let server = TcpStream::connect(forward)?;
    let (up, down) = thread::scope(|scope| {
        let up = scope.spawn(|| relay(&client, &server));
        let down = relay(&server, &client);
        (up.join(), down)
    });
    let up = up.unwrap_or_else(|_| Err(io::Error::other("the way up panicked")))?;
    println!("{up} bytes up, {} bytes down", down?);
    Ok(())
}

/// Copies until `from` has no more, and tells `to` so.
fn relay(from: &TcpStream, to: &TcpStream) -> io::Result<u64> {
    let copied = Copier::new(to)?.copy(from)?;
    to.shutdown(Shutdown::Write)?;
    Ok(copied.bytes)
}
