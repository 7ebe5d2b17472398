//! `yes`: a line, for ever.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use applet::{Applet, BecauseOf, Command, Context, IoPath, Request, Status};
use splice_core::{RepeatPath, Repeater};

/// The row of this applet in the table.
pub const APPLET: Applet = Applet {
    name: COMMAND.name,
    about: COMMAND.about,
    manual: include_str!("../yes.1"),
    options: || COMMAND.specs(),
    start: |arguments, streams| COMMAND.start(arguments, streams, run),
};

const COMMAND: Command<()> = Command {
    name: "yes",
    usage: &["[STRING]...", "OPTION"],
    about: "Write a line of all STRINGs, or 'y', again and again until it cannot be written.",
    options: &[],
    notes: "",
};

/// What MULTICALL_IO may be here.
const PATHS: &[IoPath] = &[IoPath::Copy, IoPath::Vmsplice];

fn run(request: Request<()>, context: &Context) -> anyhow::Result<Status> {
    let path = IoPath::from_environment(PATHS)?;
    let line = line(&request.operands);
    let repeater = Repeater::new(&line);
    let repeater = match path {
        IoPath::Best => repeater,
        IoPath::Vmsplice => repeater.first_path(RepeatPath::Vmsplice),
        IoPath::Copy => repeater.first_path(RepeatPath::Write),
    };
    repeater.run(context.streams().output).because_of("standard output")?;
    Ok(Status::SUCCESS)
}

/// The operands with a space between, and a newline; 'y' if there are none.
fn line(operands: &[OsString]) -> Vec<u8> {
    if operands.is_empty() {
        return b"y\n".to_vec();
    }
    let words: Vec<&[u8]> = operands.iter().map(|word| word.as_bytes()).collect();
    let mut line = words.join(&b' ');
    line.push(b'\n');
    line
}
