//! Fabrics of several kinds of groups, of which some have no nodes.

use crate::between::cables_between;
use crate::scratch::Scratch;

/// Two groups of one switch without nodes, and three groups of two switches.
const WITHOUT_NODES: &str = "name = \"kinds\"\n[dragonfly]\ncables = \"cables.csv\"\n\
    [[dragonfly.kinds]]\np = 0\na = 1\nh = 3\ng = 2\n\
    [[dragonfly.kinds]]\np = 1\na = 2\nh = 2\ng = 3\n\
    [routing]\nset = \"all by shape\"\n";

#[test]
fn switches_without_nodes_are_generated_verified_and_simulated() {
    let scratch = Scratch::with_text(WITHOUT_NODES);
    let between = "kind-1,kind-1=0 kind-1,kind-2=1 kind-2,kind-2=1";
    let cables = cables_between(&scratch, between);
    scratch.write("cables.csv", cables);
    scratch.succeeds("generate fabric.toml -o out");
    let certificate = scratch.succeeds("verify out --fabric fabric.toml");
    for line in [
        "reachable     all 30 pairs of switches\n",
        "asked         the datapath for a MIN path and for VLB paths of every pair\n",
        "walked        every path of every pair\n",
    ] {
        assert!(certificate.contains(line), "{certificate}");
    }
    // From each of the six switches that have nodes to the five others.
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds("verify out --json")).unwrap();
    assert_eq!((&json["pairs"], &json["answers"]["min"]), (&30.into(), &30.into()), "{json}");
    let sample = scratch.succeeds("verify out --most-walks 10");
    assert!(sample.contains(" for a MIN path and for VLB paths of every pair\n"), "{sample}");
    scratch.succeeds("simulate out --scheme par --load 0.1 --window 200 -q");
    assert_eq!(scratch.tvlb("diff out out").code, 0);
    let switch = scratch.succeeds("inspect out --switch 0");
    assert!(!switch.contains("node 0"), "{switch}");
    scratch.succeeds("inspect out --from 4 --to 0 --list");
}

/// The kinds of `tables/machines/small-lumi-like.toml`, fewer and smaller.
const RELATIVE: &str = "name = \"relative\"\n[dragonfly]\ncables = \"cables.csv\"\n\
    [[dragonfly.kinds]]\nname = \"accelerator\"\np = 2\na = 4\nh = 3\ng = 3\n\
    [[dragonfly.kinds]]\nname = \"processor\"\np = 2\na = 2\nh = 3\ng = 2\n\
    [[dragonfly.kinds]]\nname = \"service\"\np = 0\na = 2\nh = 3\ng = 1\n";

#[test]
fn a_choice_by_simulation_for_kinds_of_groups() {
    let scratch = Scratch::with_text(RELATIVE);
    let between = "accelerator,accelerator=4 accelerator,processor=1 \
        processor,processor=1 accelerator,service=1 \
        processor,service=1";
    scratch.write("cables.csv", cables_between(&scratch, between));
    let printed = scratch.succeeds("generate fabric.toml -o out --panel quick");
    assert!(printed.contains("verified every MIN path, every VLB path\n"), "{printed}");
    let manifest: serde_json::Value =
        serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    let choice = &manifest["choice"];
    assert_eq!(choice["by"], "simulation");
    let panel = &choice["panel"];
    for (what, least) in [("score", 2), ("guards", 2)] {
        assert!(panel[what].as_array().unwrap().len() >= least, "{panel}");
    }
    let contests = choice["contests"].as_array().unwrap();
    assert_eq!(contests.len(), 2);
    for contest in contests {
        let baselines = contest["guard-baselines"].as_array().unwrap();
        let carried = |one: &serde_json::Value| one["conventional"].as_f64().unwrap();
        assert!(
            !baselines.is_empty() && baselines.iter().all(|one| carried(one) > 0.1),
            "{contest}"
        );
        assert!(contest["contenders"].as_array().unwrap().len() > 3, "{contest}");
        // Whether a candidate holds all guards is for the fabric; what is chosen is one that holds them
        // best.
        assert!(contest["holds-guards"].is_boolean() && contest["chosen"].is_string());
    }
    scratch.succeeds("verify out --fabric fabric.toml");
    let report = String::from_utf8(scratch.read("out/report.html")).unwrap();
    assert!(report.contains("id=\"step-2\""), "the report shows the contests");
    let simulated = scratch.succeeds("simulate out --load 0.2 --window 500 --json -q");
    let simulated: serde_json::Value = serde_json::from_str(&simulated).unwrap();
    let accepted = &simulated["curve"][0]["runs"][0]["all"]["accepted"];
    assert!((accepted.as_f64().unwrap() - 0.2).abs() < 0.02, "every node sends: {accepted}");
}
