//! A scenario: one command line, where its bytes come from, where they go, and what is right.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::segment::Segment;

/// A run of an applet, without any fault yet.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// What it is called in reports and on the command line.
    pub name: String,
    /// The program's name in the folder of programs.
    pub applet: String,
    /// The name that messages begin with.
    pub speaks: String,
    /// Words by which messages call the output.
    pub output_names: Vec<String>,
    /// The option of the matrix row, as written there.
    pub option: String,
    /// Variables that are set.
    pub environment: Vec<(String, String)>,
    /// Arguments before the option.
    pub before: Vec<String>,
    /// All arguments.
    pub arguments: Vec<String>,
    /// What is read, in order.
    pub inputs: Vec<Input>,
    /// Where the bytes go.
    pub sink: Sink,
    /// What the output must be.
    pub expected: Expected,
    /// It runs until its output goes away.
    pub endless: bool,
    /// Part of the everyday run.
    pub quick: bool,
    /// Held under real faults too.
    pub real: bool,
}

/// What the output must be.
#[derive(Debug, Clone)]
pub enum Expected {
    /// A part for each input, in order.
    Segments(Vec<Segment>),
    /// A text: what a run without a fault printed, which must begin like this.
    Text {
        /// The first words.
        begins: String,
    },
    /// A link in this folder for each applet.
    Links {
        /// Made anew for each run.
        folder: String,
    },
}

/// One input.
#[derive(Debug, Clone)]
pub struct Input {
    /// What it is.
    pub kind: SourceKind,
    /// The operand; empty for standard input.
    pub name: String,
    /// What it holds; shared, since many scenarios read the same.
    pub bytes: Arc<[u8]>,
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// A regular file.
    File,
    /// A name without a file.
    Missing,
    /// A folder: it opens and cannot be read, even by root.
    Directory,
    /// A path that opens and cannot be read.
    Unreadable,
    /// A FIFO.
    Fifo,
    /// A device by its path.
    Device,
    /// Standard input is a pipe.
    Pipe,
    /// Standard input is a stream socket.
    Socket,
    /// Standard input is a terminal.
    Terminal,
    /// Nothing is read: the applet makes the bytes.
    Generated,
}

impl Input {
    /// Whether it is standard input.
    pub fn is_stream(&self) -> bool {
        matches!(self.kind, SourceKind::Pipe | SourceKind::Socket | SourceKind::Terminal)
    }

    /// The operand that asks for it.
    pub fn operand(&self, among_others: bool) -> Option<String> {
        match self.kind {
            SourceKind::Generated => None,
            _ if self.is_stream() => among_others.then(|| "-".to_owned()),
            _ => Some(self.name.clone()),
        }
    }

    /// Whether the applet fails on it without any fault of ours.
    pub fn fails_by_itself(&self) -> bool {
        matches!(self.kind, SourceKind::Missing | SourceKind::Directory | SourceKind::Unreadable)
    }
}

/// Where the bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sink {
    /// A pipe of the default capacity, emptied at once.
    Pipe,
    /// The same, emptied a few bytes at a time.
    SlowPipe,
    /// A pipe of one page.
    PagePipe,
    /// A non-blocking pipe: writes are short and refused with EAGAIN.
    NonblockingPipe,
    /// A regular file.
    File,
    /// A regular file with bytes in it, opened with O_APPEND.
    AppendFile,
    /// /dev/null.
    Null,
    /// A stream socket.
    Socket,
    /// A terminal.
    Terminal,
}

impl Sink {
    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Sink::Pipe => "pipe",
            Sink::SlowPipe => "slow-pipe",
            Sink::PagePipe => "page-pipe",
            Sink::NonblockingPipe => "nonblocking-pipe",
            Sink::File => "file",
            Sink::AppendFile => "append-file",
            Sink::Null => "null",
            Sink::Socket => "socket",
            Sink::Terminal => "terminal",
        }
    }

    /// Whether a program that writes for ever is never stopped by it.
    pub fn never_full(self) -> bool {
        matches!(self, Sink::File | Sink::AppendFile | Sink::Null)
    }
}

impl Scenario {
    /// Whether there is more output than any pipe or buffer holds.
    pub fn is_long(&self) -> bool {
        self.endless || self.inputs.iter().map(|input| input.bytes.len()).sum::<usize>() > 2 << 20
    }

    /// The input that is standard input.
    pub fn reads_stream(&self) -> Option<usize> {
        self.inputs.iter().position(Input::is_stream)
    }

    /// The command line without its operands.
    pub fn command(&self) -> String {
        // A line of thousands of letters is called by its length.
        let option = self.option.replace("{x:", "LINE-OF-").replace('}', "");
        let set = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let set: Vec<String> = set.collect();
        let mut words: Vec<&str> = set.iter().map(String::as_str).collect();
        words.push(self.applet.as_str());
        words.extend(self.before.iter().map(String::as_str));
        words.extend(Some(option.as_str()).filter(|option| !option.is_empty()));
        words.join(" ")
    }
}
