//! What is left to do of a file after the first look: of a large one, and of one that is no regular
//! file.

use std::ffi::CStr;
use std::io;
use std::os::fd::AsFd;

use nix::unistd::{Whence, lseek};

use applet::{InputFile, open_input};
use splice_core::{FdKind, Strategy, await_readable, plan};

use super::Plain;
use super::beginning::Begun;
use crate::Trouble;

impl Plain<'_> {
    /// Copies the rest of a file, and closes it.
    pub(super) fn go_on(
        &mut self,
        file: InputFile,
        name: &CStr,
        begun: Begun,
    ) -> Result<(), Trouble> {
        match begun {
            Begun::Whole => {}
            Begun::More => self.copy_rest(&file)?,
            // There is no memory for a buffer, and nothing was read. A FIFO may have no writer yet.
            Begun::Part { before }
                if self.gathered.len() == before
                    && matches!(FdKind::of(&file), Ok(FdKind::Pipe)) =>
            {
                return self.nothing_at_once(file, name, None);
            }
            Begun::Part { before } => {
                self.give_back(&file, before)?;
                self.copy_rest(&file)?;
            }
            Begun::Nothing(error) => return self.nothing_at_once(file, name, error),
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

    /// The first read gave nothing: the file has to be waited for, or it is a device that minds how
    /// it is opened.
    fn nothing_at_once(
        &mut self,
        file: InputFile,
        name: &CStr,
        error: Option<io::Error>,
    ) -> Result<(), Trouble> {
        let not_ready =
            error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        match (FdKind::of(&file), error) {
            // A FIFO that no writer has opened yet reads as if it were at its end. So may what will not
            // say what it is.
            (Ok(FdKind::Pipe) | Err(_), _) => {
                self.write_out().map_err(Trouble::Output)?;
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
    pub(super) fn copy_waiting(&mut self, name: &CStr) -> Result<(), Trouble> {
        self.write_out().map_err(Trouble::Output)?;
        let file = open_input(name).map_err(Trouble::Input)?;
        self.refuse_self_copy(&file)?;
        self.copy_rest(&file)?;
        file.close().map_err(Trouble::Input)
    }

    /// Copies from where `input` stands, after what was gathered before it.
    pub(super) fn copy_rest(&mut self, input: &impl AsFd) -> Result<(), Trouble> {
        self.small = 0;
        self.ahead.let_go();
        self.spill().map_err(Trouble::Output)?;
        self.copier().map_err(Trouble::Output)?.append(input).map(drop).map_err(Trouble::from)
    }
}
