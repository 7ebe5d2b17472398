//! The scenario files: what an applet is run with, as data.
//!
//! A file names contents, sources and matrices; a matrix is every combination of its sources,
//! sinks and options. See docs/fault-injection.md for how to write one.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::content::Template;
use crate::scenario::{Expected, Input, Scenario, Sink, SourceKind};
use crate::segment::{Cache, Segment};

/// One scenario file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Book {
    /// The program's name in the folder of programs.
    pub applet: String,
    /// Words by which messages call the output.
    #[serde(default)]
    output_names: Vec<String>,
    /// The environment under which the applet uses `read` and `write` alone.
    #[serde(default)]
    pub copy_only: BTreeMap<String, String>,
    #[serde(default)]
    content: BTreeMap<String, Content>,
    #[serde(default)]
    source: Vec<Source>,
    #[serde(default)]
    matrix: Vec<Matrix>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    record: String,
    /// What a record looks like under an option.
    #[serde(default)]
    shown: BTreeMap<String, String>,
    /// What an endless output begins with under an option, before its first record.
    #[serde(default)]
    begins: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    name: String,
    content: String,
    inputs: Vec<InputRow>,
    #[serde(default)]
    endless: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputRow {
    kind: SourceKind,
    #[serde(default)]
    name: String,
    #[serde(default)]
    records: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matrix {
    /// Arguments before the option.
    #[serde(default)]
    before: Vec<String>,
    /// Each a line of arguments.
    options: Vec<String>,
    /// Sources by name; none for texts and links.
    #[serde(default)]
    sources: Vec<String>,
    sinks: Vec<Sink>,
    /// Variables that are set; a program that does not know them is run as without.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Part of the everyday run.
    #[serde(default)]
    quick: bool,
    /// Held under real faults too.
    #[serde(default)]
    real: bool,
    /// The name that messages begin with, where it is not the applet's.
    speaks: Option<String>,
    /// The output is a text that begins like this; the rest is as without a fault.
    begins: Option<String>,
    /// The run makes a link in this folder for each name that `--list` prints.
    links: Option<String>,
}

impl Book {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// It cannot be read, or is not a scenario file.
    pub fn read(path: &Path) -> Result<Book> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("in {}", path.display()))
    }

    /// Every scenario of the file.
    ///
    /// # Errors
    /// A name that the file does not define.
    pub fn scenarios(&self) -> Result<Vec<Scenario>> {
        let mut scenarios = Vec::new();
        let mut cache = Cache::default();
        for matrix in &self.matrix {
            for option in &matrix.options {
                for sink in &matrix.sinks {
                    if matrix.sources.is_empty() {
                        scenarios.push(self.without_source(matrix, option, *sink)?);
                    }
                    for source in &matrix.sources {
                        scenarios
                            .push(self.with_source(matrix, option, source, *sink, &mut cache)?);
                    }
                }
            }
        }
        Ok(scenarios)
    }

    fn with_source(
        &self,
        matrix: &Matrix,
        option: &str,
        source: &str,
        sink: Sink,
        cache: &mut Cache,
    ) -> Result<Scenario> {
        let source = self
            .source
            .iter()
            .find(|it| it.name == source)
            .with_context(|| format!("{}: no source is called {source}", self.applet))?;
        let content = self
            .content
            .get(&source.content)
            .with_context(|| format!("{}: no content is called {}", self.applet, source.content))?;
        let shown =
            if option.is_empty() { Some(&content.record) } else { content.shown.get(option) };
        let shown = shown.with_context(|| {
            format!(
                "{}: content {} under '{option}' is not written down",
                self.applet, source.content
            )
        })?;
        let (record, shown) = (Template::parse(&content.record)?, Template::parse(shown)?);
        let inputs: Vec<Input> =
            source.inputs.iter().map(|row| row.input(&record, cache)).collect();
        let begins = Template::parse(content.begins.get(option).map_or("", String::as_str))?;
        let segments = source.inputs.iter().map(|row| {
            Segment::new(shown.clone(), row.name.clone(), row.records, source.endless, cache)
                .beginning_with(&begins)
        });
        let mut scenario = self.without_source(matrix, option, sink)?;
        scenario.name = called(&[&scenario.command(), &source.name, ">", sink.name()]);
        scenario.expected = Expected::Segments(segments.collect());
        let many = inputs.len() > 1;
        scenario.arguments.extend(inputs.iter().filter_map(|input| input.operand(many)));
        scenario.inputs = inputs;
        scenario.endless = source.endless;
        Ok(scenario)
    }

    fn without_source(&self, matrix: &Matrix, option: &str, sink: Sink) -> Result<Scenario> {
        let mut arguments = matrix.before.clone();
        for word in option.split_whitespace() {
            let word = Template::parse(word)?.render("", 1, &mut 0);
            arguments.push(String::from_utf8(word)?);
        }
        let expected = match &matrix.links {
            Some(folder) => Expected::Links { folder: folder.clone() },
            None => Expected::Text { begins: matrix.begins.clone().unwrap_or_default() },
        };
        let mut scenario = Scenario {
            name: String::new(),
            applet: self.applet.clone(),
            speaks: matrix.speaks.clone().unwrap_or_else(|| self.applet.clone()),
            output_names: self.output_names.clone(),
            option: option.to_owned(),
            environment: matrix.environment.clone().into_iter().collect(),
            before: matrix.before.clone(),
            arguments,
            inputs: Vec::new(),
            sink,
            expected,
            endless: false,
            quick: matrix.quick,
            real: matrix.real,
        };
        scenario.name = called(&[&scenario.command(), ">", sink.name()]);
        Ok(scenario)
    }
}

impl InputRow {
    fn input(&self, record: &Template, cache: &mut Cache) -> Input {
        Input {
            kind: self.kind,
            name: self.name.clone(),
            bytes: cache.render(record, &self.name, self.records).0,
        }
    }
}

fn called(words: &[&str]) -> String {
    words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(" ")
}
