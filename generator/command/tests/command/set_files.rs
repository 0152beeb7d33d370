//! Path sets as files: a set file makes the same images again, and what is wrong with one is named.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::Value;
use std::collections::BTreeMap;

/// The images of a table set by their paths in it.
fn images(scratch: &Scratch, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let prefix = format!("{directory}/");
    let files = scratch.files().into_iter();
    let files =
        files.filter_map(|(name, bytes)| Some((name.strip_prefix(&prefix)?.to_owned(), bytes)));
    let images: BTreeMap<_, _> = files
        .filter(|(name, _)| !["manifest.json", "report.html"].contains(&name.as_str()))
        .collect();
    assert!(images.len() > 6, "{:?}", images.keys());
    images
}

fn generate(scratch: &Scratch, arguments: &[&str]) {
    let run = scratch.tvlb_with(["generate", "fabric.toml", "-q"].iter().chain(arguments).copied());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
}

#[test]
fn a_set_file_makes_the_same_images() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let for_ugal_l = "ugal-l 60% 5-hop by shape 1x4 gate=1.25";
    let for_par = "par 3*all, only:011 1x4 gate=1.25 then switches:2-3 1x4 gate=1.25 MIN=any";
    generate(&scratch, &["-o", "out", "--set", for_ugal_l, "--set", for_par]);
    generate(&scratch, &["-o", "thin", "--set", "4-hop by shape", "--balance"]);
    for directory in ["out", "thin"] {
        let sets = format!("{directory}.json");
        scratch.succeeds(&format!("sets export {directory} -o {sets}"));
        let again = format!("{directory}-again");
        generate(&scratch, &["-o", &again, "--set-file", &sets]);
        assert_eq!(images(&scratch, &again), images(&scratch, directory));
        assert_eq!(
            scratch.read(&format!("{again}/manifest.json")),
            scratch.read(&format!("{directory}/manifest.json"))
        );
        scratch.succeeds(&format!("verify {again}"));
        scratch.succeeds(&format!("generate fabric.toml --check {again} --set-file {sets}"));
        let report = String::from_utf8(scratch.read(&format!("{again}/report.html"))).unwrap();
        assert!(report.contains("tvlb generate fabric.toml -o tables --set-file sets.json"));
        // What is written of what was read is the same file.
        let printed = scratch.succeeds(&format!("sets export {again}"));
        assert_eq!(printed.into_bytes(), scratch.read(&sets));
    }
    let thinned: Value = serde_json::from_slice(&scratch.read("thin.json")).unwrap();
    assert!(thinned["decisions"]["ugal-l"]["thinned"].as_object().unwrap().len() > 5);
    assert_snapshot!("set_file", String::from_utf8(scratch.read("out.json")).unwrap());
}

#[test]
fn the_file_of_a_choice_makes_its_images() {
    let scratch = Scratch::with_text("name = \"tiny\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n");
    generate(&scratch, &["-o", "out", "--panel", "quick"]);
    scratch.succeeds("sets export out -o sets.json");
    generate(&scratch, &["-o", "again", "--set-file", "sets.json"]);
    assert_eq!(images(&scratch, "again"), images(&scratch, "out"));
}

#[test]
fn what_is_wrong_with_a_set_file_is_named() {
    let scratch = Scratch::with_table_set();
    scratch.succeeds("sets export out -o sets.json");
    let text = String::from_utf8(scratch.read("sets.json")).unwrap();
    let mut said = String::new();
    for (from, to) in [
        ("path sets 1", "path sets 0"),
        ("\"identity\": \"", "\"identity\": \"x"),
        ("strategic-2-3 by shape", "strategic-2-4 by shape"),
        ("T=0", "T=40000"),
        ("MIN=kept", "MIN=shortest"),
        ("{", "["),
    ] {
        assert!(text.contains(from), "{from}");
        scratch.write("bad.json", text.replacen(from, to, 1));
        said += &scratch.refuses("generate fabric.toml -o other --set-file bad.json");
    }
    said += &scratch.refuses("generate fabric.toml -o other --set-file missing.json");
    said += &scratch.refuses("sets export fabric.toml");
    assert_snapshot!("bad_set_files", said);
    let within = scratch.refuses("sets export out -o out/sets.json");
    assert!(within.contains("it is within the table set"), "{within}");
    for option in ["--set all", "--balance", "--fast", "--panel quick"] {
        let arguments = format!("generate fabric.toml -o other --set-file sets.json {option}");
        let run = scratch.tvlb(&arguments);
        assert!(run.code == 2 && run.stderr.contains("cannot be used with"), "{arguments}: {run}");
    }
    assert!(!scratch.path("other").exists());
}
