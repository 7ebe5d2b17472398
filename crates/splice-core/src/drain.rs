//! Consuming a descriptor at full speed, counting the bytes.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crate::copy::CALL_CAP;
use crate::stream::Buffer;
use crate::sys;

/// Takes bytes from `input` until its end or until there were `limit`, throws them away and returns
/// how many there were. Blocks until then, also on a non-blocking descriptor.
///
/// From a pipe, bytes are given to /dev/null by reference: nothing is copied. Whatever else
/// `input` is, it is read.
///
/// System calls: [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html),
/// [`read`](https://man7.org/linux/man-pages/man2/read.2.html).
///
/// # Errors
/// Those of `read` but EINTR and EAGAIN; ENOMEM if there is no memory for a buffer.
///
/// ```
/// use std::io::{Read, Write};
///
/// let (mut reader, mut writer) = std::io::pipe()?;
/// writer.write_all(b"0123456789")?;
/// drop(writer);
/// assert_eq!(splice_core::drain(&reader, Some(4))?, 4);
///
/// let mut rest = String::new();
/// reader.read_to_string(&mut rest)?;
/// assert_eq!(rest, "456789");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn drain(input: impl AsFd, limit: Option<u64>) -> io::Result<u64> {
    let input = input.as_fd();
    let limit = limit.unwrap_or(u64::MAX);
    let mut drained = 0;
    if let Ok(null) = File::options().write(true).open("/dev/null") {
        drained = drain_by_splice(input, null.as_fd(), limit);
    }
    // As in a copy, `read` has the last word about the end, and names the error if there is one.
    drain_by_read(input, limit, drained)
}

fn drain_by_splice(input: BorrowedFd<'_>, null: BorrowedFd<'_>, limit: u64) -> u64 {
    let mut drained = 0;
    while drained < limit {
        match sys::splice(input, null, at_most(CALL_CAP, limit - drained)) {
            Ok(0) | Err(_) => break,
            Ok(moved) => drained += moved as u64,
        }
    }
    drained
}

fn drain_by_read(input: BorrowedFd<'_>, limit: u64, mut drained: u64) -> io::Result<u64> {
    if drained == limit {
        return Ok(drained);
    }
    let mut buffer = Buffer::new(128 * 1024)?;
    while drained < limit {
        let room = at_most(buffer.len(), limit - drained);
        match sys::read(input, &mut buffer[..room])? {
            0 => break,
            taken => drained += taken as u64,
        }
    }
    Ok(drained)
}

fn at_most(bytes: usize, left: u64) -> usize {
    usize::try_from(left).map_or(bytes, |left| left.min(bytes))
}
