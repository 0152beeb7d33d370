//! `tvlb diff` and `generate --check`: word for word, and their exit codes.

use crate::damage::{FABRIC, with_changed};
use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::fmt::Write;
use std::fs;
use std::process::Stdio;

/// The smallest shipped fabric with one set in `old` and another in `new`.
fn two_sets(old: &str, new: &str) -> Scratch {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    for (name, set) in [("old", old), ("new", new)] {
        let arguments = ["generate", "fabric.toml", "-q", "-o", name, "--set", set];
        assert_eq!(scratch.tvlb_with(arguments).code, 0);
    }
    scratch
}

#[test]
fn the_same_is_the_same() {
    let scratch = two_sets("shapes:011", "shapes:011");
    assert_snapshot!(scratch.succeeds("diff old new"), @"old and new are the same");
    assert_snapshot!(scratch.succeeds("diff old new --json").lines().next().unwrap(), @"{");
    assert!(scratch.succeeds("diff old new --json").contains("\"same\": true"));
    assert_eq!(scratch.succeeds("diff old new --quiet"), "");
}

#[test]
fn another_set() {
    let scratch = two_sets("strategic-2-3 by shape", "shapes:011");
    let words = scratch.differs("diff old new");
    assert_snapshot!("diff_another_set", words);
    assert_eq!(scratch.differs("diff old new --threads 1"), words);
    assert_eq!(scratch.differs("diff old new --threads 5"), words);
    assert_eq!(scratch.differs("diff old new --quiet"), "");
    let json: serde_json::Value =
        serde_json::from_str(&scratch.differs("diff old new --json")).unwrap();
    assert_eq!(json["same"], false);
    assert_eq!(json["switches"].as_array().unwrap().len(), 36);
    let mut shortened = json;
    shortened["switches"].as_array_mut().unwrap().truncate(1);
    assert_snapshot!("diff_json", serde_json::to_string_pretty(&shortened).unwrap());
    // The mean hops are those that the manifests give, found by another way.
    for (name, place) in [("old", "old"), ("new", "new")] {
        let manifest: serde_json::Value =
            serde_json::from_slice(&scratch.read(&format!("{name}/manifest.json"))).unwrap();
        for (number, decision) in ["ugal-l", "par-source", "par-second"].into_iter().enumerate() {
            assert_eq!(
                shortened["modes"][number + 1]["mean-hops"][place],
                manifest["sets"][decision]["mean-hops"]
            );
        }
    }
}

#[test]
fn one_decision_of_three() {
    let scratch = two_sets("shapes:011", "shapes:011");
    let only = ["generate", "fabric.toml", "-q", "-o", "new", "--replace", "--set"];
    let run = scratch.tvlb_with(only.into_iter().chain(["shapes:011 then shapes:011 by shape"]));
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!("diff_one_decision", scratch.differs("diff old new"));
}

#[test]
fn another_wiring() {
    let scratch = two_sets("shapes:011", "shapes:011");
    // One cable between groups 0 and 1 less, its ports unused.
    let cables = scratch.succeeds("topology fabric.toml --format csv");
    let fewer: Vec<&str> = cables
        .lines()
        .enumerate()
        .filter(|(number, _)| *number != 1)
        .map(|(_, line)| line)
        .collect();
    scratch.write("cables.csv", fewer.join("\n") + "\n");
    let text = "name = \"dfly-2-4-2-9\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
                cables = \"cables.csv\"\n[routing]\nset = \"shapes:011\"\n";
    scratch.write("fabric.toml", text);
    scratch.succeeds("generate fabric.toml -q -o new --replace");
    assert_snapshot!("diff_another_wiring", scratch.differs("diff old new"));
}

#[test]
fn another_size() {
    let scratch = two_sets("shapes:011", "shapes:011");
    scratch.write("fabric.toml", Scratch::with_sizes(2, 4, 2, 8).read("fabric.toml"));
    scratch.succeeds("generate fabric.toml -q -o new --replace");
    assert_snapshot!("diff_another_size", scratch.differs("diff old new"));
}

/// Two switches that have come into each other's groups, by their names: what was between groups is now within one.
#[test]
fn switches_that_moved() {
    let scratch = Scratch::with_sizes(1, 2, 4, 4);
    let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let text = text.replace("[dragonfly]\n", "[dragonfly]\nnames = \"names.csv\"\n");
    scratch.write("fabric.toml", text);
    for (directory, [one, other]) in [("old", ["a", "b"]), ("new", ["b", "a"])] {
        let list = format!("group,switch,port,name,physical\n0,0,,{one},\n2,0,,{other},\n");
        scratch.write("names.csv", list);
        scratch.succeeds(&format!("generate fabric.toml -q -o {directory}"));
    }
    let said = scratch.differs("diff old new");
    let moved = "switches   8 in both; 2 with other numbers: 4 b is 0 b, 0 a is 4 a\n";
    assert!(said.contains(moved), "{said}");
    let json = scratch.differs("diff old new --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    // Of 56 pairs 8 are of one group; a and b each have another fellow in the new group than in the old one.
    assert_eq!(json["pairs-looked-at"], serde_json::json!([44, 44]));
    // No link that they had within a group is one that they have now.
    let rise = &json["modes"][0]["local"]["largest-rise"];
    assert_eq!(rise["old"], 0.0, "{rise}");
}

/// Groups and switches that all have other numbers, each with its cables and its name: nothing is new for a packet.
#[test]
fn the_same_network_with_other_numbers() {
    let scratch = Scratch::with_sizes(1, 3, 2, 4);
    let cables = scratch.succeeds("topology fabric.toml --format csv");
    // Neither the new groups nor the new switches of a group are in the order of the old ones.
    let (groups, switches) = ([2, 0, 3, 1], [1, 2, 0]);
    for directory in ["old", "new"] {
        let place = |[group, switch]: [usize; 2]| match directory {
            "old" => [group, switch],
            _ => [groups[group], switches[switch]],
        };
        let mut names = "group,switch,port,name,physical\n".to_owned();
        for (group, switch) in (0..4).flat_map(|group| (0..3).map(move |switch| (group, switch))) {
            let [at, index] = place([group, switch]);
            let _ = writeln!(names, "{at},{index},,r{group}s{switch},");
        }
        let rows = cables.lines().skip(1).map(|row| {
            let of: Vec<usize> = row.split(',').map(|number| number.parse().unwrap()).collect();
            let [from, to] = [[of[0], of[1]], [of[3], of[4]]].map(place);
            format!("{},{},{},{},{},{}\n", from[0], from[1], of[2], to[0], to[1], of[5])
        });
        let header = cables.lines().next().unwrap();
        scratch.write("cables.csv", format!("{header}\n{}", rows.collect::<String>()));
        scratch.write("names.csv", names);
        let text = "name = \"x\"\n[dragonfly]\np = 1\na = 3\nh = 2\ng = 4\nnames = \"names.csv\"\n\
                    cables = \"cables.csv\"\n[routing]\nset = \"all\"\n";
        scratch.write("fabric.toml", text);
        scratch.succeeds(&format!("generate fabric.toml -q -o {directory}"));
    }
    let json = scratch.differs("diff old new --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["parts"]["switches-moved"].as_array().unwrap().len(), 12);
    for mode in json["modes"].as_array().unwrap() {
        assert_eq!(mode["pairs-affected"], 0, "{mode}");
        for links in ["local", "global"] {
            assert_eq!(mode[links]["largest-rise"], serde_json::Value::Null, "{mode}");
        }
    }
}

/// The switches of a group are where others were, and others are where they were.
#[test]
fn a_group_in_the_place_of_another() {
    let scratch = Scratch::with_sizes(1, 2, 4, 4);
    let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let text = text.replace("[dragonfly]\n", "[dragonfly]\nnames = \"names.csv\"\n");
    scratch.write("fabric.toml", text);
    for (directory, list) in [
        ("old", "1,0,,a,\n1,1,,b,\n3,0,,c,\n3,1,,d,\n"),
        ("new", "1,0,,c,\n1,1,,d,\n3,0,,e,\n3,1,,f,\n"),
    ] {
        scratch.write("names.csv", format!("group,switch,port,name,physical\n{list}"));
        scratch.succeeds(&format!("generate fabric.toml -q -o {directory}"));
    }
    let said = scratch.differs("diff old new");
    assert!(said.contains("\ngroups     3 in both; 1 gone: 1; 1 new: 3\n"), "{said}");
    assert!(said.contains("6 in both; 2 gone: 2 a, 3 b; 2 new: 6 e, 7 f; "), "{said}");
}

/// What one manifest alone says is told as a change from nothing, or to nothing.
#[test]
fn what_only_one_manifest_says() {
    let scratch = Scratch::with_sizes(1, 2, 4, 4);
    scratch.succeeds("generate fabric.toml -q -o old");
    let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write("fabric.toml", format!("{text}\n[links]\nbuffer = 64\n"));
    scratch.succeeds("generate fabric.toml -q -o new");
    let field = |arguments: &str| {
        let said: serde_json::Value =
            serde_json::from_str(&scratch.differs(&format!("diff {arguments} --json"))).unwrap();
        let fields = said["manifest"].as_array().unwrap().clone();
        fields.into_iter().find(|field| field["field"] == "fabric.buffer").unwrap()
    };
    for (arguments, from, to) in [("old new", "old", "new"), ("new old", "new", "old")] {
        let field = field(arguments);
        assert!(field[from].is_null() && field[to] == 64, "{arguments}: {field}");
    }
}

#[test]
fn a_sample_of_pairs() {
    let scratch = two_sets("strategic-2-3 by shape", "shapes:011");
    let words = scratch.differs("diff old new --most-routes 5000");
    assert!(words.contains(" of 1152, a sample: affected pairs"), "{words}");
    assert_eq!(scratch.differs("diff old new --most-routes 5000 --threads 3"), words);
    assert_ne!(scratch.differs("diff old new --most-routes 5000 --seed 2"), words);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let scratch = with_changed(FABRIC, |bytes| bytes[50] ^= 1);
    assert!(scratch.refuses("diff out out").contains("its SHA-256 is"));
    assert_snapshot!(scratch.refuses("diff nowhere out"), @"tvlb: nowhere/manifest.json: cannot read it: No such file or directory (os error 2)");
}

#[test]
fn a_reader_who_has_read_enough_does_not_change_the_outcome() {
    let scratch = two_sets("strategic-2-3 by shape", "shapes:011");
    let mut command = scratch.command(crate::scratch::TVLB);
    let mut child =
        command.args(["diff", "old", "new", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

const CHECK: &str = "generate fabric.toml --check out";

#[test]
fn nothing_to_change() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    scratch.succeeds("generate fabric.toml -q -o out");
    let before = scratch.files();
    assert_snapshot!(scratch.succeeds(CHECK), @"out is unchanged by generating it again");
    assert_eq!(scratch.succeeds("generate fabric.toml -q --check out"), "");
    assert_snapshot!(scratch.succeeds("generate fabric.toml --check out --json"), @r#"
    {
      "json-version": 1,
      "same": true,
      "directory": "out",
      "missing": [],
      "changed": [],
      "too-many": []
    }
    "#);
    assert_eq!(scratch.files(), before);
}

#[test]
fn something_to_change() {
    let scratch = Scratch::with_table_set();
    scratch.write("fabric.toml", Scratch::with_shipped("dfly-2-4-2-9.toml").read("fabric.toml"));
    let before = scratch.files();
    assert_snapshot!("check_another_set", scratch.differs(&format!("{CHECK} --set shapes:011")));
    assert_eq!(scratch.files(), before);
    scratch.write("out/notes.txt", "");
    fs::remove_file(scratch.path("out/switches/00003.tvlb")).unwrap();
    assert_snapshot!("check_files", scratch.differs(CHECK));
    let json: serde_json::Value =
        serde_json::from_str(&scratch.differs(&format!("{CHECK} --json"))).unwrap();
    assert_eq!(json["missing"][0], "switches/00003.tvlb");
    assert_eq!(json["too-many"][0], "notes.txt");
    // The same content in other words.
    let scratch = Scratch::with_table_set();
    scratch.write("fabric.toml", Scratch::with_shipped("dfly-2-4-2-9.toml").read("fabric.toml"));
    scratch.write("out/manifest.json", [scratch.read("out/manifest.json"), b"\n".into()].concat());
    assert_snapshot!(scratch.differs(CHECK), @"
    generating out again would change it:
    changed    manifest.json
    ");
}

#[test]
fn the_report_is_checked_too() {
    let scratch = Scratch::with_table_set();
    scratch.write("fabric.toml", Scratch::with_shipped("dfly-2-4-2-9.toml").read("fabric.toml"));
    let report = scratch.read("out/report.html");
    let edited = String::from_utf8(report).unwrap().replacen("9 groups", "8 groups", 1);
    scratch.write("out/report.html", edited);
    assert_snapshot!(scratch.differs(CHECK), @"
    generating out again would change it:
    changed    report.html
    ");
    fs::remove_file(scratch.path("out/report.html")).unwrap();
    assert_snapshot!(scratch.differs(CHECK), @"
    generating out again would change it:
    missing    report.html
    ");
}

#[test]
fn what_cannot_be_checked() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    assert_snapshot!(scratch.refuses(CHECK), @"tvlb: out: cannot list it: No such file or directory (os error 2)");
    assert_snapshot!(scratch.tvlb("generate fabric.toml").stderr, @"
    tvlb: the following required arguments were not provided:
      --output <DIR>

    Usage: tvlb generate --output <DIR> <FABRIC>

    For more information, try '--help'.
    ");
    assert_snapshot!(scratch.tvlb("generate fabric.toml --check out -o out").stderr, @"
    tvlb: the argument '--check <DIR>' cannot be used with '--output <DIR>'

    Usage: tvlb generate --check <DIR> <FABRIC>

    For more information, try '--help'.
    ");
}

/// A switch went into the place of another one, and a new one came into its own.
#[test]
fn a_switch_is_one_switch_of_the_other_set() {
    let scratch = Scratch::with_sizes(1, 2, 4, 4);
    let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let text = text.replace("[dragonfly]\n", "[dragonfly]\nnames = \"names.csv\"\n");
    scratch.write("fabric.toml", text);
    for (directory, place) in [("old", "0,0"), ("new", "2,1")] {
        scratch.write("names.csv", format!("group,switch,port,name,physical\n{place},,a,\n"));
        scratch.succeeds(&format!("generate fabric.toml -q -o {directory}"));
    }
    let json = scratch.differs("diff old new --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let of = |what: &str| {
        let switches = json["parts"][what].as_array().unwrap().iter();
        switches.map(|switch| switch["switch"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(json["parts"]["switches-in-both"], 7);
    assert_eq!([of("switches-gone"), of("switches-new")], [[5], [0]]);
}
