//! Which strace there is, what it can do, and its command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::calls;

/// The strace of this machine.
#[derive(Debug)]
pub struct Strace {
    program: PathBuf,
    version: String,
    /// A filter in the kernel keeps calls that are not traced at full speed.
    filter: bool,
    /// What it cannot do, in words.
    missing: Vec<String>,
}

impl Strace {
    /// Finds strace and tries what the harness wants of it.
    ///
    /// # Errors
    /// There is none, or it cannot inject.
    pub fn probe() -> Result<Strace> {
        let program = on_path("strace").context("strace is not installed: it makes the faults")?;
        let version = Command::new(&program).arg("--version").output()?;
        let version = String::from_utf8_lossy(&version.stdout);
        let version = version.lines().next().unwrap_or("strace").to_owned();
        let mut strace = Strace { program, version, filter: true, missing: Vec::new() };
        if !strace.can("getpid:error=EPERM:when=1+") {
            strace.filter = false;
            strace.missing.push("--seccomp-bpf (runs are slower)".to_owned());
            if !strace.can("getpid:error=EPERM:when=1+") {
                bail!("{} cannot inject faults here (ptrace forbidden?)", strace.version);
            }
        }
        for (what, expression) in
            [("retval=0", "getpid:retval=0:when=1"), ("signal=", "getpid:signal=SIGWINCH:when=1")]
        {
            if !strace.can(expression) {
                strace.missing.push(format!("inject {what}"));
            }
        }
        Ok(strace)
    }

    /// What is left out because of this strace; to be said aloud.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Its first words.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its path, and the arguments before the program's own: one trace line a call, with the
    /// process's number, descriptors with their paths, and no contents.
    pub fn words(&self, trace: &Path, everything: bool, inject: Option<&str>) -> Vec<String> {
        let mut words = vec![self.program.display().to_string()];
        words.extend(["-f", "-qq", "-y", "-s0", "-o"].map(str::to_owned));
        words.push(trace.display().to_string());
        if !everything {
            words.extend(self.filter.then(|| "--seccomp-bpf".to_owned()));
            words.extend(["-e".to_owned(), calls::filter()]);
        }
        if let Some(inject) = inject {
            words.extend(["-e".to_owned(), format!("inject={inject}")]);
        }
        words
    }

    fn can(&self, inject: &str) -> bool {
        let mut tried = Command::new(&self.program);
        tried.args(["-f", "-qq", "-y", "-s0", "-o", "/dev/null"]);
        if self.filter {
            tried.args(["--seccomp-bpf", "-e", "trace=?getpid,?write"]);
        }
        tried.args(["-e", &format!("inject={inject}"), "/bin/sh", "-c", ":"]);
        let quiet = tried.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}

/// The program of that name on PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|it| it.is_file())
}
