//! The path that always works, and the one that ends every copy: a buffer, `read` and `write`.

use nix::errno::Errno;

use super::{Copier, Source};
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::stream::Buffer;

/// Bytes of the buffer.
const BUFFER: usize = 256 * 1024;

/// The most that is read at once, but for a file on its way to a pipe: what was read is still in the
/// processor's cache when it is written, and whoever fills an input goes on meanwhile.
const PART: usize = 128 * 1024;

/// What a pipe in packet mode gives in one piece, or in part, dropping the rest.
const PIPE_PACKET: usize = 4096;

impl Copier<'_> {
    /// Reads and writes until `read` says that the input is at its end. What was read is written
    /// before the next read.
    pub(super) fn finish_by_read_write(
        &mut self,
        source: &mut Source<'_>,
    ) -> Result<(), CopyError> {
        let kept =
            self.buffer.take().filter(|kept| kept.len() == BUFFER || may_be_cut(source.kind()));
        let mut buffer = match kept {
            Some(buffer) => buffer,
            None => make_buffer(source.kind()).map_err(|_| CopyError::input(Errno::ENOMEM))?,
        };
        let end = self.read_write(source, &mut buffer);
        self.buffer = Some(buffer);
        end
    }

    fn read_write(&mut self, source: &mut Source<'_>, buffer: &mut [u8]) -> Result<(), CopyError> {
        loop {
            let most = self.most_at_once(source.kind()).min(buffer.len());
            let taken = source.read(&mut buffer[..most])?;
            if taken == 0 {
                return Ok(());
            }
            self.write(&buffer[..taken])?;
        }
    }

    fn most_at_once(&self, input: FdKind) -> usize {
        use FdKind::{Pipe, Regular, StreamSocket};
        match input {
            // Reader and writer of a pipe wait for each other's lock: the fewer calls the better.
            Regular { .. } if self.sink.kind() == Pipe => BUFFER,
            // The rest is still there for the next call.
            Regular { size: 1.. } | Pipe | StreamSocket => self.sink.to_write().unwrap_or(PART),
            // Never less of a message: its rest would be lost.
            _ => PART,
        }
    }
}

/// With little memory a smaller one, if that will do.
fn make_buffer(input: FdKind) -> std::io::Result<Buffer> {
    match may_be_cut(input) {
        true => Buffer::of_units(BUFFER / PIPE_PACKET, PIPE_PACKET),
        false => Buffer::new(BUFFER),
    }
}

/// Whether what one read leaves out is still there for the next, however little it asks for.
fn may_be_cut(input: FdKind) -> bool {
    use FdKind::{BlockDevice, MemoryDevice, Pipe, Regular, StreamSocket};
    matches!(input, Regular { .. } | Pipe | StreamSocket | MemoryDevice | BlockDevice)
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn a_message_is_not_read_into_what_was_enough_for_a_file() {
        let (near, far) = UnixDatagram::pair().unwrap();
        let message = vec![b'm'; 100_000];
        near.send(&message).unwrap();
        near.send(&[]).unwrap();
        let output = tempfile::tempfile().unwrap();
        let mut copier = Copier::new(&output).unwrap();
        copier.buffer = Some(Buffer::new(PIPE_PACKET).unwrap());
        assert_eq!(copier.copy(&OwnedFd::from(far)).unwrap().bytes, 100_000);
    }
}
