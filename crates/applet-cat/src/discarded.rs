//! Small files for an output that looks at no byte. After a few of them the next ones are no longer
//! read: their pages are gathered by reference, and only their end is read for.

use splice_core::{FdKind, Side, Skimmer};

use applet::InputFile;

use crate::Trouble;
use crate::destination::Destination;
use crate::gathered::SMALL_FILE;

/// So many small files are read before the set-up, a pipe, is expected to be worth it.
const A_FEW: u32 = 16;

/// The way of small files to /dev/null.
#[derive(Debug)]
pub(crate) struct Discarded<'a> {
    output: &'a Destination,
    allowed: bool,
    /// Small files that were read since the start, or since the kernel last refused.
    small: u32,
    skimmer: Option<Skimmer<'a>>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skimmed {
    /// Nothing was taken: it has to be read.
    Nothing,
    /// Its beginning was taken; `read` knows whether that was all.
    Beginning,
    /// Nothing was taken, and that was its end, which must not be asked for again.
    End,
}

impl<'a> Discarded<'a> {
    pub(crate) fn new(output: &'a Destination, may_splice: bool) -> Discarded<'a> {
        Discarded { output, allowed: may_splice && output.discards(), small: 0, skimmer: None }
    }

    /// Notes that a file was read and turned out to be small.
    pub(crate) fn one_more_was_small(&mut self) {
        self.small = self.small.saturating_add(1);
    }

    /// Whether the next file will be skimmed.
    pub(crate) fn is_at_work(&self) -> bool {
        self.allowed && self.small >= A_FEW
    }

    /// Takes the beginning of a file that was opened without waiting.
    pub(crate) fn skim(&mut self, file: &InputFile) -> Result<Skimmed, Trouble> {
        if !self.is_at_work() {
            return Ok(Skimmed::Nothing);
        }
        let skimmer = match &mut self.skimmer {
            Some(skimmer) => skimmer,
            none => match Skimmer::new(self.output) {
                Ok(skimmer) => none.insert(skimmer),
                Err(_) => {
                    self.allowed = false;
                    return Ok(Skimmed::Nothing);
                }
            },
        };
        match skimmer.take(file, SMALL_FILE) {
            // A terminal gives its end once.
            Ok(0) => match FdKind::of(file) {
                Ok(FdKind::Terminal | FdKind::CharacterDevice) => Ok(Skimmed::End),
                _ => Ok(Skimmed::Nothing),
            },
            Ok(_) => Ok(Skimmed::Beginning),
            Err(error) if error.side() == Side::Output => Err(error.into()),
            // To be read; and where the kernel refuses this at all, seldom tried again.
            Err(_) => {
                self.small = 0;
                Ok(Skimmed::Nothing)
            }
        }
    }

    /// Gives everything that was taken to the output.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.skimmer.as_mut().map_or(Ok(()), |skimmer| Ok(skimmer.flush()?))
    }
}
