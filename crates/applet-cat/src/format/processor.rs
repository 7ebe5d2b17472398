//! Which of the machines that the walk is compiled for is used.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
use super::lines::Lines;
use super::machine::{Machine, Portable};
use super::scan::Search;
use super::visible::Visible;
use super::walk::Walked;

/// The instructions that a [`Formatter`](super::Formatter) may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instructions {
    /// Those that every processor of the architecture has.
    Portable,
    /// AVX2 of x86-64, and what every processor with it has.
    Avx2,
}

/// Instructions that this processor has.
#[derive(Clone, Copy)]
pub(super) enum Processor {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Processor {
    /// These instructions, if the processor has them.
    pub(super) fn with(instructions: Instructions) -> Option<Processor> {
        match instructions {
            Instructions::Portable => Some(Processor::Portable),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => Avx2::find().map(Processor::Avx2),
            #[cfg(not(target_arch = "x86_64"))]
            Instructions::Avx2 => None,
        }
    }

    /// The fastest that there are.
    pub(super) fn best() -> Processor {
        Processor::with(Instructions::Avx2).unwrap_or(Processor::Portable)
    }

    /// Formats what there is room for: see [`blocks`](super::walk::blocks).
    pub(super) fn walk<const LINES: bool>(
        self,
        search: impl Search,
        visible: &Visible,
        lines: &mut Lines,
        input: (&[u8], u8),
        out: &mut [u8],
    ) -> Walked {
        match self {
            Processor::Portable => Portable.walk::<LINES>(search, visible, lines, input, out),
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2(avx2) => avx2.walk::<LINES>(search, visible, lines, input, out),
        }
    }
}
