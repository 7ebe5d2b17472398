//! What a byte looks like when it is made visible: the words `-v`, `-T` and `-E` put in its place.

use super::Format;
use super::room::{Room, WIDEST};
use super::scan::BLOCK;

/// For every byte the word that is shown for it.
pub(super) struct Visible([Word; 256]);

/// At most four bytes.
#[derive(Clone, Copy)]
struct Word {
    /// First byte lowest.
    text: u32,
    len: u32,
    /// What moves a text behind this one if it is multiplied by it: a shift by a number that is
    /// not known beforehand costs more.
    scale: u64,
}

impl Word {
    fn new(text: &[u8]) -> Word {
        let len = text.len() as u32;
        let text = text.iter().rev().fold(0, |text, byte| text << 8 | u32::from(*byte));
        Word { text, len, scale: 1 << (8 * len) }
    }
}

impl Visible {
    /// A byte that `format` leaves alone stands for itself. With `-E` a carriage return is `^M`:
    /// the caller knows which of them to ask for.
    pub(super) fn new(format: Format) -> Visible {
        let mut words = [Word::new(b""); 256];
        for (byte, word) in (0..=u8::MAX).zip(&mut words) {
            let low = byte & 0x7f;
            // A control byte, or DEL, is shown as the caret and the letter 64 away.
            let letter = low ^ 0x40;
            let control = low < b' ' || low == 0x7f;
            *word = match byte {
                b'\n' if format.show_ends => Word::new(b"$\n"),
                b'\t' if format.show_tabs => Word::new(b"^I"),
                b'\r' if format.show_ends => Word::new(b"^M"),
                b'\n' | b'\t' => Word::new(&[byte]),
                _ if !format.show_nonprinting => Word::new(&[byte]),
                128.. if control => Word::new(&[b'M', b'-', b'^', letter]),
                128.. => Word::new(&[b'M', b'-', low]),
                _ if control => Word::new(&[b'^', letter]),
                _ => Word::new(&[byte]),
            };
        }
        Visible(words)
    }

    /// Puts down the word for `byte`.
    #[inline(always)]
    pub(super) fn put(&self, byte: u8, room: &mut Room<'_>) {
        let word = self.0[usize::from(byte)];
        room.put(&word.text.to_le_bytes(), word.len as usize);
    }

    /// Puts down the words for all of `bytes`, no more than a block, and returns how long they are:
    /// without a branch, for where most bytes have a word and none can be guessed.
    ///
    /// Two bytes at a time, which halves the stores. A function of its own, that gets no more of
    /// the room than a place in it: so that there is one of it, and so that the walks can keep the
    /// rest of the room in registers.
    #[inline(never)]
    pub(super) fn spell(&self, bytes: &[u8], place: &mut [u8]) -> usize {
        let place = &mut place[..WIDEST];
        let (pairs, last) = bytes.as_chunks();
        let mut at = 0;
        let mut put = |text: u64, len: u32| {
            // In range as it is: the remainder spares the check of the slice.
            let start = at % (4 * BLOCK);
            place[start..start + 8].copy_from_slice(&text.to_le_bytes());
            at += len as usize;
        };
        for [first, second] in pairs {
            let (first, second) = (self.0[usize::from(*first)], self.0[usize::from(*second)]);
            let text = u64::from(first.text) | u64::from(second.text).wrapping_mul(first.scale);
            put(text, first.len + second.len);
        }
        for byte in last {
            let word = self.0[usize::from(*byte)];
            put(u64::from(word.text), word.len);
        }
        at
    }
}
