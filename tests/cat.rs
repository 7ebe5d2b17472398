//! `cat` as a copier: every kind of input arrives whole, in order, on every kind of output.

mod support;

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::Shutdown;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::thread;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use support::{Folder, Run, noise, same};

/// Larger than any buffer or pipe, and not a multiple of anything.
const LARGE: usize = 5_000_001;

#[test]
fn files_in_order() {
    let folder = Folder::new();
    folder.write("a", "one\n");
    folder.write("b", "no newline");
    folder.write("empty", "");
    folder
        .cat(["a", "b", "empty", "a", "b"])
        .run()
        .success()
        .stdout("one\nno newlineone\nno newline");
    folder.cat(["empty"]).run().success().stdout("");
    folder.cat(["/dev/null", "a"]).run().success().stdout("one\n");
}

#[test]
fn sizes_around_those_of_pages_and_buffers() {
    let folder = Folder::new();
    let noise = noise(2 << 20);
    for power in 10..=20 {
        for size in [(1 << power) - 1, 1 << power, (1 << power) + 1] {
            let bytes = &noise[..size];
            folder.write("in", bytes);
            same(&folder.cat(["in"]).run().success().get_output().stdout, bytes);
            same(&folder.cat(["-"]).fed(bytes).success().get_output().stdout, bytes);
            folder.sh("cat in >out").run().success();
            same(&folder.read("out"), bytes);
        }
    }
}

#[test]
fn large_files_and_pipes_to_every_kind_of_output() {
    let folder = Folder::new();
    let bytes = noise(LARGE);
    folder.write("in", &bytes);
    let twice = [&bytes[..], &bytes].concat();
    for line in ["cat in in", "cat in - <in", "cat in in | cat", "cat in | cat - in"] {
        same(&folder.sh(line).run().success().stderr("").get_output().stdout, &twice);
        folder.sh(format!("({line}) >out")).run().success().stdout("").stderr("");
        same(&folder.read("out"), &twice);
        folder.write("out", "kept");
        folder.sh(format!("({line}) >>out")).run().success().stdout("").stderr("");
        same(&folder.read("out"), &[b"kept", &twice[..]].concat());
        folder.sh(format!("({line}) >/dev/null")).run().success().stdout("").stderr("");
    }
}

#[test]
fn holes_come_out_as_zeros() {
    let folder = Folder::new();
    let mut file = File::create(folder.path("in")).unwrap();
    file.seek(SeekFrom::Start(20 << 20)).unwrap();
    file.write_all(b"end").unwrap();
    folder.sh("cat in >out; cat in | cmp - in && cmp in out").run().success().stdout("");
    assert_eq!(folder.read("out").len(), (20 << 20) + 3);
}

#[test]
fn files_without_a_size() {
    let folder = Folder::new();
    folder.write("in", "then\n");
    for name in ["/proc/version", "/proc/filesystems", "/sys/devices/system/cpu/online"] {
        let content = fs::read(name).unwrap();
        assert!(!content.is_empty());
        let both = [&content[..], b"then\n", &content].concat();
        folder.cat([name, "in", name]).run().success().stdout(both.clone());
        folder.sh(format!("cat {name} in {name} >out")).run().success().stdout("");
        assert_eq!(folder.read("out"), both);
        folder.sh(format!("cat <{name}")).run().success().stdout(content.clone());
        let ends = String::from_utf8(content).unwrap().replace('\n', "$\n");
        folder.cat(["-E", name]).run().success().stdout(ends);
    }
    folder.sh("cat /proc/self/cmdline").run().success().stdout("cat\0/proc/self/cmdline\0");
}

#[test]
fn devices() {
    let folder = Folder::new();
    for device in ["/dev/zero", "/dev/urandom"] {
        folder.sh(format!("cat {device} | head -c 300001 | wc -c")).run().stdout("300001\n");
        folder.sh(format!("cat -v {device} | head -c 300001 | wc -c")).run().stdout("300001\n");
    }
    for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        folder.cat([name]).fed(b"by name\n").success().stdout("by name\n");
    }
}

#[test]
fn sockets_on_both_sides() {
    let folder = Folder::new();
    let bytes = noise(LARGE);
    folder.write("in", &bytes);
    for options in [&[][..], &["-u"]] {
        let (mut near, far) = UnixStream::pair().unwrap();
        let (ours, output) = UnixStream::pair().unwrap();
        let input = far.try_clone().unwrap();
        let mut cat = folder.cat(options);
        cat.args(["-", "in"]);
        let running = cat
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(far)))
            .stdout(Stdio::from(std::os::fd::OwnedFd::from(output)))
            .begin();
        drop(input);
        let got = thread::scope(|scope| {
            let got = scope.spawn(move || read_all(ours));
            near.write_all(&bytes).unwrap();
            near.shutdown(Shutdown::Write).unwrap();
            got.join().unwrap()
        });
        running.finish().success().stderr("");
        same(&got, &[&bytes[..], &bytes].concat());
    }
}

fn read_all(mut socket: UnixStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).expect("a socket can be read");
    bytes
}

#[test]
fn fragments_of_a_socket_fill_no_pipe_for_good() {
    let folder = Folder::new();
    let (mut near, far) = UnixStream::pair().unwrap();
    let running = folder.cat(["-"]).stdin(Stdio::from(std::os::fd::OwnedFd::from(far))).begin();
    let writer = thread::spawn(move || {
        for _ in 0..3000 {
            near.write_all(&[b'x'; 100]).unwrap();
        }
    });
    let run = running.finish().success().stderr("");
    writer.join().unwrap();
    same(&run.get_output().stdout, &[b'x'; 300_000]);
}

#[test]
fn a_fifo_is_read_to_the_end_of_its_writers() {
    let folder = Folder::new();
    for options in [&[][..], &["-n"]] {
        let fifo = folder.path("fifo");
        mkfifo(&fifo, Mode::from_bits_truncate(0o600)).unwrap();
        folder.write("in", "file\n");
        let mut cat = folder.cat(options);
        let mut running = cat.args(["fifo", "in"]).begin();
        let mut writer = File::options().write(true).open(&fifo).unwrap();
        let numbered = |number: usize, text: &str| {
            let prefix = if options.is_empty() { String::new() } else { format!("{number:6}\t") };
            (prefix + text).into_bytes()
        };
        for (number, text) in [(1, "first\n"), (2, "second\n")] {
            writer.write_all(text.as_bytes()).unwrap();
            let want = numbered(number, text);
            assert_eq!(running.hear(want.len()), want);
        }
        drop(writer);
        running.finish().success().stdout(numbered(3, "file\n")).stderr("");
        fs::remove_file(fifo).unwrap();
    }
}

#[test]
fn here_documents_and_other_nameless_files() {
    let folder = Folder::new();
    folder.sh("cat >out <<X\ntest\nX\n").run().success();
    assert_eq!(folder.read("out"), b"test\n");
    let mut nameless = tempfile::tempfile().unwrap();
    nameless.write_all(b"nameless\n").unwrap();
    nameless.rewind().unwrap();
    folder.cat(["-n"]).stdin(nameless).run().success().stdout("     1\tnameless\n");
}

#[test]
fn names_are_bytes() {
    let folder = Folder::new();
    for bytes in [&b"\xff"[..], b"a b", b"\n", "é".as_bytes(), b"it's", b" ", b"\\", b"*"] {
        let name = std::ffi::OsStr::from_bytes(bytes);
        folder.write(name, "content\n");
        folder.cat([name]).run().success().stdout("content\n").stderr("");
    }
    folder.sh("cat $(seq -f in%g 2000)").run().code(1).stdout("");
    folder.write("x", "x");
    folder.sh("cat $(yes x | head -n 5000) | wc -c").run().success().stdout("5000\n").stderr("");
}
