//! Nothing is forgotten: the scenarios beside the applets and the tables of the harness, held
//! against lists of what there must be.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fault_harness::book::Book;
use fault_harness::scenario::{Input, Scenario, Sink, SourceKind};
use fault_harness::{calls, real, seccomp};

const SINKS: [Sink; 9] = [
    Sink::Pipe,
    Sink::SlowPipe,
    Sink::PagePipe,
    Sink::NonblockingPipe,
    Sink::File,
    Sink::AppendFile,
    Sink::Null,
    Sink::Socket,
    Sink::Terminal,
];

fn book(package: &str) -> Book {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    Book::read(&crates.join(package).join("faults.toml")).unwrap()
}

fn scenarios(package: &str) -> Vec<Scenario> {
    book(package).scenarios().unwrap()
}

fn is_alone(scenario: &Scenario, fits: impl Fn(&Input) -> bool) -> bool {
    matches!(&scenario.inputs[..], [input] if fits(input))
}

fn file_of(scenario: &Scenario, sizes: std::ops::Range<usize>) -> bool {
    is_alone(scenario, |it| it.kind == SourceKind::File && sizes.contains(&it.bytes.len()))
}

fn is_of(scenario: &Scenario, kind: SourceKind) -> bool {
    is_alone(scenario, |input| input.kind == kind)
}

type Source = (&'static str, fn(&Scenario) -> bool);

const SOURCES: &[Source] = &[
    ("a small file", |it| file_of(it, 1..32 << 10)),
    ("a medium file", |it| file_of(it, 32 << 10..256 << 10)),
    ("a large file", |it| file_of(it, 2 << 20..64 << 20)),
    ("several, one missing, one unreadable", |it| {
        let has = |kind| it.inputs.iter().any(|input| input.kind == kind);
        has(SourceKind::File) && has(SourceKind::Missing) && has(SourceKind::Unreadable)
    }),
    ("a FIFO", |it| is_of(it, SourceKind::Fifo)),
    ("a pipe", |it| is_of(it, SourceKind::Pipe)),
    ("a socket", |it| is_of(it, SourceKind::Socket)),
    ("a terminal", |it| is_of(it, SourceKind::Terminal)),
    ("/dev/zero, read up to a limit", |it| {
        it.endless && is_alone(it, |input| input.name == "/dev/zero")
    }),
];

#[test]
fn cat_is_run_with_every_source_sink_and_option() {
    let scenarios = scenarios("applet-cat");
    for (source, is_it) in SOURCES {
        for sink in SINKS {
            for option in ["", "-n", "-A", "-s"] {
                let there = scenarios.iter().any(|it| {
                    let plain = it.environment.is_empty() && it.before.is_empty();
                    plain && it.sink == sink && it.option == option && is_it(it)
                });
                assert!(there, "{source} > {} with '{option}'", sink.name());
            }
        }
    }
}

#[test]
fn yes_is_run_into_every_sink_by_every_path() {
    let scenarios = scenarios("applet-yes");
    for path in ["", "vmsplice", "copy"] {
        for sink in SINKS {
            let there = scenarios.iter().any(|it| {
                let chosen = it.environment.first().map_or("", |(_, value)| value);
                it.endless && it.sink == sink && chosen == path
            });
            assert!(there, "yes > {} by '{path}'", sink.name());
        }
    }
}

#[test]
fn dispatch_texts_and_installation_are_run() {
    let of = ["applet-cat", "applet-yes", "multicall"].map(scenarios);
    for (sink, scenarios) in SINKS.iter().flat_map(|sink| of.iter().map(move |it| (sink, it))) {
        for text in ["--help", "--version"] {
            let there = scenarios.iter().any(|it| it.sink == *sink && it.arguments == [text]);
            assert!(there, "{} {text} > {}", scenarios[0].applet, sink.name());
        }
    }
    let [.., multicall] = &of;
    for (sink, applet) in SINKS.iter().flat_map(|sink| ["cat", "yes"].map(|it| (sink, it))) {
        let there = multicall.iter().any(|it| it.sink == *sink && it.before == [applet]);
        assert!(there, "multicall {applet} > {}", sink.name());
    }
    for arguments in [
        "help cat",
        "help yes",
        "--list",
        "--install links",
        "--install -s links",
        "--install -s -f links",
    ] {
        let there = multicall.iter().any(|it| it.arguments.join(" ") == arguments);
        assert!(there, "multicall {arguments}");
    }
}

#[test]
fn each_scenario_has_a_name_of_its_own() {
    let mut seen = BTreeSet::new();
    for scenario in ["applet-cat", "applet-yes", "multicall"].map(scenarios).iter().flatten() {
        assert!(seen.insert(scenario.name.clone()), "twice: {}", scenario.name);
    }
}

/// The errors of each call's manual page (section 2 of man-pages 6.03), less EWOULDBLOCK, which is
/// EAGAIN, and what belongs to every call.
const MANUAL: &[(&str, &str)] = &[
    ("read", "EAGAIN EBADF EFAULT EINVAL EIO EISDIR"),
    ("readv", "EAGAIN EBADF EFAULT EINVAL EIO EISDIR"),
    ("write", "EAGAIN EBADF EDESTADDRREQ EDQUOT EFAULT EFBIG EINVAL EIO ENOSPC EPIPE"),
    ("writev", "EAGAIN EBADF EDESTADDRREQ EDQUOT EFAULT EFBIG EINVAL EIO ENOSPC EPIPE"),
    ("splice", "EAGAIN EBADF EINVAL ENOMEM ESPIPE"),
    ("tee", "EAGAIN EINVAL ENOMEM"),
    ("vmsplice", "EAGAIN EBADF EINVAL ENOMEM"),
    ("sendfile", "EAGAIN EBADF EFAULT EINVAL EIO ENOMEM EOVERFLOW ESPIPE"),
    (
        "copy_file_range",
        "EBADF EFBIG EINVAL EIO EISDIR ENOMEM ENOSPC EOPNOTSUPP EOVERFLOW ETXTBSY EXDEV",
    ),
    (
        "openat",
        "EACCES EBADF EBUSY EDQUOT EEXIST EFAULT EFBIG EINVAL EISDIR ELOOP EMFILE ENAMETOOLONG \
         ENFILE ENODEV ENOENT ENOMEM ENOSPC ENOTDIR ENXIO EOPNOTSUPP EOVERFLOW EROFS ETXTBSY",
    ),
    ("fstat", "EACCES EBADF EFAULT EINVAL ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR EOVERFLOW"),
    ("fcntl", "EACCES EAGAIN EBADF EBUSY EDEADLK EFAULT EINVAL EMFILE ENOLCK ENOTDIR"),
    ("pipe2", "EFAULT EINVAL EMFILE ENFILE ENOPKG"),
    ("socketpair", "EAFNOSUPPORT EFAULT EMFILE ENFILE EOPNOTSUPP EPROTONOSUPPORT"),
    ("poll", "EFAULT EINVAL ENOMEM"),
    ("ppoll", "EFAULT EINVAL ENOMEM"),
    ("lseek", "EBADF EINVAL ENXIO EOVERFLOW ESPIPE"),
    ("close", "EBADF EDQUOT EIO ENOSPC"),
    ("fadvise64", "EBADF EINVAL ESPIPE"),
    ("fstatfs", "EBADF EFAULT EIO ENOMEM EOVERFLOW"),
    ("mmap", "EACCES EAGAIN EBADF EEXIST EINVAL ENFILE ENODEV ENOMEM EOVERFLOW ETXTBSY"),
    ("mremap", "EAGAIN EFAULT EINVAL ENOMEM"),
    ("brk", "ENOMEM"),
    ("ioctl", "EBADF EFAULT EINVAL ENOTTY"),
    ("getsockopt", "EBADF EFAULT EINVAL ENOPROTOOPT ENOTSOCK"),
    ("setsockopt", "EBADF EFAULT EINVAL ENOPROTOOPT ENOTSOCK"),
    (
        "linkat",
        "EACCES EBADF EDQUOT EEXIST EFAULT EINVAL EIO ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM \
         ENOSPC ENOTDIR EROFS EXDEV",
    ),
    (
        "symlinkat",
        "EACCES EBADF EDQUOT EEXIST EFAULT EIO ELOOP ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR \
         EROFS",
    ),
];

#[test]
fn each_call_fails_with_every_error_of_its_manual_page() {
    for (name, manual) in MANUAL {
        let call = calls::find(name).unwrap();
        let injected: BTreeSet<&str> = call.errors().collect();
        for error in manual.split_whitespace().chain(["ENOSYS", "EPERM", "EINTR"]) {
            assert!(injected.contains(error), "{name} never fails with {error}");
        }
    }
}

/// Kinds of real faults, and words of the trials that each must have.
const REAL: &[(&str, &[&str])] = &[
    ("full disk", &["4k >", "64k >", "1m >", ">>"]),
    ("file size limit", &["ulimit -f 0", "ulimit -f 128", "SIGXFSZ ignored"]),
    ("descriptor limit", &["ulimit -n 3", "ulimit -n 4", "ulimit -n 5", "ulimit -n 8"]),
    ("memory limit", &["ulimit -v 1024", "ulimit -v 2048", "ulimit -v 8"]),
    ("reader gone", &["after 0", "after 1", "after 4096", "after 65536", "SIGPIPE ignored"]),
    ("socket reset", &["input after 0", "input after 5000", "output after 5000"]),
    ("terminal closed", &["input after 0", "output after 1000"]),
    ("file changes", &["cut to 0", "cut to 65536", "doubled"]),
    (
        "standard streams",
        &[
            "input closed",
            "output closed",
            "errors closed",
            "everything closed",
            "input write-only",
            "output read-only",
            "errors read-only",
            "errors full",
            "output full",
        ],
    ),
    ("sandbox", &["splice kill", "with MULTICALL_IO=copy"]),
];

#[test]
fn every_kind_of_real_fault_is_there() {
    let books = ["applet-cat", "applet-yes", "multicall"].map(book);
    let scenarios: Vec<Scenario> = books.iter().flat_map(|it| it.scenarios().unwrap()).collect();
    let hatches: BTreeMap<_, _> = books.into_iter().map(|it| (it.applet, it.copy_only)).collect();
    let names = real::names(&scenarios, &hatches);
    let is_there = |kind: &str, words: &str| {
        names.iter().any(|name| name.starts_with(&format!("{kind}: ")) && name.contains(words))
    };
    for (kind, trials) in REAL {
        for words in *trials {
            assert!(is_there(kind, words), "{kind}: {words}");
        }
    }
    for (call, _) in seccomp::DISPENSABLE {
        for answer in ["says ENOSYS", "says EPERM", "kills"] {
            assert!(is_there("sandbox", &format!("{call} {answer}")), "{call} {answer}");
        }
    }
    let memory = |it: &&Scenario| it.inputs.iter().any(|input| input.name == "/proc/self/mem");
    assert!(scenarios.iter().filter(memory).any(|scenario| scenario.real));
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "two real faults have the same name");
}
