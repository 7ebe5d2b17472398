//! Small files on their way to /dev/null, which looks at no byte.
//!
//! To read a small file is to fetch its bytes from memory, since nobody had them in a cache, and
//! that takes as long as the rest of the call. A reference to its page does not touch them. So
//! pages are gathered in a pipe, and one call gives a pipe full of them to the output.

use std::io;
use std::os::fd::AsFd;

use nix::errno::Errno;

use crate::copy::Sink;
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{LARGE_PIPE, Pipe};
use crate::sys;

/// Gathers the beginnings of files by reference, for an output that discards them.
///
/// What it gives away refers to the files. That is of no consequence where the output is /dev/null;
/// for every other one there is [`Copier`](crate::Copier), and what would keep the references, a
/// pipe or a socket, is not taken.
///
/// ```
/// use std::fs::File;
/// use splice_core::Skimmer;
///
/// let null = File::options().write(true).open("/dev/null")?;
/// let mut skimmer = Skimmer::new(&null)?;
/// let file = File::open("/etc/passwd")?;
/// let taken = skimmer.take(&file, 4096)?;
/// assert_eq!(std::io::Seek::stream_position(&mut &file)?, taken as u64);
/// skimmer.flush()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Skimmer<'fd> {
    sink: Sink<'fd>,
    pipe: Pipe,
    held: usize,
    /// Whether the output has taken anything: until then an error may be a refusal.
    delivered: bool,
}

impl<'fd> Skimmer<'fd> {
    /// Makes the pipe. Does not block.
    ///
    /// System calls: those of [`FdKind::of`], [`Pipe::new`] and [`Pipe::grow_to`].
    ///
    /// # Errors
    /// EBADF: the descriptor is closed. EINVAL: it is a pipe or socket. EMFILE, ENFILE and others of
    /// `pipe2`.
    pub fn new(output: &'fd impl AsFd) -> io::Result<Skimmer<'fd>> {
        let output = output.as_fd();
        let kind = FdKind::of(output)?;
        if matches!(kind, FdKind::Pipe | FdKind::StreamSocket | FdKind::MessageSocket) {
            return Err(Errno::EINVAL.into());
        }
        let sink = Sink::new(output, kind);
        let pipe = Pipe::new()?;
        pipe.grow_to(LARGE_PIPE);
        Ok(Skimmer { sink, pipe, held: 0, delivered: false })
    }

    /// Takes at most `most` bytes from where `file` stands, and tells how many there were. 0 says
    /// nothing: `read` knows whether that is the end. Does not block on a file that is open in
    /// non-blocking mode, unless the output does.
    ///
    /// System call: [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html).
    ///
    /// # Errors
    /// Those of the output, if there was no room and what was held had to be given to it; of the
    /// input whatever `splice` says, as which `read` may be tried instead. Never EINTR.
    pub fn take(&mut self, file: impl AsFd, most: usize) -> Result<usize, CopyError> {
        loop {
            match sys::splice_at_once(file.as_fd(), self.pipe.writer(), most) {
                Ok(taken) => {
                    self.held += taken;
                    return Ok(taken);
                }
                Err(Errno::EAGAIN) if self.held > 0 => self.flush()?,
                Err(error) => return Err(CopyError::input(error)),
            }
        }
    }

    /// Gives everything to the output. Blocks until it has it.
    ///
    /// System calls: [`splice`](https://man7.org/linux/man-pages/man2/splice.2.html); where that is
    /// refused [`read`](https://man7.org/linux/man-pages/man2/read.2.html) and
    /// [`write`](https://man7.org/linux/man-pages/man2/write.2.html).
    ///
    /// # Errors
    /// Those of the output, as [`Copier::copy`](crate::Copier::copy) tells them.
    pub fn flush(&mut self) -> Result<(), CopyError> {
        let held = std::mem::take(&mut self.held);
        if held > 0 {
            let may_fall_back = !std::mem::replace(&mut self.delivered, true);
            self.sink.splice_from(&self.pipe, held, may_fall_back)?;
        }
        Ok(())
    }
}

impl Drop for Skimmer<'_> {
    fn drop(&mut self) {
        // Nobody is there to be told; whoever wants to know flushes first.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek, Write};

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        file
    }

    /// Skims 600 files, more than a pipe has slots, into `output`; what they held.
    fn skim_many(output: &File) -> Vec<u8> {
        let mut skimmer = Skimmer::new(output).unwrap();
        let mut held = Vec::new();
        for number in 0..600 {
            let bytes = format!("file {number}\n").into_bytes();
            assert_eq!(skimmer.take(file(&bytes), 4096), Ok(bytes.len()));
            held.extend(bytes);
        }
        skimmer.flush().unwrap();
        held
    }

    #[test]
    fn files_arrive_in_their_order_and_none_is_lost() {
        let mut output = tempfile::tempfile().unwrap();
        let held = skim_many(&output);
        let mut arrived = Vec::new();
        output.rewind().unwrap();
        output.read_to_end(&mut arrived).unwrap();
        assert!(arrived == held);
    }

    #[test]
    fn an_output_that_cannot_be_spliced_to_is_written_to() {
        let target = tempfile::NamedTempFile::new().unwrap();
        let output = File::options().append(true).open(target.path()).unwrap();
        let held = skim_many(&output);
        assert!(std::fs::read(target.path()).unwrap() == held);
    }

    #[test]
    fn no_more_is_taken_than_was_asked_for_and_the_end_takes_nothing() {
        let null = File::options().write(true).open("/dev/null").unwrap();
        let mut skimmer = Skimmer::new(&null).unwrap();
        let mut input = file(b"0123456789");
        assert_eq!(skimmer.take(&input, 4), Ok(4));
        assert_eq!(input.stream_position().unwrap(), 4);
        assert_eq!(skimmer.take(&input, 100), Ok(6));
        assert_eq!(skimmer.take(&input, 100), Ok(0));
    }

    #[test]
    fn what_would_keep_references_to_files_is_refused() {
        let (_reader, writer) = std::io::pipe().unwrap();
        assert_eq!(Skimmer::new(&writer).unwrap_err().raw_os_error(), Some(Errno::EINVAL as i32));
        let (near, _far) = std::os::unix::net::UnixStream::pair().unwrap();
        assert_eq!(Skimmer::new(&near).unwrap_err().raw_os_error(), Some(Errno::EINVAL as i32));
    }

    #[test]
    fn each_side_is_blamed_for_its_own_failure() {
        let null = File::options().write(true).open("/dev/null").unwrap();
        let folder = File::open("/").unwrap();
        let error = Skimmer::new(&null).unwrap().take(&folder, 100).unwrap_err();
        assert_eq!(error.side(), crate::Side::Input);

        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut skimmer = Skimmer::new(&full).unwrap();
        assert_eq!(skimmer.take(file(b"bytes"), 100), Ok(5));
        assert_eq!(skimmer.flush(), Err(CopyError::output(Errno::ENOSPC)));
    }
}
