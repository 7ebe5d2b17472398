//! GNU's rules for options, on top of lexopt.
//!
//! lexopt splits clusters and values; what is added here: options may follow operands unless
//! POSIXLY_CORRECT is set, long names may be cut to an unambiguous prefix, and errors are worded
//! as GNU words them, with the bytes that were typed.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use lexopt::{Arg, Parser};

use crate::command::Request;

/// An option as users see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// The letter after one dash. ASCII.
    pub short: Option<char>,
    /// The word after two dashes.
    pub long: Option<&'static str>,
    /// What it does, in a few words.
    pub help: &'static str,
}

/// An option: how it is written, what its help says and what it sets, in one place.
pub struct Opt<O: 'static> {
    /// Names and help.
    pub spec: Spec,
    /// Notes in the applet's options that this one was given.
    pub set: fn(&mut O),
}

impl<O> Opt<O> {
    /// An option with a letter and a word.
    pub const fn new(short: char, long: &'static str, help: &'static str, set: fn(&mut O)) -> Self {
        Opt { spec: Spec { short: Some(short), long: Some(long), help }, set }
    }

    /// An option with a letter only.
    pub const fn short(short: char, help: &'static str, set: fn(&mut O)) -> Self {
        Opt { spec: Spec { short: Some(short), long: None, help }, set }
    }

    /// An option with a word only.
    pub const fn long(long: &'static str, help: &'static str, set: fn(&mut O)) -> Self {
        Opt { spec: Spec { short: None, long: Some(long), help }, set }
    }
}

/// `--help`: every command has it.
const HELP: Spec = Spec { short: None, long: Some("help"), help: "display this help and exit" };
/// `--version`: every command has it.
const VERSION: Spec =
    Spec { short: None, long: Some("version"), help: "output version information and exit" };

/// A table's options and the two that every command has, in order.
pub(crate) fn specs<O>(table: &'static [Opt<O>]) -> impl Iterator<Item = Spec> {
    table.iter().map(|option| option.spec).chain([HELP, VERSION])
}

/// What a command line asks for.
#[derive(Debug)]
pub(crate) enum Parsed<O> {
    Run(Request<O>),
    Help,
    Version,
}

/// What is wrong with a command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UsageError {
    InvalidLetter(u8),
    Unrecognized(OsString),
    Ambiguous { typed: OsString, candidates: Vec<&'static str> },
    ArgumentNotAllowed(&'static str),
}

impl UsageError {
    /// The message, in raw bytes: what was typed is repeated as it is.
    pub(crate) fn line(&self) -> Vec<u8> {
        match self {
            UsageError::InvalidLetter(byte) => {
                [b"invalid option -- '", &[*byte][..], b"'"].concat()
            }
            UsageError::Unrecognized(typed) => {
                [b"unrecognized option '", typed.as_bytes(), b"'"].concat()
            }
            UsageError::Ambiguous { typed, candidates } => {
                let list: String = candidates.iter().map(|name| format!(" '--{name}'")).collect();
                let middle = b"' is ambiguous; possibilities:";
                [b"option '", typed.as_bytes(), middle, list.as_bytes()].concat()
            }
            UsageError::ArgumentNotAllowed(name) => {
                format!("option '--{name}' doesn't allow an argument").into_bytes()
            }
        }
    }
}

/// Parses the arguments after the command's name. The first of a wrong option, `--help` and
/// `--version` decides.
pub(crate) fn parse<O: Default>(
    table: &'static [Opt<O>],
    arguments: Vec<OsString>,
) -> Result<Parsed<O>, UsageError> {
    let operands_end_options = std::env::var_os("POSIXLY_CORRECT").is_some();
    let mut parser = Parser::from_args(arguments);
    parser.set_short_equals(false);
    let mut request = Request { options: O::default(), operands: Vec::new() };
    let mut typed = Typed::default();
    loop {
        typed.note(&mut parser);
        let option = match parser.next() {
            Ok(None) => return Ok(Parsed::Run(request)),
            Ok(Some(Arg::Value(operand))) => {
                request.operands.push(operand);
                if operands_end_options {
                    // Nothing is pending behind an operand, so the rest is always to be had.
                    request.operands.extend(parser.raw_args().into_iter().flatten());
                }
                continue;
            }
            Ok(Some(Arg::Short(letter))) => table
                .iter()
                .find(|option| option.spec.short == Some(letter))
                .ok_or_else(|| typed.letter())?,
            Ok(Some(Arg::Long(_))) => {
                let spec = typed.long_option(table)?;
                if parser.optional_value().is_some() {
                    return Err(UsageError::ArgumentNotAllowed(spec.long.unwrap_or_default()));
                }
                match table.iter().find(|option| option.spec == spec) {
                    Some(option) => option,
                    None if spec == HELP => return Ok(Parsed::Help),
                    None => return Ok(Parsed::Version),
                }
            }
            // lexopt complains of unused values only, and they are taken above.
            Err(_) => return Err(typed.unrecognized()),
        };
        (option.set)(&mut request.options);
    }
}

/// The argument that the parser is in, as it was typed.
#[derive(Default)]
struct Typed {
    argument: OsString,
    letters: usize,
}

impl Typed {
    /// Called before each step of the parser: keeps the next argument if a new one begins.
    fn note(&mut self, parser: &mut Parser) {
        match parser.try_raw_args() {
            Some(arguments) => {
                self.argument = arguments.peek().unwrap_or_default().to_owned();
                self.letters = 1;
            }
            None => self.letters += 1,
        }
    }

    /// The letter that is no option: all before it in its cluster were, and so are one byte each.
    fn letter(&self) -> UsageError {
        UsageError::InvalidLetter(
            self.argument.as_bytes().get(self.letters).copied().unwrap_or(b'?'),
        )
    }

    fn unrecognized(&self) -> UsageError {
        UsageError::Unrecognized(self.argument.clone())
    }

    /// The long option that this argument names in full or by an unambiguous prefix.
    fn long_option<O>(&self, table: &'static [Opt<O>]) -> Result<Spec, UsageError> {
        let name = self.argument.as_bytes().get(2..).unwrap_or_default();
        let name = name.split(|&byte| byte == b'=').next().unwrap_or_default();
        let candidates: Vec<Spec> = specs(table)
            .filter(|spec| spec.long.is_some_and(|long| long.as_bytes().starts_with(name)))
            .collect();
        let exact = candidates
            .iter()
            .find(|spec| spec.long.map(OsStr::new) == Some(OsStr::from_bytes(name)));
        match (exact, &candidates[..]) {
            (Some(spec), _) | (None, [spec]) => Ok(*spec),
            (None, []) => Err(self.unrecognized()),
            (None, several) => Err(UsageError::Ambiguous {
                typed: self.argument.clone(),
                candidates: several.iter().filter_map(|spec| spec.long).collect(),
            }),
        }
    }
}
