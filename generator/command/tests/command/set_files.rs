//! Path sets as files: a set file makes the same images again, a list of routes finds its rule, and what
//! is wrong with either is named.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::{Value, json};
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
        ("\"threshold\": 0", "\"threshold\": 40000"),
        ("\"min\": \"kept\"", "\"min\": \"shortest\""),
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

/// Lists the routes of a table set, and finds their set again.
fn found(scratch: &Scratch, decision: &str) -> String {
    let list = scratch.succeeds(&format!("sets routes out --decision {decision}"));
    scratch.write("routes.jsonl", list);
    scratch.succeeds("sets find fabric.toml routes.jsonl -o found.json")
}

#[test]
fn a_list_of_routes_finds_its_set() {
    for set in [
        "strategic-2-3",
        "strategic-2-3 by shape",
        "2*shapes:000, 3*only:011, 7*only:020+110",
        "60% only:011, 37.5% 5-hop",
        "5*only:121, 12.5% only:111",
        "switches:2-3",
        "switches:2-3 with returns",
        "switches:1-3+3-1",
        "all",
    ] {
        let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
        generate(&scratch, &["-o", "out", "--set", set]);
        let manifest: Value = serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
        let said = found(&scratch, "par-second");
        let expected =
            format!("set      {}\n", manifest["sets"]["par-second"]["set"].as_str().unwrap());
        assert!(said.contains(&expected), "{set}: {said}");
        assert!(said.contains("routes of 1152 pairs of switches, exactly"), "{said}");
        generate(&scratch, &["-o", "again", "--set-file", "found.json"]);
        assert_eq!(images(&scratch, "again"), images(&scratch, "out"), "{set}");
    }
}

#[test]
fn another_seed_is_another_fraction() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    generate(&scratch, &["-o", "out", "--set", "50% 5-hop"]);
    found(&scratch, "ugal-l");
    let seed =
        fabric.lines().find_map(|line| line.strip_prefix("seed = ")).unwrap_or("1").to_owned();
    let refused = scratch.refuses("sets find fabric.toml routes.jsonl --seed 12345");
    assert!(
        refused.contains("no set of the grammar means the list, and the nearest is"),
        "{refused}"
    );
    scratch.succeeds(&format!("sets find fabric.toml routes.jsonl --seed {seed}"));
}

/// A list of these lines.
fn joined(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// The lines of a list as JSON.
fn lines(list: &str) -> Vec<Value> {
    list.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_list_needs_neither_all_pairs_nor_probabilities() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    generate(&scratch, &["-o", "out", "--set", "shapes:011+110"]);
    let list = scratch.succeeds("sets routes out --decision ugal-l --from 3");
    let mut of_one = lines(&list);
    assert_eq!(of_one.len(), 35);
    for line in &mut of_one {
        let line = line.as_object_mut().unwrap();
        line.remove("min");
        for route in line["vlb"].as_array_mut().unwrap() {
            *route = json!({"switches": route["switches"]});
        }
    }
    scratch.write("routes.jsonl", joined(&of_one));
    let said = scratch.succeeds("sets find fabric.toml routes.jsonl");
    assert!(said.starts_with("set      shapes:011+110\nseed "), "{said}");
    assert!(said.contains(" routes of 32 pairs of switches, exactly"), "{said}");
    // And `tvlb paths` writes such lists, too.
    let list = scratch.succeeds("paths fabric.toml --from 3 --to 8 --json --set shapes:011+110");
    let line: Value = serde_json::from_str(&list).unwrap();
    scratch.write("routes.jsonl", line.to_string());
    scratch.succeeds("sets find fabric.toml routes.jsonl");
}

#[test]
fn a_list_without_a_set_is_refused_by_its_first_route() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    generate(&scratch, &["-o", "out", "--set", "strategic-2-3"]);
    let list = scratch.succeeds("sets routes out --decision ugal-l");
    let whole = lines(&list);
    // The first pair with several routes.
    let routes = |line: &Value| line["vlb"].as_array().unwrap().len();
    let is_of = |line: &Value| line["destination"].as_u64() > Some(3) && routes(line) > 2;
    let number = whole.iter().position(is_of).unwrap();
    let [source, destination] = ["source", "destination"].map(|end| whole[number][end].clone());
    let mut said = String::new();
    let mut refused = |change: &dyn Fn(&mut Value)| {
        let mut lines = whole.clone();
        change(&mut lines[number]);
        scratch.write("routes.jsonl", joined(&lines));
        said += &scratch.refuses("sets find fabric.toml routes.jsonl -o found.json");
    };
    let switches = |line: &Value| line["vlb"][0]["switches"].as_array().unwrap().clone();
    refused(&|line| {
        line["vlb"].as_array_mut().unwrap().remove(0);
    });
    refused(&|line| {
        let second = line["vlb"][1].clone();
        line["vlb"].as_array_mut().unwrap().push(second);
    });
    refused(&|line| line["vlb"][0]["probability"] = json!(0.3));
    refused(&|line| line["vlb"][0]["probability"] = json!(0));
    refused(&|line| line["vlb"][0]["probability"] = Value::Null);
    refused(&|line| {
        let end = switches(line).len() - 1;
        line["vlb"][0]["switches"][end] = json!(3);
    });
    refused(&|line| line["vlb"][0]["switches"] = json!([source, 17, destination]));
    refused(&|line| line["vlb"][0]["switches"] = json!([source, 99, destination]));
    refused(&|line| line["vlb"][0]["switches"] = json!([source, 1, 2, 3, 0, 1, 2, destination]));
    refused(&|line| line["vlb"][0]["x"] = json!(77));
    refused(&|line| line["source"] = json!(36));
    refused(&|line| line["source"] = json!(35));
    refused(&|line| line["vlbs"] = json!([]));
    // A route of another shape, in one pair of many.
    let more = scratch.succeeds(&format!(
        "paths fabric.toml --from {source} --to {destination} --json --set only:121"
    ));
    let more: Value = serde_json::from_str(&more).unwrap();
    refused(&|line| {
        let mut route = more["vlb"][0].clone();
        route["probability"] = line["vlb"][0]["probability"].clone();
        line["vlb"].as_array_mut().unwrap().push(route);
    });
    scratch.write("routes.jsonl", "\n");
    said += &scratch.refuses("sets find fabric.toml routes.jsonl");
    said += &scratch.refuses("sets find fabric.toml missing.jsonl");
    // Thinning is no part of the grammar.
    generate(&scratch, &["-o", "thin", "--set", "4-hop", "--balance"]);
    let thinned = scratch.succeeds("sets routes thin --decision ugal-l");
    scratch.write("routes.jsonl", thinned);
    said += &scratch.refuses("sets find fabric.toml routes.jsonl");
    assert_snapshot!("lists_without_a_set", said);
    assert!(!scratch.path("found.json").exists());
}
