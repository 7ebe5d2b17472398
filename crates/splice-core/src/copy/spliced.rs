//! The paths on which no byte passes through this process: `copy_file_range`, and `splice` through
//! a pipe of our own.

use std::os::fd::AsFd;

use nix::errno::Errno;

use super::sink::{Delivery, Sink};
use super::source::{Source, Taken};
use super::way::End;
use super::{CALL_CAP, MUCH};
use crate::error::CopyError;
use crate::kind::FdKind;
use crate::pipe::{LARGE_PIPE, Pipe};
use crate::sys;

/// File to file. Any refusal and any error means: go on another way from the position reached.
/// Nothing is lost by that, and a real error shows itself again there, on its side.
pub(super) fn copy_file_range(source: &mut Source<'_>, sink: &mut Sink<'_>) -> End {
    loop {
        match sys::copy_file_range(source.descriptor(), sink.as_fd(), CALL_CAP) {
            Ok(0) if source.taken() > 0 => return End::OfInput,
            // The output is open for append, as a rule.
            Err(Errno::EBADF) => {
                sink.refuse_splice();
                return End::Refused;
            }
            Ok(0) | Err(_) => return End::Refused,
            Ok(moved) => {
                source.advance(moved);
                sink.advance(moved);
                // It was copied, 16 pages at a time; a pipe of ours takes 256.
                if moved == CALL_CAP && sink.shares_nothing_here() {
                    return End::Refused;
                }
            }
        }
    }
}

/// Into a pipe of our own, and from there into the output.
pub(super) fn splice(source: &mut Source<'_>, sink: &mut Sink<'_>) -> Result<End, CopyError> {
    let Ok(pipe) = Pipe::new() else { return Ok(End::Refused) };
    // What comes from a pipe may be no more than a word, and is worth no larger one.
    let mut large = source.kind() != FdKind::Pipe;
    if large {
        pipe.grow_to(LARGE_PIPE);
    }
    let mut is_first = true;
    loop {
        let taken = match source.splice_into(&pipe, sink.to_take())? {
            Taken::Bytes(taken) => taken,
            Taken::End => return Ok(End::OfInput),
            Taken::NoRoom | Taken::Refused => return Ok(End::Refused),
        };
        if sink.splice_from(&pipe, taken, is_first)? == Delivery::Copied {
            return Ok(End::Refused);
        }
        is_first = false;
        if !large && source.taken() >= MUCH {
            large = true;
            pipe.grow_to(LARGE_PIPE);
        }
    }
}
