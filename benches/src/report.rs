//! The Markdown report: the pictures, a table an area, and what to make of them.

use std::time::Duration;

use crate::areas::AREAS;
use crate::cells::Unit;
use crate::contenders::Role;
use crate::machine::Machine;
use crate::plots::Picture;
use crate::results::{CellResult, Failure, Results, Standing};
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
        parts.push(table(results, &cells));
    }
    parts.push(left_out(results));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

fn heading(results: &Results) -> String {
    let mut lines = vec![
        "# Benchmarks".into(),
        String::new(),
        "Made by `cargo xtask bench`, which measures all of this on your machine and writes this page."
            .into(),
        String::new(),
        format!("- Machine: {}", machine(&results.machine)),
        format!("- Date: {}", results.date),
        format!(
            "- Rounds: {}{}; all of it took {}",
            results.rounds,
            if results.quick { ", quick" } else { "" },
            humantime::format_duration(Duration::from_secs(results.took))
        ),
    ];
    for contender in results.contenders.iter().filter(|it| it.role != Role::Variant) {
        lines.push(format!("- {}: {}", contender.name, contender.version));
    }
    if !results.absent.is_empty() {
        lines.push(format!("- Not on this machine: {}", results.absent.join(", ")));
    }
    if results.interrupted {
        lines.push("- **Interrupted: cells are missing**".into());
    }
    lines.extend([String::new(), METHOD.trim().into()]);
    lines.join("\n")
}

/// A machine in a line.
pub(crate) fn machine(machine: &Machine) -> String {
    format!(
        "{}, {} cores, {} of memory, {}, {}",
        machine.processor,
        machine.cores,
        text::value(Unit::Bytes, machine.memory as f64),
        machine.architecture,
        machine.kernel
    )
}

const METHOD: &str = "
Every cell is a real pipeline of processes, or one process and a file, with its input in page cache.
Ours and each peer take turns, round by round; each process is pinned to a core where there are two;
the bytes of every contender are checked before it is timed. Figures are medians, ± half the distance
between the quartiles. *× best* is how many times as good ours is as the best peer: the median of the
ratios of the runs of one round. Bold is ahead, *italic* is level within the noise (or less than 3%
apart), ⚠ is behind, ~ is too noisy to tell more than a direction. Whoever ours beats three times over
in the first round rests: it is measured in every third round only, or all this would take an hour.

`ours (vmsplice)` and `ours (copy)` are our program with its faster paths switched off by
`MULTICALL_IO`. Two readers take what goes into pipes: one splices to /dev/null, one reads 128 KiB at a
time. User time is the processor time spent outside the kernel, for a GiB of input. The texts that are
formatted are made by the bench itself. Files of a GiB and more are holes, which are in page cache as
others are once they have been read. What `yes` gives to /dev/null is counted by the kernel, which does
not count what is spliced.
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
    let named = |cells: Vec<&CellResult>| -> String {
        cells.iter().map(|cell| format!("`{}`", cell.id)).collect::<Vec<_>>().join(", ")
    };
    let noisy: Vec<_> = results.cells.iter().filter(|cell| cell.is_noisy()).collect();
    if !noisy.is_empty() {
        lines.push(format!("\nToo noisy to conclude much from: {}.", named(noisy)));
    }
    let disturbed: Vec<_> = results.cells.iter().filter(|it| it.disturbed.is_some()).collect();
    if !disturbed.is_empty() {
        lines.push(format!(
            "\nMeasured while something else had a fifth of a core or more (the kernel's write-back \
             is one such thing): {}.",
            named(disturbed)
        ));
    }
    lines.join("\n")
}

fn table(results: &Results, cells: &[&CellResult]) -> String {
    let takes_part = |name: &&str| {
        cells.iter().flat_map(|cell| &cell.figures).any(|figures| figures.name == **name)
    };
    let all = results.contenders.iter().map(|contender| contender.name.as_str());
    let names: Vec<&str> = all.filter(takes_part).collect();
    let head = format!("| cell | {} | × best |", names.join(" | "));
    let rule = format!("|---|{}--:|", "--:|".repeat(names.len()));
    let row = |cell: &&CellResult| {
        let figure = |name: &&str| {
            let found = cell.figures.iter().find(|figures| figures.name == **name);
            found.map_or("–".into(), |figures| text::figure(cell.unit, figures))
        };
        let figures: Vec<String> = names.iter().map(figure).collect();
        format!("| {} | {} | {} |", cell.title, figures.join(" | "), times_best(cell, true))
    };
    [vec![head, rule], cells.iter().map(row).collect()].concat().join("\n")
}

/// How many times as good as the best peer ours is, and who that is if it is wanted.
pub(crate) fn times_best(cell: &CellResult, with_name: bool) -> String {
    let Some((peer, advantage)) = cell.best_peer() else { return "–".into() };
    let times = text::digits(advantage.median);
    let noisy = if cell.is_noisy() { "~" } else { "" };
    let name = if with_name { format!(" {}", peer.name) } else { String::new() };
    match Standing::of(&advantage) {
        Standing::Ahead => format!("{noisy}**{times}**{name}"),
        Standing::Level => format!("{noisy}*{times}*{name}"),
        Standing::Behind => format!("⚠ {noisy}{times}{name}"),
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
