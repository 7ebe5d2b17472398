//! `MULTICALL_IO`: which of its data paths an applet may take.
//!
//! For comparison, for tests, and as the way out where a sandbox kills a process for a system
//! call, or a file system gives wrong bytes to the fast ones: no fallback can help there.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::quote::quoted;

/// The environment variable that chooses. Unset and empty mean [`IoPath::Best`].
const VARIABLE: &str = "MULTICALL_IO";

/// The data paths that a user can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoPath {
    /// The best one that the kernel offers, with silent fallbacks.
    Best,
    /// `read` and `write` alone.
    Copy,
    /// Pages of this process, handed over by `vmsplice`; `write` where that is refused.
    Vmsplice,
}

impl IoPath {
    /// The path that the environment asks for, out of those that the applet has; [`IoPath::Best`]
    /// is always among them. To be called before any output is made.
    ///
    /// # Errors
    /// `MULTICALL_IO: ...`, with the values that would have been right: to go on with another
    /// path than the one that was asked for would make a wrong comparison look like a right one.
    pub fn from_environment(accepted: &[IoPath]) -> anyhow::Result<IoPath> {
        let value = std::env::var_os(VARIABLE).unwrap_or_default();
        choose(&value, accepted).map_err(anyhow::Error::msg)
    }

    /// How the variable names it.
    fn name(self) -> &'static str {
        match self {
            IoPath::Best => "",
            IoPath::Copy => "copy",
            IoPath::Vmsplice => "vmsplice",
        }
    }
}

fn choose(value: &OsStr, accepted: &[IoPath]) -> Result<IoPath, String> {
    if value.is_empty() {
        return Ok(IoPath::Best);
    }
    accepted.iter().copied().find(|path| value == path.name()).ok_or_else(|| {
        let typed = quoted(value.as_bytes());
        let names: Vec<&str> =
            accepted.iter().map(|path| path.name()).filter(|name| !name.is_empty()).collect();
        format!(
            "{VARIABLE}: no such path: {}; accepted: {}",
            String::from_utf8_lossy(&typed),
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[IoPath] = &[IoPath::Copy, IoPath::Vmsplice];

    #[test]
    fn unset_and_empty_mean_the_best() {
        assert_eq!(choose(OsStr::new(""), ALL), Ok(IoPath::Best));
        assert_eq!(choose(OsStr::new(""), &[]), Ok(IoPath::Best));
    }

    #[test]
    fn a_name_must_be_exact_and_known_to_the_applet() {
        assert_eq!(choose(OsStr::new("copy"), ALL), Ok(IoPath::Copy));
        assert_eq!(choose(OsStr::new("vmsplice"), ALL), Ok(IoPath::Vmsplice));
        assert_eq!(
            choose(OsStr::new("vmsplice"), &[IoPath::Copy]),
            Err("MULTICALL_IO: no such path: vmsplice; accepted: copy".into())
        );
        assert_eq!(
            choose(OsStr::new("Copy it"), ALL),
            Err("MULTICALL_IO: no such path: 'Copy it'; accepted: copy, vmsplice".into())
        );
    }

    #[test]
    fn any_bytes_can_be_told_back() {
        let said = choose(OsStr::from_bytes(b"\xff"), ALL).unwrap_err();
        assert!(said.starts_with(r"MULTICALL_IO: no such path: ''$'\377'"), "{said}");
    }
}
