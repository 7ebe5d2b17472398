//! The project's tasks, each a plain function in a file of its own.
fn main() {}
