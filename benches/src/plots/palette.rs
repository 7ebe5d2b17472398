//! The colours that all pictures share, each in two shades: one for pages that are light, one for
//! pages that are dark. A picture has both, and the viewer's page chooses.

use crate::results::Standing;

/// A colour by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paint {
    /// The class of shapes that have it.
    pub(super) class: &'static str,
    /// On light pages, and wherever style sheets mean nothing.
    pub(super) light: &'static str,
    dark: &'static str,
}

const fn paint(class: &'static str, light: &'static str, dark: &'static str) -> Paint {
    Paint { class, light, dark }
}

pub(super) const CARD: Paint = paint("card", "#ffffff", "#161b22");
pub(super) const INK: Paint = paint("ink", "#1f2933", "#e6edf3");
pub(super) const FAINT: Paint = paint("faint", "#5b6675", "#9aa7b4");
pub(super) const GRID: Paint = paint("grid", "#e4e7eb", "#2d343d");
pub(super) const BAR: Paint = paint("bar", "#c3fae8", "#0b4a39");

const AHEAD: Paint = paint("ahead", "#099268", "#38d9a9");
const LEVEL: Paint = paint("level", "#98a2b3", "#8b98a8");
const BEHIND: Paint = paint("behind", "#e03131", "#ff8787");

/// Grounds for numbers, from behind to far ahead.
pub(super) const GROUNDS: [Paint; 6] = [
    paint("g0", "#ffc9c9", "#7a2222"),
    paint("g1", "#e9ecef", "#343b45"),
    paint("g2", "#e6fcf5", "#12332a"),
    paint("g3", "#c3fae8", "#0f4535"),
    paint("g4", "#96f2d7", "#0e5842"),
    paint("g5", "#63e6be", "#0c6f52"),
];

const OURS: Paint = paint("ours", "#099268", "#38d9a9");
const KNOWN: [(&str, Paint); 6] = [
    ("GNU", paint("gnu", "#1971c2", "#74c0fc")),
    ("busybox", paint("busybox", "#d9740b", "#ffb454")),
    ("toybox", paint("toybox", "#a61e4d", "#f783ac")),
    ("uutils", paint("uutils", "#6741d9", "#b197fc")),
    ("pv", paint("pv", "#6c757d", "#adb5bd")),
    ("std::io::copy", paint("std", "#846358", "#d0b3a6")),
];
const MORE: [Paint; 3] = [
    paint("more0", "#0b7285", "#66d9e8"),
    paint("more1", "#5c940d", "#a9e34b"),
    paint("more2", "#862e9c", "#e599f7"),
];

/// A contender's colour, the same in all pictures.
pub(super) fn of_contender(name: &str) -> Paint {
    if name.starts_with("ours") {
        return OURS;
    }
    let known = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, paint)| *paint);
    known.unwrap_or_else(|| MORE[name.bytes().map(usize::from).sum::<usize>() % MORE.len()])
}

/// The colour of how ours stands.
pub(super) fn of_standing(standing: Standing) -> Paint {
    match standing {
        Standing::Ahead => AHEAD,
        Standing::Level => LEVEL,
        Standing::Behind => BEHIND,
    }
}

/// What makes a picture dark on a dark page.
pub(super) fn style_sheet() -> String {
    let single = [CARD, INK, FAINT, GRID, BAR, AHEAD, LEVEL, BEHIND, OURS];
    let known = KNOWN.iter().map(|(_, paint)| *paint);
    let all = single.into_iter().chain(GROUNDS).chain(known).chain(MORE);
    let rules: String = all
        .map(|Paint { class, dark, .. }| {
            format!(".f-{class}{{fill:{dark}}}.s-{class}{{stroke:{dark}}}")
        })
        .collect();
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}
