//! The container image, by the real docker engine and skopeo.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use flate2::read::GzDecoder;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{APPLETS, all_bytes, feed, program, runs, said, succeed, there_is, workspace, xtask};

pub(crate) fn docker() -> Command {
    Command::new("docker")
}

/// An image of a name of its own in the engine, taken away when the test ends.
pub(crate) struct Loaded {
    pub(crate) tag: String,
    pub(crate) kept: tempfile::TempDir,
}

impl Loaded {
    /// None, said aloud, where there is no engine.
    pub(crate) fn new() -> Option<Loaded> {
        if !there_is("docker engine", runs("docker", "version")) {
            return None;
        }
        let loaded = Loaded { tag: unique(), kept: tempfile::tempdir().unwrap() };
        let archive = image(loaded.kept.path(), &["--tag", &loaded.tag]);
        let says = succeed(docker().args(["load", "--input"]).arg(archive));
        let expected = format!("Loaded image: {}", loaded.tag);
        assert!(String::from_utf8_lossy(&says).contains(&expected));
        Some(loaded)
    }

    /// A container as strict as it gets: read-only, no network, no capability.
    pub(crate) fn run(&self, options: &[&str], arguments: &[&str]) -> Command {
        let mut run = docker();
        run.args(["run", "--rm", "--interactive", "--read-only", "--network", "none"]);
        run.args(["--cap-drop", "ALL"]).args(options).arg(&self.tag).args(arguments);
        run
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _ = docker().args(["rmi", "--force", &self.tag]).output();
    }
}

/// A name that no other test uses, here or in another run.
pub(crate) fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("multicall-test-{}-{count}:latest", std::process::id())
}

/// Makes an image archive in that directory.
fn image(directory: &Path, options: &[&str]) -> PathBuf {
    let path = directory.join("image.tar");
    succeed(xtask(&["image", "--output"]).arg(&path).args(options));
    path
}

#[test]
fn it_copies_standard_input_and_a_mounted_file() {
    let Some(image) = Loaded::new() else { return };
    let (input, file) = (all_bytes(5_000_003), all_bytes(2 << 20));
    let path = image.kept.path().join("file");
    fs::write(&path, &file).unwrap();
    let mount = format!("{}:/data:ro", path.display());
    let output = feed(&mut image.run(&["--volume", &mount], &["cat", "-", "/data"]), &input);
    assert_eq!(output.status.code(), Some(0), "{:?}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout == [input, file].concat());
}

#[test]
fn statuses_and_messages_come_through() {
    let Some(image) = Loaded::new() else { return };
    let check = |output: Output, status: i32, error: &str| {
        assert_eq!(output.status.code(), Some(status), "{}", said(&output));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(predicate::str::starts_with(error).eval(&stderr), "{stderr}");
    };
    let run = |arguments: &[&str]| feed(&mut image.run(&[], arguments), b"");
    check(run(&["cat", "/none"]), 1, "cat: /none: No such file or directory\n");
    check(run(&["dog"]), 127, "dog: applet not found\n");
    check(run(&[]), 1, "Usage: multicall");
    check(run(&["yes", "-x"]), 1, "yes: invalid option -- 'x'\n");
    let one_tool = feed(&mut image.run(&["--entrypoint", "/bin/cat"], &["-"]), b"one tool\n");
    assert_eq!(one_tool.stdout, b"one tool\n");
    check(one_tool, 0, "");
}

/// What `yes` writes in a container until 1 MiB was read; then the container is killed.
pub(crate) fn beginning_of_yes(image: &Loaded, options: &[&str]) -> Vec<u8> {
    let name = unique().replace(':', "-");
    let mut options = options.to_vec();
    // Nobody reads the log of this container, and it would be large.
    options.extend(["--name", &name, "--log-driver", "none"]);
    let mut run = image.run(&options, &["yes", "line"]);
    let mut client =
        run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut begin = Vec::new();
    let read = client.stdout.take().unwrap().take(1 << 20).read_to_end(&mut begin);
    let killed = docker().args(["kill", &name]).output();
    client.wait().unwrap();
    assert!(killed.unwrap().status.success(), "yes ended by itself");
    read.unwrap();
    begin
}

/// The first MiB of what `yes line` writes.
pub(crate) fn lines() -> Vec<u8> {
    b"line\n".iter().copied().cycle().take(1 << 20).collect()
}

#[test]
fn yes_goes_on_until_it_is_stopped() {
    let Some(image) = Loaded::new() else { return };
    assert!(beginning_of_yes(&image, &[]) == lines());
}

/// What the only layer of an archive holds, in order, and of which type each is.
fn layer(archive: &Path) -> Vec<(String, tar::EntryType)> {
    let read = |wanted: &str| -> Vec<u8> {
        let mut archive = tar::Archive::new(fs::File::open(archive).unwrap());
        let entries = archive.entries().unwrap().map(Result::unwrap);
        let mut found = entries.into_iter().find(|it| it.path().unwrap() == Path::new(wanted));
        let mut bytes = Vec::new();
        found.as_mut().unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    };
    let manifest: Value = serde_json::from_slice(&read("manifest.json")).unwrap();
    let layers = manifest[0]["Layers"].as_array().unwrap();
    assert_eq!(layers.len(), 1);
    let bytes = read(layers[0].as_str().unwrap());
    let mut layer = tar::Archive::new(GzDecoder::new(&*bytes));
    let entries = layer.entries().unwrap().map(Result::unwrap);
    entries
        .map(|it| (it.path().unwrap().to_str().unwrap().to_owned(), it.header().entry_type()))
        .collect()
}

#[test]
fn it_holds_the_program_its_links_and_nothing_else() {
    let Some(loaded) = Loaded::new() else { return };
    let list = succeed(&mut loaded.run(&[], &["--list"]));
    let list = String::from_utf8(list).unwrap();
    let mut expected = vec![
        ("bin/".to_owned(), tar::EntryType::Directory),
        ("bin/multicall".to_owned(), tar::EntryType::Regular),
    ];
    expected.extend(list.lines().map(|name| (format!("bin/{name}"), tar::EntryType::Link)));
    assert_eq!(layer(&loaded.kept.path().join("image.tar")), expected);
    assert_eq!(list.lines().collect::<Vec<_>>(), APPLETS);
}

#[test]
fn it_is_the_same_bytes_each_time() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let make = |directory: &Path| fs::read(image(directory, &[])).unwrap();
    let (one, two) = (make(first.path()), make(second.path()));
    assert!(one == two, "{} and {} bytes differ", one.len(), two.len());
}

#[test]
fn skopeo_reads_it() {
    if !there_is("skopeo", runs("skopeo", "--version")) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().join("image.tar");
    let mut task = xtask(&["image", "--tag", "registry.example/tools/multicall:1", "--output"]);
    succeed(task.arg(&archive).env("SOURCE_DATE_EPOCH", "1000000000"));
    for transport in ["oci-archive", "docker-archive"] {
        let name = format!("{transport}:{}", archive.display());
        let inspected = succeed(Command::new("skopeo").args(["inspect", &name]));
        let about: Value = serde_json::from_slice(&inspected).unwrap();
        assert_eq!(about["Created"], "2001-09-09T01:46:40Z");
        let label = |name: &str| &about["Labels"][format!("org.opencontainers.image.{name}")];
        assert_eq!(label("title"), "multicall");
        assert_eq!(label("version"), env!("CARGO_PKG_VERSION"));
        assert_eq!(label("licenses"), "MIT OR Apache-2.0");
        let config = succeed(Command::new("skopeo").args(["inspect", "--config", &name]));
        let config: Value = serde_json::from_slice(&config).unwrap();
        assert_eq!(config["config"]["User"], "65534:65534");
        assert_eq!(config["config"]["Entrypoint"], json!(["/bin/multicall"]));
        // A copy reads every blob and checks its digest.
        let copy = format!("dir:{}", directory.path().join(transport).display());
        succeed(Command::new("skopeo").args(["--insecure-policy", "copy", &name, &copy]));
    }
}

#[test]
fn the_dockerfile_makes_an_image_that_does_the_same() {
    let Some(image) = Loaded::new() else { return };
    let tag = unique();
    let built = Loaded { tag: tag.clone(), kept: tempfile::tempdir().unwrap() };
    // What docker is shown of the workspace, apart from what other tests are building there.
    let context = built.kept.path();
    fs::create_dir_all(context.join("target/dist")).unwrap();
    fs::copy(program(), context.join("target/dist/multicall")).unwrap();
    for name in ["Dockerfile", ".dockerignore"] {
        fs::copy(workspace().join(name), context.join(name)).unwrap();
    }
    let mut build = docker();
    build.args(["build", "--build-arg", "VERSION=1.2.3", "--tag", &tag]).arg(context);
    succeed(&mut build);
    let output = feed(&mut built.run(&[], &["cat"]), b"from a Dockerfile\n");
    assert_eq!(output.stdout, b"from a Dockerfile\n", "{}", said(&output));
    let inspect = |tag: &str| -> Value {
        let about = succeed(docker().args(["image", "inspect", tag]));
        serde_json::from_slice::<Value>(&about).unwrap()[0]["Config"].clone()
    };
    let (built, ours) = (inspect(&tag), inspect(&image.tag));
    assert_eq!(built["Labels"]["org.opencontainers.image.version"], "1.2.3");
    assert_eq!(built["User"], ours["User"]);
    assert_eq!(built["Entrypoint"], ours["Entrypoint"]);
}
