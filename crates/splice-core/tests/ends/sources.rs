//! Sources.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::thread;

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, send, socketpair};
use nix::sys::stat::Mode;

use super::{Input, Source, file, filled};

const ALL: usize = usize::MAX;

pub(crate) const SOURCES: &[Source] = &[
    Source { name: "file", most: ALL, open: |bytes| still(file(bytes)) },
    Source { name: "small file", most: 1000, open: |bytes| still(file(bytes)) },
    Source { name: "empty file", most: 0, open: |_| still(file(b"")) },
    Source { name: "tmpfs file", most: ALL, open: |bytes| still(filled(on_tmpfs(), bytes)) },
    Source { name: "memfd", most: ALL, open: |bytes| still(filled(memfd(), bytes)) },
    Source { name: "pipe", most: ALL, open: |bytes| piped(bytes, 64 * 1024) },
    Source { name: "one-page pipe", most: ALL, open: |bytes| piped(bytes, 4096) },
    Source { name: "FIFO", most: ALL, open: fifo },
    Source { name: "stream socket", most: ALL, open: |bytes| socket(SockType::Stream, bytes) },
    Source {
        name: "seqpacket socket",
        most: ALL,
        open: |bytes| socket(SockType::SeqPacket, bytes),
    },
    Source { name: "datagram socket", most: ALL, open: |bytes| socket(SockType::Datagram, bytes) },
];

fn still(file: File) -> Input {
    Input { descriptor: file.into(), feeder: None }
}

/// A file in memory that has a name. Where /dev/shm is not a tmpfs these tests have nothing to say.
pub(crate) fn on_tmpfs() -> File {
    tempfile::tempfile_in("/dev/shm").unwrap()
}

pub(crate) fn memfd() -> File {
    memfd_create(c"test", MFdFlags::empty()).unwrap().into()
}

fn fed(descriptor: OwnedFd, bytes: &[u8], feed: impl FnOnce(&[u8]) + Send + 'static) -> Input {
    let bytes = bytes.to_vec();
    Input { descriptor, feeder: Some(thread::spawn(move || feed(&bytes))) }
}

fn piped(bytes: &[u8], capacity: i32) -> Input {
    let (reader, mut writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
    fed(reader.into(), bytes, move |bytes| writer.write_all(bytes).unwrap())
}

fn fifo(bytes: &[u8]) -> Input {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("fifo");
    nix::unistd::mkfifo(&name, Mode::S_IRWXU).unwrap();
    let for_writing = name.clone();
    let bytes = bytes.to_vec();
    let feeder = thread::spawn(move || {
        File::options().write(true).open(for_writing).unwrap().write_all(&bytes).unwrap();
    });
    let descriptor = File::open(&name).unwrap().into();
    Input { descriptor, feeder: Some(feeder) }
}

fn socket(kind: SockType, bytes: &[u8]) -> Input {
    let (ours, theirs) =
        socketpair(AddressFamily::Unix, kind, None, SockFlag::SOCK_CLOEXEC).unwrap();
    fed(theirs, bytes, move |bytes| {
        use std::os::fd::AsRawFd;
        for message in bytes.chunks(20_000) {
            let mut left = message;
            while !left.is_empty() {
                left = &left[send(ours.as_raw_fd(), left, MsgFlags::empty()).unwrap()..];
            }
        }
        if kind == SockType::Datagram {
            // There is no end of stream: an empty message is what reads as 0.
            send(ours.as_raw_fd(), b"", MsgFlags::empty()).unwrap();
        }
    })
}
