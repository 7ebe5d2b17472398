//! The line number as text, which is counted up where it stands.
//!
//! All but the last two digits change once in a hundred lines, so they are kept as text that is
//! copied as a whole, and the last two come ready-made from a table: no division, and nothing that
//! one line would have to wait for the line before it.

/// Digits that are kept apart from the last two. Eighteen digits in all: a thousand million lines
/// a second would take thirty years to get there.
const HEAD: usize = 16;

/// The last two digits and the tab; the fourth byte is there to make a word of it.
type Tails = [[u8; 4]; 100];

/// Below 100 a leading zero is a space.
static FIRST_TAILS: Tails = tails(b' ');
static TAILS: Tails = tails(b'0');

const fn tails(leading: u8) -> Tails {
    let mut tails = [[0, 0, b'\t', 0]; 100];
    let mut i = 0;
    while i < 100 {
        tails[i][0] = if i < 10 { leading } else { b'0' + (i / 10) as u8 };
        tails[i][1] = b'0' + (i % 10) as u8;
        i += 1;
    }
    tails
}

/// The number of the next line, as `%6d` and a tab would print it.
pub(super) struct LineNumber {
    head: [u8; HEAD],
    head_len: usize,
    tails: &'static Tails,
    tail: usize,
}

impl LineNumber {
    /// The most bytes that [`put`](Self::put) touches.
    pub(super) const MOST: usize = HEAD + size_of::<[u8; 4]>();

    pub(super) fn first() -> LineNumber {
        LineNumber { head: [b' '; HEAD], head_len: 4, tails: &FIRST_TAILS, tail: 1 }
    }

    /// Puts the number's text at the start of `out` and goes on to the next number. Returns the
    /// length of the text; what lies behind it, up to [`MOST`](Self::MOST), is overwritten too.
    #[inline(always)]
    pub(super) fn put(&mut self, out: &mut [u8; Self::MOST]) -> usize {
        let len = self.head_len.min(HEAD);
        out[..HEAD].copy_from_slice(&self.head);
        out[len..len + 4].copy_from_slice(&self.tails[self.tail]);
        self.tail += 1;
        if self.tail == self.tails.len() {
            self.carry();
        }
        len + 3
    }

    #[cold]
    #[inline(never)]
    fn carry(&mut self) {
        self.tail = 0;
        self.tails = &TAILS;
        for digit in self.head[..self.head_len].iter_mut().rev() {
            match *digit {
                b'9' => *digit = b'0',
                b' ' => return *digit = b'1',
                _ => return *digit += 1,
            }
        }
        if self.head_len < HEAD {
            self.head.copy_within(..self.head_len, 1);
            self.head[0] = b'1';
            self.head_len += 1;
        }
    }
}
