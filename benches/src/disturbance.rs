//! Who else had the processors while a cell was measured. A compiler that runs meanwhile falls on
//! all contenders alike, but not on all cells: the figures are then no figures of this machine.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::unistd::{SysconfVar, sysconf};

use crate::pin::Cores;

/// Less of a core than this is what any machine does beside.
const MUCH: f64 = 0.2;

/// Shorter cells than this are not judged: the kernel counts in ticks.
const SHORT: Duration = Duration::from_millis(200);

/// A look at the clocks.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    cpus: Vec<usize>,
    busy: Duration,
    own: Duration,
}

impl Watch {
    /// Begins to watch; `None` where a sandbox hides what the processors do.
    pub(crate) fn start(cores: &Cores) -> Option<Watch> {
        let cpus = cores.allowed();
        let (busy, own) = (busy(&fs::read_to_string("/proc/stat").ok()?, &cpus)?, own()?);
        Some(Watch { started: Instant::now(), cpus, busy, own })
    }

    /// What others had since then as a part of one core, if that was much.
    pub(crate) fn much_by_others(self) -> Option<f64> {
        let time = self.started.elapsed();
        let busy = busy(&fs::read_to_string("/proc/stat").ok()?, &self.cpus)?;
        let others = busy.saturating_sub(self.busy).saturating_sub(own()?.saturating_sub(self.own));
        let part = others.as_secs_f64() / time.as_secs_f64();
        (time >= SHORT && part >= MUCH).then_some(part)
    }
}

/// The time that `cpus` were at work or taken from this machine by its host, from the text of
/// /proc/stat. Interrupts are left out: most are answers to what the bench does.
fn busy(stat: &str, cpus: &[usize]) -> Option<Duration> {
    let second = sysconf(SysconfVar::CLK_TCK).ok().flatten().filter(|ticks| *ticks > 0)?;
    let mut ticks = 0;
    for cpu in cpus {
        let line = stat.lines().find_map(|line| line.strip_prefix(&format!("cpu{cpu} ")))?;
        let fields: Vec<u64> = line.split_whitespace().flat_map(str::parse).collect();
        let [user, nice, system, _idle, _iowait, _irq, _softirq, steal, ..] = fields[..] else {
            return None;
        };
        ticks += user + nice + system + steal;
    }
    Some(Duration::from_secs_f64(ticks as f64 / second as f64))
}

/// The time that this process had, and those of its children that have ended.
fn own() -> Option<Duration> {
    let mut sum = 0;
    for who in [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN] {
        let usage = getrusage(who).ok()?;
        sum += usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    }
    Some(Duration::from_micros(u64::try_from(sum).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 20 30 1000 7 7 7 40 0 0\n\
                        cpu1 1 0 0 0 0 0 0 0 0 0\ncpu10 5 5 5 5 5 5 5 5 5 5\n";

    #[test]
    fn only_the_processors_of_this_process_count_and_only_when_they_work() {
        let second = sysconf(SysconfVar::CLK_TCK).unwrap().unwrap() as f64;
        assert_eq!(busy(STAT, &[0]), Some(Duration::from_secs_f64(100.0 / second)));
        assert_eq!(busy(STAT, &[0, 1]), Some(Duration::from_secs_f64(101.0 / second)));
        assert_eq!(busy(STAT, &[2]), None);
    }
}
