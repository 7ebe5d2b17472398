//! Whether everybody is at rest: then a run hangs, however busy the machine is.
//!
//! A limit of time cannot tell a program that waits for ever from one that gets no processor. A
//! process that sleeps, and whose count of context switches stands still, waits for somebody. Where
//! that is so for all processes of a run, and for all threads of ours that feed and read it, nobody
//! is left who could wake another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;
use rustix::thread::gettid;

use crate::watch::lock;

/// For so long nobody must have moved. Nothing here waits for a clock; what the kernel does on its
/// own (the queue of a terminal, a connection on this machine) takes a thousandth of it.
const LONG_ENOUGH: Duration = Duration::from_secs(1);

/// How often it is looked.
const EVERY: Duration = Duration::from_millis(100);

/// The threads of ours that feed and read one run.
#[derive(Debug, Clone, Default)]
pub struct Helpers {
    threads: Arc<Mutex<Vec<Arc<AtomicI32>>>>,
}

const NOT_BEGUN: i32 = 0;
const OVER: i32 = -1;

impl Helpers {
    /// Starts a thread that counts among those who can move a run.
    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let thread = Arc::new(AtomicI32::new(NOT_BEGUN));
        lock(&self.threads).push(Arc::clone(&thread));
        std::thread::spawn(move || {
            thread.store(gettid().as_raw_nonzero().get(), Ordering::Relaxed);
            let result = work();
            thread.store(OVER, Ordering::Relaxed);
            result
        })
    }
}

/// What a look showed.
#[derive(Debug, Default)]
struct Look {
    /// How often each thread had been put on a processor; nothing if one is, or is about to be.
    switches: Option<BTreeMap<i32, u64>>,
    /// Processor time of the run.
    spent: Duration,
}

/// Looks at a run again and again.
#[derive(Debug)]
pub struct Rest {
    group: Pid,
    helpers: Helpers,
    looked: Instant,
    since: Instant,
    switches: Option<BTreeMap<i32, u64>>,
    spent: Duration,
}

impl Rest {
    /// Looks at the process group `group` and at `helpers`.
    pub fn new(group: Pid, helpers: Helpers) -> Rest {
        let now = Instant::now();
        let (switches, spent) = (None, Duration::ZERO);
        Rest { group, helpers, looked: now, since: now, switches, spent }
    }

    /// Whether nobody has moved for long enough. To be called again and again.
    pub fn is_final(&mut self) -> bool {
        if self.looked.elapsed() < EVERY {
            return false;
        }
        let look = look(self.group, &self.helpers);
        self.looked = Instant::now();
        if look.switches.is_none() || look.switches != self.switches {
            self.since = self.looked;
        }
        self.switches = look.switches;
        self.spent = look.spent;
        self.switches.is_some() && self.since.elapsed() > LONG_ENOUGH
    }

    /// The processor time that the run had spent at the last look.
    pub fn spent(&self) -> Duration {
        self.spent
    }
}

fn look(group: Pid, helpers: &Helpers) -> Look {
    let mut look = Look { switches: Some(BTreeMap::new()), spent: Duration::ZERO };
    for thread in lock(&helpers.threads).iter() {
        match thread.load(Ordering::Relaxed) {
            OVER => {}
            NOT_BEGUN => look.switches = None,
            number => look.thread(&format!("/proc/self/task/{number}"), number),
        }
    }
    let Ok(entries) = fs::read_dir("/proc") else { return Look::default() };
    for entry in entries.flatten() {
        let path = entry.path();
        if let Some(ticks) = ticks(&path, group) {
            look.spent += Duration::from_millis(ticks * 1000 / clock_ticks_per_second());
            look.process(&path);
        }
    }
    look
}

impl Look {
    fn process(&mut self, process: &Path) {
        let Ok(threads) = fs::read_dir(process.join("task")) else { return };
        for thread in threads.flatten() {
            let name = thread.file_name().to_string_lossy().into_owned();
            self.thread(&thread.path().display().to_string(), name.parse().unwrap_or(0));
        }
    }

    /// A thread that is gone meanwhile will not move again.
    fn thread(&mut self, folder: &str, number: i32) {
        let Ok(status) = fs::read_to_string(format!("{folder}/status")) else { return };
        let value = |name: &str| {
            status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next())
        };
        let count = |name| value(name).and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
        if !matches!(value("State:"), Some("S" | "Z" | "X")) {
            self.switches = None;
        }
        if let Some(switches) = &mut self.switches {
            let times = count("voluntary_ctxt_switches:") + count("nonvoluntary_ctxt_switches:");
            switches.insert(number, times);
        }
    }
}

/// Processor time of the process in `folder`, if it is one, and belongs to `group`.
fn ticks(folder: &Path, group: Pid) -> Option<u64> {
    let name = folder.file_name()?.to_str()?;
    name.parse::<u32>().ok()?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name before may hold anything, brackets included.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let of_group = fields.get(2)?.parse::<i32>().ok()? == group.as_raw_nonzero().get();
    // utime and stime are the 14th and 15th of all, and two were cut off.
    let time = |place: usize| fields.get(place)?.parse::<u64>().ok();
    of_group.then_some(time(11)? + time(12)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;

    use super::*;

    fn shell(script: &str) -> Child {
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
    }

    fn settles(rest: &mut Rest, within: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < within {
            if rest.is_final() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    #[test]
    fn who_waits_for_a_pipe_that_nobody_writes_to_is_at_rest() {
        let mut child = shell("read line");
        let mut rest = Rest::new(Pid::from_child(&child), Helpers::default());
        assert!(settles(&mut rest, Duration::from_secs(60)));
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn who_computes_is_not_at_rest_and_its_time_is_counted() {
        let mut child = shell("while :; do :; done");
        let mut rest = Rest::new(Pid::from_child(&child), Helpers::default());
        assert!(!settles(&mut rest, LONG_ENOUGH * 2));
        assert!(rest.spent() > Duration::ZERO);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_helper_that_is_at_work_keeps_a_run_from_being_at_rest() {
        let mut child = shell("read line");
        let helpers = Helpers::default();
        let (stop, stopped) = mpsc::channel::<()>();
        let busy = helpers.spawn(move || {
            while stopped.try_recv() == Err(mpsc::TryRecvError::Empty) {
                std::hint::spin_loop();
            }
        });
        let mut rest = Rest::new(Pid::from_child(&child), helpers);
        assert!(!settles(&mut rest, LONG_ENOUGH * 2));
        drop(stop);
        busy.join().unwrap();
        assert!(settles(&mut rest, Duration::from_secs(60)));
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
