//! The multi-call program: which applets there are, how one is chosen, and how links are made.
//!
//! `main.rs` holds the entry point alone; everything else is here, where it can be tested and
//! where `xtask` reads the table.

mod applets;
mod dispatch;
mod install;
pub mod memory;

pub use applets::APPLETS;
pub use dispatch::{options, run};

/// The program's own manual page, as roff. Those of the applets are in the table.
pub const MANUAL: &str = include_str!("../multicall.1");
