//! Standard output behind the formatter: a buffer in front of it, and long runs of the input that
//! are written from where they lie.

use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;

use splice_core::{Buffer, write_all, write_all_vectored};

use crate::format::{OUTPUT_BUFFER, Sink};

/// As many runs wait for one another to be written by one call.
const RUNS: usize = 256;

/// Standard output with a buffer in front.
pub(crate) struct Output<'a> {
    descriptor: BorrowedFd<'a>,
    buffer: Buffer,
    len: usize,
}

impl<'a> Output<'a> {
    pub(crate) fn new(descriptor: BorrowedFd<'a>) -> io::Result<Output<'a>> {
        Ok(Output { descriptor, buffer: Buffer::new(OUTPUT_BUFFER)?, len: 0 })
    }

    /// Writes what the buffer holds.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let len = std::mem::take(&mut self.len);
        write_all(self.descriptor, &self.buffer[..len])
    }

    /// The output while one block of input is formatted. It is to be [settled](Front::settle) before
    /// that block is read into again.
    pub(crate) fn over<'o, 'i>(&'o mut self) -> Front<'o, 'a, 'i> {
        Front { output: self, runs: [Run { before: 0, bytes: &[] }; RUNS], count: 0 }
    }
}

/// A part of the input that is to be written after the first `before` bytes of the buffer.
#[derive(Clone, Copy)]
struct Run<'i> {
    before: usize,
    bytes: &'i [u8],
}

/// An output with runs of input that have their places between what the buffer holds.
pub(crate) struct Front<'o, 'a, 'i> {
    output: &'o mut Output<'a>,
    runs: [Run<'i>; RUNS],
    count: usize,
}

impl Front<'_, '_, '_> {
    /// Writes all if there is any run: nothing refers to the input any more.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        if self.count > 0 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.count == 0 {
            return self.output.flush();
        }
        let len = std::mem::take(&mut self.output.len);
        let runs = &self.runs[..std::mem::take(&mut self.count)];
        let mut slices = [IoSlice::new(&[]); 2 * RUNS + 1];
        let (mut used, mut from) = (0, 0);
        let mut put = |bytes| {
            slices[used] = IoSlice::new(bytes);
            used += 1;
        };
        for run in runs {
            put(&self.output.buffer[from..run.before]);
            put(run.bytes);
            from = run.before;
        }
        put(&self.output.buffer[from..len]);
        write_all_vectored(self.output.descriptor, &mut slices[..used])
    }
}

impl<'i> Sink<'i> for Front<'_, '_, 'i> {
    type Error = io::Error;

    fn room(&mut self, at_least: usize) -> io::Result<&mut [u8]> {
        if self.output.buffer.len() - self.output.len < at_least {
            self.flush()?;
        }
        Ok(&mut self.output.buffer[self.output.len..])
    }

    fn advance(&mut self, count: usize) {
        self.output.len += count;
    }

    fn pass(&mut self, run: &'i [u8]) -> io::Result<()> {
        if self.count == RUNS {
            self.flush()?;
        }
        self.runs[self.count] = Run { before: self.output.len, bytes: run };
        self.count += 1;
        Ok(())
    }
}
