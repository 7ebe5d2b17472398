//! GNU's rules for options, on top of lexopt.
//!
//! lexopt splits clusters and values; what is added here: options may follow operands unless
//! POSIXLY_CORRECT is set, long names may be cut to an unambiguous prefix, and errors are worded
//! as GNU words them, with the bytes that were typed.

use std::ffi::{CStr, OsStr};
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

/// What a command line asks for in place of a run.
#[derive(Debug)]
pub(crate) enum Instead {
    Help,
    Version,
    Complaint(UsageError),
}

impl From<UsageError> for Instead {
    fn from(error: UsageError) -> Instead {
        Instead::Complaint(error)
    }
}

/// What is wrong with a command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UsageError {
    InvalidLetter(u8),
    Unrecognized(&'static CStr),
    Ambiguous { typed: &'static CStr, candidates: Vec<&'static str> },
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
                [b"unrecognized option '", typed.to_bytes(), b"'"].concat()
            }
            UsageError::Ambiguous { typed, candidates } => {
                let list: String = candidates.iter().map(|name| format!(" '--{name}'")).collect();
                let middle = b"' is ambiguous; possibilities:";
                [b"option '", typed.to_bytes(), middle, list.as_bytes()].concat()
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
    arguments: Vec<&'static CStr>,
) -> Result<Request<O>, Instead> {
    let operands_end_options = std::env::var_os("POSIXLY_CORRECT").is_some();
    let mut options = O::default();
    let mut options_ended = false;
    let mut is_operand = |argument: &'static CStr| match argument.to_bytes() {
        _ if options_ended => Ok(true),
        b"--" => {
            options_ended = true;
            Ok(false)
        }
        [b'-', _, ..] => set(table, argument, &mut options).map(|()| false),
        _ => {
            options_ended = operands_end_options;
            Ok(true)
        }
    };
    let operands = arguments
        .into_iter()
        .filter_map(|argument| is_operand(argument).map(|is| is.then_some(argument)).transpose())
        .collect::<Result<_, _>>()?;
    Ok(Request { options, operands })
}

/// Notes the options of one argument: a long one, or a cluster of letters. No option takes a value
/// out of the next argument.
fn set<O>(
    table: &'static [Opt<O>],
    argument: &'static CStr,
    options: &mut O,
) -> Result<(), Instead> {
    let mut parser = Parser::from_args([OsStr::from_bytes(argument.to_bytes())]);
    parser.set_short_equals(false);
    let mut typed = Typed { argument, letters: 0 };
    loop {
        typed.letters += 1;
        let option = match parser.next() {
            Ok(None) => return Ok(()),
            Ok(Some(Arg::Short(letter))) => table
                .iter()
                .find(|option| option.spec.short == Some(letter))
                .ok_or_else(|| typed.letter())?,
            Ok(Some(Arg::Long(_))) => {
                let spec = typed.long_option(table)?;
                if parser.optional_value().is_some() {
                    let name = spec.long.unwrap_or_default();
                    return Err(UsageError::ArgumentNotAllowed(name).into());
                }
                match table.iter().find(|option| option.spec == spec) {
                    Some(option) => option,
                    None if spec == HELP => return Err(Instead::Help),
                    None => return Err(Instead::Version),
                }
            }
            // lexopt complains of unused values only, and they are taken above; an argument that
            // begins with a dash and has more is no value.
            Ok(Some(Arg::Value(_))) | Err(_) => return Err(typed.unrecognized().into()),
        };
        (option.set)(options);
    }
}

/// The argument that the parser is in, as it was typed.
struct Typed {
    argument: &'static CStr,
    letters: usize,
}

impl Typed {
    /// The letter that is no option: all before it in its cluster were, and so are one byte each.
    fn letter(&self) -> UsageError {
        UsageError::InvalidLetter(
            self.argument.to_bytes().get(self.letters).copied().unwrap_or(b'?'),
        )
    }

    fn unrecognized(&self) -> UsageError {
        UsageError::Unrecognized(self.argument)
    }

    /// The long option that this argument names in full or by an unambiguous prefix.
    fn long_option<O>(&self, table: &'static [Opt<O>]) -> Result<Spec, UsageError> {
        let name = self.argument.to_bytes().get(2..).unwrap_or_default();
        let name = name.split(|&byte| byte == b'=').next().unwrap_or_default();
        let candidates: Vec<Spec> = specs(table)
            .filter(|spec| spec.long.is_some_and(|long| long.as_bytes().starts_with(name)))
            .collect();
        let exact = candidates.iter().find(|spec| spec.long.map(str::as_bytes) == Some(name));
        match (exact, &candidates[..]) {
            (Some(spec), _) | (None, [spec]) => Ok(*spec),
            (None, []) => Err(self.unrecognized()),
            (None, several) => Err(UsageError::Ambiguous {
                typed: self.argument,
                candidates: several.iter().filter_map(|spec| spec.long).collect(),
            }),
        }
    }
}
