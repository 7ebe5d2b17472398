//! Errors as users read them: a subject, and the reason.

use std::fmt;
use std::io;

use crate::words::reason;

/// The words for an error, glibc's in every build.
#[derive(Debug)]
pub struct Reason(String);

impl Reason {
    /// The words for `error`.
    pub fn new(error: &io::Error) -> Reason {
        Reason(reason(error))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Reason {}

/// Gives a failed system call the subject of its message.
pub trait BecauseOf<T> {
    /// Turns an error into one that prints as `SUBJECT: REASON`.
    ///
    /// # Errors
    /// The error that it was called on, renamed.
    fn because_of(self, subject: impl fmt::Display + Send + Sync + 'static) -> anyhow::Result<T>;
}

impl<T> BecauseOf<T> for io::Result<T> {
    fn because_of(self, subject: impl fmt::Display + Send + Sync + 'static) -> anyhow::Result<T> {
        self.map_err(|error| anyhow::Error::new(Reason::new(&error)).context(subject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_prints_subject_and_reason() {
        let failed: io::Result<()> = Err(io::Error::from_raw_os_error(28));
        let error = failed.because_of("write error").unwrap_err();
        assert_eq!(format!("{error:#}"), "write error: No space left on device");
    }
}
