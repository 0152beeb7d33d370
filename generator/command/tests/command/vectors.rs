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
    files.push(("chosen-run.txt", decisions_of_switch_3(&scratch).into_bytes()));
    for (name, content) in files {
        let path = golden.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &content).unwrap();
        }
        assert!(fs::read(&path).unwrap() == content, "UPDATE_GOLDEN=1 writes {name}");
    }
}

/// A run by PAR under adversarial traffic.
const RUN: &str = "simulate out --scheme par --traffic shift(2,0) --load 0.35 --window 500 -q";

/// What switch 3 decides in it, by the shipped names of the images.
fn decisions_of_switch_3(scratch: &Scratch) -> String {
    scratch.succeeds(&format!("{RUN} --decisions run.txt --decisions-per-switch 300"));
    let all = String::from_utf8(scratch.read("run.txt")).unwrap();
    let [before, after] =
        [3, 4].map(|switch| all.find(&format!("images out/fabric.tvlb out/switches/0000{switch}")));
    let head = all.lines().next().unwrap();
    let mut own = format!("{head}\n{}", &all[before.unwrap()..after.unwrap()]);
    for (written, shipped) in IMAGES {
        own = own.replace(written, &format!("firmware-model/golden/{shipped}"));
    }
    own
}

/// To write decisions down changes no figure, and what cannot be written down truly is refused.
#[test]
fn decisions_of_a_run_change_nothing() {
    let scratch = chosen();
    let recorded = scratch.succeeds(&format!("{RUN} --json --decisions run.txt"));
    assert_eq!(recorded, scratch.succeeds(&format!("{RUN} --json --threads 1")));
    let decisions = String::from_utf8(scratch.read("run.txt")).unwrap();
    let lines = |start: &str| decisions.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((lines("images "), lines("boot 3 1 4 4")), (36, 36));
    let calls = ["admit ", "reconsider ", "onward ", "forward "].map(lines);
    assert!(calls.iter().all(|&calls| calls > 100), "{calls:?}");
    assert_eq!(calls.iter().sum::<usize>(), 36_000);

    for (arguments, found) in [
        ("--scheme ugal-g", "scheme is ugal-g"),
        ("--load 0.1,0.2", "2 loads and 1 seed"),
        ("--conventional", "options that change how the images decide"),
        ("--saturation", "'--saturation'"),
    ] {
        let refused = scratch.refuses(&format!("simulate out {arguments} --decisions no.txt"));
        assert!(refused.contains(found), "{refused}");
    }
    scratch.refuses("simulate out --decisions-per-switch 5");
    assert!(!scratch.path("no.txt").exists());
}

/// Vectors have all that a firmware can meet of its tables: every kind of choice, and errors of every call.
#[test]
fn vectors_have_choices_errors_and_looks() {
    let scratch = chosen();
    let made = scratch.succeeds("vectors out --switch (0,3) --update update");
    assert_eq!(made, scratch.succeeds("vectors out --switch 3 --update update --seed 1"));
    assert_ne!(made, scratch.succeeds("vectors out --switch 3 --update update --seed 2"));
    let lines = |start: &str| made.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((lines("images "), lines("faults "), lines("boot ")), (2, 1, 6));
    for choice in [1, 2, 3, 5] {
        assert!(lines(&format!("choice {choice}")) > 0, "{choice}");
    }
    for error in [6, 8, 9, 10, 11, 12, 15, 24] {
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
