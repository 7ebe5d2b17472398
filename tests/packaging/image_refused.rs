//! The image under seccomp profiles that refuse what makes it fast.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::image::{Loaded, beginning_of_yes, lines};
use crate::{all_bytes, feed, said};

/// With which error a profile refuses, and what the C library calls it.
const ERRORS: [(u32, &str); 2] = [(1, "Operation not permitted"), (38, "Function not implemented")];

/// A profile that refuses the calls that move data by reference. `and_close` makes it refuse to
/// close standard output too, which nobody can miss.
fn profile(image: &Loaded, errno: u32, and_close: bool) -> String {
    let refused = ["splice", "tee", "vmsplice", "copy_file_range", "sendfile", "socketpair"];
    let action = "SCMP_ACT_ERRNO";
    let mut calls = vec![json!({ "names": refused, "action": action, "errnoRet": errno })];
    if and_close {
        let output = json!([{ "index": 0, "value": 1, "op": "SCMP_CMP_EQ" }]);
        let close = ["close"];
        let rule = json!({ "names": close, "action": action, "errnoRet": errno, "args": output });
        calls.push(rule);
    }
    let path: PathBuf = image.kept.path().join(format!("{errno}-{and_close}.json"));
    let profile = json!({ "defaultAction": "SCMP_ACT_ALLOW", "syscalls": calls });
    fs::write(&path, profile.to_string()).unwrap();
    format!("seccomp={}", path.display())
}

#[test]
fn data_moves_by_read_and_write() {
    let Some(image) = Loaded::new() else { return };
    let data = all_bytes(3_000_001);
    let file = image.kept.path().join("file");
    fs::write(&file, &data).unwrap();
    let mount = format!("{}:/data:ro", file.display());
    for (errno, words) in ERRORS {
        let seccomp = profile(&image, errno, false);
        let options = ["--security-opt", &seccomp, "--volume", &mount];
        let output = feed(&mut image.run(&options, &["cat", "/data", "-"]), &data);
        assert_eq!(output.status.code(), Some(0), "{words}");
        assert_eq!(output.stderr, b"");
        assert!(output.stdout == [&data[..], &data].concat(), "{words}");
        assert!(beginning_of_yes(&image, &options) == lines(), "{words}");
    }
}

/// If the engine left profiles unread, the test above would prove nothing.
#[test]
fn the_engine_does_apply_such_profiles() {
    let Some(image) = Loaded::new() else { return };
    for (errno, words) in ERRORS {
        let seccomp = profile(&image, errno, true);
        let mut cat = image.run(&["--security-opt", &seccomp], &["cat"]);
        let output = feed(&mut cat, b"line\n");
        let expected = format!("cat: write error: {words}\n");
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected, "{}", said(&output));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"line\n");
    }
}
