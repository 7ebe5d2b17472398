//! What a byte looks like when it is made visible: the words `-v`, `-T` and `-E` put in its place.

/// For every byte its replacement, at most four bytes, and the replacement's length.
pub(super) struct Visible([(u32, u32); 256]);

impl Visible {
    /// The words for a set of options. A byte that stays as it is stands for itself. A carriage
    /// return is always `^M` here: the caller knows which of them to ask for.
    pub(super) fn new(format: super::Format) -> Visible {
        let mut words = [(0, 0); 256];
        for (byte, word) in (0..=u8::MAX).zip(&mut words) {
            let mut text = [0; 4];
            let len = match byte {
                b'\n' if format.show_ends => set(&mut text, b"$\n"),
                b'\n' => set(&mut text, b"\n"),
                b'\t' if format.show_tabs => set(&mut text, b"^I"),
                b'\t' => set(&mut text, b"\t"),
                b'\r' => set(&mut text, b"^M"),
                _ if format.show_nonprinting => nonprinting(&mut text, byte),
                _ => set(&mut text, &[byte]),
            };
            *word = (u32::from_le_bytes(text), len);
        }
        Visible(words)
    }

    /// Puts the word for `byte` at the start of `out` and returns its length; all four bytes are
    /// overwritten.
    #[inline(always)]
    pub(super) fn put(&self, byte: u8, out: &mut [u8; 4]) -> usize {
        let (text, len) = self.0[usize::from(byte)];
        *out = text.to_le_bytes();
        len as usize
    }
}

fn set(text: &mut [u8; 4], word: &[u8]) -> u32 {
    text[..word.len()].copy_from_slice(word);
    word.len() as u32
}

fn nonprinting(text: &mut [u8; 4], byte: u8) -> u32 {
    let low = byte & 0x7f;
    let caret = [b'^', low ^ 0x40];
    match (byte < 0x80, low < 0x20 || low == 0x7f) {
        (true, true) => set(text, &caret),
        (true, false) => set(text, &[byte]),
        (false, true) => set(text, &[b'M', b'-', caret[0], caret[1]]),
        (false, false) => set(text, &[b'M', b'-', low]),
    }
}
