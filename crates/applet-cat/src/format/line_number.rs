//! The line number as text, which is counted up where it stands.
//!
//! All but the last two digits change once in a hundred lines, so they are kept as text that is
//! copied as a whole, and the last two come ready-made from a table: no division, and nothing in
//! one line that has to wait for the line before.

use super::room::Room;

/// Digits that are kept apart from the last two: eighteen digits in all. At a thousand million
/// lines a second they last for thirty years.
const HEAD: usize = 16;

/// The last two digits and a tab, from 0 to 99. The fourth byte makes a word of them.
type Tails = [[u8; 4]; 100];

/// Below 100 there is a space where a leading zero would be.
static FIRST_TAILS: Tails = tails(b' ');
static TAILS: Tails = tails(b'0');

const fn tails(leading: u8) -> Tails {
    let mut tails = [[0, 0, b'\t', 0]; 100];
    let mut i = 0;
    while i < tails.len() {
        tails[i][0] = if i < 10 { leading } else { b'0' + (i / 10) as u8 };
        tails[i][1] = b'0' + (i % 10) as u8;
        i += 1;
    }
    tails
}

/// The number of the next line, as `%6d` and a tab.
pub(super) struct LineNumber {
    head: [u8; HEAD],
    head_len: usize,
    tails: &'static Tails,
    tail: usize,
}

impl LineNumber {
    /// The longest text there is.
    pub(super) const LONGEST: usize = HEAD + 3;

    pub(super) fn first() -> LineNumber {
        LineNumber { head: [b' '; HEAD], head_len: 4, tails: &FIRST_TAILS, tail: 1 }
    }

    /// Puts down the number and goes on to the next.
    #[inline(always)]
    pub(super) fn put(&mut self, room: &mut Room<'_>) {
        room.put(&self.head, self.head_len);
        room.put(&self.tails[self.tail], 3);
        self.tail += 1;
        if self.tail == self.tails.len() {
            self.carry();
        }
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

#[cfg(test)]
mod tests {
    use super::super::room::MOST_A_BLOCK;
    use super::*;

    fn next(number: &mut LineNumber) -> String {
        let mut bytes = [b'#'; MOST_A_BLOCK];
        let mut room = Room::new(&mut bytes);
        number.put(&mut room);
        let used = room.used();
        String::from_utf8_lossy(&bytes[..used]).into_owned()
    }

    #[test]
    fn counts_as_printf_does() {
        let mut number = LineNumber::first();
        for expected in 1..=1_234_567 {
            assert_eq!(next(&mut number), format!("{expected:6}\t"));
        }
    }

    #[test]
    fn grows_digit_by_digit_to_eighteen() {
        for digits in 3..=18 {
            let nines = "9".repeat(digits);
            let text = format!("{nines:>6}");
            let (head, _) = text.split_at(text.len() - 2);
            let mut number = LineNumber::first();
            number.head[..head.len()].copy_from_slice(head.as_bytes());
            (number.head_len, number.tails, number.tail) = (head.len(), &TAILS, 99);
            assert_eq!(next(&mut number), format!("{text}\t"));
            if digits < 18 {
                assert_eq!(
                    next(&mut number),
                    format!("{:>6}\t", format!("1{}", "0".repeat(digits)))
                );
            }
        }
    }
}
