//! Small files for an output that looks at no byte. In a run of them the next ones are no longer
//! read: their pages are gathered by reference, and only their end is read for.

use splice_core::{FdKind, Side, Skimmer};

use applet::InputFile;

use crate::Trouble;
use crate::destination::Destination;
use crate::gathered::SMALL_FILE;

/// So many files are read before skimming is tried again.
const A_FEW: usize = 16;

/// The way of small files to /dev/null.
#[derive(Debug)]
pub(crate) struct Discarded<'a> {
    output: &'a Destination,
    allowed: bool,
    /// Files that are read as others are, since the kernel refused one.
    left_out: usize,
    skimmer: Option<Skimmer<'a>>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skimmed {
    /// Nothing was taken: it has to be read.
    Nothing,
    /// So many bytes were taken; `read` knows whether that was all.
    Beginning(usize),
    /// Nothing was taken, and that was its end, which must not be asked for again.
    End,
}

impl<'a> Discarded<'a> {
    pub(crate) fn new(output: &'a Destination, may_splice: bool) -> Discarded<'a> {
        Discarded { output, allowed: may_splice && output.discards(), left_out: 0, skimmer: None }
    }

    /// Whether files may be skimmed.
    pub(crate) fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// Takes the beginning of a file that was opened without waiting, after what was gathered before
    /// was written.
    pub(crate) fn skim(&mut self, file: &InputFile) -> Result<Skimmed, Trouble> {
        if !self.allowed || self.left_out > 0 {
            self.left_out = self.left_out.saturating_sub(1);
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
            Ok(taken) => Ok(Skimmed::Beginning(taken)),
            Err(error) if error.side() == Side::Output => Err(error.into()),
            // To be read; and where the kernel refuses this at all, seldom tried again.
            Err(_) => {
                self.left_out = A_FEW;
                Ok(Skimmed::Nothing)
            }
        }
    }

    /// Gives everything that was taken to the output.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.skimmer.as_mut().map_or(Ok(()), |skimmer| Ok(skimmer.flush()?))
    }
}
