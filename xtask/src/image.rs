//! `cargo xtask image`: a container image of the program alone, made without docker and without
//! a network, and the same bytes each time.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Result, bail};
use clap::Args;
use flate2::{Compression, GzBuilder};
use serde_json::json;

use crate::archive::Archive;
use crate::oci::{self, Image, Reference};
use crate::{dist, files, run, source};

/// What `cargo xtask image` can be told.
#[derive(Args)]
pub(crate) struct Options {
    /// Where the archive goes [default: target/dist/multicall-image.tar]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What the image is called once it is loaded
    #[arg(long, value_name = "NAME:TAG", default_value = "multicall:latest")]
    tag: String,
    #[command(flatten)]
    dist: dist::Options,
}

/// Nobody's user and group: nothing in the image belongs to it.
const USER: &str = "65534:65534";
const PROGRAM: &str = "bin/multicall";

pub(crate) fn run(options: &Options) -> Result<()> {
    let reference = Reference::parse(&options.tag)?;
    let program = dist::build(&options.dist)?;
    let epoch = source::epoch()?;
    let layer = layer(&fs::read(&program.path)?, epoch)?;
    let created = UNIX_EPOCH + Duration::from_secs(epoch);
    let created = humantime::format_rfc3339_seconds(created).to_string();
    let annotations = annotations(&created);
    let config = json!({
        "architecture": architecture(&program.target)?,
        "os": "linux",
        "created": created,
        "config": {
            "User": USER,
            "Entrypoint": [format!("/{PROGRAM}")],
            "WorkingDir": "/",
            "Labels": annotations,
        },
        "rootfs": { "type": "layers", "diff_ids": [oci::digest(&layer)] },
        "history": [{ "created": created, "created_by": "cargo xtask image" }],
    });
    let image =
        Image { reference: &reference, config, layer: compressed(&layer)?, annotations, epoch };
    let archive = image.archive()?;
    let default = run::target_directory().join("dist/multicall-image.tar");
    let output = options.output.as_ref().unwrap_or(&default);
    files::write(output, &archive, 0o644)?;
    run::say(format_args!("{}: {} bytes, {}", output.display(), archive.len(), reference.short()));
    run::say(format_args!("load it:  docker load --input {}", output.display()));
    Ok(())
}

/// The program and a name for every applet. The names are hard links: `COPY --from` and
/// `docker cp` would copy a symbolic link as a link that leads nowhere.
fn layer(program: &[u8], epoch: u64) -> Result<Vec<u8>> {
    let mut archive = Archive::new(epoch);
    archive.directory("bin/")?;
    archive.file(PROGRAM, program, 0o755)?;
    for applet in multicall::APPLETS {
        archive.hard_link(&format!("bin/{}", applet.name), PROGRAM, 0o755)?;
    }
    Ok(archive.finish()?)
}

/// Without the name and the time that the format has room for.
fn compressed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// What the image says of itself, as labels and as annotations.
fn annotations(created: &str) -> BTreeMap<&'static str, String> {
    let mut annotations = BTreeMap::from([
        ("org.opencontainers.image.created", created.to_owned()),
        ("org.opencontainers.image.title", source::NAME.to_owned()),
        ("org.opencontainers.image.description", source::ABOUT.to_owned()),
        ("org.opencontainers.image.version", source::VERSION.to_owned()),
        ("org.opencontainers.image.licenses", source::LICENSES.to_owned()),
    ]);
    match source::revision() {
        Some(revision) => {
            annotations.insert("org.opencontainers.image.revision", revision);
        }
        None => run::say("not a git checkout: the image names no revision"),
    }
    annotations
}

/// The target's architecture in the words of OCI (and of Debian).
pub(crate) fn architecture(target: &str) -> Result<&'static str> {
    match target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        _ => bail!("{target}: only x86_64 and aarch64 are packaged"),
    }
}
