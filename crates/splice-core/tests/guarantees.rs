//! What a copy promises beyond the right bytes: nothing refers to the file afterwards, failures
//! name their side, files may change while they are read, and nobody else's flags are touched.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::thread;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use splice_core::{Copier, Side, Strategy};

fn file_of(byte: u8, len: usize) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&vec![byte; len]).unwrap();
    file.rewind().unwrap();
    file
}

/// Copies a file to a pipe whose reader takes little at a time; once the copy has returned, the
/// file is overwritten and cut short, and all that the reader has yet to get must be the old bytes.
fn overwritten_after_the_copy(len: usize, capacity: i32) {
    let input = file_of(b'a', len);
    let (mut reader, writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
    let (done, copied) = std::sync::mpsc::channel();
    let for_copy = input.try_clone().unwrap();
    let copy = thread::spawn(move || {
        let copied = Copier::new(&writer).unwrap().copy(&for_copy).unwrap();
        done.send(copied).unwrap();
    });
    let mut arrived = 0;
    let mut part = [0; 4096];
    // Far from the end the copy needs its reader; near it, only as much is read as it must have.
    while arrived + (4 << 20) < len {
        arrived += reader.read(&mut [0; 65_536]).unwrap();
    }
    let copied = loop {
        match copied.recv_timeout(std::time::Duration::from_millis(1)) {
            Ok(copied) => break copied,
            Err(_) => arrived += reader.read(&mut part).unwrap(),
        }
    };
    copy.join().unwrap();
    assert_eq!(copied.bytes, len as u64);
    input.write_all_at(&vec![b'B'; len], 0).unwrap();
    input.set_len(1).unwrap();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert_eq!(arrived + rest.len(), len);
    let changed = rest.iter().filter(|&&byte| byte != b'a').count();
    assert_eq!(changed, 0, "{len} bytes, pipe of {capacity}: bytes that changed on their way");
}

#[test]
fn no_slot_of_the_output_refers_to_the_file_once_the_copy_has_returned() {
    for len in
        [1, 4096, 40_000, 65_536, 100_000, 262_144, 262_145, 600_000, 1 << 20, 5_000_001, 9_000_001]
    {
        for capacity in [4096, 8192, 65_536, 1 << 20] {
            overwritten_after_the_copy(len, capacity);
        }
    }
}

#[test]
fn files_in_a_row_wait_for_their_reader_once_and_none_is_referred_to_afterwards() {
    // The last: a body and a tail that fill a pipe of 1 MiB exactly, with a few bytes after them.
    for lens in [
        [300_000, 300_000, 300_000],
        [300_000, 40_000, 33_000],
        [600_000, 300_000, 1],
        [1 << 20, 1, 1],
    ] {
        let files = lens.map(|len| file_of(b'a', len));
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut copier = Copier::new(&writer).unwrap();
        // Nobody reads so far: a copy that waited for its reader would not come back.
        for (file, len) in files.iter().zip(lens) {
            assert_eq!(copier.append(file).unwrap().bytes, len as u64);
        }
        copier.write(b"aaa").unwrap();
        let (settled, is_settled) = std::sync::mpsc::channel();
        let reader = thread::spawn(move || {
            let mut arrived = 0;
            // Only as much as it must take: what it took early could not change any more.
            let a_while = std::time::Duration::from_millis(1);
            while is_settled.recv_timeout(a_while).is_err() {
                arrived += reader.read(&mut [0; 4096]).unwrap();
            }
            let mut rest = Vec::new();
            reader.read_to_end(&mut rest).unwrap();
            (arrived, rest)
        });
        copier.settle().unwrap();
        for file in &files {
            file.write_all_at(&[b'B'; 600_000], 0).unwrap();
        }
        settled.send(()).unwrap();
        drop(copier);
        drop(writer);
        let rest = reader.join().unwrap();
        let expected = lens.iter().sum::<usize>() + 3;
        assert_eq!(rest.0 + rest.1.len(), expected, "{lens:?}");
        let changed = rest.1.iter().filter(|&&byte| byte != b'a').count();
        assert_eq!(changed, 0, "{lens:?}: bytes that changed on their way");
    }
}

#[test]
fn what_is_held_back_comes_before_everything_after_it() {
    let (reader, writer) = std::io::pipe().unwrap();
    let collector = thread::spawn(move || runs_in(reader));
    let mut copier = Copier::new(&writer).unwrap();
    copier.append(&file_of(b'a', 300_000)).unwrap();
    copier.write(b"bb").unwrap();
    copier.write(&[b'c'; 200_000]).unwrap();
    copier.append(&file_of(b'd', 40_000)).unwrap();
    copier.append(&file_of(b'e', 10)).unwrap();
    copier.append(&file_of(b'f', 300_000)).unwrap();
    // A Copier that is dropped settles.
    drop(copier);
    drop(writer);
    let expected =
        [(b'a', 300_000), (b'b', 2), (b'c', 200_000), (b'd', 40_000), (b'e', 10), (b'f', 300_000)];
    assert_eq!(collector.join().unwrap(), expected);
}

/// What arrives, as runs of one byte.
fn runs_in(mut reader: std::io::PipeReader) -> Vec<(u8, usize)> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).unwrap();
    bytes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}

#[test]
fn a_failure_names_its_side() {
    // SIGPIPE is ignored here, as in every Rust program that std starts: EPIPE is seen.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let directory = File::open("/").unwrap();
    let memory = File::open("/proc/self/mem").unwrap();
    let zero = File::open("/dev/zero").unwrap();
    let null = File::options().write(true).open("/dev/null").unwrap();
    let large = file_of(b'a', 2_000_000);
    let (reader, gone) = std::io::pipe().unwrap();
    drop(reader);
    let of = |input: &File, output: std::os::fd::BorrowedFd<'_>| {
        let error = Copier::new(&output).unwrap().copy(input).unwrap_err();
        (error.side(), error.raw_os_error())
    };
    let errno = |error: nix::errno::Errno| error as i32;
    use nix::errno::Errno::{EBADF, EIO, EISDIR, ENOSPC, EPIPE};
    assert_eq!(of(&large, full.as_fd()), (Side::Output, errno(ENOSPC)));
    assert_eq!(of(&zero, full.as_fd()), (Side::Output, errno(ENOSPC)));
    assert_eq!(of(&large, gone.as_fd()), (Side::Output, errno(EPIPE)));
    assert_eq!(of(&zero, gone.as_fd()), (Side::Output, errno(EPIPE)));
    assert_eq!(of(&directory, null.as_fd()), (Side::Input, errno(EISDIR)));
    assert_eq!(of(&memory, null.as_fd()), (Side::Input, errno(EIO)));
    // Opened for the other direction.
    assert_eq!(of(&null, null.as_fd()), (Side::Input, errno(EBADF)));
    assert_eq!(of(&file_of(b'a', 100), large_read_only().as_fd()), (Side::Output, errno(EBADF)));
}

/// A descriptor that cannot be written to.
fn large_read_only() -> File {
    let named = tempfile::NamedTempFile::new().unwrap();
    File::open(named.path()).unwrap()
}

#[test]
fn a_file_that_grows_is_copied_to_its_new_end() {
    let mut input = file_of(b'a', 3_000_000);
    let (mut reader, writer) = std::io::pipe().unwrap();
    let for_copy = input.try_clone().unwrap();
    let copy = thread::spawn(move || Copier::new(&writer).unwrap().copy(&for_copy).unwrap());
    // The pipe is full by now or soon, and far from the end.
    let mut first = vec![0; 1000];
    reader.read_exact(&mut first).unwrap();
    input.write_all_at(&[b'b'; 12_345], 3_000_000).unwrap();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert_eq!(copy.join().unwrap().bytes, 3_012_345);
    assert_eq!(first.len() + rest.len(), 3_012_345);
    assert_eq!(input.stream_position().unwrap(), 3_012_345);
}

#[test]
fn a_file_that_shrinks_ends_where_it_ends() {
    let mut input = file_of(b'a', 3_000_000);
    let (mut reader, writer) = std::io::pipe().unwrap();
    let for_copy = input.try_clone().unwrap();
    let copy = thread::spawn(move || Copier::new(&writer).unwrap().copy(&for_copy).unwrap());
    let mut arrived = reader.read(&mut [0; 1000]).unwrap();
    input.set_len(1_500_000).unwrap();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    arrived += rest.len();
    assert_eq!(copy.join().unwrap().bytes, arrived as u64);
    assert!(arrived <= 3_000_000);
    // Where the file was cut off before the copy came there, that is where the copy ended.
    let end = input.stream_position().unwrap();
    assert_eq!(end, arrived as u64);
}

#[test]
fn non_blocking_descriptors_are_waited_for_and_keep_their_flags() {
    let (input, mut feed) = std::io::pipe().unwrap();
    let (mut result, output) = std::io::pipe().unwrap();
    for end in [input.as_fd(), output.as_fd()] {
        fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
    }
    let flags = |end: &dyn AsFd| fcntl(end.as_fd(), FcntlArg::F_GETFL).unwrap();
    let before = (flags(&input), flags(&output));
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..50 {
                feed.write_all(&[b'x'; 10_000]).unwrap();
                thread::yield_now();
            }
        });
        let copy = scope.spawn(|| {
            let copied = Copier::new(&output).unwrap().copy(&input).unwrap();
            let after = (flags(&input), flags(&output));
            drop(output);
            (copied, after)
        });
        let mut arrived = Vec::new();
        result.read_to_end(&mut arrived).unwrap();
        let (copied, after) = copy.join().unwrap();
        assert_eq!(arrived.len(), 500_000);
        assert_eq!((copied.bytes, copied.path), (500_000, Strategy::Splice));
        assert_eq!(before, after);
    });
}

#[test]
fn a_connection_that_is_reset_is_not_taken_for_one_that_ended() {
    use std::net::{TcpListener, TcpStream};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (input, _) = listener.accept().unwrap();
    let at_once = nix::libc::linger { l_onoff: 1, l_linger: 0 };
    nix::sys::socket::setsockopt(&peer, nix::sys::socket::sockopt::Linger, &at_once).unwrap();
    drop(peer);
    let (_reader, writer) = std::io::pipe().unwrap();
    let error = Copier::new(&writer).unwrap().copy(&input).unwrap_err();
    assert_eq!((error.side(), error.raw_os_error()), (Side::Input, nix::libc::ECONNRESET));
}
