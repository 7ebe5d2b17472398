//! The first look at a file that was opened without waiting: most often it is all there is to do.

use std::io;

use applet::InputFile;
use splice_core::FdKind;

use super::Plain;
use crate::Trouble;
use crate::discarded::Skimmed;
use crate::gathered::Taken;

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
            Skimmed::Beginning => self.read_on(file),
            Skimmed::End => Ok(Begun::Whole),
        }
    }

    fn read_first(&mut self, file: &InputFile) -> Result<Begun, Trouble> {
        let before = self.gathered.len();
        match self.gathered.take(file) {
            Ok(Taken::Whole) => Ok(Begun::Whole),
            Ok(Taken::Part) => Ok(Begun::Part { before }),
            Ok(Taken::Nothing) => match FdKind::of(file) {
                Ok(FdKind::Regular { .. }) => Ok(Begun::Whole),
                _ => Ok(Begun::Nothing(None)),
            },
            Err(error) if self.gathered.len() > before => Err(Trouble::Input(error)),
            Err(error) => Ok(Begun::Nothing(Some(error))),
        }
    }

    /// The beginning of a file went by reference. Most often that was all, as a read says.
    fn read_on(&mut self, file: &InputFile) -> Result<Begun, Trouble> {
        match self.gathered.take(file) {
            Ok(Taken::Nothing) => Ok(Begun::Whole),
            Ok(Taken::Whole | Taken::Part) => Ok(Begun::More),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Begun::More),
            Err(error) => Err(Trouble::Input(error)),
        }
    }
}
