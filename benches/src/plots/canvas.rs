//! A page to draw on: the shapes and the colours that all pictures share.

use svg::Document;
use svg::node::element::{Circle, Line, Polygon, Polyline, Rectangle, Text};

const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

pub(super) const INK: &str = "#1f2933";
pub(super) const FAINT: &str = "#697586";
pub(super) const GRID: &str = "#e4e7eb";

/// Which way a text runs from its point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style<'a> {
    pub(super) size: f64,
    pub(super) color: &'a str,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
}

/// A page of some size, with a title.
pub(super) struct Canvas(Document);

impl Canvas {
    /// An empty page.
    pub(super) fn new(width: f64, height: f64, title: &str, subtitle: &str) -> Canvas {
        let document = Document::new()
            .set("viewBox", (0.0, 0.0, width, height))
            .set("width", width)
            .set("height", height)
            .set("font-family", FONT);
        let mut canvas = Canvas(document);
        canvas.rectangle((0.0, 0.0), (width, height), "#ffffff", 8.0);
        let heading = Style { size: 20.0, color: INK, anchor: Anchor::Start, bold: true };
        canvas.text((24.0, 36.0), title, heading);
        canvas.text(
            (24.0, 58.0),
            subtitle,
            Style { size: 13.0, color: FAINT, bold: false, ..heading },
        );
        canvas
    }

    pub(super) fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), color: &str, radius: f64) {
        let shape = Rectangle::new().set("x", round(at.0)).set("y", round(at.1));
        let shape = shape.set("width", round(size.0)).set("height", round(size.1));
        self.add(shape.set("rx", radius).set("fill", color));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
        let shape = Line::new().set("x1", round(from.0)).set("y1", round(from.1));
        let shape = shape.set("x2", round(to.0)).set("y2", round(to.1));
        self.add(shape.set("stroke", color).set("stroke-width", width));
    }

    pub(super) fn curve(&mut self, points: &[(f64, f64)], color: &str, width: f64, dashed: bool) {
        let shape = Polyline::new().set("points", list(points)).set("fill", "none");
        let shape = shape.set("stroke", color).set("stroke-width", width);
        let shape = shape.set("stroke-linejoin", "round").set("stroke-linecap", "round");
        self.add(if dashed { shape.set("stroke-dasharray", "2 6") } else { shape });
    }

    pub(super) fn band(&mut self, points: &[(f64, f64)], color: &str) {
        let shape = Polygon::new().set("points", list(points));
        self.add(shape.set("fill", color).set("fill-opacity", 0.13));
    }

    /// A dot, which says `title` when pointed at.
    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, color: &str, title: &str) {
        let shape = Circle::new().set("cx", round(at.0)).set("cy", round(at.1)).set("r", radius);
        let shape = shape.set("fill", color).set("stroke", "#ffffff").set("stroke-width", 1);
        self.add(shape.add(svg::node::element::Title::new(title)));
    }

    pub(super) fn text(&mut self, at: (f64, f64), words: &str, style: Style<'_>) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let shape = Text::new(words).set("x", round(at.0)).set("y", round(at.1));
        let shape = shape.set("font-size", style.size).set("fill", style.color);
        let shape = shape.set("text-anchor", anchor);
        self.add(if style.bold { shape.set("font-weight", 600) } else { shape });
    }

    pub(super) fn finish(self) -> Document {
        self.0
    }

    fn add(&mut self, shape: impl Into<Box<dyn svg::Node>>) {
        svg::Node::append(&mut self.0, shape);
    }
}

fn list(points: &[(f64, f64)]) -> String {
    let pair = |(x, y): &(f64, f64)| format!("{},{}", round(*x), round(*y));
    points.iter().map(pair).collect::<Vec<_>>().join(" ")
}

/// A tenth of a pixel is enough, and keeps the files small.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A contender's colour, the same in all pictures.
pub(super) fn color_of(name: &str) -> &'static str {
    const MORE: [&str; 4] = ["#0b7285", "#846358", "#d6336c", "#66a80f"];
    match name {
        name if name.starts_with("ours") => "#0ca678",
        "GNU" => "#1c7ed6",
        "busybox" => "#f08c00",
        "toybox" => "#a61e4d",
        "uutils" => "#7048e8",
        "pv" => "#868e96",
        name => MORE[name.bytes().map(usize::from).sum::<usize>() % MORE.len()],
    }
}
