//! The command line of the harness, and what it chooses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;

use fault_harness::book::Book;
use fault_harness::run::quoted;
use fault_harness::scenario::Scenario;

/// Makes every system call of a program fail in turn, and judges what the program does about it.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// The folder that holds the programs under test, by their applets' names [default: bin,
    /// beside this program]
    #[arg(long)]
    pub(crate) bin_dir: Option<PathBuf>,
    /// Scenario files [default: all in scenarios, beside this program]
    #[arg(long, num_args = 1..)]
    pub(crate) scenarios: Vec<PathBuf>,
    /// The everyday choice: fewer scenarios, fewer faults
    #[arg(long)]
    pub(crate) quick: bool,
    /// What the choice among many faults is drawn with
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// About how many faults in all [default: 28000, quick: 2500]
    #[arg(long)]
    pub(crate) limit: Option<usize>,
    /// Minutes that injected faults may take, and again as many for real ones; what is left out then
    /// is counted, and comes from all scenarios alike [default: no end]
    #[arg(long)]
    pub(crate) minutes: Option<u64>,
    /// Runs at a time [default: the number of processors]
    #[arg(long)]
    pub(crate) jobs: Option<usize>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Only scenarios whose name contains this (or is this)
    #[arg(long)]
    pub(crate) scenario: Option<String>,
    /// One fault, shown in full: CALL:error=E:when=N, as strace writes it
    #[arg(long, requires = "scenario")]
    pub(crate) inject: Option<String>,
    /// Only real faults, of those only whose name contains this
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    pub(crate) real: Option<String>,
    /// No real faults
    #[arg(long, conflicts_with = "real")]
    pub(crate) no_real: bool,
    /// List the scenarios; with --real, the real faults
    #[arg(long)]
    pub(crate) list: bool,
    /// Where runs leave their files: choose the file system to test on
    #[arg(long)]
    pub(crate) work_dir: Option<PathBuf>,
    /// How this program is called in the lines that repeat a violation
    #[arg(long, hide = true)]
    pub(crate) again: Option<String>,
}

/// What is to be run.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// The folder of the programs.
    pub(crate) programs: PathBuf,
    pub(crate) scenarios: Vec<Scenario>,
    /// By applet: the environment under which it uses `read` and `write` alone.
    pub(crate) hatches: BTreeMap<String, BTreeMap<String, String>>,
    /// Programs that are not there.
    pub(crate) skipped: Vec<String>,
}

impl Arguments {
    /// Reads the scenario files and chooses from them.
    pub(crate) fn choose(&self) -> Result<Chosen> {
        let programs = self.bin_dir.clone().map_or_else(|| beside("bin"), Ok)?;
        let programs = programs.canonicalize().with_context(|| programs.display().to_string())?;
        let mut chosen = Chosen { programs, ..Chosen::default() };
        for path in &self.files()? {
            let book = Book::read(path)?;
            if !chosen.programs.join(&book.applet).exists() {
                let folder = chosen.programs.display();
                chosen.skipped.push(format!("{}: not in {folder}", book.applet));
                continue;
            }
            chosen.scenarios.extend(book.scenarios()?);
            chosen.hatches.insert(book.applet, book.copy_only);
        }
        let all = &mut chosen.scenarios;
        if let Some(name) = &self.scenario {
            let exact = all.iter().any(|scenario| scenario.name == *name);
            all.retain(|it| if exact { it.name == *name } else { it.name.contains(name) });
        } else if self.quick {
            all.retain(|scenario| scenario.quick);
        }
        Ok(chosen)
    }

    /// The scenario files that were named, or all that lie beside this program.
    fn files(&self) -> Result<Vec<PathBuf>> {
        if !self.scenarios.is_empty() {
            return Ok(self.scenarios.clone());
        }
        let folder = beside("scenarios")?;
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("no --scenarios, and no {}", folder.display()))?;
        let mut files: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|it| it == "toml"));
        files.sort();
        Ok(files)
    }

    /// About how many faults are injected.
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(if self.quick { 2500 } else { 28000 })
    }

    /// The command that repeats one fault, less which.
    pub(crate) fn again(&self) -> String {
        if let Some(again) = &self.again {
            return again.clone();
        }
        let itself = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("fault-harness"));
        let path = |path: &Path| path.display().to_string();
        let mut words = vec![path(&itself)];
        if let Some(programs) = &self.bin_dir {
            words.extend(["--bin-dir".to_owned(), path(programs)]);
        }
        words.extend((!self.scenarios.is_empty()).then(|| "--scenarios".to_owned()));
        words.extend(self.scenarios.iter().map(|it| path(it)));
        quoted(&words)
    }
}

/// A file or folder that lies beside this program.
fn beside(name: &str) -> Result<PathBuf> {
    let itself = std::env::current_exe()?;
    Ok(itself.parent().context("this program is in no folder")?.join(name))
}
