//! `cat`: files to standard output, one after the other.
#![forbid(unsafe_code)]

pub mod format;
mod options;

use applet::{Applet, Context, Request, Status};
use options::{COMMAND, Options};

/// The row of this applet in the table.
pub const APPLET: Applet = Applet {
    name: COMMAND.name,
    about: COMMAND.about,
    manual: include_str!("../cat.1"),
    options: || COMMAND.specs(),
    start: |arguments, streams| COMMAND.start(arguments, streams, run),
};

fn run(_request: Request<Options>, _context: &Context) -> anyhow::Result<Status> {
    Ok(Status::SUCCESS)
}
