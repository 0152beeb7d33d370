//! `tvlb model`: its figures word for word, runs that go on, and one clear error for bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::fmt::Write;
use std::fs;

const SHORT: &str = "model fabric.toml --patterns type1-set:3,type2-set:1 --set strategic \
                     --set shapes:011 --set all --quiet";

fn small() -> Scratch {
    Scratch::with_shipped("dfly-2-4-2-9.toml")
}

#[test]
fn figures_as_table_csv_json_and_picture() {
    let scratch = small();
    let run = format!("{SHORT} --csv sets.csv --svg sets.svg");
    assert_snapshot!("model_table", scratch.succeeds(&run));
    assert_snapshot!("model_csv", String::from_utf8(scratch.read("sets.csv")).unwrap());
    let picture = String::from_utf8(scratch.read("sets.svg")).unwrap();
    assert_snapshot!("model_svg", picture);
    let json = scratch.succeeds(&format!("{SHORT} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["dragonfly"], serde_json::json!([2, 4, 2, 9]));
    assert_eq!(json["sets"].as_array().unwrap().len(), 4);
    for set in json["sets"].as_array().unwrap() {
        for cell in set["cells"].as_array().unwrap() {
            let [lower, upper] = [0, 1].map(|end| cell[end].as_f64().unwrap());
            assert!(lower <= upper && upper - lower <= 1e-6 * upper, "{set}");
        }
    }
}

#[test]
fn the_figures_are_the_same_with_any_number_of_threads() {
    let scratch = small();
    let run = format!("{SHORT} --json --threads");
    let found = scratch.succeeds(&format!("{run} 1"));
    assert_eq!(scratch.succeeds(&format!("{run} 2")), found);
    assert_eq!(scratch.succeeds(&format!("{run} 7")), found);
}

#[test]
fn a_run_goes_on_from_its_state() {
    let scratch = small();
    let whole = scratch.succeeds(SHORT);
    assert_eq!(scratch.succeeds(&format!("{SHORT} --state state")), whole);
    let state = scratch.files();
    assert_eq!(scratch.succeeds(&format!("{SHORT} --state state")), whole);
    assert_eq!(scratch.files(), state);
    // Nothing is left to do: no cell is modelled again.
    let loud = SHORT.replace(" --quiet", " --state state");
    let run = scratch.tvlb(&loud);
    assert_eq!((run.code, run.stdout), (0, whole));
    assert!(run.stderr.starts_with("0 cells: "), "{}", run.stderr);

    let mut said = String::new();
    let mut refused = |arguments: &str| {
        writeln!(said, "$ tvlb {arguments}\n{}", scratch.refuses(arguments)).unwrap();
    };
    refused("model fabric.toml --patterns shift(1,0) --set all --state state");
    let (unit, bytes) =
        state.iter().find(|(name, _)| name.rsplit('.').next() == Some("run")).unwrap();
    let longer = [&bytes[..], &[0]].concat();
    for spoilt in [&bytes[..bytes.len() - 1], &longer, b"not a unit"] {
        scratch.write(unit, spoilt);
        refused(&format!("{SHORT} --state state"));
    }
    refused(&format!("{SHORT} --state fabric.toml"));
    // Its name depends on the build.
    assert_snapshot!("model_states", said.replace(unit, "state/xx/HASH.run"));
}

/// Paths of one hop count share a rate, so a set that leaves some out can carry more than all paths together; where each
/// path has a rate of its own, it cannot.
#[test]
fn fewer_paths_carry_more_only_where_they_share_rates() {
    let scratch = Scratch::with_fabric(
        "name = \"x\"\nseed = 1\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 7\narrangement = \"random\"\n",
    );
    let intervals = |rule: &str| -> [[f64; 2]; 2] {
        let sets = "--set all --set shapes:021+110 --patterns shift(1,0)";
        let run = format!("model fabric.toml -q --count routes {sets} --rule {rule} --json");
        let json: serde_json::Value = serde_json::from_str(&scratch.succeeds(&run)).unwrap();
        let end = |set: usize, end: usize| json["sets"][set]["cells"][0][end].as_f64().unwrap();
        [0, 1].map(|set| [0, 1].map(|at| end(set, at)))
    };
    let [[_, most_of_all], [least_of_fewer, _]] = intervals("monotone");
    assert!(least_of_fewer > 1.004 * most_of_all, "{least_of_fewer} {most_of_all}");
    let [[_, most_of_all], [least_of_fewer, _]] = intervals("by-path");
    assert!(least_of_fewer <= most_of_all, "{least_of_fewer} {most_of_all}");
}

#[test]
fn patterns_are_read_from_a_file() {
    let scratch = small();
    // Demands of one pair add up; nodes 0 and 1 are on switch 0, 70 and 71 on switch 35.
    scratch
        .write("by-node.csv", "source-node,destination-node,demand\n# two nodes\n0,70,1\n1,71,1\n");
    scratch.write("by-switch.csv", "source-switch, destination-switch, demand\n0, 35, 2\n");
    let of = |file: &str| {
        let run = format!("model fabric.toml --patterns flows:{file} --set all --json");
        let found = scratch.tvlb(&run);
        assert_eq!(found.code, 0, "{found}");
        let json: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
        json["sets"][0]["cells"].clone()
    };
    assert_eq!(of("by-node.csv"), of("by-switch.csv"));
}

#[test]
fn bad_input_ends_in_one_error() {
    let scratch = small();
    let switches = "source-switch,destination-switch,demand\n";
    for (name, text) in [
        ("header.csv", "from,to,demand\n1,2,1\n".to_owned()),
        ("none.csv", switches.to_owned()),
        ("switch.csv", format!("{switches}0,1,1\n0,36,1\n")),
        ("node.csv", "source-node,destination-node,demand\n72,0,1\n".to_owned()),
        ("zero.csv", format!("{switches}0,1,0\n")),
        ("endless.csv", format!("{switches}0,1,inf\n")),
        ("word.csv", format!("{switches}0,one,1\n")),
        ("short.csv", format!("{switches}0,1\n")),
    ] {
        scratch.write(name, text);
    }
    let mut said = String::new();
    for rest in [
        "--patterns flows:header.csv",
        "--patterns flows:none.csv",
        "--patterns flows:switch.csv",
        "--patterns flows:node.csv",
        "--patterns flows:zero.csv",
        "--patterns flows:endless.csv",
        "--patterns flows:word.csv",
        "--patterns flows:short.csv",
        "--patterns flows:missing.csv",
        "--patterns flows",
        "--patterns type-1:3",
        "--patterns type3",
        "--patterns uniform",
        "--patterns type2#10000",
        "--patterns type1-set:0",
        "--patterns shift(9,0)",
        "--patterns shift(1)",
        "--set 4-hops",
        "--epsilon 1",
        "--csv missing/sets.csv --patterns shift(1,0) --set all",
    ] {
        let run = scratch.tvlb(&format!("model fabric.toml {rest} --quiet"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{rest}");
        writeln!(said, "$ tvlb model fabric.toml {rest}\n{}", run.stderr).unwrap();
    }
    assert_snapshot!("model_bad_input", said);
    assert!(fs::metadata(scratch.path("sets.csv")).is_err());
}
