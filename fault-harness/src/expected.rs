//! Whether an output can have come from the inputs: all of them, or all but what was said to be
//! missing.

use std::collections::BTreeSet;

use crate::segment::Segment;
use crate::sink::ENOUGH;

/// What an output is allowed to lack.
#[derive(Debug, Clone, Default)]
pub struct Lacking {
    /// Inputs of which only a beginning need be there.
    pub cut: BTreeSet<usize>,
    /// The rest may be missing from any point on: the output failed.
    pub rest: bool,
}

/// Whether `output` is what `segments` show, one after the other, less what may be lacking.
pub fn fits(output: &[u8], segments: &[Segment], lacking: &Lacking) -> bool {
    if let [only] = segments
        && only.endless
    {
        let (record, _) = only.shown(0);
        let whole = lacking.rest || lacking.cut.contains(&0) || output.len() >= ENOUGH;
        let (begins, records) = output.split_at(only.begins.len().min(output.len()));
        return whole
            && only.begins.starts_with(begins)
            && records.chunks(record.len()).all(|chunk| record.starts_with(chunk));
    }
    // Every point that the output may have been followed to, with the count reached there.
    let mut reached = BTreeSet::from([(0, 0)]);
    for (index, segment) in segments.iter().enumerate() {
        let mut next = BTreeSet::new();
        for (position, count) in reached {
            let (shown, counted) = segment.shown(count);
            let rest = &output[position..];
            if rest.starts_with(&shown) {
                next.insert((position + shown.len(), counted));
            }
            if lacking.rest && shown.starts_with(rest) {
                return true;
            }
            if lacking.cut.contains(&index) {
                let alike = rest.iter().zip(shown.iter()).take_while(|(a, b)| a == b).count();
                let last = index + 1 == segments.len();
                if last || !segment.counts() {
                    // The last one ends where the output ends: no need to try every point.
                    let from = if last { alike } else { 0 };
                    next.extend((from..=alike).map(|more| (position + more, count)));
                } else {
                    // What follows is numbered on from where the cut was: only whole inputs of
                    // such scenarios fit into one read, so a cut leaves nothing of them.
                    next.insert((position, count));
                }
            }
        }
        reached = next;
    }
    reached.iter().any(|(position, _)| *position == output.len())
}

/// The length of the whole output.
pub fn length(segments: &[Segment]) -> usize {
    let mut count = 0;
    let lengths = segments.iter().map(|segment| {
        let (shown, counted) = segment.shown(count);
        count = counted;
        shown.len()
    });
    lengths.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Template;
    use crate::segment::Cache;

    fn segments(template: &str) -> Vec<Segment> {
        let template = Template::parse(template).unwrap();
        ["a", "b", "c"]
            .map(|name| {
                Segment::new(template.clone(), name.to_owned(), 2, false, &mut Cache::default())
            })
            .to_vec()
    }

    fn cut(inputs: &[usize]) -> Lacking {
        Lacking { cut: inputs.iter().copied().collect(), rest: false }
    }

    #[test]
    fn the_whole_output_fits_and_nothing_else() {
        let segments = segments("{name}{i} ");
        assert!(fits(b"a1 a2 b1 b2 c1 c2 ", &segments, &cut(&[])));
        for wrong in ["", "a1 a2 b1 b2 c1 c2", "a1 a2 b1 b2 c1 c2 x", "a1 a2 c1 c2 ", "b1 b2 "] {
            assert!(!fits(wrong.as_bytes(), &segments, &cut(&[])), "{wrong}");
        }
        assert_eq!(length(&segments), 18);
    }

    #[test]
    fn a_failed_input_may_be_cut_and_the_next_must_follow_whole() {
        let segments = segments("{name}{i} ");
        for right in ["a1 a2 c1 c2 ", "a1 a2 b1c1 c2 ", "a1 a2 b1 b2 c1 c2 "] {
            assert!(fits(right.as_bytes(), &segments, &cut(&[1])), "{right}");
        }
        for wrong in ["a1 a2 b2 c1 c2 ", "a1 a2 b1 b2 ", "a1 c1 c2 "] {
            assert!(!fits(wrong.as_bytes(), &segments, &cut(&[1])), "{wrong}");
        }
        assert!(fits(b"a1 a2 b1 b2 c", &segments, &cut(&[2])));
    }

    #[test]
    fn a_failed_output_is_a_beginning() {
        let segments = segments("{name}{i} ");
        let lacking = Lacking { rest: true, ..cut(&[]) };
        assert!(fits(b"", &segments, &lacking) && fits(b"a1 a2 b", &segments, &lacking));
        assert!(!fits(b"a1 b", &segments, &lacking));
    }

    #[test]
    fn counts_run_on_past_an_input_that_failed_at_once() {
        let segments = segments("{n:2}{name} ");
        assert!(fits(b" 1a  2a  3b  4b  5c  6c ", &segments, &cut(&[])));
        assert!(fits(b" 1a  2a  3c  4c ", &segments, &cut(&[1])));
        assert!(!fits(b" 1a  2a  5c  6c ", &segments, &cut(&[1])));
    }

    #[test]
    fn an_endless_output_repeats_its_record() {
        let endless = [Segment::new(
            Template::parse("ab\n").unwrap(),
            String::new(),
            1,
            true,
            &mut Cache::default(),
        )];
        let lines = "ab\n".repeat(ENOUGH / 3 + 1);
        assert!(fits(lines.as_bytes(), &endless, &cut(&[])));
        assert!(!fits(b"ab\nab", &endless, &cut(&[])));
        assert!(fits(b"ab\nab", &endless, &Lacking { rest: true, ..cut(&[]) }));
        assert!(!fits(b"ab\nb", &endless, &Lacking { rest: true, ..cut(&[]) }));
    }

    #[test]
    fn an_endless_output_may_begin_with_something_else() {
        let zeros = Segment::new(
            Template::parse("0").unwrap(),
            String::new(),
            1,
            true,
            &mut Cache::default(),
        );
        let numbered = [zeros.beginning_with(&Template::parse("{n:6}\t").unwrap())];
        let cut_short = Lacking { rest: true, ..cut(&[]) };
        for right in ["", "     1", "     1\t", "     1\t000"] {
            assert!(fits(right.as_bytes(), &numbered, &cut_short), "{right}");
        }
        for wrong in ["0", "     2\t0", "     1\t0\t"] {
            assert!(!fits(wrong.as_bytes(), &numbered, &cut_short), "{wrong}");
        }
    }
}
