//! What an operand stands for: standard input, or a file to be opened.

use std::ffi::CStr;
use std::os::fd::BorrowedFd;

/// The operand that is no file's name.
pub(crate) const STANDARD_INPUT: &CStr = c"-";

/// One operand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Input<'a> {
    /// `-`. It may stand between files any number of times, and is not closed in between.
    Standard(BorrowedFd<'static>),
    /// Anything else.
    File(&'a CStr),
}

impl<'a> Input<'a> {
    pub(crate) fn named(name: &'a CStr, standard_input: BorrowedFd<'static>) -> Input<'a> {
        if name == STANDARD_INPUT { Input::Standard(standard_input) } else { Input::File(name) }
    }
}
