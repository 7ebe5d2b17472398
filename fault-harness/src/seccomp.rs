//! Runs a program under a filter that refuses some system calls.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::errno;

/// Calls that a program can do without, once it has started.
pub const DISPENSABLE: &[(&str, i64)] = &[
    ("splice", libc::SYS_splice),
    ("tee", libc::SYS_tee),
    ("vmsplice", libc::SYS_vmsplice),
    ("sendfile", libc::SYS_sendfile),
    ("copy_file_range", libc::SYS_copy_file_range),
    ("pipe2", libc::SYS_pipe2),
    ("socketpair", libc::SYS_socketpair),
    ("getsockopt", libc::SYS_getsockopt),
    ("setsockopt", libc::SYS_setsockopt),
    ("fadvise64", libc::SYS_fadvise64),
    ("fstatfs", libc::SYS_fstatfs),
    ("fcntl", libc::SYS_fcntl),
    ("ioctl", libc::SYS_ioctl),
    ("lseek", libc::SYS_lseek),
    ("memfd_create", libc::SYS_memfd_create),
    ("madvise", libc::SYS_madvise),
    ("munmap", libc::SYS_munmap),
    ("mremap", libc::SYS_mremap),
];

/// Becomes `command` under a filter: each of `calls` (names with commas between) gets `answer`,
/// an error's name or `KILL`.
///
/// # Errors
/// A name is not known, or the kernel takes no filters.
pub fn refuse(calls: &str, answer: &str, command: &[String]) -> Result<()> {
    let action = match answer {
        "KILL" => SeccompAction::KillProcess,
        error => {
            let number = errno::number(error).with_context(|| format!("no such error: {error}"))?;
            SeccompAction::Errno(number.unsigned_abs())
        }
    };
    let mut rules = BTreeMap::new();
    for name in calls.split(',') {
        let known = DISPENSABLE.iter().find(|(known, _)| *known == name);
        let (_, number) =
            known.with_context(|| format!("not a call that can be refused: {name}"))?;
        rules.insert(*number, Vec::new());
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?;
    let Some((program, arguments)) = command.split_first() else { bail!("no program to run") };
    let filter: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&filter).context("the kernel takes no filter")?;
    Err(Command::new(program).args(arguments).exec())
        .with_context(|| format!("cannot run {program}"))
}
