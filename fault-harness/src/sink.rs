//! Where a run's output goes, and how it is collected.

use std::fs::{self, File};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::net::sockopt::{
    set_socket_linger, set_socket_recv_buffer_size, set_socket_send_buffer_size,
};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size};

use crate::rest::Helpers;
use crate::scenario::Sink;
use crate::terminal;

/// What stood in an append file before.
pub const KEPT: &[u8] = b"this was here before\n";

/// A sink that has had enough of an endless output goes away after so many bytes.
pub const ENOUGH: usize = 1 << 20;

/// What a sink does when it has got so many bytes.
#[derive(Debug)]
pub struct After {
    /// That many.
    pub bytes: usize,
    /// What it does.
    pub act: Act,
}

/// See `After`.
pub enum Act {
    /// It goes away.
    Leave,
    /// It breaks the connection.
    Reset,
    /// It does this, and reads on.
    Call(Box<dyn FnOnce() + Send>),
}

impl std::fmt::Debug for Act {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Act::Leave => "Leave",
            Act::Reset => "Reset",
            Act::Call(_) => "Call",
        })
    }
}

impl After {
    /// What ends an endless run.
    pub fn enough() -> After {
        After { bytes: ENOUGH, act: Act::Leave }
    }
}

/// Collects what a run writes.
#[derive(Debug)]
pub enum Collector {
    /// /dev/null: nothing to collect.
    Nothing,
    /// A file, read when the run is over; `KEPT` stands first if it was appended to.
    File(PathBuf),
    /// Read while the run writes.
    Stream(JoinHandle<Vec<u8>>),
}

impl Collector {
    /// Makes the sink and starts to read from it; returns what becomes standard output.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn start(
        sink: Sink,
        folder: &Path,
        after: Option<After>,
        helpers: &Helpers,
    ) -> Result<(Collector, Stdio)> {
        let file = folder.join("output");
        Ok(match sink {
            Sink::Null => {
                (Collector::Nothing, File::options().write(true).open("/dev/null")?.into())
            }
            Sink::File => {
                let opened = File::create(&file)?;
                (Collector::File(file), opened.into())
            }
            Sink::AppendFile => {
                fs::write(&file, KEPT)?;
                let opened = File::options().append(true).open(&file)?;
                (Collector::File(file), opened.into())
            }
            Sink::Pipe => Collector::pipe(helpers, after, 1 << 16, |_| Ok(()))?,
            Sink::SlowPipe => Collector::pipe(helpers, after, 1000, |_| Ok(()))?,
            Sink::PagePipe => Collector::pipe(helpers, after, 1 << 16, |writer| {
                fcntl_setpipe_size(writer, 1).map(drop)
            })?,
            Sink::NonblockingPipe => Collector::pipe(helpers, after, 5000, |writer| {
                rustix::fs::fcntl_setfl(writer, OFlags::NONBLOCK)
            })?,
            Sink::Socket => {
                let (ours, theirs) = rustix::net::socketpair(
                    AddressFamily::UNIX,
                    SocketType::STREAM,
                    SocketFlags::CLOEXEC,
                    None,
                )?;
                (Collector::stream(helpers, ours, after, 1 << 16, false), theirs.into())
            }
            Sink::Terminal => {
                let (ours, theirs) = terminal::for_showing()?;
                (Collector::stream(helpers, ours, after, 4096, false), theirs.into())
            }
        })
    }

    fn pipe(
        helpers: &Helpers,
        after: Option<After>,
        at_once: usize,
        prepare: impl FnOnce(&OwnedFd) -> rustix::io::Result<()>,
    ) -> Result<(Collector, Stdio)> {
        let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        prepare(&writer)?;
        let nonblocking = rustix::fs::fcntl_getfl(&writer)?.contains(OFlags::NONBLOCK);
        Ok((Collector::stream(helpers, reader, after, at_once, nonblocking), writer.into()))
    }

    /// A TCP connection: unlike other sinks it can be reset.
    ///
    /// # Errors
    /// There is no network here.
    pub fn tcp(after: Option<After>, helpers: &Helpers) -> Result<(Collector, Stdio)> {
        let (ours, theirs) = tcp_pair()?;
        Ok((Collector::stream(helpers, ours, after, 1 << 16, false), theirs.into()))
    }

    fn stream(
        helpers: &Helpers,
        reader: OwnedFd,
        after: Option<After>,
        at_once: usize,
        late: bool,
    ) -> Collector {
        let mut reader = File::from(reader);
        Collector::Stream(helpers.spawn(move || {
            if late {
                until_full(&reader);
            }
            let mut bytes = Vec::new();
            let Some(after) = after else {
                read_until(&mut reader, &mut bytes, usize::MAX, at_once);
                return bytes;
            };
            read_until(&mut reader, &mut bytes, after.bytes, at_once);
            match after.act {
                Act::Leave => {}
                Act::Reset => {
                    // What the kernel says is of no interest: without a reset the judge will see.
                    let _ = set_socket_linger(&reader, Some(Duration::ZERO));
                }
                Act::Call(act) => {
                    act();
                    read_until(&mut reader, &mut bytes, usize::MAX, at_once);
                }
            }
            bytes
        }))
    }

    /// What has been collected; nothing where nothing can be.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn finish(self) -> Result<Option<Vec<u8>>> {
        Ok(match self {
            Collector::Nothing => None,
            Collector::File(path) => Some(fs::read(path)?),
            Collector::Stream(thread) => Some(thread.join().unwrap_or_default()),
        })
    }
}

fn read_until(reader: &mut File, bytes: &mut Vec<u8>, enough: usize, at_once: usize) {
    let mut some = vec![0; at_once];
    while bytes.len() < enough {
        match reader.read(&mut some[..at_once.min(enough - bytes.len())]) {
            // A terminal whose other end was closed says EIO: its way to say the end.
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&some[..count]),
        }
    }
}

/// Two ends of a TCP connection on this machine, with little room in between: what is on its way
/// when it is reset cannot be all there is.
///
/// # Errors
/// There is no network here.
pub fn tcp_pair() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let ours = TcpStream::connect(listener.local_addr()?)?;
    let (theirs, _) = listener.accept()?;
    for end in [&ours, &theirs] {
        set_socket_recv_buffer_size(end, 1 << 14)?;
        set_socket_send_buffer_size(end, 1 << 14)?;
    }
    Ok((ours.into(), theirs.into()))
}

/// Waits until nothing more is written: the writer has met a full pipe, or has ended.
fn until_full(reader: &File) {
    let mut before = 0;
    loop {
        std::thread::sleep(Duration::from_millis(4));
        match rustix::io::ioctl_fionread(reader) {
            Ok(now) if now != before || now == 0 && !ended(reader) => before = now,
            _ => return,
        }
    }
}

fn ended(reader: &File) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut watched = [PollFd::new(reader, PollFlags::IN)];
    let polled = poll(&mut watched, Some(&now));
    polled.is_err() || watched[0].revents().contains(PollFlags::HUP)
}
