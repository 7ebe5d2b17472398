//! What `cat` leaves behind in files: shared positions, and output that no longer depends on them.

mod support;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use nix::fcntl::{FcntlArg, fcntl};
use support::{Folder, Rest, Run, drain, noise, same};

/// Larger than any buffer or pipe, and not a multiple of anything.
const LARGE: usize = 5_000_001;

#[test]
fn copying_starts_and_ends_where_the_shared_position_is() {
    let folder = Folder::new();
    let bytes = noise(LARGE);
    folder.write("in", &bytes);
    for options in [&[][..], &["-u", "-"], &["-s"]] {
        let mut input = folder.open("in");
        input.seek(SeekFrom::Start(5)).unwrap();
        let mut output = File::create(folder.path("out")).unwrap();
        output.write_all(b"before").unwrap();
        let mut cat = folder.cat(options);
        cat.stdin(input.try_clone().unwrap()).stdout(output.try_clone().unwrap());
        cat.run().success().stderr("");
        assert_eq!(input.stream_position().unwrap(), LARGE as u64);
        output.write_all(b"after").unwrap();
        let got = folder.read("out");
        assert!(got.starts_with(b"before") && got.ends_with(b"after"));
        if options.contains(&"-s") {
            continue;
        }
        same(&got, &[b"before", &bytes[5..], b"after"].concat());
    }
    folder.sh("(cat; cat) <in | cmp - in && cat - - <in | cmp - in").run().success().stdout("");
}

#[test]
fn readers_of_one_input_follow_one_another() {
    let folder = Folder::new();
    let script = "dd bs=1 count=2 of=/dev/null 2>/dev/null; cat; printf 'after\\n'";
    folder.write("in", "a\nrest\n");
    folder.sh(format!("({script}) <in")).run().success().stdout("rest\nafter\n");
    folder.sh(script).fed(b"a\nrest\n").success().stdout("rest\nafter\n");
    folder.sh("printf 'a\\n'; cat in; printf 'b\\n'").run().success().stdout("a\na\nrest\nb\n");
}

/// Puts new bytes into `in`, in place: a file that is emptied first gets new pages.
fn overwrite(folder: &Folder, size: usize) -> File {
    let mut file = File::options().write(true).open(folder.path("in")).expect("an input file");
    file.write_all(&vec![b'n'; size]).expect("new bytes");
    file
}

/// A page that was lent to a pipe would show what is written to the file afterwards.
#[test]
fn what_was_written_stays_when_the_file_changes() {
    let folder = Folder::new();
    for (size, capacity) in [
        (4, 65536),
        (4096, 65536),
        (50_000, 65536),
        (50_000, 4096),
        (300_000, 65536),
        (300_000, 1 << 20),
        (LARGE, 65536),
        (LARGE, 1 << 20),
    ] {
        folder.write("in", vec![b'o'; size]);
        let (mut reader, writer) = std::io::pipe().unwrap();
        fcntl(&writer, FcntlArg::F_SETPIPE_SZ(capacity)).unwrap();
        let mut running = folder.cat(["in"]).stdout(writer).begin();
        // As much as cat needs to be rid of before it can end, and not much more.
        let mut got = vec![0; size.saturating_sub(2 << 20)];
        reader.read_exact(&mut got).unwrap();
        while running.until_asleep() == Rest::Asleep {
            let mut bytes = [0; 65536];
            let count = reader.read(&mut bytes).unwrap();
            got.extend_from_slice(&bytes[..count]);
        }
        running.finish().success().stderr("");
        overwrite(&folder, size).set_len(1).unwrap();
        got.extend(drain(reader));
        same(&got, &vec![b'o'; size]);
    }
}

/// The same for a file that was copied before another one: it is out of cat's hands by then.
#[test]
fn what_was_written_stays_while_the_next_input_is_waited_for() {
    let folder = Folder::new();
    for size in [4, 60_000] {
        folder.write("in", vec![b'o'; size]);
        let (reader, writer) = std::io::pipe().unwrap();
        let mut cat = folder.cat(["in", "-"]);
        let mut running = cat.stdin(std::process::Stdio::piped()).stdout(writer).begin();
        assert_eq!(running.until_asleep(), Rest::Asleep);
        overwrite(&folder, size);
        running.end_input();
        running.finish().success().stderr("");
        same(&drain(reader), &vec![b'o'; size]);
    }
}
