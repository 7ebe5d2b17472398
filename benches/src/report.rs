//! The Markdown report: the pictures, a table an area, and what to make of them.

use crate::areas::AREAS;
use crate::contenders::Role;
use crate::plots::Picture;
use crate::results::{CellResult, Failure, NOISY, Results, Standing};
use crate::stats::Summary;
use crate::text;

/// The whole report on `results` with the `pictures` that lie next to it.
pub(crate) fn markdown(results: &Results, pictures: &[Picture]) -> String {
    let mut parts = vec![heading(results)];
    parts.extend(pictures.iter().filter(|it| it.prefix.is_empty()).map(image));
    parts.push(standings(results));
    for area in &AREAS {
        let cells = area.cells(results);
        if cells.is_empty() {
            continue;
        }
        parts.push(format!("## {}", area.title));
        parts.extend(pictures.iter().filter(|it| it.prefix == area.prefix).map(image));
        parts.push(table(&cells));
    }
    parts.push(left_out(results));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

fn heading(results: &Results) -> String {
    let machine = &results.machine;
    let mut lines = vec![
        "# Benchmarks".into(),
        String::new(),
        "Made by `cargo xtask bench`, which measures all of this on your machine and writes this page."
            .into(),
        String::new(),
        format!(
            "- Machine: {}, {} cores, {} of memory, {}",
            machine.processor,
            machine.cores,
            text::value(crate::cells::Unit::Bytes, machine.memory as f64),
            machine.architecture
        ),
        format!("- Kernel: {}", machine.kernel),
        format!("- Date: {}", results.date),
        format!("- Rounds: {}{}", results.rounds, if results.quick { ", quick" } else { "" }),
    ];
    for contender in results.contenders.iter().filter(|it| it.role != Role::Variant) {
        lines.push(format!("- {}: {}", contender.name, contender.version));
    }
    lines.extend([String::new(), METHOD.trim().into()]);
    lines.join("\n")
}

const METHOD: &str = "
Every cell is a real pipeline of processes, or one process and a file, with its input in page cache.
Ours and each peer take turns, round by round; each process is pinned to a core where there are two;
the bytes of every contender are checked before it is timed. Figures are medians, ± half the distance
between the quartiles. *× best* is how many times as good ours is as the best peer: the median of the
ratios of the runs of one round. Bold is ahead, *italic* is level within the noise (or less than 3%
apart), ⚠ is behind. `ours (vmsplice)` and `ours (copy)` are our program with its faster paths switched
off by `MULTICALL_IO`. Two readers take what goes into pipes: one splices to /dev/null, one reads 128 KiB
at a time. User time is the processor time spent outside the kernel.
";

fn standings(results: &Results) -> String {
    let mut lines = vec!["## Where ours stands".to_owned(), String::new()];
    lines.push(format!("{}.", text::standings(results)));
    let behind: Vec<String> = text::behind(results)
        .into_iter()
        .map(|(cell, peer, advantage)| {
            let (low, high) = (text::digits(advantage.low), text::digits(advantage.high));
            let median = text::digits(advantage.median);
            format!("| `{}` | {} | {median} | {low} to {high} |", cell.id, peer.name)
        })
        .collect();
    if !behind.is_empty() {
        let head = ["| behind in | best peer | × best | quartiles |", "|---|---|--:|--:|"];
        lines.push(String::new());
        lines.extend(head.map(str::to_owned));
        lines.extend(behind);
    }
    let noisy: Vec<String> = results
        .cells
        .iter()
        .filter(|cell| cell.ours().and_then(|it| Summary::of(&it.samples)).is_some_and(is_noisy))
        .map(|cell| format!("`{}`", cell.id))
        .collect();
    if !noisy.is_empty() {
        lines.push(String::new());
        lines.push(format!("Too noisy to conclude much from: {}.", noisy.join(", ")));
    }
    lines.join("\n")
}

fn is_noisy(summary: Summary) -> bool {
    summary.spread() > NOISY
}

fn table(cells: &[&CellResult]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for figures in cells.iter().flat_map(|cell| &cell.figures) {
        if !names.contains(&figures.name.as_str()) {
            names.push(&figures.name);
        }
    }
    let head = format!("| cell | {} | × best |", names.join(" | "));
    let rule = format!("|---|{}--:|", "--:|".repeat(names.len()));
    let row = |cell: &&CellResult| {
        let figure = |name: &&str| {
            let found = cell.figures.iter().find(|figures| figures.name == **name);
            found.map_or("–".into(), |figures| text::figure(cell.unit, figures))
        };
        let figures: Vec<String> = names.iter().map(figure).collect();
        format!("| {} | {} | {} |", cell.title, figures.join(" | "), best(cell))
    };
    [vec![head, rule], cells.iter().map(row).collect()].concat().join("\n")
}

fn best(cell: &CellResult) -> String {
    let Some((peer, advantage)) = cell.best_peer() else { return "–".into() };
    let times = text::digits(advantage.median);
    match Standing::of(&advantage) {
        Standing::Ahead => format!("**{times}** {}", peer.name),
        Standing::Level => format!("*{times}* {}", peer.name),
        Standing::Behind => format!("⚠ {times} {}", peer.name),
    }
}

/// Cells and contenders without figures; what failed in the same way in many cells is said once.
fn left_out(results: &Results) -> String {
    let mut groups: Vec<(&Failure, Vec<String>)> = Vec::new();
    for cell in &results.cells {
        for failure in &cell.failures {
            let id = format!("`{}`", cell.id);
            match groups.iter_mut().find(|(other, _)| *other == failure) {
                Some((_, cells)) => cells.push(id),
                None => groups.push((failure, vec![id])),
            }
        }
    }
    let whole = results.left_out.iter().map(|it| format!("- `{}`: {}", it.name, it.reason));
    let part = groups.iter().map(|(failure, cells)| {
        format!("- {}: {} ({})", failure.name, failure.reason, cells.join(", "))
    });
    let lines: Vec<String> = whole.chain(part).collect();
    if lines.is_empty() { String::new() } else { format!("## Left out\n\n{}", lines.join("\n")) }
}

fn image(picture: &Picture) -> String {
    format!("![{}]({})", picture.title, picture.file)
}
