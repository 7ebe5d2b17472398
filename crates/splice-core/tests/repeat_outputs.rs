//! `Repeater` on outputs that are not pipes, and on those that fail.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod pattern;

use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::thread;

use nix::errno::Errno;
use nix::pty::openpty;
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use pattern::{Expected, pattern};
use splice_core::RepeatPath::{SharedSlots, Vmsplice, Write};
use splice_core::{RepeatPath, Repeated, Repeater};

const PATHS: [RepeatPath; 3] = [SharedSlots, Vmsplice, Write];

/// Inside a line, a slot and a page, for every length below.
const LIMIT: u64 = 3_333_333;

const LENGTHS: [usize; 7] = [1, 2, 999, 4096, 20_000, 33_000, 400_000];

fn repeater(line: &[u8], path: RepeatPath) -> Repeater<'_> {
    Repeater::new(line).first_path(path).limit(LIMIT)
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("output");
    for path in PATHS {
        for length in LENGTHS {
            let line = pattern(length);
            let done = repeater(&line, path).run(File::create(&name).unwrap()).unwrap();
            assert_eq!(done, Repeated { bytes: LIMIT, path });
            let mut written = File::open(&name).unwrap();
            assert_eq!(Expected::of(&line).all(&mut written, 1 << 16), LIMIT, "{length} {path:?}");
        }
    }
}

#[test]
fn a_file_that_only_grows_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("output");
    for path in PATHS {
        let line = pattern(999);
        fs::write(&name, &line[..500]).unwrap();
        let output = File::options().append(true).open(&name).unwrap();
        // splice refuses O_APPEND, on either path that needs it.
        let done = repeater(&line[500..], path).run(output).unwrap();
        assert_eq!(done, Repeated { bytes: LIMIT, path: Write });
        let written = fs::read(&name).unwrap();
        assert_eq!(written[..500], line[..500]);
        Expected::of(&line[500..]).next(&written[500..]);
        assert_eq!(written.len() as u64, LIMIT + 500);
    }
}

#[test]
fn devices() {
    let null = File::options().write(true).open("/dev/null").unwrap();
    for path in PATHS {
        let done = repeater(&pattern(6), path).run(&null).unwrap();
        assert_eq!(done, Repeated { bytes: LIMIT, path });
    }
}

#[test]
fn stream_sockets() {
    for path in PATHS {
        for length in LENGTHS {
            let line = pattern(length);
            let (mut near, far) = UnixStream::pair().unwrap();
            thread::scope(|scope| {
                let run = scope.spawn(|| repeater(&line, path).run(far).unwrap());
                assert_eq!(Expected::of(&line).all(&mut near, 30_001), LIMIT);
                assert_eq!(run.join().unwrap(), Repeated { bytes: LIMIT, path });
            });
        }
    }
}

#[test]
fn a_non_blocking_connection() {
    for path in PATHS {
        let line = pattern(999);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let output = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut input, _) = listener.accept().unwrap();
        output.set_nonblocking(true).unwrap();
        thread::scope(|scope| {
            let run = scope.spawn(|| repeater(&line, path).run(output).unwrap());
            assert_eq!(Expected::of(&line).all(&mut input, 100_001), LIMIT);
            assert_eq!(run.join().unwrap(), Repeated { bytes: LIMIT, path });
        });
    }
}

#[test]
fn a_terminal() {
    for path in PATHS {
        let line = pattern(999);
        let terminal = openpty(None, None).unwrap();
        // Raw: it would turn newlines into two bytes each.
        let mut settings = tcgetattr(&terminal.slave).unwrap();
        cfmakeraw(&mut settings);
        tcsetattr(&terminal.slave, SetArg::TCSANOW, &settings).unwrap();
        let mut master = File::from(terminal.master);
        thread::scope(|scope| {
            let run = Repeater::new(&line).first_path(path).limit(300_000);
            let slave = &terminal.slave;
            let run = scope.spawn(move || run.run(slave).unwrap());
            let mut expected = Expected::of(&line);
            let mut left = 300_000;
            while left > 0 {
                let mut buffer = [0; 5000];
                let len = io::Read::read(&mut master, &mut buffer).unwrap();
                expected.next(&buffer[..len]);
                left -= len;
            }
            assert_eq!(run.join().unwrap().bytes, 300_000);
        });
    }
}

#[test]
fn messages_hold_whole_lines() {
    for path in PATHS {
        let line = pattern(999);
        let (near, far) = UnixDatagram::pair().unwrap();
        thread::scope(|scope| {
            let run = scope.spawn(|| repeater(&line, path).run(far).unwrap());
            let mut left = LIMIT;
            while left > 0 {
                let mut message = [0; 20_000];
                let len = near.recv(&mut message).unwrap();
                Expected::of(&line).next(&message[..len]);
                left -= len as u64;
                assert!(len % line.len() == 0 || left == 0, "{len} bytes");
            }
            assert_eq!(run.join().unwrap().path, Write);
        });
    }
}

#[test]
fn what_an_output_gets_unless_a_path_is_asked_for() {
    let line = pattern(10);
    let run = |output: File| Repeater::new(&line).limit(LIMIT).run(output).unwrap().path;
    assert_eq!(run(File::options().write(true).open("/dev/null").unwrap()), Write);
    assert_eq!(run(tempfile::tempfile().unwrap()), Write);
    let (mut near, far) = UnixStream::pair().unwrap();
    thread::scope(|scope| {
        let run = scope.spawn(|| Repeater::new(&line).limit(LIMIT).run(far).unwrap());
        assert_eq!(Expected::of(&line).all(&mut near, 1 << 16), LIMIT);
        assert_eq!(run.join().unwrap().path, SharedSlots);
    });
}

#[test]
fn failures_are_those_of_the_output() {
    let line = pattern(6);
    let errno = |output: File, path| {
        let error = Repeater::new(&line).first_path(path).run(output).unwrap_err();
        error.raw_os_error().map(Errno::from_raw)
    };
    for path in PATHS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(errno(full, path), Some(Errno::ENOSPC));
        let for_reading = File::open("/dev/null").unwrap();
        assert_eq!(errno(for_reading, path), Some(Errno::EBADF));
        let (near, far) = UnixStream::pair().unwrap();
        drop(near);
        assert_eq!(errno(File::from(std::os::fd::OwnedFd::from(far)), path), Some(Errno::EPIPE));
    }
}

#[test]
fn nothing_cannot_be_repeated() {
    let null = File::options().write(true).open("/dev/null").unwrap();
    let error = Repeater::new(b"").run(&null).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}
