//! `cat` and `yes` on a terminal.

mod support;

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use nix::fcntl::OFlag;
use nix::pty::openpty;
use nix::sys::termios::{LocalFlags, OutputFlags, SetArg, tcgetattr, tcsetattr};
use support::{Folder, Run, add_flag};

/// A terminal that neither echoes nor turns newlines into two characters: our end and the
/// program's.
fn terminal() -> (File, OwnedFd) {
    let pty = openpty(None, None).expect("a terminal");
    let mut settings = tcgetattr(&pty.slave).expect("its settings");
    settings.local_flags.remove(LocalFlags::ECHO);
    settings.output_flags.remove(OutputFlags::OPOST);
    tcsetattr(&pty.slave, SetArg::TCSANOW, &settings).expect("new settings");
    (File::from(pty.master), pty.slave)
}

/// The end-of-file key.
const END: &[u8] = b"\x04";

#[test]
fn one_end_of_file_key_ends_the_input() {
    let folder = Folder::new();
    for (option, want) in [("-u", "x\n"), ("-n", "     1\tx\n"), ("-A", "x$\n"), ("-s", "x\n")] {
        let (mut keys, terminal) = terminal();
        let mut running = folder.cat([option]).stdin(terminal.try_clone().unwrap()).begin();
        keys.write_all(b"x\n").unwrap();
        assert_eq!(running.hear(want.len()), want.as_bytes());
        keys.write_all(END).unwrap();
        running.finish().success().stdout("").stderr("");
    }
    let (mut keys, terminal) = terminal();
    let running = folder.cat(["-"]).stdin(terminal.try_clone().unwrap()).begin();
    keys.write_all(&[b"x\n", END].concat()).unwrap();
    running.finish().success().stdout("x\n").stderr("");
}

#[test]
fn the_key_in_the_middle_of_a_line_only_sends_it() {
    let folder = Folder::new();
    for option in ["-u", "-v"] {
        let (mut keys, terminal) = terminal();
        let mut running = folder.cat([option]).stdin(terminal.try_clone().unwrap()).begin();
        keys.write_all(&[b"ab", END].concat()).unwrap();
        assert_eq!(running.hear(2), b"ab");
        keys.write_all(&[b"c\n", END].concat()).unwrap();
        running.finish().success().stdout("c\n").stderr("");
    }
}

#[test]
fn each_key_ends_one_dash() {
    let folder = Folder::new();
    folder.write("in", "file\n");
    for (option, numbers) in [("-u", ["", "", ""]), ("-n", ["     1\t", "     2\t", "     3\t"])] {
        let (mut keys, terminal) = terminal();
        let mut cat = folder.cat([option, "-", "in", "-"]);
        let mut running = cat.stdin(terminal.try_clone().unwrap()).begin();
        keys.write_all(&[b"first\n", END].concat()).unwrap();
        let want = format!("{}first\n{}file\n", numbers[0], numbers[1]);
        assert_eq!(running.hear(want.len()), want.as_bytes());
        keys.write_all(&[b"last\n", END].concat()).unwrap();
        running.finish().success().stdout(format!("{}last\n", numbers[2])).stderr("");
    }
}

#[test]
fn output_to_a_terminal_arrives() {
    let folder = Folder::new();
    let text = "a line\n".repeat(2000);
    folder.write("in", &text);
    for options in [&["in"][..], &["-u", "in"], &["-v", "in"]] {
        let (ours, terminal) = terminal();
        let running = folder.cat(options).stdout(terminal).begin();
        let got = to_hangup(ours);
        running.finish().success().stderr("");
        support::same(&got, text.as_bytes());
    }
    let (mut ours, terminal) = terminal();
    let running = folder.yes(["tty"]).stdout(terminal).begin();
    let mut got = [0; 4000];
    ours.read_exact(&mut got).unwrap();
    assert_eq!(&got[..], &b"tty\n".repeat(1000)[..]);
    drop(running);
}

/// Everything until the last program has closed the terminal, which reads as an error.
fn to_hangup(mut ours: File) -> Vec<u8> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match ours.read(&mut buffer) {
            Ok(count) => all.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return all,
        }
    }
}

/// The same terminal on both sides is not a file that is copied onto itself.
#[test]
fn a_terminal_opened_for_append_is_no_self_copy() {
    let folder = Folder::new();
    for option in ["-u", "-E"] {
        let (mut keys, terminal) = terminal();
        add_flag(&terminal, OFlag::O_APPEND);
        let mut cat = folder.cat([option]);
        cat.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap());
        let running = cat.stderr(Stdio::piped()).begin();
        keys.write_all(&[b"hi\n", END].concat()).unwrap();
        drop(terminal);
        let got = to_hangup(keys);
        running.finish().success().stderr("");
        assert_eq!(got, if option == "-u" { &b"hi\n"[..] } else { b"hi$\n" });
    }
}
