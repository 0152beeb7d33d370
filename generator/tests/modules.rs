//! The modules of each crate import each other in one direction: no module is imported, directly or by
//! way of others, by a module that it imports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules with the modules that each imports, by their paths in the library, as in `choose::panel`.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Adds the sources of the modules in a folder, which are a part of the module `inside`.
fn sources(folder: &Path, inside: &[&str], found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = [inside, &[name]].concat();
        if path.is_dir() {
            sources(&path, &module, found);
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests" {
            let module = if name == "mod" { inside } else { &module };
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap().to_owned();
            found.insert(module.join("::"), code);
        }
    }
}

/// All paths of code: those that it imports, nested lists apart, and those that are written in place.
fn paths(code: &str) -> Vec<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for item in code.split_inclusive(';') {
        // What a module shows of its own parts does not depend on them.
        let shows = item.rsplit_once("\npub use ").map(|(_, text)| text);
        if shows.is_some_and(|text| !text.starts_with("crate") && !text.starts_with("super")) {
            continue;
        }
        let list = item.rsplit_once("use ").and_then(|(_, text)| text.split_once("::{"));
        match list {
            Some((before, list)) => {
                let list = list.trim_end_matches(';').trim_end().trim_end_matches('}');
                found.extend(list.split(',').map(|one| format!("{before}::{}", one.trim())));
            }
            None => found.extend(
                item.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
                    .filter(|path| path.trim_matches(':').contains("::"))
                    .map(str::to_owned),
            ),
        }
    }
    found
}

/// The imports of one module from others of the library.
fn imports(module: &str, code: &str, all: &BTreeMap<String, String>) -> BTreeSet<String> {
    let own: Vec<&str> = module.split("::").collect();
    let mut found = BTreeSet::new();
    for path in paths(code) {
        let parts: Vec<&str> = path.split("::").collect();
        let above = parts.iter().take_while(|part| **part == "super").count();
        let full = match parts[0] {
            "crate" => parts[1..].to_vec(),
            "super" => [&own[..own.len() - above], &parts[above..]].concat(),
            _ => [&own[..], &parts].concat(),
        };
        let prefixes = (1..=full.len()).rev().map(|length| full[..length].join("::"));
        // A path that begins with no module of the library is another crate's.
        let target = prefixes.into_iter().find(|prefix| all.contains_key(prefix));
        found.extend(target.filter(|target| target != module));
    }
    found
}

/// The modules that are left once those that import none of the others are taken away, again and
/// again: those on a cycle, and those that import one of them.
fn left_over(mut imports: Imports) -> Imports {
    loop {
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        let before = imports.len();
        imports.retain(|_, targets| targets.iter().any(|target| left.contains(target)));
        if imports.len() == before {
            return imports;
        }
    }
}

#[test]
fn a_cycle_is_seen() {
    let of = |target: &str| BTreeSet::from([target.to_owned()]);
    let imports = |last: &str| {
        Imports::from([
            ("a".to_owned(), of("b")),
            ("b".to_owned(), of("c")),
            ("c".to_owned(), of(last)),
        ])
    };
    assert_eq!(left_over(imports("d")), Imports::new());
    assert_eq!(left_over(imports("a")).len(), 3);
    let code = "//! Head.\n\nuse super::panel::{Event,\n Panel};\nuse crate::image::Images;\n";
    assert_eq!(paths(code), ["super::panel::Event", "super::panel::Panel", "crate::image::Images"]);
    let in_place =
        "// crate::not::this\nfn f() -> crate::run::Arguments {\n    child::g::<u8>()\n}\n";
    assert_eq!(paths(in_place), ["crate::run::Arguments", "child::g::"]);
}

#[test]
fn modules_of_every_crate_import_each_other_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates = Vec::new();
    for folder in
        ["", "firmware-model", "generator", "lab", "lab/ofar"].map(|folder| root.join(folder))
    {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        crates.extend(entries.filter(|path| path.join("Cargo.toml").is_file()));
    }
    assert!(crates.len() > 12, "{crates:?}");
    let mut folders: Vec<_> = crates.iter().map(|path| path.join("src")).collect();
    folders.push(root.join("lab/command"));
    for path in folders {
        let mut all = BTreeMap::new();
        sources(&path, &[], &mut all);
        let imports: Imports = all
            .iter()
            .map(|(module, code)| (module.clone(), imports(module, code, &all)))
            .collect();
        if let Some(contest) = imports.get("choose::contest") {
            assert!(contest.contains("choose::baseline"), "{contest:?}");
        }
        assert_eq!(left_over(imports), Imports::new(), "{}", path.display());
    }
}
