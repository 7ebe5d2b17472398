//! What every applet of multicall shares: GNU's rules for options, help and version texts,
//! diagnostics, quoting of file names, the standard streams and the exit status.
//!
//! The flow of every applet: [`Command::start`] parses all arguments before any byte is moved,
//! answers `--help`, `--version` and usage errors itself, calls the applet's own function
//! otherwise, and turns what comes back into an exit status. It is the only place that does.
#![forbid(unsafe_code)]

mod command;
mod context;
mod failure;
mod help;
mod io_path;
mod options;
mod quote;
mod streams;
mod words;

pub use command::{Applet, Command, Request, Status};
pub use context::Context;
pub use failure::{BecauseOf, Reason};
pub use io_path::IoPath;
pub use options::{Opt, Spec};
pub use quote::quoted;
pub use streams::{InputFile, Streams, open_input, open_input_without_waiting};
