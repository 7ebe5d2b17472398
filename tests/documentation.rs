//! What the pages say is true: their commands run, their links lead somewhere, and the files that
//! they name exist.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "documentation/elsewhere.rs"]
mod elsewhere;
#[path = "documentation/page.rs"]
mod page;
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use elsewhere::{ELSEWHERE, Where};
use page::{Page, slug};
use predicates::prelude::*;
use support::{Folder, Run, multicall, tool};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The pages: those at the top, those of the crates, and all below `docs`.
fn pages() -> Vec<Page> {
    let root = root();
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "crates/splice-core/README.md"];
    let mut files: Vec<PathBuf> = top.into_iter().map(PathBuf::from).collect();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root.join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().map(|file| Page::read(&root, file)).collect()
}

/// A folder in which a reader could be: the repository's files, and the program where it is built.
fn checkout() -> Folder {
    let folder = Folder::new();
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name();
        // Nothing that is run here has business in cargo's or git's folders.
        if !["target", ".cargo", ".git"].iter().any(|it| name == *it) {
            symlink(root().join(&name), folder.path(&name)).unwrap();
        }
    }
    // A copy: hard links to it are made from here, and do not reach into another file system.
    for built in ["target/release", "target/dist"] {
        fs::create_dir_all(folder.path(built)).unwrap();
        folder.executable(multicall(), folder.path(format!("{built}/multicall")));
    }
    fs::remove_file(folder.bin("multicall")).unwrap();
    folder.executable(multicall(), folder.bin("multicall"));
    // What the pages call a directory.
    for directory in ["DIR", "bin", "home", "home/bin"] {
        fs::create_dir(folder.path(directory)).unwrap();
    }
    folder
}

/// A command as a reader would run it, whose home is empty and has no way into the repository.
fn by_a_reader(folder: &Folder, command: &str) -> Command {
    let mut shell = folder.sh(command);
    shell.env("HOME", folder.path("home")).env("CARGO_HOME", folder.path("home/.cargo"));
    shell
}

#[test]
fn a_readers_home_is_not_the_repository() {
    let folder = checkout();
    by_a_reader(&folder, "mkdir ~/.cargo && echo x > ~/.cargo/marker && ls -A .")
        .run()
        .success()
        .stdout(predicates::str::contains(".cargo").not());
    assert!(folder.path("home/.cargo/marker").is_file());
    assert!(!root().join(".cargo/marker").exists());
}

#[test]
fn every_command_runs_or_is_run_elsewhere() {
    let strace = tool("strace", &["-qq", "-o", "/dev/null", "true"]);
    let mut ran = 0;
    let mut explained = BTreeSet::new();
    for page in pages() {
        let folder = checkout();
        for command in page.commands() {
            if let Some((line, _)) = ELSEWHERE.iter().find(|(line, _)| *line == command) {
                explained.insert(*line);
                continue;
            }
            // Builds, containers and other users' rights have no place in a quick test.
            let heavy = ["cargo", "docker", "podman", "sudo"].map(|it| command.contains(it));
            assert!(heavy == [false; 4], "{}: say in ELSEWHERE who runs: {command}", page.name());
            if command.contains("strace") && !strace {
                continue;
            }
            let run = by_a_reader(&folder, &command).run();
            let output = run.get_output();
            assert!(
                output.status.success(),
                "{}: {command}\n{}\n{}",
                page.name(),
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
            ran += 1;
        }
    }
    assert!(ran >= 10, "only {ran} commands ran: are they still found?");
    for (line, _) in ELSEWHERE {
        assert!(explained.contains(line), "stands in no page any more: {line}");
    }
}

#[test]
fn what_is_run_elsewhere_is_run_there() {
    for (line, place) in ELSEWHERE {
        if let Where::Test(file, name) = place {
            let source = fs::read_to_string(root().join(file)).unwrap_or_default();
            assert!(source.contains(name), "{line}: {file} has no '{name}'");
        }
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    let pages = pages();
    let mut followed = 0;
    for page in &pages {
        for link in page.links() {
            if link.starts_with("https://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.path().to_owned() } else { page.beside(file) };
            assert!(target.exists(), "{}: nothing is at {link}", page.name());
            if !heading.is_empty() {
                let headings = Page::read(Path::new(""), &target).headings();
                let found = headings.iter().any(|title| slug(title) == heading);
                assert!(found, "{}: no heading for {link} in {headings:?}", page.name());
            }
            followed += 1;
        }
    }
    assert!(followed >= 15, "only {followed} links: are they still found?");
}

#[test]
fn the_index_leads_to_every_page() {
    let index = Page::read(&root(), Path::new("docs/README.md"));
    let linked: BTreeSet<PathBuf> =
        index.links().iter().filter_map(|link| index.beside(link).canonicalize().ok()).collect();
    for page in pages() {
        let of_docs = Path::new(&page.name()).parent() == Some(Path::new("docs"));
        if of_docs && page.path() != index.path() {
            let path = page.path().canonicalize().unwrap();
            assert!(linked.contains(&path), "docs/README.md does not lead to {}", page.name());
        }
    }
}

/// `crates/splice-core/src/plan.rs` in a text is as good as a link.
#[test]
fn files_that_are_named_exist() {
    const FOLDERS: [&str; 8] =
        ["crates/", "docs/", "tests/", "xtask/", "benches/", "fuzz/", "fault-harness/", ".ci/"];
    let mut found = 0;
    for page in pages() {
        for name in page.code() {
            let is_path = FOLDERS.iter().any(|folder| name.starts_with(folder));
            // Capitals stand for any name.
            let is_pattern = name.contains(['*', ' ']) || name.contains("NAME");
            if is_path && !is_pattern {
                assert!(root().join(&name).exists(), "{}: there is no {name}", page.name());
                found += 1;
            }
        }
    }
    assert!(found >= 10, "only {found} files are named: are they still found?");
}

/// The library's README is compiled and run with its documentation; what others show of it has to
/// be the same.
#[test]
fn rust_that_is_shown_is_rust_that_is_tested() {
    let library = Page::read(&root(), Path::new("crates/splice-core/README.md"));
    let tested = library.blocks("rust");
    assert!(!tested.is_empty());
    for page in pages() {
        for block in page.blocks("rust") {
            assert!(tested.contains(&block), "{}: not a tested example:\n{block}", page.name());
        }
    }
}
