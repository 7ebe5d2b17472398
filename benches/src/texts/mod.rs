//! The texts that `cat` formats, made by the bench itself: the same bytes on every machine and
//! every day. Each is long enough that no branch predictor learns it, and is repeated in a file.

mod binary;
mod dice;
mod prose;
mod worst;

pub(crate) use prose::lines_around;

/// A kind of text that costs like no other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// How a path calls it.
    pub(crate) name: &'static str,
    /// How a table calls it.
    pub(crate) title: &'static str,
    /// Makes it.
    pub(crate) make: fn() -> Vec<u8>,
}

const fn kind(name: &'static str, title: &'static str, make: fn() -> Vec<u8>) -> Kind {
    Kind { name, title, make }
}

/// What people look at.
pub(crate) const USUAL: [Kind; 8] = [
    kind("english", "English, lines of 30 bytes", prose::english),
    kind("source", "source code", prose::source),
    kind("columns", "columns with tabs", prose::columns),
    kind("json", "JSON, lines of 4 KiB", prose::json),
    kind("chinese", "Chinese in UTF-8", prose::chinese),
    kind("log", "log with CR LF", prose::log),
    kind("random", "random bytes", binary::random),
    kind("tar", "tar of programs", binary::tar),
];

/// What a program can be slow at.
pub(crate) const WORST: [Kind; 9] = [
    kind("newlines", "newlines alone", worst::newlines),
    kind("tabs", "tabs alone", worst::tabs),
    kind("controls", "control bytes alone", worst::controls),
    kind("high", "bytes above 127 alone", worst::high),
    kind("returns", "carriage returns alone", worst::returns),
    kind("short", "a letter and a newline in turn", worst::short_lines),
    kind("alternating", "a letter and a control byte in turn", worst::alternating),
    kind("endless", "one endless line", worst::endless),
    kind("storms", "storms of blank lines", worst::storms),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_each_time_and_long_enough() {
        for kind in USUAL.iter().chain(&WORST) {
            let text = (kind.make)();
            assert!(text.len() >= 1 << 19, "{}: {} bytes", kind.name, text.len());
            assert!(text == (kind.make)(), "{} differs from time to time", kind.name);
        }
    }

    /// Bytes of `text` that `of` picks, of a thousand.
    fn per_mille(text: &[u8], of: fn(&u8) -> bool) -> usize {
        text.iter().filter(|byte| of(byte)).count() * 1000 / text.len()
    }

    #[test]
    fn texts_are_what_they_are_called() {
        let newline = |byte: &u8| *byte == b'\n';
        assert!((30..=37).contains(&per_mille(&prose::english(), newline)));
        assert_eq!(per_mille(&prose::json(), newline), 0);
        assert!(per_mille(&prose::columns(), |byte| *byte == b'\t') > 100);
        assert!(per_mille(&prose::chinese(), |byte| *byte > 127) > 900);
        let log = prose::log();
        assert_eq!(per_mille(&log, newline), per_mille(&log, |byte| *byte == b'\r'));
        assert!((495..=505).contains(&per_mille(&binary::random(), |byte| *byte > 127)));
        assert!((150..=600).contains(&per_mille(&binary::tar(), |byte| *byte == 0)));
        assert!(std::str::from_utf8(&prose::chinese()).is_ok());
    }

    #[test]
    fn lines_are_as_long_as_they_are_meant_to_be() {
        for length in [1, 30, 4096] {
            let text = lines_around(length);
            let lines = text.iter().filter(|byte| **byte == b'\n').count();
            let mean = text.len() as f64 / lines as f64;
            assert!((mean / length as f64 - 1.0).abs() < 0.1, "{mean} instead of {length}");
        }
    }
}
