//! What a fault may look like from outside, decided by the call that it hit.

use crate::calls::{self, Purpose};
use crate::messages::Blamed;
use crate::plan::{Effect, Fault};
use crate::roles::{self, Role, Step};
use crate::scenario::{Expected, Scenario};
use crate::trace::Trace;

/// Whether a fault is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// Nobody must notice.
    Never,
    /// Either everything was done in another way, or a message says that it was not.
    May,
    /// It cannot have been made good: a message must say so.
    Must,
}

/// All that was done to a run, and what it may look like.
#[derive(Debug, Default)]
pub struct Charge {
    /// One for each call that was hit.
    pub rulings: Vec<Ruling>,
    /// The errors that a message may give as its reason; empty for any.
    pub reasons: Vec<&'static str>,
    /// Signals that are a good end.
    pub deaths: Vec<i32>,
    /// Memory was refused: there may be none left for the usual status and words.
    pub of_memory: bool,
}

impl Charge {
    /// What `fault` did to the run that left `trace`; nothing, if the run passed it by.
    pub fn of(fault: &Fault, trace: &Trace, scenario: &Scenario) -> Charge {
        let steps = roles::steps(trace, scenario);
        let hit = steps.iter().enumerate().filter(|(_, step)| step.event.injected);
        let rulings = hit.map(|(index, _)| ruling(&steps, index, fault.effect, scenario)).collect();
        let reasons = match fault.effect {
            Effect::Error(error) => vec![error],
            Effect::Zero | Effect::Signal(_) => Vec::new(),
        };
        let of_memory = calls::find(fault.call).is_some_and(|it| it.purpose == Purpose::Memory);
        Charge { rulings, reasons, of_memory, ..Charge::default() }
    }
}

/// What one call that was hit allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// Whether it is told.
    pub tell: Tell,
    /// Who may be blamed; empty for anybody.
    pub sides: Vec<Blamed>,
    /// The input ended there as far as anybody can know.
    pub ended: Option<usize>,
    /// Words were lost, and perhaps the good status with them: nothing can be said about that.
    pub speechless: bool,
    /// In words, for a report.
    pub because: String,
}

impl Ruling {
    /// A ruling on something that no single call shows.
    pub fn new(tell: Tell, sides: Vec<Blamed>, because: &str) -> Ruling {
        Ruling { tell, sides, ended: None, speechless: false, because: because.to_owned() }
    }
}

/// Answers by which a kernel or a sandbox refuses a fast call as such.
const REFUSALS: [&str; 13] = [
    "ENOSYS",
    "EPERM",
    "EINVAL",
    "EXDEV",
    "EOPNOTSUPP",
    "EBADF",
    "ETXTBSY",
    "EACCES",
    "EOVERFLOW",
    "ESPIPE",
    "EISDIR",
    "ENOENT",
    "ENOTSOCK",
];

/// The ruling on `step`, one of `steps`, which `effect` hit.
fn ruling(steps: &[Step<'_>], index: usize, effect: Effect, scenario: &Scenario) -> Ruling {
    let step = &steps[index];
    let later = &steps[index + 1..];
    let (tell, sides) = match effect {
        Effect::Signal(_) => (Tell::Never, vec![]),
        Effect::Error("EINTR") if interruptible(step) => (Tell::Never, vec![]),
        Effect::Error("EAGAIN") if moves_bytes(step) => (Tell::Never, vec![]),
        Effect::Zero if step.call.purpose != Purpose::Memory => zero(step),
        Effect::Zero => by_purpose(step, later, "", scenario),
        Effect::Error(error) => by_purpose(step, later, error, scenario),
    };
    let to_errors = step.to == Some(Role::Errors) || step.from == Some(Role::Errors);
    let read_nothing = effect == Effect::Zero && step.call.purpose == Purpose::Read;
    Ruling {
        tell,
        sides,
        ended: step.input().filter(|_| read_nothing),
        speechless: to_errors,
        because: because(step),
    }
}

/// Calls that no kernel interrupts get EINTR all the same; for these it is an error like others.
fn interruptible(step: &Step<'_>) -> bool {
    !matches!(step.call.purpose, Purpose::Memory | Purpose::Tree)
}

fn moves_bytes(step: &Step<'_>) -> bool {
    matches!(step.call.purpose, Purpose::Fast | Purpose::Read | Purpose::Write)
}

fn because(step: &Step<'_>) -> String {
    let role = |role: Option<Role>| match role {
        Some(Role::Input(input)) => format!("input {}", input + 1),
        Some(Role::Output) => "the output".to_owned(),
        Some(Role::Errors) => "standard error".to_owned(),
        Some(Role::Own) => "its own".to_owned(),
        None => "-".to_owned(),
    };
    format!("{}({} -> {})", step.call.name, role(step.from), role(step.to))
}

/// A call that answered 0: it may be believed or asked about again, but nothing may be lost by it
/// other than what a read of 0 says is not there.
fn zero(step: &Step<'_>) -> (Tell, Vec<Blamed>) {
    match step.call.purpose {
        Purpose::Read => (Tell::May, side_of(step.from)),
        _ if step.from.is_none_or(is_own) && step.to.is_none_or(is_own) => (Tell::Never, vec![]),
        _ => (Tell::May, [side_of(step.from), side_of(step.to)].concat()),
    }
}

fn is_own(role: Role) -> bool {
    role == Role::Own
}

fn side_of(role: Option<Role>) -> Vec<Blamed> {
    match role {
        Some(Role::Input(input)) => vec![Blamed::Input(input)],
        Some(Role::Output) => vec![Blamed::Output],
        _ => vec![],
    }
}

fn by_purpose(
    step: &Step<'_>,
    later: &[Step<'_>],
    error: &str,
    scenario: &Scenario,
) -> (Tell, Vec<Blamed>) {
    let makes_links = matches!(scenario.expected, Expected::Links { .. });
    match step.call.purpose {
        Purpose::Fast => fast(step, error),
        Purpose::Read => match step.from {
            Some(Role::Input(input)) => (retried(later, input), vec![Blamed::Input(input)]),
            // Its own pipe: what was in it is lost, or is known from elsewhere.
            _ => (Tell::May, vec![]),
        },
        Purpose::Write => match step.to {
            // Of an endless output nobody can say later that nothing is missing.
            Some(Role::Output) if scenario.endless => (Tell::Must, vec![Blamed::Output]),
            Some(Role::Output) => (made_good(later), vec![Blamed::Output]),
            _ => (Tell::Never, vec![]),
        },
        Purpose::Open => match step.from {
            Some(Role::Input(input)) => (reopened(later, input), vec![Blamed::Input(input)]),
            _ if makes_links => (Tell::May, vec![]),
            _ => (Tell::Never, vec![]),
        },
        Purpose::Close => match step.from {
            // EBADF says that there was nothing to close, so nothing was lost by it.
            Some(Role::Output) if error == "EBADF" => (Tell::May, vec![Blamed::Output]),
            Some(Role::Output) => (Tell::Must, vec![Blamed::Output]),
            Some(Role::Input(input)) => (Tell::May, vec![Blamed::Input(input)]),
            _ => (Tell::Never, vec![]),
        },
        Purpose::Ask => match step.from {
            Some(Role::Output | Role::Input(_)) => (Tell::May, side_of(step.from)),
            _ if makes_links => (Tell::May, vec![]),
            _ => (Tell::Never, vec![]),
        },
        Purpose::Wait | Purpose::Memory => (Tell::May, vec![]),
        Purpose::Tree if makes_links => (Tell::May, vec![]),
        Purpose::Tree | Purpose::Help => (Tell::Never, vec![]),
    }
}

/// A fast call can always be replaced by `read` and `write`. A refusal as such before the first
/// byte must be; later, or with an error that `read` and `write` would meet too, it may be told.
fn fast(step: &Step<'_>, error: &str) -> (Tell, Vec<Blamed>) {
    let refused = REFUSALS.contains(&error) && !step.progress;
    let only_own = step.from.is_none_or(is_own) && step.to.is_none_or(is_own);
    if refused || (only_own && !(step.progress && step.output_begun)) {
        return (Tell::Never, vec![]);
    }
    let of_output = matches!(error, "ENOSPC" | "EDQUOT" | "EFBIG" | "EPIPE");
    let sides = match (step.from, step.to) {
        // Straight from one to the other, only the error can tell whose it was.
        (Some(Role::Input(_)), Some(Role::Output)) if of_output => vec![Blamed::Output],
        (from, to) => [side_of(from), side_of(to)].concat(),
    };
    (Tell::May, sides)
}

/// A failed read is made good by a later one on the same input that succeeded.
fn retried(later: &[Step<'_>], input: usize) -> Tell {
    let again = later.iter().any(|step| {
        let takes = matches!(step.call.purpose, Purpose::Read | Purpose::Fast);
        takes && step.input() == Some(input) && succeeded(step)
    });
    if again { Tell::May } else { Tell::Must }
}

fn reopened(later: &[Step<'_>], input: usize) -> Tell {
    let again = later.iter().any(|step| {
        step.call.purpose == Purpose::Open && step.input() == Some(input) && succeeded(step)
    });
    if again { Tell::May } else { Tell::Must }
}

/// A failed write is made good by a later one, of the same bytes: the output tells whether it was.
fn made_good(later: &[Step<'_>]) -> Tell {
    let again = later.iter().any(|step| step.to == Some(Role::Output) && succeeded(step));
    if again { Tell::May } else { Tell::Must }
}

fn succeeded(step: &Step<'_>) -> bool {
    !step.event.injected && step.event.returned.is_some_and(|returned| returned >= 0)
}
