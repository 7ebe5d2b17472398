//! The formatter against written-down texts, and against the slow reference: at every border of
//! its blocks, for every neighbourhood of bytes, and for whatever proptest thinks of.

mod reference;

use applet_cat::format::{Format, Formatter, Instructions, Numbering, Sink};
use proptest::collection::vec;
use proptest::prelude::*;

use reference::{ALL_INSTRUCTIONS, Gathered, formatted, option_set, reference};

/// All that differ: `-n` with `-b` is `-b`.
fn option_sets() -> impl Iterator<Item = Format> {
    (0..64).filter(|bits| bits & 3 != 3).map(option_set)
}

/// Whatever the processor can run gives the text of the reference.
#[track_caller]
fn assert_same(format: Format, pieces: &[&[u8]], spare: usize) {
    let expected = reference(format, &pieces.concat());
    for instructions in ALL_INSTRUCTIONS {
        if let Some(got) = formatted(instructions, format, pieces.iter().copied(), spare) {
            assert_equal(&got, &expected, instructions, format, pieces);
        }
    }
}

#[track_caller]
fn assert_equal(
    got: &[u8],
    expected: &[u8],
    instructions: Instructions,
    format: Format,
    pieces: &[&[u8]],
) {
    let differs = got.iter().zip(expected).position(|(got, expected)| got != expected);
    let at = differs.unwrap_or(got.len().min(expected.len()));
    let near = |text: &[u8]| {
        text[at.saturating_sub(20)..(at + 20).min(text.len())].escape_ascii().to_string()
    };
    assert!(
        got == expected,
        "{instructions:?}, {format:?}, pieces of {:?}: at {at} {:?} instead of {:?}",
        pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>(),
        near(got),
        near(expected),
    );
}

/// Each formatter and the reference give the text that was written down.
#[track_caller]
fn assert_text(format: Format, pieces: &[&[u8]], expected: impl AsRef<[u8]>) {
    assert_eq!(reference(format, &pieces.concat()), expected.as_ref());
    assert_same(format, pieces, 0);
}

/// A comparison that leaves out what this processor cannot run must not look like a success.
#[test]
fn all_instructions_are_compared() {
    let runs = |instructions| Formatter::with(instructions, PLAIN).is_some();
    assert!(runs(Instructions::Portable));
    if cfg!(target_arch = "x86_64") && !runs(Instructions::Avx2) {
        let missing = "this processor has no AVX2: half of the formatter was not compared";
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{missing}");
        eprintln!("{missing}");
    }
}

const PLAIN: Format = Format {
    numbering: Numbering::None,
    squeeze_blank: false,
    show_ends: false,
    show_tabs: false,
    show_nonprinting: false,
};
const NUMBER: Format = Format { numbering: Numbering::All, ..PLAIN };
const ENDS: Format = Format { show_ends: true, ..PLAIN };

#[test]
fn lines_run_on_over_pieces() {
    assert_text(NUMBER, &[b"a", b"b\nc"], "     1\tab\n     2\tc");
    assert_text(NUMBER, &[b"a\n", b"", b"\n"], "     1\ta\n     2\t\n");
    let nonblank = Format { numbering: Numbering::NonBlank, ..PLAIN };
    assert_text(nonblank, &[b"\n\na\n", b"\r\n"], "\n\n     1\ta\n     2\t\r\n");
    let squeeze = Format { squeeze_blank: true, ..PLAIN };
    assert_text(squeeze, &[b"a\n\n", b"\n\nb\n"], "a\n\nb\n");
    assert_text(squeeze, &[b"\n", b"\n", b"\na"], "\na");
    let numbered = Format { squeeze_blank: true, ..NUMBER };
    assert_text(numbered, &[b"a\n\n\n", b"\n\nb\n"], "     1\ta\n     2\t\n     3\tb\n");
}

#[test]
fn a_carriage_return_waits_for_its_newline() {
    assert_text(ENDS, &[b"a\r\nb\n"], "a^M$\nb$\n");
    assert_text(ENDS, &[b"a\r", b"\nb\n"], "a^M$\nb$\n");
    assert_text(ENDS, &[b"a\r", b"", b"\r", b"\n"], "a\r^M$\n");
    assert_text(ENDS, &[b"a\r", b"b\r", b"c\r"], "a\rb\rc\r");
    assert_text(ENDS, &[b"\r\r\n\r"], "\r^M$\n\r");
    let numbered = Format { show_ends: true, ..NUMBER };
    assert_text(numbered, &[b"\r", b"\n\r"], "     1\t^M$\n     2\t\r");
    let visible = Format { show_nonprinting: true, ..PLAIN };
    assert_text(visible, &[b"a\r", b"\nb\r"], "a^M\nb^M");
}

#[test]
fn bytes_are_shown_as_the_manual_says() {
    let all = Format { show_ends: true, show_tabs: true, show_nonprinting: true, ..PLAIN };
    assert_text(all, &[b"\0\x01\x1b\x1f ~\x7f\t\r\n"], "^@^A^[^_ ~^?^I^M$\n");
    assert_text(all, &[b"\x80\x89\x8a\x9f\xa0\xfe\xff"], "M-^@M-^IM-^JM-^_M- M-~M-^?");
    let nonprinting = Format { show_nonprinting: true, ..PLAIN };
    assert_text(nonprinting, &[b"\t\n\x0b\xc3\xa9"], "\t\n^KM-CM-)");
    let tabs = Format { show_tabs: true, ..PLAIN };
    assert_text(tabs, &[b"\ta\x01\xff\r\n"], b"^Ia\x01\xff\r\n");
}

#[test]
fn numbering_nonblank_lines_beats_numbering_all() {
    assert_eq!(option_set(3), option_set(2));
    assert_text(option_set(3), &[b"a\n\nb\n"], "     1\ta\n\n     2\tb\n");
}

#[test]
fn nothing_makes_nothing() {
    for format in option_sets() {
        assert_text(format, &[], "");
        assert_text(format, &[b"", b""], "");
    }
}

/// Every byte value before and after every other.
#[test]
fn every_neighbourhood_under_every_option_set() {
    let pairs = |first| (0..=u8::MAX).flat_map(move |second| [first, second]);
    let stream: Vec<u8> = (0..=u8::MAX).flat_map(pairs).collect();
    for format in option_sets() {
        assert_same(format, &[&stream], 0);
        for size in [1, 63, 65, 4096] {
            assert_same(format, &stream.chunks(size).collect::<Vec<_>>(), 10_000);
        }
    }
}

/// Every four in a row of one byte of each kind: all blank-line, CR and word combinations.
#[test]
fn every_four_kinds_in_a_row() {
    const KINDS: [u8; 8] = *b"a\n\r\t\x01\x7f\x80\xff";
    let four = |i: usize| (0..4).map(move |place| KINDS[i >> (3 * place) & 7]);
    let stream: Vec<u8> = (0..4096).flat_map(four).collect();
    for format in option_sets() {
        assert_same(format, &[&stream], 0);
        assert_same(format, &stream.chunks(3).collect::<Vec<_>>(), 0);
    }
}

const AWKWARD: [&[u8]; 8] =
    [b"\r\n", b"\r\r\n\n", b"\n\n\n", b"\n\r\n\r", b"\t\x7f\xff", b"\n\n\na\n\n", b"\r", b"\n"];

/// Awkward bytes at every place of a block, whole and cut at every place of theirs.
#[test]
fn every_place_in_a_block() {
    for (format, awkward) in option_sets().flat_map(|format| AWKWARD.map(|bytes| (format, bytes))) {
        for before in (0..3).chain(56..68).chain(120..132) {
            let stream = [&vec![b'x'; before], awkward, b"end"].concat();
            assert_same(format, &[&stream], 0);
            for cut in before..before + awkward.len() {
                let (left, right) = stream.split_at(cut);
                assert_same(format, &[left, right], 0);
            }
        }
    }
}

/// The longest texts there are, through the smallest buffer that is allowed.
#[test]
fn storms_of_one_byte() {
    for byte in *b"\n\r\t\x01a\x7f\x80\xff" {
        let stream = vec![byte; 5000];
        for format in option_sets() {
            assert_same(format, &[&stream], 0);
            assert_same(format, &[b"x", &stream, b"\n", &stream], 77);
        }
    }
}

/// A formatter that chooses its instructions itself may turn to others with any piece.
#[test]
fn turning_to_other_instructions_changes_nothing() {
    let stream: Vec<u8> =
        (0..140_000_u32).map(|i| b"a\n\r\t\x01\xff\n\nbc"[i as usize % 10]).collect();
    for format in option_sets() {
        for short in [1, 3, 66, 50_000] {
            let (first, rest) = stream.split_at(short);
            let (long, last) = rest.split_at(80_000);
            let mut sink = Gathered::new(0);
            let mut formatter = Formatter::new(format);
            for piece in [first, long, last] {
                let Ok(()) = formatter.format(piece, &mut sink);
            }
            let Ok(()) = formatter.finish(&mut sink);
            assert!(sink.text() == reference(format, &stream), "{format:?}, {short}");
        }
    }
}

/// Runs that are passed on instead of being copied, with an awkward byte before, in and after them,
/// at every place of a block, whole and cut.
#[test]
fn long_runs_between_awkward_bytes() {
    for (format, awkward) in option_sets().flat_map(|format| AWKWARD.map(|bytes| (format, bytes))) {
        for (before, between) in (0..65).step_by(5).zip((400..).step_by(307)) {
            let (short, long) = (vec![b'x'; before], vec![b'y'; between]);
            let stream = [&short, awkward, &long, awkward, &long, awkward].concat();
            assert_same(format, &[&stream], 0);
            assert_same(format, &stream.chunks(2500 + before).collect::<Vec<_>>(), 3000);
        }
    }
}

/// Input and output at every alignment and of every length up to some blocks: whatever is read or
/// written in one piece begins and ends anywhere.
#[test]
fn every_alignment_and_length() {
    let kinds =
        b"plain text\twith\r\na line\n\n\n\x01\x7f\x80\xff\n\x8a\xe4 and then some that is longer";
    let bytes: Vec<u8> = kinds.iter().copied().cycle().take(64 + 300).collect();
    for format in option_sets() {
        for start in 0..64 {
            for length in (0..300).step_by(7).chain([63, 64, 65, 127, 128, 129]) {
                assert_same(format, &[&bytes[start..start + length]], start);
            }
        }
    }
}

/// An output that fails at the second flush.
struct Full([u8; 3 * applet_cat::format::MOST_AT_ONCE], usize, bool);

impl Sink<'_> for Full {
    type Error = &'static str;

    fn room(&mut self, at_least: usize) -> Result<&mut [u8], &'static str> {
        if self.0.len() - self.1 < at_least && std::mem::replace(&mut self.2, true) {
            return Err("full");
        }
        self.1 %= self.0.len() - at_least;
        Ok(&mut self.0[self.1..])
    }

    fn advance(&mut self, count: usize) {
        self.1 += count;
    }

    fn pass(&mut self, _run: &[u8]) -> Result<(), &'static str> {
        Err("full")
    }
}

#[test]
fn a_failing_output_ends_it() {
    for format in option_sets() {
        let mut sink = Full([0; _], 0, false);
        let result = Formatter::new(format).format(&[b'a'; 100_000], &mut sink);
        assert_eq!(result, Err("full"));
    }
}

/// Bytes as they never come: mostly those that matter, and often several alike.
fn runs() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        6 => Just(b'\n'),
        4 => Just(b'\r'),
        3 => Just(b'\t'),
        6 => b' '..=b'~',
        2 => 0..b' ',
        1 => Just(0x7f),
        3 => 0x80..=0xff_u8,
    ];
    let length =
        prop_oneof![80 => Just(1), 20 => 2..5_usize, 10 => 5..200_usize, 1 => 200..5000_usize];
    vec((byte, length), 0..300)
        .prop_map(|runs| runs.into_iter().flat_map(|(byte, len)| vec![byte; len]).collect())
}

/// Files, and what single reads return of them; both may be empty.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let cuts = vec(any::<prop::sample::Index>(), 0..8);
    (runs(), cuts).prop_map(|(stream, cuts)| {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        cuts.windows(2).map(|cut| stream[cut[0]..cut[1]].to_vec()).collect()
    })
}

proptest! {
    #[test]
    fn any_pieces_under_any_option_set(pieces in pieces(), bits in 0..64_u8, spare in 0..5000_usize) {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        assert_same(option_set(bits), &pieces, spare);
    }
}
