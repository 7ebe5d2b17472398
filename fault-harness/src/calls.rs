//! The system calls that are made to fail: what each is for, which arguments are descriptors, and
//! the errors its manual page allows.

/// What a call is for: that decides what a failure may look like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Moves bytes without copying them to the program; `read` and `write` can always do instead.
    Fast,
    /// Takes bytes in.
    Read,
    /// Gives bytes out.
    Write,
    /// Opens a file.
    Open,
    /// Closes a descriptor: the last place where a loss is told.
    Close,
    /// Asks what a file is or where its position stands.
    Ask,
    /// Waits for readiness.
    Wait,
    /// Gets memory.
    Memory,
    /// Helps, and can be done without.
    Help,
    /// Changes the tree of files.
    Tree,
}

/// A system call.
#[derive(Debug)]
pub struct Call {
    /// Its name, as strace prints it.
    pub name: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// The argument that is the descriptor to take bytes from, or to ask about.
    pub input: Option<usize>,
    /// The argument that is the descriptor to give bytes to.
    pub output: Option<usize>,
    /// The argument that is a path.
    pub path: Option<usize>,
    errors: &'static str,
}

/// Every call gets these on top: interrupted, not in this kernel, forbidden by a sandbox.
const ALWAYS: [&str; 3] = ["EINTR", "ENOSYS", "EPERM"];

const fn call(name: &'static str, purpose: Purpose, errors: &'static str) -> Call {
    Call { name, purpose, input: None, output: None, path: None, errors }
}

impl Call {
    const fn from(mut self, argument: usize) -> Call {
        self.input = Some(argument);
        self
    }

    const fn to(mut self, argument: usize) -> Call {
        self.output = Some(argument);
        self
    }

    const fn at(mut self, argument: usize) -> Call {
        self.path = Some(argument);
        self
    }

    /// The errors that are injected.
    pub fn errors(&self) -> impl Iterator<Item = &'static str> {
        let own = self.errors.split_whitespace();
        own.chain(ALWAYS.into_iter().filter(|error| !self.errors.contains(error)))
    }

    /// How the call fails where it has no error number: `brk` answers an address below what was
    /// asked for.
    pub fn fails_by_zero(&self) -> bool {
        self.name == "brk"
    }
}

/// The call of that name.
pub fn find(name: &str) -> Option<&'static Call> {
    CALLS.iter().find(|call| call.name == name)
}

/// Calls that cannot fail in a way a program could see, or whose failure is not the program's:
/// its start and its end.
pub const LEFT_ALONE: [&str; 27] = [
    "execve",
    "exit_group",
    "exit",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "getpid",
    "gettid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "arch_prctl",
    "set_tid_address",
    "set_robust_list",
    "rseq",
    "prlimit64",
    "getrandom",
    "sigaltstack",
    "futex",
    "sched_getaffinity",
    "sched_yield",
    "restart_syscall",
    "umask",
    "clock_gettime",
    "sysinfo",
    "uname",
];

use Purpose::{Ask, Close, Fast, Help, Memory, Open, Read, Tree, Wait, Write};

const READS: &str = "EAGAIN EBADF EFAULT EINVAL EIO EISDIR";
const RECEIVES: &str =
    "EAGAIN EBADF ECONNREFUSED ECONNRESET EFAULT EINVAL ENOMEM ENOTCONN ENOTSOCK";
const WRITES: &str = "EAGAIN EBADF EDESTADDRREQ EDQUOT EFAULT EFBIG EINVAL EIO ENOSPC EPIPE";
const SENDS: &str = "EACCES EAGAIN EALREADY EBADF ECONNRESET EDESTADDRREQ EFAULT EINVAL EISCONN \
                     EMSGSIZE ENOBUFS ENOMEM ENOTCONN ENOTSOCK EOPNOTSUPP EPIPE";
const STATS: &str = "EACCES EBADF EFAULT EINVAL ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR EOVERFLOW";
const PATHS: &str = "EACCES EBADF EFAULT EINVAL EIO ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR \
                     EROFS ETXTBSY";
const LINKS: &str = "EACCES EBADF EDQUOT EEXIST EFAULT EINVAL EIO ELOOP EMLINK ENAMETOOLONG \
                     ENOENT ENOMEM ENOSPC ENOTDIR EROFS EXDEV";
const RENAMES: &str = "EACCES EBADF EBUSY EDQUOT EEXIST EFAULT EINVAL EISDIR ELOOP EMLINK \
                       ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR ENOTEMPTY EROFS EXDEV";
const REMOVES: &str = "EACCES EBADF EBUSY EFAULT EINVAL EIO EISDIR ELOOP ENAMETOOLONG ENOENT \
                       ENOMEM ENOTDIR EROFS";
const OPENS: &str = "EACCES EAGAIN EBADF EBUSY EDQUOT EEXIST EFAULT EFBIG EINVAL EISDIR ELOOP \
                     EMFILE ENAMETOOLONG ENFILE ENODEV ENOENT ENOMEM ENOSPC ENOTDIR ENXIO \
                     EOPNOTSUPP EOVERFLOW EROFS ETXTBSY";
const PIPES: &str = "EFAULT EINVAL EMFILE ENFILE ENOPKG";
const DUPLICATES: &str = "EBADF EBUSY EINVAL EMFILE";

const CALLS: &[Call] = &[
    call("splice", Fast, "EAGAIN EBADF EINVAL EIO ENOMEM ENOSPC EPIPE ESPIPE").from(0).to(2),
    call("tee", Fast, "EAGAIN EBADF EINVAL ENOMEM EPIPE").from(0).to(1),
    call("vmsplice", Fast, "EAGAIN EBADF EINVAL ENOMEM EOPNOTSUPP EPIPE").to(0),
    call("sendfile", Fast, "EAGAIN EBADF EFAULT EINVAL EIO ENOMEM ENOSPC EOVERFLOW EPIPE ESPIPE")
        .from(1)
        .to(0),
    call(
        "copy_file_range",
        Fast,
        "EACCES EBADF EFBIG EINVAL EIO EISDIR ENOENT ENOMEM ENOSPC EOPNOTSUPP EOVERFLOW ETXTBSY EXDEV",
    )
    .from(0)
    .to(2),
    call("read", Read, READS).from(0),
    call("readv", Read, READS).from(0),
    call("pread64", Read, READS).from(0),
    call("preadv", Read, READS).from(0),
    call("preadv2", Read, READS).from(0),
    call("recvfrom", Read, RECEIVES).from(0),
    call("recvmsg", Read, RECEIVES).from(0),
    call("write", Write, WRITES).to(0),
    call("writev", Write, WRITES).to(0),
    call("pwrite64", Write, WRITES).to(0),
    call("pwritev2", Write, WRITES).to(0),
    call("sendto", Write, SENDS).to(0),
    call("sendmsg", Write, SENDS).to(0),
    call("open", Open, OPENS).at(0),
    call("openat", Open, OPENS).at(1),
    call("openat2", Open, OPENS).at(1),
    call("close", Close, "EBADF EDQUOT EIO ENOSPC").from(0),
    call("fsync", Write, "EBADF EDQUOT EINVAL EIO ENOSPC EROFS").to(0),
    call("fstat", Ask, STATS).from(0),
    call("newfstatat", Ask, STATS).from(0).at(1),
    call("statx", Ask, STATS).from(0).at(1),
    call("stat", Ask, STATS).at(0),
    call("lstat", Ask, STATS).at(0),
    call("lseek", Ask, "EBADF EINVAL ENXIO EOVERFLOW ESPIPE").from(0),
    call("poll", Wait, "EFAULT EINVAL ENOMEM"),
    call("ppoll", Wait, "EFAULT EINVAL ENOMEM"),
    call("select", Wait, "EBADF EINVAL ENOMEM"),
    call("pselect6", Wait, "EBADF EINVAL ENOMEM"),
    call("brk", Memory, "ENOMEM"),
    call("mmap", Memory, "EACCES EAGAIN EBADF EEXIST EINVAL ENFILE ENODEV ENOMEM EOVERFLOW ETXTBSY"),
    call("mremap", Memory, "EAGAIN EFAULT EINVAL ENOMEM"),
    call("munmap", Help, "EINVAL ENOMEM"),
    call("mprotect", Memory, "EACCES EINVAL ENOMEM"),
    call("madvise", Help, "EACCES EAGAIN EBADF EBUSY EFAULT EINVAL EIO ENOMEM"),
    call(
        "fcntl",
        Help,
        "EACCES EAGAIN EBADF EBUSY EDEADLK EFAULT EINVAL EMFILE ENOLCK ENOMEM ENOTDIR",
    )
    .from(0),
    call("ioctl", Help, "EBADF EFAULT EINVAL ENOTTY").from(0),
    call("fadvise64", Help, "EBADF EINVAL ESPIPE").from(0),
    call("fstatfs", Help, "EBADF EFAULT EIO ENOMEM EOVERFLOW").from(0),
    call("statfs", Help, "EACCES EFAULT EIO ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR EOVERFLOW").at(0),
    call("readahead", Help, "EBADF EINVAL").from(0),
    call("pipe", Help, PIPES),
    call("pipe2", Help, PIPES),
    call("socketpair", Help, "EACCES EAFNOSUPPORT EFAULT EMFILE ENFILE EOPNOTSUPP EPROTONOSUPPORT"),
    call("getsockopt", Help, "EBADF EFAULT EINVAL ENOPROTOOPT ENOTSOCK").from(0),
    call("setsockopt", Help, "EBADF EFAULT EINVAL ENOPROTOOPT ENOTSOCK").from(0),
    call("shutdown", Help, "EBADF EINVAL ENOTCONN ENOTSOCK").from(0),
    call("memfd_create", Help, "EFAULT EINVAL EMFILE ENFILE ENOMEM"),
    call("ftruncate", Help, "EACCES EBADF EFBIG EINVAL EIO EROFS ETXTBSY").from(0),
    call("fallocate", Help, "EBADF EFBIG EINVAL EIO ENODEV ENOSPC EOPNOTSUPP ESPIPE ETXTBSY")
        .from(0),
    call("dup", Help, DUPLICATES).from(0),
    call("dup2", Help, DUPLICATES).from(0),
    call("dup3", Help, DUPLICATES).from(0),
    call("access", Ask, PATHS).at(0),
    call("faccessat", Ask, PATHS).at(1),
    call("faccessat2", Ask, PATHS).at(1),
    call("readlink", Tree, PATHS).at(0),
    call("readlinkat", Tree, PATHS).at(1),
    call("getcwd", Tree, "EACCES EFAULT EINVAL ENAMETOOLONG ENOENT ENOMEM ERANGE"),
    call("link", Tree, LINKS).at(1),
    call("linkat", Tree, LINKS).at(3),
    call("symlink", Tree, LINKS).at(1),
    call("symlinkat", Tree, LINKS).at(2),
    call("rename", Tree, RENAMES).at(1),
    call("renameat", Tree, RENAMES).at(3),
    call("renameat2", Tree, RENAMES).at(3),
    call("unlink", Tree, REMOVES).at(0),
    call("unlinkat", Tree, REMOVES).at(1),
];

/// The names of all calls that the table knows, for strace's filter: the question mark lets
/// strace pass over those that this architecture does not have.
pub fn filter() -> String {
    let names: Vec<String> = CALLS.iter().map(|call| format!("?{}", call.name)).collect();
    format!("trace=?execve,{}", names.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_call_is_listed_twice_and_each_gets_the_common_errors() {
        for (index, call) in CALLS.iter().enumerate() {
            assert!(CALLS[index + 1..].iter().all(|other| other.name != call.name));
            assert!(!LEFT_ALONE.contains(&call.name), "{}", call.name);
            let errors: Vec<_> = call.errors().collect();
            assert!(ALWAYS.iter().all(|error| errors.contains(error)), "{}", call.name);
        }
    }
}
