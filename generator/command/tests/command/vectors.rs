//! `tvlb vectors`: what a switch decides, as `firmware-model/golden/chosen.txt` has it for the tables of the guide. The tests
//! of the C interface hold C and Rust to that file.

use crate::scratch::Scratch;
use std::fs;
use std::path::Path;

/// What `generate` chooses for the guide's fabric.
const CHOSEN: [&str; 2] = [
    "ugal-l 5-hop by shape 1x3 gate=1 queue=channel onward=cheapest",
    "par switches:2-3 with returns 1x2 gate=1.5 queue=channel onward=cheapest MIN=shortest",
];
/// The files of a table set and its update that the vectors are of, by their names in `firmware-model/golden`.
const IMAGES: [(&str, &str); 4] = [
    ("out/fabric.tvlb", "chosen-fabric.tvlb"),
    ("out/switches/00003.tvlb", "chosen-00003.tvlb"),
    ("update/switches/00003.tvlb", "chosen-00003-update.tvlb"),
    ("update/faults.tvlb", "chosen-faults.tvlb"),
];

fn chosen() -> Scratch {
    let scratch = Scratch::with_sizes(2, 4, 2, 9);
    let [ugal, par] = CHOSEN;
    let generate = ["generate", "fabric.toml", "-o", "out", "-q", "--set", ugal, "--set", par];
    let run = scratch.tvlb_with(generate);
    assert_eq!(run.code, 0, "{}", run.stderr);
    scratch.write("dead.txt", "cable (0,3):0\nlocal (0,1)-(0,3)\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q");
    scratch
}

/// `UPDATE_GOLDEN=1` writes the files.
#[test]
fn the_vectors_of_chosen_tables_are_those_that_are_shipped() {
    let scratch = chosen();
    let mut made = scratch.succeeds("vectors out --switch 3 --update update");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware-model/golden");
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    for (written, shipped) in IMAGES {
        made = made.replace(written, &format!("firmware-model/golden/{shipped}"));
        files.push((shipped, scratch.read(written)));
    }
    files.push(("chosen.txt", made.into_bytes()));
    for (name, content) in files {
        let path = golden.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &content).unwrap();
        }
        assert!(fs::read(&path).unwrap() == content, "UPDATE_GOLDEN=1 writes {name}");
    }
}

/// Vectors have all that a firmware can meet of its tables: every kind of choice, and errors of every call.
#[test]
fn vectors_have_choices_errors_and_looks() {
    let scratch = chosen();
    let made = scratch.succeeds("vectors out --switch (0,3) --update update");
    assert_eq!(made, scratch.succeeds("vectors out --switch 3 --update update --seed 1"));
    assert_ne!(made, scratch.succeeds("vectors out --switch 3 --update update --seed 2"));
    let lines = |start: &str| made.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((lines("images "), lines("faults "), lines("boot ")), (2, 1, 4));
    for choice in [1, 2, 3, 5] {
        assert!(lines(&format!("choice {choice}")) > 0, "{choice}");
    }
    for error in [6, 8, 9, 10, 11, 15, 24] {
        let end = format!(" error {error}");
        assert!(made.lines().any(|line| line.ends_with(&end)), "{error}");
    }
    // Looks that change a header.
    for call in ["reconsider ", "onward "] {
        let changes = |line: &&str| {
            let words: Vec<&str> = line.split(' ').collect();
            !line.contains("error") && words[1] != words[words.len() - 1]
        };
        assert!(made.lines().filter(|line| line.starts_with(call)).any(|line| changes(&line)));
    }
    let refused = scratch.refuses("vectors out --switch 36");
    assert!(refused.contains("36"), "{refused}");
    scratch.refuses("vectors nowhere --switch 3");
}
