//! A page of Markdown, taken apart.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

pub(crate) struct Page {
    path: PathBuf,
    name: PathBuf,
    text: String,
}

impl Page {
    pub(crate) fn read(root: &Path, name: &Path) -> Page {
        let path = root.join(name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(!text.is_empty(), "{} is empty or missing", path.display());
        Page { path, name: name.to_owned(), text }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn name(&self) -> String {
        self.name.display().to_string()
    }

    /// A path that this page gives, which begins where the page is.
    pub(crate) fn beside(&self, link: &str) -> PathBuf {
        self.path.with_file_name("").join(link)
    }

    fn events(&self) -> impl Iterator<Item = Event<'_>> {
        Parser::new(&self.text)
    }

    /// The code blocks of a language.
    pub(crate) fn blocks(&self, language: &str) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut inside = false;
        for event in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name))) if *name == *language => {
                    inside = true;
                    blocks.push(String::new());
                }
                Event::End(TagEnd::CodeBlock) => inside = false,
                Event::Text(text) if inside => blocks.last_mut().unwrap().push_str(&text),
                _ => {}
            }
        }
        blocks
    }

    /// The shell lines, without the comments behind them.
    pub(crate) fn commands(&self) -> Vec<String> {
        let lines = self.blocks("sh").join("\n").replace("\\\n", " ");
        let bare = lines.lines().map(|line| line.split(" # ").next().unwrap_or_default().trim());
        bare.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
    }

    /// What stands in the text as code.
    pub(crate) fn code(&self) -> Vec<String> {
        let code =
            |event| if let Event::Code(code) = event { Some(code.to_string()) } else { None };
        self.events().filter_map(code).collect()
    }

    /// Where links and images lead.
    pub(crate) fn links(&self) -> Vec<String> {
        let link = |event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            _ => None,
        };
        // Tables are an extension, and links stand in them.
        let parser = Parser::new_ext(&self.text, pulldown_cmark::Options::ENABLE_TABLES);
        parser.filter_map(link).collect()
    }

    pub(crate) fn headings(&self) -> Vec<String> {
        let mut headings = Vec::new();
        let mut inside = false;
        for event in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    inside = true;
                    headings.push(String::new());
                }
                Event::End(TagEnd::Heading(_)) => inside = false,
                Event::Text(text) | Event::Code(text) if inside => {
                    headings.last_mut().unwrap().push_str(&text);
                }
                _ => {}
            }
        }
        headings
    }
}

/// The anchor that a heading gets where pages are shown.
pub(crate) fn slug(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}
