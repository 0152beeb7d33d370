//! What `ibnetdiscover` prints.

use super::make::{Network, dragonfly, dragonfly_plus};
use super::{error, fabric, files, grouped, text};
use insta::assert_snapshot;
use std::fmt::Write;
use tvlb_import::{Grouping, Roots};

const EXAMPLE: &str = include_str!("../data/fabric.txt");

#[test]
fn a_machine_of_unequal_groups() {
    let import = fabric(EXAMPLE, Some("^(g[0-9]+)-"), None).unwrap();
    assert_snapshot!("ibnetdiscover_files", files(&import));
    assert_snapshot!("ibnetdiscover_summary", import.summary());
}

/// With -g the switches in no chassis have a heading, and the adapters of a chassis are printed twice.
#[test]
fn grouped_output_says_the_same() {
    let plain = fabric(EXAMPLE, Some("^(g[0-9]+)-"), None).unwrap();
    let (head, records) = EXAMPLE.split_once("\nvendid").unwrap();
    let (_, adapters) = records.split_once("\nCa").unwrap();
    let adapter = format!("Ca{}\n\n", adapters.split("\n\n").next().unwrap());
    let grouped = format!(
        "{head}\nChassis 1 (guid 0x1)\n\n# Chassis CAs\n{adapter}\nNon-Chassis Nodes\n\nvendid{records}"
    );
    let import = fabric(&grouped, Some("^(g[0-9]+)-"), None).unwrap();
    for name in ["cables.csv", "names.csv"] {
        assert_eq!(text(&import, name), text(&plain, name));
    }
    let other = adapter.replacen("# \"", "# \"another ", 1);
    let refused = error(fabric(&grouped.replacen(&adapter, &other, 1), None, None));
    assert!(refused.contains(" has a record on line "), "{refused}");
}

/// Lines and words that the program adds with -f, -g and -s change nothing, not even what is said of widths.
#[test]
fn what_options_of_the_program_add_says_nothing_else() {
    let read = |text: &str| files(&fabric(text, Some("^(g[0-9]+)-"), None).unwrap());
    let plain = read(EXAMPLE);
    let before = |line: &str| EXAMPLE.replacen("\nvendid", &format!("\n{line}\n\nvendid"), 3);
    let progress = "portnum 1 lid 11-11 \"n000\"";
    for line in [
        "Chassis 1 (guid 0x139702010000f0)\nHostname: io-director-1\n\n# Spine Nodes",
        "Chassis 1\nHostname: ",
        "Chassis 1\nHostname: \"my [1] host\" # x",
        &format!("DR path slid 0; dlid 0; 0 -> new ca {{b8cef603000001a0}} {progress}"),
        &format!("DR path slid 0; dlid 0; 0,1 -> known switch {{b8cef60300000100}} {progress}"),
        &format!("Lid 11 -> processing ca {{b8cef603000001a0}} {progress}"),
    ] {
        assert_eq!(read(&before(line)), plain, "{line}");
    }
    let behind = |rate: &str, words: &str| EXAMPLE.replace(rate, &format!("{rate} {words}"));
    for words in ["s=4 w=2 v=8", "s=4 w=2 v=8 e=4", "s=4 w=2 v=8 slot 12", "slot 3", "(scp)"] {
        assert_eq!(read(&behind("4xHDR", words)), plain, "{words}");
    }
    assert_eq!(read(&EXAMPLE.replace("mlx5_0\"\n", "mlx5_0\" (scp)\n")), plain);
}

#[test]
fn a_router_without_a_record_is_made_of_the_lines_that_lead_to_it() {
    let mut network = dragonfly(&[3, 3, 3], 1, 1);
    let router = network.add("Rt", "gate".to_owned());
    network.link(0, router);
    network.link(4, router);
    let whole = network.text();
    let (without, _) = whole.rsplit_once("\nvendid").unwrap();
    assert!(!without.contains("\nRt"));
    let [all, made] = [&whole, without].map(|text| fabric(text, None, None).unwrap());
    for name in ["fabric.toml", "cables.csv", "names.csv"] {
        assert_eq!(text(&made, name), text(&all, name));
    }
    let said = "Routers without a record of their own were taken from the lines that lead to them (1): \
                R-b8cef60300000112.";
    let [all, made] = [all, made].map(|import| text(&import, "assumptions.txt"));
    assert!(made.contains(said) && !all.contains(said), "{made}");
    // Its ports are held to what every port is.
    let twice = error(fabric(&without.replace("0112\"[2]", "0112\"[1]"), None, None));
    assert!(twice.contains("port 1 of R-b8cef60300000112 is on line 12 too"), "{twice}");
    let lonely = "\nCa 1 \"H-1\" # \"lonely\"\n[1] \"R-b8cef60300000112\"[3]\n";
    let direct = error(fabric(&format!("{without}{lonely}"), None, None));
    assert!(direct.contains("joins two devices that are not switches"), "{direct}");
}

#[test]
fn what_the_program_says_of_its_own_troubles_is_refused_with_its_line() {
    let trouble = "ibwarn: [7] mad_rpc: _do_madrpc failed; dport (Lid 4)";
    let refused = error(fabric(&format!("{trouble}\n{EXAMPLE}"), None, None));
    assert!(refused.starts_with("fabric.txt: line 1: found \"ibwarn: [7] mad_rpc"), "{refused}");
}

#[test]
fn widths_and_speeds_are_said_to_be_left_out() {
    let all = fabric(EXAMPLE, Some("^(g[0-9]+)-"), None).unwrap();
    let sentence =
        "The widths and speeds of links are not used; those of the links between switches are";
    assert!(text(&all, "assumptions.txt").contains(&format!("- {sentence} 4xHDR (17).\n")));
    // Both ends of a link say it.
    let slow: Vec<String> = EXAMPLE
        .lines()
        .map(|line| {
            let is_first = line.contains("\"S-b8cef60300000110\"[1] ")
                || line.contains("\"S-b8cef60300000100\"[1] ");
            if is_first { line.replace("4xHDR", "2xHDR") } else { line.to_owned() }
        })
        .collect();
    let mixed = fabric(&slow.join("\n"), Some("^(g[0-9]+)-"), None).unwrap();
    let warnings = mixed.summary().warnings;
    assert!(warnings.contains(&format!("{sentence} 2xHDR (1), 4xHDR (16).")), "{warnings:?}");
    let with_f = slow.join("\n").replace("xHDR", "xHDR s=4 w=2 v=8");
    let with_f = fabric(&with_f, Some("^(g[0-9]+)-"), None).unwrap();
    assert_eq!(with_f.summary().warnings, warnings);
    let slow = warnings.iter().find(|warning| warning.contains("slower")).unwrap();
    assert_snapshot!(slow, @"1 link is slower than most within groups, which are 4xHDR: g0-sw00[1]-g0-sw01[1] 2xHDR.");
}

#[test]
fn the_links_of_a_dragonfly_tell_its_groups() {
    for (sizes, links) in [(&[4, 4, 4, 4][..], 1), (&[8, 6, 8], 2), (&[5; 9], 1), (&[16; 6], 4)] {
        let text = dragonfly(sizes, 2, links).text();
        let by_links = fabric(&text, None, None).unwrap();
        let by_names = fabric(&text, Some("^g([0-9]+)-"), None).unwrap();
        for name in ["fabric.toml", "cables.csv"] {
            assert_eq!(super::text(&by_links, name), super::text(&by_names, name), "{sizes:?}");
        }
        let names = super::text(&by_links, "names.csv");
        assert!(names.contains("group of g0-sw0"), "{names}");
    }
    // Two switches of a group of four have two common neighbours, which is not more than two.
    let text = dragonfly(&[4, 4, 4, 4], 2, 1).text();
    assert!(fabric(&text, None, Some(1)).is_ok());
    assert!(fabric(&text, None, Some(2)).is_err());
    // With a node at each switch, none is a spine.
    assert!(fabric(&dragonfly(&[4, 4, 4], 1, 1).text(), None, None).is_ok());
    assert!(fabric(&dragonfly(&[4, 4, 4], 0, 1).text(), None, None).is_ok());
}

#[test]
fn the_links_of_a_dragonfly_plus_tell_its_islands() {
    let sharp = "Mellanox Technologies Aggregation Node";
    for aggregation in [None, Some(sharp), Some("an adapter of another name")] {
        let network = dragonfly_plus(3, [4, 3, 5], aggregation).text();
        let import = fabric(&network, None, None).unwrap();
        let summary = import.summary().to_string();
        assert!(summary.contains("groups-of-7: g = 3, a = 7, p = 5, h = 1"), "{summary}");
        let names = text(&import, "names.csv");
        assert!(!names.contains(sharp));
        let assumed = text(&import, "assumptions.txt");
        assert!(assumed.contains("taken for a Dragonfly+"), "{assumed}");
        // Two leaves, or two spines, are not meant to be linked.
        assert!(
            assumed.contains(
                "- 36 pairs of a leaf and a spine of a group have 1 local link.\n\nWarnings"
            ),
            "{assumed}"
        );
        assert_eq!(import.summary().warnings.len(), 0, "{assumed}");
        assert_eq!(
            assumed.contains("aggregation nodes were left out (9)"),
            aggregation == Some(sharp)
        );
    }
}

/// The text of a network with all adapters off whose descriptions begin with one of these.
fn with_nodes_off(text: &str, off: &[&str]) -> String {
    let is_on = |line: &&str| !off.iter().any(|node| line.contains(&format!("# \"{node}")));
    let records = text.split("\n\n").filter_map(|record| {
        let lines: Vec<&str> = record.lines().filter(is_on).collect();
        let is_of_adapter = |line: &str| line.starts_with("Ca\t");
        let is_off =
            record.lines().any(is_of_adapter) && !lines.iter().any(|line| is_of_adapter(line));
        (!is_off).then(|| lines.join("\n"))
    });
    records.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_leaf_whose_nodes_are_off_is_a_leaf() {
    for off in [
        &["n0-0-"][..],
        &["n0-0-", "n2-1-", "n2-2-", "n3-1-"],
        // One node is left, as few as an aggregation node is.
        &["n1-2-0", "n3-0-"],
    ] {
        for aggregation in [None, Some("Aggregation Node"), Some("an adapter of another name")] {
            let network = dragonfly_plus(4, [3, 2, 2], aggregation);
            let text = with_nodes_off(&network.text(), off);
            let by_links = fabric(&text, None, None).unwrap();
            let by_names = fabric(&text, Some("^(i[0-9]+)-"), None).unwrap();
            for name in ["fabric.toml", "cables.csv"] {
                assert_eq!(super::text(&by_links, name), super::text(&by_names, name), "{off:?}");
            }
            let said = super::text(&by_links, "assumptions.txt");
            let leaves = if off.len() == 4 {
                "4 switches without nodes are taken for leaves:"
            } else {
                "1 switch without nodes is taken for a leaf:"
            };
            assert!(said.contains(leaves), "{off:?}: {said}");
            // Switches that nobody manages are all called alike, so that no pattern can help.
            let alike = ["-spine", "-leaf"].map(|kind| (0..4).map(move |n| format!("i{n}{kind}")));
            let alike = alike.into_iter().flatten().fold(text, |text, name| {
                (0..3).fold(text, |text, n| text.replace(&format!("\"{name}{n}\""), "\"Quantum\""))
            });
            let names = super::text(&fabric(&alike, None, None).unwrap(), "names.csv");
            let mut islands = std::collections::BTreeSet::new();
            for (_, id, description) in network.devices.iter().filter(|device| device.0 == "Switch")
            {
                let row = names.lines().find(|row| row.ends_with(&format!(",,{id},")));
                let group = row.and_then(|row| row.split(',').next()).unwrap();
                islands.insert((&description[..2], group.to_owned()));
            }
            assert_eq!(islands.len(), 4, "{off:?}: {names}");
        }
    }
    // With one node on each other leaf.
    let text = with_nodes_off(&dragonfly_plus(4, [3, 2, 1], None).text(), &["n0-0-"]);
    let [by_links, by_names] =
        [None, Some("^(i[0-9]+)-")].map(|pattern| fabric(&text, pattern, None).unwrap());
    assert_eq!(super::text(&by_links, "cables.csv"), super::text(&by_names, "cables.csv"));
    // Nothing tells the leaves of an island of which all nodes are off.
    let text = dragonfly_plus(4, [3, 2, 2], None).text();
    let dark = error(fabric(&with_nodes_off(&text, &["n0-"]), None, None));
    assert!(dark.contains("the links do not tell the groups"), "{dark}");
}

/// With all nodes of an island off, a person says the spines: by a pattern, or in a list.
#[test]
fn roots_tell_where_links_do_not() {
    let network = dragonfly_plus(4, [3, 2, 2], None);
    let whole = fabric(&network.text(), None, None).unwrap();
    let dark = with_nodes_off(&network.text(), &["n0-"]);
    let by = |roots| grouped(&dark, &Grouping { roots: Some(roots), ..Grouping::default() });
    let pattern = |text: &str| by(Roots::Pattern(text.to_owned()));
    let list = |text: String| by(Roots::List { file: "roots.txt".to_owned(), text });
    let spines = network.devices.iter().filter(|device| device.2.contains("spine"));
    let [mut names, mut ids, mut guids] = [const { String::new() }; 3];
    for (_, id, name) in spines {
        writeln!(names, "\"{name}\"").unwrap();
        writeln!(ids, "{id} # spine").unwrap();
        writeln!(guids, "{}", id.replace("S-", "0x")).unwrap();
    }
    for import in [pattern("-spine"), list(names), list(ids), list(guids)] {
        let import = import.unwrap();
        assert_eq!(text(&import, "cables.csv"), text(&whole, "cables.csv"));
        let said = text(&import, "assumptions.txt");
        assert!(said.contains("--roots says 8 spines; all other switches are leaves"), "{said}");
    }
    assert_snapshot!(error(pattern("(")), @r#"--roots "(": found open group without closing ')', accepted a regular expression"#);
    assert_snapshot!(error(pattern("rack")), @r#"--roots "rack": found neither a file of this name nor a switch whose description matches, accepted a pattern that the descriptions of all spines match, or a file with a line for each spine"#);
    assert_snapshot!(error(pattern("leaf0")), @r#"fabric.txt: by --roots, S-b8cef60300000100 (i0-spine0) is a leaf with a link to a leaf, accepted a --roots that names all spines of a Dragonfly+ and none of its leaves"#);
    assert_snapshot!(error(pattern("-spine0")), @r#"fabric.txt: by --roots, S-b8cef60300000102 (i0-leaf0) is a leaf with a link to a leaf, accepted a --roots that names all spines of a Dragonfly+ and none of its leaves"#);
    assert_snapshot!(error(list("# none\nrack\n".to_owned())), @r#"roots.txt: line 2: no switch is called "rack", accepted the description, the id or the GUID of a switch, as in spine-01, S-b8cef60300000300 or 0xb8cef60300000300"#);
}

/// A spine with an aggregation node beside one without, where leaves have one node as well.
#[test]
fn a_spine_with_as_many_nodes_as_a_leaf_is_a_spine() {
    let mut network = dragonfly_plus(3, [3, 2, 1], None);
    // These are linked with each other and with no spine that has none.
    for spine in ["i0-spine1", "i1-spine0", "i2-spine1"] {
        let at = network.devices.iter().position(|device| device.2 == spine).unwrap();
        let adapter = network.add("Ca", "an adapter of another name".to_owned());
        network.link(at, adapter);
    }
    let text = network.text();
    let [by_links, by_names] =
        [None, Some("^(i[0-9]+)-")].map(|pattern| fabric(&text, pattern, None).unwrap());
    assert!(super::text(&by_links, "assumptions.txt").contains("taken for a Dragonfly+"));
    assert_eq!(super::text(&by_links, "cables.csv"), super::text(&by_names, "cables.csv"));
}

#[test]
fn links_that_leaves_and_spines_lack_are_listed_once_for_equal_groups() {
    let mut network = dragonfly_plus(4, [4, 3, 5], None);
    // The first leaf of islands 0, 1 and 3 lacks its link to the second spine.
    network.unlink(&["i0-leaf0", "i1-leaf0", "i3-leaf0"], "spine1");
    let import = fabric(&network.text(), None, None).unwrap();
    let assumed = text(&import, "assumptions.txt");
    let lacking = assumed.split("Missing local links\n\n").nth(1).unwrap();
    insta::assert_snapshot!(lacking);
}

#[test]
fn the_order_of_records_does_not_matter() {
    let network = dragonfly(&[5, 4, 4], 2, 2);
    let text = network.text();
    let mut records: Vec<&str> = text.split("\n\n").collect();
    records.reverse();
    let turned = records.join("\n\n");
    for (pattern, threshold) in [(None, None), (Some("^(g[0-9]+)"), None), (None, Some(1))] {
        let [one, other] = [&text, &turned].map(|text| fabric(text, pattern, threshold).unwrap());
        assert_eq!(super::text(&one, "cables.csv"), super::text(&other, "cables.csv"));
        assert_eq!(super::text(&one, "names.csv"), super::text(&other, "names.csv"));
    }
}

#[test]
fn groups_that_the_links_do_not_tell_are_asked_for() {
    // A fat tree of three levels: the core has no nodes and no leaves.
    let fat_tree = |cores| {
        let mut tree = dragonfly_plus(3, [3, 2, 4], None);
        let all = tree.devices.iter().enumerate();
        let spines = all.filter(|(_, (_, _, name))| name.contains("spine"));
        let spines: Vec<usize> = spines.map(|(number, _)| number).collect();
        for _ in 0..cores {
            let core = tree.add("Switch", "core".to_owned());
            for spine in &spines {
                tree.link(core, *spine);
            }
        }
        tree
    };
    // A switch without nodes below one without leaves is no leaf.
    let mut stubborn = fat_tree(1);
    let stub = stubborn.add("Switch", "stub".to_owned());
    stubborn.link(stub, stub - 1);
    let whole = fat_tree(2).text();
    for text in [&whole, &with_nodes_off(&whole, &["n0-0-"]), &stubborn.text()] {
        let found = error(fabric(text, None, None));
        assert!(
            found.starts_with("fabric.txt: the links do not tell the groups: it is not a"),
            "{found}"
        );
        assert!(found.contains("accepted --groups REGEX"), "{found}");
    }
    // A link between two spines of an island.
    let mut island = dragonfly_plus(2, [3, 2, 4], None);
    island.link(0, 1);
    let found = error(fabric(&island.text(), None, None));
    assert!(
        found.contains("0100 (i0-spine0) and S-b8cef60300000101 (i0-spine1) are spines of one"),
        "{found}"
    );
    // One group alone, and a ring.
    let found = error(fabric(&dragonfly(&[5], 2, 0).text(), None, None));
    assert!(found.contains("do not tell the groups"), "{found}");
    let mut ring = Network::default();
    let switches: Vec<usize> = (0..8).map(|n| ring.add("Switch", format!("s{n}"))).collect();
    (0..8).for_each(|n| ring.link(switches[n], switches[(n + 1) % 8]));
    assert!(error(fabric(&ring.text(), None, None)).contains("do not tell the groups"));
    let found = error(fabric(&dragonfly(&[4, 4, 4], 2, 1).text(), None, Some(9)));
    assert!(found.contains("with --threshold 9, a group has a single switch"), "{found}");
    // A switch with links to two linked switches of another group.
    let mut triangle = dragonfly(&[4, 4], 2, 0);
    triangle.link(0, 4);
    triangle.link(0, 5);
    assert!(fabric(&triangle.text(), None, None).is_ok());
    let found = error(fabric(&triangle.text(), None, Some(0)));
    assert!(found.contains("with --threshold 0, all switches are of one group"), "{found}");
    // Two of three groups fall together, and their switches are linked with less than half of them.
    let mut merged = dragonfly(&[4, 4, 4], 2, 1);
    merged.link(1, 5);
    let import = fabric(&merged.text(), None, None).unwrap();
    assert_eq!(import.summary().groups, 3);
    let found = error(fabric(&merged.text(), None, Some(0)));
    assert!(found.contains("with --threshold 0, a switch is linked with too few"), "{found}");
}

#[test]
fn a_pattern_must_name_every_group() {
    let network = dragonfly(&[4, 4], 2, 1).text();
    let found = |pattern| error(fabric(&network, Some(pattern), None));
    assert_eq!(
        found("^g[0-9]+"),
        "--groups \"^g[0-9]+\": found 0 capture groups, accepted one, which takes the group's name \
         out of a description, as in '^(g[0-9]+)-'"
    );
    assert!(found("(").contains(
        "--groups \"(\": found open group without closing ')', accepted a regular expression"
    ));
    assert_eq!(
        found("^(g0)"),
        "fabric.txt: line 49: the description \"g1-sw0\" of the switch S-b8cef60300000104 does not \
         match --groups \"^(g0)\", accepted a pattern that matches the description of every switch, \
         with a capture group that is not empty; to leave a switch out, remove its record and the lines of the ports that lead to it"
    );
    assert!(found("^g[0-9](x*)").contains("does not match --groups"));
    assert_eq!(
        found("^(g)"),
        "fabric.txt: found one group, g, with all 8 switches, accepted two groups or more"
    );
}

#[test]
fn descriptions_that_are_shared_or_missing_give_way_to_ids() {
    let network = dragonfly(&[3, 3, 3], 1, 1).text();
    let shared = network.replace("g0-sw1", "g0-sw0").replace("\"g1-sw2\"", "\"\"");
    let shared = shared.replace("n0-0-0 mlx5_0", "n0-1-0 mlx5_0");
    let import = fabric(&shared, None, None).unwrap();
    let names = text(&import, "names.csv");
    for id in
        ["S-b8cef60300000100", "S-b8cef60300000101", "S-b8cef60300000105", "H-b8cef6030000010a"]
    {
        assert!(names.contains(&format!(",{id},")), "{id}: {names}");
    }
    let assumed = text(&import, "assumptions.txt");
    assert!(
        assumed.contains("Switches without a description of their own are named by their ids (3)"),
        "{assumed}"
    );
}

#[test]
fn adapters_and_routers_with_several_ports_are_several_nodes() {
    let mut network = dragonfly(&[3, 3, 3], 1, 1);
    let adapter = network.add("Hca", "storage, \"raid\"".replace('"', ""));
    let router = network.add("Rt", "gate".to_owned());
    network.link(0, adapter);
    network.link(1, adapter);
    network.link(2, router);
    let import = fabric(&network.text(), None, None).unwrap();
    let names = text(&import, "names.csv");
    for name in ["\"storage, raid[1]\"", "\"storage, raid[2]\"", "gate"] {
        assert!(names.contains(&format!(",{name},")), "{name}: {names}");
    }
    assert!(text(&import, "assumptions.txt").contains("Routers count as nodes."));
}

#[test]
fn texts_that_cannot_be_understood_are_refused() {
    let found = |text: &str| error(fabric(text, None, None));
    assert!(found("").starts_with("fabric.txt: found no switch, accepted the output of"));
    assert!(found("# nothing\n\nvendid=0x1\n").contains("found no switch"));
    assert!(found("Ca 1 \"H-1\" # \"n\"\n").contains("found no switch"));
    assert!(
        found("c4-1c2s9a0l13(8:2:9) blue -> unused\n").contains("line 1: found a line of a Cray")
    );
    assert!(found("\ncable_id,src_conn_a\n").contains("line 2: found \"cable_id,src_conn_a\""));
    assert!(found("Switch 41 S-1\n").contains("accepted a number of ports and a name in quotes"));
    assert!(found("[1] \"S-1\"[1]\n").contains("line 1: found a port before any record"));
    let text = dragonfly(&[4, 4, 4], 2, 1).text();
    let record = "\nSwitch 4 \"S-b8cef60300000100\"\n";
    let twice = found(&format!("{text}{record}"));
    assert!(twice.contains("S-b8cef60300000100 has a record on line 8 too"), "{twice}");
}

#[test]
fn links_that_the_ends_do_not_agree_on_are_refused() {
    let text = dragonfly(&[3, 3, 3], 1, 1).text();
    let lines: Vec<&str> = text.lines().collect();
    let found = |lines: &[&str]| error(fabric(&lines.join("\n"), None, None));
    // The first port of the first switch, which leads to the second switch's first port.
    let at = lines.iter().position(|line| line.starts_with("[1]")).unwrap();
    let mut without = lines.clone();
    without.remove(at);
    assert_eq!(
        found(&without),
        "fabric.txt: line 16: port 1 of S-b8cef60300000101 leads to port 1 of S-b8cef60300000100, \
         which its record on line 8 does not have, accepted links that both ends name"
    );
    let mut other = lines.clone();
    let line = lines[at].replace("[1] ", "[2] ");
    other[at] = &line;
    assert_eq!(
        found(&other),
        "fabric.txt: line 9: port 1 of S-b8cef60300000100 leads to port 2 of S-b8cef60300000101, \
         which leads to port 2 of S-b8cef60300000102 on line 18, accepted links that both ends name"
    );
    let mut twice = lines.clone();
    twice.insert(at, lines[at]);
    assert!(found(&twice).contains("line 10: port 1 of S-b8cef60300000100 is on line 9 too"));
    // Cut off in the middle of the records, and of a line.
    let cut = found(&lines[..40]);
    assert!(
        cut.contains("has no record, accepted a record for each name; the file may be"),
        "{cut}"
    );
    let half = &text[..text.find("[2]").unwrap() + 8];
    assert!(
        error(fabric(half, None, None))
            .contains("accepted a port, 0 to 254, a name in quotes and its port")
    );
    // 255 is no port.
    let high = text.replacen("[1] ", "[255] ", 1);
    assert!(error(fabric(&high, None, None)).contains("accepted a port, 0 to 254, a name"));
    let mut direct = dragonfly(&[3, 3, 3], 1, 1);
    let ends = [0, 1].map(|n| direct.add("Ca", format!("lonely {n}")));
    direct.link(ends[0], ends[1]);
    assert!(
        error(fabric(&direct.text(), None, None))
            .contains("joins two devices that are not switches")
    );
    let mut own = dragonfly(&[3, 3, 3], 1, 1);
    own.link(0, 0);
    let found = error(fabric(&own.text(), None, None));
    assert!(found.contains("both ends are ports of S-b8cef60300000100"), "{found}");
}

#[test]
fn a_description_cannot_command_a_terminal() {
    let text = dragonfly(&[3, 3, 3], 1, 1).text().replace("g0-sw0", "g0\u{1b}[2J");
    let names = super::text(&fabric(&text, None, None).unwrap(), "names.csv");
    assert!(names.contains("g0\\u{1b}[2J") && !names.contains('\u{1b}'), "{names}");
}
