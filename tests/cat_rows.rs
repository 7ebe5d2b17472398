//! `cat` of many small files, which are opened in rows, before their turn: nothing of that shows.

mod support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use nix::sys::stat::Mode;
use support::{Folder, Run, noise, same};

/// Enough for rows of the greatest length.
const MANY: usize = 200;

/// Writes small files, none like another; their names and what is in them.
fn small_files(folder: &Folder) -> (Vec<String>, Vec<u8>) {
    let names: Vec<String> = (0..MANY).map(|number| format!("s{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        folder.write(name, format!("{number} of many\n").repeat(number % 4));
    }
    let bytes = names.iter().flat_map(|name| folder.read(name)).collect();
    (names, bytes)
}

fn fifo(folder: &Folder, name: &str) {
    nix::unistd::mkfifo(&folder.path(name), Mode::S_IRWXU).expect("a FIFO");
}

/// To a pipe and to a file: in the one case nobody can tell when it is written.
fn outputs(folder: &Folder, line: &str) -> [Vec<u8>; 2] {
    let piped = folder.sh(format!("cat {line}")).run().success().stderr("").get_output().clone();
    folder.sh(format!("cat {line} >out")).run().success().stderr("");
    [piped.stdout, folder.read("out")]
}

#[test]
fn all_arrive_in_their_order_whatever_stands_among_them() {
    let folder = Folder::new();
    let (names, small) = small_files(&folder);
    let all = names.join(" ");
    let large = noise(400_000);
    folder.write("large", &large);
    // The kernel makes it up as it is read, a page at a time: a read of less than was asked for is not
    // its end.
    let symbols = fs::read("/proc/kallsyms").expect("the kernel lists its symbols");
    assert!(symbols.len() > 8192);
    for (line, want) in [
        (format!("{all} /proc/kallsyms {all}"), [&small[..], &symbols, &small].concat()),
        (all.clone(), small.clone()),
        (format!("{all} large {all}"), [&small[..], &large, &small].concat()),
        (format!("{all} - {all} <large"), [&small[..], &large, &small].concat()),
        (format!("{all} - - {all} </dev/null"), small.repeat(2)),
    ] {
        for got in outputs(&folder, &line) {
            same(&got, &want);
        }
        folder.sh(format!("cat {line} >/dev/null")).run().success().stderr("");
    }
}

#[test]
fn each_failure_is_told_once_and_in_its_order() {
    let folder = Folder::new();
    let (mut names, small) = small_files(&folder);
    fs::create_dir(folder.path("folder")).unwrap();
    for (at, name) in [(150, "folder"), (100, "missing1"), (99, "folder"), (98, "missing2")] {
        names.insert(at, name.to_owned());
    }
    names.push("missing3".to_owned());
    let said = "cat: missing2: No such file or directory\ncat: folder: Is a directory\n\
                cat: missing1: No such file or directory\ncat: folder: Is a directory\n\
                cat: missing3: No such file or directory\n";
    let run = folder.cat(&names).run().code(1).stderr(said);
    same(&run.get_output().stdout, &small);
    let line = format!("exec cat {} >/dev/null", names.join(" "));
    folder.sh(line).run().code(1).stdout("").stderr(said);
}

/// Opens a FIFO, as soon as somebody reads it, and then changes the files behind it.
fn write_and_change(folder: &Folder) -> thread::JoinHandle<()> {
    folder.write("changed", "before\n");
    let _ = fs::remove_file(folder.path("folder"));
    fs::create_dir(folder.path("folder")).expect("a folder");
    let _ = fs::remove_file(folder.path("late"));
    let [fifo, new, changed, late, was_folder] =
        ["fifo", "new", "changed", "late", "folder"].map(|name| folder.path(name));
    let change = move || {
        let mut writer = File::options().write(true).open(fifo)?;
        writer.write_all(b"waited for\n")?;
        fs::write(&new, "after\n")?;
        fs::rename(new, changed)?;
        fs::remove_dir(&was_folder)?;
        fs::write(was_folder, "a file now\n")?;
        fs::write(late, "late\n")
    };
    thread::spawn(move || change().expect("the files are changed"))
}

const BEHIND: [&str; 4] = ["fifo", "folder", "changed", "late"];
const CHANGED: &[u8] = b"waited for\na file now\nafter\nlate\n";

/// Where there is something to wait for, whoever is waited for may change what comes after it.
#[test]
fn files_behind_a_wait_are_those_that_are_there_after_it() {
    let folder = Folder::new();
    let (names, _) = small_files(&folder);
    fifo(&folder, "fifo");
    // Wherever it stands in a row.
    for count in MANY - 17..MANY {
        let writer = write_and_change(&folder);
        let operands = [&names[..count], &BEHIND.map(String::from)].concat();
        let run = folder.cat(&operands).run().success().stderr("");
        writer.join().unwrap();
        let want: Vec<u8> = names[..count].iter().flat_map(|name| folder.read(name)).collect();
        same(&run.get_output().stdout, &[&want[..], CHANGED].concat());
    }
}

/// Also where nothing is waited for in the end, since the FIFO was written and closed before its
/// turn came, but after the files behind it were opened: here the output holds `cat` up in between.
#[test]
fn files_behind_a_fifo_are_those_that_are_there_at_its_end() {
    let folder = Folder::new();
    fifo(&folder, "fifo");
    let small = noise(20_000);
    folder.write("small", &small);
    for count in MANY - 17..MANY {
        let writer = write_and_change(&folder);
        let operands = [&vec!["small"; count][..], &BEHIND].concat();
        let (mut reader, output) = std::io::pipe().unwrap();
        let mut cat = folder.cat(&operands).stdout(output).spawn().unwrap();
        let mut got = Vec::new();
        let mut page = [0; 4096];
        while !writer.is_finished() {
            match reader.read(&mut page).unwrap() {
                0 => break,
                read => got.extend(&page[..read]),
            }
            thread::sleep(Duration::from_micros(50));
        }
        reader.read_to_end(&mut got).unwrap();
        // First of all: if it ended too early, the writer may wait for ever.
        assert!(cat.wait().unwrap().success());
        same(&got, &[&small.repeat(count), CHANGED].concat());
        writer.join().unwrap();
    }
}

/// A FIFO that is opened early has a reader from then on: if it were closed until its turn, its
/// writer would be told that nobody reads, or lose what it wrote.
#[test]
fn the_writer_of_a_fifo_keeps_its_reader() {
    let folder = Folder::new();
    let (names, _) = small_files(&folder);
    let large = noise(3_000_000);
    folder.write("large", &large);
    fifo(&folder, "fifo");
    for count in MANY - 17..MANY {
        let path = folder.path("fifo");
        let writer = thread::spawn(move || {
            File::options().write(true).open(path).unwrap().write_all(b"from the fifo\n")
        });
        let operands = [&names[..count], &["large", "fifo", "s1"].map(String::from)].concat();
        let run = folder.cat(&operands).run().success().stderr("");
        writer.join().unwrap().unwrap();
        let small: Vec<u8> = names[..count].iter().flat_map(|name| folder.read(name)).collect();
        let want = [&small[..], &large, b"from the fifo\n", &folder.read("s1")].concat();
        same(&run.get_output().stdout, &want);
    }
}

#[test]
fn few_descriptors_make_short_rows() {
    let folder = Folder::new();
    let (names, small) = small_files(&folder);
    folder.write("large", noise(300_000));
    let want = [&small[..], &noise(300_000), &small].concat();
    let line = format!("{0} large {0}", names.join(" "));
    for limit in [20, 10, 8, 7, 6, 5, 4] {
        let run = folder.sh(format!("ulimit -n {limit}; exec cat {line}")).run();
        let run = run.success().stderr("");
        same(&run.get_output().stdout, &want);
        for sink in ["out", "/dev/null"] {
            let script = format!("exec >{sink}; ulimit -n {limit}; exec cat {line}");
            folder.sh(script).run().success().stdout("").stderr("");
        }
        same(&folder.read("out"), &want);
    }
}

/// An input that is the output is refused where it stands, with what was written before it.
#[test]
fn the_output_among_them_is_refused() {
    let folder = Folder::new();
    let (names, small) = small_files(&folder);
    let (before, after) = names.split_at(MANY - 5);
    let line = format!("exec cat {} out {} >out", before.join(" "), after.join(" "));
    folder.sh(line).run().code(1).stderr("cat: out: input file is output file\n");
    same(&folder.read("out"), &small);
}
