//! Ctrl-C: the run ends after the cell before, and what was measured by then is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};

/// Whether somebody asked this process to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on, instead of being killed.
    pub(crate) fn listen() -> Result<Interrupt> {
        let interrupt = Interrupt::default();
        let heard = interrupt.clone();
        ctrlc::set_handler(move || heard.0.store(true, Ordering::Relaxed))?;
        Ok(interrupt)
    }

    /// Whether it happened.
    pub(crate) fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once it happened.
    pub(crate) fn check(&self) -> Result<()> {
        ensure!(!self.happened(), "interrupted");
        Ok(())
    }
}
