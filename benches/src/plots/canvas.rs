//! A page to draw on: the shapes that all pictures share.

use svg::Document;
use svg::node::element::{
    Circle, Line, Polygon, Polyline, Rectangle, Style as StyleSheet, Text, Title,
};

use super::palette::{self, CARD, FAINT, INK, Paint};

const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/// The margin at the left of every heading.
const MARGIN: f64 = 24.0;

/// Which way a text runs from its point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) size: f64,
    pub(super) paint: Paint,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
}

/// A page of some size, with a title.
pub(super) struct Canvas(Document);

impl Canvas {
    /// An empty page: a card, so that it is legible on a page of any colour.
    pub(super) fn new(width: f64, height: f64, title: &str, lines: &[&str]) -> Canvas {
        let document = Document::new()
            .set("viewBox", (0.0, 0.0, width, height))
            .set("width", width)
            .set("height", height)
            .set("role", "img")
            .set("font-family", FONT);
        let mut canvas = Canvas(document);
        canvas.add(Title::new(title));
        canvas.add(StyleSheet::new(palette::style_sheet()));
        canvas.rectangle((0.0, 0.0), (width, height), CARD, 8.0);
        let heading = Style { size: 20.0, paint: INK, anchor: Anchor::Start, bold: true };
        canvas.text((MARGIN, 36.0), title, heading);
        let small = Style { size: 13.0, paint: FAINT, bold: false, ..heading };
        for (number, line) in lines.iter().enumerate() {
            canvas.text((MARGIN, 58.0 + 18.0 * number as f64), line, small);
        }
        canvas
    }

    pub(super) fn rectangle(
        &mut self,
        at: (f64, f64),
        size: (f64, f64),
        paint: Paint,
        radius: f64,
    ) {
        let shape = Rectangle::new().set("x", round(at.0)).set("y", round(at.1));
        let shape = shape.set("width", round(size.0)).set("height", round(size.1));
        let shape = shape.set("rx", radius).set("fill", paint.light);
        self.add(shape.set("class", fill(paint)));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: Paint, width: f64) {
        let shape = Line::new().set("x1", round(from.0)).set("y1", round(from.1));
        let shape = shape.set("x2", round(to.0)).set("y2", round(to.1));
        let shape = shape.set("stroke", paint.light).set("stroke-width", width);
        self.add(shape.set("class", stroke(paint)));
    }

    pub(super) fn curve(&mut self, points: &[(f64, f64)], paint: Paint, width: f64, dashed: bool) {
        let shape = Polyline::new().set("points", list(points)).set("fill", "none");
        let shape = shape.set("stroke", paint.light).set("stroke-width", width);
        let shape = shape.set("stroke-linejoin", "round").set("stroke-linecap", "round");
        let shape = shape.set("class", stroke(paint));
        self.add(if dashed { shape.set("stroke-dasharray", "2 6") } else { shape });
    }

    pub(super) fn band(&mut self, points: &[(f64, f64)], paint: Paint) {
        let shape = Polygon::new().set("points", list(points)).set("fill", paint.light);
        self.add(shape.set("fill-opacity", 0.15).set("class", fill(paint)));
    }

    /// A dot, which says `title` when pointed at.
    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, paint: Paint, title: &str) {
        let shape = Circle::new().set("cx", round(at.0)).set("cy", round(at.1)).set("r", radius);
        let shape = shape.set("fill", paint.light).set("stroke", CARD.light).set("stroke-width", 1);
        let shape = shape.set("class", format!("{} {}", fill(paint), stroke(CARD)));
        self.add(shape.add(Title::new(title)));
    }

    pub(super) fn text(&mut self, at: (f64, f64), words: &str, style: Style) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let shape = Text::new(words).set("x", round(at.0)).set("y", round(at.1));
        let shape = shape.set("font-size", style.size).set("fill", style.paint.light);
        let shape = shape.set("text-anchor", anchor).set("class", fill(style.paint));
        self.add(if style.bold { shape.set("font-weight", 600) } else { shape });
    }

    pub(super) fn finish(self) -> Document {
        self.0
    }

    fn add(&mut self, shape: impl Into<Box<dyn svg::Node>>) {
        svg::Node::append(&mut self.0, shape);
    }
}

fn fill(paint: Paint) -> String {
    format!("f-{}", paint.class)
}

fn stroke(paint: Paint) -> String {
    format!("s-{}", paint.class)
}

fn list(points: &[(f64, f64)]) -> String {
    let pair = |(x, y): &(f64, f64)| format!("{},{}", round(*x), round(*y));
    points.iter().map(pair).collect::<Vec<_>>().join(" ")
}

/// A tenth of a pixel is enough, and keeps the files small.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
