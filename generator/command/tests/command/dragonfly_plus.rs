//! A Dragonfly+ by its arrangement, from the fabric file to what other programs take.

use crate::scratch::Scratch;
use insta::assert_snapshot;

fn shipped() -> Scratch {
    Scratch::with_shipped("dfplus-4-4-4-4-9.toml")
}

#[test]
fn the_shipped_dragonfly_plus_is_described() {
    let scratch = shipped();
    assert_snapshot!(scratch.succeeds("topology fabric.toml"), @"
    Dragonfly (p, a, h, g)     4, 8, 4, 9
    switches                   72: 36 leaves and 36 spines
    nodes                      144
    global ports               144
    global ports unused        0
    global cables              72
    links per pair of groups   2
    pairs without a link       none
    local links listed         144 in 9 of 9 groups
    same under group rotation  no
    ");
    // A link between a leaf and a spine is missing, and a cable between two spines.
    scratch.write("dead", "local (2,1)-(2,6)\ncable (0,5):1\n");
    let damaged = scratch.succeeds("topology fabric.toml --faults dead");
    let said: Vec<&str> =
        damaged.lines().filter(|line| line.contains("unused") || line.contains("pair")).collect();
    assert_snapshot!(said.join("\n"), @"
    global ports unused        2
    switches with unused ports 2: (0,5) 1 of 4, (3,5) 1 of 4
    links per pair of groups   1 to 2 (1 for 1 pair, 2 for 35)
    pairs with fewer links     1: 0-3 1 of 2
    pairs without a link       none
    pairs without a local link 1: (2,1)-(2,6)
    ");
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
        let of = files.iter().filter_map(|(name, bytes)| {
            let name = name.strip_prefix(directory)?;
            name.strip_suffix(".tvlb").map(|name| (name, bytes))
        });
        of.collect::<Vec<_>>()
    };
    assert_eq!(images("out/").len(), 73);
    assert!(images("out/") == images("listed/"));
    // The arrangement takes the list of names, and refuses a node at a spine.
    let named = |row: &str| {
        let list = String::from_utf8(scratch.read("out/names.csv")).unwrap();
        scratch.write("names.csv", list.replace("0,4,node 0,,\n", row));
        let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
        scratch.write("named.toml", fabric.replace("g = 9\n", "g = 9\nnames = \"names.csv\"\n"));
    };
    named("0,4,,spine,\n0,0,node 1,host,\n");
    assert!(scratch.succeeds("topology named.toml").contains("nodes                      144"));
    named("0,4,node 0,host,\n");
    assert_snapshot!(scratch.refuses("topology named.toml"), @r#"tvlb: names.csv: line 2: port is "node 0", but must be another port, because this switch is a spine"#);
}

#[test]
fn other_programs_take_a_dragonfly_plus() {
    let scratch = shipped();
    let anynet = scratch.succeeds_with_warnings("topology fabric.toml --format anynet");
    let spine = anynet.lines().nth(4).unwrap();
    assert_snapshot!(spine, @"router 4 router 0 10 router 1 10 router 2 10 router 3 10 router 12 15 router 28 15 router 44 15 router 60 15");
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
    for (number, dead) in ["local (2,1)-(2,6)", "switch 5", "cable (0,5):1"].iter().enumerate() {
        scratch.write("dead", format!("{dead}\n"));
        let said = scratch.succeeds(&format!("faults out --faults dead -o update-{number}"));
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
    assert_snapshot!(scratch.refuses(&format!("{import} out --roots roots")), @r#"tvlb: roots: line 1: no switch is called "spine-9", accepted the description, the id or the GUID of a switch, as in spine-01, S-b8cef60300000300 or 0xb8cef60300000300"#);
    let both = scratch.refuses(&format!("{import} out --roots roots --threshold 1"));
    assert!(both.contains("cannot be used with"), "{both}");
}
