//! The pictures of a report.

mod advantage;
mod canvas;
mod grid;
mod palette;
mod scale;
mod series;

use crate::areas::AREAS;
use crate::cells::FORMAT_PREFIX;
use crate::results::Results;

/// The file of the picture that shows everything.
pub(crate) const MAIN: &str = "advantage.svg";

/// A picture that was drawn.
#[derive(Debug)]
pub(crate) struct Picture {
    /// Its file's name.
    pub(crate) file: String,
    /// What it shows.
    pub(crate) title: String,
    /// What the names of the cells in it begin with; empty for all.
    pub(crate) prefix: &'static str,
    /// The picture itself.
    pub(crate) svg: String,
}

/// Draws every picture that `results` have figures for.
pub(crate) fn draw_all(results: &Results) -> Vec<Picture> {
    let picture = |file: String, title: &str, prefix, drawn: Option<svg::Document>| {
        let svg = format!("{}\n", drawn?);
        Some(Picture { file, title: title.into(), prefix, svg })
    };
    let title = "How many times as good as the best peer";
    let main = picture(MAIN.into(), title, "", advantage::draw(results, title));
    let title = "cat with options, against the best peer";
    let grid = picture("format.svg".into(), title, FORMAT_PREFIX, grid::draw(results, title));
    let series = AREAS.iter().filter_map(|area| {
        let file = format!("{}.svg", area.prefix.trim_end_matches('/').replace('/', "-"));
        let drawn = series::draw(results, &area.cells(results), area.title, area.axis?);
        picture(file, area.title, area.prefix, drawn)
    });
    main.into_iter().chain(grid).chain(series).collect()
}
