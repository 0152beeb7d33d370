//! Fabrics whose cables are listed: the lists that `tvlb` itself prints, incomplete ones, and
//! every kind of wrong one.

use crate::between::cables_between;
use crate::scratch::Scratch;
use insta::assert_snapshot;

const HEADER: &str = "from_group,from_switch,from_port,to_group,to_switch,to_port\n";

/// Three groups of two switches with two global ports each, and these cables.
fn with_cables(lines: &str) -> Scratch {
    let scratch = Scratch::with_fabric(
        "name = \"listed\"\n[dragonfly]\np = 1\na = 2\nh = 2\ng = 3\ncables = \"cables.csv\"\n",
    );
    scratch.write("cables.csv", lines);
    scratch
}

fn error_of(lines: &str) -> String {
    with_cables(lines).refuses("generate fabric.toml -o out")
}

fn error_below_header(lines: &str) -> String {
    error_of(&format!("{HEADER}{lines}"))
}

#[test]
fn what_topology_prints_is_a_cable_list() {
    let arranged = Scratch::with_table_set();
    let list = arranged.succeeds("topology fabric.toml --format csv");
    let text = String::from_utf8(arranged.read("fabric.toml")).unwrap();
    let text = text.replace("[dragonfly]", "[dragonfly]\ncables = \"cables.csv\"");
    let listed = Scratch::with_fabric(&text);
    listed.write("cables.csv", list);
    listed.succeeds("generate fabric.toml -o out");
    assert_eq!(listed.read("out/fabric.tvlb"), arranged.read("out/fabric.tvlb"));
}

/// Four groups of four switches, and two of two that have fewer nodes.
const KINDS: &str = "name = \"kinds\"\n[dragonfly]\ncables = \"cables.csv\"\n\
    [[dragonfly.kinds]]\nname = \"compute\"\np = 2\na = 4\nh = 3\ng = 4\n\
    [[dragonfly.kinds]]\nname = \"storage\"\np = 1\na = 2\nh = 4\ng = 2\n";
const BETWEEN: &str = "compute,compute=2 storage,compute=1 storage,storage=3";

#[test]
fn groups_of_several_kinds_go_through_all_commands() {
    let scratch = Scratch::with_fabric(KINDS);
    scratch.write("cables.csv", cables_between(&scratch, BETWEEN));
    assert_snapshot!("kinds_topology", scratch.succeeds("topology fabric.toml"));
    assert_snapshot!("kinds_topology_json", scratch.succeeds("topology fabric.toml --json"));
    let set = "--set strategic-2-3";
    scratch.succeeds(&format!("generate fabric.toml -o out {set}"));
    assert_snapshot!("kinds_verify", scratch.succeeds("verify out --fabric fabric.toml"));
    assert_snapshot!("kinds_inspect", scratch.succeeds("inspect out --switch 21"));
    assert_snapshot!("kinds_paths", scratch.succeeds("paths fabric.toml --from 1 --to 20"));
    for traffic in ["uniform", "shift(1,1)", "type2", "permutation", "complement", "hot-switch"] {
        for scheme in ["min", "vlb", "ugal-l", "par", "ugal-g"] {
            scratch.succeeds(&format!(
                "simulate out --scheme {scheme} --traffic {traffic} --load 0.1 --window 300 -q"
            ));
        }
    }
    scratch.succeeds(&format!("generate fabric.toml -o again {set}"));
    assert!(scratch.succeeds("diff out again").contains("are the same"));
    // The same input gives the same bytes.
    assert_eq!(scratch.read("again/manifest.json"), scratch.read("out/manifest.json"));
    // A number in a gap, and the switch before it.
    let error = scratch.refuses("inspect out --switch 18");
    assert_snapshot!(error);
    let error = scratch.refuses("paths fabric.toml --from 23 --to 0");
    assert_snapshot!(error);
}

/// Of group 1 switches 0 and 2 share no link, and 0 and 1 share two.
const LOCAL: &str = "1,0,local,1,1,local\n1,0,local,1,1,local\n1,0,local,1,3,local\n\
    1,1,local,1,2,local\n1,1,local,1,3,local\n1,2,local,1,3,local\n";

#[test]
fn local_links_that_are_many_or_missing_go_through_all_commands() {
    let parallel = KINDS.replace("h = 4\n", "h = 4\nlocal-links = 3\n");
    let scratch = Scratch::with_fabric(&parallel);
    scratch.write("cables.csv", cables_between(&scratch, BETWEEN) + LOCAL);
    assert_snapshot!("local_links_topology", scratch.succeeds("topology fabric.toml"));
    assert_snapshot!("local_links_topology_json", scratch.succeeds("topology fabric.toml --json"));
    scratch.succeeds("generate fabric.toml -o out --set strategic-2-3");
    assert_snapshot!("local_links_verify", scratch.succeeds("verify out --fabric fabric.toml"));
    assert_snapshot!("local_links_inspect", scratch.succeeds("inspect out --switch 4"));
    assert_snapshot!(
        "local_links_paths",
        scratch.succeeds("paths fabric.toml --from 4 --to 6 --list")
    );
    for traffic in ["uniform", "shift(1,1)", "type2", "permutation", "complement", "hot-switch"] {
        for scheme in ["min", "vlb", "ugal-l", "par", "ugal-g"] {
            scratch.succeeds(&format!(
                "simulate out --scheme {scheme} --traffic {traffic} --load 0.1 --window 300 -q"
            ));
        }
    }
    // Every assignment of channels and every way to draw.
    for (channels, set) in [("per-hop", "switches:2-3"), ("positional", "60% 5-hop by shape")] {
        let routing =
            format!("{parallel}[routing]\nset = \"{set}\"\nvirtual-channels = \"{channels}\"\n");
        scratch.write("other.toml", routing);
        scratch.succeeds(&format!("generate other.toml -o {channels}"));
        let verified = scratch.succeeds(&format!("verify {channels} --fabric other.toml"));
        assert!(verified.contains("no deadlock can form"), "{verified}");
        assert!(verified.contains("5 of 5 in use") || channels != "positional", "{verified}");
    }
    scratch.succeeds("model fabric.toml --patterns shift(1,0) --set all,strategic-2-3 -q");
    assert!(scratch.differs("diff out per-hop").contains("ugal-l"));
    // What other programs' formats cannot say, and a link that the images do not have.
    let error = scratch.refuses("topology fabric.toml --format anynet");
    assert_snapshot!(error);
    scratch
        .write("cables.csv", cables_between(&scratch, BETWEEN) + LOCAL + "1,2,local,1,0,local\n");
    assert_snapshot!(scratch.finds("verify out --fabric fabric.toml"));
}

#[test]
fn kinds_that_make_no_fabric_are_refused() {
    let kind = |p: u32, a: u32, h: u32, g: u32| {
        format!("[[dragonfly.kinds]]\np = {p}\na = {a}\nh = {h}\ng = {g}\n")
    };
    let head = "name = \"x\"\n[dragonfly]\ncables = \"cables.csv\"\n";
    let nine: String = (1..=9).map(|a| kind(1, a, 9, 1)).collect();
    for (text, named) in [
        (format!("{head}{}", kind(0, 2, 1, 3)), "p = 0 for every kind of groups"),
        (format!("{head}{}", kind(1, 2, 1, 1)), "g = 1, but g must be 2 to"),
        (format!("{head}{}", kind(1, 2, 1, 9)), "g must be at most 3"),
        (format!("{head}{nine}"), "found 9 kinds of groups, but there must be 1 to 8"),
        (format!("{head}kinds = []\n"), "found 0 kinds of groups"),
        (format!("{head}kinds = 3\n"), "must be an array of tables"),
        (
            format!("{head}p = 1\n{}", kind(1, 2, 1, 3)),
            "dragonfly.p is given beside dragonfly.kinds",
        ),
        (
            head.replace("cables = \"cables.csv\"", "arrangement = \"relative\"")
                + &kind(1, 2, 1, 3),
            "accepted is cables",
        ),
        (head.replace("cables = \"cables.csv\"\n", "") + &kind(1, 2, 1, 3), "cables is missing"),
        (format!("{head}{}", kind(1, 300, 1, 3)), "kinds[1].a = 300"),
        (format!("{head}{}q = 1\n", kind(1, 2, 1, 3)), "dragonfly.kinds[1].q is not a key"),
    ] {
        let scratch = Scratch::with_fabric(&text);
        scratch.write("cables.csv", HEADER);
        let error = scratch.refuses("topology fabric.toml");
        assert!(error.contains(named), "{text}: {error}");
    }
    // A cable to a switch that its group has not.
    let scratch = Scratch::with_fabric(KINDS);
    scratch.write("cables.csv", format!("{HEADER}0,0,0,4,2,0\n"));
    assert_snapshot!(scratch.refuses("topology fabric.toml"));
}

#[test]
fn a_list_lies_beside_its_fabric_file() {
    let scratch = with_cables(&format!("{HEADER}0,0,0,1,0,0\n1,1,0,2,0,0\n"));
    let above = Scratch::new();
    let fabric = scratch.path("fabric.toml");
    let summary = above.tvlb_with(["topology", fabric.to_str().unwrap()]);
    assert_eq!(summary.code, 0, "{summary}");
}

#[test]
fn two_groups_without_a_cable_are_joined_through_a_third() {
    let scratch = with_cables(&format!("{HEADER}0,0,0,1,0,0\n1,1,0,2,0,0\n"));
    scratch.succeeds_with_warnings("generate fabric.toml -o out");
    assert_snapshot!(scratch.succeeds("topology fabric.toml"), @"
    Dragonfly (p, a, h, g)     1, 2, 2, 3
    switches                   6
    nodes                      6
    global ports               12
    global ports unused        8
    switches with unused ports 6: (0,0) 1 of 2, (0,1) all 2, (1,0) 1 of 2, (1,1) 1 of 2, (2,0) 1 of 2, (2,1) all 2
    global cables              2
    links per pair of groups   0 to 1 (0 for 1 pair, 1 for 2)
    pairs with fewer links     1: 0-2 0 of 1
    cables that are lacking    1: an unused port of group 0 = an unused port of group 2
    pairs without a link       1: 0-2
    same under group rotation  no
    warning: switch (0,1) has no global cable; where it has local links, packets take detours through it, and it is a source and a destination
    warning: switch (2,1) has no global cable; where it has local links, packets take detours through it, and it is a source and a destination
    ");
    let overview = scratch.succeeds("inspect out");
    assert!(overview.contains("2 cables, 0 to 1 per pair of groups, 8 global ports unused"));
    assert_snapshot!(scratch.succeeds("inspect out --from 1 --to 5 --list"), @"
    from switch 1 (group 0, switch 1) to switch 5 (group 2, switch 1)

    MIN: none, because no cable joins the groups; packets take VLB

    set 0 for ugal-l (T = 0), par-source (T = 0), par-second (T = 0): strategic-2-3 by shape; seed 1
    shape  hops  routes  share of draws
    111       5       1         100.00%
    1 route, 5.000 mean hops of a draw
      111  (0,1) -> (0,0) => (1,0) -> (1,1) => (2,0) -> (2,1)
    ");
}

#[test]
fn without_a_cable_and_without_a_kept_route_any_vlb_path_is_taken() {
    let scratch = with_cables(&format!("{HEADER}0,0,0,1,0,0\n1,1,0,2,0,0\n"));
    scratch.succeeds_with_warnings("generate fabric.toml -o out --set min");
    assert_snapshot!(scratch.succeeds("inspect out --from 1 --to 5"), @"
    from switch 1 (group 0, switch 1) to switch 5 (group 2, switch 1)

    MIN: none, because no cable joins the groups; packets take VLB

    set 0 for ugal-l (T = 0), par-source (T = 0), par-second (T = 0): min; seed 1
    no route is kept: packets take any VLB path
    ");
}

#[test]
fn two_groups_out_of_reach() {
    assert_snapshot!(error_below_header("0,0,0,1,0,0\n"), @"tvlb: cables.csv: groups 0 and 2 share no cable, and no other group has cables to both: no packet can pass between them by MIN or VLB; add a cable");
    assert_snapshot!(error_of(HEADER), @"tvlb: cables.csv: groups 0 and 1 share no cable, and no other group has cables to both: no packet can pass between them by MIN or VLB; add a cable");
}

#[test]
fn ends_that_are_wrong() {
    assert_snapshot!(error_below_header("0,0,0,1,0,0\n0,1,0,3,0,0\n"), @"tvlb: cables.csv: line 3: to_group is 3, but must be 0 to 2");
    assert_snapshot!(error_below_header("0,0,0,,,\n"), @r#"tvlb: cables.csv: line 2: to_group is "", but must be a whole number, 0 to 2"#);
    assert_snapshot!(error_below_header("0,0,0\n"), @"tvlb: cables.csv: line 2: found 3 fields, accepted 6: from_group,from_switch,from_port,to_group,to_switch,to_port");
    assert_snapshot!(error_below_header("0,0,0,1,0,0\n1,0,0,2,0,0\n"), @"tvlb: cables.csv: line 3: group 1, switch 0, global port 0 already has the cable of line 2; a port takes one cable");
    assert_snapshot!(error_below_header("1,0,0,1,0,0\n"), @"tvlb: cables.csv: line 2: a cable from group 1, switch 0, global port 0 to group 1, switch 0, global port 0 stays within one group; a global cable joins two groups");
    assert_snapshot!(error_below_header("1,0,0,1,1,0\n"), @"tvlb: cables.csv: line 2: a cable from group 1, switch 0, global port 0 to group 1, switch 1, global port 0 stays within one group; a global cable joins two groups");
}

#[test]
fn lists_that_are_none() {
    assert_snapshot!(error_of("0,0,0,1,0,0\n"), @r#"tvlb: cables.csv: line 1: column 1 of the header is "0", accepted "from_group"; the header is from_group,from_switch,from_port,to_group,to_switch,to_port"#);
    assert_snapshot!(error_of(""), @"tvlb: cables.csv: line 1: found the end of the file, accepted the header from_group,from_switch,from_port,to_group,to_switch,to_port");
    assert_snapshot!(error_of("\u{1}\u{2}\n"), @r#"tvlb: cables.csv: line 1: column 1 of the header is "\u{1}\u{2}", accepted "from_group"; the header is from_group,from_switch,from_port,to_group,to_switch,to_port"#);
    let scratch = with_cables("");
    scratch.write("cables.csv", b"from_group\xff");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o out"), @"tvlb: cables.csv: byte 10: found 0xff, accepted UTF-8 text; is this the right file?");
    std::fs::remove_file(scratch.path("cables.csv")).unwrap();
    assert_snapshot!(scratch.refuses("generate fabric.toml -o out"), @"tvlb: cables.csv: cannot read it: No such file or directory (os error 2)");
}
