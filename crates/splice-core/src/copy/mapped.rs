//! From a file into one that takes neither a range nor a splice, since it is open for append: the
//! pages of the input are mapped and written from where they lie. One copy, where `read` and
//! `write` make two.

use std::num::NonZeroUsize;

use nix::errno::Errno;

use super::sink::Sink;
use super::source::Source;
use super::way::End;
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::page_size;
use crate::sys::{self, Mapping};

/// Bytes that are mapped at once.
const WINDOW: u64 = 1 << 20;

/// Takes a file as large as its size told. What it has grown by since is left to `read`, as is
/// everything from the first byte on that cannot be had this way: there a real error shows itself
/// again, on its side.
pub(super) fn map_and_write(
    source: &mut Source<'_>,
    sink: &mut Sink<'_>,
) -> Result<End, CopyError> {
    let FdKind::Regular { size } = source.kind() else { return Ok(End::Refused) };
    let Ok(mut at) = sys::position(source.descriptor()) else { return Ok(End::Refused) };
    // `size` is what was left to read at the start.
    let end = at + size.saturating_sub(source.taken());
    while at < end {
        let before = at % page_size() as u64;
        let len = (end - at + before).min(WINDOW);
        let Some(window) = usize::try_from(len).ok().and_then(NonZeroUsize::new) else { break };
        let Ok(mapping) = Mapping::of(source.descriptor(), at - before, window) else {
            return Ok(End::Refused);
        };
        let mut from = before as usize;
        while from < window.get() {
            let left = window.get() - from;
            let part = sink.to_write().map_or(left, |most| most.min(left));
            // Of a file that shrinks, the last page would be written with zeros behind its end. What
            // is left of that danger is what `read` has too: it asks once a call.
            if !has_bytes_until(source, at + part as u64) {
                return Ok(End::Refused);
            }
            match sink.write_part(|output| mapping.write(from, part, output)) {
                Ok(0) | Err(Errno::EFAULT) => return Ok(End::Refused),
                Err(error) => return Err(CopyError::output(error)),
                Ok(written) => {
                    sink.advance(written);
                    source.skip(written)?;
                    from += written;
                    at += written as u64;
                }
            }
        }
    }
    Ok(End::OfInput)
}

/// Whether the file is that long, and is made of blocks: files of /proc and /sys are not, and what
/// some of them map is the memory of a device.
fn has_bytes_until(source: &Source<'_>, end: u64) -> bool {
    sys::stat(source.descriptor()).is_ok_and(|stat| {
        stat.st_blocks > 0 && u64::try_from(stat.st_size).is_ok_and(|size| size >= end)
    })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek, Write};
    use std::os::fd::AsFd;

    use super::*;
    use crate::{FdKind, page_size};

    /// What a call writes at first.
    const PART: usize = 128 * 1024;

    /// Runs this path on a file of `len` bytes that said it had `told`; the file, how the path
    /// ended, and what arrived.
    fn run(len: usize, told: u64) -> (File, End, Vec<u8>) {
        let mut input = tempfile::tempfile().unwrap();
        input.write_all(&vec![b'x'; len]).unwrap();
        input.rewind().unwrap();
        let mut output = tempfile::tempfile().unwrap();
        let mut source = Source::new(input.as_fd(), FdKind::Regular { size: told }, false);
        let kind = FdKind::of(&output).unwrap();
        let end = map_and_write(&mut source, &mut Sink::new(output.as_fd(), kind)).unwrap();
        let mut arrived = Vec::new();
        output.rewind().unwrap();
        output.read_to_end(&mut arrived).unwrap();
        assert_eq!(input.stream_position().unwrap(), arrived.len() as u64);
        (input, end, arrived)
    }

    #[test]
    fn a_file_arrives_as_long_as_it_said_it_was() {
        let (_, end, arrived) = run(3_000_001, 3_000_001);
        assert_eq!(end, End::OfInput);
        assert!(arrived == vec![b'x'; 3_000_001]);
        assert_eq!(run(3_000_001, 2_000_000).2.len(), 2_000_000);
    }

    #[test]
    fn of_a_file_that_shrank_no_zero_is_written_behind_its_end() {
        let (_, end, arrived) = run(3 * PART + page_size() / 2, 1 << 30);
        // `read` takes what comes after the last part that was there.
        assert_eq!((end, arrived.len()), (End::Refused, 3 * PART));
        assert!(arrived.iter().all(|&byte| byte == b'x'));
    }

    #[test]
    fn a_file_without_blocks_is_not_mapped() {
        let input = tempfile::tempfile().unwrap();
        input.set_len(1 << 20).unwrap();
        let output = tempfile::tempfile().unwrap();
        let mut source = Source::new(input.as_fd(), FdKind::of(&input).unwrap(), false);
        let kind = FdKind::of(&output).unwrap();
        let end = map_and_write(&mut source, &mut Sink::new(output.as_fd(), kind)).unwrap();
        assert_eq!((end, source.taken()), (End::Refused, 0));
    }
}
