//! Where the program proper begins in a trace.
//!
//! Before it come the loader, the C library and a language's runtime: what they do when the kernel
//! says no is not the applet's doing. Two marks are looked for, and the earlier one counts:
//!
//! - the first call that touches a standard stream or names an operand;
//! - the first call that a run of the same program with `--version` did not make in that place.
//!
//! The second finds what an applet does before it touches anything (a pipe made ahead, a buffer).

use crate::roles::{Role, Step};
use crate::trace::{Event, Trace};

/// The number of events of the main process that belong to the start.
pub fn length(trace: &Trace, reference: &Trace, steps: &[Step<'_>]) -> usize {
    let process = trace.main_process();
    let own: Vec<&Event> = trace.events.iter().filter(|event| event.process == process).collect();
    let process = reference.main_process();
    let other: Vec<&Event> =
        reference.events.iter().filter(|event| event.process == process).collect();
    let alike = own.iter().zip(&other).take_while(|(a, b)| likeness(a) == likeness(b)).count();
    let touched = steps.iter().find(|step| touches(step)).map(|step| step.event);
    let touched = touched.and_then(|event| own.iter().position(|it| std::ptr::eq(*it, event)));
    // Both runs begin with execve; what is the same in both by accident ends at the first touch.
    alike.max(1).min(touched.unwrap_or(own.len()))
}

fn touches(step: &Step<'_>) -> bool {
    let ours = |role: Option<Role>| role.is_some_and(|role| role != Role::Own);
    ours(step.from) || ours(step.to) || step.event.descriptor(0) == Some(0)
}

/// The call and its arguments less what differs from run to run and from machine state to machine
/// state: addresses, sizes, numbers of processes, what a call filled in.
fn likeness(event: &Event) -> (&str, Vec<String>) {
    let own = format!("/proc/{}/", event.process);
    let steady = |argument: &String| {
        let varies =
            argument.starts_with(|letter: char| letter.is_ascii_digit() || "[{".contains(letter));
        let descriptor = argument.contains('<');
        if varies && !descriptor { String::new() } else { argument.replace(&own, "/proc/self/") }
    };
    // The first call differs by the very arguments that make the two runs different.
    let arguments = if event.call == "execve" { &[] } else { &event.arguments[..] };
    (&event.call, arguments.iter().map(steady).collect())
}
