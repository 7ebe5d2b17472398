//! Files that were opened before their turn.
//!
//! In a run of small files each of the four calls is made for a row of them before the next one is: a
//! processor that does the same thing again has its code at hand, and the row takes a tenth less
//! time. What is sequential about `cat` stays so: nothing is read before its turn, and where it may
//! have to wait for somebody, who may change the files that come later, those are let go and opened
//! again.

use std::collections::VecDeque;
use std::ffi::CStr;
use std::io;

use applet::{InputFile, open_input_without_waiting};
use splice_core::FdKind;

use crate::input::STANDARD_INPUT;

/// The longest row. Twice as many are no faster.
pub(crate) const LONGEST_ROW: usize = 16;

/// The files of the next operands, the first in front.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// `None`: it was opened, and let go.
    files: VecDeque<Option<InputFile>>,
}

impl Ahead {
    /// Opens the files of `operands`, which are all that are left, up to a row of `len`. Ends before
    /// standard input, and before what cannot be opened: its turn will tell whether that is so then.
    pub(crate) fn open(&mut self, len: usize, operands: &[&CStr]) {
        for (index, name) in operands.iter().take(len).enumerate() {
            if matches!(self.files.get(index), Some(Some(_))) {
                continue;
            }
            if *name == STANDARD_INPUT {
                return;
            }
            let Ok(file) = open_input_without_waiting(name) else { return };
            match self.files.get_mut(index) {
                Some(slot) => *slot = Some(file),
                None => self.files.push_back(Some(file)),
            }
        }
    }

    /// Whether no file is open before its turn.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file of the next operand, whose turn it is now, if it is open.
    pub(crate) fn next(&mut self) -> Option<InputFile> {
        let file = self.files.front_mut()?.take()?;
        self.files.pop_front();
        Some(file)
    }

    /// The same, opened now if it is not open yet.
    pub(crate) fn next_or_open(&mut self, name: &CStr) -> io::Result<InputFile> {
        let opened = self.files.pop_front().flatten();
        opened.map_or_else(|| open_input_without_waiting(name), Ok)
    }

    /// Lets go of what may be another file by the time of its turn. A FIFO stays open: its writer has
    /// seen a reader, and would be told that there is none. So does a device, which may mind.
    ///
    /// What `close` says is of no interest: nothing was read, and it will be closed once more.
    pub(crate) fn let_go(&mut self) {
        // `Other` is a directory.
        let may_change = |file: &mut InputFile| {
            matches!(FdKind::of(file), Ok(FdKind::Regular { .. } | FdKind::Other))
        };
        for slot in &mut self.files {
            drop(slot.take_if(may_change));
        }
    }
}
