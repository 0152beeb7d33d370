//! `tvlb load`: exact loads of links, and one clear error for each kind of bad input.

use crate::between::cables_between;
use crate::scratch::Scratch;
use insta::assert_snapshot;

const RELATIVE: &str =
    "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\narrangement = \"relative\"\n";

#[test]
fn loads_as_table_and_json() {
    let scratch = Scratch::with_fabric(RELATIVE);
    let load = "load fabric.toml --traffic complement --set min --set valg --set valn";
    assert_snapshot!("load_table", scratch.succeeds(load));
    let groups = scratch.succeeds(&format!("{load} --place groups --seed 3 --busiest 2"));
    assert_snapshot!("load_placed", groups);
    let json = scratch.succeeds(&format!("{load} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let saturation = |number: usize| json["loads"][number]["static-saturation"].as_f64().unwrap();
    assert_eq!(json["loads"][1]["set"], "shapes:111");
    for (number, expected) in [(0, 0.125), (1, 7.0 / 24.0), (2, 7.0 / 22.0)] {
        assert!((saturation(number) - expected).abs() < 1e-12, "{number}: {}", saturation(number));
    }
    assert!(json["loads"][1]["links"][1]["busiest"][0]["from-switch"].is_u64());
    let one = scratch.succeeds(&format!("{load} --json --threads 1"));
    assert_eq!(scratch.succeeds(&format!("{load} --json --threads 3")), one);
}

#[test]
fn what_is_not_a_pattern_a_placement_or_a_set_is_refused() {
    let scratch = Scratch::with_fabric(RELATIVE);
    for (arguments, said) in [
        (
            "--traffic complment",
            "--traffic: \"complment\" is not a traffic pattern (did you mean complement?)",
        ),
        (
            "--traffic shift(9,0)",
            "--traffic: traffic shift(9,0): the shift of groups is 9, accepted 0 to 8 on this fabric",
        ),
        (
            "--place sideways",
            "--place: \"sideways\" is not a placement, accepted identity, spread, random, groups and listed:FILE",
        ),
        ("--place listed:nowhere.txt", "nowhere.txt: cannot read it"),
        (
            "--set val",
            "--set: column 1: found `val` (did you mean valg?), accepted `min`, `all`, `conventional`, `valg`, `valn`",
        ),
        ("--set val", "`conventional` is accepted too"),
    ] {
        let error = scratch.refuses(&format!("load fabric.toml {arguments}"));
        assert!(error.contains(said), "{error}");
    }
    scratch.write("nodes.txt", "0\n1\n1\n");
    let error = scratch.refuses("load fabric.toml --place listed:nodes.txt");
    assert!(error.contains("nodes.txt: line 3: node 1 already stands in line 2"), "{error}");
}

/// Flows of which a node has several are counted as the pattern that they make up.
#[test]
fn flows_have_several_destinations() {
    let scratch = Scratch::with_table_set();
    let pairs = (0..72).flat_map(|node| (0..72).map(move |other| (node, other)));
    let pairs = pairs.map(|(node, other)| format!("{node},{other},0.25\n"));
    let flows = String::from("source-node,destination-node,demand\n") + &pairs.collect::<String>();
    scratch.write("uniform.csv", flows);
    let loads = |of: &str, options: &str| -> serde_json::Value {
        let json = scratch.succeeds(&format!("load {of} --json --set valg {options}"));
        serde_json::from_str(&json).unwrap()
    };
    scratch.write("dead.txt", "switch (3,1)\ncable (0,0):0\n");
    for options in ["", "--faults dead.txt"] {
        let (pattern, file) = (
            loads("fabric.toml", options),
            loads("fabric.toml", &format!("{options} --traffic flows:uniform.csv")),
        );
        assert_eq!(pattern["senders"], file["senders"]);
        for figure in ["static-saturation", "largest-load", "without-path"] {
            let [one, other] =
                [&pattern, &file].map(|report| report["loads"][0][figure].as_f64().unwrap());
            assert!((one - other).abs() < 1e-9, "{figure}: {one} {other}");
        }
        assert_eq!(loads("out", options), pattern);
    }
    scratch.write("few.csv", "source-node,destination-node,demand\n0,9,3\n0,40,1\n1,40,2\n");
    assert_snapshot!(
        "load_flows",
        scratch.succeeds("load fabric.toml --traffic flows:few.csv --busiest 3")
    );
    assert_eq!(
        loads("out", "--set ugal-l")["loads"][1]["set"],
        loads("out", "--set par-source")["loads"][1]["set"]
    );
    assert_snapshot!(scratch.refuses("load fabric.toml --set ugal-l"));
    // A placement says where processes of listed traffic run, as for any other.
    let placed = loads("out", "--traffic flows:few.csv --place groups");
    assert_eq!((&placed["placement"], &placed["senders"]), (&"groups".into(), &2.into()));
}

#[test]
fn a_fabric_without_third_groups_has_no_vlb() {
    let scratch = Scratch::with_sizes(1, 2, 1, 2);
    for paths in ["valg", "valn", "all", "conventional"] {
        let error =
            scratch.refuses(&format!("load fabric.toml --traffic complement --set {paths}"));
        let said = format!(
            "--set {paths}: the fabric has 2 groups, and a VLB path goes through a third one"
        );
        assert!(error.contains(&said), "{error}");
    }
    scratch.succeeds("load fabric.toml --traffic complement --set min");
}

#[test]
fn groups_of_different_sizes_change_places() {
    let scratch = Scratch::with_text(
        "name = \"kinds\"\n[dragonfly]\ncables = \"cables.csv\"\n\
         [[dragonfly.kinds]]\np = 2\na = 4\nh = 1\ng = 3\n\
         [[dragonfly.kinds]]\np = 1\na = 4\nh = 1\ng = 2\n",
    );
    let between = "kind-1,kind-1=1 kind-1,kind-2=1 kind-2,kind-2=1";
    let cables = cables_between(&scratch, between);
    scratch.write("cables.csv", cables);
    let placed = scratch.succeeds("load fabric.toml --traffic complement --place groups");
    assert!(placed.contains("complement placed by groups; 32 nodes send"), "{placed}");
    scratch.succeeds("load fabric.toml --traffic complement --set valg");
}

/// The links to nodes of a dead switch carry nothing, and these nodes send nothing.
#[test]
fn nodes_of_dead_switches_have_no_load() {
    let scratch = Scratch::with_fabric(RELATIVE);
    scratch.write("dead.txt", "switch (0,0)\n");
    // Nodes 0 and 1 are on switch 0; 70 and 71 send to them.
    scratch.write("pairs.csv", "source-node,destination-node\n0,40\n70,1\n71,1\n20,30\n");
    let load = "load fabric.toml --traffic flows:pairs.csv --json";
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let whole = read(&scratch.succeeds(load));
    let live = read(&scratch.succeeds(&format!("{load} --faults dead.txt")));
    assert_eq!((&whole["senders"], &live["senders"]), (&4.into(), &3.into()));
    let to_nodes = |json: &serde_json::Value| {
        let links = json["loads"][0]["links"].as_array().unwrap().clone();
        let nodes = links.iter().find(|links| links["kind"] == "node").unwrap().clone();
        nodes["busiest"]
            .as_array()
            .unwrap()
            .iter()
            .map(|link| link["load"].as_f64().unwrap())
            .sum::<f64>()
    };
    assert!((to_nodes(&whole) - 2.0).abs() < 1e-12, "{whole}");
    assert!((to_nodes(&live) - 1.0).abs() < 1e-12, "{live}");
}

/// Amounts are shares of what all nodes send, and a link that is named is none of the others.
#[test]
fn amounts_and_counts_are_of_what_they_say() {
    let scratch = Scratch::with_fabric(RELATIVE);
    scratch.write("pair.csv", "source-node,destination-node\n0,40\n");
    let said = scratch.succeeds("load fabric.toml --traffic flows:pair.csv");
    assert!(said.contains("traffic  flows:pair.csv; 1 node sends; seed 1\n"), "{said}");
    let all = scratch.succeeds("load fabric.toml --traffic uniform");
    let named = scratch.succeeds("load fabric.toml --traffic uniform --busiest 3");
    let others = |text: &str| {
        let line =
            text.lines().find(|line| line.contains("other links as much")).unwrap().to_owned();
        let (_, rest) = line.split_once(", and ").unwrap();
        rest.split(' ').next().unwrap().parse::<u32>().unwrap()
    };
    assert_eq!(others(&all), others(&named) + 2, "{all}{named}");
    // Four of 72 nodes send to a dead switch or lie on it.
    scratch.write("dead.txt", "switch (0,0)\n");
    let dead = scratch.succeeds("load fabric.toml --traffic complement --faults dead.txt");
    assert!(
        dead.contains("5.56% of what all nodes send has no path and is in no load\n"),
        "{dead}"
    );
}
