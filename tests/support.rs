//! What all tests share: a temporary folder with links to the program, children that start from
//! a known state whatever this process inherited, and a limit on how long anything may take.

#![allow(dead_code, reason = "each file of tests takes what it needs from here")]

use std::ffi::OsStr;
use std::fs;
use std::io::{PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use assert_cmd::assert::{Assert, OutputAssertExt};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{SigSet, Signal, killpg};
use nix::sys::stat::{Mode, umask};
use nix::unistd::Pid;
use tempfile::TempDir;

/// The program under test.
pub(crate) const MULTICALL: &str = env!("CARGO_BIN_EXE_multicall");

/// Far more than anything here needs on a busy machine: what takes longer, hangs.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A temporary folder: the working directory of the programs, and their links in another.
pub(crate) struct Folder {
    root: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Folder {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = Folder { root };
        fs::create_dir(folder.path("")).expect("a working directory");
        fs::create_dir(folder.bin("")).expect("a folder for links");
        for name in ["cat", "yes", "multicall"] {
            symlink(MULTICALL, folder.bin(name)).expect("a link to the program");
        }
        folder
    }

    /// The working directory of the programs, and what is in it.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Where the links `cat`, `yes` and `multicall` are.
    pub(crate) fn bin(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("bin").join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("an input file");
    }

    #[track_caller]
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).expect("an output file")
    }

    /// Copies a file and makes the copy executable. Another program does it: as long as this one
    /// had it open for writing, children of other threads could too, and nobody may execute it.
    pub(crate) fn executable(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) {
        self.command("cp").arg(from).arg(&to).run().success();
        self.command("chmod").arg("755").arg(&to).run().success();
    }

    /// A file of this folder, for one of a child's standard streams.
    pub(crate) fn open(&self, name: impl AsRef<Path>) -> fs::File {
        fs::File::open(self.path(name)).expect("an input file")
    }

    /// Any program in the working directory, with the C locale and PATH for an environment, no
    /// input, and its output captured.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path(""))
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", format!("{}:/usr/bin:/bin", self.bin("").display()))
            .process_group(0);
        capture(&mut command);
        command
    }

    pub(crate) fn cat(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        self.applet("cat", arguments)
    }

    pub(crate) fn yes(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        self.applet("yes", arguments)
    }

    pub(crate) fn applet(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = self.command(self.bin(name));
        command.args(arguments);
        command
    }

    /// A shell line: for redirections, limits and ignored signals, where the shell says it best.
    pub(crate) fn sh(&self, script: impl AsRef<OsStr>) -> Command {
        let mut command = self.command("/bin/sh");
        command.arg("-c").arg(script);
        command
    }
}

fn capture(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// The two ways of starting a child: all of them go through here.
pub(crate) trait Run {
    /// Starts the child and comes back at once.
    fn begin(&mut self) -> Running;
    /// Runs the child to its end.
    fn run(&mut self) -> Assert;
    /// Runs the child to its end with `input` in a pipe as its standard input.
    fn fed(&mut self, input: &[u8]) -> Assert;
}

impl Run for Command {
    fn begin(&mut self) -> Running {
        start_from_a_known_state();
        let child = self.spawn().expect("the program starts");
        // A command keeps the descriptors that it was given: nobody would see an end of file.
        capture(self);
        let watchdog = Watchdog::over(group(&child));
        Running { child: Some(child), watchdog: Some(watchdog), shown: format!("{self:?}") }
    }

    #[track_caller]
    fn run(&mut self) -> Assert {
        self.begin().finish()
    }

    #[track_caller]
    fn fed(&mut self, input: &[u8]) -> Assert {
        let mut running = self.stdin(Stdio::piped()).begin();
        let stdin = running.child_mut().stdin.take();
        thread::scope(|scope| {
            // Not all programs read all of their input.
            scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(input)));
            running.finish()
        })
    }
}

/// A child gets SIGPIPE's default action from std, and its signal mask, umask and descriptors
/// above 2 from this process, which may have inherited anything.
fn start_from_a_known_state() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        umask(Mode::from_bits_truncate(0o022));
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
    });
    SigSet::empty().thread_set_mask().expect("an empty signal mask");
}

fn group(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).expect("a process number"))
}

/// A child that has not been waited for. It and its children are killed if a test gives up.
pub(crate) struct Running {
    child: Option<Child>,
    watchdog: Option<Watchdog>,
    shown: String,
}

impl Running {
    fn child_mut(&mut self) -> &mut Child {
        self.child.as_mut().expect("only finish() takes the child")
    }

    /// Writes to the child's standard input.
    #[track_caller]
    pub(crate) fn say(&mut self, bytes: &[u8]) {
        let stdin = self.child_mut().stdin.as_mut().expect("a piped standard input");
        stdin.write_all(bytes).expect("the child reads");
    }

    /// Ends the child's standard input.
    pub(crate) fn end_input(&mut self) {
        self.child_mut().stdin = None;
    }

    /// Reads exactly so many bytes of the child's standard output.
    #[track_caller]
    pub(crate) fn hear(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let stdout = self.child_mut().stdout.as_mut().expect("a piped standard output");
        stdout.read_exact(&mut bytes).expect("the child writes so much");
        bytes
    }

    /// Goes away as a reader: the next write of the child fails.
    pub(crate) fn stop_listening(&mut self) {
        self.child_mut().stdout = None;
    }

    /// Waits until the child sleeps in a system call, or has ended: only then is it certain what
    /// it does while nothing can be read or written.
    pub(crate) fn until_asleep(&mut self) {
        let stat = format!("/proc/{}/stat", self.child_mut().id());
        let mut sightings = 0;
        for _ in 0..10_000 {
            let text = fs::read_to_string(&stat).expect("the state of a child");
            match text.rsplit(") ").next().and_then(|rest| rest.chars().next()) {
                Some('Z') => return,
                Some('S') if sightings == 10 => return,
                Some('S') => sightings += 1,
                _ => sightings = 0,
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("{}: never comes to rest", self.shown);
    }

    /// Waits for the end of the child, and for the rest of its output.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Assert {
        let child = self.child.take().expect("finish() is called once");
        let output = child.wait_with_output().expect("a child can be waited for");
        let hung = self.watchdog.take().is_some_and(Watchdog::stand_down);
        assert!(!hung, "{}: no end within {TIME_LIMIT:?}, killed", self.shown);
        output.assert().append_context("command", self.shown.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = killpg(group(child), Signal::SIGKILL);
            let _ = child.wait();
        }
        self.watchdog.take().map(Watchdog::stand_down);
    }
}

/// Kills a process group that outlives the time limit.
struct Watchdog {
    stop: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watchdog {
    fn over(group: Pid) -> Watchdog {
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || {
            let hung = stopped.recv_timeout(TIME_LIMIT) == Err(RecvTimeoutError::Timeout);
            hung && killpg(group, Signal::SIGKILL).is_ok()
        });
        Watchdog { stop, thread }
    }

    /// Ends the watch and tells whether it had to kill.
    fn stand_down(self) -> bool {
        drop(self.stop);
        self.thread.join().unwrap_or(true)
    }
}

/// What a child leaves behind when a signal ends it: nothing on standard error.
#[track_caller]
pub(crate) fn died_silently_of(signal: Signal, assert: Assert) {
    let output = assert.stderr("").get_output().clone();
    assert_eq!(output.status.signal(), Some(signal as i32), "{:?}", output.status);
}

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
pub(crate) fn broken_pipe() -> std::io::PipeWriter {
    std::io::pipe().expect("a pipe").1
}

/// The rest of what comes out of a pipe.
pub(crate) fn drain(mut pipe: PipeReader) -> Vec<u8> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).expect("a pipe can be read");
    bytes
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
