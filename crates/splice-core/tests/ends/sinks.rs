//! Sinks.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::thread;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::pty::openpty;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

use super::sources::{memfd, on_tmpfs};
use super::{Output, Sink, read_all};

const ALL: usize = usize::MAX;

pub(crate) const SINKS: &[Sink] = &[
    Sink { name: "file", most: ALL, keeps: true, open: || file(tempfile::tempfile().unwrap()) },
    Sink { name: "append file", most: ALL, keeps: true, open: append },
    Sink { name: "tmpfs file", most: ALL, keeps: true, open: || file(on_tmpfs()) },
    Sink { name: "memfd", most: ALL, keeps: true, open: || file(memfd()) },
    Sink { name: "/dev/null", most: ALL, keeps: false, open: null },
    Sink { name: "pipe", most: ALL, keeps: true, open: || pipe(64 * 1024) },
    Sink { name: "one-page pipe", most: ALL, keeps: true, open: || pipe(4096) },
    Sink { name: "large pipe", most: ALL, keeps: true, open: || pipe(1 << 20) },
    Sink { name: "stream socket", most: ALL, keeps: true, open: || socket(SockType::Stream) },
    Sink { name: "seqpacket socket", most: ALL, keeps: true, open: || socket(SockType::SeqPacket) },
    Sink {
        name: "datagram socket",
        most: 100_000,
        keeps: true,
        open: || socket(SockType::Datagram),
    },
    Sink { name: "terminal", most: 200_000, keeps: true, open: terminal },
];

fn file(file: File) -> Output {
    let mut seen = file.try_clone().unwrap();
    Output { descriptor: file.into(), collect: Box::new(move || read_all(&mut seen)) }
}

/// A file to which O_APPEND was given after it was opened.
fn append() -> Output {
    let output = file(tempfile::tempfile().unwrap());
    fcntl(&output.descriptor, FcntlArg::F_SETFL(OFlag::O_APPEND)).unwrap();
    output
}

fn null() -> Output {
    let descriptor = File::options().write(true).open("/dev/null").unwrap().into();
    Output { descriptor, collect: Box::new(Vec::new) }
}

fn collected(descriptor: OwnedFd, mut other_end: File, most_at_once: usize) -> Output {
    let collector = thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut part = vec![0; most_at_once];
        // A terminal whose other side is closed says EIO, where others say 0.
        while let Ok(count @ 1..) = other_end.read(&mut part) {
            bytes.extend_from_slice(&part[..count]);
        }
        bytes
    });
    Output { descriptor, collect: Box::new(move || collector.join().unwrap()) }
}

fn pipe(capacity: i32) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
    collected(writer.into(), File::from(OwnedFd::from(reader)), 7777)
}

fn socket(kind: SockType) -> Output {
    let (ours, theirs) =
        socketpair(AddressFamily::Unix, kind, None, SockFlag::SOCK_CLOEXEC).unwrap();
    if kind == SockType::Datagram {
        // Nobody can tell the reader that there is no more: it is read afterwards, without waiting.
        let mut ours = File::from(ours);
        return Output {
            descriptor: theirs,
            collect: Box::new(move || {
                fcntl(&ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
                let mut bytes = Vec::new();
                let mut message = vec![0; 1 << 20];
                while let Ok(count) = ours.read(&mut message) {
                    bytes.extend_from_slice(&message[..count]);
                }
                bytes
            }),
        };
    }
    collected(theirs, File::from(ours), 1 << 20)
}

/// A terminal that changes no byte.
fn terminal() -> Output {
    let pty = openpty(None, None).unwrap();
    let mut settings = tcgetattr(&pty.slave).unwrap();
    cfmakeraw(&mut settings);
    tcsetattr(&pty.slave, SetArg::TCSANOW, &settings).unwrap();
    collected(pty.slave, File::from(pty.master), 4096)
}
