//! Imports of texts: what is written, and how every oddity of the formats is read or refused.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod hostile;
mod ibnetdiscover;
mod make;
mod slingshot;

use tvlb_base::text::NamedText;
use tvlb_import::{Earlier, Grouping, Import, ImportError};

/// Imports plans of these names and texts.
fn plans(texts: &[(&str, &str)]) -> Result<Import, ImportError> {
    let sources = texts.iter().map(|(name, text)| NamedText::of_text(name, text.as_bytes()));
    tvlb_import::slingshot(sources.collect(), None, None, None, &Earlier::default())
}

/// Imports a plan, called plan.csv.
fn plan(text: &str) -> Result<Import, ImportError> {
    plans(&[("plan.csv", text)])
}

/// Imports what `ibnetdiscover` printed, called fabric.txt.
fn fabric(
    text: &str,
    pattern: Option<&str>,
    threshold: Option<u32>,
) -> Result<Import, ImportError> {
    let pattern = pattern.map(str::to_owned);
    grouped(text, &Grouping { pattern, threshold, roots: None })
}

/// The same, with all that says groups.
fn grouped(text: &str, grouping: &Grouping) -> Result<Import, ImportError> {
    tvlb_import::ibnetdiscover(
        NamedText::of_text("fabric.txt", text.as_bytes()),
        grouping,
        &Earlier::default(),
    )
}

fn text(import: &Import, name: &'static str) -> String {
    String::from_utf8(import.text(name).unwrap()).unwrap()
}

/// All files of an import, each below its name.
fn files(import: &Import) -> String {
    let files = import.files().map(|name| format!("=== {name}\n{}", text(import, name)));
    files.collect::<Vec<_>>().concat()
}

fn error(import: Result<Import, ImportError>) -> String {
    import.unwrap_err().to_string()
}
