//! The way of bytes that nobody looks at: small files are gathered and written together,
//! everything else is the copy engine's.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::unistd::{Whence, lseek};

use applet::{InputFile, open_input, open_input_without_waiting};
use splice_core::{Copier, CopyError, FdKind, Side, Strategy, await_readable, plan, write_all};

use crate::destination::Destination;
use crate::discarded::{Discarded, Skimmed};
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
    discarded: Discarded<'a>,
}

impl Way for Plain<'_> {
    fn copy(&mut self, input: Input<'_>) -> Result<(), Trouble> {
        match input {
            Input::Standard(descriptor) => self.copy_standard_input(descriptor),
            Input::File(name) => self.copy_file(name),
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
        }
    }

    fn copy_standard_input(&mut self, descriptor: BorrowedFd<'_>) -> Result<(), Trouble> {
        self.refuse_self_copy(&descriptor)?;
        self.copy_rest(&descriptor)
    }

    /// Opens a file with O_NONBLOCK: neither opening nor reading may wait while bytes are gathered,
    /// as both do on a FIFO.
    fn copy_file(&mut self, name: &CStr) -> Result<(), Trouble> {
        match open_input_without_waiting(name) {
            Ok(file) => self.read_first(file, name),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.copy_waiting(name),
            Err(error) => Err(Trouble::Input(error)),
        }
    }

    /// Reads first, and asks what the file is only if it turns out not to be a small one: open,
    /// read, read, close is all that a small file costs.
    fn read_first(&mut self, file: InputFile, name: &CStr) -> Result<(), Trouble> {
        self.refuse_self_copy(&file)?;
        let comes_first = self.discarded.is_at_work() && self.gathered.len() > 0;
        if self.gathered.is_nearly_full() || comes_first {
            self.spill().map_err(Trouble::Output)?;
        }
        match self.discarded.skim(&file)? {
            Skimmed::Nothing => {}
            Skimmed::Beginning => return self.read_on(file),
            Skimmed::End => return file.close().map_err(Trouble::Input),
        }
        let before = self.gathered.len();
        match self.gathered.take(&file) {
            Ok(Taken::Whole) => self.discarded.one_more_was_small(),
            // There is no memory for a buffer, and nothing was read. A FIFO may have no writer yet.
            Ok(Taken::Part)
                if self.gathered.len() == before
                    && matches!(FdKind::of(&file), Ok(FdKind::Pipe)) =>
            {
                return self.nothing_at_once(file, name, None);
            }
            Ok(Taken::Part) => {
                self.give_back(&file, before)?;
                self.copy_rest(&file)?;
            }
            Err(error) if self.gathered.len() > before => return Err(Trouble::Input(error)),
            nothing => return self.nothing_at_once(file, name, nothing.err()),
        }
        file.close().map_err(Trouble::Input)
    }

    /// The beginning of a file went by reference. Most often that was all, as a read says.
    fn read_on(&mut self, file: InputFile) -> Result<(), Trouble> {
        match self.gathered.take(&file) {
            Ok(Taken::Nothing) => {}
            Ok(Taken::Whole | Taken::Part) => self.copy_rest(&file)?,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.copy_rest(&file)?,
            Err(error) => return Err(Trouble::Input(error)),
        }
        file.close().map_err(Trouble::Input)
    }

    /// What was read of a file that may have a better way is dropped and read again: the copy
    /// engine can then hand on the whole file by reference, and its reader is not woken for the
    /// first bytes.
    fn give_back(&mut self, file: &InputFile, before: usize) -> Result<(), Trouble> {
        let Ok(input @ FdKind::Regular { size: 1.. }) = FdKind::of(file) else { return Ok(()) };
        if self.read_write_only {
            return Ok(());
        }
        let output = self.copier().map_err(Trouble::Output)?.output_kind();
        // To a pipe, what comes before and after the file decides too.
        let better = output == FdKind::Pipe || plan(input, output) != Strategy::ReadWrite;
        if better && lseek(file, 0, Whence::SeekSet).is_ok() {
            self.gathered.truncate(before);
        }
        Ok(())
    }

    /// The first read gave nothing: the file is empty, or has to be waited for, or it is a device
    /// that minds how it is opened.
    fn nothing_at_once(
        &mut self,
        file: InputFile,
        name: &CStr,
        error: Option<io::Error>,
    ) -> Result<(), Trouble> {
        let not_ready =
            error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        match (FdKind::of(&file), error) {
            (Ok(FdKind::Regular { .. }), None) => {}
            // A FIFO that no writer has opened yet reads as if it were at its end. So may what will not
            // say what it is.
            (Ok(FdKind::Pipe) | Err(_), _) => {
                self.flush().map_err(Trouble::Output)?;
                await_readable(&file).map_err(Trouble::Input)?;
                self.copy_rest(&file)?;
            }
            (
                Ok(
                    FdKind::MemoryDevice
                    | FdKind::CharacterDevice
                    | FdKind::BlockDevice
                    | FdKind::Terminal,
                ),
                _,
            ) => {
                drop(file);
                return self.copy_waiting(name);
            }
            (_, Some(_)) if not_ready => self.copy_rest(&file)?,
            (_, Some(error)) => return Err(Trouble::Input(error)),
            (_, None) => {}
        }
        file.close().map_err(Trouble::Input)
    }

    /// Opens a file the usual way, after what was gathered has been written.
    fn copy_waiting(&mut self, name: &CStr) -> Result<(), Trouble> {
        self.flush().map_err(Trouble::Output)?;
        let file = open_input(name).map_err(Trouble::Input)?;
        self.refuse_self_copy(&file)?;
        self.copy_rest(&file)?;
        file.close().map_err(Trouble::Input)
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

    /// Copies from where `input` stands, after what was gathered before it.
    fn copy_rest(&mut self, input: &impl AsFd) -> Result<(), Trouble> {
        self.spill().map_err(Trouble::Output)?;
        self.copier().map_err(Trouble::Output)?.append(input).map(drop).map_err(Trouble::from)
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

impl From<CopyError> for Trouble {
    fn from(error: CopyError) -> Trouble {
        match error.side() {
            Side::Input => Trouble::Input(error.io_error()),
            Side::Output => Trouble::Output(error.io_error()),
        }
    }
}
