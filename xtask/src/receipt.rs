//! What an installation put where, written down so that it can be taken away again, and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::files;

/// Where the receipt is, below the prefix.
pub(crate) const PATH: &str = "share/multicall/receipt";

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// A regular file with this SHA-256.
    File(String),
    /// A symbolic link to this.
    Link(String),
    /// A directory, or anything else that we never make.
    Other,
}

impl State {
    /// What is there now. None if nothing is.
    pub(crate) fn of(path: &Path) -> Result<Option<State>> {
        let found = || match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok(it) if it.is_file() => Ok(Some(State::of_bytes(&fs::read(path)?))),
            Ok(it) if it.is_symlink() => {
                Ok(Some(State::Link(fs::read_link(path)?.to_string_lossy().into_owned())))
            }
            Ok(_) => Ok(Some(State::Other)),
        };
        found().with_context(|| format!("cannot look at {}", path.display()))
    }

    /// A file with these bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> State {
        State::File(hex::encode(Sha256::digest(bytes)))
    }
}

/// The paths that are ours, below a prefix.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// While an installation is being replaced, a path may hold the old or the new state.
    pub(crate) states: BTreeMap<String, BTreeSet<State>>,
    /// Directories that were made, the outer before the inner.
    pub(crate) directories: BTreeSet<String>,
}

impl Receipt {
    /// The receipt below `root`; an empty one if there is none.
    pub(crate) fn read(root: &Path) -> Result<Receipt> {
        let path = root.join(PATH);
        match fs::read_to_string(&path) {
            Ok(text) => Receipt::parse(&text).with_context(|| format!("{}", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Receipt::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    pub(crate) fn write(&self, root: &Path) -> Result<()> {
        files::write(&root.join(PATH), self.text().as_bytes(), 0o644)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty() && self.directories.is_empty()
    }

    pub(crate) fn add(&mut self, path: &str, state: State) {
        self.states.entry(path.to_owned()).or_default().insert(state);
    }

    /// Whether we put `state` at `path`.
    pub(crate) fn claims(&self, path: &str, state: &State) -> bool {
        self.states.get(path).is_some_and(|states| states.contains(state))
    }

    /// One line a state or directory: what it is, its hash or target, its path.
    fn text(&self) -> String {
        let directories = self.directories.iter().map(|path| format!("directory\t\t{path}\n"));
        let states = self.states.iter().flat_map(|(path, states)| {
            states.iter().filter_map(move |state| match state {
                State::File(hash) => Some(format!("file\t{hash}\t{path}\n")),
                State::Link(target) => Some(format!("link\t{target}\t{path}\n")),
                State::Other => None,
            })
        });
        directories.chain(states).collect()
    }

    fn parse(text: &str) -> Result<Receipt> {
        let mut receipt = Receipt::default();
        for line in text.lines() {
            let mut fields = line.splitn(3, '\t');
            let (Some(kind), Some(value), Some(path)) =
                (fields.next(), fields.next(), fields.next())
            else {
                bail!("not a line of a receipt: '{line}'");
            };
            // A receipt that was tampered with must not lead out of the prefix.
            if Path::new(path).is_absolute() || path.split('/').any(|part| part == "..") {
                bail!("a receipt names only what is below its prefix, not '{path}'");
            }
            match kind {
                "directory" => _ = receipt.directories.insert(path.to_owned()),
                "file" => receipt.add(path, State::File(value.to_owned())),
                "link" => receipt.add(path, State::Link(value.to_owned())),
                _ => bail!("not a line of a receipt: '{line}'"),
            }
        }
        Ok(receipt)
    }
}

#[cfg(test)]
mod tests {
    use super::{Receipt, State};

    #[test]
    fn what_is_written_is_read_again() {
        let mut receipt = Receipt::default();
        receipt.add("bin/multicall", State::of_bytes(b"old"));
        receipt.add("bin/multicall", State::of_bytes(b"new"));
        receipt.add("bin/cat", State::Link("multicall".into()));
        receipt.directories.extend(["share".into(), "share/man".into()]);
        assert_eq!(Receipt::parse(&receipt.text()).unwrap(), receipt);
        assert!(receipt.claims("bin/multicall", &State::of_bytes(b"old")));
        assert!(!receipt.claims("bin/cat", &State::of_bytes(b"old")));
    }

    #[test]
    fn no_line_leads_out_of_the_prefix() {
        for line in ["file\t00\t/etc/passwd", "link\tx\t../x", "directory\t\tbin/../..", "file"] {
            assert!(Receipt::parse(line).is_err(), "{line}");
        }
    }
}
