//! `Repeater` on pipes: every path, held against a generator that shares no code with it.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod pattern;

use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use pattern::{Expected, pattern};
use splice_core::{RepeatPath, Repeated, Repeater, page_size};

const PATHS: [RepeatPath; 3] = [RepeatPath::SharedSlots, RepeatPath::Vmsplice, RepeatPath::Write];

/// Around everything that a length may have to fit into: pages, slots of the kernel's, pipes.
const LENGTHS: [usize; 36] = [
    1, 2, 3, 6, 100, 999, 4095, 4096, 4097, 5000, 8191, 8192, 8193, 16383, 16384, 16385, 20_000,
    32_767, 32_768, 32_769, 33_000, 40_000, 65_535, 65_536, 65_537, 70_000, 131_071, 262_145,
    524_287, 524_288, 524_289, 1_048_576, 1_048_577, 2_000_000, 6_291_456, 6_291_457,
];

/// A pattern as long as this does not fit into a cycle of slots any more.
const TOO_LONG_TO_SHARE: usize = 6_291_457;

/// The path that a request for `path` comes to, on any kernel that has them all.
fn expected_path(path: RepeatPath, pattern: usize) -> RepeatPath {
    match path {
        RepeatPath::SharedSlots if pattern >= TOO_LONG_TO_SHARE => RepeatPath::Vmsplice,
        path => path,
    }
}

fn set_capacity(pipe: &PipeReader, bytes: usize) {
    fcntl(pipe, FcntlArg::F_SETPIPE_SZ(i32::try_from(bytes).unwrap())).unwrap();
}

/// Repeats `pattern` into a pipe of `capacity` bytes that is read `chunk` bytes at a time. Checks
/// what arrives, and that it is as much as the report says.
#[track_caller]
fn into_a_pipe(repeater: Repeater<'_>, line: &[u8], capacity: usize, chunk: usize) -> Repeated {
    let (mut reader, writer) = io::pipe().unwrap();
    set_capacity(&reader, capacity);
    thread::scope(|scope| {
        // The writer goes with the thread: that is the end of the input.
        let done = scope.spawn(move || repeater.run(writer).unwrap());
        let arrived = Expected::of(line).all(&mut reader, chunk);
        let done = done.join().unwrap();
        assert_eq!(done.bytes, arrived);
        done
    })
}

#[test]
fn every_length_arrives_unbroken_by_every_path() {
    let page = page_size();
    // Large and small pipes; reads that end inside a slot, inside a page, at their ends.
    let readers = [(page, 777), (page, 65_536), (1 << 16, 4097), (1 << 20, 131_072)];
    for length in LENGTHS {
        let line = pattern(length);
        for path in PATHS {
            for (capacity, chunk) in readers {
                let limit = 1_500_000 + length as u64 * 3 / 2;
                let repeater = Repeater::new(&line).first_path(path).limit(limit);
                let done = into_a_pipe(repeater, &line, capacity, chunk);
                let path = expected_path(path, length);
                assert_eq!(done, Repeated { bytes: limit, path }, "{length} {capacity} {chunk}");
            }
        }
    }
}

#[test]
fn a_limit_is_exact_wherever_it_falls() {
    for length in [1, 2, 7, 4097, 20_000, 40_000, 300_000] {
        let line = pattern(length);
        let around = [length, 3 * length, 32_768, 65_536, 1 << 20, (1 << 20) + length, 2 << 20];
        let limits = around.into_iter().flat_map(|it| [it - 1, it, it + 1]);
        for limit in limits.map(|it| it as u64).chain([0]) {
            for path in PATHS {
                let repeater = Repeater::new(&line).first_path(path).limit(limit);
                let done = into_a_pipe(repeater, &line, 1 << 16, 99_991);
                assert_eq!(done.bytes, limit, "{length} {path:?}");
            }
        }
    }
}

#[test]
fn pipes_share_slots_unless_the_limit_is_near() {
    let line = pattern(10);
    let path_for =
        |limit| into_a_pipe(Repeater::new(&line).limit(limit), &line, 1 << 16, 9999).path;
    assert_eq!(path_for(10_000_000), RepeatPath::SharedSlots);
    assert_eq!(path_for(100_000), RepeatPath::Write);
}

#[test]
fn without_a_limit_the_reader_ends_it() {
    for path in PATHS {
        for length in [2, 999, 40_000, 600_000, 1_500_000] {
            let line = pattern(length);
            let (mut reader, writer) = io::pipe().unwrap();
            let mut seen = vec![0; 3_000_001];
            let error = thread::scope(|scope| {
                // Tests run with SIGPIPE ignored, so it is an error that comes back.
                let run = scope.spawn(|| Repeater::new(&line).first_path(path).run(writer));
                reader.read_exact(&mut seen).unwrap();
                drop(reader);
                run.join().unwrap().unwrap_err()
            });
            Expected::of(&line).next(&seen);
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe, "{path:?} {length}");
        }
    }
}

#[test]
fn a_non_blocking_pipe_is_waited_for_and_left_as_it_is() {
    for path in PATHS {
        let line = pattern(5000);
        let (mut reader, writer) = io::pipe().unwrap();
        set_capacity(&reader, page_size());
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        let late = writer.try_clone().unwrap();
        thread::scope(|scope| {
            let repeater = Repeater::new(&line).first_path(path).limit(2_345_678);
            let run = scope.spawn(move || repeater.run(writer.as_fd()).unwrap());
            // Time enough to fill any pipe. If it was not, nothing is proved, and nothing fails.
            thread::sleep(Duration::from_millis(100));
            let flags = fcntl(&late, FcntlArg::F_GETFL).unwrap();
            assert!(OFlag::from_bits_retain(flags).contains(OFlag::O_NONBLOCK));
            drop(late);
            assert_eq!(Expected::of(&line).all(&mut reader, 7777), 2_345_678);
            assert_eq!(run.join().unwrap(), Repeated { bytes: 2_345_678, path });
        });
    }
}

#[test]
fn bytes_that_are_already_in_the_pipe_stay_in_front() {
    let line = pattern(20_000);
    let (mut reader, writer) = io::pipe().unwrap();
    splice_core::write_all(&writer, b"before").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| Repeater::new(&line).limit(1_000_000).run(writer).unwrap());
        let mut before = [0; 6];
        reader.read_exact(&mut before).unwrap();
        assert_eq!(&before, b"before");
        assert_eq!(Expected::of(&line).all(&mut reader, 10_000), 1_000_000);
    });
}

#[test]
fn a_pipe_that_was_made_larger_is_not_made_smaller() {
    let line = pattern(2);
    let (mut reader, writer) = io::pipe().unwrap();
    let capacity = 1 << 20;
    set_capacity(&reader, capacity);
    thread::scope(|scope| {
        let run = Repeater::new(&line).limit(5_000_000);
        scope.spawn(move || run.run(writer).unwrap());
        let mut some = [0; 100_000];
        reader.read_exact(&mut some).unwrap();
        let now = fcntl(&reader, FcntlArg::F_GETPIPE_SZ).unwrap();
        assert!(usize::try_from(now).unwrap() >= capacity);
        io::copy(&mut reader, &mut io::sink()).unwrap();
    });
}
