//! `cat` where input or output keeps it waiting: nothing is held back, nothing is given up.
//! The tests go by what arrives, never by how long it took.

mod support;

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::thread;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use support::{Folder, Rest, Run, add_flag, drain, drain_by, flags, noise, same};

const EVERY_WAY: &[&[&str]] = &[&[], &["-u"], &["-n"], &["-E"], &["-vT"], &["-bs"], &["-A", "-"]];

/// The line number in front of a line that is not empty.
fn number(options: &[&str], number: usize) -> String {
    let numbers = options.iter().any(|option| option.contains(['n', 'b']));
    if numbers { format!("{number:6}\t") } else { String::new() }
}

/// What a line without tabs and odd bytes looks like.
fn shown(options: &[&str], line: usize, text: &str) -> Vec<u8> {
    let ends = options.iter().any(|option| option.contains(['E', 'A']));
    let end = if ends { "$\n" } else { "\n" };
    (number(options, line) + text + end).into_bytes()
}

#[test]
fn lines_come_out_while_the_writer_still_holds_the_pipe() {
    let folder = Folder::new();
    for options in EVERY_WAY {
        let mut cat = folder.cat(*options);
        let mut running = cat.stdin(Stdio::piped()).begin();
        for (number, text) in ["one", "two", "three"].iter().enumerate() {
            running.say(format!("{text}\n").as_bytes());
            let want = shown(options, number + 1, text);
            assert_eq!(running.hear(want.len()), want, "{options:?}");
        }
        running.end_input();
        running.finish().success().stdout("").stderr("");
    }
}

#[test]
fn pieces_of_a_line_come_out_too() {
    let folder = Folder::new();
    for options in EVERY_WAY {
        let mut cat = folder.cat(*options);
        let mut running = cat.stdin(Stdio::piped()).begin();
        let whole = shown(options, 1, "piece");
        let start = number(options, 1).len();
        running.say(b"pi");
        assert_eq!(running.hear(start + 2), whole[..start + 2]);
        running.say(b"e");
        assert_eq!(running.hear(1), b"e");
        running.say(b"ce\n");
        assert_eq!(running.hear(whole.len() - start - 3), whole[start + 3..]);
        running.end_input();
        running.finish().success().stdout("").stderr("");
    }
}

/// With -E a carriage return is shown by what follows it, so it alone has to wait.
#[test]
fn a_carriage_return_waits_for_the_next_byte_alone() {
    let folder = Folder::new();
    let mut running = folder.cat(["-E"]).stdin(Stdio::piped()).begin();
    running.say(b"ab\r");
    assert_eq!(running.hear(2), b"ab");
    running.say(b"\n");
    assert_eq!(running.hear(4), b"^M$\n");
    running.say(b"c\r");
    assert_eq!(running.hear(1), b"c");
    running.say(b"d");
    assert_eq!(running.hear(2), b"\rd");
    running.say(b"\r");
    running.end_input();
    running.finish().success().stdout("\r").stderr("");
}

#[test]
fn what_stands_before_an_input_that_waits_is_out() {
    let folder = Folder::new();
    folder.write("in", "file\n");
    for options in EVERY_WAY.iter().filter(|options| !options.contains(&"-")) {
        let mut cat = folder.cat(*options);
        let mut running = cat.args(["in", "-", "in"]).stdin(Stdio::piped()).begin();
        let first = shown(options, 1, "file");
        assert_eq!(running.hear(first.len()), first);
        running.say(b"pipe\n");
        let second = shown(options, 2, "pipe");
        assert_eq!(running.hear(second.len()), second);
        running.end_input();
        running.finish().success().stdout(shown(options, 3, "file")).stderr("");
    }
}

#[test]
fn the_same_over_a_socket() {
    let folder = Folder::new();
    for options in EVERY_WAY {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let mut running = folder.cat(*options).stdin(OwnedFd::from(theirs)).begin();
        for (number, text) in ["one", "two"].iter().enumerate() {
            ours.write_all(format!("{text}\n").as_bytes()).unwrap();
            let want = shown(options, number + 1, text);
            assert_eq!(running.hear(want.len()), want, "{options:?}");
        }
        drop(ours);
        running.finish().success().stdout("").stderr("");
    }
}

#[test]
fn a_non_blocking_input_is_waited_for() {
    let folder = Folder::new();
    for options in EVERY_WAY {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let reader_too = reader.try_clone().unwrap();
        add_flag(&reader, OFlag::O_NONBLOCK);
        let before = flags(&reader_too);
        let mut running = folder.cat(*options).stdin(reader).begin();
        for (number, text) in ["late", "later"].iter().enumerate() {
            running.until_asleep();
            writer.write_all(format!("{text}\n").as_bytes()).unwrap();
            let want = shown(options, number + 1, text);
            assert_eq!(running.hear(want.len()), want, "{options:?}");
        }
        running.until_asleep();
        drop(writer);
        running.finish().success().stdout("").stderr("");
        assert_eq!(flags(&reader_too), before, "the flags are the parent's");
    }
}

#[test]
fn a_non_blocking_output_is_waited_for() {
    let folder = Folder::new();
    let bytes = noise(700_001);
    folder.write("in", &bytes);
    let numbered = {
        folder.write("zeros", vec![b'\n'; 100_000]);
        (1..=100_000).map(|number| format!("{number:6}\t\n")).collect::<String>().into_bytes()
    };
    let lines: &[(&[&str], &[u8])] =
        &[(&["in"], &bytes), (&["-u", "in"], &bytes), (&["-n", "zeros"], &numbered)];
    // The last one has room for a page: poll says that it is full until it is empty.
    let pipes = [(65536, 65536), (1 << 17, 4099), (65536, 777), (4096, 777)];
    for (line, (capacity, piece)) in lines.iter().flat_map(|line| pipes.map(|pipe| (line, pipe))) {
        let (line, want) = line;
        let (reader, writer) = std::io::pipe().unwrap();
        fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
        let writer_too = writer.try_clone().unwrap();
        add_flag(&writer, OFlag::O_NONBLOCK);
        let before = flags(&writer_too);
        let mut running = folder.cat(*line).stdout(writer).begin();
        assert_eq!(running.until_asleep(), Rest::Asleep);
        assert_eq!(flags(&writer_too), before, "the flags are the parent's");
        drop(writer_too);
        let got = thread::spawn(move || drain_by(reader, piece)).join().unwrap();
        running.finish().success().stderr("");
        same(&got, want);
    }
}

#[test]
fn non_blocking_on_both_sides_pipes_and_sockets() {
    let folder = Folder::new();
    let bytes = noise(1_500_001);
    for options in [&[][..], &["-u", "-"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        let (mut ours, input) = UnixStream::pair().unwrap();
        add_flag(&writer, OFlag::O_NONBLOCK);
        add_flag(&input, OFlag::O_NONBLOCK);
        let mut cat = folder.cat(options);
        let mut running = cat.stdin(OwnedFd::from(input)).stdout(writer).begin();
        running.until_asleep();
        let got = thread::scope(|scope| {
            scope.spawn(|| {
                ours.write_all(&bytes).unwrap();
                ours.shutdown(Shutdown::Write).unwrap();
            });
            // The reader comes when the pipe is full and cat waits for it.
            running.until_asleep();
            drain(reader)
        });
        running.finish().success().stderr("");
        same(&got, &bytes);
    }
}

#[test]
fn flags_of_inherited_descriptors_stay() {
    let folder = Folder::new();
    folder.write("in", noise(300_000));
    for options in [&[][..], &["-A"]] {
        let input = folder.open("in");
        let output = std::fs::File::create(folder.path("out")).unwrap();
        let before = (flags(&input), flags(&output));
        let mut cat = folder.cat(options);
        cat.stdin(input.try_clone().unwrap()).stdout(output.try_clone().unwrap());
        cat.run().success();
        assert_eq!((flags(&input), flags(&output)), before);
    }
}
