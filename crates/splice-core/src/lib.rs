//! Moves bytes between file descriptors by the cheapest path the kernel offers, and never loses
//! one on the way.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod kind;
mod pipe;
mod stream;
mod sys;

pub use kind::FdKind;
pub use pipe::{Pipe, grow_pipe, page_size};
pub use stream::{Buffer, read, write_all};
