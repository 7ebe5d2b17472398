//! `cargo xtask install`: the program, its links, manual pages and completions below a prefix.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::layout::{self, Content, Item, PROGRAM_PATH};
use crate::receipt::{Receipt, State};
use crate::{dist, files, run};

/// What `cargo xtask install` can be told.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// Make hard links instead of symbolic links
    #[arg(long)]
    hard_links: bool,
    /// Replace files that are in the way and not ours
    #[arg(long)]
    force: bool,
    /// Install this program instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Where things are installed.
#[derive(Args)]
pub(crate) struct Place {
    /// The directory that gets bin and share [default: ~/.local]; DESTDIR goes in front of it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

impl Place {
    /// The prefix with DESTDIR in front: where a packager collects what a package will hold.
    pub(crate) fn root(&self) -> Result<PathBuf> {
        let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
        let prefix = self.prefix.clone().or_else(home);
        let prefix = absolute(prefix.context("HOME is not set: give a --prefix")?)?;
        Ok(match env::var_os("DESTDIR").filter(|it| !it.is_empty()) {
            Some(destination) => absolute(destination)?.join(prefix.strip_prefix("/")?),
            None => prefix,
        })
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let root = options.place.root()?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => dist::build(&dist::Options::default())?.path,
    };
    let items = layout::items(&program, options.hard_links)?;
    let wanted = wanted(&items)?;
    let old = Receipt::read(&root)?;
    refuse_foreign(&root, &wanted, &old, options.force)?;

    let mut new = Receipt { directories: old.directories.clone(), ..Receipt::default() };
    new.directories.extend(missing_directories(&root, &items));
    let mut both = Receipt { states: old.states.clone(), ..new.clone() };
    for (path, state) in &wanted {
        new.add(path, state.clone());
        both.add(path, state.clone());
    }
    // Written first: if this is interrupted, what it did is still known as ours.
    both.write(&root)?;
    for (item, (path, state)) in items.iter().zip(&wanted) {
        let path = root.join(path);
        if State::of(&path)?.as_ref() == Some(state) {
            run::say(format_args!("unchanged {}", path.display()));
        } else {
            put(&root, &path, &item.content)?;
            run::say(format_args!("installed {}", path.display()));
        }
    }
    for path in old.states.keys().filter(|path| !new.states.contains_key(*path)) {
        crate::uninstall::remove(&root, path, &old)?;
    }
    new.write(&root)?;
    tell_about_path(&root.join("bin"));
    Ok(())
}

/// What each path will hold, in the order of the items.
fn wanted(items: &[Item]) -> Result<Vec<(&str, State)>> {
    let Some(Content::File { bytes: program, .. }) = items.first().map(|item| &item.content) else {
        bail!("the program is not the first thing to install");
    };
    let program = State::of_bytes(program);
    let state = |content: &Content| match content {
        Content::File { bytes, .. } => State::of_bytes(bytes),
        Content::Symbolic(target) => State::Link((*target).to_owned()),
        Content::Hard => program.clone(),
    };
    Ok(items.iter().map(|item| (item.path.as_str(), state(&item.content))).collect())
}

/// Fails, before anything is changed, if something is in the way that we did not put there.
fn refuse_foreign(root: &Path, wanted: &[(&str, State)], old: &Receipt, force: bool) -> Result<()> {
    let mut foreign = Vec::new();
    for (path, wanted) in wanted {
        let place = root.join(path);
        match State::of(&place)? {
            Some(State::Other) => bail!("{} is not a file: move it away", place.display()),
            Some(state) if !force && state != *wanted && !old.claims(path, &state) => {
                foreign.push(place.display().to_string());
            }
            _ => {}
        }
    }
    ensure!(
        foreign.is_empty(),
        "nothing was installed: in the way and not ours (--force replaces them): {}",
        foreign.join(", ")
    );
    Ok(())
}

/// The directories below `root`, itself included, that will have to be made.
fn missing_directories(root: &Path, items: &[Item]) -> BTreeSet<String> {
    let paths = items.iter().map(|item| item.path.as_str()).chain([crate::receipt::PATH]);
    let parents = paths.flat_map(|path| Path::new(path).ancestors().skip(1));
    parents
        .filter(|parent| !root.join(parent).is_dir())
        .map(|parent| parent.to_string_lossy().into_owned())
        .collect()
}

fn put(root: &Path, path: &Path, content: &Content) -> Result<()> {
    match content {
        Content::File { bytes, mode } => files::write(path, bytes, *mode),
        Content::Symbolic(target) => files::replace(path, |beside| symlink(target, beside)),
        Content::Hard => {
            files::replace(path, |beside| fs::hard_link(root.join(PROGRAM_PATH), beside))
        }
    }
}

fn tell_about_path(bin: &Path) {
    let path = env::var_os("PATH").unwrap_or_default();
    if !env::split_paths(&path).any(|directory| directory == bin) {
        run::say(format_args!(
            "{} is not in PATH: put it in front to use the links",
            bin.display()
        ));
    }
}
