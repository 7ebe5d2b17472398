//! What an installation consists of: paths below a prefix, and what is at each.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::completions::{PROGRAM, SHELLS};
use crate::run;

/// Where the program is, below the prefix.
pub(crate) const PROGRAM_PATH: &str = "bin/multicall";

/// One thing to install.
pub(crate) struct Item {
    /// Below the prefix.
    pub(crate) path: String,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
    /// A symbolic link to a file beside it.
    Symbolic(&'static str),
    /// Another name for the program.
    Hard,
}

/// Everything that belongs to `program`, the program itself first: what comes later needs it.
pub(crate) fn items(program: &Path, hard_links: bool) -> Result<Vec<Item>> {
    let bytes = std::fs::read(program)
        .with_context(|| format!("cannot read the program {}", program.display()))?;
    let applets = applets_of(program)?;
    let mut items =
        vec![Item { path: PROGRAM_PATH.into(), content: Content::File { bytes, mode: 0o755 } }];
    for name in &applets {
        let content = if hard_links { Content::Hard } else { Content::Symbolic(PROGRAM) };
        items.push(Item { path: format!("bin/{name}"), content });
    }
    for name in applets.iter().map(String::as_str).chain([PROGRAM]) {
        let manual = manual(name)?;
        items.push(text(format!("share/man/man1/{name}.1"), manual.to_owned()));
    }
    for shell in SHELLS {
        for name in applets.iter().map(String::as_str).chain([PROGRAM]) {
            let path = format!("{}/{}", shell.directory, (shell.file)(name));
            items.push(text(path, (shell.script)(name)));
        }
    }
    Ok(items)
}

fn text(path: String, text: String) -> Item {
    Item { path, content: Content::File { bytes: text.into_bytes(), mode: 0o644 } }
}

/// The applets that the program itself says it has: links for others would only fail.
pub(crate) fn applets_of(program: &Path) -> Result<Vec<String>> {
    let list = run::output(Command::new(program).arg("--list"))?;
    let applets: Vec<String> = list.lines().map(str::to_owned).collect();
    ensure!(!applets.is_empty(), "{} lists no applets", program.display());
    for name in &applets {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_[".contains(&byte));
        ensure!(plain && !name.is_empty(), "'{name}' cannot be the name of a link");
    }
    Ok(applets)
}

/// The manual page of an applet, or of the program itself.
pub(crate) fn manual(name: &str) -> Result<&'static str> {
    if name == PROGRAM {
        return Ok(multicall::MANUAL);
    }
    let applet = multicall::APPLETS.iter().find(|applet| applet.name == name);
    let applet =
        applet.with_context(|| format!("the program has an applet '{name}', we do not"))?;
    Ok(applet.manual)
}
