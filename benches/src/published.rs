//! What is kept with the sources: results, report and pictures in one folder, and the README's part.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::results::Results;
use crate::{ours, plots, readme, report};

/// Where results that are kept are.
pub(crate) fn folder() -> PathBuf {
    ours::workspace().join("docs/benchmarks")
}

/// Writes results, pictures and report into `folder`; the README, too, if the folder is the one
/// that is kept.
pub(crate) fn write(results: &Results, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    results.write(&folder.join("results.json"))?;
    let pictures = plots::draw_all(results);
    for picture in &pictures {
        put(&folder.join(&picture.file), &picture.svg)?;
    }
    put(&folder.join("report.md"), &report::markdown(results, &pictures))?;
    println!("\nresults.json, report.md and {} plots: {}", pictures.len(), folder.display());
    if folder.canonicalize()? == self::folder().canonicalize().unwrap_or_default() {
        let path = ours::workspace().join("README.md");
        let text = fs::read_to_string(&path).context("reading the README")?;
        put(&path, &readme::updated(&text, results)?)?;
        println!("and the table in README.md");
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const AGAIN: &str =
        "made anew by: cargo xtask bench --from docs/benchmarks/results.json --out docs/benchmarks";

    #[test]
    fn report_pictures_and_readme_are_those_of_the_results() {
        let results = Results::read(&folder().join("results.json")).unwrap();
        let pictures = plots::draw_all(&results);
        let report = report::markdown(&results, &pictures);
        let readme = fs::read_to_string(ours::workspace().join("README.md")).unwrap();
        let updated = readme::updated(&readme, &results).unwrap();
        assert!(readme == updated, "README.md is not of these results; {AGAIN}");

        let mut expected = BTreeSet::from(["results.json".to_owned(), "report.md".to_owned()]);
        let kept = |name: &str| fs::read_to_string(folder().join(name)).unwrap_or_default();
        assert!(kept("report.md") == report, "report.md is not of these results; {AGAIN}");
        for picture in &pictures {
            assert!(kept(&picture.file) == picture.svg, "{} is not; {AGAIN}", picture.file);
            expected.insert(picture.file.clone());
        }
        let entries = fs::read_dir(folder()).unwrap();
        let found: BTreeSet<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(found, expected, "what no run writes any more is in the way");
        assert!(!results.interrupted, "a run that was interrupted is not kept");
    }

    #[test]
    fn only_the_part_between_the_marks_changes() {
        let results = Results::read(&folder().join("results.json")).unwrap();
        let readme = fs::read_to_string(ours::workspace().join("README.md")).unwrap();
        let (before, rest) = readme.split_once("<!-- From here on").unwrap();
        let (part, after) = rest.split_once("<!-- Up to here. -->").unwrap();
        let other = readme.replace(part, part.split_once('\n').map_or("", |(mark, _)| mark));
        let other = other.replacen("<!-- Up", "\n<!-- Up", 1);
        let updated = readme::updated(&other, &results).unwrap();
        assert!(updated.starts_with(before) && updated.ends_with(after));
        assert!(readme::updated("# No marks\n", &results).is_err());
    }
}
