//! The program taken out of its image into another one, which has a shell: busybox's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::image::{Loaded, docker, unique};
use crate::{runs, succeed, there_is};

/// busybox and the libraries it asks for, as a file system.
fn file_system(root: &Path) {
    let busybox = String::from_utf8(succeed(Command::new("sh").args(["-c", "command -v busybox"])));
    let busybox = PathBuf::from(busybox.unwrap().trim());
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::copy(&busybox, root.join("bin/busybox")).unwrap();
    for name in ["sh", "head", "cat"] {
        std::os::unix::fs::symlink("busybox", root.join("bin").join(name)).unwrap();
    }
    // A busybox that is static has none.
    let listed = Command::new("ldd").arg(&busybox).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
        let place = root.join(library.trim_start_matches('/'));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(library, place).unwrap();
    }
}

/// An image with a shell. Its guard takes it away.
fn shell_image(directory: &Path) -> Loaded {
    let base = Loaded { tag: unique(), kept: tempfile::tempdir().unwrap() };
    let root = directory.join("root");
    file_system(&root);
    let archive = directory.join("root.tar");
    succeed(Command::new("tar").arg("-C").arg(&root).arg("-cf").arg(&archive).arg("."));
    succeed(docker().arg("import").arg(&archive).arg(&base.tag));
    base
}

#[test]
fn copy_from_takes_the_whole_tool() {
    let Some(image) = Loaded::new() else { return };
    if !there_is("busybox", runs("busybox", "true")) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let base = shell_image(directory.path());
    let context = directory.path().join("context");
    fs::create_dir(&context).unwrap();
    // The recipe of docs/containers.md.
    let dockerfile =
        format!("FROM {}\nCOPY --from={} /bin/cat /bin/yes /usr/local/bin/\n", base.tag, image.tag);
    fs::write(context.join("Dockerfile"), dockerfile).unwrap();
    let built = Loaded { tag: unique(), kept: tempfile::tempdir().unwrap() };
    succeed(docker().args(["build", "--tag", &built.tag]).arg(&context));

    let mut run = docker();
    let script = "(yes line; echo yes: $? >&2) 2>/tmp/status | head -n 2; cat /tmp/status; \
                  cat --version | head -n 1";
    run.args(["run", "--rm", "--network", "none", "--tmpfs", "/tmp", &built.tag]);
    let said = String::from_utf8(succeed(run.args(["sh", "-c", script]))).unwrap();
    // 141: SIGPIPE, not an error of its own.
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(said, format!("line\nline\nyes: 141\ncat (multicall) {version}\n"));
}
