//! Formatting at a glance: a row a text, a column an option, in each field how many times as fast
//! as the best peer ours is.

use svg::Document;

use crate::cells::{FORMAT_OPTIONS, FORMAT_PREFIX};
use crate::results::{CellResult, Results, Standing};
use crate::stats::Summary;
use crate::text;
use crate::texts::{Kind, USUAL, WORST};

use super::canvas::{Anchor, Canvas, Style};
use super::palette::{FAINT, GROUNDS, INK, Paint};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 270.0;
const TOP: f64 = 118.0;
const ROW: f64 = 30.0;
const COLUMN: f64 = (WIDTH - LEFT - 24.0) / FORMAT_OPTIONS.len() as f64;

/// From which advantage on each ground begins, but the first two: behind and level.
const STEPS: [f64; 4] = [0.0, 2.0, 4.0, 8.0];

/// Draws `results`, or nothing where no formatting was measured.
pub(super) fn draw(results: &Results, title: &str) -> Option<Document> {
    let kinds: Vec<&Kind> = USUAL.iter().chain(&WORST).collect();
    let cells = |kind: &Kind| -> Vec<(usize, &CellResult, Summary)> {
        let found = FORMAT_OPTIONS.iter().enumerate().filter_map(|(column, option)| {
            let id = format!("{FORMAT_PREFIX}{}/{option}", kind.name);
            let cell = results.cells.iter().find(|cell| cell.id == id)?;
            Some((column, cell, cell.best_peer()?.1))
        });
        found.collect()
    };
    let rows: Vec<_> = kinds.into_iter().map(|kind| (kind, cells(kind))).collect();
    let rows: Vec<_> = rows.into_iter().filter(|(_, cells)| !cells.is_empty()).collect();
    if rows.is_empty() {
        return None;
    }
    let height = TOP + rows.len() as f64 * ROW + 24.0;
    let lines = [
        "Processor time in user mode; how many times as much the best peer of each field takes.",
        "Red: ours takes more, beyond the noise. Grey: level.",
    ];
    let mut canvas = Canvas::new(WIDTH, height, title, &lines);
    let label = Style { size: 13.0, paint: FAINT, anchor: Anchor::Middle, bold: true };
    for (column, option) in FORMAT_OPTIONS.iter().enumerate() {
        canvas.text((middle(column), TOP - 10.0), option, label);
    }
    for (number, (kind, cells)) in rows.iter().enumerate() {
        let top = TOP + number as f64 * ROW;
        let name = Style { paint: INK, anchor: Anchor::End, bold: false, ..label };
        canvas.text((LEFT - 14.0, top + ROW / 2.0 + 4.5), kind.title, name);
        for (column, cell, advantage) in cells {
            draw_field(&mut canvas, (*column, top), cell, advantage);
        }
    }
    Some(canvas.finish())
}

fn middle(column: usize) -> f64 {
    LEFT + (column as f64 + 0.5) * COLUMN
}

fn draw_field(
    canvas: &mut Canvas,
    (column, top): (usize, f64),
    cell: &CellResult,
    advantage: &Summary,
) {
    let left = LEFT + column as f64 * COLUMN;
    canvas.rectangle((left + 1.5, top + 1.5), (COLUMN - 3.0, ROW - 3.0), ground(advantage), 4.0);
    let star = if cell.is_noisy() { "~" } else { "" };
    let words = format!("{star}{}", text::digits(advantage.median));
    let style = Style { size: 13.0, paint: INK, anchor: Anchor::Middle, bold: false };
    canvas.text((middle(column), top + ROW / 2.0 + 4.5), &words, style);
}

fn ground(advantage: &Summary) -> Paint {
    match Standing::of(advantage) {
        Standing::Behind => GROUNDS[0],
        Standing::Level => GROUNDS[1],
        Standing::Ahead => {
            let step = STEPS.iter().filter(|step| advantage.median >= **step).count();
            GROUNDS[1 + step]
        }
    }
}
