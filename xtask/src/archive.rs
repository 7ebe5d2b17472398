//! Tar archives that depend on nothing but what is put into them.

use std::io;

use tar::{Builder, EntryType, Header};

/// An archive in memory. All entries belong to root and have one time.
pub(crate) struct Archive {
    builder: Builder<Vec<u8>>,
    epoch: u64,
}

impl Archive {
    pub(crate) fn new(epoch: u64) -> Archive {
        Archive { builder: Builder::new(Vec::new()), epoch }
    }

    pub(crate) fn directory(&mut self, path: &str) -> io::Result<()> {
        let mut header = self.header(EntryType::Directory, 0o755, 0);
        self.builder.append_data(&mut header, path, io::empty())
    }

    pub(crate) fn file(&mut self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        let mut header = self.header(EntryType::Regular, mode, bytes.len() as u64);
        self.builder.append_data(&mut header, path, bytes)
    }

    /// Another name for a file that is in the archive already.
    pub(crate) fn hard_link(&mut self, path: &str, file: &str, mode: u32) -> io::Result<()> {
        let mut header = self.header(EntryType::Link, mode, 0);
        self.builder.append_link(&mut header, path, file)
    }

    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        self.builder.into_inner()
    }

    fn header(&self, kind: EntryType, mode: u32, size: u64) -> Header {
        let mut header = Header::new_ustar();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size);
        header.set_mtime(self.epoch);
        header.set_uid(0);
        header.set_gid(0);
        header
    }
}
