//! Bytes, pipes and flags that tests are made of, and a look for the tools that they need.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::process::Command;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Compares outputs too long to be shown.
#[track_caller]
pub(crate) fn same(got: &[u8], want: &[u8]) {
    if got != want {
        let place = got.iter().zip(want).take_while(|(a, b)| a == b).count();
        let around = |bytes: &[u8]| {
            let end = bytes.len().min(place + 40);
            bytes[place.saturating_sub(20).min(end)..end].escape_ascii().to_string()
        };
        panic!(
            "differs at byte {place} of {} (want {} bytes)\n got {}\nwant {}",
            got.len(),
            want.len(),
            around(got),
            around(want)
        );
    }
}

/// Bytes that look like nothing in particular, the same every time.
pub(crate) fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// A pipe whose reader is gone.
pub(crate) fn broken_pipe() -> PipeWriter {
    std::io::pipe().expect("a pipe").1
}

/// The rest of what comes out of a pipe.
pub(crate) fn drain(mut pipe: PipeReader) -> Vec<u8> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).expect("a pipe can be read");
    bytes
}

/// The rest of what comes out of a pipe, in reads of at most `piece` bytes.
pub(crate) fn drain_by(mut pipe: PipeReader, piece: usize) -> Vec<u8> {
    let (mut all, mut bytes) = (Vec::new(), vec![0; piece]);
    loop {
        match pipe.read(&mut bytes).expect("a pipe can be read") {
            0 => return all,
            count => all.extend_from_slice(&bytes[..count]),
        }
    }
}

pub(crate) fn flags(descriptor: impl AsFd) -> OFlag {
    let bits = fcntl(descriptor, FcntlArg::F_GETFL).expect("flags of a descriptor");
    OFlag::from_bits_retain(bits)
}

/// Adds a flag, such as O_NONBLOCK, for all who share the open file.
pub(crate) fn add_flag(descriptor: impl AsFd, flag: OFlag) {
    let all = flags(&descriptor) | flag;
    fcntl(descriptor, FcntlArg::F_SETFL(all)).expect("a flag can be set");
}

/// Whether a tool is there and works here. Under CI nothing may be skipped: there it must be.
#[track_caller]
pub(crate) fn tool(program: &str, probe: &[&str]) -> bool {
    let works = Command::new(program).args(probe).output().is_ok_and(|it| it.status.success());
    if !works {
        let words = format!(
            "`{program} {}` does not work here (cargo xtask test --setup installs tools)",
            probe.join(" ")
        );
        assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "{words}");
        // Not with eprintln, which is captured: nobody would see what was left out.
        let _ = writeln!(std::io::stderr(), "\nNOT TESTED: {words}");
    }
    works
}
