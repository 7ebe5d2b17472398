//! Who takes part: our program, and every peer that this machine has.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::ends;

/// Which of its programs a contender is asked to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applet {
    /// `cat` with any option.
    Cat,
    /// `cat` without options: programs that only move bytes can take part.
    Move,
    /// `yes`.
    Yes,
    /// A program of this bench that calls a copying function of a library.
    Library,
}

/// What a contender is in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Our program, as it is shipped.
    Ours,
    /// Our program with its faster paths forbidden.
    Variant,
    /// Somebody else's.
    Peer,
}

/// A program that takes part.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    /// How tables and plots call it.
    pub(crate) name: String,
    /// The first line of what it says of itself.
    pub(crate) version: String,
    /// What it is in the comparison.
    pub(crate) role: Role,
    cat: Option<Vec<OsString>>,
    yes: Option<Vec<OsString>>,
    library: Option<Vec<OsString>>,
    moves_only: bool,
    environment: Option<(&'static str, &'static str)>,
}

impl Contender {
    /// The command that starts `applet`, or `None` where this contender has no such program.
    pub(crate) fn command(&self, applet: Applet) -> Option<Command> {
        let words = match applet {
            Applet::Cat if self.moves_only => None,
            Applet::Cat | Applet::Move => self.cat.as_ref(),
            Applet::Yes => self.yes.as_ref(),
            Applet::Library => self.library.as_ref(),
        }?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("LC_ALL", "C");
        match self.environment {
            Some((name, value)) => command.env(name, value),
            None => command.env_remove("MULTICALL_IO"),
        };
        Some(command)
    }
}

/// Our program as shipped, then its variants.
pub(crate) fn ours(program: &Path) -> Result<Vec<Contender>> {
    let program = std::fs::canonicalize(program)
        .with_context(|| format!("our program {}", program.display()))?;
    let version = version_of(&[program.clone().into()]).context("our program does not start")?;
    let named = |applet: &str| Some(vec![program.clone().into(), applet.into()]);
    let as_shipped = Contender {
        name: "ours".into(),
        version,
        role: Role::Ours,
        cat: named("cat"),
        yes: named("yes"),
        library: Some(ends::copier("splice-core")?),
        moves_only: false,
        environment: None,
    };
    let vmsplice = Contender {
        name: "ours (vmsplice)".into(),
        role: Role::Variant,
        cat: None,
        library: None,
        environment: Some(("MULTICALL_IO", "vmsplice")),
        ..as_shipped.clone()
    };
    let copy = Contender {
        name: "ours (copy)".into(),
        cat: named("cat"),
        environment: Some(("MULTICALL_IO", "copy")),
        ..vmsplice.clone()
    };
    Ok(vec![as_shipped, vmsplice, copy])
}

/// Every peer on this machine: those of PATH, then those that `more` names as NAME=DIR.
pub(crate) fn peers(more: &[String]) -> Result<Vec<Contender>> {
    let mut found = vec![standard_library()?];
    found.extend(peer("GNU", on_path("cat"), on_path("yes"), "GNU coreutils"));
    found.extend(multi_call("busybox", on_path("busybox"), "BusyBox"));
    found.extend(multi_call("toybox", on_path("toybox"), "toybox"));
    found.extend(multi_call("uutils", on_path("coreutils"), "uutils"));
    found.extend(peer("uutils", on_path("uu-cat"), on_path("uu-yes"), "uutils"));
    let pv = on_path("pv").map(|program| vec![program[0].clone(), "-q".into()]);
    if let Some(mut pv) = peer("pv", pv, None, "pv") {
        pv.moves_only = true;
        found.push(pv);
    }
    for named in more {
        let Some((name, folder)) = named.split_once('=') else {
            bail!("--peer takes NAME=DIR, not '{named}'");
        };
        let contender = in_folder(name, Path::new(folder))
            .with_context(|| format!("no cat, yes or coreutils that runs is in {folder}"))?;
        found.push(contender);
    }
    // The last of a name wins: whoever names a folder means it.
    let mut peers: Vec<Contender> = Vec::new();
    for contender in found {
        peers.retain(|other| other.name != contender.name);
        peers.push(contender);
    }
    Ok(peers)
}

/// Those that are looked for everywhere and are not among `found`.
pub(crate) fn absent(found: &[Contender]) -> Vec<String> {
    const KNOWN: [&str; 5] = ["GNU", "busybox", "toybox", "uutils", "pv"];
    let is_found = |name: &&str| found.iter().any(|contender| contender.name == *name);
    KNOWN.into_iter().filter(|name| !is_found(name)).map(str::to_owned).collect()
}

/// What a Rust program uses that has no library for this.
fn standard_library() -> Result<Contender> {
    Ok(Contender {
        name: "std::io::copy".into(),
        version: "Rust's standard library".into(),
        role: Role::Peer,
        cat: None,
        yes: None,
        library: Some(ends::copier("std")?),
        moves_only: false,
        environment: None,
    })
}

fn in_folder(name: &str, folder: &Path) -> Option<Contender> {
    let here = |file: &str| {
        let path = std::path::absolute(folder.join(file)).ok()?;
        path.is_file().then(|| vec![path.into_os_string()])
    };
    multi_call(name, here("coreutils"), "")
        .or_else(|| multi_call(name, here(name), ""))
        .or_else(|| peer(name, here("cat"), here("yes"), ""))
}

/// A peer with one program file for all commands.
fn multi_call(name: &str, program: Option<Vec<OsString>>, says: &str) -> Option<Contender> {
    let program = program?;
    let with = |applet: &str| [program.clone(), vec![applet.into()]].concat();
    // busybox says who it is only when asked for nothing at all.
    let version = version_of(&program).filter(|line| line.contains(says)).or_else(|| {
        let line = first_line(Command::new(&program[0]).stdin(Stdio::null()))?;
        line.contains(says).then_some(line)
    })?;
    Some(Contender {
        name: name.into(),
        version,
        role: Role::Peer,
        cat: Some(with("cat")).filter(|words| works(words, &["/dev/null"])),
        yes: Some(with("yes")).filter(|words| works(words, &["--help"])),
        library: None,
        moves_only: false,
        environment: None,
    })
}

/// A peer with a program file a command.
fn peer(
    name: &str,
    cat: Option<Vec<OsString>>,
    yes: Option<Vec<OsString>>,
    says: &str,
) -> Option<Contender> {
    let version = version_of(cat.as_ref().or(yes.as_ref())?)?;
    version.contains(says).then(|| Contender {
        name: name.into(),
        version,
        role: Role::Peer,
        cat,
        yes,
        library: None,
        moves_only: false,
        environment: None,
    })
}

fn on_path(file: &str) -> Option<Vec<OsString>> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(file))
        .find(|path| path.is_file())
        .map(|path| vec![path.into_os_string()])
}

fn version_of(words: &[OsString]) -> Option<String> {
    first_line(Command::new(&words[0]).args(&words[1..]).arg("--version"))
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let text = String::from_utf8_lossy(&text);
    // Some go on with whom it belongs to.
    let line = text.lines().next()?.split(" - Copyright").next()?.trim().trim_end_matches('.');
    (!line.is_empty()).then(|| line.to_owned())
}

fn works(words: &[OsString], arguments: &[&str]) -> bool {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
