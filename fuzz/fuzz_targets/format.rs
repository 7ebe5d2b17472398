//! The formatter against the slow reference: any bytes, cut anyhow, under any option set. Debug
//! assertions are on, so that text beyond a block's room is caught too.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/applet-cat/tests/reference/mod.rs"]
mod reference;

use reference::{formatted, option_set, reference};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    options: u8,
    /// Lengths of the pieces, taken in turn; 0 is the rest.
    cuts: [u8; 4],
    spare: u8,
    stream: &'a [u8],
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
    let got = formatted(format, pieces(case.stream, &case.cuts), usize::from(case.spare) * 16);
    assert_eq!(got, reference(format, case.stream), "{format:?}");
});
