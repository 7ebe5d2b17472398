//! The way of bytes that nobody looks at: small files are gathered and written together,
//! everything else is the copy engine's.

mod beginning;
mod rest;

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use applet::InputFile;
use splice_core::{Copier, CopyError, Side, write_all};

use crate::ahead::{Ahead, LONGEST_ROW};
use crate::destination::Destination;
use crate::discarded::Discarded;
use crate::gathered::Gathered;
use crate::input::Input;
use crate::{Handled, Trouble, Way};
use beginning::Begun;

/// As many small files, one after the other, let expect more of them.
const A_RUN: usize = 16;

/// Copies inputs as they are.
pub(crate) struct Plain<'a> {
    destination: &'a Destination,
    read_write_only: bool,
    /// Made when the first input turns out to be more than a small file.
    copier: Option<Copier<'a>>,
    gathered: Gathered,
    discarded: Discarded<'a>,
    ahead: Ahead,
    /// Small files since the last other one.
    small: usize,
}

impl Way for Plain<'_> {
    fn copy(&mut self, first: Input<'_>, operands: &[&CStr]) -> Handled {
        match first {
            Input::Standard(descriptor) => Handled::one(self.copy_standard_input(descriptor)),
            Input::File(name) if self.is_in_a_run() => self.copy_row(name, operands),
            Input::File(name) => Handled::one(self.copy_file(name)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.spill()?;
        Ok(self.copier.as_mut().map_or(Ok(()), Copier::settle)?)
    }
}

impl<'a> Plain<'a> {
    pub(crate) fn new(destination: &'a Destination, read_write_only: bool) -> Plain<'a> {
        Plain {
            destination,
            read_write_only,
            copier: None,
            gathered: Gathered::default(),
            discarded: Discarded::new(destination, !read_write_only),
            ahead: Ahead::default(),
            small: 0,
        }
    }

    /// Whether small files are opened in rows, and skimmed where the output discards them.
    fn is_in_a_run(&self) -> bool {
        self.small >= A_RUN && !self.read_write_only
    }

    fn copy_standard_input(&mut self, descriptor: BorrowedFd<'_>) -> Result<(), Trouble> {
        self.refuse_self_copy(&descriptor)?;
        self.copy_rest(&descriptor)
    }

    /// Opens a file with O_NONBLOCK: neither opening nor reading may wait while bytes are gathered,
    /// as both do on a FIFO.
    fn copy_file(&mut self, name: &CStr) -> Result<(), Trouble> {
        match self.ahead.next_or_open(name) {
            Ok(file) => {
                let begun = self.begin(&file)?;
                self.go_on(file, name, begun)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.copy_waiting(name),
            Err(error) => Err(Trouble::Input(error)),
        }
    }

    /// Copies a row of small files, with the first that is not small at its end. They are all opened,
    /// then read, then closed.
    fn copy_row(&mut self, name: &CStr, operands: &[&CStr]) -> Handled {
        // A row that is cut short has opened files in vain: it is short after a short run.
        self.ahead.open((self.small / 4).min(LONGEST_ROW), operands);
        let mut taken = Vec::with_capacity(LONGEST_ROW);
        while let Some(file) = self.ahead.next() {
            match self.begin(&file) {
                Ok(Begun::Whole) => taken.push(file),
                begun => {
                    let mut handled = close_all(taken);
                    let name = operands[handled.count];
                    handled.add(begun.and_then(|begun| self.go_on(file, name, begun)));
                    return handled;
                }
            }
        }
        match taken.is_empty() {
            true => Handled::one(self.copy_file(name)),
            false => close_all(taken),
        }
    }

    /// Writes everything there is before something is waited for.
    fn write_out(&mut self) -> io::Result<()> {
        self.ahead.let_go();
        self.flush()
    }

    /// Writes what was gathered. The end of a large file before it may still be held back, and then
    /// the end of this is, too.
    fn spill(&mut self) -> io::Result<()> {
        self.discarded.flush()?;
        match (self.gathered.give(), &mut self.copier) {
            ([], _) => Ok(()),
            (bytes, Some(copier)) => Ok(copier.write(bytes)?),
            (bytes, None) => write_all(self.destination, bytes),
        }
    }

    fn copier(&mut self) -> io::Result<&mut Copier<'a>> {
        match &mut self.copier {
            Some(copier) => Ok(copier),
            none => {
                let copier = Copier::new(self.destination)?;
                let plainly = self.read_write_only;
                Ok(none.insert(if plainly { copier.read_write_only() } else { copier }))
            }
        }
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

/// Closes files that were taken whole.
fn close_all(files: Vec<InputFile>) -> Handled {
    let mut handled = Handled::default();
    files.into_iter().for_each(|file| handled.add(file.close().map_err(Trouble::Input)));
    handled
}

impl From<CopyError> for Trouble {
    fn from(error: CopyError) -> Trouble {
        match error.side() {
            Side::Input => Trouble::Input(error.io_error()),
            Side::Output => Trouble::Output(error.io_error()),
        }
    }
}
