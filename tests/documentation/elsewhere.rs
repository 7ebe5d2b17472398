//! The commands of the pages that are not run by the test of the pages, each with the place that
//! runs it, or the reason why none does.

/// Who runs a command.
pub(crate) enum Where {
    /// A file, and a part of its text: the test's name, or the command.
    Test(&'static str, &'static str),
    /// Nobody, for a reason.
    #[allow(dead_code, reason = "it is written for those who read it")]
    Nobody(&'static str),
}

use Where::{Nobody, Test};

const TASKS: &str = "xtask/src/test.rs";
const INSTALL: &str = "tests/packaging/install.rs";
const IMAGE: &str = "tests/packaging/image.rs";
const DEB: Where = Test("tests/packaging/deb.rs", "fn it_installs_runs_and_leaves_nothing_behind");
const LOAD: Where = Test(IMAGE, r#"["load", "--input"]"#);
const INSIDE: Where = Test(TASKS, r#"&["test", "--workspace", "--no-fail-fast"]"#);
const FAULTS: Where =
    Nobody("it is part of the whole campaign, or for programs that need not be installed");
const BENCH: Where = Nobody("it needs a machine that does nothing else, and many minutes");

/// A command as it stands in a page, without its comment.
pub(crate) const ELSEWHERE: &[(&str, Where)] = &[
    // The tests themselves: to run them from one of them would not end.
    ("cargo xtask test --setup", Test(".ci/run", "cargo xtask test --setup")),
    ("cargo xtask test", Test(".ci/run", "cargo xtask test --setup")),
    ("cargo test --test cat_options", INSIDE),
    ("cargo test --package splice-core --test matrix", INSIDE),
    ("cargo test --package splice-core --doc", INSIDE),
    ("cargo test --package xtask --test packaging", INSIDE),
    ("PROPTEST_CASES=20000 cargo test --package applet-cat", INSIDE),
    // Builds: one more each time would take longer than all tests.
    (
        "cargo run --release -- cat README.md",
        Nobody("a build; that the program shows a file is seen where its tests run it"),
    ),
    ("cargo build --release", Nobody("the build that `cargo xtask dist` makes, less its flags")),
    ("cargo xtask dist", Test("tests/packaging/main.rs", r#"xtask(&["dist"])"#)),
    (
        "cargo run --quiet --package splice-core --example copy -- Cargo.lock copy-of-the-lock",
        Test("crates/splice-core/tests/examples.rs", "fn copy_and_progress_copy_a_file"),
    ),
    (
        "cargo package --package splice-core",
        Test("tests/packaging/publish.rs", "fn the_library_is_complete_and_builds_by_itself"),
    ),
    (
        "cargo +1.88.0 check --package splice-core --package multicall",
        Test("xtask/src/oldest.rs", r#"["splice-core", "multicall"]"#),
    ),
    (
        "cargo +nightly fuzz run format -- -max_total_time=600 -max_len=4096",
        Nobody("it needs another toolchain; the same properties are tested by proptest"),
    ),
    // The fault harness.
    ("cargo xtask faults", Test(TASKS, r#"&["xtask", "faults"]"#)),
    ("cargo xtask faults --quick", FAULTS),
    ("cargo xtask faults --bin-dir peers --limit 12000 --jobs 4 --minutes 3", FAULTS),
    ("cargo xtask faults --scenario 'cat several > pipe' --inject 'read:error=EIO:when=2'", FAULTS),
    ("cargo xtask faults --real 'full disk: cat large > file, 64k >disk/full'", FAULTS),
    (
        "cargo xtask harness --out harness",
        Test("tests/packaging/harness.rs", r#"xtask(&["harness", "--out"])"#),
    ),
    // Measurements.
    ("cargo xtask bench", BENCH),
    ("cargo xtask bench --quick", BENCH),
    ("cargo xtask bench --quick --only yes/pipe", BENCH),
    ("cargo xtask bench --peer uutils=/opt/uutils/bin", BENCH),
    ("cargo xtask bench --compare OLD.json", BENCH),
    (
        "cargo xtask bench --from docs/benchmarks/results.json --out docs/benchmarks",
        Test("benches/src/published.rs", "fn report_pictures_and_readme_are_those_of_the_results"),
    ),
    // Installation, which the tests do below folders of their own.
    ("cargo xtask install", Test(INSTALL, "fn everything_is_put_where_it_belongs")),
    ("cargo xtask uninstall", Test(INSTALL, "fn everything_is_put_where_it_belongs")),
    (
        "sudo -E cargo xtask install --prefix /usr/local",
        Test(INSTALL, "fn packagers_collect_everything_below_destdir"),
    ),
    (
        "fpath=(~/.local/share/zsh/site-functions $fpath)",
        Test("tests/packaging/shells.rs", "fpath=("),
    ),
    ("cargo xtask deb", DEB),
    ("sudo dpkg --install target/dist/multicall_*.deb", DEB),
    // Images.
    ("cargo xtask image", Test(IMAGE, r#""image""#)),
    ("docker load --input target/dist/multicall-image.tar", LOAD),
    ("docker load --input multicall-image.tar", LOAD),
    (
        "docker run --rm -i multicall cat < README.md",
        Test(IMAGE, "fn it_copies_standard_input_and_a_mounted_file"),
    ),
    (
        "docker run --rm --entrypoint /bin/cat multicall --version",
        Test(IMAGE, r#""--entrypoint", "/bin/cat""#),
    ),
    (
        "docker run --rm -i --read-only --network none --cap-drop ALL multicall cat < in > out",
        Test(IMAGE, r#""--read-only", "--network", "none""#),
    ),
    (
        "docker run --rm --volume \"$PWD/file:/file:ro\" multicall cat /file",
        Test(IMAGE, "fn it_copies_standard_input_and_a_mounted_file"),
    ),
    (
        "docker build --tag multicall --build-arg VERSION=0.1.0 --build-arg \
         REVISION=\"$(git rev-parse HEAD)\" .",
        Test(IMAGE, "fn the_dockerfile_makes_an_image_that_does_the_same"),
    ),
    ("skopeo inspect oci-archive:multicall-image.tar", Test(IMAGE, "fn skopeo_reads_it")),
    (
        "skopeo copy oci-archive:multicall-image.tar docker://registry.example/multicall:latest",
        Test(IMAGE, r#""--insecure-policy", "copy""#),
    ),
    (
        "podman load --input multicall-image.tar",
        Nobody("podman is no tool of the tests; it reads the archive as skopeo does"),
    ),
    // For a person.
    (
        "man -l crates/applet-cat/cat.1",
        Test("tests/manual.rs", "fn each_page_is_clean_under_a_linter"),
    ),
];
