//! The formatter against the slow reference: any bytes, cut anyhow, under any option set. Debug
//! assertions are on, so that text beyond a block's room is caught too.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/applet-cat/tests/reference/mod.rs"]
mod reference;

use reference::{ALL_INSTRUCTIONS, formatted, option_set, reference};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    options: u8,
    /// Lengths of the pieces, taken in turn; 0 is the rest.
    cuts: [u8; 4],
    spare: u8,
    /// A byte of the stream that comes this many times sixteen times instead of once: long runs are
    /// dealt with in a way of their own, and a fuzzer does not come by them.
    repeated: (u8, u8),
    bytes: &'a [u8],
}

impl Case<'_> {
    fn stream(&self) -> Vec<u8> {
        let (place, times) = (usize::from(self.repeated.0), usize::from(self.repeated.1) * 16);
        let (before, after) = self.bytes.split_at(place.min(self.bytes.len()));
        let run = vec![before.last().copied().unwrap_or(b'x'); times];
        [before, &run, after].concat()
    }
}

fn pieces<'a>(mut stream: &'a [u8], cuts: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for cut in cuts.iter().cycle() {
        let len = if *cut == 0 { stream.len() } else { usize::from(*cut).min(stream.len()) };
        let (piece, rest) = stream.split_at(len);
        pieces.push(piece);
        stream = rest;
        if stream.is_empty() {
            break;
        }
    }
    pieces
}

fuzz_target!(|case: Case<'_>| {
    let format = option_set(case.options);
    let stream = case.stream();
    let (pieces, spare) = (pieces(&stream, &case.cuts), usize::from(case.spare) * 16);
    let expected = reference(format, &stream);
    for instructions in ALL_INSTRUCTIONS {
        // None of them may be left out in silence: whoever fuzzes has a processor that has them all.
        let got = formatted(instructions, format, pieces.iter().copied(), spare);
        assert_eq!(got.as_ref(), Some(&expected), "{instructions:?}, {format:?}");
    }
});
