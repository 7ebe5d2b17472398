//! `cat`: files to standard output, one after the other.
//!
//! The flow: options are parsed (`options`), standard output is looked at once (`destination`),
//! then each file is opened (`input`) and goes through one of two ways: `plain` moves bytes as
//! they are, `formatted` looks at every one. This file holds the loop over the files and says
//! what went wrong with which of them.

mod ahead;
mod destination;
mod discarded;
pub mod format;
mod formatted;
mod gathered;
mod input;
mod options;
mod output;
mod plain;

use std::ffi::CStr;
use std::io;

use applet::{Applet, BecauseOf, Context, IoPath, Request, Status, Streams};

use destination::Destination;
use formatted::Formatted;
use input::{Input, STANDARD_INPUT};
use options::{COMMAND, Options};
use plain::Plain;

/// The row of this applet in the table.
pub const APPLET: Applet = Applet {
    name: COMMAND.name,
    about: COMMAND.about,
    manual: include_str!("../cat.1"),
    options: || COMMAND.specs(),
    start: |arguments, streams| COMMAND.start(arguments, streams, run),
};

/// Why one input was not handled, or not in full.
#[derive(Debug)]
enum Trouble {
    /// The input failed: say so, and go on with the next.
    Input(io::Error),
    /// The input is the output, and copying would never end: say so, and go on with the next.
    SelfCopy,
    /// The output failed: nothing can be done any more.
    Output(io::Error),
}

/// What became of an operand, or of several that were handled together.
#[derive(Debug, Default)]
struct Handled {
    count: usize,
    /// What was wrong with which of them, in their order.
    troubles: Vec<(usize, Trouble)>,
}

impl Handled {
    fn one(outcome: Result<(), Trouble>) -> Handled {
        let mut handled = Handled::default();
        handled.add(outcome);
        handled
    }

    fn add(&mut self, outcome: Result<(), Trouble>) {
        self.troubles.extend(outcome.err().map(|trouble| (self.count, trouble)));
        self.count += 1;
    }
}

/// One way from inputs to the output.
trait Way {
    /// Copies the first of the `operands` that are left, and perhaps some of the next.
    fn copy(&mut self, first: Input<'_>, operands: &[&CStr]) -> Handled;

    /// Writes what is held back. Called before anything is said, and at the end.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes what only the end of all inputs decides, and what is held back.
    fn finish(&mut self) -> io::Result<()> {
        self.flush()
    }
}

fn run(request: Request<Options>, context: &Context) -> anyhow::Result<Status> {
    let Request { options, operands } = request;
    let read_write_only = IoPath::from_environment(&[IoPath::Copy])? == IoPath::Copy;
    let output = context.streams().output;
    let destination = Destination::look_at(output).because_of("standard output")?;
    match options.format() {
        None => copy_all(&operands, &mut Plain::new(&destination, read_write_only), context),
        Some(format) => {
            let mut way = Formatted::new(format, &destination).because_of("standard output")?;
            copy_all(&operands, &mut way, context)
        }
    }
}

fn copy_all(operands: &[&CStr], way: &mut dyn Way, context: &Context) -> anyhow::Result<Status> {
    let standard_input = [STANDARD_INPUT];
    let names = if operands.is_empty() { &standard_input } else { operands };
    let mut status = Status::SUCCESS;
    let mut left = names;
    while let [name, ..] = left {
        let handled = way.copy(Input::named(name, context.streams().input), left);
        for (index, trouble) in handled.troubles {
            if let Trouble::Output(error) = trouble {
                return Err(error).because_of("write error");
            }
            // What the message is about comes after what was read before it. If that cannot be
            // written the run ended there, before it came to this input.
            way.flush().because_of("write error")?;
            report(&trouble, left[index], context);
            status = Status::FAILURE;
        }
        left = &left[handled.count..];
    }
    way.finish().because_of("write error")?;
    if names.contains(&STANDARD_INPUT) {
        status = close_standard_input(status, context);
    }
    Ok(status)
}

fn report(trouble: &Trouble, name: &CStr, context: &Context) {
    match trouble {
        Trouble::SelfCopy => {
            context.report_file_words(name.to_bytes(), "input file is output file")
        }
        Trouble::Input(error) | Trouble::Output(error) => {
            context.report_file(name.to_bytes(), error)
        }
    }
}

fn close_standard_input(status: Status, context: &Context) -> Status {
    match Streams::close(context.streams().input) {
        Ok(()) => status,
        Err(error) => {
            context.report_about("closing standard input", &error);
            Status::FAILURE
        }
    }
}
