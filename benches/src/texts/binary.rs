//! What is no text, and is shown all the same.

use super::dice::Dice;

const LENGTH: usize = 1 << 20;

pub(super) fn random() -> Vec<u8> {
    let mut dice = Dice::new();
    std::iter::repeat_with(|| dice.byte()).take(LENGTH).collect()
}

/// An archive of programs: headers of 512 bytes, and behind each machine code, tables of numbers,
/// names and padding, in about the shares that programs have them.
pub(super) fn tar() -> Vec<u8> {
    let (mut dice, mut text) = (Dice::new(), Vec::new());
    let mut number = 0;
    while text.len() < LENGTH {
        number += 1;
        let header = format!("./usr/bin/program-{number}");
        text.extend(header.bytes());
        text.resize(text.len() + 100 - header.len(), 0);
        text.extend(b"0000755\x000000000\x000000000\x0000000200000\x0014500000000\x00");
        pad(&mut text, 512);
        for _ in 0..8 {
            code(&mut dice, &mut text, 6000);
            table(&mut dice, &mut text, 300);
            names(&mut dice, &mut text, 150);
            pad(&mut text, 4096);
        }
    }
    text
}

/// Bytes that are frequent in instructions, among others.
fn code(dice: &mut Dice, text: &mut Vec<u8>, bytes: usize) {
    const FREQUENT: [u8; 16] = [
        0x48, 0x00, 0x89, 0x8b, 0x24, 0x0f, 0xe8, 0xff, 0x41, 0x4c, 0x83, 0x44, 0x85, 0xc0, 0x74,
        0x01,
    ];
    let byte = |_| match dice.once_in(3) {
        true => dice.byte(),
        false => FREQUENT[dice.below(16).min(dice.below(16))],
    };
    text.extend((0..bytes).map(byte));
}

/// Small numbers, eight bytes each.
fn table(dice: &mut Dice, text: &mut Vec<u8>, numbers: usize) {
    text.extend((0..numbers).flat_map(|_| (dice.below(1 << 20) as u64).to_le_bytes()));
}

fn names(dice: &mut Dice, text: &mut Vec<u8>, count: usize) {
    for _ in 0..count {
        text.extend((0..6 + dice.below(20)).map(|_| b'a' + dice.below(26) as u8));
        text.push(0);
    }
}

fn pad(text: &mut Vec<u8>, to: usize) {
    text.resize(text.len().next_multiple_of(to), 0);
}
