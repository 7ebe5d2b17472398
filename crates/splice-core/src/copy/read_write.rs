//! The path that always works, and the one that ends every copy: a buffer, `read` and `write`.

use crate::copy::{BUFFER, Copier, Transfer};
use crate::error::CopyError;
use crate::stream::Buffer;
use crate::sys;

impl Copier<'_> {
    /// Reads and writes until `read` says that the input is at its end. What was read is written
    /// before the next read.
    pub(super) fn finish_by_read_write(
        &mut self,
        transfer: &mut Transfer<'_>,
    ) -> Result<(), CopyError> {
        let mut buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => Buffer::new(BUFFER).map_err(|_| CopyError::input(nix::errno::Errno::ENOMEM))?,
        };
        let end = transfer.read_write(&mut buffer);
        self.buffer = Some(buffer);
        end
    }
}

impl Transfer<'_> {
    fn read_write(&mut self, buffer: &mut [u8]) -> Result<(), CopyError> {
        loop {
            match sys::read(self.input, buffer).map_err(CopyError::input)? {
                0 => return Ok(()),
                taken => self.write(&buffer[..taken])?,
            }
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), CopyError> {
        sys::write_all(self.output, bytes).map_err(CopyError::output)?;
        self.delivered += bytes.len() as u64;
        Ok(())
    }
}
