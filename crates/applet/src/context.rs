//! Whom an applet speaks for and where its words go: the one place that prints diagnostics.

use std::io;

use crate::command::Status;
use crate::failure::{BecauseOf, Reason};
use crate::options::UsageError;
use crate::quote::quoted;
use crate::streams::Streams;

/// The name of the running command and its standard streams.
#[derive(Debug)]
pub struct Context {
    name: &'static str,
    streams: Streams,
}

impl Context {
    /// A command called `name`, never a path.
    pub(crate) fn new(name: &'static str, streams: Streams) -> Context {
        Context { name, streams }
    }

    /// The name that messages begin with.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The standard streams.
    pub fn streams(&self) -> Streams {
        self.streams
    }

    /// Prints `NAME: FILE: REASON`, with FILE quoted where a shell would need it.
    pub fn report_file(&self, file: &[u8], reason: &io::Error) {
        self.report(&[&quoted(file), b": ", Reason::new(reason).to_string().as_bytes()]);
    }

    /// Prints `NAME: FILE: WORDS` for what is no error of the system.
    pub fn report_file_words(&self, file: &[u8], words: &str) {
        self.report(&[&quoted(file), b": ", words.as_bytes()]);
    }

    /// Prints `NAME: SUBJECT: REASON` for a subject that is no file.
    pub fn report_about(&self, subject: &str, reason: &io::Error) {
        self.report(&[subject.as_bytes(), b": ", Reason::new(reason).to_string().as_bytes()]);
    }

    /// Prints `NAME: SUBJECT: REASON` for an error that ended the run.
    pub(crate) fn report_error(&self, error: &anyhow::Error) {
        self.report(&[format!("{error:#}").as_bytes()]);
    }

    /// Prints `NAME: ` and the parts, a line in one `write`. A message that cannot be written is
    /// dropped: the exit status tells the same, and there is nowhere else to say it.
    pub fn report(&self, parts: &[&[u8]]) {
        let line = [self.name.as_bytes(), b": ", &parts.concat(), b"\n"].concat();
        let _ = splice_core::write_all(self.streams.error, &line);
    }

    /// Prints what is wrong with the command line, and where to find help.
    pub(crate) fn usage_error(&self, error: &UsageError) {
        self.report(&[&error.line()]);
        let hint = format!("Try '{} --help' for more information.\n", self.name);
        let _ = splice_core::write_all(self.streams.error, hint.as_bytes());
    }

    /// Writes a text to standard output.
    ///
    /// # Errors
    /// `write error: REASON`.
    pub fn print(&self, text: &str) -> anyhow::Result<Status> {
        splice_core::write_all(self.streams.output, text.as_bytes()).because_of("write error")?;
        Ok(Status::SUCCESS)
    }

    /// Closes standard output, once, after the last byte was written.
    pub(crate) fn close_output(&self) -> anyhow::Result<()> {
        Streams::close(self.streams.output).because_of("write error")
    }
}
