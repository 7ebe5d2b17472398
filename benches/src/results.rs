//! What a run of the bench found, as it is stored: every sample, so that any summary can be made
//! of it later.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::cells::{Point, Unit};
use crate::contenders::{Contender, Role};
use crate::machine::Machine;
use crate::stats::{Summary, ratios};

/// One run of the bench.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Results {
    /// When it began, in UTC.
    pub(crate) date: String,
    /// Where.
    pub(crate) machine: Machine,
    /// Samples of each contender in each cell.
    pub(crate) rounds: usize,
    /// How long all of it took, in seconds.
    #[serde(default)]
    pub(crate) took: u64,
    /// Whether cells and samples were made small to be quick.
    pub(crate) quick: bool,
    /// Who took part.
    pub(crate) contenders: Vec<Entrant>,
    /// What was measured.
    pub(crate) cells: Vec<CellResult>,
    /// Cells that this machine cannot serve, and why.
    pub(crate) left_out: Vec<Failure>,
    /// Peers that are looked for on every machine and are not on this one.
    #[serde(default)]
    pub(crate) absent: Vec<String>,
    /// Whether somebody ended it before every cell was measured.
    #[serde(default)]
    pub(crate) interrupted: bool,
}

/// A contender, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Entrant {
    /// How tables call it.
    pub(crate) name: String,
    /// What it says of itself.
    pub(crate) version: String,
    /// What it is in a comparison.
    pub(crate) role: Role,
}

/// The figures of one cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CellResult {
    /// The cell's path.
    pub(crate) id: String,
    /// What it measures.
    pub(crate) title: String,
    /// What the samples count.
    pub(crate) unit: Unit,
    /// Its place in a series.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) point: Option<Point>,
    /// Each contender that took part, ours first.
    pub(crate) figures: Vec<Figures>,
    /// Who could not take part, and why.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) failures: Vec<Failure>,
    /// What others took of the machine meanwhile, where that was much: a part of one core.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) disturbed: Option<f64>,
}

/// One contender's figures in one cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// The contender.
    pub(crate) name: String,
    /// What it is in a comparison.
    pub(crate) role: Role,
    /// One sample a round, in the order of the rounds; none in a round that it rested in.
    pub(crate) samples: Vec<Option<f64>>,
}

impl Figures {
    /// Those that it has, in three numbers.
    pub(crate) fn summary(&self) -> Option<Summary> {
        let samples: Vec<f64> = self.samples.iter().copied().flatten().collect();
        Summary::of(&samples)
    }
}

/// A contender that gave no figure, or a cell that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// The contender or the cell.
    pub(crate) name: String,
    /// What happened.
    pub(crate) reason: String,
}

impl Failure {
    /// Why `contender` has no figure.
    pub(crate) fn of(contender: &Contender, error: &anyhow::Error) -> Failure {
        let reason = format!("{error:#}");
        // Some answer with a page of help.
        let reason = reason.lines().next().unwrap_or_default().to_owned();
        Failure { name: contender.name.clone(), reason }
    }
}

/// How ours stands against a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// Worse, beyond the noise.
    Behind,
    /// The same as far as can be told.
    Level,
    /// Better, beyond the noise.
    Ahead,
}

/// Less than this apart is level, however quiet the machine: the next build moves code by as much.
const LEVEL: f64 = 0.03;

/// More spread than this, and a figure tells little.
pub(crate) const NOISY: f64 = 0.15;

impl Results {
    /// Reads what [`Results::write`] wrote.
    pub(crate) fn read(path: &Path) -> Result<Results> {
        let text = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is no result", path.display()))
    }

    /// Writes everything to `path`.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path, text).with_context(|| format!("writing {}", path.display()))
    }
}

impl CellResult {
    /// The figures of our program as shipped.
    pub(crate) fn ours(&self) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.role == Role::Ours)
    }

    /// The figures of the peers.
    pub(crate) fn peers(&self) -> impl Iterator<Item = &Figures> {
        self.figures.iter().filter(|figures| figures.role == Role::Peer)
    }

    /// How many times as good `left` is as `right`, in whichever direction this unit is good.
    pub(crate) fn advantage(&self, left: &Figures, right: &Figures) -> Option<Summary> {
        Summary::of(&match self.unit {
            Unit::BytesPerSecond => ratios(&left.samples, &right.samples),
            _ => ratios(&right.samples, &left.samples),
        })
    }

    /// Whether the figures are too far apart to tell more than a direction.
    pub(crate) fn is_noisy(&self) -> bool {
        let spread = |summary: Option<Summary>| summary.is_some_and(|it| it.spread() > NOISY);
        spread(self.ours().and_then(Figures::summary)) || spread(self.best_peer().map(|(_, it)| it))
    }

    /// The peer that ours is least ahead of, and by how many times ours is better.
    pub(crate) fn best_peer(&self) -> Option<(&Figures, Summary)> {
        let ours = self.ours()?;
        self.peers()
            .filter_map(|peer| Some((peer, self.advantage(ours, peer)?)))
            .min_by(|(_, left), (_, right)| left.median.total_cmp(&right.median))
    }
}

impl Standing {
    /// What an advantage says: the middle half of the rounds must agree.
    pub(crate) fn of(advantage: &Summary) -> Standing {
        if advantage.low > 1.0 && advantage.median > 1.0 + LEVEL {
            Standing::Ahead
        } else if advantage.high < 1.0 && advantage.median < 1.0 - LEVEL {
            Standing::Behind
        } else {
            Standing::Level
        }
    }
}
