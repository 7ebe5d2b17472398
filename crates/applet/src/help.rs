//! The texts of `--help` and `--version`, made from the same table that the parser reads.

use std::fmt::Write;

use crate::command::Command;
use crate::options::{self, Spec};

/// The column in which an option's description begins.
const DESCRIPTION: usize = 28;

pub(crate) fn help<O>(command: &Command<O>) -> String {
    let mut text = String::new();
    for (line, form) in command.usage.iter().enumerate() {
        let label = if line == 0 { "Usage:" } else { "  or: " };
        let _ = writeln!(text, "{label} {} {form}", command.name);
    }
    let _ = writeln!(text, "{}\n", command.about);
    for option in options::specs(command.options) {
        let _ = writeln!(text, "{}", row(option));
    }
    if !command.notes.is_empty() {
        let _ = writeln!(text, "\n{}", command.notes);
    }
    text
}

fn row(option: Spec) -> String {
    let names = match (option.short, option.long) {
        (Some(short), Some(long)) => format!("  -{short}, --{long}"),
        (Some(short), None) => format!("  -{short}"),
        (None, Some(long)) => format!("      --{long}"),
        (None, None) => String::new(),
    };
    // At least two spaces before a description: that is how tools find it.
    format!("{names:width$}  {}", option.help, width = DESCRIPTION - 2)
}

pub(crate) fn version(name: &str) -> String {
    format!(
        "{name} (multicall) {}\nLicense: MIT OR Apache-2.0. There is no warranty.\n",
        env!("CARGO_PKG_VERSION")
    )
}
