//! What a byte looks like when it is made visible: the words `-v`, `-T` and `-E` put in its place.

use super::Format;
use super::room::Room;
use super::scan::BLOCK;

/// For every byte the word that is shown for it: at most four bytes, first byte lowest, and above
/// them the word's length.
pub(super) struct Visible([u64; 256]);

impl Visible {
    /// A byte that `format` leaves alone stands for itself. With `-E` a carriage return is `^M`:
    /// the caller knows which of them to ask for.
    pub(super) fn new(format: Format) -> Visible {
        let mut words = [0; 256];
        for (byte, word) in (0..=u8::MAX).zip(&mut words) {
            let low = byte & 0x7f;
            // A control byte, or DEL, is shown as the caret and the letter 64 away.
            let letter = low ^ 0x40;
            let control = low < b' ' || low == 0x7f;
            *word = match byte {
                b'\n' if format.show_ends => pack(b"$\n"),
                b'\t' if format.show_tabs => pack(b"^I"),
                b'\r' if format.show_ends => pack(b"^M"),
                b'\n' | b'\t' => pack(&[byte]),
                _ if !format.show_nonprinting => pack(&[byte]),
                128.. if control => pack(&[b'M', b'-', b'^', letter]),
                128.. => pack(&[b'M', b'-', low]),
                _ if control => pack(&[b'^', letter]),
                _ => pack(&[byte]),
            };
        }
        Visible(words)
    }

    /// Puts down the word for `byte`.
    #[inline(always)]
    pub(super) fn put(&self, byte: u8, room: &mut Room<'_>) {
        let (text, len) = unpack(self.0[usize::from(byte)]);
        room.put(&text, len);
    }

    /// Puts down the words for all of `bytes`, no more than a block: without a branch, for
    /// where most bytes have a word and none can be guessed.
    #[inline(always)]
    pub(super) fn put_all(&self, bytes: &[u8], room: &mut Room<'_>) {
        room.fill::<{ Self::MOST }>(|place| self.spell(bytes, place));
    }

    /// Once, not in every walk; and with the room's place alone as argument, so that the walk can
    /// keep the rest of the room in registers.
    #[inline(never)]
    fn spell(&self, bytes: &[u8], place: &mut [u8]) -> usize {
        let place = &mut place[..Self::MOST];
        let mut at = 0;
        for &byte in bytes {
            let (text, len) = unpack(self.0[usize::from(byte)]);
            // In range as it is: the remainder spares the check of the slice below.
            let start = at % (4 * BLOCK);
            place[start..start + 4].copy_from_slice(&text);
            at += len;
        }
        at
    }

    /// The most bytes that [`put_all`](Self::put_all) touches.
    pub(super) const MOST: usize = 4 * BLOCK + 4;
}

fn pack(word: &[u8]) -> u64 {
    let text = word.iter().rev().fold(0, |text, byte| text << 8 | u64::from(*byte));
    text | (word.len() as u64) << 32
}

#[inline(always)]
fn unpack(word: u64) -> ([u8; 4], usize) {
    ((word as u32).to_le_bytes(), (word >> 32) as usize)
}
