//! Errors by name, and in the C library's words.

macro_rules! numbers {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name)),*] };
}

const NUMBERS: &[(&str, i32)] = numbers![
    EACCES EAFNOSUPPORT EAGAIN EALREADY EBADF EBUSY ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ
    EDQUOT EEXIST EFAULT EFBIG EINTR EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE
    ENAMETOOLONG ENFILE ENOBUFS ENODEV ENOENT ENOLCK ENOMEM ENOPKG ENOPROTOOPT ENOSPC ENOSYS
    ENOTCONN ENOTDIR ENOTEMPTY ENOTSOCK ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EPERM EPIPE
    EPROTONOSUPPORT ERANGE EROFS ESPIPE ETXTBSY EXDEV
];

/// The number of an error; nothing for a name that the table lacks.
pub fn number(name: &str) -> Option<i32> {
    NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// What the C library says for it.
pub fn words(number: i32) -> String {
    let mut words = std::io::Error::from_raw_os_error(number).to_string();
    if let Some(mark) = words.rfind(" (os error ") {
        words.truncate(mark);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_c_librarys() {
        let says = |name| words(number(name).unwrap());
        assert_eq!(says("EIO"), "Input/output error");
        assert_eq!(says("ENOSPC"), "No space left on device");
        assert_eq!(says("EAGAIN"), "Resource temporarily unavailable");
        assert_eq!(number("EWHAT"), None);
    }
}
