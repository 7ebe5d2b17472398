//! The table and the picture in the repository's README: written between two marks, from the same
//! results as the report, so that neither is ever older than the other.

use anyhow::{Context, Result};

use crate::cells::Unit;
use crate::contenders::Role;
use crate::plots;
use crate::report;
use crate::results::{CellResult, Figures, Results};
use crate::text;

const BEGIN: &str = "<!-- From here on written by `cargo xtask bench`. -->\n";
const END: &str = "<!-- Up to here. -->\n";

/// Where the report is, seen from the README.
const FOLDER: &str = "docs/benchmarks";

/// What stands for an area, and how a newcomer would call it.
const ROWS: [(&str, &str); 14] = [
    ("yes/pipe-s/2", "`yes` to a reader that splices"),
    ("yes/pipe-r/2", "`yes` to a reader that reads"),
    ("yes/file-disk/2", "`yes` to a file on disk"),
    ("cat/file/pipe-s", "`cat`, large file, to a reader that splices"),
    ("cat/file/pipe-r", "`cat`, large file, to a reader that reads"),
    ("cat/file/disk", "`cat`, large file, to a file"),
    ("cat/pipe-4k/pipe-s", "`cat`, pipe to pipe"),
    ("files/20000x200/pipe-r", "`cat`, 20,000 small files"),
    ("format/english/-n", "`cat -n`, English, user time a GiB"),
    ("format/english/-A", "`cat -A`, English, user time a GiB"),
    ("footprint/start", "start, `cat` 3 bytes, end"),
    ("footprint/calls/tiny", "system calls for that"),
    ("footprint/memory/cat-large", "peak memory, `cat` a large file"),
    ("footprint/size", "size with shared libraries"),
];

/// `readme` with what `results` say between its marks.
pub(crate) fn updated(readme: &str, results: &Results) -> Result<String> {
    let (before, rest) = readme.split_once(BEGIN).context("README.md has no place for a table")?;
    let (_, after) = rest.split_once(END).context("README.md: the table has no end")?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", section(results)))
}

fn section(results: &Results) -> String {
    let picture = format!("![How many times as good as the best peer]({FOLDER}/{})", plots::MAIN);
    let more = format!(
        "{} [The report]({FOLDER}/report.md) has every cell, how cost grows, and how it was \
         measured.",
        sentence(results)
    );
    [picture, machine(results), table(results), more].map(|part| part + "\n").join("\n")
}

fn sentence(results: &Results) -> String {
    format!("{}.", text::standings(results))
}

fn machine(results: &Results) -> String {
    let versions: Vec<String> = results
        .contenders
        .iter()
        .filter(|it| it.role == Role::Peer && shows(results, &it.name))
        .map(|it| format!("{} ({})", it.name, it.version))
        .collect();
    format!(
        "{}{}. Peers: {}. {}.",
        if results.quick { "A quick run, so rough figures. " } else { "" },
        report::machine(&results.machine),
        versions.join("; "),
        results.date.get(..10).unwrap_or(&results.date),
    )
}

fn table(results: &Results) -> String {
    let rows = || {
        ROWS.iter().filter_map(|(id, label)| {
            Some((*label, results.cells.iter().find(|cell| cell.id == *id)?))
        })
    };
    let names: Vec<&str> = results
        .contenders
        .iter()
        .filter(|it| it.role != Role::Variant && shows(results, &it.name))
        .map(|it| it.name.as_str())
        .collect();
    let mut lines = vec![
        format!("| | {} | × best |", names.join(" | ")),
        format!("|---|{}--:|", "--:|".repeat(names.len())),
    ];
    for (label, cell) in rows() {
        let figures = names.iter().map(|name| figure(cell, name)).collect::<Vec<_>>().join(" | ");
        lines.push(format!("| {label} | {figures} | {} |", report::times_best(cell, false)));
    }
    lines.join("\n")
}

/// Whether a contender has a figure in any row.
fn shows(results: &Results, name: &str) -> bool {
    let in_a_row = |cell: &&CellResult| ROWS.iter().any(|(id, _)| *id == cell.id);
    let has = |cell: &CellResult| cell.figures.iter().any(|figures| figures.name == name);
    results.cells.iter().filter(in_a_row).any(has)
}

fn figure(cell: &CellResult, name: &str) -> String {
    let found = cell.figures.iter().find(|figures| figures.name == name);
    let summary = found.and_then(Figures::summary);
    summary.map_or("–".into(), |it| match cell.unit {
        Unit::Calls => format!("{:.0}", it.median),
        unit => text::value(unit, it.median),
    })
}
