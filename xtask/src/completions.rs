//! Shell completions, made from the tables that the parsers and the help texts are made from.

use std::fmt::Write;

use applet::Spec;

/// A shell, where below a prefix it looks for completions, and what the file is called.
pub(crate) struct Shell {
    pub(crate) directory: &'static str,
    pub(crate) file: fn(&str) -> String,
    pub(crate) script: fn(&str) -> String,
}

pub(crate) const SHELLS: &[Shell] = &[
    Shell {
        directory: "share/bash-completion/completions",
        file: |name| name.to_owned(),
        script: bash,
    },
    Shell { directory: "share/zsh/site-functions", file: |name| format!("_{name}"), script: zsh },
    Shell {
        directory: "share/fish/vendor_completions.d",
        file: |name| format!("{name}.fish"),
        script: fish,
    },
];

/// The program itself: its first word is an applet, and what follows is the applet's.
pub(crate) const PROGRAM: &str = crate::source::NAME;

/// The options of the applet of that name, and what it does.
fn applet(name: &str) -> Option<(&'static str, Vec<Spec>)> {
    let applet = multicall::APPLETS.iter().find(|applet| applet.name == name)?;
    Some((applet.about, (applet.options)()))
}

fn names() -> String {
    let names: Vec<&str> = multicall::APPLETS.iter().map(|applet| applet.name).collect();
    names.join(" ")
}

/// `-n --number`: an option's names, a space between.
fn spellings(option: &Spec) -> String {
    let short = option.short.map(|letter| format!("-{letter}"));
    let long = option.long.map(|word| format!("--{word}"));
    [short, long].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn bash(name: &str) -> String {
    let mut cases = String::new();
    for applet in multicall::APPLETS.iter().filter(|it| name == PROGRAM || it.name == name) {
        let options: Vec<String> = (applet.options)().iter().map(spellings).collect();
        let _ = writeln!(cases, "        {}) words='{}' ;;", applet.name, options.join(" "));
    }
    let choose = if name == PROGRAM {
        format!(
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        \
             COMPREPLY=($(compgen -W '{} help' -- \"$current\"))\n        return\n    fi\n    \
             applet=${{COMP_WORDS[1]}}\n",
            names()
        )
    } else {
        String::new()
    };
    // Without a match, `-o default` completes file names.
    format!(
        "# bash completion for {name}\n_multicall_{name}() {{\n    \
         local current=${{COMP_WORDS[COMP_CWORD]}} applet={name} words= word\n    COMPREPLY=()\n\
         {choose}    case $applet in\n{cases}    esac\n    \
         for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n        \
         [ \"$word\" = -- ] && return\n    done\n    \
         [[ $current == -* ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n    \
         return 0\n}}\ncomplete -o bashdefault -o default -F _multicall_{name} {name}\n"
    )
}

fn zsh(name: &str) -> String {
    let mut text = format!("#compdef {name}\n");
    let Some((_, options)) = applet(name) else {
        let _ = write!(
            text,
            "if (( CURRENT == 2 )); then\n    compadd {} help\nelse\n    shift words\n    \
             (( CURRENT-- ))\n    service=$words[1]\n    _normal\nfi\n",
            names()
        );
        return text;
    };
    text.push_str("_arguments -s -S \\\n");
    for option in options {
        let help = option.help.replace('\'', "'\\''").replace(['[', ']'], "");
        let line = match (option.short, option.long) {
            (Some(short), Some(long)) => {
                format!("'(-{short} --{long})'{{-{short},--{long}}}'[{help}]'")
            }
            _ => format!("'{}[{help}]'", spellings(&option)),
        };
        let _ = writeln!(text, "    {line} \\");
    }
    text.push_str("    '*:file:_files'\n");
    text
}

fn fish(name: &str) -> String {
    if applet(name).is_none() {
        let mut text = String::new();
        for applet in multicall::APPLETS {
            let about = applet.about.replace('\'', "\\'");
            let _ = writeln!(
                text,
                "complete -c {name} -n __fish_use_subcommand -f -a {} -d '{about}'",
                applet.name
            );
            let seen = format!("-n '__fish_seen_subcommand_from {}'", applet.name);
            text.push_str(&fish_options(name, &seen, &(applet.options)()));
        }
        return text;
    }
    let options = applet(name).map(|(_, options)| options).unwrap_or_default();
    fish_options(name, "", &options)
}

fn fish_options(name: &str, condition: &str, options: &[Spec]) -> String {
    let mut text = String::new();
    for option in options {
        let short = option.short.map(|letter| format!(" -s {letter}")).unwrap_or_default();
        let long = option.long.map(|word| format!(" -l {word}")).unwrap_or_default();
        let help = option.help.replace('\'', "\\'");
        let space = if condition.is_empty() { "" } else { " " };
        let _ = writeln!(text, "complete -c {name}{space}{condition}{short}{long} -d '{help}'");
    }
    text
}
