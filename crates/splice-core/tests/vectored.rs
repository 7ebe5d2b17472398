//! `write_all_vectored`: every byte of every slice, in order, however little the output takes at once.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::{ErrorKind, IoSlice, Read};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Slices of many lengths, none among them, and what they hold together.
fn pieces(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| vec![i as u8; i * 37 % 701]).collect()
}

#[test]
fn more_slices_and_bytes_than_one_call_takes() {
    for non_blocking in [false, true] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        if non_blocking {
            fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        }
        let pieces = pieces(3000);
        let expected = pieces.concat();
        let taker = std::thread::spawn(move || {
            let mut taken = Vec::new();
            reader.read_to_end(&mut taken).map(|_| taken)
        });
        let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|it| IoSlice::new(it)).collect();
        splice_core::write_all_vectored(&writer, &mut slices).unwrap();
        drop(writer);
        assert!(taker.join().unwrap().unwrap() == expected);
    }
}

#[test]
fn nothing_to_write_is_no_call() {
    // To a descriptor that takes no bytes: a call would fail.
    let unwritable = std::fs::File::open("/dev/null").unwrap();
    splice_core::write_all_vectored(&unwritable, &mut []).unwrap();
    let mut empty = [IoSlice::new(b""), IoSlice::new(b"")];
    splice_core::write_all_vectored(&unwritable, &mut empty).unwrap();
}

#[test]
fn a_failure_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut slices = [IoSlice::new(b""), IoSlice::new(b"a"), IoSlice::new(b"b")];
    let error = splice_core::write_all_vectored(&full, &mut slices).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}
