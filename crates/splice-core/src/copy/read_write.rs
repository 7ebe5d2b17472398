//! The path that always works, and the one that ends every copy: a buffer, `read` and `write`.

use nix::errno::Errno;

use super::{BUFFER, Copier, Source};
use crate::error::CopyError;
use crate::stream::Buffer;

impl Copier<'_> {
    /// Reads and writes until `read` says that the input is at its end. What was read is written
    /// before the next read.
    pub(super) fn finish_by_read_write(
        &mut self,
        source: &mut Source<'_>,
    ) -> Result<(), CopyError> {
        let mut buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => Buffer::new(BUFFER).map_err(|_| CopyError::input(Errno::ENOMEM))?,
        };
        let end = self.read_write(source, &mut buffer);
        self.buffer = Some(buffer);
        end
    }

    fn read_write(&mut self, source: &mut Source<'_>, buffer: &mut [u8]) -> Result<(), CopyError> {
        loop {
            let taken = source.read(buffer)?;
            if taken == 0 {
                return Ok(());
            }
            self.write(&buffer[..taken])?;
        }
    }
}
