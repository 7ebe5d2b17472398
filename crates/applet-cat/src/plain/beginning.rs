//! The first look at a file that was opened without waiting: most often it is all there is to do.

use std::io;

use nix::errno::Errno;
use nix::unistd::{Whence, lseek};

use applet::InputFile;
use splice_core::FdKind;

use super::Plain;
use crate::Trouble;
use crate::discarded::Skimmed;
use crate::gathered::SMALL_FILE;

/// What is known of a file after the first look.
#[derive(Debug)]
pub(super) enum Begun {
    /// It is small, and all of it was taken.
    Whole,
    /// What was taken stays taken, and there is more.
    More,
    /// What was gathered after the first `before` bytes is its beginning.
    Part { before: usize },
    /// Nothing was there at once, or reading failed.
    Nothing(Option<io::Error>),
}

impl Plain<'_> {
    /// Reads first, and asks what the file is only if it turns out not to be a small one: open,
    /// read, read, close is all that a small file costs. Does not wait for the file.
    pub(super) fn begin(&mut self, file: &InputFile) -> Result<Begun, Trouble> {
        let begun = self.look_at(file);
        self.small = if matches!(begun, Ok(Begun::Whole)) { self.small + 1 } else { 0 };
        begun
    }

    fn look_at(&mut self, file: &InputFile) -> Result<Begun, Trouble> {
        self.refuse_self_copy(file)?;
        let comes_first = self.discarded.is_allowed() && self.gathered.len() > 0;
        if self.gathered.is_nearly_full() || (self.is_in_a_run() && comes_first) {
            self.spill().map_err(Trouble::Output)?;
        }
        let skimmed = match self.is_in_a_run() {
            true => self.discarded.skim(file)?,
            false => Skimmed::Nothing,
        };
        match skimmed {
            Skimmed::Nothing => self.read_first(file),
            Skimmed::Beginning(taken) => {
                Ok(if self.is_at_end(file, taken)? { Begun::Whole } else { Begun::More })
            }
            Skimmed::End => {
                // Whoever typed it may have changed the files behind it before.
                self.ahead.let_go();
                Ok(Begun::Whole)
            }
        }
    }

    fn read_first(&mut self, file: &InputFile) -> Result<Begun, Trouble> {
        let before = self.gathered.len();
        match self.gathered.read(file) {
            Ok(Some(0)) => match FdKind::of(file) {
                Ok(FdKind::Regular { .. }) => Ok(Begun::Whole),
                _ => Ok(Begun::Nothing(None)),
            },
            Ok(None | Some(SMALL_FILE)) => Ok(Begun::Part { before }),
            Ok(Some(taken)) => {
                Ok(if self.is_at_end(file, taken)? { Begun::Whole } else { Begun::Part { before } })
            }
            Err(error) => Ok(Begun::Nothing(Some(error))),
        }
    }

    /// Whether a file ends after its first `taken` bytes, as a read says. What that finds instead is
    /// taken, too.
    fn is_at_end(&mut self, file: &InputFile, taken: usize) -> Result<bool, Trouble> {
        let found = match self.ahead.is_empty() {
            true => self.gathered.read(file),
            false => self.read_behind(file, taken as u64),
        };
        match found {
            Ok(found) => Ok(found == Some(0)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(Trouble::Input(error)),
        }
    }

    /// The read for the end while files behind this one are open. A FIFO must not be told from a file
    /// by asking, which is one more call for each. But it refuses to be read at an offset; and before
    /// its end, whoever wrote to it may have replaced those files. So it counts as not at its end,
    /// which lets go of them. `None`: this read cannot tell.
    fn read_behind(&mut self, file: &InputFile, offset: u64) -> io::Result<Option<usize>> {
        let before = self.gathered.len();
        match self.gathered.read_at(file, offset) {
            Ok(Some(more @ 1..)) => {
                let stands_behind = i64::try_from(offset + more as u64)
                    .is_ok_and(|end| lseek(file, end, Whence::SeekSet) == Ok(end));
                // A device that cannot seek has no position, and will not say the same again.
                if !stands_behind && matches!(FdKind::of(file), Ok(FdKind::Regular { .. })) {
                    self.gathered.truncate(before);
                }
                Ok(Some(more))
            }
            // So do some file systems and sandboxes. `read` will tell.
            Err(error) if is_refusal(&error) => Ok(None),
            told => told,
        }
    }
}

fn is_refusal(error: &io::Error) -> bool {
    let refusals = [Errno::ESPIPE, Errno::ENOSYS, Errno::EPERM];
    error.raw_os_error().is_some_and(|number| refusals.contains(&Errno::from_raw(number)))
}
