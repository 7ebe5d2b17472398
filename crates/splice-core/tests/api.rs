//! The public API speaks of the standard library's types and of our own: a new version of `nix`,
//! by which system calls are made, must not be a new version for those who use this crate.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// Every source file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Identifiers in `text`, in order.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

/// What a file imports from `nix`, and the word itself.
fn of_nix(text: &str) -> Vec<&str> {
    let imports = text.split("use nix::").skip(1).filter_map(|rest| rest.split(';').next());
    imports.flat_map(words).filter(|word| *word != "self").chain(["nix"]).collect()
}

/// What stands between a public item's `pub` and its body, and the heads of trait implementations.
fn heads(text: &str) -> Vec<&str> {
    let starts = text.match_indices("pub ").chain(text.match_indices("impl"));
    let at_start = |at: usize| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    };
    starts
        .filter(|(at, _)| at_start(*at))
        .filter_map(|(at, _)| text[at..].split(['{', ';']).next())
        .collect()
}

fn leaks(text: &str) -> Vec<String> {
    let foreign = of_nix(text);
    let leaking = |head: &&str| words(head).any(|word| foreign.contains(&word));
    heads(text).into_iter().filter(leaking).map(str::to_owned).collect()
}

#[test]
fn no_public_item_names_a_type_of_nix() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for path in sources(&folder) {
        let text = fs::read_to_string(&path).unwrap();
        // Tests at the end of a file are no API.
        let text = text.split("#[cfg(test)]").next().unwrap();
        assert_eq!(leaks(text), [""; 0], "{}", path.display());
        seen += heads(text).len();
    }
    assert!(seen > 50, "only {seen} items: are they still found?");
}

#[test]
fn a_leak_would_be_seen() {
    let text = "use nix::errno::{self, Errno};\n/// Why.\npub fn why(&self) -> Errno {\n";
    assert_eq!(leaks(text), ["pub fn why(&self) -> Errno "]);
    assert_eq!(leaks("    impl From<nix::Error> for Mine {}\n").len(), 1);
    assert_eq!(leaks("use nix::errno::Errno;\npub(crate) fn why() -> Errno {}\n").len(), 0);
}
