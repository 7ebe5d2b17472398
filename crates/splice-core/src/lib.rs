//! Moves bytes between file descriptors by the cheapest path the kernel offers, and never loses
//! one on the way.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod kind;
mod pipe;
mod repeat;
mod stream;
mod sys;

pub use kind::FdKind;
pub use pipe::{Pipe, grow_pipe, page_size};
pub use repeat::{RepeatPath, Repeated, Repeater};
pub use stream::{Buffer, read, write_all};
