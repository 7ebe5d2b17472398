//! What `cat` can be told, with the words of its help.

use applet::{Command, Opt};

use crate::format::{Format, Numbering};

/// The values of all options.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    number: bool,
    number_nonblank: bool,
    squeeze_blank: bool,
    show_ends: bool,
    show_tabs: bool,
    show_nonprinting: bool,
}

impl Options {
    /// What the formatter has to do; nothing if bytes stay as they are.
    pub(crate) fn format(self) -> Option<Format> {
        let numbering = match self {
            Options { number_nonblank: true, .. } => Numbering::NonBlank,
            Options { number: true, .. } => Numbering::All,
            _ => Numbering::None,
        };
        let format = Format {
            numbering,
            squeeze_blank: self.squeeze_blank,
            show_ends: self.show_ends,
            show_tabs: self.show_tabs,
            show_nonprinting: self.show_nonprinting,
        };
        (format != Format::default()).then_some(format)
    }
}

pub(crate) const COMMAND: Command<Options> = Command {
    name: "cat",
    usage: &["[OPTION]... [FILE]..."],
    about: "Copy each FILE, or standard input, to standard output, one after the other.",
    // The order in which an ambiguous prefix names its candidates.
    options: &[
        Opt::new(
            'b',
            "number-nonblank",
            "number the lines that are not empty; overrides -n",
            |it| it.number_nonblank = true,
        ),
        Opt::new('n', "number", "number all lines", |it| it.number = true),
        Opt::new('s', "squeeze-blank", "keep one of each run of empty lines", |it| {
            it.squeeze_blank = true
        }),
        Opt::new('v', "show-nonprinting", "show all but tab and newline with ^ and M-", |it| {
            it.show_nonprinting = true
        }),
        Opt::new('E', "show-ends", "show $ at the end of each line", |it| it.show_ends = true),
        Opt::new('T', "show-tabs", "show tabs as ^I", |it| it.show_tabs = true),
        Opt::new('A', "show-all", "the same as -vET", |it| {
            (it.show_nonprinting, it.show_ends, it.show_tabs) = (true, true, true)
        }),
        Opt::short('e', "the same as -vE", |it| (it.show_nonprinting, it.show_ends) = (true, true)),
        Opt::short('t', "the same as -vT", |it| (it.show_nonprinting, it.show_tabs) = (true, true)),
        Opt::short('u', "accepted and ignored: nothing is ever held back", |_| {}),
    ],
    notes: "With no FILE, or where FILE is -, standard input is read.",
};
