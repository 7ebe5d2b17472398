//! The reasons that users read, the same ones whichever C library the program was built with.
//!
//! Scripts look for glibc's words. musl has others for about half of the errors, and says "No error
//! information" of those that it does not know.

use std::io;

use nix::errno::Errno;

/// glibc's words, where musl's are others.
#[rustfmt::skip]
const WORDS: &[(Errno, &str)] = &[
    (Errno::EIO, "Input/output error"),
    (Errno::ECHILD, "No child processes"),
    (Errno::ENOMEM, "Cannot allocate memory"),
    (Errno::EBUSY, "Device or resource busy"),
    (Errno::EXDEV, "Invalid cross-device link"),
    (Errno::EMFILE, "Too many open files"),
    (Errno::ENOTTY, "Inappropriate ioctl for device"),
    (Errno::ESPIPE, "Illegal seek"),
    (Errno::EDOM, "Numerical argument out of domain"),
    (Errno::ERANGE, "Numerical result out of range"),
    (Errno::EDEADLK, "Resource deadlock avoided"),
    (Errno::ENAMETOOLONG, "File name too long"),
    (Errno::ELOOP, "Too many levels of symbolic links"),
    (Errno::ECHRNG, "Channel number out of range"),
    (Errno::EL2NSYNC, "Level 2 not synchronized"),
    (Errno::EL3HLT, "Level 3 halted"),
    (Errno::EL3RST, "Level 3 reset"),
    (Errno::ELNRNG, "Link number out of range"),
    (Errno::EUNATCH, "Protocol driver not attached"),
    (Errno::ENOCSI, "No CSI structure available"),
    (Errno::EL2HLT, "Level 2 halted"),
    (Errno::EBADE, "Invalid exchange"),
    (Errno::EBADR, "Invalid request descriptor"),
    (Errno::EXFULL, "Exchange full"),
    (Errno::ENOANO, "No anode"),
    (Errno::EBADRQC, "Invalid request code"),
    (Errno::EBADSLT, "Invalid slot"),
    (Errno::EBFONT, "Bad font file format"),
    (Errno::ETIME, "Timer expired"),
    (Errno::ENONET, "Machine is not on the network"),
    (Errno::ENOPKG, "Package not installed"),
    (Errno::EREMOTE, "Object is remote"),
    (Errno::EADV, "Advertise error"),
    (Errno::ESRMNT, "Srmount error"),
    (Errno::ECOMM, "Communication error on send"),
    (Errno::EDOTDOT, "RFS specific error"),
    (Errno::EOVERFLOW, "Value too large for defined data type"),
    (Errno::ENOTUNIQ, "Name not unique on network"),
    (Errno::EREMCHG, "Remote address changed"),
    (Errno::ELIBACC, "Can not access a needed shared library"),
    (Errno::ELIBBAD, "Accessing a corrupted shared library"),
    (Errno::ELIBSCN, ".lib section in a.out corrupted"),
    (Errno::ELIBMAX, "Attempting to link in too many shared libraries"),
    (Errno::ELIBEXEC, "Cannot exec a shared library directly"),
    (Errno::EILSEQ, "Invalid or incomplete multibyte or wide character"),
    (Errno::ERESTART, "Interrupted system call should be restarted"),
    (Errno::ESTRPIPE, "Streams pipe error"),
    (Errno::EUSERS, "Too many users"),
    (Errno::ENOTSOCK, "Socket operation on non-socket"),
    (Errno::EMSGSIZE, "Message too long"),
    (Errno::EOPNOTSUPP, "Operation not supported"),
    (Errno::EADDRINUSE, "Address already in use"),
    (Errno::EADDRNOTAVAIL, "Cannot assign requested address"),
    (Errno::ENETUNREACH, "Network is unreachable"),
    (Errno::ENETRESET, "Network dropped connection on reset"),
    (Errno::ECONNABORTED, "Software caused connection abort"),
    (Errno::EISCONN, "Transport endpoint is already connected"),
    (Errno::ENOTCONN, "Transport endpoint is not connected"),
    (Errno::ESHUTDOWN, "Cannot send after transport endpoint shutdown"),
    (Errno::ETOOMANYREFS, "Too many references: cannot splice"),
    (Errno::ETIMEDOUT, "Connection timed out"),
    (Errno::EHOSTUNREACH, "No route to host"),
    (Errno::EINPROGRESS, "Operation now in progress"),
    (Errno::EUCLEAN, "Structure needs cleaning"),
    (Errno::ENOTNAM, "Not a XENIX named type file"),
    (Errno::ENAVAIL, "No XENIX semaphores available"),
    (Errno::EISNAM, "Is a named type file"),
    (Errno::EDQUOT, "Disk quota exceeded"),
    (Errno::EOWNERDEAD, "Owner died"),
    (Errno::ERFKILL, "Operation not possible due to RF-kill"),
    (Errno::EHWPOISON, "Memory page has hardware error"),
];

/// What a user is told of `error`: what `std::io::Error` says, less "(os error N)".
pub(crate) fn reason(error: &io::Error) -> String {
    let number = error.raw_os_error();
    let known = number.and_then(|number| {
        WORDS.iter().find(|(errno, _)| *errno as i32 == number).map(|(_, words)| *words)
    });
    match (known, number) {
        (Some(words), _) => words.to_owned(),
        (None, Some(number)) if Errno::from_raw(number) == Errno::UnknownErrno => {
            format!("Unknown error {number}")
        }
        _ => {
            let mut words = error.to_string();
            if let Some(number) = words.rfind(" (os error ") {
                words.truncate(number);
            }
            words
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_glibc() {
        let says = |number| reason(&io::Error::from_raw_os_error(number));
        for (number, words) in [
            (1, "Operation not permitted"),
            (2, "No such file or directory"),
            (5, "Input/output error"),
            (9, "Bad file descriptor"),
            (11, "Resource temporarily unavailable"),
            (12, "Cannot allocate memory"),
            (21, "Is a directory"),
            (24, "Too many open files"),
            (28, "No space left on device"),
            (32, "Broken pipe"),
            (40, "Too many levels of symbolic links"),
            (122, "Disk quota exceeded"),
            (4095, "Unknown error 4095"),
        ] {
            assert_eq!(says(number), words);
        }
        // All that there are, where this is built with it.
        #[cfg(target_env = "gnu")]
        for number in 1..200 {
            let error = io::Error::from_raw_os_error(number).to_string();
            assert_eq!(format!("{} (os error {number})", says(number)), error);
        }
    }

    #[test]
    fn what_is_no_error_of_the_system_keeps_its_words() {
        assert_eq!(reason(&io::Error::other("something else")), "something else");
    }
}
