//! What `cat`'s options make of bytes: every byte, every combination, over every border.

mod support;

use std::fmt::Write as _;

use support::{Folder, Run, same};

/// The options that change bytes, one bit each in the numbers of combinations.
const LETTERS: [char; 6] = ['b', 'n', 's', 'v', 'E', 'T'];

/// What the manual says, a line at a time, with no thought of speed.
fn expected(input: &[u8], options: &str) -> Vec<u8> {
    let has = |letter| options.contains(letter);
    let mut out = Vec::new();
    let (mut number, mut after_blank) = (0, false);
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        let body = line.strip_suffix(b"\n");
        let blank = body == Some(b"");
        if blank && after_blank && has('s') {
            continue;
        }
        after_blank = blank;
        if if has('b') { !blank } else { has('n') } {
            number += 1;
            out.extend(format!("{number:6}\t").bytes());
        }
        let text = body.unwrap_or(line);
        for (place, &byte) in text.iter().enumerate() {
            let ends_line = body.is_some() && place + 1 == text.len();
            match byte {
                b'\t' if has('T') => out.extend(b"^I"),
                b'\r' if has('E') && ends_line => out.extend(b"^M"),
                b'\t' => out.push(byte),
                _ if has('v') => out.extend(visible(byte).bytes()),
                _ => out.push(byte),
            }
        }
        if body.is_some() {
            out.extend_from_slice(if has('E') { b"$\n" } else { b"\n" });
        }
    }
    out
}

fn visible(byte: u8) -> String {
    let mut text = String::new();
    if byte >= 128 {
        text.push_str("M-");
    }
    match byte % 128 {
        low @ 0..=31 => write!(text, "^{}", (low + 64) as char),
        127 => write!(text, "^?"),
        plain => write!(text, "{}", plain as char),
    }
    .expect("a string takes all");
    text
}

fn combinations() -> impl Iterator<Item = String> {
    (0..1 << LETTERS.len()).map(|bits: usize| {
        let chosen = LETTERS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        chosen.map(|(_, letter)| letter).collect()
    })
}

fn arguments(options: &str) -> Vec<String> {
    options.chars().map(|letter| format!("-{letter}")).collect()
}

/// The generator above is itself held against bytes written down by hand.
#[test]
fn the_expected_bytes_are_the_documented_ones() {
    let rows: &[(&str, &[u8], &[u8])] = &[
        ("v", b"\0\x1f\x7f\x80\x8a\x9f\xa0\xfe\xff", b"^@^_^?M-^@M-^JM-^_M- M-~M-^?"),
        ("E", b"a\r\nb\rc\r", b"a^M$\nb\rc\r"),
        ("T", b"\t\x09a", b"^I^Ia"),
        ("sn", b"\n\n\na\n\n\nb", b"     1\t\n     2\ta\n     3\t\n     4\tb"),
        ("bE", b"\na\n", b"$\n     1\ta$\n"),
    ];
    for (options, input, output) in rows {
        assert_eq!(expected(input, options), *output, "{options}");
    }
}

#[test]
fn all_256_bytes_through_every_combination() {
    let folder = Folder::new();
    // Each byte alone on a line, then each after each of those that carry state.
    let mut input: Vec<u8> = (0..=255).flat_map(|byte| [byte, b'\n']).collect();
    for before in [b'\r', b'\t', b'\n', b'x', 0x8a] {
        input.extend((0..=255).flat_map(|byte| [before, byte]));
    }
    input.extend(0..=255);
    folder.write("in", &input);
    for options in combinations() {
        let run = folder.cat(arguments(&options)).arg("in").run().success().stderr("");
        same(&run.get_output().stdout, &expected(&input, &options));
    }
}

#[test]
fn aliases_are_their_combinations() {
    let folder = Folder::new();
    let input: Vec<u8> = (0..=255).chain(*b"\r\n\n\n\t\r").collect();
    folder.write("in", &input);
    for (option, means) in [("-A", "vET"), ("-e", "vE"), ("-t", "vT"), ("-u", ""), ("-uA", "vET")] {
        let run = folder.cat([option, "in"]).run().success().stderr("");
        same(&run.get_output().stdout, &expected(&input, means));
    }
}

#[test]
fn the_locale_makes_no_difference() {
    let folder = Folder::new();
    let input = "é\u{a0}中\u{2028}\n".as_bytes();
    for locale in ["C", "C.UTF-8", "en_US.UTF-8"] {
        let mut cat = folder.cat(["-A"]);
        cat.env("LC_ALL", locale);
        cat.fed(input).success().stdout("M-CM-)M-BM- M-dM-8M--M-bM-^@M-($\n");
    }
}

/// Lines of all lengths around those that are written from where they were read, more of them than one
/// call writes, from a file and through a pipe.
#[test]
fn long_lines_come_out_whole_and_in_order() {
    let folder = Folder::new();
    let mut input = Vec::new();
    for length in (0..9000).step_by(13).chain([300_000, 1, 131_072, 700_000]) {
        input.extend(b"0123456789abcdef\xe4".iter().cycle().skip(length % 16).take(length));
        input.extend(if length % 5 == 0 { &b"\r\n"[..] } else { b"\n" });
    }
    let short: Vec<u8> = (0..3000).flat_map(|_| [&[b'x'; 1100][..], b"\n"].concat()).collect();
    input.extend(short);
    folder.write("in", &input);
    for options in combinations() {
        let want = expected(&input, &options);
        let run = folder.cat(arguments(&options)).arg("in").run().success().stderr("");
        same(&run.get_output().stdout, &want);
        let run = folder.cat(arguments(&options)).fed(&input[..]).success().stderr("");
        same(&run.get_output().stdout, &want);
    }
}

/// Text with every kind of border in it: cut anywhere, the pieces must print as the whole.
const BORDERS: &[u8] = b"\n\na\r\n\r\r\n\n\n\n\tb\r\xff\n\n\r\n\n\nlast\r";

#[test]
fn state_runs_across_files() {
    let folder = Folder::new();
    for cut in 0..=BORDERS.len() {
        folder.write(format!("{cut}.1"), &BORDERS[..cut]);
        folder.write(format!("{cut}.2"), &BORDERS[cut..]);
    }
    folder.write("empty", "");
    for options in ["n", "b", "s", "E", "sn", "bs", "vET", "nE", "bsE", "bnsvET"] {
        let want = expected(BORDERS, options);
        for cut in 0..=BORDERS.len() {
            let files = [format!("{cut}.1"), "empty".into(), format!("{cut}.2")];
            let run = folder.cat(arguments(options)).args(files).run().success().stderr("");
            assert_eq!(run.get_output().stdout, want, "-{options}, cut at {cut}");
        }
    }
}

#[test]
fn state_runs_across_inputs_that_fail_and_across_standard_input() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.write("bc", "b\nc");
    folder.cat(["-n", "a", "bc"]).run().success().stdout("     1\tab\n     2\tc");
    let missing = "cat: missing: No such file or directory\n";
    folder
        .cat(["-nE", "a", "missing", "bc", "-", "bc"])
        .fed(b"\n\n")
        .code(1)
        .stdout("     1\tab$\n     2\tc$\n     3\t$\n     4\tb$\n     5\tc")
        .stderr(missing);
    folder.write("cr", "x\r");
    folder.write("lf", "\ny\n");
    folder.cat(["-E", "cr", "missing", "lf"]).run().code(1).stdout("x^M$\ny$\n").stderr(missing);
    folder.cat(["-E", "cr", "a"]).run().success().stdout("x\ra");
    folder.cat(["-E", "cr", "cr"]).run().success().stdout("x\rx\r");
    folder.cat(["-bE", "cr"]).run().success().stdout("     1\tx\r");
}

/// Sizes around the buffers that programs like to use.
fn sizes() -> impl Iterator<Item = usize> {
    let powers = (6..=20).map(|power| 1_usize << power);
    powers.flat_map(|size| [size - 2, size - 1, size, size + 1])
}

#[test]
fn state_runs_across_buffers() {
    let folder = Folder::new();
    for size in sizes() {
        let mut input = vec![b'x'; size];
        input.extend(b"\r\n\n\n\n\xfe\ty");
        folder.write("in", &input);
        let run = folder.cat(["-sE", "in"]).run().success().stderr("");
        same(&run.get_output().stdout, &expected(&input, "sE"));
        let run = folder.cat(["-bA"]).fed(&input).success().stderr("");
        same(&run.get_output().stdout, &expected(&input, "bvET"));
    }
}

#[test]
fn long_inputs_of_every_texture() {
    let folder = Folder::new();
    let textures: [Vec<u8>; 6] = [
        support::noise(1 << 20),
        vec![b'\n'; 1 << 20],
        vec![0xff; 1 << 20],
        b"\r\n".repeat(1 << 18),
        b"\t\r".repeat(1 << 18),
        b"a line of some thirty letters\n\n".repeat(1 << 15),
    ];
    for (number, input) in textures.iter().enumerate() {
        folder.write("in", input);
        for options in ["n", "b", "s", "v", "E", "T", "vET", "bsvET"] {
            let run = folder.cat(arguments(options)).arg("in").run().success().stderr("");
            let got = &run.get_output().stdout;
            assert!(!got.is_empty(), "texture {number}, -{options}");
            same(got, &expected(input, options));
        }
    }
}

#[test]
fn line_numbers_widen() {
    let folder = Folder::new();
    folder.write("in", "\n".repeat(999_998) + "a\nb\nc\n");
    let run = folder.cat(["-n", "in"]).run().success().stderr("");
    let end = b"\n999998\t\n999999\ta\n1000000\tb\n1000001\tc\n";
    let got = &run.get_output().stdout;
    same(&got[got.len() - end.len()..], end);
}

#[test]
fn one_line_of_64_mebibytes() {
    let folder = Folder::new();
    folder.write("in", "");
    std::fs::File::options()
        .write(true)
        .open(folder.path("in"))
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let count = folder.sh("cat -nvE in | wc -c").run().success().stderr("");
    count.stdout((7 + (128 << 20)).to_string() + "\n");
    let count = folder.sh("cat -sbT in | wc -c").run().success().stderr("");
    count.stdout((7 + (64 << 20)).to_string() + "\n");
}
