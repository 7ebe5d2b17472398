//! The library as others get it: a package that is complete, builds by itself, and needs no newer
//! Rust than it says; and a repository that holds nothing but what is ours.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::{runs, said, succeed, there_is, workspace};

/// What may be published, in that order: each needs only those before it.
const PUBLISHED: [&str; 5] = ["splice-core", "applet", "applet-cat", "applet-yes", "multicall"];

/// The crate that is for others.
const LIBRARY: &str = PUBLISHED[0];

/// Its name is somebody else's on crates.io, so it has no page to name; and its tests, which need
/// the other crates, stay here.
const PROGRAM: &str = PUBLISHED[4];
const OF_THE_PROGRAM: [&str; 4] = [
    "warning: manifest has no documentation, homepage or repository",
    "warning: ignoring test `",
    "warning: ignoring benchmark `",
    "warning: readme `../../README.md` appears to be a path outside of the package",
];

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).arg("--offline").current_dir(workspace());
    cargo
}

fn metadata() -> Value {
    // What other platforms need has not been downloaded.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let text =
        succeed(&mut cargo(&["metadata", "--format-version", "1", "--filter-platform", &platform]));
    serde_json::from_slice(&text).unwrap()
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().unwrap()
}

#[test]
fn crates_say_all_that_a_registry_shows() {
    let metadata = metadata();
    let members = metadata["workspace_members"].as_array().unwrap();
    let ours = packages(&metadata).iter().filter(|it| members.contains(&it["id"]));
    let published: Vec<&Value> = ours.filter(|it| it["publish"].is_null()).collect();
    let names: BTreeSet<&str> = published.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(PUBLISHED));
    for package in published {
        let name = package["name"].as_str().unwrap();
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(package[field].as_str().is_some_and(|it| !it.is_empty()), "{name}: no {field}");
        }
        for field in ["keywords", "categories"] {
            let count = package[field].as_array().unwrap().len();
            assert!((1..=5).contains(&count), "{name}: {count} {field}");
        }
    }
}

/// Packs, and returns what cargo warned of.
fn warnings(package: &mut Command) -> Vec<String> {
    let output = package.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().filter(|line| line.starts_with("warning")).map(str::to_owned).collect()
}

#[test]
fn the_library_is_complete_and_builds_by_itself() {
    let target = tempfile::tempdir().unwrap();
    let mut package = cargo(&["package", "--allow-dirty", "--package", LIBRARY]);
    assert_eq!(warnings(package.arg("--target-dir").arg(target.path())), [""; 0]);
    // `cargo package` built what it packed, alone, in a folder of the name of the package.
    let name = format!("{LIBRARY}-{}", env!("CARGO_PKG_VERSION"));
    let unpacked = target.path().join("package").join(name);
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "examples/proxy.rs", "src/lib.rs"] {
        assert!(unpacked.join(file).is_file(), "{file} is not in it");
    }
    // Where the package is shown, only what is in it can be reached by a relative link.
    let readme = fs::read_to_string(unpacked.join("README.md")).unwrap();
    assert!(!readme.contains("](..") && !readme.contains("](/"), "a link leads out of the package");
}

#[test]
fn each_crate_can_be_packed_and_cargo_has_nothing_to_say() {
    let target = tempfile::tempdir().unwrap();
    let mut package = cargo(&["package", "--allow-dirty", "--no-verify"]);
    package.arg("--target-dir").arg(target.path());
    for name in PUBLISHED.iter().filter(|name| **name != PROGRAM) {
        package.args(["--package", name]);
    }
    assert_eq!(warnings(&mut package), [""; 0]);
    for warning in warnings(package.args(["--package", PROGRAM])) {
        assert!(OF_THE_PROGRAM.iter().any(|it| warning.starts_with(it)), "{warning}");
    }
}

/// "1.88" and "1.88.0" alike.
fn version(text: &str) -> Vec<u32> {
    let mut parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    parts.resize(3, 0);
    parts
}

/// What a package needs to be built, and what that needs in turn.
fn needed(metadata: &Value, of: &str) -> BTreeSet<String> {
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let id =
        |name: &str| packages(metadata).iter().find(|it| it["name"] == name).unwrap()["id"].clone();
    let mut left = vec![id(of)];
    let mut found = BTreeSet::new();
    while let Some(next) = left.pop() {
        if !found.insert(next.as_str().unwrap().to_owned()) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == next).unwrap();
        for dependency in node["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"] != "dev") {
                left.push(dependency["pkg"].clone());
            }
        }
    }
    found
}

#[test]
fn nothing_that_is_needed_is_of_a_newer_rust_than_is_said() {
    let metadata = metadata();
    let stated = version(env!("CARGO_PKG_RUST_VERSION"));
    let needed = &needed(&metadata, LIBRARY) | &needed(&metadata, PROGRAM);
    assert!(needed.len() > 5, "{needed:?}");
    for package in
        packages(&metadata).iter().filter(|it| needed.contains(it["id"].as_str().unwrap()))
    {
        let Some(wants) = package["rust_version"].as_str() else { continue };
        assert!(version(wants) <= stated, "{} wants Rust {wants}", package["name"]);
    }
}

/// Cargo keeps what it downloads in its home. Where that is the repository, nothing of it may be
/// taken for ours.
#[test]
fn what_cargo_leaves_here_is_not_kept() {
    let root = workspace();
    if !there_is("git checkout", root.join(".git").exists() && runs("git", "--version")) {
        return;
    }
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "safe.directory=*"]).args(arguments).current_dir(&root);
        git
    };
    assert_eq!(succeed(&mut git(&["ls-files", ".cargo"])), b".cargo/config.toml\n");
    for left in [".cargo/registry/cache/x.crate", ".cargo/.package-cache", ".cargo/bin/tool"] {
        succeed(&mut git(&["check-ignore", "--no-index", left]));
    }
    let kept = git(&["check-ignore", "--no-index", ".cargo/config.toml"]).status().unwrap();
    assert!(!kept.success(), "the settings are ignored");
}
