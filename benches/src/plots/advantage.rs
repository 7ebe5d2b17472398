//! The picture that says it all: every cell a dot, by how many times ours is better than the best
//! peer in it; a bar an area, up to the median of its cells.

use svg::Document;

use crate::areas::{AREAS, Area};
use crate::results::{Results, Standing};
use crate::stats::Summary;
use crate::text;

use super::canvas::{Anchor, Canvas, Style};
use super::palette::{BAR, FAINT, GRID, INK, of_standing};
use super::scale::Scale;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 290.0;
const RIGHT: f64 = WIDTH - 90.0;
const TOP: f64 = 112.0;
const ROW: f64 = 34.0;

/// An area's cells: name, advantage over the best peer and who that is.
struct Row<'a> {
    area: &'a Area,
    cells: Vec<(&'a str, &'a str, Summary)>,
}

/// Draws `results`, or nothing where ours and a peer share no cell.
pub(super) fn draw(results: &Results, title: &str) -> Option<Document> {
    let rows: Vec<Row<'_>> = AREAS
        .iter()
        .map(|area| Row {
            area,
            cells: area
                .cells(results)
                .into_iter()
                .filter_map(|cell| {
                    let (peer, advantage) = cell.best_peer()?;
                    Some((cell.id.as_str(), peer.name.as_str(), advantage))
                })
                .collect(),
        })
        .filter(|row| !row.cells.is_empty())
        .collect();
    let all = || rows.iter().flat_map(|row| row.cells.iter().map(|(.., it)| it.median));
    let low = all().reduce(f64::min)?.min(0.8);
    let high = all().reduce(f64::max)?.max(2.5);
    let x = Scale::new((low / 1.05, high * 1.05), (LEFT, RIGHT));
    let bottom = TOP + rows.len() as f64 * ROW;

    let machine = &results.machine;
    let lines = [
        "Each dot is one cell against the best of all peers in it, each bar the median of an area; right of 1× ours is better.",
        &format!("{}, {} cores, {}", machine.processor, machine.cores, machine.kernel),
    ];
    let mut canvas = Canvas::new(WIDTH, bottom + 56.0, title, &lines);
    draw_axis(&mut canvas, x, bottom);
    for (number, row) in rows.iter().enumerate() {
        draw_row(&mut canvas, x, TOP + (number as f64 + 0.5) * ROW, row);
    }
    canvas.line((x.at(1.0), TOP - 6.0), (x.at(1.0), bottom), INK, 1.5);
    Some(canvas.finish())
}

fn draw_axis(canvas: &mut Canvas, x: Scale, bottom: f64) {
    let label = Style { size: 12.0, paint: FAINT, anchor: Anchor::Middle, bold: false };
    for value in x.ticks(2.0, 12) {
        canvas.line((x.at(value), TOP - 6.0), (x.at(value), bottom), GRID, 1.0);
        let words = format!("{}×", text::short(value));
        canvas.text((x.at(value), bottom + 18.0), &words, label);
    }
    let legend = [
        (Standing::Ahead, "ahead"),
        (Standing::Level, "level, within the noise"),
        (Standing::Behind, "behind"),
    ];
    let mut at = LEFT;
    for (standing, words) in legend {
        canvas.dot((at, bottom + 38.0), 4.5, of_standing(standing), words);
        let style = Style { anchor: Anchor::Start, ..label };
        canvas.text((at + 10.0, bottom + 42.0), words, style);
        at += 40.0 + 6.6 * words.len() as f64;
    }
}

fn draw_row(canvas: &mut Canvas, x: Scale, middle: f64, row: &Row<'_>) {
    let label = Style { size: 13.0, paint: INK, anchor: Anchor::End, bold: false };
    canvas.text((LEFT - 14.0, middle + 4.5), row.area.title, label);
    let medians: Vec<f64> = row.cells.iter().map(|(.., it)| it.median).collect();
    let Some(median) = Summary::of(&medians).map(|summary| summary.median) else { return };
    let (from, to) = (x.at(median.min(1.0)), x.at(median.max(1.0)));
    canvas.rectangle((from, middle - 10.0), (to - from, 20.0), BAR, 2.0);
    for (cell, peer, advantage) in &row.cells {
        let paint = of_standing(Standing::of(advantage));
        let title = format!("{cell}: {}× {peer}", text::digits(advantage.median));
        canvas.dot((x.at(advantage.median), middle), 4.5, paint, &title);
    }
    let style = Style { anchor: Anchor::Start, bold: true, ..label };
    canvas.text((RIGHT + 14.0, middle + 4.5), &format!("{}×", text::digits(median)), style);
}
