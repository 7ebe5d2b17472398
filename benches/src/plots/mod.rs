//! The pictures of a report.

mod advantage;
mod canvas;
mod scale;
mod series;

use std::path::Path;

use anyhow::{Context, Result};

use crate::areas::AREAS;
use crate::results::Results;

/// A picture that was written.
#[derive(Debug)]
pub(crate) struct Picture {
    /// Its file's name.
    pub(crate) file: String,
    /// What it shows.
    pub(crate) title: String,
    /// What the names of the cells in it begin with; empty for all.
    pub(crate) prefix: &'static str,
}

/// Writes every picture that `results` have figures for into `folder`.
pub(crate) fn write_all(results: &Results, folder: &Path) -> Result<Vec<Picture>> {
    let mut pictures = Vec::new();
    let mut write = |file: String, title: &str, prefix, drawn: Option<svg::Document>| {
        let Some(drawn) = drawn else { return Ok(()) };
        let path = folder.join(&file);
        svg::save(&path, &drawn).with_context(|| format!("writing {}", path.display()))?;
        pictures.push(Picture { file, title: title.into(), prefix });
        anyhow::Ok(())
    };
    let title = "How many times as fast as the best peer";
    write("advantage.svg".into(), title, "", advantage::draw(results, title))?;
    for area in AREAS {
        let Some(axis) = area.axis else { continue };
        let file = format!("{}.svg", area.prefix.trim_end_matches('/').replace('/', "-"));
        let drawn = series::draw(results, &area.cells(results), area.title, axis);
        write(file, area.title, area.prefix, drawn)?;
    }
    Ok(pictures)
}
