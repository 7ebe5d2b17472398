//! What machine the figures are from: they mean little without it.

use std::fs;

use nix::sys::utsname::uname;
use serde::{Deserialize, Serialize};

/// A machine, as a reader of figures wants to know it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) processor: String,
    /// Cores that this process may use.
    pub(crate) cores: usize,
    /// Memory in bytes.
    pub(crate) memory: u64,
    /// The kernel's name and release.
    pub(crate) kernel: String,
    /// The processor's architecture.
    pub(crate) architecture: String,
}

impl Machine {
    /// Looks around. What a sandbox hides is "unknown".
    pub(crate) fn find(cores: usize) -> Machine {
        let unknown = || "unknown".to_owned();
        let names = uname().ok();
        let name = |part: fn(&nix::sys::utsname::UtsName) -> &std::ffi::OsStr| {
            names.as_ref().map_or_else(unknown, |names| part(names).to_string_lossy().into_owned())
        };
        Machine {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores,
            memory: memory("MemTotal"),
            kernel: format!("{} {}", name(|names| names.sysname()), name(|names| names.release())),
            architecture: name(|names| names.machine()),
        }
    }
}

/// Memory in bytes that can be had without anybody else losing any.
pub(crate) fn available_memory() -> u64 {
    memory("MemAvailable")
}

fn memory(key: &str) -> u64 {
    let value = field("/proc/meminfo", key).unwrap_or_default();
    value.trim_end_matches(" kB").parse().map_or(0, |kibibytes: u64| kibibytes * 1024)
}

/// The first value of `key` in a file of `key: value` lines.
fn field(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().to_owned())
}
