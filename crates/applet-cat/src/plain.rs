//! The way of bytes that nobody looks at: small files are gathered and written together,
//! everything else is the copy engine's.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use applet::{InputFile, open_input, open_input_without_waiting};
use splice_core::{Copier, CopyError, FdKind, Side, await_readable};

use crate::destination::Destination;
use crate::gathered::{Gathered, Taken};
use crate::input::Input;
use crate::{Trouble, Way};

/// Copies inputs as they are.
pub(crate) struct Plain<'a> {
    destination: &'a Destination,
    read_write_only: bool,
    /// Made when the first input turns out to be more than a small file.
    copier: Option<Copier<'a>>,
    gathered: Gathered,
}

/// How a file was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    Normally,
    /// With O_NONBLOCK, because gathered bytes must not wait for a FIFO's writer. Only what can be
    /// read at once is believed of such a file.
    WithoutWaiting,
}

impl Way for Plain<'_> {
    fn copy(&mut self, input: Input<'_>) -> Result<(), Trouble> {
        match input {
            Input::Standard(descriptor) => self.copy_standard_input(descriptor),
            Input::File(name) => self.copy_file(name),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.gathered.write_to(self.destination)
    }
}

impl<'a> Plain<'a> {
    pub(crate) fn new(destination: &'a Destination, read_write_only: bool) -> Plain<'a> {
        Plain { destination, read_write_only, copier: None, gathered: Gathered::default() }
    }

    fn copy_standard_input(&mut self, descriptor: BorrowedFd<'_>) -> Result<(), Trouble> {
        self.refuse_self_copy(&descriptor)?;
        self.copy_rest(&descriptor)
    }

    fn copy_file(&mut self, name: &OsStr) -> Result<(), Trouble> {
        if self.gathered.len() > 0 {
            if let Ok(file) = open_input_without_waiting(name) {
                return self.read_first(file, name, Opened::WithoutWaiting);
            }
            self.flush().map_err(Trouble::Output)?;
        }
        let file = open_input(name).map_err(Trouble::Input)?;
        self.read_first(file, name, Opened::Normally)
    }

    /// Reads first, and asks what the file is only if it turns out not to be a small one: open,
    /// read, read, close is all that a small file costs.
    fn read_first(&mut self, file: InputFile, name: &OsStr, opened: Opened) -> Result<(), Trouble> {
        self.refuse_self_copy(&file)?;
        if self.gathered.is_nearly_full() {
            self.flush().map_err(Trouble::Output)?;
        }
        let before = self.gathered.len();
        match self.gathered.take(&file) {
            Ok(Taken::Whole) => {}
            Ok(Taken::Part) => self.copy_rest(&file)?,
            Err(error) if self.gathered.len() > before => return Err(Trouble::Input(error)),
            first if opened == Opened::WithoutWaiting => {
                return self.copy_waiting(file, name, first);
            }
            Ok(Taken::Nothing) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.copy_rest(&file)?,
            Err(error) => return Err(Trouble::Input(error)),
        }
        file.close().map_err(Trouble::Input)
    }

    /// A file that was opened without waiting and gave nothing at the first read: empty, or to be
    /// waited for, or a device that minds how it is opened.
    fn copy_waiting(
        &mut self,
        file: InputFile,
        name: &OsStr,
        first: io::Result<Taken>,
    ) -> Result<(), Trouble> {
        match (FdKind::of(&file), first) {
            (Ok(FdKind::Regular { .. }), Ok(_)) => {}
            (Ok(FdKind::Pipe), _) => {
                self.flush().map_err(Trouble::Output)?;
                // A FIFO that no writer has opened yet reads as if it were at its end.
                await_readable(&file).map_err(Trouble::Input)?;
                self.copy_rest(&file)?;
            }
            _ => {
                self.flush().map_err(Trouble::Output)?;
                drop(file);
                return self.copy_file(name);
            }
        }
        file.close().map_err(Trouble::Input)
    }

    /// Copies from where `input` stands, after what was gathered before it.
    fn copy_rest(&mut self, input: &impl AsFd) -> Result<(), Trouble> {
        self.flush().map_err(Trouble::Output)?;
        let mut copier = match self.copier.take() {
            Some(copier) => copier,
            None => self.new_copier().map_err(Trouble::Output)?,
        };
        let copied = copier.copy(input);
        self.copier = Some(copier);
        copied.map(drop).map_err(Trouble::from)
    }

    fn new_copier(&self) -> io::Result<Copier<'a>> {
        let copier = Copier::new(self.destination)?;
        Ok(if self.read_write_only { copier.read_write_only() } else { copier })
    }

    fn refuse_self_copy(&mut self, input: &impl AsFd) -> Result<(), Trouble> {
        if !self.destination.is(input) {
            return Ok(());
        }
        // Where the output stands is only true once everything is written.
        self.flush().map_err(Trouble::Output)?;
        if self.destination.runs_ahead_of(input) { Err(Trouble::SelfCopy) } else { Ok(()) }
    }
}

impl From<CopyError> for Trouble {
    fn from(error: CopyError) -> Trouble {
        match error.side() {
            Side::Input => Trouble::Input(error.io_error()),
            Side::Output => Trouble::Output(error.io_error()),
        }
    }
}
