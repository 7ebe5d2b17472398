//! The way of bytes that are looked at: blocks of input through the formatter into a buffer in
//! front of the output.

use std::ffi::CStr;
use std::io;
use std::os::fd::AsFd;

use applet::open_input;
use splice_core::{Buffer, FdKind, read};

use crate::destination::Destination;
use crate::format::{Format, Formatter, INPUT_BLOCK};
use crate::input::Input;
use crate::output::Output;
use crate::{Handled, Trouble, Way};

/// Copies inputs with numbers, without some blank lines, or made visible.
pub(crate) struct Formatted<'a> {
    destination: &'a Destination,
    formatter: Formatter,
    block: Buffer,
    output: Output<'a>,
}

impl Way for Formatted<'_> {
    fn copy(&mut self, first: Input<'_>, _: &[&CStr]) -> Handled {
        Handled::one(match first {
            Input::Standard(descriptor) => self.copy_descriptor(&descriptor),
            Input::File(name) => self.copy_file(name),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.formatter.finish(&mut self.output.over())?;
        self.flush()
    }
}

impl<'a> Formatted<'a> {
    pub(crate) fn new(format: Format, destination: &'a Destination) -> io::Result<Formatted<'a>> {
        Ok(Formatted {
            destination,
            formatter: Formatter::new(format),
            block: Buffer::new(INPUT_BLOCK)?,
            output: Output::new(destination.as_fd())?,
        })
    }

    fn copy_file(&mut self, name: &CStr) -> Result<(), Trouble> {
        // Opening may block, on a FIFO for example.
        self.flush().map_err(Trouble::Output)?;
        let file = open_input(name).map_err(Trouble::Input)?;
        self.copy_descriptor(&file)?;
        file.close().map_err(Trouble::Input)
    }

    fn copy_descriptor(&mut self, input: &impl AsFd) -> Result<(), Trouble> {
        self.flush().map_err(Trouble::Output)?;
        if self.destination.is(input) && self.destination.runs_ahead_of(input) {
            return Err(Trouble::SelfCopy);
        }
        // Only a read from a file is sure not to wait for somebody. Files of /proc have no size, and
        // there are some that wait.
        let may_block = !matches!(FdKind::of(input), Ok(FdKind::Regular { size: 1.. }));
        loop {
            let taken = read(input, &mut self.block).map_err(Trouble::Input)?;
            if taken == 0 {
                return Ok(());
            }
            let mut front = self.output.over();
            self.formatter.format(&self.block[..taken], &mut front).map_err(Trouble::Output)?;
            front.settle().map_err(Trouble::Output)?;
            if may_block {
                self.flush().map_err(Trouble::Output)?;
            }
        }
    }
}
