//! The entry point, without the std runtime.
//!
//! Before it calls a Rust `fn main`, std opens /dev/null over closed descriptors 0 to 2 and
//! ignores SIGPIPE. A `cat` must fail when its output is closed and must die of SIGPIPE unless
//! the parent ignored it, so this program begins where the C library hands over.
#![cfg_attr(not(test), no_main)]

use std::ffi::{CStr, c_char, c_int};
use std::os::fd::BorrowedFd;

use applet::Streams;
use multicall::memory::Memory;

#[global_allocator]
static MEMORY: Memory = Memory::new();

/// The C library's entry. The arguments come from here because `std::env::args` is only filled
/// where the C library passes them to initialisers, which not all do.
#[allow(
    unsafe_code,
    clippy::not_unsafe_ptr_arg_deref,
    reason = "the C library calls a symbol named main, with arguments of C's types"
)]
// SAFETY: no other symbol of that name exists, since `no_main` keeps std from defining it; where this
// is built as a test of its own, std does.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    let count = usize::try_from(argc).unwrap_or(0);
    // SAFETY: `argv` holds `argc` pointers to C strings that live until the process ends.
    let argument = |index| unsafe { CStr::from_ptr(*argv.add(index)) };
    let arguments: Vec<&'static CStr> = (0..count).map(argument).collect();
    // SAFETY: the numbers are not -1. One of them may be closed: system calls then say EBADF,
    // and nothing of ours ever takes such a number (see `open_input` and `Pipe`).
    let streams = unsafe {
        Streams {
            input: BorrowedFd::borrow_raw(0),
            output: BorrowedFd::borrow_raw(1),
            error: BorrowedFd::borrow_raw(2),
        }
    };
    multicall::run(arguments, streams).code()
}

/// glibc's start-up code of a static program asks /proc/self/exe where the program lies, to find
/// libraries beside it. There are none: this answers for it that the place is unknown (-1 is how
/// glibc says so), which saves a system call and leaves /proc alone.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[allow(unsafe_code, reason = "glibc calls its own function of this name, with this signature")]
// SAFETY: in a static program the linker takes the first definition that it sees, and the one in
// libc.a stands in an object of its own, which is then left out.
#[unsafe(no_mangle)]
extern "C" fn _dl_get_origin() -> *const c_char {
    std::ptr::without_provenance(usize::MAX)
}
