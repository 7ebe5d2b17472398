//! Reads what strace wrote: one event a system call.

/// A system call that a process made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The process.
    pub process: u32,
    /// The call's name.
    pub call: String,
    /// Its arguments, as strace prints them.
    pub arguments: Vec<String>,
    /// What it returned; nothing for a call that never returned.
    pub returned: Option<i64>,
    /// The error's name.
    pub error: Option<String>,
    /// The fault of ours.
    pub injected: bool,
}

impl Event {
    /// The descriptor that an argument is: `3</path>` or `3`.
    pub fn descriptor(&self, argument: usize) -> Option<i32> {
        let text = self.arguments.get(argument)?;
        text.split('<').next()?.parse().ok()
    }

    /// The path that an argument is, if strace printed it in full and it needs no escapes.
    pub fn path(&self, argument: usize) -> Option<&str> {
        self.arguments.get(argument)?.strip_prefix('"')?.strip_suffix('"')
    }

    /// Bytes that it moved.
    pub fn moved(&self) -> u64 {
        let moved = if self.injected { None } else { self.returned };
        moved.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0)
    }
}

/// Everything that a trace tells.
#[derive(Debug, Default)]
pub struct Trace {
    /// The calls in the order in which they began.
    pub events: Vec<Event>,
    /// A signal that was injected and arrived.
    pub signals: Vec<String>,
    /// Bytes of the text that it was read from.
    pub length: u64,
}

impl Trace {
    /// Reads the text of a trace made with `-f`.
    pub fn parse(text: &str) -> Trace {
        let mut trace = Trace { length: text.len() as u64, ..Trace::default() };
        for line in text.lines() {
            let Some((process, rest)) = line.split_once(' ') else { continue };
            let Ok(process) = process.parse() else { continue };
            trace.line(process, rest.trim_start());
        }
        trace
    }

    /// The events of the process that was started.
    pub fn main_process(&self) -> u32 {
        self.events.first().map_or(0, |event| event.process)
    }

    fn line(&mut self, process: u32, line: &str) {
        if let Some(signal) = line.strip_prefix("--- ") {
            self.signals.extend(signal.split(' ').next().map(str::to_owned));
        } else if let Some(resumed) = line.strip_prefix("<... ") {
            self.resumed(process, resumed);
        } else if let Some((call, rest)) = line.split_once('(')
            && call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            self.events.push(event(process, call, rest));
        }
    }

    /// The second half of a line that another process or a signal cut in two.
    fn resumed(&mut self, process: u32, resumed: &str) {
        let Some((call, rest)) = resumed.split_once(" resumed>") else { return };
        let begun = self.events.iter_mut().rev().find(|event| {
            event.process == process && event.call == call && event.returned.is_none()
        });
        if let Some(begun) = begun {
            let second = event(process, call, rest);
            begun.arguments.extend(second.arguments);
            (begun.returned, begun.error) = (second.returned, second.error);
            begun.injected = second.injected;
        }
    }
}

/// The event of `ARGUMENTS) = RESULT`.
fn event(process: u32, call: &str, rest: &str) -> Event {
    let unfinished = rest.strip_suffix("<unfinished ...>");
    let (arguments, result) = match unfinished {
        Some(arguments) => (arguments, "?"),
        None => rest.rsplit_once(" = ").unwrap_or((rest, "?")),
    };
    let arguments = arguments.trim_end();
    let arguments = split(arguments.strip_suffix(')').unwrap_or(arguments));
    let mut words = result.split(' ');
    let returned = words.next().and_then(number);
    let error = words.next().filter(|word| returned == Some(-1) && word.starts_with('E'));
    Event {
        process,
        call: call.to_owned(),
        arguments,
        returned,
        error: error.map(str::to_owned),
        injected: result.contains("(INJECTED)"),
    }
}

/// `-1`, `0x7f00`, `3</path>`.
fn number(text: &str) -> Option<i64> {
    let text = text.split('<').next()?;
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|bits| bits.cast_signed()),
        None => text.parse().ok(),
    }
}

/// Splits at the commas that are in no bracket and no string.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quoted, mut escaped) = (Vec::new(), 0_u32, false, false);
    let mut part = String::new();
    for letter in text.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(part.trim().to_owned());
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    if !part.trim().is_empty() {
        parts.push(part.trim().to_owned());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
7 openat(AT_FDCWD</tmp>, "in", O_RDONLY) = 3</tmp/in>
7 splice(3</tmp/in>, NULL, 5<pipe:[52]>, NULL, 1048576, 0) = 4096
7 write(1<pipe:[9]>, ""..., 10)      = -1 ENOSPC (No space left on device) (INJECTED)
7 newfstatat(1</dev/null>, "", {st_mode=S_IFCHR|0666, st_rdev=makedev(0x1, 0x3), ...}, AT_EMPTY_PATH) = 0
7 read(3</tmp/in>,  <unfinished ...>
7 <... read resumed>""..., 131072) = 0 (INJECTED)
7 --- SIGCHLD {si_signo=SIGCHLD, si_code=SI_KERNEL} ---
7 brk(NULL)                         = 0x55a889166000
7 exit_group(1)                     = ?
7 +++ exited with 1 +++
"#;

    #[test]
    fn calls_are_read_with_descriptors_results_and_the_mark() {
        let trace = Trace::parse(TEXT);
        let [open, splice, write, stat, read, brk, exit] = &trace.events[..] else {
            panic!("{:#?}", trace.events)
        };
        assert_eq!((open.path(1), open.returned), (Some("in"), Some(3)));
        assert_eq!((splice.descriptor(0), splice.descriptor(2)), (Some(3), Some(5)));
        assert_eq!(splice.moved(), 4096);
        assert_eq!((write.error.as_deref(), write.injected), (Some("ENOSPC"), true));
        assert_eq!((stat.arguments.len(), stat.path(1)), (4, Some("")));
        assert_eq!((read.returned, read.injected, read.arguments.len()), (Some(0), true, 3));
        assert_eq!(brk.returned, Some(0x55a8_8916_6000));
        assert_eq!((exit.returned, exit.error.as_deref()), (None, None));
        assert_eq!(trace.signals, ["SIGCHLD"]);
    }
}
