//! The two ends of a copy in tests: sources that hold given bytes, sinks that collect what arrives.

mod sinks;
pub(crate) mod sources;

use std::io::{Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::sync::LazyLock;
use std::thread::JoinHandle;

pub(crate) use sinks::SINKS;
pub(crate) use sources::SOURCES;

/// A kind of input.
pub(crate) struct Source {
    pub(crate) name: &'static str,
    /// The most bytes that it is made to hold.
    pub(crate) most: usize,
    pub(crate) open: fn(&[u8]) -> Input,
}

/// An input, and the thread that feeds it, if it needs one.
pub(crate) struct Input {
    pub(crate) descriptor: OwnedFd,
    /// Kept so that the thread's end can be waited for.
    pub(crate) feeder: Option<JoinHandle<()>>,
}

/// A kind of output.
pub(crate) struct Sink {
    pub(crate) name: &'static str,
    /// The most bytes that it takes.
    pub(crate) most: usize,
    /// Whether what it took can be looked at afterwards.
    pub(crate) keeps: bool,
    pub(crate) open: fn() -> Output,
}

/// An output, and how to get at what arrived there once it is closed.
pub(crate) struct Output {
    pub(crate) descriptor: OwnedFd,
    pub(crate) collect: Box<dyn FnOnce() -> Vec<u8>>,
}

impl Output {
    pub(crate) fn finish(self) -> Vec<u8> {
        drop(self.descriptor);
        (self.collect)()
    }
}

/// Three megabytes and a bit that repeat nowhere, so that a shifted copy is a wrong one.
pub(crate) fn content() -> &'static [u8] {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..3 * 1024 * 1024 + 12_345).map(|_| next()).collect()
    });
    &CONTENT
}

/// A file with these bytes, standing at its start.
pub(crate) fn file(bytes: &[u8]) -> std::fs::File {
    filled(tempfile::tempfile().unwrap(), bytes)
}

/// Any file, made to hold these bytes and standing at its start.
pub(crate) fn filled(mut file: std::fs::File, bytes: &[u8]) -> std::fs::File {
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

/// All that a file or pipe holds, from its start if it has one.
pub(crate) fn read_all(input: &mut (impl Read + Rewindable)) -> Vec<u8> {
    input.rewind_if_possible();
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).unwrap();
    bytes
}

/// A file goes back to its start; a pipe has none.
pub(crate) trait Rewindable {
    fn rewind_if_possible(&mut self) {}
}

impl Rewindable for std::io::PipeReader {}

impl Rewindable for std::fs::File {
    fn rewind_if_possible(&mut self) {
        // A FIFO or device says ESPIPE: there is nothing to go back to.
        let _ = self.rewind();
    }
}
