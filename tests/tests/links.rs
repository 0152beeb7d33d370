//! Every link between the documents of the repository leads somewhere: to a file that exists and,
//! where the link names a heading of a Markdown file, to a heading that the file has. The documents
//! that the source code names exist, and so do the files that the documents quote. Every row of their tables has as
//! many cells as its header.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of the files that may name a document by its path in the repository.
const SOURCES: [&str; 8] = ["rs", "h", "c", "sh", "py", "toml", "snap", "md"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// All files below `directory` with one of the endings, without build outputs and hidden directories.
fn files(directory: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "corpus" {
                files(&path, endings, found);
            }
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            found.push(path);
        }
    }
}

fn files_of_the_repository(endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&repository(), endings, &mut found);
    found.sort();
    found
}

/// The lines of a Markdown text outside its fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// A line without what stands in back quotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// What the links and the pictures of a Markdown text lead to.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        let line = without_code(line);
        for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')] {
            for rest in line.split(opening).skip(1) {
                found.extend(rest.split_once(closing).map(|(target, _)| target.to_owned()));
            }
        }
    }
    found
}

/// The anchors of a Markdown text's headings, as the usual viewers name them: in lower case, with
/// hyphens for spaces, without other signs, and with a number after the second of the same name.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(text).filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let base: String = heading.chars().filter(kept).collect::<String>().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{base}-{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        found.extend(names.find(|name| !found.contains(name)));
    }
    found
}

/// What is wrong with a link of the Markdown file at `path`, if anything is.
fn fault(path: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let wanted = match file {
        "" => path.to_owned(),
        file => path.parent().unwrap().join(file),
    };
    if !wanted.exists() {
        return Some(format!("{}: {target}: there is no such file", path.display()));
    }
    let is_markdown = wanted.extension().is_some_and(|ending| ending == "md");
    let is_there = || anchors(&fs::read_to_string(&wanted).unwrap()).contains(anchor);
    (!anchor.is_empty() && is_markdown && !is_there())
        .then(|| format!("{}: {target}: the file has no such heading", path.display()))
}

/// The documents that a text names by their path in the repository, as in `docs/NAME.md`.
fn named_documents(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in text.split("docs/").skip(1) {
        let in_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
        let path = &rest[..rest.find(|c| !in_path(c)).unwrap_or(rest.len())];
        // A full stop after the name belongs to the sentence.
        if let Some((name, _)) = path.rsplit_once(".md") {
            found.insert(format!("docs/{name}.md"));
        }
    }
    found
}

/// What a Markdown text quotes, in back quotes, that may be a path: one word of a path's letters.
fn quoted_paths(text: &str) -> Vec<String> {
    let in_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
    let quoted = prose(text).flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted
        .filter(|word| word.contains('/') && word.chars().all(in_path))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_link_of_the_documents_leads_to_a_file_and_a_heading_that_exist() {
    let documents = files_of_the_repository(&["md"]);
    let mut links = 0;
    let mut faults = Vec::new();
    for path in &documents {
        for target in targets(&fs::read_to_string(path).unwrap()) {
            links += 1;
            faults.extend(fault(path, &target));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(documents.len() >= 10 && links >= 50, "{} files, {links} links", documents.len());
}

/// The rows of a Markdown text's tables that have another number of cells than the header above them.
fn uneven_rows(text: &str) -> Vec<&str> {
    // A bar with a backslash before it is a character of its cell, also within back quotes.
    let cells = |row: &str| row.replace("\\|", "").trim().matches('|').count();
    let is_rule = |row: &str| row.contains("--") && row.chars().all(|c| "|-: ".contains(c));
    let (mut found, mut wanted) = (Vec::new(), None);
    let mut rows = prose(text).peekable();
    while let Some(row) = rows.next() {
        let is_row = row.trim_start().starts_with('|');
        wanted = match wanted {
            Some(wanted) if is_row => Some(wanted),
            _ => rows.peek().filter(|next| is_row && is_rule(next)).map(|_| cells(row)),
        };
        found.extend(wanted.filter(|&wanted| cells(row) != wanted).map(|_| row));
    }
    found
}

#[test]
fn every_row_of_a_table_has_as_many_cells_as_its_header() {
    let mut rows = 0;
    for path in files_of_the_repository(&["md"]) {
        let text = fs::read_to_string(&path).unwrap();
        rows += prose(&text).filter(|line| line.starts_with('|')).count();
        let uneven = uneven_rows(&text);
        assert!(uneven.is_empty(), "{}:\n{}", path.display(), uneven.join("\n"));
    }
    assert!(rows >= 100, "{rows} rows");
    let table = "| a | b |\n|---|--:|\n| `x \\| y` | |\n| | | 1 |\n\n| no table |\n```\n| a |\n|---|\n| | |\n```\n";
    assert_eq!(uneven_rows(table), ["| | | 1 |"]);
}

#[test]
fn every_document_that_the_sources_name_exists() {
    let root = repository();
    let mut named = 0;
    for path in files_of_the_repository(&SOURCES) {
        // This file names documents that must not exist.
        if path.ends_with("tests/tests/links.rs") {
            continue;
        }
        for document in named_documents(&String::from_utf8_lossy(&fs::read(&path).unwrap())) {
            named += 1;
            assert!(root.join(&document).is_file(), "{} names {document}", path.display());
        }
    }
    assert!(named >= 10, "{named}");
}

#[test]
fn every_path_of_the_repository_that_a_document_quotes_exists() {
    let root = repository();
    let folders: BTreeSet<String> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir() && !path.ends_with("target"))
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let mut quoted = 0;
    for document in files_of_the_repository(&["md"]) {
        // The history names files that are no longer there.
        if document.ends_with("CHANGELOG.md") {
            continue;
        }
        for path in quoted_paths(&fs::read_to_string(&document).unwrap()) {
            if path.split_once('/').is_some_and(|(folder, _)| folders.contains(folder)) {
                quoted += 1;
                let is_there =
                    root.join(&path).exists() || document.parent().unwrap().join(&path).exists();
                assert!(is_there, "{} names {path}", document.display());
            }
        }
    }
    assert!(quoted >= 10, "{quoted}");
}

#[test]
fn the_index_of_the_documents_lists_every_document() {
    let root = repository().join("docs");
    let index = fs::read_to_string(root.join("README.md")).unwrap();
    let listed: BTreeSet<PathBuf> =
        targets(&index).iter().map(|target| root.join(target)).collect();
    let mut documents = Vec::new();
    files(&root, &["md"], &mut documents);
    for document in documents.iter().filter(|path| !path.ends_with("docs/README.md")) {
        assert!(listed.contains(document), "docs/README.md does not list {}", document.display());
    }
}

#[test]
fn a_link_to_a_file_or_a_heading_that_does_not_exist_is_a_fault() {
    let readme = repository().join("README.md");
    assert_eq!(fault(&readme, "docs/guide.md"), None);
    assert_eq!(fault(&readme, "docs/guide.md#4-make-the-tables"), None);
    assert_eq!(fault(&readme, "https://example.org/nowhere.md"), None);
    assert!(fault(&readme, "docs/nowhere.md").unwrap().contains("no such file"));
    assert!(fault(&readme, "docs/guide.md#nowhere").unwrap().contains("no such heading"));
    assert!(fault(&readme, "#nowhere").unwrap().contains("no such heading"));
}

#[test]
fn links_are_found_in_prose_and_pictures_but_not_in_code() {
    let text =
        "[one](a.md) and ![two](b.svg)\n`[no](c.md)`\n```c\na[0](d.md)\n```\n<img src=\"e.svg\">";
    assert_eq!(targets(text), ["a.md", "b.svg", "e.svg"]);
}

#[test]
fn anchors_are_headings_in_lower_case_without_signs_and_numbered_when_they_repeat() {
    let text = "# Why 1/p?\n## The `sets`\n```sh\n# no heading\n```\n## The sets\n";
    let expected = ["why-1p", "the-sets", "the-sets-1"].map(str::to_owned);
    assert_eq!(anchors(text), BTreeSet::from(expected));
}

#[test]
fn named_documents_end_before_the_full_stop_of_a_sentence() {
    let text = "see docs/a.md. `docs/b/c-2.md`, ../docs/d.md#e and docs/ alone";
    let expected = ["docs/a.md", "docs/b/c-2.md", "docs/d.md"].map(str::to_owned);
    assert_eq!(named_documents(text), BTreeSet::from(expected));
}

#[test]
fn quoted_paths_are_single_words_in_back_quotes() {
    let text = "`a/b.rs`, c/d.rs and `tvlb generate tables/x.toml`; `e/f`";
    assert_eq!(quoted_paths(text), ["a/b.rs", "e/f"]);
}
