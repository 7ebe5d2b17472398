//! `cargo xtask deb`: a Debian package beside the system's own tools, replacing none of them.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::completions::{PROGRAM, SHELLS};
use crate::{dist, files, image, layout, run, source};

/// What `cargo xtask deb` can be told.
#[derive(Args)]
pub(crate) struct Options {
    /// Where the package goes [default: target/dist/multicall_VERSION_ARCHITECTURE.deb]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    dist: dist::Options,
}

/// The program, its links and their manual pages are here, out of the way of the system's own. The
/// program's own page is where `man` finds it.
const LIBRARY: &str = "usr/lib/multicall";

pub(crate) fn run(options: &Options) -> Result<()> {
    if run::find("dpkg-deb").is_none() {
        bail!("dpkg-deb is missing: it comes with the package dpkg");
    }
    let program = dist::build(&options.dist)?;
    let architecture = image::architecture(&program.target)?;
    let name = format!("{PROGRAM}_{}_{architecture}.deb", source::VERSION);
    let default = run::target_directory().join("dist").join(name);
    let output = options.output.as_ref().unwrap_or(&default);
    // `dpkg-deb` gives what it packs the time in SOURCE_DATE_EPOCH, as all of it is newer.
    let staging = tempfile::tempdir()?;
    let tree = staging.path().join("tree");
    let size = stage(&tree, &program.path)?;
    let control = control(architecture, size);
    files::write(&tree.join("DEBIAN/control"), control.as_bytes(), 0o644)?;
    let permissions = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755));
    each_directory(&tree, &permissions)?;
    let packed = staging.path().join("package.deb");
    let mut dpkg_deb = Command::new("dpkg-deb");
    dpkg_deb.args(["--build", "--root-owner-group", "-Zxz"]).arg(&tree).arg(&packed);
    run::run(dpkg_deb.env("SOURCE_DATE_EPOCH", source::epoch()?.to_string()))?;
    files::write(output, &fs::read(&packed)?, 0o644)?;
    run::say(format_args!("{}: {} bytes", output.display(), fs::metadata(output)?.len()));
    Ok(())
}

/// Lays out what the package holds and returns its size in bytes.
fn stage(tree: &Path, program: &Path) -> Result<u64> {
    let mut size = 0;
    let mut put = |path: String, bytes: &[u8], mode: u32| {
        size += bytes.len() as u64;
        files::write(&tree.join(path), bytes, mode)
    };
    put(format!("{LIBRARY}/{PROGRAM}"), &fs::read(program)?, 0o755)?;
    for applet in multicall::APPLETS {
        let page = format!("{LIBRARY}/share/man/man1/{}.1", applet.name);
        put(page, layout::manual(applet.name)?.as_bytes(), 0o644)?;
    }
    let page = format!("usr/share/man/man1/{PROGRAM}.1");
    put(page, layout::manual(PROGRAM)?.as_bytes(), 0o644)?;
    for shell in SHELLS {
        // Debian's zsh has a directory of its own for completions of packages.
        let directory = shell.directory.replace("zsh/site-functions", "zsh/vendor-completions");
        let path = format!("usr/{directory}/{}", (shell.file)(PROGRAM));
        put(path, (shell.script)(PROGRAM).as_bytes(), 0o644)?;
    }
    for (file, name) in [("LICENSE-MIT", "copyright"), ("LICENSE-APACHE", "LICENSE-APACHE")] {
        let text = fs::read(run::root().join(file)).with_context(|| file.to_owned())?;
        put(format!("usr/share/doc/{PROGRAM}/{name}"), &text, 0o644)?;
    }
    for applet in multicall::APPLETS {
        symlink(PROGRAM, tree.join(LIBRARY).join(applet.name))?;
    }
    fs::create_dir_all(tree.join("usr/bin"))?;
    symlink(format!("../lib/{PROGRAM}/{PROGRAM}"), tree.join("usr/bin").join(PROGRAM))?;
    Ok(size)
}

fn control(architecture: &str, size: u64) -> String {
    format!(
        "Package: {PROGRAM}\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: The multicall contributors <multicall@localhost>\n\
         Installed-Size: {kibibytes}\nSection: utils\nPriority: optional\n\
         Description: {about}\n The links are in /{LIBRARY}: put it in front of PATH to use them.\n",
        version = source::VERSION,
        kibibytes = size.div_ceil(1024),
        about = source::ABOUT,
    )
}

/// `dpkg-deb` packs the permissions of directories, which come from the umask.
fn each_directory(directory: &Path, act: &impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    act(directory)?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            each_directory(&entry.path(), act)?;
        }
    }
    Ok(())
}
