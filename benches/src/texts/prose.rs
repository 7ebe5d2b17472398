//! Texts that people write, or programs for people.

use super::dice::Dice;

const LENGTH: usize = 1 << 20;

const WORDS: [&str; 48] = [
    "the",
    "of",
    "and",
    "to",
    "a",
    "in",
    "that",
    "is",
    "was",
    "he",
    "for",
    "it",
    "with",
    "as",
    "his",
    "on",
    "be",
    "at",
    "by",
    "had",
    "not",
    "are",
    "but",
    "from",
    "or",
    "have",
    "which",
    "one",
    "would",
    "all",
    "were",
    "when",
    "there",
    "their",
    "been",
    "them",
    "into",
    "little",
    "water",
    "between",
    "morning",
    "nothing",
    "through",
    "country",
    "something",
    "together",
    "understand",
    "government",
];

/// Lines of about `length` bytes, newline included: from a half to one and a half times as many.
pub(crate) fn lines_around(length: usize) -> Vec<u8> {
    let (mut dice, mut text) = (Dice::new(), Vec::new());
    // A few lines at least, however long they are.
    while text.len() < LENGTH.max(4 * length) {
        let end = text.len() + length / 2 + dice.below(length + 1);
        while text.len() < end {
            text.extend(dice.word(&WORDS).bytes());
            text.push(b' ');
        }
        text.truncate(end.max(1) - 1);
        text.push(b'\n');
    }
    text
}

pub(super) fn english() -> Vec<u8> {
    lines_around(30)
}

pub(super) fn source() -> Vec<u8> {
    const STARTS: [&str; 6] = ["let ", "if ", "return ", "self.", "for ", "// "];
    const JOINTS: [&str; 8] = [".", "(", ", ", " = ", "::", "_", " + ", ")?."];
    const ENDS: [&str; 4] = [";", " {", "(),", "?;"];
    let (mut dice, mut text) = (Dice::new(), String::new());
    let mut depth = 0;
    while text.len() < LENGTH {
        if dice.once_in(8) {
            text.push('\n');
            continue;
        }
        text += &"    ".repeat(depth);
        text += dice.word(&STARTS);
        for _ in 0..=dice.below(6) {
            text += dice.word(&WORDS);
            text += dice.word(&JOINTS);
        }
        text += dice.word(&ENDS);
        text.push('\n');
        depth = (depth + dice.below(3)).saturating_sub(1).min(6);
    }
    text.into_bytes()
}

pub(super) fn columns() -> Vec<u8> {
    let (mut dice, mut text) = (Dice::new(), String::new());
    while text.len() < LENGTH {
        for column in 0..7 {
            match column % 3 {
                0 => text += &dice.below(1_000_000).to_string(),
                1 => text += dice.word(&WORDS),
                _ => text += &format!("{}.{:02}", dice.below(1000), dice.below(100)),
            }
            text.push(if column < 6 { '\t' } else { '\n' });
        }
    }
    text.into_bytes()
}

pub(super) fn json() -> Vec<u8> {
    let (mut dice, mut text) = (Dice::new(), String::new());
    while text.len() < LENGTH {
        let end = text.len() + 3000 + dice.below(2000);
        text += "{\"records\":[";
        while text.len() < end {
            let (id, name, state) =
                (dice.below(1_000_000), dice.word(&WORDS), dice.word(&["true", "false", "null"]));
            text += &format!("{{\"id\":{id},\"name\":\"{name}\",\"active\":{state}}},");
        }
        text += "{}]}\n";
    }
    text.into_bytes()
}

pub(super) fn chinese() -> Vec<u8> {
    const FIRST: u32 = 0x4e00;
    const COMMON: usize = 3000;
    let (mut dice, mut text) = (Dice::new(), String::new());
    while text.len() < LENGTH {
        for _ in 0..10 + dice.below(30) {
            let number = dice.below(COMMON).min(dice.below(COMMON)) as u32;
            text.extend(char::from_u32(FIRST + number));
            if dice.once_in(12) {
                text.push('，');
            }
        }
        text += "。\n";
    }
    text.into_bytes()
}

pub(super) fn log() -> Vec<u8> {
    let (mut dice, mut text) = (Dice::new(), String::new());
    let mut second = 0;
    while text.len() < LENGTH {
        second += dice.below(3);
        let (hour, minute) = (second / 3600 % 24, second / 60 % 60);
        let (level, process) = (dice.word(&["INFO", "DEBUG", "WARN", "ERROR"]), dice.below(32_768));
        text +=
            &format!("2026-01-01T{hour:02}:{minute:02}:{:02}Z {level} [{process}]", second % 60);
        for _ in 0..4 + dice.below(8) {
            text.push(' ');
            text += dice.word(&WORDS);
        }
        text += "\r\n";
    }
    text.into_bytes()
}
