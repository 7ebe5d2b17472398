//! Moves bytes between file descriptors by the cheapest path the kernel offers, and never loses
//! one on the way.
//!
//! ```
//! use splice_core::Copier;
//!
//! let input = std::fs::File::open("/etc/passwd")?;
//! let (reader, writer) = std::io::pipe()?;
//! let copied = Copier::new(&writer)?.copy(&input)?;
//! println!("{} bytes by {:?}", copied.bytes, copied.path);
//! # drop(reader);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This page tells how that works. To copy, [`Copier`] is all you need; to fill a descriptor with
//! one pattern, [`Repeater`]; to empty one, [`drain()`].
//!
//! # What a pipe is
//!
//! A pipe holds no bytes. It is a ring of *slots*, as many as its capacity has pages, and each slot
//! refers to some bytes of one page: `(page, offset, length)`.
//!
//! ```text
//!  write  +----+----+----+----+- ... -+  read
//! ------->| s0 | s1 | s2 |    |       |------>
//!         +-|--+-|--+-|--+----+- ... -+
//!           v    v    v
//!         page page page
//! ```
//!
//! `write` takes new pages, copies bytes into them and lets slots refer to them; `read` copies them
//! out again. `splice` lets a slot refer to a page that exists already: one of a file, of a socket's
//! queue, of another pipe. `tee` lets the slots of a second pipe refer to what the slots of a first
//! one refer to. `vmsplice` does so with memory of the process. None of these touches a byte, so
//! their cost goes by the slot:
//!
//! ```
//! use splice_core::{Pipe, page_size};
//!
//! let pipe = Pipe::new()?;
//! let capacity = pipe.grow_to(1 << 20);
//! println!("{} slots", capacity / page_size());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # The paths, and what each costs
//!
//! What the two descriptors are ([`FdKind`]) decides; [`plan()`] is the whole decision, a pure
//! function that you can ask.
//!
//! ```
//! use splice_core::{FdKind, Strategy, plan};
//!
//! let file = FdKind::Regular { size: 1 << 20 };
//! assert_eq!(plan(file, file), Strategy::CopyFileRange);
//! assert_eq!(plan(file, FdKind::Pipe), Strategy::BodyAndTail);
//! assert_eq!(plan(file, FdKind::StreamSocket), Strategy::ReadWrite);
//! assert_eq!(plan(FdKind::Pipe, FdKind::StreamSocket), Strategy::Splice);
//! assert_eq!(plan(FdKind::StreamSocket, FdKind::Pipe), Strategy::Splice);
//! ```
//!
//! * [`Strategy::ReadWrite`]: two copies of every byte and two calls for 128 KiB. It works for
//!   everything, and for small files nothing is cheaper.
//! * [`Strategy::CopyFileRange`]: one copy, made in the kernel; none where the file system shares
//!   blocks.
//! * [`Strategy::Mapped`]: one copy, made by `write` out of the input's own pages, and a call of
//!   `mmap` for each MiB. For a file that goes to one which is open for append.
//! * [`Strategy::Splice`]: two references for each slot, into a pipe of ours and out of it.
//!   `splice` needs a pipe on one side; where both are pipes, the neighbours of one wait for its
//!   lock while bytes move between them, and ours in the middle lets both go on.
//! * [`Strategy::BodyAndTail`]: from a file to a pipe. A reference for each page of the file, twice,
//!   and a call for each slot of the output pipe at the end.
//!
//! Whenever a pipe runs full or empty, one side sleeps until the other wakes it. That costs as much
//! as moving many slots, so pipes are grown to 1 MiB where there is much to move (they are never
//! made smaller), and a pipe that was just busy is looked at for some 50 microseconds before we
//! sleep.
//!
//! # What is guaranteed
//!
//! **Nothing refers to the file afterwards.** A slot that refers to a page of a file shows what is
//! in that page when it is read. Spliced plainly, a file that is overwritten after the copy has
//! returned changes what the reader gets. But a ring of *n* slots has let go of everything that
//! went in before its last *n* slots. So the last bytes of the file are copied into memory and cut
//! into as many slots as the output pipe has; 4096 bytes are enough for 256 slots. Several files can
//! share that wait for the reader: [`Copier::append`] and [`Copier::settle`].
//!
//! ```
//! use std::io::{Read, Seek, Write};
//! use std::os::unix::fs::FileExt;
//! use splice_core::{Copier, Strategy};
//!
//! let mut file = tempfile::tempfile()?;
//! file.write_all(&vec![b'a'; 600_000])?;
//! file.rewind()?;
//! let (mut reader, writer) = std::io::pipe()?;
//! let taker = std::thread::spawn(move || {
//!     // The body has to leave the pipe before the copy can end; the tail stays in it.
//!     let mut taken = vec![0; 600_000 - 4096];
//!     reader.read_exact(&mut taken).map(|()| reader)
//! });
//! let copied = Copier::new(&writer)?.copy(&file)?;
//! assert_eq!(copied.path, Strategy::BodyAndTail);
//!
//! file.write_all_at(&vec![b'B'; 600_000], 0)?;
//! drop(writer);
//! let mut rest = Vec::new();
//! taker.join().unwrap()?.read_to_end(&mut rest)?;
//! assert!(rest.len() == 4096 && rest.iter().all(|&byte| byte == b'a'));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Beyond that promise: a reader that enlarges the pipe, or a file that shrinks, in the very moment
//! in which the tail is delivered; a reader that enlarges the pipe beyond 16 MiB while it reads; an
//! input that fails in its middle; and slots that another program filled, which are handed on as
//! they are. [`Copier::read_write_only`] has no such cases.
//!
//! A file that is mapped is asked for its size before every `write` of at most 256 KiB, as `read`
//! asks it in every call: whoever cuts it short in that moment may be copied with zeros up to the
//! end of its last page.
//!
//! **No byte is lost.** A call that the kernel refuses at its first attempt is replaced by another,
//! in the end by `read` and `write`, with all that it took delivered. Only a `read` of nothing ends an input: a zero of
//! any faster call may as well mean that it cannot do it.
//!
//! **A failure has a side.** [`CopyError`] tells whether the input or the output failed, and why:
//!
//! ```
//! use splice_core::{Copier, Side};
//!
//! let directory = std::fs::File::open("/")?;
//! let null = std::fs::File::options().write(true).open("/dev/null")?;
//! let error = Copier::new(&null)?.copy(&directory).unwrap_err();
//! assert_eq!(error.side(), Side::Input);
//! assert_eq!(error.io_error().kind(), std::io::ErrorKind::IsADirectory);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! **Signals and non-blocking descriptors are no news.** An interrupted call is made again. Where a
//! non-blocking descriptor is not ready, it is waited for with `poll`; its flags are left as they
//! are, since whoever shares it would see them change. No call moves more than [`CALL_CAP`] bytes
//! before it can notice a signal.
//!
//! # Where it runs
//!
//! On Linux, with nothing but the kernel: no threads, no state, no allocation beyond a buffer. Old
//! kernels and sandboxes only make it slower.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod copy;
mod drain;
mod error;
mod kind;
mod patience;
mod pipe;
mod plan;
mod repeat;
mod skim;
mod stream;
mod sys;

pub use copy::{CALL_CAP, Copied, Copier};
pub use drain::drain;
pub use error::{CopyError, Side};
pub use kind::FdKind;
pub use pipe::{Pipe, grow_pipe, page_size};
pub use plan::{Strategy, plan};
pub use repeat::{RepeatPath, Repeated, Repeater};
pub use skim::Skimmer;
pub use stream::{
    Buffer, await_readable, read, read_ready, read_ready_at, write_all, write_all_vectored,
};

/// What the README shows is compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
