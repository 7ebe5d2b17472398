//! A copy that failed: which side it was, and why.

use std::fmt;
use std::io;

use nix::errno::Errno;

/// The side of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The descriptor that is read.
    Input,
    /// The descriptor that is written.
    Output,
}

/// Why a copy ended early, and whose fault it was.
///
/// ```
/// use splice_core::{Copier, Side};
///
/// let input = std::fs::File::open("/dev/zero")?;
/// let full = std::fs::File::options().write(true).open("/dev/full")?;
/// let error = Copier::new(&full)?.copy(&input).unwrap_err();
/// assert_eq!(error.side(), Side::Output);
/// assert_eq!(error.to_string(), "output: No space left on device (os error 28)");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyError {
    side: Side,
    errno: Errno,
}

impl CopyError {
    /// Blames the input.
    pub(crate) fn input(errno: Errno) -> CopyError {
        CopyError { side: Side::Input, errno }
    }

    /// Blames the output.
    pub(crate) fn output(errno: Errno) -> CopyError {
        CopyError { side: Side::Output, errno }
    }

    /// The side that failed.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The error number, as in `errno(3)`.
    pub fn raw_os_error(&self) -> i32 {
        self.errno as i32
    }

    /// The error alone, without the side.
    pub fn io_error(&self) -> io::Error {
        self.errno.into()
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Input => "input",
            Side::Output => "output",
        };
        write!(formatter, "{side}: {}", self.io_error())
    }
}

impl std::error::Error for CopyError {}

impl From<CopyError> for io::Error {
    fn from(error: CopyError) -> io::Error {
        error.io_error()
    }
}
