//! From arguments to an exit status: the part that is the same for every command.

use std::ffi::CStr;

use crate::context::Context;
use crate::help;
use crate::options::{self, Instead, Opt, Spec};
use crate::streams::Streams;

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(u8);

impl Status {
    /// Everything that was asked for was done.
    pub const SUCCESS: Status = Status(0);
    /// Something was not done, and a message says what.
    pub const FAILURE: Status = Status(1);
    /// There is no such applet (the shell's own status for a command that it cannot find).
    pub const NOT_FOUND: Status = Status(127);

    /// The number that `main` returns.
    pub fn code(self) -> i32 {
        i32::from(self.0)
    }
}

/// One row of the table of applets.
#[derive(Debug)]
pub struct Applet {
    /// The name that argv\[0\] is compared with.
    pub name: &'static str,
    /// One sentence about what it does.
    pub about: &'static str,
    /// The manual page, as roff.
    pub manual: &'static str,
    /// Its options, in the order in which `--help` lists them.
    pub options: fn() -> Vec<Spec>,
    /// Runs it: the arguments after the name, and the standard streams.
    pub start: fn(Vec<&'static CStr>, Streams) -> Status,
}

/// A command line: what it accepts and what its help says. `O` holds the values of its options.
pub struct Command<O: 'static> {
    /// The name in messages.
    pub name: &'static str,
    /// What may follow the name, one form a line.
    pub usage: &'static [&'static str],
    /// One sentence about what it does.
    pub about: &'static str,
    /// The options, in the order in which the help lists them and ambiguous ones are named.
    pub options: &'static [Opt<O>],
    /// Paragraphs after the list of options.
    pub notes: &'static str,
}

/// What a user asked of an applet: option values and operands.
#[derive(Debug)]
pub struct Request<O> {
    /// The options, folded into one value.
    pub options: O,
    /// What is not an option, in order. Arguments live as long as the process, and there may be
    /// hundreds of thousands: they are never copied, and go to system calls as they are.
    pub operands: Vec<&'static CStr>,
}

impl<O: Default> Command<O> {
    /// Parses `arguments` and runs `body`, unless help, the version or a usage error is the answer.
    ///
    /// Standard output is closed at the end and what `close` says is reported: disk quotas and
    /// network file systems tell there that bytes were lost.
    pub fn start(
        &self,
        arguments: Vec<&'static CStr>,
        streams: Streams,
        body: impl FnOnce(Request<O>, &Context) -> anyhow::Result<Status>,
    ) -> Status {
        let context = Context::new(self.name, streams);
        let outcome = match options::parse(self.options, arguments) {
            Ok(request) => body(request, &context),
            Err(Instead::Help) => context.print(&help::help(self)),
            Err(Instead::Version) => context.print(&help::version(self.name)),
            Err(Instead::Complaint(usage_error)) => {
                context.usage_error(&usage_error);
                return Status::FAILURE;
            }
        };
        outcome.and_then(|status| context.close_output().map(|()| status)).unwrap_or_else(|error| {
            context.report_error(&error);
            Status::FAILURE
        })
    }

    /// The options as data, `--help` and `--version` included.
    pub fn specs(&self) -> Vec<Spec> {
        options::specs(self.options).collect()
    }

    /// The text of `--help`.
    pub fn help(&self) -> String {
        help::help(self)
    }
}
