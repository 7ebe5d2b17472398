//! Whose side a call was on: follows descriptors through a trace from their opening to their end.

use std::collections::{BTreeSet, HashMap};

use crate::calls::{self, Call, Purpose};
use crate::scenario::Scenario;
use crate::trace::{Event, Trace};

/// What a descriptor stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An input of the scenario, by its place.
    Input(usize),
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
    /// The program's own: a pipe between, a socket, a library.
    Own,
}

/// A call with its sides.
#[derive(Debug)]
pub struct Step<'a> {
    /// The call as it was made.
    pub event: &'a Event,
    /// What the table says of it.
    pub call: &'static Call,
    /// Where it takes bytes from, or what it asks about.
    pub from: Option<Role>,
    /// Where it gives bytes to.
    pub to: Option<Role>,
    /// The same call had moved bytes between the same two sides before.
    pub progress: bool,
    /// Some call had given bytes to the output before.
    pub output_begun: bool,
}

impl Step<'_> {
    /// The input that it works on.
    pub fn input(&self) -> Option<usize> {
        match self.from {
            Some(Role::Input(input)) => Some(input),
            _ => None,
        }
    }
}

/// The calls of the table in a trace, with their sides.
pub fn steps<'a>(trace: &'a Trace, scenario: &Scenario) -> Vec<Step<'a>> {
    let mut walk = Walk::new(scenario);
    let process = trace.main_process();
    let of_program = trace.events.iter().filter(|event| event.process == process);
    of_program.filter_map(|event| walk.step(event)).collect()
}

struct Walk {
    roles: HashMap<i32, Role>,
    /// Operands in order, and whether each was opened.
    operands: Vec<(Option<String>, bool)>,
    moved: BTreeSet<(&'static str, Option<Role>, Option<Role>)>,
    output_begun: bool,
}

impl Walk {
    fn new(scenario: &Scenario) -> Walk {
        let mut roles = HashMap::from([(1, Role::Output), (2, Role::Errors)]);
        let stream = scenario.inputs.iter().position(|input| input.is_stream());
        roles.extend(stream.map(|input| (0, Role::Input(input))));
        let operands = scenario
            .inputs
            .iter()
            .map(|input| (if input.is_stream() { None } else { input.operand(true) }, false));
        Walk { roles, operands: operands.collect(), moved: BTreeSet::new(), output_begun: false }
    }

    fn step<'a>(&mut self, event: &'a Event) -> Option<Step<'a>> {
        let call = calls::find(&event.call)?;
        let role = |argument: Option<usize>, roles: &HashMap<i32, Role>| {
            let descriptor = argument.and_then(|argument| event.descriptor(argument))?;
            Some(roles.get(&descriptor).copied().unwrap_or(Role::Own))
        };
        let mut from = role(call.input, &self.roles);
        let to = role(call.output, &self.roles);
        if let Some(path) = call.path.and_then(|argument| event.path(argument))
            && !path.is_empty()
        {
            from = self.operand(path).map(Role::Input).or(Some(Role::Own));
        }
        let pair = (call.name, from, to);
        let step = Step {
            event,
            call,
            from,
            to,
            progress: self.moved.contains(&pair),
            output_begun: self.output_begun,
        };
        if event.moved() > 0 {
            self.moved.insert(pair);
            self.output_begun |= to == Some(Role::Output);
        }
        self.follow(event, call, from);
        Some(step)
    }

    /// Descriptors that the call made or ended.
    fn follow(&mut self, event: &Event, call: &Call, from: Option<Role>) {
        let returned = event.returned.and_then(|number| i32::try_from(number).ok());
        let made = returned.filter(|descriptor| *descriptor >= 0 && !event.injected);
        match (call.purpose, call.name) {
            (Purpose::Open, _) => {
                if event.error.as_deref() != Some("EINTR")
                    && let Some(Role::Input(input)) = from
                {
                    self.operands[input].1 = true;
                    // What was moved from an earlier opening says nothing of this one.
                    self.moved.retain(|pair| pair.1 != from);
                }
                self.roles.extend(made.map(|descriptor| (descriptor, from.unwrap_or(Role::Own))));
            }
            (Purpose::Close, _) => {
                event.descriptor(0).and_then(|descriptor| self.roles.remove(&descriptor));
            }
            (_, "dup" | "dup2" | "dup3") => {
                self.roles.extend(made.map(|descriptor| (descriptor, from.unwrap_or(Role::Own))));
            }
            (_, "fcntl") if event.arguments.get(1).is_some_and(|it| it.starts_with("F_DUPFD")) => {
                self.roles.extend(made.map(|descriptor| (descriptor, from.unwrap_or(Role::Own))));
            }
            _ => {}
        }
    }

    /// The input that `path` names: the first that was not opened yet, else the last.
    fn operand(&self, path: &str) -> Option<usize> {
        let same = |(name, _): &(Option<String>, bool)| name.as_deref() == Some(path);
        let waiting = self.operands.iter().position(|operand| same(operand) && !operand.1);
        waiting.or_else(|| self.operands.iter().rposition(same))
    }
}
