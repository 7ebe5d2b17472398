//! What `cat` says about inputs that cannot be read, to the byte, and how it quotes their names.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;

use nix::unistd::Uid;
use support::{Folder, Run, multicall};

#[test]
fn every_input_that_fails_is_named_and_the_rest_is_copied() {
    let folder = Folder::new();
    folder.write("in", "data\n");
    fs::create_dir(folder.path("directory")).unwrap();
    symlink("loop", folder.path("loop")).unwrap();
    symlink("nowhere", folder.path("dangling")).unwrap();
    let long = "x".repeat(256);
    let table: &[(&str, &str)] = &[
        ("missing", "No such file or directory"),
        ("no/directory", "No such file or directory"),
        ("dangling", "No such file or directory"),
        ("directory", "Is a directory"),
        ("directory/", "Is a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("in/", "Not a directory"),
        ("in/x", "Not a directory"),
        (&long, "File name too long"),
        ("/proc/self/mem", "Input/output error"),
    ];
    let mut all = Vec::new();
    for options in [&[][..], &["-A"]] {
        let data = if options.is_empty() { "data\n" } else { "data$\n" };
        let mut line = Vec::new();
        all.clear();
        for (name, reason) in table {
            let message = format!("cat: {name}: {reason}\n");
            let mut cat = folder.cat(options);
            cat.arg(name).run().code(1).stdout("").stderr(message.clone());
            line.extend([*name, "in"]);
            all.push(message);
        }
        let mut cat = folder.cat(options);
        let run = cat.args(&line).run().code(1).stderr(all.concat());
        run.stdout(data.repeat(table.len()));
    }
}

#[test]
fn an_empty_name_is_shown() {
    let folder = Folder::new();
    folder.cat([""]).run().code(1).stdout("").stderr("cat: '': No such file or directory\n");
}

#[test]
fn a_directory_on_standard_input_is_a_dash() {
    let folder = Folder::new();
    for line in ["cat <.", "cat - <.", "cat -n <."] {
        folder.sh(line).run().code(1).stdout("").stderr("cat: -: Is a directory\n");
    }
}

#[test]
fn a_socket_file_is_never_connected_to() {
    let folder = Folder::new();
    // Its path must be short, which that of a temporary folder need not be.
    let short = tempfile::tempdir_in("/tmp").unwrap();
    let listener = UnixListener::bind(short.path().join("s")).unwrap();
    listener.set_nonblocking(true).unwrap();
    folder.write("in", "data\n");
    let mut cat = folder.cat(["s"]);
    cat.arg(folder.path("in")).current_dir(short.path());
    cat.run().code(1).stdout("data\n").stderr("cat: s: No such device or address\n");
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn a_file_that_may_not_be_read() {
    let folder = Folder::new();
    folder.write("secret", "secret\n");
    folder.write("open", "open\n");
    let set = |path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(folder.path("secret"), 0o000);
    set(folder.path("").join("../.."), 0o755);
    set(folder.path(".."), 0o755);
    // A copy: the program itself may stand where another user cannot come.
    folder.executable(multicall(), "cat");
    let mut cat = folder.command(folder.path("cat"));
    cat.args(["secret", "open"]);
    if Uid::effective().is_root() {
        cat.uid(65534).gid(65534);
    }
    cat.run().code(1).stdout("open\n").stderr("cat: secret: Permission denied\n");
}

/// The message about a missing file of that name.
fn missing(quoted: &[u8]) -> Vec<u8> {
    [b"cat: ", quoted, b": No such file or directory\n"].concat()
}

#[test]
fn names_are_quoted_as_a_shell_needs_them() {
    let table: &[(&[u8], &str)] = &[
        (b"plain", "plain"),
        (b"%+,-./@]_{}", "%+,-./@]_{}"),
        (b"x/y.z-1", "x/y.z-1"),
        (b"a b", "'a b'"),
        (b" ", "' '"),
        (b"a:b", "'a:b'"),
        (b"it's", "\"it's\""),
        (b"'", "\"'\""),
        (b"it's a", "\"it's a\""),
        (b"it's a:b", "\"it's a:b\""),
        (b"it's $5", r"'it'\''s $5'"),
        (b"a'b\"c", r#"'a'\''b"c'"#),
        (b"''", "\"''\""),
        (b"\"", "'\"'"),
        (b"\\", r"'\'"),
        (b"a\\'b", r"'a\'\''b'"),
        (b"#", "'#'"),
        (b"#a", "'#a'"),
        (b"a#", "a#"),
        (b"~", "'~'"),
        (b"~a", "'~a'"),
        (b"a~", "a~"),
        (b"{", "'{'"),
        (b"}", "'}'"),
        (b"{}", "{}"),
        (b"{a", "{a"),
        (b"a}", "a}"),
        (b"[", "'['"),
        (b"]", "]"),
        (b"a=b", "'a=b'"),
        (b"a^b", "'a^b'"),
        (b"a!b", "'a!b'"),
        (b"a\nb", r"'a'$'\n''b'"),
        (b"\n", r"''$'\n'"),
        (b"\na", r"''$'\n''a'"),
        (b"a\n", r"'a'$'\n'"),
        (b"\n\t", r"''$'\n\t'"),
        (b"\x01\x1b\x7f", r"''$'\001\033\177'"),
        (b"\x07\x08\t\n\x0b\x0c\r", r"''$'\a\b\t\n\v\f\r'"),
        (b"\xff", r"''$'\377'"),
        (b"a\xffb", r"'a'$'\377''b'"),
        (b"\xff1", r"''$'\377''1'"),
        (b"\xc3\xa9", r"''$'\303\251'"),
        (b"it's\nx", r"'it'\''s'$'\n''x'"),
        (b"\n'", r"''$'\n'\'''"),
        (b"'\n", r"''\'''$'\n'"),
        (b"a b\nc d", r"'a b'$'\n''c d'"),
    ];
    let folder = Folder::new();
    for (name, quoted) in table {
        let name = OsStr::from_bytes(name);
        folder.cat([name]).run().code(1).stdout("").stderr(missing(quoted.as_bytes()));
    }
}

/// One run that names every byte there can be, alone and between letters.
#[test]
fn every_byte_of_a_name() {
    let (mut names, mut messages) = (Vec::new(), Vec::new());
    for byte in (1..=255_u8).filter(|byte| !b"/.".contains(byte)) {
        let letter = byte as char;
        let needed = match byte {
            b'\'' => "\"'\"".to_owned(),
            7..=13 => format!("''$'\\{}'", ["a", "b", "t", "n", "v", "f", "r"][byte as usize - 7]),
            1..=31 | 127.. => format!("''$'\\{byte:03o}'"),
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => letter.to_string(),
            _ if "%+,@]_".contains(letter) => letter.to_string(),
            _ => format!("'{letter}'"),
        };
        let between = match byte {
            b'\'' => "\"a'b\"".to_owned(),
            b'#' | b'~' | b'{' | b'}' | b'-' => format!("a{letter}b"),
            _ if needed.starts_with("''$") => format!("'a{}'b'", &needed[1..]),
            _ if needed.starts_with('\'') => format!("'a{letter}b'"),
            _ => format!("a{letter}b"),
        };
        if byte != b'-' {
            names.push(vec![byte]);
            messages.push(missing(needed.as_bytes()));
        }
        names.push(vec![b'a', byte, b'b']);
        messages.push(missing(between.as_bytes()));
    }
    let folder = Folder::new();
    let names = names.iter().map(|name| OsStr::from_bytes(name));
    folder.cat(names).run().code(1).stdout("").stderr(messages.concat());
}

#[test]
fn utf8_may_stay_as_it_is_in_a_utf8_locale() {
    let folder = Folder::new();
    for locale in ["C.UTF-8", "en_US.utf8"] {
        let mut cat = folder.cat(["é", "a\u{80}", "中 文"]);
        let said = cat.env("LC_ALL", locale).run().code(1).stdout("").get_output().stderr.clone();
        let said = String::from_utf8(said).unwrap();
        let lines: Vec<&str> = said.lines().collect();
        let end = ": No such file or directory";
        assert!(
            [format!("cat: é{end}"), format!("cat: ''$'\\303\\251'{end}")]
                .contains(&lines[0].to_owned())
        );
        assert_eq!(lines[1], format!("cat: 'a'$'\\302\\200'{end}"));
        assert!(
            [
                format!("cat: '中 文'{end}"),
                format!("cat: ''$'\\344\\270\\255'' '$'\\346\\226\\207'{end}")
            ]
            .contains(&lines[2].to_owned())
        );
    }
}

#[test]
fn a_long_name_is_shown_whole() {
    let folder = Folder::new();
    let name = "a b/".repeat(1000);
    let message = format!("cat: '{name}': No such file or directory\n");
    folder.cat([&name]).run().code(1).stdout("").stderr(message);
}
