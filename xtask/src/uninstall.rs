//! `cargo xtask uninstall`: takes away what `install` put there, and nothing else.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;

use crate::install::Place;
use crate::receipt::{self, Receipt, State};
use crate::run;

/// What `cargo xtask uninstall` can be told.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let root = options.place.root()?;
    let receipt = Receipt::read(&root)?;
    if receipt.is_empty() {
        run::say(format_args!("nothing is installed in {}", root.display()));
        return Ok(());
    }
    for path in receipt.states.keys() {
        remove(&root, path, &receipt)?;
    }
    // Last of the files: until then the task can be repeated.
    delete(&root.join(receipt::PATH))?;
    // The inner before the outer; one that others use by now stays.
    for directory in receipt.directories.iter().rev() {
        let directory = root.join(directory);
        match fs::remove_dir(&directory) {
            Ok(()) => run::say(format_args!("removed {}", directory.display())),
            Err(error) if is_in_use(&error) => {}
            Err(error) => return Err(error).with_context(|| directory.display().to_string()),
        }
    }
    Ok(())
}

fn is_in_use(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound)
}

/// Removes what is at `path` if it still is what we put there.
pub(crate) fn remove(root: &Path, path: &str, receipt: &Receipt) -> Result<()> {
    let place = root.join(path);
    match State::of(&place)? {
        None => Ok(()),
        Some(state) if receipt.claims(path, &state) => delete(&place),
        Some(_) => {
            run::say(format_args!("left alone {}: it was changed since", place.display()));
            Ok(())
        }
    }
}

fn delete(path: &Path) -> Result<()> {
    fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
    run::say(format_args!("removed {}", path.display()));
    Ok(())
}
