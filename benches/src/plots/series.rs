//! A series of cells as curves: one a contender, the quartiles as a band around it.

use svg::Document;

use crate::areas::Axis;
use crate::cells::Unit;
use crate::contenders::Role;
use crate::results::{CellResult, Results};
use crate::stats::Summary;
use crate::text;

use super::canvas::{Anchor, Canvas, Style};
use super::palette::{FAINT, GRID, INK, of_contender};
use super::scale::Scale;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = WIDTH - 150.0;
const TOP: f64 = 104.0;
const BOTTOM: f64 = HEIGHT - 64.0;

/// One contender's points: what grows, and the figures there.
struct Curve<'a> {
    name: &'a str,
    role: Role,
    points: Vec<(f64, Summary)>,
}

/// Draws `cells`, or nothing where they are too few to make a curve.
pub(super) fn draw(
    results: &Results,
    cells: &[&CellResult],
    title: &str,
    axis: Axis,
) -> Option<Document> {
    let unit = cells.first()?.unit;
    let curves = curves(cells);
    let xs = ends(curves.iter().flat_map(|curve| curve.points.iter().map(|(x, _)| *x)))?;
    let ys = ends(
        curves.iter().flat_map(|curve| curve.points.iter().flat_map(|(_, y)| [y.low, y.high])),
    )?;
    if xs.0 == xs.1 {
        return None;
    }
    let x = Scale::new(xs, (LEFT, RIGHT));
    let y = Scale::new((ys.0 / 1.3, ys.1 * 1.3), (BOTTOM, TOP));

    let what = match unit {
        Unit::BytesPerSecond => "Throughput, more is better",
        Unit::UserSecondsPerGib => "Processor time in user mode for a GiB, less is better",
        _ => "Time from start to end, less is better",
    };
    let lines = [
        &format!("{what}. Medians, with bands from quartile to quartile."),
        &*format!("{}, {}", results.machine.processor, results.machine.kernel),
    ];
    let mut canvas = Canvas::new(WIDTH, HEIGHT, title, &lines);
    draw_axes(&mut canvas, (x, y), unit, axis);
    // Ours last, so that it lies on top.
    for curve in curves.iter().rev() {
        draw_curve(&mut canvas, (x, y), unit, curve);
    }
    draw_names(&mut canvas, y, &curves);
    Some(canvas.finish())
}

fn curves<'a>(cells: &[&'a CellResult]) -> Vec<Curve<'a>> {
    let mut curves: Vec<Curve<'a>> = Vec::new();
    for cell in cells {
        let Some(point) = cell.point else { continue };
        for figures in &cell.figures {
            let Some(summary) = figures.summary() else { continue };
            match curves.iter_mut().find(|curve| curve.name == figures.name) {
                Some(curve) => curve.points.push((point.x, summary)),
                None => curves.push(Curve {
                    name: &figures.name,
                    role: figures.role,
                    points: vec![(point.x, summary)],
                }),
            }
        }
    }
    curves
}

fn ends(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    let low = values.clone().reduce(f64::min)?;
    Some((low, values.reduce(f64::max)?))
}

fn draw_axes(canvas: &mut Canvas, (x, y): (Scale, Scale), unit: Unit, axis: Axis) {
    let label = Style { size: 12.0, paint: FAINT, anchor: Anchor::End, bold: false };
    let ticks = if unit == Unit::BytesPerSecond { y.ticks(2.0, 8) } else { y.decimal_ticks(8) };
    for value in ticks {
        let at = y.at(value);
        canvas.line((LEFT, at), (RIGHT, at), GRID, 1.0);
        canvas.text((LEFT - 10.0, at + 4.0), &text::round_value(unit, value), label);
    }
    let (base, name) = match axis {
        Axis::Bytes(name) => (2.0, name),
        Axis::Count(name) => (10.0, name),
    };
    let label = Style { anchor: Anchor::Middle, ..label };
    for value in x.ticks(base, 12) {
        let words = match axis {
            Axis::Bytes(_) => text::round_value(Unit::Bytes, value),
            Axis::Count(_) => format!("{value:.0}"),
        };
        canvas.line((x.at(value), BOTTOM), (x.at(value), BOTTOM + 5.0), FAINT, 1.0);
        canvas.text((x.at(value), BOTTOM + 20.0), &words, label);
    }
    canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), FAINT, 1.0);
    let name_style = Style { size: 13.0, paint: INK, ..label };
    canvas.text(((LEFT + RIGHT) / 2.0, BOTTOM + 46.0), name, name_style);
}

fn draw_curve(canvas: &mut Canvas, (x, y): (Scale, Scale), unit: Unit, curve: &Curve<'_>) {
    let paint = of_contender(curve.name);
    let along = |value: fn(&Summary) -> f64| -> Vec<(f64, f64)> {
        curve.points.iter().map(|(at, summary)| (x.at(*at), y.at(value(summary)))).collect()
    };
    let middle = along(|summary| summary.median);
    if curve.role != Role::Variant {
        let back = along(|summary| summary.low).into_iter().rev();
        canvas.band(
            &along(|summary| summary.high).into_iter().chain(back).collect::<Vec<_>>(),
            paint,
        );
    }
    let (width, radius) = match curve.role {
        Role::Ours => (3.5, 4.5),
        Role::Variant => (1.8, 2.5),
        Role::Peer => (2.0, 3.5),
    };
    canvas.curve(&middle, paint, width, curve.role == Role::Variant);
    for (at, (_, summary)) in middle.iter().zip(&curve.points) {
        let title = format!("{}: {}", curve.name, text::value(unit, summary.median));
        canvas.dot(*at, radius, paint, &title);
    }
}

/// Names at the right ends of the curves, moved apart where they would touch.
fn draw_names(canvas: &mut Canvas, y: Scale, curves: &[Curve<'_>]) {
    const APART: f64 = 17.0;
    let mut names: Vec<(f64, &Curve<'_>)> = curves
        .iter()
        .filter_map(|curve| Some((y.at(curve.points.last()?.1.median), curve)))
        .collect();
    names.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    // Down from the top first, then up again from the bottom.
    for index in 1..names.len() {
        names[index].0 = names[index].0.max(names[index - 1].0 + APART);
    }
    let mut lowest = BOTTOM;
    for (at, _) in names.iter_mut().rev() {
        *at = at.min(lowest);
        lowest = *at - APART;
    }
    for (at, curve) in names {
        let style = Style {
            size: 13.0,
            paint: of_contender(curve.name),
            anchor: Anchor::Start,
            bold: curve.role == Role::Ours,
        };
        canvas.text((RIGHT + 14.0, at + 4.5), curve.name, style);
    }
}
