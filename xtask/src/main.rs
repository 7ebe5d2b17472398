//! The project's tasks: one row each here, one file each beside this one.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to whoever runs them")]

mod archive;
mod bench;
mod completions;
mod deb;
mod dist;
mod faults;
mod files;
mod harness;
mod image;
mod install;
mod layout;
mod musl;
mod oci;
mod oldest;
mod receipt;
mod run;
mod source;
mod test;
mod tools;
mod uninstall;

use std::process::ExitCode;

use clap::Parser;

/// The tasks, as `cargo xtask --help` lists them.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "The project's tasks")]
enum Task {
    /// Run everything that CI runs: format, lints, tests, documentation, faults
    Test(test::Options),
    /// Build the static program that is shipped: target/dist/multicall
    Dist(dist::Options),
    /// Install the program, its links, manual pages and completions
    Install(install::Options),
    /// Take away what was installed, and nothing else
    Uninstall(uninstall::Options),
    /// Make a container image that docker and skopeo load
    Image(image::Options),
    /// Make a Debian package
    Deb(deb::Options),
    /// Measure against every peer that is installed, and write docs/benchmarks
    Bench(bench::Options),
    /// Make every system call of the program fail in turn, and judge what it does about it
    #[command(disable_help_flag = true)]
    Faults(faults::Options),
    /// Write the fault harness into a folder that needs neither this repository nor cargo
    Harness(harness::Options),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Test(options) => test::run(&options),
        Task::Dist(options) => dist::run(&options),
        Task::Install(options) => install::run(&options),
        Task::Uninstall(options) => uninstall::run(&options),
        Task::Image(options) => image::run(&options),
        Task::Deb(options) => deb::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Faults(options) => faults::run(&options),
        Task::Harness(options) => harness::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_table_of_tasks_is_sound() {
        super::Task::command().debug_assert();
    }
}
