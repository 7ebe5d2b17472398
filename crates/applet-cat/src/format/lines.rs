//! Which lines are numbered and which are dropped, worked out for 64 bytes at once.

use super::line_number::LineNumber;
use super::scan::BLOCK;
use super::{Format, Numbering};

/// What the lines so far mean for those to come: it runs over blocks and files.
pub(super) struct Lines {
    pub(super) number: LineNumber,
    /// All ones where the option is given: a mask costs less than a branch.
    number_all: u64,
    number_nonblank: u64,
    squeeze_blank: u64,
    /// 1 if the next byte begins a line.
    at_start: u64,
    /// 1 if the line before was blank.
    after_blank: u64,
}

/// What becomes of the lines that begin in a block.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    /// First bytes of lines that get a number.
    pub(super) numbered: u64,
    /// Newlines of blank lines that are dropped.
    pub(super) squeezed: u64,
}

impl Lines {
    pub(super) fn new(format: Format) -> Lines {
        let all_if = |given| if given { u64::MAX } else { 0 };
        Lines {
            number: LineNumber::first(),
            number_all: all_if(format.numbering == Numbering::All),
            number_nonblank: all_if(format.numbering == Numbering::NonBlank),
            squeeze_blank: all_if(format.squeeze_blank),
            at_start: 1,
            after_blank: 0,
        }
    }

    /// Marks the lines of the next `len` bytes, where `newlines` are.
    #[inline(always)]
    pub(super) fn mark(&mut self, newlines: u64, len: usize) -> Marks {
        let starts = (newlines << 1 | self.at_start) & first(len);
        let blank = newlines & starts;
        let squeezed = blank & (blank << 1 | self.after_blank) & self.squeeze_blank;
        self.at_start = newlines >> (len - 1) & 1;
        self.after_blank = blank >> (len - 1) & 1;
        let numbered = self.number_all | (self.number_nonblank & !newlines);
        Marks { numbered: starts & !squeezed & numbered, squeezed }
    }
}

/// The mask of the first `len` bytes of a block, of 1 to 64.
#[inline(always)]
pub(super) fn first(len: usize) -> u64 {
    u64::MAX >> (BLOCK - len)
}
