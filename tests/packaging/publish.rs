//! The library as others get it: a package that is complete, builds by itself, and needs no newer
//! Rust than it says; and a repository that holds nothing but what is ours.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::{runs, said, succeed, there_is, workspace};

/// The one crate that is for others. The name `multicall` is taken, and applets are no libraries.
const PUBLISHED: &str = "splice-core";

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).arg("--offline").current_dir(workspace());
    cargo
}

fn metadata() -> Value {
    let text = succeed(&mut cargo(&["metadata", "--format-version", "1"]));
    serde_json::from_slice(&text).unwrap()
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().unwrap()
}

#[test]
fn one_crate_is_published_and_says_all_that_a_registry_shows() {
    let metadata = metadata();
    let members = metadata["workspace_members"].as_array().unwrap();
    let ours = packages(&metadata).iter().filter(|it| members.contains(&it["id"]));
    let published: Vec<&Value> = ours.filter(|it| it["publish"].is_null()).collect();
    let names: Vec<&Value> = published.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, [PUBLISHED]);
    let package = published[0];
    for field in ["description", "license", "readme", "documentation", "rust_version"] {
        assert!(package[field].as_str().is_some_and(|it| !it.is_empty()), "no {field}");
    }
    for field in ["keywords", "categories"] {
        let count = package[field].as_array().unwrap().len();
        assert!((1..=5).contains(&count), "{count} {field}");
    }
}

#[test]
fn its_package_is_complete_and_builds_by_itself() {
    let target = tempfile::tempdir().unwrap();
    let mut package = cargo(&["package", "--allow-dirty", "--package", PUBLISHED]);
    let output = package.arg("--target-dir").arg(target.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let warned = String::from_utf8_lossy(&output.stderr).contains("warning");
    assert!(!warned, "{}", said(&output));
    // `cargo package` built what it packed, alone, in a folder of the name of the package.
    let name = format!("{PUBLISHED}-{}", env!("CARGO_PKG_VERSION"));
    let unpacked = target.path().join("package").join(name);
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "examples/proxy.rs", "src/lib.rs"] {
        assert!(unpacked.join(file).is_file(), "{file} is not in it");
    }
    // Where the package is shown, only what is in it can be reached by a relative link.
    let readme = fs::read_to_string(unpacked.join("README.md")).unwrap();
    assert!(!readme.contains("](..") && !readme.contains("](/"), "a link leads out of the package");
}

#[test]
fn every_crate_can_be_packed() {
    let target = tempfile::tempdir().unwrap();
    let mut package = cargo(&["package", "--allow-dirty", "--workspace", "--no-verify"]);
    let output = package.arg("--target-dir").arg(target.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
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
fn nothing_it_needs_is_of_a_newer_rust_than_it_says() {
    let metadata = metadata();
    let stated = version(env!("CARGO_PKG_RUST_VERSION"));
    let needed = &needed(&metadata, PUBLISHED) | &needed(&metadata, "multicall");
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
