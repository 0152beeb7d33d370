//! A Dragonfly+ by its arrangement, from the fabric file to what other programs take.

use crate::scratch::Scratch;
use insta::assert_snapshot;

fn shipped() -> Scratch {
    Scratch::with_shipped("dfplus-4-4-4-4-9.toml")
}

#[test]
fn the_shipped_dragonfly_plus_is_described() {
    let scratch = shipped();
    assert_snapshot!(scratch.succeeds("topology fabric.toml"), @"");
    // A link between a leaf and a spine is missing, and a cable between two spines.
    scratch.write("dead", "local (2,1)-(2,6)\ncable (0,5):1\n");
    let damaged = scratch.succeeds("topology fabric.toml --faults dead");
    let said: Vec<&str> =
        damaged.lines().filter(|line| line.contains("unused") || line.contains("pair")).collect();
    assert_snapshot!(said.join("\n"), @"");
}

/// The list of cables and that of nodes that are not there make the same images, but for the name of the fabric file.
#[test]
fn the_lists_of_an_arrangement_are_its_machine() {
    let scratch = shipped();
    let made = scratch.succeeds("generate fabric.toml -o out --set all");
    assert!(made.contains("72 switches, 144 nodes, dragonfly-plus, 72 cables"), "{made}");
    let verified = scratch.succeeds("verify out --fabric fabric.toml");
    assert!(verified.contains("reachable     all 1260 pairs of switches"), "{verified}");
    scratch.write("cables.csv", scratch.succeeds("topology fabric.toml --format csv"));
    scratch.write("names.csv", scratch.read("out/names.csv"));
    let listed = "name = \"dfplus-4-4-4-4-9\"\n[dragonfly]\np = 4\na = 8\nh = 4\ng = 9\n\
        cables = \"cables.csv\"\nnames = \"names.csv\"\n";
    scratch.write("listed.toml", listed);
    scratch.succeeds("generate listed.toml -o listed --set all");
    let files = scratch.files();
    let images = |directory: &str| {
        let images = files.iter().filter(|(name, _)| name.ends_with(".tvlb"));
        let of = images.filter_map(|(name, bytes)| Some((name.strip_prefix(directory)?, bytes)));
        of.collect::<Vec<_>>()
    };
    assert_eq!(images("out/").len(), 73);
    assert!(images("out/") == images("listed/"));
    // The arrangement takes the list of names, and refuses a node at a spine.
    let named = |row: &str| {
        let list = String::from_utf8(scratch.read("out/names.csv")).unwrap();
        scratch.write("names.csv", list.replace("0,4,node 0,,\n", row));
        let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
        scratch.write("named.toml", format!("{fabric}names = \"names.csv\"\n"));
    };
    named("0,4,,spine,\n0,0,node 1,host,\n");
    assert!(scratch.succeeds("topology named.toml").contains("nodes                      144"));
    named("0,4,node 0,host,\n");
    assert_snapshot!(scratch.refuses("topology named.toml"), @"");
}

#[test]
fn other_programs_take_a_dragonfly_plus() {
    let scratch = shipped();
    let anynet = scratch.succeeds_with_warnings("topology fabric.toml --format anynet");
    let spine = anynet.lines().nth(4).unwrap();
    assert_snapshot!(spine, @"");
    scratch.succeeds("topology fabric.toml --format codes -o codes");
    let conf = String::from_utf8(scratch.read("codes/dragonfly.conf")).unwrap();
    assert!(conf.contains("modelnet_dragonfly_plus_router=\"8\";"), "{conf}");
    for format in ["merlin", "htsim -o htsim", "anytopo"] {
        scratch.refuses(&format!("topology fabric.toml --format {format}"));
    }
}

/// A link between a leaf and a spine, and a spine, take no pair of leaves apart.
#[test]
fn a_broken_cable_cuts_no_leaf_off() {
    let scratch = shipped();
    scratch.succeeds("generate fabric.toml -o out --set all");
    for dead in ["local (2,1)-(2,6)", "switch 5", "cable (0,5):1"] {
        scratch.write("dead", format!("{dead}\n"));
        let said = scratch.succeeds("faults out dead");
        assert!(!said.contains("mend"), "{said}");
    }
}

/// Two islands of a leaf and a spine; the only node of one of them is off.
fn dark_island() -> String {
    let link =
        |port: u32, far: &str| format!("[{port}]\t\"{far}\"[{port}]\t\t# \"\" lid 1 4xHDR\n");
    let switch = |id: &str, name: &str| format!("\nSwitch\t8 \"{id}\"\t\t# \"{name}\" port 0\n");
    let ids = ["S-01", "S-02", "S-03", "S-04"].map(|id| id.replace('-', "-00000000000000"));
    let [leaf, spine, other_spine, other_leaf] = ids.each_ref().map(String::as_str);
    let node = "[3]\t\"H-0000000000000005\"[1]\t\t# \"n0\" lid 5 4xHDR\n";
    [
        switch(leaf, "leaf-0") + &link(1, spine) + node,
        switch(spine, "spine-0") + &link(1, leaf) + &link(2, other_spine),
        switch(other_spine, "spine-1") + &link(1, other_leaf) + &link(2, spine),
        switch(other_leaf, "leaf-1") + &link(1, other_spine),
        format!(
            "\nCa\t1 \"H-0000000000000005\"\t\t# \"n0\"\n[1]\t\"{leaf}\"[3]\t\t# \"\" lid 1 4xHDR\n"
        ),
    ]
    .concat()
}

#[test]
fn roots_name_the_spines() {
    let scratch = Scratch::new();
    scratch.write("fabric.txt", dark_island());
    let import = "import ibnetdiscover fabric.txt -o";
    let refused = scratch.refuses(&format!("{import} out"));
    assert!(refused.contains("--roots with the spines of a Dragonfly+"), "{refused}");
    scratch.succeeds(&format!("{import} by-pattern --roots ^spine"));
    scratch.write("roots", "# spines\nspine-0\nS-0000000000000003\n");
    scratch.succeeds(&format!("{import} by-list --roots roots"));
    assert_eq!(scratch.read("by-pattern/cables.csv"), scratch.read("by-list/cables.csv"));
    let summary = scratch.succeeds("topology by-list/fabric.toml");
    assert!(summary.contains("4: 2 leaves and 2 spines"), "{summary}");
    scratch.write("roots", "spine-9\n");
    assert_snapshot!(scratch.refuses(&format!("{import} out --roots roots")), @"");
    let both = scratch.refuses(&format!("{import} out --roots roots --threshold 1"));
    assert!(both.contains("cannot be used with"), "{both}");
}
