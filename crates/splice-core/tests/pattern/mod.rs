//! Patterns, and readers that hold what arrives against them.

use std::io::Read;

/// `len` bytes, the last a newline, of which no part is like the next: a slip shows at once.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..len).map(|i| b'!' + u8::try_from((i * 31 + i / 89) % 90).unwrap()).collect();
    bytes[len - 1] = b'\n';
    bytes
}

/// What should come next of a pattern that is repeated for ever.
pub(crate) struct Expected {
    /// The pattern, several times where it is short, so that comparing is fast.
    patterns: Vec<u8>,
    seen: usize,
}

impl Expected {
    pub(crate) fn of(pattern: &[u8]) -> Expected {
        Expected { patterns: pattern.repeat((1 << 16) / pattern.len() + 1), seen: 0 }
    }

    /// Checks the next bytes, wherever they were cut.
    #[track_caller]
    pub(crate) fn next(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let rest = &self.patterns[self.seen % self.patterns.len()..];
            let len = rest.len().min(bytes.len());
            if bytes[..len] != rest[..len] {
                let at = bytes.iter().zip(rest).take_while(|(got, want)| got == want).count();
                panic!("byte {} is not what it should be", self.seen + at);
            }
            self.seen += len;
            bytes = &bytes[len..];
        }
    }

    /// Checks all of `input` in reads of `chunk` bytes, and returns how many bytes came.
    #[track_caller]
    pub(crate) fn all(mut self, input: &mut impl Read, chunk: usize) -> u64 {
        let mut buffer = vec![0; chunk];
        loop {
            match input.read(&mut buffer).unwrap() {
                0 => return self.seen as u64,
                len => self.next(&buffer[..len]),
            }
        }
    }
}
