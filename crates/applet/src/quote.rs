//! File names in messages, quoted as a POSIX shell would need them, and only when needed.

use std::borrow::Cow;

/// Bytes that a shell takes as they are, wherever they stand.
const PLAIN: &[u8] = b"%+,-./@]_{}#~";
/// Bytes that need quotes, and may stand in double quotes beside a single quote.
const HARMLESS_IN_DOUBLE_QUOTES: &[u8] = b" :";

/// Quotes a file name: bare if nothing in it needs quotes, else in single quotes, with `$'...'`
/// around bytes that do not print, or in double quotes if a single quote is all the trouble.
///
/// Bytes beyond ASCII count as not printing, unless the locale's character set is UTF-8 and they
/// are printable characters of it.
pub fn quoted(name: &[u8]) -> Cow<'_, [u8]> {
    quote(name, locale_is_utf8())
}

/// The variables that decide about characters, in the order in which the C library asks them.
fn locale_is_utf8() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty())
        .is_some_and(|value| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            value.ends_with("utf-8") || value.ends_with("utf8")
        })
}

fn quote(name: &[u8], utf8: bool) -> Cow<'_, [u8]> {
    let characters = || Characters { rest: name, utf8 };
    let bare = |character: &[u8]| {
        character.len() > 1 || PLAIN.contains(&character[0]) || character[0].is_ascii_alphanumeric()
    };
    let starts_plain = !matches!(name, [] | [b'#' | b'~', ..] | b"{" | b"}");
    if starts_plain && characters().all(|(character, prints)| prints && bare(character)) {
        return Cow::Borrowed(name);
    }
    let fits_double_quotes = |(place, (character, prints)): (usize, (&[u8], bool))| {
        let byte = character[0];
        let special = matches!(byte, b'{' | b'}') || (place > 0 && matches!(byte, b'#' | b'~'));
        prints
            && !special
            && (bare(character) || byte == b'\'' || HARMLESS_IN_DOUBLE_QUOTES.contains(&byte))
    };
    if name.contains(&b'\'') && characters().enumerate().all(fits_double_quotes) {
        return Cow::Owned([b"\"", name, b"\""].concat());
    }
    Cow::Owned(in_single_quotes(characters()))
}

fn in_single_quotes(characters: Characters<'_>) -> Vec<u8> {
    let mut out = vec![b'\''];
    let mut in_escapes = false;
    for (character, prints) in characters {
        if !prints {
            if !in_escapes {
                out.extend_from_slice(b"'$'");
            }
            in_escapes = true;
            escape(character[0], &mut out);
        } else if character == b"'" {
            // Closes whichever quotes are open, and opens single ones again.
            out.extend_from_slice(b"'\\''");
            in_escapes = false;
        } else {
            if in_escapes {
                out.extend_from_slice(b"''");
            }
            in_escapes = false;
            out.extend_from_slice(character);
        }
    }
    out.push(b'\'');
    out
}

/// One byte as `$'...'` writes it.
fn escape(byte: u8, out: &mut Vec<u8>) {
    const NAMED: &[u8; 7] = b"abtnvfr";
    match byte {
        7..=13 => out.extend_from_slice(&[b'\\', NAMED[usize::from(byte - 7)]]),
        _ => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
    }
}

/// A name cut into printable characters and single bytes that do not print.
struct Characters<'a> {
    rest: &'a [u8],
    utf8: bool,
}

impl<'a> Iterator for Characters<'a> {
    type Item = (&'a [u8], bool);

    fn next(&mut self) -> Option<(&'a [u8], bool)> {
        let first = *self.rest.first()?;
        let wide = if self.utf8 && !first.is_ascii() { printable_utf8(self.rest) } else { None };
        let (character, rest) = self.rest.split_at(wide.unwrap_or(1));
        self.rest = rest;
        Some((character, wide.is_some() || matches!(first, b' '..=b'~')))
    }
}

/// The length of the printable character that `bytes` begin with, if they do.
fn printable_utf8(bytes: &[u8]) -> Option<usize> {
    let head = bytes.utf8_chunks().next()?.valid();
    let character = head.chars().next()?;
    // `escape_debug` leaves a character alone exactly if it prints and does not combine.
    (character.escape_debug().len() == 1).then_some(character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(name: &[u8]) -> String {
        String::from_utf8(quote(name, false).into_owned()).unwrap()
    }

    #[test]
    fn plain_names_stay_bare() {
        for name in ["a", "a.b", "/x/y-z_0", "%+,-./@]_{}", "a#b", "a~", "x}", "{}", "-"] {
            assert_eq!(c(name.as_bytes()), name);
        }
    }

    #[test]
    fn each_byte_that_a_shell_would_touch_is_quoted() {
        for byte in b"!\"$&()*:;<=>?[\\^`| ".iter() {
            let name = [b'q', *byte, b'q'];
            assert_eq!(c(&name), format!("'q{}q'", *byte as char));
        }
        for name in ["", "#x", "~a", "{", "}"] {
            assert_eq!(c(name.as_bytes()), format!("'{name}'"));
        }
    }

    #[test]
    fn single_quotes() {
        assert_eq!(c(b"it's"), r#""it's""#);
        assert_eq!(c(b"'"), r#""'""#);
        assert_eq!(c(b"it's a:b"), r#""it's a:b""#);
        assert_eq!(c(b"#'"), "\"#'\"");
        assert_eq!(c(b"a'$b"), r"'a'\''$b'");
        assert_eq!(c(b"a'b#"), r"'a'\''b#'");
        assert_eq!(c(b"{'"), r"'{'\'''");
    }

    #[test]
    fn bytes_that_do_not_print() {
        assert_eq!(c(b"a\nb"), r"'a'$'\n''b'");
        assert_eq!(c(b"\xff"), r"''$'\377'");
        assert_eq!(c(b"\x07\x08\t\n\x0b\x0c\r\x1b\x7f"), r"''$'\a\b\t\n\v\f\r\033\177'");
        assert_eq!(c(b"a'b\nc"), r"'a'\''b'$'\n''c'");
        assert_eq!(c(b"\n'"), r"''$'\n'\'''");
    }

    #[test]
    fn utf8_prints_where_the_locale_says_so() {
        let utf8 =
            |name: &str| String::from_utf8(quote(name.as_bytes(), true).into_owned()).unwrap();
        assert_eq!(utf8("é"), "é");
        assert_eq!(utf8("é 中"), "'é 中'");
        assert_eq!(utf8("a\u{9b}b"), r"'a'$'\302\233''b'");
        assert_eq!(c("é".as_bytes()), r"''$'\303\251'");
    }
}
