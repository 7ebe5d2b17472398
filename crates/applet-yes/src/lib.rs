//! `yes`: a line, for ever.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use applet::{Applet, BecauseOf, Command, Context, Request, Status};

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

fn run(request: Request<()>, context: &Context) -> anyhow::Result<Status> {
    let line = line(&request.operands);
    let lines = line.repeat((BLOCK / line.len()).max(1));
    loop {
        splice_core::write_all(context.streams().output, &lines).because_of("standard output")?;
    }
}

/// Bytes written at once, or a line if that is longer.
const BLOCK: usize = 128 * 1024;

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
