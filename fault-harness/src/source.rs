//! Makes inputs: files before the first run, streams for each run.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;

use crate::rest::Helpers;
use crate::scenario::{Input, SourceKind};
use crate::sink::tcp_pair;
use crate::terminal;

/// Makes the inputs that have a name in `folder`.
///
/// # Errors
/// They cannot be made.
pub fn make_named(folder: &Path, inputs: &[Input]) -> Result<()> {
    for input in inputs {
        let path = folder.join(&input.name);
        let made = match input.kind {
            SourceKind::File => fs::write(&path, &input.bytes),
            SourceKind::Directory => fs::create_dir(&path),
            SourceKind::Fifo => {
                let mode = Mode::RUSR | Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, mode, 0)
                    .map_err(Into::into)
            }
            _ => Ok(()),
        };
        made.with_context(|| format!("cannot make {}", path.display()))?;
    }
    Ok(())
}

/// What feeds a run's inputs while it runs.
#[derive(Debug, Default)]
pub struct Feeder {
    threads: Vec<JoinHandle<()>>,
    helpers: Helpers,
    over: Arc<AtomicBool>,
    /// A terminal ends for its reader when this is closed, not when the bytes end.
    terminal: Option<OwnedFd>,
}

impl Feeder {
    /// Starts to feed `inputs`; returns what becomes standard input. With `cut` only so many bytes
    /// come: then a connection is reset, a terminal hangs up.
    ///
    /// # Errors
    /// No pipe, socket or terminal can be made.
    pub fn start(
        folder: &Path,
        inputs: &[Input],
        cut: Option<usize>,
        helpers: &Helpers,
    ) -> Result<(Feeder, Stdio)> {
        let mut feeder = Feeder { helpers: helpers.clone(), ..Feeder::default() };
        let mut stream = Stdio::null();
        for input in inputs {
            match input.kind {
                SourceKind::Fifo => feeder.fifo(folder.join(&input.name), input.bytes.clone()),
                SourceKind::Pipe => {
                    let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
                    feeder.pour(writer, input.bytes.clone());
                    stream = reader.into();
                }
                SourceKind::Socket if cut.is_some() => {
                    let (ours, theirs) = tcp_pair()?;
                    let some = input.bytes.iter().take(cut.unwrap_or(0)).copied();
                    feeder.pour_and_reset(ours, some.collect());
                    stream = theirs.into();
                }
                SourceKind::Socket => {
                    let (ours, theirs) = rustix::net::socketpair(
                        AddressFamily::UNIX,
                        SocketType::STREAM,
                        SocketFlags::CLOEXEC,
                        None,
                    )?;
                    feeder.pour(ours, input.bytes.clone());
                    stream = theirs.into();
                }
                SourceKind::Terminal if cut.is_some() => {
                    let (ours, theirs) = terminal::for_typing()?;
                    let some = input.bytes.iter().take(cut.unwrap_or(0)).copied();
                    feeder.pour(ours, some.collect());
                    stream = theirs.into();
                }
                SourceKind::Terminal => {
                    let (ours, theirs) = terminal::for_typing()?;
                    let end_of_file = [4];
                    let typed = [&input.bytes[..], &end_of_file].concat();
                    feeder.pour(ours.as_fd().try_clone_to_owned()?, typed.into());
                    feeder.terminal = Some(ours);
                    stream = theirs.into();
                }
                _ => {}
            }
        }
        Ok((feeder, stream))
    }

    /// Writes until the bytes end or the reader is gone: what was not wanted is no error here.
    fn pour(&mut self, writer: OwnedFd, bytes: Arc<[u8]>) {
        let mut writer = File::from(writer);
        self.threads.push(self.helpers.spawn(move || {
            let _ = writer.write_all(&bytes);
        }));
    }

    fn pour_and_reset(&mut self, writer: OwnedFd, bytes: Arc<[u8]>) {
        let mut writer = File::from(writer);
        self.threads.push(self.helpers.spawn(move || {
            let _ = writer.write_all(&bytes);
            let _ = set_socket_linger(&writer, Some(Duration::ZERO));
        }));
    }

    /// A FIFO can be opened for writing once somebody reads; a run may end without ever doing so.
    fn fifo(&mut self, path: PathBuf, bytes: Arc<[u8]>) {
        let over = Arc::clone(&self.over);
        self.threads.push(self.helpers.spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
                if let Ok(writer) = rustix::fs::open(&path, flags, Mode::empty()) {
                    let _ = rustix::fs::fcntl_setfl(&writer, OFlags::empty());
                    let _ = File::from(writer).write_all(&bytes);
                    return;
                }
                std::thread::sleep(Duration::from_micros(200));
            }
        }));
    }

    /// Ends feeding: the run is over.
    pub fn finish(self) {
        self.over.store(true, Ordering::Relaxed);
        drop(self.terminal);
        for thread in self.threads {
            // A feeder that panicked fed too little: the judge sees what came of it.
            let _ = thread.join();
        }
    }
}
