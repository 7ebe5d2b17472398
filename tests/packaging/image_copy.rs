//! The program taken out of its image into another one, which has a shell: busybox's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::image::{Loaded, docker, unique};
use crate::{runs, said, succeed, there_is};

/// busybox and the libraries it asks for, as a file system.
fn file_system(root: &Path) {
    let busybox = String::from_utf8(succeed(Command::new("sh").args(["-c", "command -v busybox"])));
    let busybox = PathBuf::from(busybox.unwrap().trim());
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::copy(&busybox, root.join("bin/busybox")).unwrap();
    for name in ["sh", "head", "mkfifo"] {
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

/// An image with a shell and our tools, by the recipe of docs/containers.md.
fn shell_image_with_tools() -> Option<Loaded> {
    let image = Loaded::new()?;
    if !there_is("busybox", runs("busybox", "true")) {
        return None;
    }
    let built = Loaded { tag: unique(), kept: tempfile::tempdir().unwrap() };
    let base = shell_image(built.kept.path());
    let context = built.kept.path().join("context");
    fs::create_dir(&context).unwrap();
    let dockerfile =
        format!("FROM {}\nCOPY --from={} /bin/cat /bin/yes /usr/local/bin/\n", base.tag, image.tag);
    fs::write(context.join("Dockerfile"), dockerfile).unwrap();
    succeed(docker().args(["build", "--tag", &built.tag]).arg(&context));
    Some(built)
}

fn run_script(image: &Loaded, options: &[&str], script: &str) -> Output {
    let mut run = docker();
    run.args(["run", "--rm", "--network", "none", "--tmpfs", "/tmp"]).args(options);
    run.arg(&image.tag).args(["sh", "-c", script]).output().unwrap()
}

#[test]
fn copy_from_takes_the_whole_tool() {
    let Some(image) = shell_image_with_tools() else { return };
    let script = "cd /usr/local/bin; (./yes line; echo yes: $? >&2) 2>/tmp/status | head -n 2; \
                  ./cat /tmp/status; ./cat --version | head -n 1";
    let output = run_script(&image, &[], script);
    // 141: SIGPIPE, not an error of its own.
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("line\nline\nyes: 141\ncat (multicall) {version}\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", said(&output));
}

/// The kernel does not kill the first process of a container by a signal that it does not handle.
#[test]
fn as_the_first_process_yes_reports_what_would_kill_it_elsewhere() {
    let Some(image) = shell_image_with_tools() else { return };
    let script = "mkfifo /tmp/fifo; head -n 1 /tmp/fifo & exec /usr/local/bin/yes > /tmp/fifo";
    let first = run_script(&image, &[], script);
    assert_eq!(first.stderr, b"yes: standard output: Broken pipe\n", "{}", said(&first));
    assert_eq!(first.status.code(), Some(1));
    let second = run_script(&image, &["--init"], script);
    assert_eq!(second.stderr, b"", "{}", said(&second));
    assert_eq!(second.status.code(), Some(141));
}
