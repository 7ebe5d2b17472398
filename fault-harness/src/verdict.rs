//! Violations and their classes.

use serde::Serialize;

/// What kind of promise was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Bytes are missing or wrong, or a failure went by, and nothing was said.
    Silent,
    /// A failure was told, but the output is not what it should be in spite of it.
    Bytes,
    /// Killed by a signal, or by a panic.
    Died,
    /// It did not end.
    Hang,
    /// The message blames a side that did not fail.
    Side,
    /// It failed without a message.
    Untold,
    /// A message that is not well made, or more than one.
    Words,
    /// What need not have been seen was shown: an interruption, a refusal with another way left.
    Visible,
    /// The status is not the one for what happened.
    Status,
}

impl Class {
    /// All of them, in the order of the table.
    pub const ALL: [Class; 9] = [
        Class::Silent,
        Class::Bytes,
        Class::Died,
        Class::Hang,
        Class::Side,
        Class::Untold,
        Class::Words,
        Class::Visible,
        Class::Status,
    ];

    /// The head of its column.
    pub fn name(self) -> &'static str {
        match self {
            Class::Silent => "silent",
            Class::Bytes => "bytes",
            Class::Died => "died",
            Class::Hang => "hang",
            Class::Side => "side",
            Class::Untold => "untold",
            Class::Words => "words",
            Class::Visible => "visible",
            Class::Status => "status",
        }
    }
}

/// A promise that was broken.
#[derive(Debug, Clone, Serialize)]
pub struct Violation {
    /// Which.
    pub class: Class,
    /// How.
    pub what: String,
    /// By which call.
    pub because: String,
}

/// What the judge made of a run.
#[derive(Debug)]
pub struct Judgement {
    /// The fault happened: another course of the run can pass by the call.
    pub reached: bool,
    /// What is wrong.
    pub violations: Vec<Violation>,
}
