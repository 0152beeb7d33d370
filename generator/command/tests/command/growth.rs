//! What a machine that grows, shrinks or takes other sets is told: channels, steps, waiting.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::fmt::Write;

/// Three groups of three switches whose minimal paths need two local hops once the link between switches 0 and 2
/// of group 0 is missing.
fn with_a_local_link_less() -> Scratch {
    let scratch = Scratch::new();
    let whole = "from_group,from_switch,from_port,to_group,to_switch,to_port\n\
                 0,2,0,1,0,0\n0,2,1,2,0,0\n1,1,0,2,1,0\n";
    scratch.write("whole.csv", whole);
    scratch.write("missing.csv", format!("{whole}0,0,local,0,1,local\n0,1,local,0,2,local\n"));
    for name in ["whole", "missing"] {
        let text = format!(
            "name = \"x\"\n[dragonfly]\ncables = \"{name}.csv\"\np = 1\na = 3\nh = 2\ng = 3\n\
             [routing]\nvirtual-channels = \"positional\"\nset = \"all\"\n"
        );
        scratch.write(&format!("{name}.toml"), text);
        scratch.succeeds(&format!("generate {name}.toml -o {name} -q"));
    }
    scratch.write("nothing.txt", "");
    scratch
}

/// Lines of `diff` from that of what is to be installed on.
fn install(scratch: &Scratch, arguments: &str) -> String {
    let said = scratch.differs(&format!("diff {arguments}"));
    said[said.find("\ninstall").map_or(said.len(), |at| at + 1)..].to_owned()
}

fn json(scratch: &Scratch, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&scratch.differs(&format!("diff {arguments} --json"))).unwrap()
}

/// The old tables need a channel more than the new ones: the network has it all the time.
#[test]
fn a_local_link_comes_to_a_network_that_runs() {
    let scratch = with_a_local_link_less();
    assert_snapshot!(install(&scratch, "missing whole"));
    scratch.succeeds("faults whole --not-in missing -o first");
    scratch.succeeds("faults whole --faults nothing.txt --after first -o second");
    let run = "simulate whole --grown-from missing --update-at 1000:first --update-at 2000:second \
               --load 0.3 --window 1000 -q --scheme";
    for scheme in ["min", "vlb", "ugal-l", "ugal-g", "par"] {
        let said = scratch.succeeds(&format!("{run} {scheme}"));
        assert!(said.contains("seed 1: 0 of "), "{scheme}: {said}");
    }
    assert_snapshot!(scratch.refuses(&format!("{run} ugal-l --virtual-channels 4")));
}

/// The new tables need a channel more than the old ones.
#[test]
fn a_local_link_goes_from_a_network_that_runs() {
    let scratch = with_a_local_link_less();
    assert_snapshot!(install(&scratch, "whole missing"));
    let needs = &json(&scratch, "whole missing")["install"]["in-steps"]["needs"];
    let channels = serde_json::json!({ "old": [4, 2], "new": [5, 2] });
    assert_eq!(needs["channels-for-ugal-l"], channels);
    assert_eq!(needs.get("channels-for-par"), None);
}

const FIVE: &str = "name = \"x\"\n[dragonfly]\np = 2\na = 3\nh = 2\ng = 5\n";

#[test]
fn sets_that_need_more_channels_or_credits_of_single_ones() {
    let scratch = Scratch::new();
    for (name, routing) in [
        ("short", "set = \"shapes:011\""),
        ("all", "set = \"all\""),
        ("other", "set = \"shapes:001\""),
        ("counted", "set = \"shapes:011\"\nqueue = \"channel\""),
        ("per-hop", "set = \"shapes:011\"\nvirtual-channels = \"per-hop\""),
    ] {
        scratch.write("fabric.toml", format!("{FIVE}[routing]\n{routing}\n"));
        scratch.succeeds(&format!("generate fabric.toml -o {name} -q"));
    }
    assert_snapshot!(install(&scratch, "short all"));
    assert_snapshot!(install(&scratch, "short counted"));
    assert_snapshot!(install(&scratch, "short other"));
    // Fewer channels are no condition, and who knows single ones knows sums.
    let back = install(&scratch, "all short");
    assert!(!back.contains("only where"), "{back}");
    let back = install(&scratch, "counted short");
    assert!(!back.contains("only where"), "{back}");
    assert_snapshot!(install(&scratch, "short per-hop"));
    let json = json(&scratch, "short all");
    let json = &json["install"]["while-packets-fly"];
    assert_eq!(json["switches"], 15);
    let channels = serde_json::json!({ "old": [3, 2], "new": [4, 3] });
    assert_eq!(json["needs"]["channels-for-ugal-l"], channels);
    assert_eq!(json["needs"]["credits-by-channel"], false);
}

/// Groups by number, fully joined, in the steps of a plan.
fn of_groups(groups: usize) -> String {
    let mut cables = String::from("from_group,from_switch,from_port,to_group,to_switch,to_port\n");
    for low in 0..groups {
        for high in low + 1..groups {
            let end = |own: usize, other: usize| {
                let port = if other < own { other } else { other - 1 };
                format!("{own},{},{}", port % 3, port / 3)
            };
            let _ = writeln!(cables, "{},{}", end(low, high), end(high, low));
        }
    }
    cables
}

#[test]
fn what_goes_is_drained_and_waited_for() {
    let scratch = Scratch::new();
    for groups in [4, 5] {
        scratch.write(&format!("{groups}.csv"), of_groups(groups));
        let text = format!(
            "name = \"x\"\n[dragonfly]\ncables = \"{groups}.csv\"\np = 1\na = 3\nh = 2\ng = {groups}\n\
             [routing]\nset = \"all\"\n"
        );
        scratch.write(&format!("{groups}.toml"), &text);
        scratch.succeeds(&format!("generate {groups}.toml -o of-{groups} -q"));
        let per_hop = text + "virtual-channels = \"per-hop\"\n";
        scratch.write(&format!("{groups}.toml"), per_hop);
        scratch.succeeds(&format!("generate {groups}.toml -o per-hop-{groups} -q"));
    }
    assert_snapshot!(install(&scratch, "of-5 of-4"));
    assert_snapshot!(install(&scratch, "of-4 of-5"));
    // 8 moves · (15 nodes + 5·6 + 20 ends of cables) · 5 channels · 32 flits · (2·15 cycles there and back + 2 + 1)
    let bound = 8 * (15 + 30 + 20) * 5 * 32 * (2 * 15 + 2 + 1);
    assert_eq!(json(&scratch, "of-5 of-4")["install"]["in-steps"]["wait-cycles"], bound);
    assert_eq!(json(&scratch, "of-4 of-5")["install"]["in-steps"]["wait-cycles"], 0);
    // The port that led to the group that goes has another cable: none.
    let first = &json(&scratch, "of-5 of-4")["switches"][0];
    assert_eq!(
        [&first["switch"], &first["ports"]],
        [&serde_json::json!(0), &serde_json::json!([1])]
    );
    // Switches that say no are believed.
    assert_snapshot!(install(&scratch, "of-4 per-hop-5"));
}

/// Each of two assignments is free of cycles, and packets that meet switches with both could wait for ever.
#[test]
fn channels_of_the_tables_beside_are_looked_at() {
    let scratch = Scratch::new();
    for assignment in ["ordered", "positional"] {
        let routing = format!("[routing]\nset = \"all\"\nvirtual-channels = \"{assignment}\"\n");
        scratch.write("fabric.toml", format!("{FIVE}{routing}"));
        scratch.succeeds(&format!("generate fabric.toml -o {assignment} -q"));
        scratch.succeeds(&format!("verify {assignment}"));
        scratch.succeeds(&format!("verify {assignment} --beside {assignment}"));
    }
    let said = scratch.tvlb("verify ordered --beside positional");
    assert_eq!(said.code, 1, "{said}");
    assert!(said.stderr.contains("can wait for each other in a cycle"), "{said}");
    // Tables of other sizes have no channels in common.
    let wider = FIVE.replace("a = 3", "a = 4") + "[routing]\nset = \"all\"\n";
    scratch.write("fabric.toml", wider);
    scratch.succeeds("generate fabric.toml -o wider -q");
    let said = scratch.tvlb("verify ordered --beside wider");
    assert_eq!(said.code, 1, "{said}");
    assert!(said.stderr.starts_with("tvlb: wider: found tables of dfly(2, 4, 2, 5)"), "{said}");
}
