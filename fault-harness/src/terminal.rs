//! Pairs of pseudo-terminals that change no byte on its way.

use std::os::fd::OwnedFd;

use rustix::io::Result;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{InputModes, LocalModes, OptionalActions, OutputModes, tcgetattr, tcsetattr};

/// The end that types and the end that reads whole lines; byte 4 at the start of a line is the
/// end of the file.
///
/// # Errors
/// There are no pseudo-terminals here.
pub fn for_typing() -> Result<(OwnedFd, OwnedFd)> {
    pair(LocalModes::ICANON)
}

/// The end that shows and the end that is written to.
///
/// # Errors
/// There are no pseudo-terminals here.
pub fn for_showing() -> Result<(OwnedFd, OwnedFd)> {
    pair(LocalModes::empty())
}

fn pair(local: LocalModes) -> Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let theirs = ioctl_tiocgptpeer(&ours, flags)?;
    let mut modes = tcgetattr(&theirs)?;
    modes.input_modes = InputModes::empty();
    modes.output_modes = OutputModes::empty();
    modes.local_modes = local;
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok((ours, theirs))
}
