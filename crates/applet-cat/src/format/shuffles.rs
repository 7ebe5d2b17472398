//! The orders of bytes by which `avx2` spells out groups of bytes, worked out by the compiler.

type Order = [u8; 16];

/// For eight bytes, by which of them have a prefix. The source has the letters in its first half and
/// their prefixes in its second.
pub(super) static EIGHTS: [Order; 256] = {
    let mut orders = [[0; 16]; 256];
    let mut ways = 0;
    while ways < 256 {
        let (mut byte, mut at) = (0, 0);
        while byte < 8 {
            if ways >> byte & 1 != 0 {
                orders[ways][at] = 8 + byte;
                at += 1;
            }
            orders[ways][at] = byte;
            at += 1;
            byte += 1;
        }
        ways += 1;
    }
    orders
};

/// For four bytes, by which of them come after `M-` (high half of the number) and which have a
/// prefix (low half). The source has four letters, their prefixes, and `M-`.
pub(super) static FOURS: [Order; 256] = FOURS_AND_LENGTHS.0;

/// How long each of these texts is.
pub(super) static FOURS_LENGTHS: [u8; 256] = FOURS_AND_LENGTHS.1;

const FOURS_AND_LENGTHS: ([Order; 256], [u8; 256]) = {
    let (mut orders, mut lengths) = ([[0; 16]; 256], [0; 256]);
    let mut ways = 0;
    while ways < 256 {
        let (mut byte, mut at) = (0, 0);
        while byte < 4 {
            if ways >> (4 + byte) & 1 != 0 {
                (orders[ways][at], orders[ways][at + 1]) = (8, 9);
                at += 2;
            }
            if ways >> byte & 1 != 0 {
                orders[ways][at] = 4 + byte;
                at += 1;
            }
            orders[ways][at] = byte;
            at += 1;
            byte += 1;
        }
        lengths[ways] = at as u8;
        ways += 1;
    }
    (orders, lengths)
};
