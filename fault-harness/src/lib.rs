//! Makes every system call of a program fail in turn, and judges what the program does about it.
//!
//! Scenarios are data (`book`, `scenario`, `content`); a recorded run says which calls there are
//! (`strace`, `trace`, `startup`) and becomes a list of faults (`calls`, `plan`, `share`); each is run
//! (`run`, `source`, `sink`, `watch`, `rest`) and judged (`roles`, `rulings`, `messages`, `exact`,
//! `judge`). `real` holds faults in which no call is tampered with.
//! docs/fault-injection.md tells what is promised and how it is checked.
#![forbid(unsafe_code)]

pub mod book;
pub mod calls;
pub mod campaign;
pub mod content;
pub mod errno;
pub mod exact;
pub mod expected;
pub mod house;
pub mod judge;
pub mod messages;
pub mod parallel;
pub mod plan;
pub mod real;
pub mod report;
pub mod rest;
pub mod roles;
pub mod rulings;
pub mod run;
pub mod scenario;
pub mod seccomp;
pub mod segment;
pub mod share;
pub mod sink;
pub mod source;
pub mod startup;
pub mod strace;
pub mod terminal;
pub mod trace;
pub mod verdict;
pub mod watch;
