//! `yes`: a line, for ever.
#![forbid(unsafe_code)]

use std::ffi::CStr;

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

/// What MULTICALL_IO may ask for.
const PATHS: &[IoPath] = &[IoPath::Copy, IoPath::Vmsplice];

fn run(request: Request<()>, context: &Context) -> anyhow::Result<Status> {
    let path = IoPath::from_environment(PATHS)?;
    let line = line(&request.operands);
    drop(request);
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
fn line(operands: &[&CStr]) -> Vec<u8> {
    if operands.is_empty() {
        return b"y\n".to_vec();
    }
    let len = operands.iter().map(|word| word.count_bytes() + 1).sum();
    let mut line = Vec::with_capacity(len);
    for word in operands {
        line.extend_from_slice(word.to_bytes());
        line.push(b' ');
    }
    line[len - 1] = b'\n';
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_operands_and_a_newline() {
        assert_eq!(line(&[]), b"y\n");
        assert_eq!(line(&[c""]), b"\n");
        assert_eq!(line(&[c"a"]), b"a\n");
        assert_eq!(line(&[c"a", c"", c"b c"]), b"a  b c\n");
    }
}
