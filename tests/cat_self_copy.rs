//! `cat` with the same file on both sides: refused exactly where it would never end.

mod support;

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use nix::fcntl::OFlag;
use support::{Folder, Run, add_flag};

const REFUSED: &str = "cat: a: input file is output file\n";
const REFUSED_DASH: &str = "cat: -: input file is output file\n";

/// A folder with `a` and `b`, one line each.
fn two_files() -> Folder {
    let folder = Folder::new();
    folder.write("a", "x\n");
    folder.write("b", "y\n");
    folder
}

#[test]
fn appending_a_file_to_itself_is_refused() {
    for option in ["", "-n", "-A", "-s"] {
        for (line, message) in [
            ("cat OPTION a >>a", REFUSED),
            ("cat OPTION <a >>a", REFUSED_DASH),
            ("cat OPTION - <a >>a", REFUSED_DASH),
            ("cat OPTION /dev/stdin <a >>a", "cat: /dev/stdin: input file is output file\n"),
        ] {
            let folder = two_files();
            let line = line.replace("OPTION", option);
            folder.sh(&line).run().code(1).stdout("").stderr(message);
            assert_eq!(folder.read("a"), b"x\n", "{line}");
        }
    }
}

#[test]
fn another_name_of_the_file_is_the_same_file() {
    let folder = two_files();
    std::fs::hard_link(folder.path("a"), folder.path("hard")).unwrap();
    std::os::unix::fs::symlink("a", folder.path("soft")).unwrap();
    for name in ["hard", "soft"] {
        let message = format!("cat: {name}: input file is output file\n");
        folder.sh(format!("cat {name} >>a")).run().code(1).stderr(message);
    }
    assert_eq!(folder.read("a"), b"x\n");
}

#[test]
fn the_rest_of_the_operands_still_run() {
    for (option, end) in [("", "\n"), ("-E", "$\n")] {
        let folder = two_files();
        let line = format!("cat {option} b a missing b a >>a");
        let missing = "cat: missing: No such file or directory\n";
        folder.sh(line).run().code(1).stderr([REFUSED, missing, REFUSED].concat());
        assert_eq!(folder.read("a"), format!("x\ny{end}y{end}").as_bytes());
    }
}

#[test]
fn what_ends_by_itself_is_done() {
    for option in ["", "-u", "-v"] {
        for (line, left) in [
            // The shell has emptied it already.
            ("cat OPTION a >a", ""),
            ("cat OPTION a b >a", "y\n"),
            ("cat OPTION b a >b", "x\n"),
            // Its content is written over by itself, then the next file follows.
            ("cat OPTION b >>a", "x\ny\n"),
            ("cat OPTION b 1<>a", "y\n"),
            // At its end there is nothing to read.
            ("{ cat >/dev/null; cat OPTION; } <a >>a", "x\n"),
            // The input is always as far as the output, on one descriptor or two.
            ("cat OPTION a b 1<>a", "x\ny\n"),
            ("cat OPTION - b <a 1<>a", "x\ny\n"),
            ("cat OPTION <>a >&0", "x\nx\n"),
        ] {
            let folder = two_files();
            let line = line.replace("OPTION", option);
            folder.sh(&line).run().success().stdout("").stderr("");
            let emptied = if line.contains(">b") { "b" } else { "a" };
            assert_eq!(folder.read(emptied), left.as_bytes(), "{line}");
        }
    }
}

/// The input's position against the output's decides, not whether the file is the same.
#[test]
fn positions_decide() {
    for (input_at, output_at, append, refused) in [
        (0, 0, false, false),
        (0, 4, false, true),
        (2, 4, false, true),
        (4, 4, false, false),
        (4, 2, false, false),
        (6, 2, false, false),
        (6, 6, false, false),
        (8, 0, false, false),
        (0, 0, true, true),
        (7, 0, true, true),
        (8, 0, true, false),
        (9, 0, true, false),
    ] {
        for options in [&[][..], &["-v"]] {
            let folder = Folder::new();
            folder.write("f", "12345678");
            let mut input = folder.open("f");
            input.seek(SeekFrom::Start(input_at)).unwrap();
            let mut output = File::options().write(true).open(folder.path("f")).unwrap();
            output.seek(SeekFrom::Start(output_at)).unwrap();
            if append {
                add_flag(&output, OFlag::O_APPEND);
            }
            let run = folder.cat(options).stdin(input).stdout(output).run();
            let case = format!("from {input_at} to {output_at}, append {append}");
            let run = run.append_context("positions", case.clone());
            if refused {
                run.code(1).stderr(REFUSED_DASH);
                assert_eq!(folder.read("f"), b"12345678", "{case}");
            } else {
                run.success().stderr("");
                let mut want = b"12345678".to_vec();
                let moved = want.get(input_at as usize..).unwrap_or_default().to_vec();
                want[output_at as usize..][..moved.len()].copy_from_slice(&moved);
                assert_eq!(folder.read("f"), want, "{case}");
            }
        }
    }
}

/// Pipes, terminals and devices are never the same file twice in this sense.
#[test]
fn only_regular_files_are_refused() {
    let folder = two_files();
    folder.sh("cat /dev/null >>/dev/null; cat - </dev/null >>/dev/null").run().success().stderr("");
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"through\n").unwrap();
    add_flag(&writer, OFlag::O_APPEND);
    let mut running = folder.cat(["-"]).stdin(reader).begin();
    assert_eq!(running.hear(8), b"through\n");
    drop(writer);
    running.finish().success().stderr("");
}
