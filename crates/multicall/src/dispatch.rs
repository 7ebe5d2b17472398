//! Which applet runs: argv\[0\]'s base name, else the first argument.

use std::ffi::CStr;

use applet::{Command, Context, Opt, Request, Spec, Status, Streams};

use crate::applets::{APPLETS, find};
use crate::install::{self, LinkKind, Links};

/// The name of the program itself, and of every renamed copy that begins with it.
const PROGRAM: &str = "multicall";

/// What the program does when it is called by its own name.
#[derive(Debug, Default, Clone, Copy)]
struct Options {
    list: bool,
    install: bool,
    links: Links,
}

const COMMAND: Command<Options> = Command {
    name: PROGRAM,
    usage: &["APPLET [ARGUMENT]...", "help APPLET", "--list", "--install [-s] [-f] DIRECTORY"],
    about: "Run one of the applets in this program; a link named like an applet runs it too.",
    options: &[
        Opt::long("list", "list the applets, one name a line", |options| options.list = true),
        Opt::long("install", "make a hard link for every applet in DIRECTORY", |options| {
            options.install = true
        }),
        Opt::new('s', "symbolic", "with --install: make symbolic links", |options| {
            options.links.kind = LinkKind::Symbolic
        }),
        Opt::new('f', "force", "with --install: replace what is in the way", |options| {
            options.links.replace = true
        }),
    ],
    notes: "",
};

/// The program's own options, for manual page and completions.
pub fn options() -> Vec<Spec> {
    COMMAND.specs()
}

/// Runs what `arguments` (argv, the name first) ask for.
pub fn run(mut arguments: Vec<&'static CStr>, streams: Streams) -> Status {
    let called = if arguments.is_empty() { c"" } else { arguments.remove(0) };
    let name = base_name(called);
    if name.starts_with(PROGRAM.as_bytes()) {
        return run_itself(called, arguments, streams);
    }
    match find(name) {
        Some(applet) => (applet.start)(arguments, streams),
        None => not_found(name, streams),
    }
}

/// The last part of the path, without the dash that login shells put in front.
fn base_name(called: &CStr) -> &[u8] {
    let name = called.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    name.strip_prefix(b"-").unwrap_or(name)
}

/// `multicall ...`: the first argument is an applet, `help`, or begins an option of our own.
fn run_itself(called: &CStr, mut arguments: Vec<&'static CStr>, streams: Streams) -> Status {
    let own = |request: Request<Options>, context: &Context| own_options(called, request, context);
    match arguments.first().map(|first| first.to_bytes()) {
        None => usage_on_standard_error(streams),
        Some([b'-', _, ..]) => COMMAND.start(arguments, streams, own),
        Some(b"help") if arguments.len() == 1 => COMMAND.start(help(), streams, own),
        Some(b"help") => match find(arguments[1].to_bytes()) {
            Some(applet) => (applet.start)(help(), streams),
            None if arguments[1].to_bytes() == PROGRAM.as_bytes() => {
                COMMAND.start(help(), streams, own)
            }
            None => not_found(arguments[1].to_bytes(), streams),
        },
        Some(name) => match find(name) {
            Some(applet) => {
                arguments.remove(0);
                (applet.start)(arguments, streams)
            }
            None => not_found(name, streams),
        },
    }
}

fn help() -> Vec<&'static CStr> {
    vec![c"--help"]
}

fn own_options(
    called: &CStr,
    request: Request<Options>,
    context: &Context,
) -> anyhow::Result<Status> {
    let Request { options, operands } = request;
    if options.install {
        return install::install(options.links, called, &operands, context);
    }
    if options.list {
        let list: String = APPLETS.iter().map(|applet| format!("{}\n", applet.name)).collect();
        return context.print(&list);
    }
    // `multicall -- cat`, `multicall -s`: nothing that can be run.
    Ok(usage_on_standard_error(context.streams()))
}

fn usage_on_standard_error(streams: Streams) -> Status {
    // There is nobody to tell if the words cannot be written; the status says the same.
    let _ = splice_core::write_all(streams.error, (COMMAND.help() + &applets_line()).as_bytes());
    Status::FAILURE
}

/// The name as it was typed: it may be any bytes, or none at all.
fn not_found(name: &[u8], streams: Streams) -> Status {
    let shown = applet::quoted(name);
    let text = [&shown[..], b": applet not found\n", applets_line().as_bytes()].concat();
    let _ = splice_core::write_all(streams.error, &text);
    Status::NOT_FOUND
}

fn applets_line() -> String {
    let names: Vec<&str> = APPLETS.iter().map(|applet| applet.name).collect();
    format!(
        "Applets: {}. Call one as '{PROGRAM} APPLET [ARGUMENT]...', or through a link of its name.\n",
        names.join(", ")
    )
}
