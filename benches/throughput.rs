//! `cargo bench --bench throughput -- [OPTION]...`: see the crate `bench` next to this file.

use std::process::ExitCode;

fn main() -> ExitCode {
    bench::main()
}
