//! The paths of a pair of switches: `paths`, `inspect --from --to` and `sets routes` say the same, with
//! local links missing or several, between groups and within one.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::Value;

const SIX_GROUPS: [&str; 2] =
    ["p = 2\na = 5\nh = 3\ng = 6\n", include_str!("missing_links_6_groups.csv")];
const FIVE_GROUPS: [&str; 2] =
    ["p = 2\na = 4\nh = 3\ng = 5\n", include_str!("missing_links_5_groups.csv")];

/// A fabric in which links within groups are missing, and its tables in `out`.
fn with_missing_links([sizes, cables]: [&str; 2], set: &str) -> Scratch {
    let scratch = Scratch::with_text(&format!(
        "name = \"missing-links\"\n[dragonfly]\ncables = \"cables.csv\"\n{sizes}"
    ));
    scratch.write("cables.csv", cables);
    let run = scratch.tvlb_with(["generate", "fabric.toml", "-q", "-o", "out", "--set", set]);
    assert_eq!(run.code, 0, "{run}");
    scratch
}

#[test]
fn a_pair_without_a_local_link_takes_third_switches() {
    let scratch = with_missing_links(SIX_GROUPS, "all");
    let pair = scratch.succeeds("inspect out --from 15 --to 27");
    let (pair, _) = pair.split_once("\nset 0").unwrap();
    assert_snapshot!(pair, @"
    from switch 15 (group 3, switch 0) to switch 27 (group 5, switch 2)

    MIN: 3 paths, one drawn uniformly
      (3,0) -> (3,2) -> (3,1) => (5,4) -> (5,2)
      (3,0) -> (3,3) -> (3,1) => (5,4) -> (5,2)
      (3,0) -> (3,4) -> (3,1) => (5,4) -> (5,2)
    ");
    assert_snapshot!(scratch.succeeds("inspect out --from 15 --to 16"), @"
    from switch 15 (group 3, switch 0) to switch 16 (group 3, switch 1)

    MIN: 3 paths, one drawn uniformly
      (3,0) -> (3,2) -> (3,1)
      (3,0) -> (3,3) -> (3,1)
      (3,0) -> (3,4) -> (3,1)

    VLB: 3 paths, one drawn uniformly, whatever the set
      (3,0) -> (3,2) -> (3,1)
      (3,0) -> (3,3) -> (3,1)
      (3,0) -> (3,4) -> (3,1)
    ");
    assert_snapshot!(scratch.succeeds("inspect out --from 15 --to 17"), @"
    from switch 15 (group 3, switch 0) to switch 17 (group 3, switch 2)

    MIN: 1 path
      (3,0) -> (3,2)

    VLB: 2 paths, one drawn uniformly, whatever the set
      (3,0) -> (3,3) -> (3,2)
      (3,0) -> (3,4) -> (3,2)
    ");
    let json: Value =
        serde_json::from_str(&scratch.succeeds("inspect out --from 15 --to 17 --json --list"))
            .unwrap();
    assert_eq!(json["min"][0]["switches"], serde_json::json!([15, 17]));
}

/// Each line by line: the lists of a table set, of its fabric with the same set, and of its images.
#[test]
fn every_list_of_a_pair_is_the_same() {
    let set = "shapes:011 by shape";
    let scratch = with_missing_links(FIVE_GROUPS, set);
    let of_tables = scratch.succeeds("sets routes out --decision par-second");
    let all = ["paths", "fabric.toml", "--all", "--set", set, "--json"];
    assert_eq!(scratch.tvlb_with(all).stdout, of_tables);
    for (index, line) in of_tables.lines().enumerate().filter(|(index, _)| index % 11 == 0) {
        let line: Value = serde_json::from_str(line).unwrap();
        let (from, to) = (&line["source"], &line["destination"]);
        let arguments = format!("inspect out --from {from} --to {to} --list");
        let json: Value =
            serde_json::from_str(&scratch.succeeds(&format!("{arguments} --json"))).unwrap();
        assert_eq!(json["min"], line["min"], "{index}");
        assert_eq!(json["sets"][0]["vlb"], line["vlb"], "{index}");
        let listed = scratch.succeeds(&arguments);
        let walks = listed.lines().filter(|line| line.starts_with("  ")).count();
        let paths = |key: &str| line[key].as_array().unwrap().len();
        assert_eq!(walks, paths("min") + paths("vlb"), "{listed}");
    }
}

#[test]
fn parallel_links_within_a_group_are_one_path() {
    let scratch = Scratch::with_fabric(
        "name = \"parallel\"\n[dragonfly]\np = 2\na = 3\nh = 2\ng = 7\nlocal-links = 2\n",
    );
    scratch.succeeds("generate fabric.toml -o out");
    assert_snapshot!(scratch.succeeds("inspect out --from 0 --to 2"), @"
    from switch 0 (group 0, switch 0) to switch 2 (group 0, switch 2)

    MIN: 1 path
      (0,0) -> (0,2)

    VLB: 1 path, whatever the set
      (0,0) -> (0,1) -> (0,2)
    ");
}

/// Two groups share no cable: their switches save no channel by a short set, and others do.
#[test]
fn links_need_the_most_channels_that_any_switch_says() {
    let scratch = with_missing_links(FIVE_GROUPS, "shapes:011 by shape");
    let by_sets = |arguments: &str| {
        let text = scratch.succeeds(arguments);
        let (_, after) = text.split_once("if no packet draws conventionally").unwrap();
        let after = after.trim_start_matches([':', ',']).trim_start();
        after.lines().next().unwrap().to_owned()
    };
    let low = "4 on local and 2 on global links for MIN, VLB and UGAL; 4 on local and 2 on global links for PAR";
    let most = "4 on local and 3 on global links for MIN, VLB and UGAL; 5 on local and 4 on global links for PAR";
    assert_eq!(by_sets("inspect out --switch 1"), low);
    assert_eq!(by_sets("inspect out"), most);
}
