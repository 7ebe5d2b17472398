//! `--install`: a link for every applet, and nothing replaced that is not ours.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use applet::{BecauseOf, Context, Status};

use crate::applets::APPLETS;

/// How links are made.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Links {
    pub(crate) kind: LinkKind,
    /// Replace what is in the way and not ours.
    pub(crate) replace: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkKind {
    #[default]
    Hard,
    Symbolic,
}

/// What stands at the place where a link is wanted.
#[derive(Debug, PartialEq, Eq)]
enum Present {
    Nothing,
    /// The link that is wanted, or the program itself.
    Wanted,
    /// A link to the program, of the other kind.
    OtherKind,
    Foreign,
}

/// Makes a link for every applet in the one directory that `operands` name.
pub(crate) fn install(
    links: Links,
    called: &CStr,
    operands: &[&CStr],
    context: &Context,
) -> anyhow::Result<Status> {
    let [directory] = operands else {
        context.report(&[b"--install needs one DIRECTORY"]);
        return Ok(Status::FAILURE);
    };
    let program = own_path(path(called)).because_of("cannot find this program's own file")?;
    let directory = path(directory);
    // In the program's own directory a symbolic link needs no path, and survives a move.
    let beside = fs::canonicalize(directory).ok().as_deref() == program.parent();
    let target = match program.file_name() {
        Some(name) if beside => Path::new(name),
        _ => &program,
    };
    let mut status = Status::SUCCESS;
    for applet in APPLETS {
        let link = directory.join(applet.name);
        let made = match present(&link, &program, links.kind) {
            Present::Wanted => Ok(()),
            Present::Nothing => make(links.kind, &program, target, &link),
            Present::Foreign if !links.replace => {
                let name = applet::quoted(link.as_os_str().as_bytes());
                context.report(&[&name, b": not a link to this program, left alone"]);
                status = Status::FAILURE;
                continue;
            }
            Present::OtherKind | Present::Foreign => replace(links.kind, &program, target, &link),
        };
        if let Err(error) = made {
            context.report_file(link.as_os_str().as_bytes(), &error);
            status = Status::FAILURE;
        }
    }
    Ok(status)
}

fn path(argument: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(argument.to_bytes()))
}

/// The program's own file, with no symbolic link in its path. /proc knows it best; where there is
/// no /proc, argv\[0\] is what the caller found it by. If that is of no help either, what /proc said
/// is the reason.
fn own_path(called: &Path) -> io::Result<PathBuf> {
    let of_proc =
        fs::read_link("/proc/self/exe").and_then(|path| fs::metadata(&path).map(|_| path));
    let failed = match of_proc {
        Ok(path) => return Ok(path),
        Err(error) => error,
    };
    if called.as_os_str().as_bytes().contains(&b'/') {
        return fs::canonicalize(called);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(called)).find(|it| it.is_file());
    found.map_or(Err(failed), fs::canonicalize)
}

fn present(link: &Path, program: &Path, kind: LinkKind) -> Present {
    let Ok(own) = fs::symlink_metadata(link) else { return Present::Nothing };
    let same_file = |a: &fs::Metadata, b: &fs::Metadata| a.dev() == b.dev() && a.ino() == b.ino();
    let Ok(program_file) = fs::metadata(program) else { return Present::Foreign };
    if same_file(&own, &program_file) {
        let is_program = link.file_name() == program.file_name()
            && link.parent().and_then(|it| fs::canonicalize(it).ok()).as_deref()
                == program.parent();
        return if kind == LinkKind::Hard || is_program {
            Present::Wanted
        } else {
            Present::OtherKind
        };
    }
    match fs::metadata(link) {
        Ok(target) if same_file(&target, &program_file) && own.is_symlink() => {
            if kind == LinkKind::Symbolic { Present::Wanted } else { Present::OtherKind }
        }
        _ => Present::Foreign,
    }
}

fn make(kind: LinkKind, program: &Path, target: &Path, link: &Path) -> io::Result<()> {
    match kind {
        LinkKind::Hard => fs::hard_link(program, link),
        LinkKind::Symbolic => symlink(target, link),
    }
}

/// Makes the link beside the old one and renames it over, so that the name is never missing.
fn replace(kind: LinkKind, program: &Path, target: &Path, link: &Path) -> io::Result<()> {
    let mut beside = link.as_os_str().to_owned();
    beside.push(format!(".new-{}", std::process::id()));
    let beside = Path::new(&beside);
    make(kind, program, target, beside)?;
    fs::rename(beside, link).inspect_err(|_| {
        // The error that is reported is the one that came first.
        let _ = fs::remove_file(beside);
    })
}
