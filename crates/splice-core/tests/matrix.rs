//! Every kind of source to every kind of sink: the bytes, the count, the path that was taken and
//! the positions in which the descriptors are left.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod ends;

use ends::{SINKS, SOURCES, content};
use splice_core::{Copier, FdKind, Strategy};

/// The path from a source to a sink. Written down here, not asked of `plan`: what the kernel
/// refuses (splicing or copying a range to a file opened for append, a range across file systems)
/// is part of it.
fn path(source: &str, sink: &str) -> Strategy {
    use Strategy::{BodyAndTail, CopyFileRange, Mapped, ReadWrite, Splice};
    match (source, sink) {
        ("small file" | "empty file" | "datagram socket" | "seqpacket socket", _) => ReadWrite,
        (_, "terminal" | "datagram socket" | "seqpacket socket") => ReadWrite,
        ("file" | "memfd" | "tmpfs file", "append file") => Mapped,
        (_, "append file") => ReadWrite,
        ("file", "file") | ("tmpfs file", "tmpfs file") | ("memfd", "memfd") => CopyFileRange,
        ("file" | "memfd" | "tmpfs file", "pipe" | "one-page pipe" | "large pipe") => BodyAndTail,
        ("file" | "memfd" | "tmpfs file", "file" | "tmpfs file" | "memfd" | "/dev/null") => Splice,
        ("file" | "memfd" | "tmpfs file", _) => ReadWrite,
        ("pipe" | "one-page pipe" | "FIFO", _) => Splice,
        ("stream socket", _) => Splice,
        other => panic!("no path is written down for {other:?}"),
    }
}

#[test]
fn every_source_to_every_sink() {
    for source in SOURCES {
        for sink in SINKS {
            let name = format!("{} to {}", source.name, sink.name);
            // What a small file and a message socket hold is less than the others' content.
            let content = &content()[..content().len().min(source.most).min(sink.most)];
            let input = (source.open)(content);
            let output = (sink.open)();
            let copied = Copier::new(&output.descriptor)
                .and_then(|mut copier| Ok(copier.copy(&input.descriptor)?))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            if let Some(feeder) = input.feeder {
                feeder.join().unwrap();
            }
            let arrived = output.finish();
            let expected = if sink.keeps { content } else { &[] };
            assert!(arrived == expected, "{name}: {} of {} bytes", arrived.len(), content.len());
            assert_eq!(copied.bytes, content.len() as u64, "{name}");
            if content.len() > 64 * 1024 {
                assert_eq!(copied.path, path(source.name, sink.name), "{name}");
            }
        }
    }
}

#[test]
fn descriptors_are_left_where_the_copy_ended() {
    use std::io::{Seek, SeekFrom};
    for from in [0_u64, 1, 5000, 300_001] {
        let mut input = ends::file(content());
        let mut output = tempfile::tempfile().unwrap();
        output.set_len(10).unwrap();
        input.seek(SeekFrom::Start(from)).unwrap();
        output.seek(SeekFrom::Start(10)).unwrap();
        let copied = Copier::new(&output).unwrap().copy(&input).unwrap();
        assert_eq!(copied.bytes, content().len() as u64 - from);
        assert_eq!(input.stream_position().unwrap(), content().len() as u64);
        assert_eq!(output.stream_position().unwrap(), 10 + copied.bytes);
        let whole = ends::read_all(&mut output);
        assert_eq!(whole[..10], [0; 10]);
        assert!(whole[10..] == content()[usize::try_from(from).unwrap()..]);
    }
}

/// In the middle of a block no block can be shared, and `copy_file_range` copies in small pieces.
#[test]
fn a_range_is_copied_to_the_beginning_of_a_block_only() {
    for (len, path) in [
        (0, Strategy::CopyFileRange),
        (10, Strategy::Splice),
        (4096, Strategy::CopyFileRange),
        (40_000, Strategy::Splice),
    ] {
        let input = ends::filled(ends::sources::memfd(), content());
        let mut output = ends::filled(ends::sources::memfd(), &content()[..len]);
        std::io::Seek::seek(&mut output, std::io::SeekFrom::End(0)).unwrap();
        let copied = Copier::new(&output).unwrap().copy(&input).unwrap();
        assert_eq!(copied.path, path, "after {len} bytes");
        let whole = ends::read_all(&mut output);
        assert!(whole[..len] == content()[..len] && whole[len..] == *content());
    }
}

#[test]
fn one_copier_takes_many_inputs_in_order() {
    let (reader, writer) = std::io::pipe().unwrap();
    let collector = std::thread::spawn(move || ends::read_all(&mut { reader }));
    let mut copier = Copier::new(&writer).unwrap();
    let mut expected = Vec::new();
    for (place, len) in [3, 0, 2_000_000, 40_000, 700_000, 1].into_iter().enumerate() {
        let part = &content()[place..place + len];
        copier.copy(&ends::file(part)).unwrap();
        expected.extend_from_slice(part);
    }
    drop(copier);
    drop(writer);
    assert!(collector.join().unwrap() == expected);
}

#[test]
fn files_that_do_not_tell_their_size_are_read_to_their_end() {
    for name in
        ["/proc/self/maps", "/proc/filesystems", "/sys/kernel/mm/transparent_hugepage/enabled"]
    {
        let input = std::fs::File::open(name).unwrap();
        let mut output = tempfile::tempfile().unwrap();
        let copied = Copier::new(&output).unwrap().copy(&input).unwrap();
        assert_eq!(copied.path, Strategy::ReadWrite);
        assert!(copied.bytes > 0, "{name}");
        assert_eq!(ends::read_all(&mut output).len() as u64, copied.bytes);
    }
}

#[test]
fn a_sparse_file_of_3_gib_arrives_whole() {
    let input = tempfile::tempfile().unwrap();
    input.set_len(3 << 30).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    let counter = std::thread::spawn(move || splice_core::drain(&reader, None).unwrap());
    let copied = Copier::new(&writer).unwrap().copy(&input).unwrap();
    drop(writer);
    assert_eq!((copied.bytes, copied.path), (3 << 30, Strategy::BodyAndTail));
    assert_eq!(counter.join().unwrap(), 3 << 30);
}

/// On tmpfs no two files ever share a page: a range is asked for once, and nothing gained by more.
#[test]
fn a_large_file_that_can_share_nothing_is_spliced_after_the_first_call() {
    use std::os::unix::fs::FileExt;

    let open = || tempfile::tempfile_in("/dev/shm").unwrap();
    let (mut input, mut output) = (open(), open());
    input.set_len(40 << 20).unwrap();
    for place in [0, (16 << 20) - 1, 40_000_000] {
        input.write_all_at(b"something", place).unwrap();
    }
    let copied = Copier::new(&output).unwrap().copy(&input).unwrap();
    assert_eq!((copied.bytes, copied.path), (40 << 20, Strategy::Splice));
    assert!(ends::read_all(&mut output) == ends::read_all(&mut input));
}

#[test]
fn what_descriptors_are() {
    for source in SOURCES {
        let kind = FdKind::of(&(source.open)(b"x").descriptor).unwrap();
        let expected = match source.name {
            "empty file" => FdKind::Regular { size: 0 },
            "file" | "small file" | "tmpfs file" | "memfd" => FdKind::Regular { size: 1 },
            "pipe" | "one-page pipe" | "FIFO" => FdKind::Pipe,
            "stream socket" => FdKind::StreamSocket,
            _ => FdKind::MessageSocket,
        };
        assert_eq!(kind, expected, "{}", source.name);
    }
    let open = |name: &str| FdKind::of(std::fs::File::open(name).unwrap()).unwrap();
    assert_eq!(open("/dev/zero"), FdKind::MemoryDevice);
    assert_eq!(open("/"), FdKind::Other);
    assert_eq!(FdKind::of((SINKS.last().unwrap().open)().descriptor).unwrap(), FdKind::Terminal);
}
