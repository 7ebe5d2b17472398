//! Spells out blocks with AVX2: groups of eight or of four bytes, each with its other form or
//! without, by an order of bytes out of a table. No branch depends on the bytes.

use bytemuck::{cast, pod_read_unaligned};

use super::avx2::{Avx2, Bytes};
use super::machine::Lane;
use super::room::WIDEST;
use super::scan::{BLOCK, Search};
use super::spell::{Forms, Part};

/// See [`Machine::spell`](super::machine::Machine::spell).
#[inline(always)]
pub(super) fn spell(machine: Avx2, search: impl Search, part: Part<'_>, place: &mut [u8]) -> usize {
    let mut groups = [0; 2 * BLOCK];
    let (mut high, mut prefixed) = (0, 0);
    for half in 0..2 {
        let at = half * Bytes::WIDTH;
        let forms = Forms::of(machine, search, part.window, part.from + at);
        let (even, odd) = forms.letter.eights(forms.prefix);
        even.store(&mut groups[2 * at..]);
        odd.store(&mut groups[2 * at + Bytes::WIDTH..]);
        high |= forms.high.bits() << at;
        prefixed |= forms.prefixed.bits() << at;
    }
    let (len, special) = (part.to - part.from, part.special >> part.from);
    if special & high == 0 {
        eights(machine, &groups, len, special, place)
    } else {
        fours(machine, &groups, len, (special & high, special & prefixed), place)
    }
}

/// A block in groups of eight: their letters, then their prefixes. See [`GROUPS`] for their order.
type Groups = [u8; 2 * BLOCK];

/// Where the eight groups of a block are: the unpacking works on the halves of a register.
const GROUPS: [usize; 8] = [0, 32, 16, 48, 64, 96, 80, 112];

/// Eight bytes at a time, each with a prefix or without: all 256 ways are in a table.
#[inline(always)]
fn eights(machine: Avx2, groups: &Groups, len: usize, special: u64, place: &mut [u8]) -> usize {
    let place = &mut place[..WIDEST];
    let mut used = 0;
    for (number, group) in GROUPS.into_iter().enumerate() {
        let ways = (special >> (8 * number)) as u8;
        let text = machine.shuffle(&groups[group..group + 16], &EIGHTS[usize::from(ways)]);
        // In range as it is: the remainder spares the check of the slice.
        let start = used % 128;
        place[start..start + 16].copy_from_slice(&text);
        used += 8 + ways.count_ones() as usize;
    }
    used - (BLOCK - len)
}

/// Four bytes at a time, each with `M-` or without, and with a prefix or without.
#[inline(always)]
fn fours(
    machine: Avx2,
    groups: &Groups,
    len: usize,
    (high, prefixed): (u64, u64),
    place: &mut [u8],
) -> usize {
    let place = &mut place[..WIDEST];
    let mut used = 0;
    for number in 0..BLOCK / 4 {
        let ways = (high >> (4 * number) & 15) << 4 | prefixed >> (4 * number) & 15;
        let at = GROUPS[number / 2] + number % 2 * 4;
        let half = |at: usize| u64::from(pod_read_unaligned::<u32>(&groups[at..at + 4]));
        let source: [u8; 16] = cast([half(at) | half(at + 8) << 32, M_AND_DASH]);
        let text = machine.shuffle(&source, &FOURS[ways as usize]);
        let start = used % (4 * BLOCK);
        place[start..start + 16].copy_from_slice(&text);
        used += usize::from(FOURS_LENGTHS[ways as usize]);
    }
    used - (BLOCK - len)
}

/// `M-`, in the lowest bytes.
const M_AND_DASH: u64 = u16::from_le_bytes(*b"M-") as u64;

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
