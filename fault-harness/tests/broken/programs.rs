//! A `cat` and a `yes`, each with one defect: the one that the first folder of PATH, where the
//! harness finds programs, is called after. `sound` is none.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::stdio::{stderr, stdin, stdout};

/// What went wrong, and on whose side.
enum Failure {
    Read(Errno),
    Write(Errno),
}

struct Program {
    name: &'static str,
    defect: String,
}

/// Becomes the program called `name`.
pub(crate) fn run(name: &str) -> ExitCode {
    let path = std::env::var("PATH").unwrap_or_default();
    let folder = path.split(':').next().unwrap_or_default();
    let defect = Path::new(folder).file_name().and_then(|it| it.to_str()).unwrap_or_default();
    let operands: Vec<String> = std::env::args().skip(1).collect();
    if operands == ["--version"] {
        return ExitCode::SUCCESS;
    }
    let name = if name == "cat" { "cat" } else { "yes" };
    let program = Program { name, defect: defect.to_owned() };
    if name == "cat" { program.cat(&operands) } else { program.yes() }
}

impl Program {
    fn has(&self, defect: &str) -> bool {
        self.defect == defect
    }

    fn cat(&self, operands: &[String]) -> ExitCode {
        let mut failed = false;
        if operands.is_empty() {
            return match self.copy(stdin()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => self.report("-", &failure).unwrap_or_else(|| self.failed()),
            };
        }
        for operand in operands {
            let file = match self.retry(|| File::open(operand).map_err(|error| errno(&error))) {
                Ok(file) => file,
                Err(error) => {
                    failed = true;
                    self.say(operand, error);
                    continue;
                }
            };
            let copied = self.copy(file.as_fd());
            // A debug build of the standard library looks at descriptors before it closes them,
            // and aborts when it does not like what a fault shows it.
            std::mem::forget(file);
            if let Err(failure) = copied {
                if let Some(status) = self.report(operand, &failure) {
                    return status;
                }
                failed = true;
            }
        }
        if failed { self.failed() } else { ExitCode::SUCCESS }
    }

    fn failed(&self) -> ExitCode {
        ExitCode::from(if self.has("fails-with-two") { 2 } else { 1 })
    }

    /// Says what failed; gives a status if that ends the run.
    fn report(&self, operand: &str, failure: &Failure) -> Option<ExitCode> {
        match failure {
            Failure::Read(error) => {
                self.say(operand, *error);
                self.has("stops-at-a-bad-input").then(|| self.failed())
            }
            Failure::Write(error) => {
                let wrong = self.has("blames-the-wrong-side");
                self.say(if wrong { operand } else { "write error" }, *error);
                let good = self.has("succeeds-after-write-errors");
                Some(if good { ExitCode::SUCCESS } else { self.failed() })
            }
        }
    }

    fn copy(&self, input: BorrowedFd<'_>) -> Result<(), Failure> {
        if self.has("takes-its-time") {
            std::thread::sleep(std::time::Duration::from_millis(400));
        }
        let mut buffer = [0; 40_000];
        loop {
            let count = match self.retry(|| rustix::io::read(input, &mut buffer)) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(_) if self.has("swallows-read-errors") => return Ok(()),
                // After one error of many: a hang takes its time to be known.
                Err(Errno::IO) if self.has("waits-for-ever") => wait_for_ever(),
                Err(error) => return Err(Failure::Read(error)),
            };
            self.write(&buffer[..count])?;
        }
    }

    fn yes(&self) -> ExitCode {
        let lines = b"broken\n".repeat(6_000);
        loop {
            if let Err(Failure::Write(error)) = self.write(&lines) {
                let wrong = self.has("blames-the-wrong-side");
                self.say(if wrong { "standard input" } else { "standard output" }, error);
                let good = self.has("succeeds-after-write-errors");
                return if good { ExitCode::SUCCESS } else { self.failed() };
            }
        }
    }

    fn write(&self, mut bytes: &[u8]) -> Result<(), Failure> {
        while !bytes.is_empty() {
            match self.retry(|| rustix::io::write(stdout(), bytes)) {
                // A kernel that takes nothing of something will not take it later either.
                Ok(0) => return Err(Failure::Write(Errno::IO)),
                Ok(_) if self.has("drops-short-writes") => return Ok(()),
                Ok(count) => bytes = &bytes[count..],
                Err(_) if self.has("retries-for-ever") => {}
                Err(Errno::IO) if self.has("waits-for-ever") => wait_for_ever(),
                Err(Errno::IO) if self.has("computes-for-ever") => loop {
                    std::hint::spin_loop();
                },
                Err(error) => return Err(Failure::Write(error)),
            }
        }
        Ok(())
    }

    /// Interrupted calls again, refused ones when `poll` says so.
    fn retry<T>(&self, mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
        loop {
            let outcome = call();
            match outcome {
                Err(Errno::INTR) if !self.has("shows-interruptions") => {}
                Err(Errno::AGAIN) => {
                    let mut watched = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
                    // What `poll` says is of no interest: the call is made again.
                    let _ = poll(&mut watched, None);
                }
                Err(error) if self.has("panics") && error != Errno::NOENT => {
                    panic!("called `Result::unwrap()` on an `Err` value: {error:?}")
                }
                outcome => return outcome,
            }
        }
    }

    fn say(&self, subject: &str, error: Errno) {
        if self.has("says-nothing") && error != Errno::NOENT {
            return;
        }
        let mut words = std::io::Error::from(error).to_string();
        if !self.has("speaks-to-programmers") || error == Errno::NOENT {
            words.truncate(words.find(" (os error").unwrap_or(words.len()));
        }
        let line = format!("{}: {subject}: {words}\n", self.name);
        let twice = self.has("says-it-twice") && error != Errno::NOENT;
        for _ in 0..=usize::from(twice) {
            let _ = rustix::io::write(stderr(), line.as_bytes());
        }
    }
}

/// Reads from a pipe that nobody else has.
fn wait_for_ever() -> ! {
    loop {
        if let Ok((reader, writer)) = rustix::pipe::pipe() {
            // No word ever comes, and there is no end as long as the writer is there.
            let _ = rustix::io::read(&reader, &mut [0]);
            drop(writer);
        }
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_raw_os_error(error.raw_os_error().unwrap_or(0))
}
