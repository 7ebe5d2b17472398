//! From what two descriptors are to how bytes travel between them: a pure function.

use crate::kind::FdKind;

/// How the bytes of one input travel to one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// `read` and `write` through a buffer.
    ReadWrite,
    /// `copy_file_range`: the file system copies, or shares blocks. Where it cannot share, only the
    /// first 16 MiB go this way and the rest by [`Splice`](Strategy::Splice).
    CopyFileRange,
    /// From a file to a pipe through an intermediate pipe, the last part by read and write: at the
    /// end no slot of the output refers to the file.
    BodyAndTail,
    /// `mmap` of the input, and `write` from there: one copy, where a `read` makes two. From file to
    /// file, where `copy_file_range` and `splice` are refused: to one that is open for append.
    Mapped,
    /// `splice` into an intermediate pipe, and from there into the output.
    Splice,
}

/// Up to this size a file is read and written: setting up anything else costs more.
pub(crate) const SMALL_FILE: u64 = 32 * 1024;

/// The same for a file that goes to a pipe or device. To a pipe, because nothing may refer to the
/// file in the end: all that was spliced has to be taken out by the reader first, and to wait for a
/// reader to wake up costs as much as copying this.
pub(crate) const SMALL_FOR_SPLICE: u64 = 256 * 1024;

/// Chooses the strategy for an input and an output of the given kinds. The size in the input's
/// kind is what is left to read.
///
/// ```
/// use splice_core::{FdKind, Strategy, plan};
///
/// let file = FdKind::Regular { size: 1 << 30 };
/// assert_eq!(plan(file, FdKind::Pipe), Strategy::BodyAndTail);
/// assert_eq!(plan(FdKind::Terminal, FdKind::Pipe), Strategy::ReadWrite);
/// ```
pub fn plan(input: FdKind, output: FdKind) -> Strategy {
    plan_above(SMALL_FOR_SPLICE, input, output)
}

/// The same with files spliced to a pipe or device if they are larger than `small`.
pub(crate) fn plan_above(small: u64, input: FdKind, output: FdKind) -> Strategy {
    use FdKind::{MemoryDevice, Pipe, Regular, StreamSocket};
    match (input, output) {
        // Also most files of /proc: they hold bytes, and say that their size is 0.
        (Regular { size }, _) if size <= SMALL_FILE => Strategy::ReadWrite,
        (Regular { .. }, Regular { .. }) => Strategy::CopyFileRange,
        (Regular { size }, Pipe | MemoryDevice) if size <= small => Strategy::ReadWrite,
        (Regular { .. }, Pipe) => Strategy::BodyAndTail,
        // The device has consumed the pages when the call returns.
        (Regular { .. }, MemoryDevice) => Strategy::Splice,
        // A socket's queue refers to the pages until the peer has read them, and nothing tells
        // when that is: what was a file's page could change on its way.
        (Regular { .. }, _) => Strategy::ReadWrite,
        (Pipe, Pipe | Regular { .. } | MemoryDevice | StreamSocket) => Strategy::Splice,
        // Never straight into a pipe of others: a splice that waits for its input keeps the pipe
        // locked, and the reader cannot even take what came before.
        (StreamSocket | MemoryDevice, Pipe | Regular { .. } | MemoryDevice | StreamSocket) => {
            Strategy::Splice
        }
        // Terminals (one end-of-file key must end an input), other character devices, sockets that keep message boundaries,
        // block devices (their pages are shared as a file's are), and what is unknown.
        _ => Strategy::ReadWrite,
    }
}

#[cfg(test)]
mod tests {
    use super::FdKind::*;
    use super::Strategy::*;
    use super::*;

    const BIG: FdKind = Regular { size: 1 << 30 };
    const SMALL: FdKind = Regular { size: SMALL_FILE };
    const EMPTY: FdKind = Regular { size: 0 };
    const KINDS: [FdKind; 11] = [
        EMPTY,
        SMALL,
        BIG,
        Pipe,
        StreamSocket,
        MessageSocket,
        Terminal,
        MemoryDevice,
        CharacterDevice,
        BlockDevice,
        Other,
    ];

    #[test]
    fn the_full_table() {
        // A row an input, a column an output, both in the order of KINDS.
        #[rustfmt::skip]
        let table = [
            [ReadWrite; 11],
            [ReadWrite; 11],
            [CopyFileRange, CopyFileRange, CopyFileRange, BodyAndTail, ReadWrite, ReadWrite, ReadWrite, Splice, ReadWrite, ReadWrite, ReadWrite],
            [Splice, Splice, Splice, Splice, Splice, ReadWrite, ReadWrite, Splice, ReadWrite, ReadWrite, ReadWrite],
            [Splice, Splice, Splice, Splice, Splice, ReadWrite, ReadWrite, Splice, ReadWrite, ReadWrite, ReadWrite],
            [ReadWrite; 11],
            [ReadWrite; 11],
            [Splice, Splice, Splice, Splice, Splice, ReadWrite, ReadWrite, Splice, ReadWrite, ReadWrite, ReadWrite],
            [ReadWrite; 11],
            [ReadWrite; 11],
            [ReadWrite; 11],
        ];
        for (input, row) in KINDS.into_iter().zip(table) {
            for (output, strategy) in KINDS.into_iter().zip(row) {
                assert_eq!(plan(input, output), strategy, "{input:?} to {output:?}");
            }
        }
    }

    #[test]
    fn sizes_at_the_borders() {
        let of = |size, output| plan(Regular { size }, output);
        assert_eq!(of(SMALL_FILE, BIG), ReadWrite);
        assert_eq!(of(SMALL_FILE + 1, BIG), CopyFileRange);
        assert_eq!(of(SMALL_FOR_SPLICE, Pipe), ReadWrite);
        assert_eq!(of(SMALL_FOR_SPLICE + 1, Pipe), BodyAndTail);
        assert_eq!(of(SMALL_FOR_SPLICE, MemoryDevice), ReadWrite);
        assert_eq!(of(SMALL_FOR_SPLICE + 1, MemoryDevice), Splice);
    }
}
