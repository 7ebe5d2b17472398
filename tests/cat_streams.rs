//! `cat` with standard streams that are closed or open for the wrong purpose, and messages in
//! their place among the data.

mod support;

use support::{Folder, Run};

const IN: &str = "data\n";
const CLOSED_OUTPUT: &str = "cat: standard output: Bad file descriptor\n";
const READ_ONLY_OUTPUT: &str = "cat: write error: Bad file descriptor\n";
const BAD_INPUT: &str = "cat: -: Bad file descriptor\n";
const CLOSED_INPUT: &str =
    "cat: -: Bad file descriptor\ncat: closing standard input: Bad file descriptor\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", IN);
    folder.write("empty", "");
    folder
}

#[test]
fn closed_standard_output() {
    let folder = folder();
    for operands in ["in", "missing", "empty", "-", "", "in missing in", "in -", "."] {
        for option in ["", "-n", "-A"] {
            for input in ["", "<&-", "<in", "0>scratch"] {
                let line = format!("cat {option} {operands} {input} >&-");
                folder.sh(&line).run().code(1).stdout("").stderr(CLOSED_OUTPUT);
            }
        }
    }
    assert_eq!(folder.read("in"), IN.as_bytes());
}

#[test]
fn closed_standard_input() {
    let folder = folder();
    for (operands, output) in [("", ""), ("-", ""), ("in -", IN), ("in - in", "data\ndata\n")] {
        for option in ["", "-s", "-T"] {
            let line = format!("cat {option} {operands} <&-");
            folder.sh(line).run().code(1).stdout(output).stderr(CLOSED_INPUT);
        }
    }
    folder.sh("cat in in <&-").run().success().stdout("data\ndata\n").stderr("");
    let twice = [BAD_INPUT, CLOSED_INPUT].concat();
    folder.sh("cat - in - <&-").run().code(1).stdout(IN).stderr(twice);
    // The text of help needs no input.
    folder.sh("cat --version <&- | head -c 3").run().success().stdout("cat").stderr("");
}

#[test]
fn standard_input_open_for_writing_only() {
    let folder = folder();
    for option in ["", "-E"] {
        let line = format!("cat {option} in - missing 0>scratch");
        let missing = "cat: missing: No such file or directory\n";
        let data = if option.is_empty() { "data\n" } else { "data$\n" };
        let run = folder.sh(line).run().code(1).stdout(data);
        run.stderr([BAD_INPUT, missing].concat());
    }
    folder.sh("cat 0>scratch").run().code(1).stdout("").stderr(BAD_INPUT);
    assert_eq!(folder.read("scratch"), b"");
}

#[test]
fn standard_output_open_for_reading_only() {
    let folder = folder();
    folder.write("scratch", "kept");
    for option in ["", "-n"] {
        let line = format!("cat {option} in in 1<scratch");
        folder.sh(line).run().code(1).stderr(READ_ONLY_OUTPUT);
        let line = format!("cat {option} empty 1<scratch");
        folder.sh(line).run().success().stderr("");
    }
    assert_eq!(folder.read("scratch"), b"kept");
}

/// Every way for each of the three streams to be, with a file and with standard input to copy.
#[test]
fn every_combination() {
    let folder = folder();
    for input in ["<in", "<&-", "0>scratch"] {
        for output in [">out", ">&-", "1<empty"] {
            for error in ["2>said", "2>&-", "2<empty"] {
                for operand in ["in", "-"] {
                    for option in ["", "-v"] {
                        let line = format!("cat {option} {operand} {input} {output} {error}");
                        let input_fails = operand == "-" && input != "<in";
                        let says = match (output, operand, input) {
                            (">&-", _, _) => CLOSED_OUTPUT,
                            (_, "-", "<&-") => CLOSED_INPUT,
                            (_, "-", "0>scratch") => BAD_INPUT,
                            ("1<empty", _, _) => READ_ONLY_OUTPUT,
                            _ => "",
                        };
                        let copied = output == ">out" && !input_fails;
                        folder.write("out", "");
                        folder.write("said", "");
                        let run = folder.sh(&line).run().stdout("").stderr("");
                        run.append_context("line", line).code(i32::from(!says.is_empty()));
                        assert_eq!(folder.read("out"), if copied { IN.as_bytes() } else { b"" });
                        let heard = if error == "2>said" { says } else { "" };
                        assert_eq!(folder.read("said"), heard.as_bytes());
                        assert_eq!(folder.read("in"), IN.as_bytes());
                        assert_eq!(folder.read("empty"), b"");
                    }
                }
            }
        }
    }
}

/// A file that lands on a closed descriptor would be read as input or written over by a message.
#[test]
fn no_file_lands_on_a_closed_descriptor() {
    let folder = folder();
    let large = support::noise(3 << 20);
    folder.write("large", &large);
    for option in ["", "-u"] {
        for closed in ["2>&-", "<&- 2>&-"] {
            let line = format!("cat {option} large missing large {closed} >out");
            folder.sh(line).run().code(1).stdout("").stderr("");
            support::same(&folder.read("out"), &[&large[..], &large].concat());
            assert_eq!(folder.read("large").len(), large.len());
        }
        let line = format!("cat {option} in - large - <&- >out");
        let twice = [BAD_INPUT, CLOSED_INPUT].concat();
        folder.sh(line).run().code(1).stderr(twice);
        support::same(&folder.read("out"), &[IN.as_bytes(), &large].concat());
    }
    folder.sh("cat -n in missing - 2>&- <&- | cat").run().stdout("     1\tdata\n");
}

#[test]
fn standard_input_is_not_closed_between_two_dashes() {
    let folder = folder();
    folder.cat(["-", "in", "-", "-"]).fed(b"a\n").success().stdout("a\ndata\n").stderr("");
}

/// Descriptors above 2 that were inherited are nobody's business.
#[test]
fn other_descriptors_are_left_alone() {
    let folder = folder();
    let line = "exec 3<empty 4>other; cat in in; echo more >&4; cat /dev/fd/3; cat in >&4";
    folder.sh(line).run().success().stdout("data\ndata\n").stderr("");
    assert_eq!(folder.read("other"), b"more\ndata\n");
}

#[test]
fn messages_stand_where_they_belong_among_the_data() {
    let folder = folder();
    let missing = "cat: missing: No such file or directory\n";
    let directory = "cat: .: Is a directory\n";
    for (option, data) in [("", "data\n"), ("-u", "data\n"), ("-E", "data$\n"), ("-A", "data$\n")] {
        let want = [data, missing, data, data, directory, data, missing].concat();
        for to in [">log 2>&1", ">>log 2>>log", "2>&1 | cat >log"] {
            folder.write("log", "");
            let line = format!("cat {option} in missing in in . in missing {to}");
            folder.sh(&line).run().stdout("").stderr("");
            assert_eq!(String::from_utf8(folder.read("log")).unwrap(), want, "{line}");
        }
    }
    let line = "cat -n in missing in >log 2>&1";
    folder.sh(line).run().code(1);
    let want = ["     1\tdata\n", missing, "     2\tdata\n"].concat();
    assert_eq!(folder.read("log"), want.as_bytes());
}
