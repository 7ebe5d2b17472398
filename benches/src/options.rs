//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::cells::Settings;
use crate::results::Results;
use crate::{ours, published};

/// Measures multicall against every peer that is installed, and writes what it found
#[derive(Debug, Parser)]
#[command(name = "bench", version, max_term_width = 100)]
pub(crate) struct Options {
    /// Only cells whose name contains one of these; with a `$` after it, ends with it (see --list)
    #[arg(long, value_name = "PART")]
    pub(crate) only: Vec<String>,

    /// Less data, fewer samples: all cells in less than two minutes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Samples of each contender in each cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: Option<u32>,

    /// Another peer: a folder with its cat and yes, or with its coreutils
    #[arg(long, value_name = "NAME=DIR")]
    pub(crate) peer: Vec<String>,

    /// Our program [default: the static one that is distributed, built now]
    #[arg(long, value_name = "FILE")]
    pub(crate) ours: Option<PathBuf>,

    /// Compare with these earlier results, and fail if anything of ours became slower
    #[arg(long, value_name = "OLD.json")]
    pub(crate) compare: Option<PathBuf>,

    /// Take stored results instead of measuring
    #[arg(long, value_name = "NEW.json")]
    pub(crate) from: Option<PathBuf>,

    /// Where results, report and plots go [default: docs/benchmarks if everything is measured in
    /// full, else target/bench]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Check every cell's bytes and measure nothing
    #[arg(long)]
    pub(crate) check: bool,

    /// Names every cell, and ends
    #[arg(long)]
    pub(crate) list: bool,

    /// Given by cargo when it runs benchmarks
    #[arg(long, hide = true)]
    pub(crate) bench: bool,
}

impl Options {
    /// How much to measure.
    pub(crate) fn settings(&self) -> Settings {
        let rounds = |usual| self.rounds.map_or(usual, |rounds| rounds as usize);
        if self.quick || self.only_checks() {
            Settings {
                quick: self.quick,
                rounds: rounds(3),
                time: Duration::from_millis(25),
                large: 64 << 20,
                text: 32 << 20,
            }
        } else {
            Settings {
                quick: false,
                rounds: rounds(7),
                time: Duration::from_millis(60),
                large: 592 << 20,
                text: 64 << 20,
            }
        }
    }

    /// Without cargo's word this program runs among tests, where figures would mean nothing.
    pub(crate) fn only_checks(&self) -> bool {
        self.check || !self.bench
    }

    /// Where to write what was found: what is kept with the sources is never part of a whole.
    pub(crate) fn folder(&self, results: &Results) -> PathBuf {
        let partial = self.quick || !self.only.is_empty() || self.rounds.is_some();
        let other = ours::target_directory().join("bench");
        match &self.out {
            _ if results.interrupted => other,
            Some(folder) => folder.clone(),
            None if partial || self.from.is_some() => other,
            None => published::folder(),
        }
    }

    /// Whether a cell of this name is wanted.
    pub(crate) fn wants(&self, id: &str) -> bool {
        let has = |part: &String| match part.strip_suffix('$') {
            Some(end) => id.ends_with(end),
            None => id.contains(part),
        };
        self.only.is_empty() || self.only.iter().any(has)
    }
}
