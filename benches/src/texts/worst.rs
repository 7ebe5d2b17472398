//! Texts at which a program can be slow: what is special is everywhere, or nowhere.

use super::dice::Dice;

const LENGTH: usize = 1 << 20;

pub(super) fn newlines() -> Vec<u8> {
    vec![b'\n'; LENGTH]
}

pub(super) fn tabs() -> Vec<u8> {
    vec![b'\t'; LENGTH]
}

pub(super) fn controls() -> Vec<u8> {
    vec![1; LENGTH]
}

pub(super) fn high() -> Vec<u8> {
    vec![0xe9; LENGTH]
}

pub(super) fn returns() -> Vec<u8> {
    vec![b'\r'; LENGTH]
}

pub(super) fn short_lines() -> Vec<u8> {
    b"a\n".repeat(LENGTH / 2)
}

pub(super) fn alternating() -> Vec<u8> {
    b"a\x01".repeat(LENGTH / 2)
}

pub(super) fn endless() -> Vec<u8> {
    (b'a'..=b'z').cycle().take(LENGTH).collect()
}

/// Now and then a line, between them any number of blank ones.
pub(super) fn storms() -> Vec<u8> {
    let (mut dice, mut text) = (Dice::new(), Vec::new());
    while text.len() < LENGTH {
        text.extend((0..1 + dice.below(20)).map(|_| b'a' + dice.below(26) as u8));
        text.resize(text.len() + 1 + dice.below(60), b'\n');
    }
    text
}
