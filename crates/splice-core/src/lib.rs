//! Moves bytes between file descriptors by the cheapest path the kernel offers, and never loses
//! one on the way.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod copy;
mod drain;
mod error;
mod kind;
mod pipe;
mod plan;
mod repeat;
mod stream;
mod sys;

pub use copy::{CALL_CAP, Copied, Copier};
pub use drain::drain;
pub use error::{CopyError, Side};
pub use kind::FdKind;
pub use pipe::{Pipe, grow_pipe, page_size};
pub use plan::{Strategy, plan};
pub use repeat::{RepeatPath, Repeated, Repeater};
pub use stream::{Buffer, await_readable, read, read_ready, write_all};
