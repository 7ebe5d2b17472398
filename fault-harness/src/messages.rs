//! Reads a line of standard error: whom it blames, and whether it is well made.

use crate::errno;
use crate::scenario::Scenario;

/// Whom a message blames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blamed {
    /// An input, by its place.
    Input(usize),
    /// The output.
    Output,
    /// Memory.
    Memory,
    /// Nobody that is known.
    Nobody,
}

/// A line that was read.
#[derive(Debug)]
pub struct Message {
    /// All that it may blame: the same name can stand for two inputs.
    pub blamed: Vec<Blamed>,
    /// The reason at its end.
    pub reason: String,
    /// What is wrong with its form.
    pub flaw: Option<String>,
}

/// Reads `line`.
pub fn read(line: &str, scenario: &Scenario) -> Message {
    let prefix = format!("{}: ", scenario.speaks);
    let Some(rest) = line.strip_prefix(&prefix) else {
        return flawed(line, format!("does not begin with '{prefix}'"));
    };
    if line.contains("os error") || line.contains("panicked") {
        return flawed(line, "speaks to programmers".to_owned());
    }
    let (subject, reason) = rest.rsplit_once(": ").unwrap_or(("", rest));
    let blamed = blamed(if subject.is_empty() { rest } else { subject }, scenario);
    Message { blamed, reason: reason.to_owned(), flaw: None }
}

fn flawed(line: &str, flaw: String) -> Message {
    Message { blamed: vec![Blamed::Nobody], reason: line.to_owned(), flaw: Some(flaw) }
}

fn blamed(subject: &str, scenario: &Scenario) -> Vec<Blamed> {
    if scenario.output_names.iter().any(|name| subject.contains(name.as_str())) {
        return vec![Blamed::Output];
    }
    let inputs = scenario.inputs.iter().enumerate().filter(|(_, input)| {
        let stream = input.is_stream() && (subject == "-" || subject.contains("standard input"));
        stream || (!input.is_stream() && words(subject).any(|word| word == input.name))
    });
    let mut blamed: Vec<Blamed> = inputs.map(|(index, _)| Blamed::Input(index)).collect();
    if blamed.is_empty() {
        blamed.push(if subject.contains("memory") { Blamed::Memory } else { Blamed::Nobody });
    }
    blamed
}

/// The words of a subject, without the quotes around them.
fn words(subject: &str) -> impl Iterator<Item = &str> {
    subject.split(' ').map(|word| word.trim_matches(|it| matches!(it, '\'' | '"' | ':')))
}

impl Message {
    /// Whether its reason is one of these errors, in the C library's words.
    pub fn reason_is<'a>(&self, errors: impl IntoIterator<Item = &'a str>) -> bool {
        errors.into_iter().filter_map(errno::number).any(|it| errno::words(it) == self.reason)
    }
}
