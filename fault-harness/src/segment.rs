//! What one input shows in the output, rendered once for all scenarios that read it.

use std::sync::Arc;

use crate::content::Template;

/// What one input shows in the output.
#[derive(Debug, Clone)]
pub struct Segment {
    template: Template,
    name: String,
    records: usize,
    /// Repeated for ever; `whole` is then one record.
    pub endless: bool,
    /// What stands before the first record of an endless one.
    pub begins: Vec<u8>,
    /// As it looks when it is the first.
    whole: Arc<[u8]>,
    counted: usize,
}

impl Segment {
    /// `records` records as `template` shows them.
    pub fn new(
        template: Template,
        name: String,
        records: usize,
        endless: bool,
        cache: &mut Cache,
    ) -> Segment {
        let (whole, counted) = cache.render(&template, &name, if endless { 1 } else { records });
        Segment { template, name, records, endless, begins: Vec::new(), whole, counted }
    }

    /// The same with `template` before an endless output.
    pub fn beginning_with(mut self, template: &Template) -> Segment {
        self.begins = template.render(&self.name, usize::from(self.endless), &mut 0);
        self
    }

    /// The bytes when `count` was reached before, and the count after.
    pub fn shown(&self, count: usize) -> (std::borrow::Cow<'_, [u8]>, usize) {
        if count == 0 || self.counted == 0 {
            return ((&*self.whole).into(), count + self.counted);
        }
        let mut count = count;
        let bytes = self.template.render(&self.name, self.records, &mut count);
        (bytes.into(), count)
    }

    /// Whether the bytes depend on what came before.
    pub fn counts(&self) -> bool {
        self.template.counts()
    }
}

/// What a template gave with a word and a count before: the bytes, and the count after them.
type Rendered = (Template, String, usize, Arc<[u8]>, usize);

/// What was rendered before: sources are the same in all rows of a matrix.
#[derive(Debug, Default)]
pub struct Cache {
    rendered: Vec<Rendered>,
}

impl Cache {
    /// The bytes, and what was counted.
    pub fn render(
        &mut self,
        template: &Template,
        name: &str,
        records: usize,
    ) -> (Arc<[u8]>, usize) {
        let known =
            self.rendered.iter().find(|(a, b, c, ..)| (a, &**b, *c) == (template, name, records));
        if let Some((.., bytes, counted)) = known {
            return (Arc::clone(bytes), *counted);
        }
        let mut counted = 0;
        let bytes: Arc<[u8]> = template.render(name, records, &mut counted).into();
        let entry = (template.clone(), name.to_owned(), records, Arc::clone(&bytes), counted);
        self.rendered.push(entry);
        (bytes, counted)
    }
}
