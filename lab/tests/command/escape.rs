//! Escape networks from the wiring of a table set to the switches that `sweep` runs.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const SMALL: &str = "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
    [links]\nlocal-latency = 10\nglobal-latency = 100\n[routing]\nset = \"valg\"\n";

fn small() -> Scratch {
    let scratch = Scratch::with_fabric(SMALL);
    scratch.succeeds("generate fabric.toml -o out -q");
    scratch
}

#[test]
fn a_network_is_found_proved_written_and_used() {
    let scratch = small();
    let made = scratch.succeeds("escape out --bubble 1 --strict -o ring.tvlb");
    assert_snapshot!("escape_ring", made);
    // Reading it back proves the same, and its rules stay where no option says otherwise.
    let read = scratch.succeeds("escape out --escape-image ring.tvlb");
    let from_per_hop = |text: &str| text[text.find("rules").unwrap()..].to_owned();
    assert_eq!(from_per_hop(&read) + "written       ring.tvlb\n", from_per_hop(&made));
    let json: serde_json::Value = serde_json::from_str(
        &scratch.succeeds("escape out --escape-image ring.tvlb --most-entries 0 --by-set --json"),
    )
    .unwrap();
    let rules = &json["rules"];
    assert_eq!((&rules["bubble"], &rules["strict"]), (&1.into(), &true.into()));
    assert_eq!((&rules["most-entries"], &rules["by-set"]), (&0.into(), &true.into()));
    assert_eq!((&json["network"], &json["longest"]), (&"ring".into(), &[8, 2].into()));
    // Switches boot from that image, with its rules.
    let run = |more: &str| {
        let axes = "routing=ofar load=1 traffic=next-group(2) warm-up=500 cycles=500";
        let axes: String = format!("{axes} {more}")
            .split_whitespace()
            .fold(String::new(), |all, axis| all + " --axis " + axis);
        scratch.succeeds(&format!("sweep fabric.toml{axes} --format csv"))
    };
    let from_image = run("escape-image=ring.tvlb");
    assert_eq!(from_image, run("rules.bubble=1 rules.strict=true"));
    assert_ne!(from_image, run(""));
    let tree = scratch.succeeds("escape out --escape tree --escape-root 13 -q");
    assert!(tree.contains("escape tree, below switch 13; "), "{tree}");
    assert!(tree.contains("per hop       escape tree of 36 switches"), "{tree}");
}

#[test]
fn a_network_is_listed_and_drawn() {
    let scratch = small();
    let ring = scratch.succeeds("escape out --format csv");
    assert_eq!(ring.lines().count(), 37);
    assert!(ring.starts_with("place,switch,port,next\n0,"), "{ring}");
    let tree = scratch.succeeds("escape out --escape tree --escape-root 5 --format csv");
    assert_eq!(tree.lines().count(), 37);
    assert!(tree.contains("\n5,,,0,36\n"), "{tree}");
    // An arrow from each switch of a ring, and from each but the root of a tree.
    let arrows = |options: &str| {
        let drawn = scratch.succeeds(&format!("escape out {options} --format dot"));
        drawn.matches(" -> ").count()
    };
    assert_eq!((arrows(""), arrows("--escape tree")), (36, 35));
}

#[test]
fn damage_is_found_and_what_cannot_be_is_refused() {
    let scratch = small();
    scratch.succeeds("escape out -o ring.tvlb -q");
    let mut bytes = scratch.read("ring.tvlb");
    bytes[30] ^= 1;
    scratch.write("damaged.tvlb", bytes);
    let found = scratch.tvlb("escape out --escape-image damaged.tvlb -q");
    assert_eq!(found.code, 1, "{}", found.stderr);
    // A group with its one cable, which no ring passes through.
    let cables = "from_group,from_switch,from_port,to_group,to_switch,to_port\n0,0,0,1,0,0\n0,0,1,2,0,0\n\
        1,1,0,2,1,0\n";
    scratch.write("cables.csv", cables);
    scratch.write(
        "lone.toml",
        "name = \"lone\"\n[dragonfly]\np = 1\na = 2\nh = 2\ng = 3\ncables = \"cables.csv\"\n\
         [routing]\nset = \"min\"\n",
    );
    scratch.succeeds("generate lone.toml -o lone -q");
    let double = SMALL
        .replace("[links]", "local-links = 2\n[links]")
        .replace("name = \"small", "name = \"double");
    scratch.write("double.toml", double);
    scratch.succeeds("generate double.toml -o double -q");
    let refused = [
        "out --escape star",
        "out --escape-root 3",
        "out --escape tree --escape-root 36",
        "out --escape ring --escape-image ring.tvlb",
        "out --escape-image none.tvlb",
        "out --local-channels 8",
        "lone",
        "double",
        "double --escape-image ring.tvlb",
    ]
    .map(|arguments| {
        let run = scratch.tvlb(&format!("escape {arguments} -q"));
        assert_eq!(run.stdout, "", "{arguments}");
        format!("{arguments}: exit code {}\n{}", run.code, run.stderr)
    });
    assert_snapshot!("escape_refused", found.stderr + &refused.join(""));
}
