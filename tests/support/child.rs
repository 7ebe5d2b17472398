//! Children: how they start, how they are spoken to, and how they end, in any case.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use assert_cmd::assert::{Assert, OutputAssertExt};
use nix::sys::signal::{SigSet, Signal, killpg};
use nix::sys::stat::{Mode, umask};
use nix::unistd::Pid;

/// Far more than anything here needs on a busy machine: what takes longer, hangs.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// No input, and all output kept: how a command stands before a test changes it.
pub(super) fn capture(command: &mut Command) {
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

/// How a child came to rest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    Asleep,
    Ended,
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

    /// Waits until the child sleeps in a system call, or has ended, and tells which: only then is
    /// it certain what it does while nothing can be read or written.
    pub(crate) fn until_asleep(&mut self) -> Rest {
        let stat = format!("/proc/{}/stat", self.child_mut().id());
        let mut sightings = 0;
        for _ in 0..10_000 {
            let text = fs::read_to_string(&stat).expect("the state of a child");
            match text.rsplit(") ").next().and_then(|rest| rest.chars().next()) {
                Some('Z') => return Rest::Ended,
                Some('S') if sightings == 10 => return Rest::Asleep,
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
