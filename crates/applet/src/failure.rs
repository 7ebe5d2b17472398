//! Errors as users read them: a subject, and the reason in the C library's words.

use std::fmt;
use std::io;

/// The C library's words for an error number: what `std::io::Error` says, less "(os error N)".
#[derive(Debug)]
pub struct Reason(String);

impl Reason {
    /// The words for `error`.
    pub fn new(error: &io::Error) -> Reason {
        let mut words = error.to_string();
        if let Some(number) = words.rfind(" (os error ") {
            words.truncate(number);
        }
        Reason(words)
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
    fn the_reason_is_the_c_librarys_text_alone() {
        let says = |number| Reason::new(&io::Error::from_raw_os_error(number)).to_string();
        assert_eq!(says(5), "Input/output error");
        assert_eq!(says(9), "Bad file descriptor");
        assert_eq!(says(11), "Resource temporarily unavailable");
        assert_eq!(says(28), "No space left on device");
        assert_eq!(says(40), "Too many levels of symbolic links");
    }

    #[test]
    fn a_failure_prints_subject_and_reason() {
        let failed: io::Result<()> = Err(io::Error::from_raw_os_error(28));
        let error = failed.because_of("write error").unwrap_err();
        assert_eq!(format!("{error:#}"), "write error: No space left on device");
    }
}
