//! Which core each process of a pipeline runs on.
//!
//! A process inherits the cores of the thread that starts it, so the starter moves itself, starts
//! the process, and moves on. Nothing has to be set between `fork` and `exec`.

use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// What a process does in a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The program that is measured: a core of its own, whenever there are two.
    Measured,
    /// The process that takes the output.
    Consumer,
    /// The process that makes the input. With two cores it shares the consumer's: the two wait
    /// for the program between them, each on its own side.
    Feeder,
}

/// The cores that this process may use, each only once where two are threads of one.
#[derive(Debug)]
pub(crate) struct Cores {
    allowed: CpuSet,
    distinct: Vec<usize>,
}

impl Cores {
    /// Asks the kernel.
    pub(crate) fn find() -> io::Result<Cores> {
        let allowed = sched_getaffinity(Pid::from_raw(0))?;
        let mut cores = Cores { allowed, distinct: Vec::new() };
        let mut cores_seen = Vec::new();
        for cpu in cores.allowed() {
            let core = core_of(cpu);
            if !cores_seen.contains(&core) {
                cores_seen.push(core);
                cores.distinct.push(cpu);
            }
        }
        Ok(cores)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.distinct.len()
    }

    /// Every processor that this process may use, threads of one core among them.
    pub(crate) fn allowed(&self) -> Vec<usize> {
        (0..CpuSet::count()).filter(|cpu| self.allowed.is_set(*cpu).unwrap_or(false)).collect()
    }

    /// Runs `start`, which starts a process, on the core that `seat` has.
    pub(crate) fn seated<T>(&self, seat: Seat, start: impl FnOnce() -> T) -> io::Result<T> {
        let place = match seat {
            Seat::Measured => 1,
            Seat::Consumer => 0,
            Seat::Feeder if self.count() > 2 => 2,
            Seat::Feeder => 0,
        };
        let mut only = CpuSet::new();
        only.set(self.distinct[place % self.count()])?;
        sched_setaffinity(Pid::from_raw(0), &only)?;
        let started = start();
        sched_setaffinity(Pid::from_raw(0), &self.allowed)?;
        Ok(started)
    }
}

/// The threads of one core name the same list; a kernel that tells nothing has one thread a core.
fn core_of(cpu: usize) -> String {
    let list = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    std::fs::read_to_string(list).unwrap_or_else(|_| cpu.to_string())
}
