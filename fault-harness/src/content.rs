//! What inputs hold and what outputs must show, as templates.
//!
//! An input is a record repeated; the output that is right for it is another template, written
//! down beside it. Neither is ever computed by the program under test.

use anyhow::{Context, Result, bail};

/// A record with holes: `{name}` the input's name, `{i}` the record's number in its input, `{n}`
/// a count that runs on over all inputs, `{x}` a run of the letter x. `{n:6}` pads to a width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Name,
    Record { width: usize },
    Count { width: usize },
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A hole that has no meaning.
    pub fn parse(text: &str) -> Result<Template> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (hole, after) = after.split_once('}').context("a hole without its end")?;
            parts.push(Part::Bytes(before.as_bytes().to_vec()));
            let (kind, width) = hole.split_once(':').unwrap_or((hole, "0"));
            let width = width.parse().with_context(|| format!("the width of {{{hole}}}"))?;
            parts.push(match kind {
                "name" => Part::Name,
                "i" => Part::Record { width },
                "n" => Part::Count { width },
                "x" => Part::Bytes(vec![b'x'; width]),
                _ => bail!("no such hole: {{{hole}}}"),
            });
            rest = after;
        }
        parts.push(Part::Bytes(rest.as_bytes().to_vec()));
        Ok(Template { parts })
    }

    /// Whether what an input shows depends on the inputs before it.
    pub fn counts(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Count { .. }))
    }

    /// `records` records of the input `name`, counting on from `count`.
    pub fn render(&self, name: &str, records: usize, count: &mut usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in 1..=records {
            for part in &self.parts {
                match part {
                    Part::Bytes(fixed) => bytes.extend_from_slice(fixed),
                    Part::Name => bytes.extend_from_slice(name.as_bytes()),
                    Part::Record { width } => bytes.extend(format!("{record:width$}").bytes()),
                    Part::Count { width } => {
                        *count += 1;
                        bytes.extend(format!("{count:width$}").bytes());
                    }
                }
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_and_the_count_runs_on() {
        let template = Template::parse("{n:3} {name}{i}{x:2}\n").unwrap();
        let mut count = 9;
        assert_eq!(template.render("f", 2, &mut count), b" 10 f1xx\n 11 f2xx\n");
        assert_eq!(count, 11);
        assert!(template.counts());
    }

    #[test]
    fn a_hole_without_meaning_is_an_error() {
        assert!(Template::parse("{what}").is_err());
        assert!(Template::parse("{i").is_err());
    }
}
