//! A user who has used up all pages for pipes: a new pipe holds two pages (one, on older kernels)
//! and none can be enlarged. Whoever fills a pipe of his own with more than that waits for ever.

mod support;

use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::Signal;
use nix::unistd::{SysconfVar, Uid, setuid, sysconf};
use support::{Run, died_silently_of, multicall, noise, same};

/// A number that no user should have: the pages that these tests take are nobody else's.
const USER: u32 = 65_111;

/// What was opened while this process could still go everywhere, and the pages it holds.
struct Poor {
    program: File,
    _held: Vec<(PipeReader, PipeWriter)>,
}

/// Makes this process, all of it, one of a user without privileges and without pages.
fn poor() -> &'static Poor {
    static POOR: OnceLock<Poor> = OnceLock::new();
    POOR.get_or_init(|| {
        let program = File::open(multicall()).expect("the program");
        if Uid::effective().is_root() {
            setuid(Uid::from_raw(USER)).expect("root can become anybody");
        }
        let held = take_all_pages();
        Poor { program, _held: held }
    })
}

/// Large pipes while they can be had, then smaller ones, until a new one is as small as any.
fn take_all_pages() -> Vec<(PipeReader, PipeWriter)> {
    let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().expect("the size of a page");
    let mut held = Vec::new();
    let mut large = true;
    // The usual limit is 64 large pipes; without one there is no end.
    for _ in 0..400 {
        let pipe = std::io::pipe().expect("a limit on descriptors above 800");
        large = large && fcntl(&pipe.1, FcntlArg::F_SETPIPE_SZ(1 << 20)).is_ok();
        let capacity = fcntl(&pipe.1, FcntlArg::F_GETPIPE_SZ).expect("a pipe's capacity");
        held.push(pipe);
        if i64::from(capacity) <= 2 * page {
            return held;
        }
    }
    panic!("there is no limit: /proc/sys/fs/pipe-user-pages-soft is 0, or far from its default");
}

impl Poor {
    /// An applet, by descriptor: this user need not reach the folder that it lies in.
    fn applet(&self, name: &str, words: &[String]) -> Command {
        let mut command = Command::new(format!("/proc/self/fd/{}", self.program.as_raw_fd()));
        command.arg0(name).args(words).env_clear().env("LC_ALL", "C").process_group(0);
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command
    }
}

#[test]
fn yes_goes_on_by_every_path() {
    for length in [2, 999, 20_000, 40_000, 100_000, 1_500_000] {
        let words = vec!["x".repeat(length.min(100_000) - 1); length.div_ceil(100_000)];
        let line = words.join(" ") + "\n";
        for value in ["", "vmsplice", "copy"] {
            let mut command = poor().applet("yes", &words);
            let mut running = command.env("MULTICALL_IO", value).begin();
            let got = running.hear(2_000_001);
            running.stop_listening();
            died_silently_of(Signal::SIGPIPE, running.finish());
            same(&got, &line.repeat(2_000_001 / line.len() + 1).as_bytes()[..got.len()]);
        }
    }
}

#[test]
fn yes_goes_on_into_a_socket() {
    for value in ["", "vmsplice"] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let mut command = poor().applet("yes", &[]);
        let running = command.env("MULTICALL_IO", value).stdout(OwnedFd::from(theirs)).begin();
        let mut got = vec![0; 1_000_001];
        ours.read_exact(&mut got).unwrap();
        drop(running);
        same(&got, &b"y\n".repeat(500_001)[..got.len()]);
    }
}

/// Sizes below, at and above what is gathered, copied and spliced.
const SIZES: [usize; 5] = [1, 5000, 70_000, 300_000, 3_000_001];

/// A file in memory with those bytes, read from its beginning: this user may have no folder.
fn file_of(bytes: &[u8]) -> File {
    let file = memfd_create("file", MFdFlags::MFD_CLOEXEC).expect("a file in memory");
    let mut file = File::from(file);
    file.write_all(bytes).expect("room in memory");
    file.rewind().expect("a file has a beginning");
    file
}

#[test]
fn cat_copies_from_files_pipes_and_sockets() {
    let bytes = noise(SIZES[4]);
    for part in SIZES.map(|size| &bytes[..size]) {
        let cat = || poor().applet("cat", &[]);
        let got = cat().stdin(file_of(part)).run().success().get_output().stdout.clone();
        same(&got, part);
        let got = cat().fed(part).success().get_output().stdout.clone();
        same(&got, part);
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let running = cat().stdin(OwnedFd::from(theirs)).begin();
        let got = thread::scope(|scope| {
            scope.spawn(move || ours.write_all(part).unwrap());
            running.finish().success().get_output().stdout.clone()
        });
        same(&got, part);
    }
}

#[test]
fn cat_copies_into_files_and_sockets() {
    let bytes = noise(SIZES[4]);
    for part in SIZES.map(|size| &bytes[..size]) {
        let mut out = file_of(b"");
        let fed = |out: OwnedFd| {
            poor().applet("cat", &[]).stdout(out).fed(part).success().stderr("");
        };
        fed(out.as_fd().try_clone_to_owned().unwrap());
        out.rewind().unwrap();
        let mut got = Vec::new();
        out.read_to_end(&mut got).unwrap();
        same(&got, part);

        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let got = thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut got = Vec::new();
                ours.read_to_end(&mut got).map(|_| got).unwrap()
            });
            fed(theirs.into());
            reader.join().unwrap()
        });
        same(&got, part);
    }
}
