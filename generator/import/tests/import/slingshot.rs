//! Plans of Slingshot networks.

use super::make::{HEADER, cable, edge, plan_of, rows};
use super::{error, files, plan, plans, text};
use insta::assert_snapshot;
use tvlb_base::text::NamedText;
use tvlb_import::{Earlier, Import, ImportError, TwoJacks, planned_links};
use tvlb_schema::{Dragonfly, GroupKind};
use tvlb_table_set::names::Names;

const EXAMPLE: &str = include_str!("../data/plan.csv");

/// Two switches of group 0, one of group 7.
fn small() -> Vec<String> {
    vec![
        cable("x1c0r1j5", "x1c0r3j6", [0, 0]),
        cable("x1c0r3j9", "x2c4r7j9", [0, 7]),
        edge("x1c0r1j100", ["x1c0s0b0n0h0", "x1c0s0b0n1h0"], 0),
    ]
}

fn error_with(row: &str) -> String {
    error(plan(&plan_of(&[small(), vec![row.to_owned()]].concat())))
}

fn with(live: Option<&str>, jacks: Option<&str>) -> Result<Import, ImportError> {
    let text = plan_of(&small());
    let source = |name, text: &'static str| NamedText::of_text(name, text.as_bytes());
    let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    tvlb_import::slingshot(
        vec![source("plan.csv", leak(&text))],
        live.map(|text| source("live.txt", leak(text))),
        jacks.map(|text| source("jacks.csv", leak(text))),
        None,
        &Earlier::default(),
    )
}

#[test]
fn a_machine_of_unequal_groups() {
    let import = plan(EXAMPLE).unwrap();
    assert_snapshot!("slingshot_files", files(&import));
    assert_snapshot!("slingshot_summary", import.summary());
}

/// The lines of the fabric file that say the kinds, and the groups in the order of their numbers.
fn kinds_and_groups(groups: &[(usize, usize, usize)]) -> (Vec<String>, Vec<String>) {
    let import = plan(&plan_of(&rows(groups, 2))).unwrap();
    let (fabric, names) = (text(&import, "fabric.toml"), text(&import, "names.csv"));
    let of_kinds = fabric.split("[[dragonfly.kinds]]\n").skip(1);
    let kinds = of_kinds.map(|kind| kind.trim().replace('\n', ", ").replace([' ', '"'], ""));
    let named = names.lines().filter_map(|line| line.split_once(",,,"));
    (kinds.collect(), named.map(|(_, name)| name.trim_end_matches(',').to_owned()).collect())
}

#[test]
fn groups_are_numbered_by_name_and_those_alike_next_to_each_other_are_a_kind() {
    let groups = [(3, 2, 1), (5, 4, 2), (8, 4, 2), (9, 4, 1), (20, 4, 2)];
    let (kinds, names) = kinds_and_groups(&groups);
    assert_eq!(
        kinds,
        [
            "name=groups-of-2,g=1,a=2,p=2,h=8",
            "name=groups-of-4-p4,g=2,a=4,p=4,h=6",
            "name=groups-of-4-p2,g=1,a=4,p=2,h=6",
            "name=groups-of-4-p4-2,g=1,a=4,p=4,h=6",
        ]
    );
    assert_eq!(names, ["3", "5", "8", "9", "20"]);
    // Not even a kind that is no more moves another group.
    let (_, fewer_nodes) =
        kinds_and_groups(&[(3, 2, 1), (5, 4, 2), (8, 4, 2), (9, 4, 2), (20, 4, 2)]);
    assert_eq!(fewer_nodes, names);
}

#[test]
fn where_kinds_would_be_too_many_groups_get_places_without_nodes_or_another_order() {
    let alternating = |one: (usize, usize), other: (usize, usize)| -> Vec<(usize, usize, usize)> {
        let both = (1..).zip([one, other].into_iter().cycle()).take(26);
        both.map(|(name, (switches, jacks))| (name, switches, jacks)).collect()
    };
    let (kinds, names) = kinds_and_groups(&alternating((4, 1), (4, 2)));
    assert_eq!(kinds, ["name=groups-of-4,g=26,a=4,p=4,h=28"]);
    let in_order: Vec<String> = (1..=26).map(|name: u32| name.to_string()).collect();
    assert_eq!(names, in_order);
    let (kinds, names) = kinds_and_groups(&alternating((2, 1), (4, 2)));
    let (of_4, of_2) = ("name=groups-of-4,g=13,a=4,p=4,h=28", "name=groups-of-2,g=13,a=2,p=2,h=50");
    assert_eq!(kinds, [of_4, of_2]);
    let by_size = (2..=26).step_by(2).chain((1..=25).step_by(2)).map(|name| name.to_string());
    assert_eq!(names, by_size.collect::<Vec<_>>());
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut all = rows(&[(0, 4, 1), (1, 4, 1), (2, 3, 2)], 3);
    let import = plan(&plan_of(&all)).unwrap();
    all.reverse();
    assert_eq!(files(&plan(&plan_of(&all)).unwrap()), files(&import));
}

/// Imports a plan of two groups, of three switches and one, as an earlier import of these names and sizes numbered it.
fn after(names: &str, [p, h]: [u16; 2], rows: &[String]) -> Import {
    let kinds = [GroupKind::new(p, 3, h, 1), GroupKind::new(p, 1, h, 1)];
    let df = Dragonfly::of_kinds(&kinds).unwrap();
    let names = format!("group,switch,port,name,physical\n0,,,0,\n1,,,7,\n{names}");
    let earlier = Earlier::of(&df, &Names::read(&df, &names).unwrap());
    let plan = plan_of(rows);
    let source = NamedText::of_text("plan.csv", plan.as_bytes());
    tvlb_import::slingshot(vec![source], None, None, None, &earlier).unwrap()
}

/// Its global port keeps the number that it had, and not that of the port of the switch whose place it fills.
#[test]
fn a_switch_that_fills_a_gap_keeps_the_numbers_of_its_own_ports() {
    let names = "0,0,,x1c0r1,\n0,1,,x1c0r3,\n0,2,,x1c0r5,\n1,0,,x2c4r7,\n\
        0,0,global 0,x1c0r1j9p0,\n0,2,global 3,x1c0r5j9p0,\n0,2,global 2,x1c0r5j9p1,\n";
    let rows = [
        cable("x1c0r3j5", "x1c0r5j6", [0, 0]),
        cable("x1c0r5j9", "x2c4r7j9", [0, 7]),
        edge("x1c0r3j100", ["x1c0s0b0n0h0", "x1c0s0b0n1h0"], 0),
    ];
    let import = after(names, [2, 4], &rows);
    let named = text(&import, "names.csv");
    for row in ["0,0,,x1c0r5,", "0,0,global 3,x1c0r5j9p0,", "0,0,global 2,x1c0r5j9p1,"] {
        assert!(named.contains(row), "{row}: {named}");
    }
}

/// Nodes are numbered over the whole fabric by the most that a switch has, so that number never falls.
#[test]
fn switches_have_places_for_as_many_nodes_as_before() {
    let names = "0,0,,x1c0r1,\n1,0,,x2c4r7,\n";
    let fewer = after(names, [3, 9], &small());
    let fabric = text(&fewer, "fabric.toml");
    assert!(fabric.contains("p = 3\n") && !fabric.contains("p = 2\n"), "{fabric}");
    assert!(!text(&fewer, "assumptions.txt").contains("The most nodes of a switch"));
    let more = after(names, [1, 2], &small());
    assert!(text(&more, "fabric.toml").contains("p = 2\n"));
    let assumed = text(&more, "assumptions.txt");
    assert!(
        assumed.contains("The most nodes of a switch were 1 in the earlier import and are 2,"),
        "{assumed}"
    );
}

#[test]
fn what_real_files_bring_is_read() {
    let expected = files(&plan(&plan_of(&small())).unwrap());
    let same = |text: &str| assert_eq!(files(&plan(text).unwrap()), expected, "{text}");
    let body = small().concat();
    same(&format!("\u{feff}{HEADER}{body}"));
    same(&format!("\u{feff}# made,by,,\n\"# a \"\"b\"\";c\",,,\n\n{HEADER}{body}"));
    same(&format!("\"# one\ntwo\nthree\",,\n{HEADER}{body}"));
    same(format!("{HEADER}{body}").trim_end());
    same(&format!("{HEADER}{body}\n\n").replace('\n', "\r\n"));
    same(&format!("{HEADER}{body}").replace("x1c0r3j9", "x1.c0.r3.j9"));
    same(&format!("{HEADER}{body}").replace("edge,0,none", "edge,0,n/a"));
    same(&format!("{HEADER}{body}").replace("[]\n", "['x1_BACK-x2_BACK','x2_BACK-x2_TOP']\n"));
    same(&format!("{HEADER}{body}").replace("[]\n", "\"['x1_BACK-x2_BACK', 'b-c']\"\n"));
    same(&format!("{HEADER}{body}").replace("1000.1000.00.0000", "1.2.3.4"));
    // No key, and said.
    let by_hand = plan(&format!("{HEADER}{body}").replace("1000.1000.00.0000", "0")).unwrap();
    assert_eq!(
        text(&by_hand, "cables.csv"),
        text(&plan(&plan_of(&small())).unwrap(), "cables.csv")
    );
    let assumed = text(&by_hand, "assumptions.txt");
    assert!(assumed.contains("that someone added by hand have, count like others (2)."));
    let commented = plan(&format!("{HEADER}# {}{body}", small()[0])).unwrap();
    let assumed = text(&commented, "assumptions.txt");
    assert!(
        assumed.contains("Lines below the header that begin with # were left out (1)."),
        "{assumed}"
    );
}

#[test]
fn an_edge_row_has_one_or_two_nodes() {
    let with = |interfaces| {
        let mut rows = small();
        rows.push(edge("x2c4r7j101", interfaces, 7));
        plan(&plan_of(&rows)).unwrap()
    };
    let two = with(["x2c0s0n0h0", "x2c0s0n0h1"]);
    let names = text(&two, "names.csv");
    assert!(names.contains("node 0,x2c0s0n0h0,\n") && names.contains("node 1,x2c0s0n0h1,\n"));
    let same = with(["x2c0s0n0h11", "x2c0s0n0h11"]);
    assert_eq!(text(&same, "names.csv").matches("x2c0s0n0h11").count(), 1);
    let assumed = text(&same, "assumptions.txt");
    assert!(
        assumed.contains(
            "Edge rows that name one interface twice are one node at port 0, and port 1 is taken to \
             be dark (1): x2c4r7j101."
        ),
        "{assumed}"
    );
    let dark = with(["none", "x2c0s0n0h0"]);
    let assumed = text(&dark, "assumptions.txt");
    assert!(
        assumed.contains("Ports of edge rows without an interface are dark (1): x2c4r7j101p0."),
        "{assumed}"
    );
}

#[test]
fn several_files_are_read_together() {
    let rows = small();
    let (one, other) = (plan_of(&rows[..2]), plan_of(&rows[1..]));
    let both = plans(&[("one.csv", &one), ("other.csv", &other)]).unwrap();
    let whole = plan(&plan_of(&rows)).unwrap();
    assert_eq!(text(&both, "names.csv"), text(&whole, "names.csv"));
    assert_eq!(text(&both, "cables.csv"), text(&whole, "cables.csv"));
    let assumed = text(&both, "assumptions.txt");
    assert!(
        assumed.contains(
            "Rows that repeat what another file says count once (1): other.csv: line 2 as one.csv: \
             line 3."
        ),
        "{assumed}"
    );
    // The same cable from its other end.
    let turned = plan_of(&[cable("x2c4r7j9", "x1c0r3j9", [7, 0])]);
    let both = plans(&[("one.csv", &plan_of(&rows)), ("other.csv", &turned)]).unwrap();
    assert_eq!(text(&both, "cables.csv"), text(&whole, "cables.csv"));
    let contradiction = plan_of(&[cable("x1c0r3j9", "x2c4r7j8", [0, 7])]);
    assert_eq!(
        error(plans(&[("one.csv", &plan_of(&rows)), ("other.csv", &contradiction)])),
        "other.csv: line 2: the jack x1c0r3j9 leads to x2c4r7j8, but one.csv: line 3 says that it \
         leads to x2c4r7j9, accepted one row for each jack"
    );
    let moved = plan_of(&[cable("x2c4r7j1", "x1c0r3j1", [8, 0])]);
    assert_eq!(
        error(plans(&[("one.csv", &plan_of(&rows)), ("other.csv", &moved)])),
        "other.csv: line 2: the switch x2c4r7 is in group 8, but one.csv: line 3 says that it is \
         in group 7, accepted one group for each switch"
    );
    assert!(
        error(plans(&[("one.csv", &one), ("other.csv", "")]))
            .starts_with("other.csv: line 1: found")
    );
}

#[test]
fn a_plan_may_come_from_a_spreadsheet() {
    let plain = plan_of(&small());
    let import = plan(&plain).unwrap();
    for (before, after) in [("", ",,,"), ("\u{feff}", ",\r")] {
        let padded = plain.replace('\n', &format!("{after}\n"));
        let padded = format!("{before}{padded}{}\n", ",".repeat(16));
        let found = plan(&padded).unwrap();
        assert_eq!(text(&found, "cables.csv"), text(&import, "cables.csv"), "{padded}");
        assert_eq!(text(&found, "names.csv"), text(&import, "names.csv"), "{padded}");
    }
}

#[test]
fn a_row_that_goes_on_in_a_route_is_refused() {
    let quoted = cable("x1c0r1j7", "x1c0r3j7", [0, 0]);
    for route in ["[]", "['a','b']", "[['a'],'b']"] {
        let row = |of: &str| of.replace(",[]", &format!(",{route}"));
        let rows = [row(&quoted), row(&cable("x1c0r1j8", "x1c0r3j8", [0, 0]))];
        let apart = plan(&plan_of(&[small(), rows.to_vec()].concat()));
        assert!(apart.is_ok(), "{route}");
        // As where a file ended without a line feed before another was appended.
        let joined = rows.concat().replacen("]\n", "]", 1);
        let refused = error_with(&joined);
        assert!(refused.contains("which ends where the row ends"), "{route}: {refused}");
    }
    let with_jack = quoted.replace(",[]", ",['a',x1c0r1j8]");
    assert!(error_with(&with_jack).contains("may have commas but no name of a jack"));
}

#[test]
fn texts_that_are_no_plans_are_refused() {
    let header = HEADER.trim_end();
    let end = |line| {
        format!("plan.csv: line {line}: found the end of the file, accepted the header {header}")
    };
    assert_eq!(error(plan("")), end(1));
    assert_eq!(error(plan("# a\n\"# b\",,\n")), end(2));
    assert_eq!(error(plan("\"# b,,\ncable_id,\n")), end(2));
    let no_header = error(plan(&small().concat()));
    let found =
        "plan.csv: line 1: column 1 of the header is \"1000.1000.00.0000\", accepted \"cable_id\"";
    assert!(no_header.starts_with(found), "{no_header}");
    assert_eq!(
        error(plan(HEADER)),
        "plan.csv: found no row below the header, accepted at least one"
    );
    assert_eq!(
        error(plan(&HEADER.replace("stage", "level"))),
        format!(
            "plan.csv: line 1: column 6 of the header is \"level\", accepted \"stage\"; the header is \
             {header}"
        )
    );
    assert_eq!(
        error(plan(&HEADER.replace(",route", ""))),
        format!(
            "plan.csv: line 1: column 17 of the header is the end of the line, accepted \"route\"; the \
             header is {header}"
        )
    );
    assert!(error(plan(&HEADER.replace("route", "route,more"))).contains("column 18"));
    let aries = error(plan("c4-1c2s9a0l13(8:2:9) blue -> c0-0c1s9a0l02(0:1:9)\n"));
    assert!(aries.contains("line 1: found a line of a Cray XC (Aries)"), "{aries}");
    assert!(aries.contains("groups have two dimensions"), "{aries}");
}

#[test]
fn rows_that_cannot_be_understood_are_refused() {
    assert_eq!(
        error_with("1,x1c0r1j7,none,x1c0r3j7,none,1,none,none,no"),
        "plan.csv: line 5: found 9 fields, accepted 17: \
         cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage,src_e…"
    );
    let good = cable("x1c0r1j7", "x1c0r3j7", [0, 0]);
    assert!(plan(&plan_of(&[small(), vec![good.clone()]].concat())).is_ok());
    for (old, new, expected) in [
        ("x1c0r1j7", "x1c0r1", "src_conn_a is \"x1c0r1\", accepted a jack of a switch"),
        ("x1c0r1j7", "x1c0s1b0n0h0", "src_conn_a is \"x1c0s1b0n0h0\", accepted a jack"),
        ("x1c0r3j7", "x1c0s1b0n0h0", "a network interface stands on edge rows alone"),
        ("x1c0r3j7", "none", "dst_conn_a is \"none\", accepted a jack of a switch"),
        (
            "x1c0r1j7,none",
            "x1c0r1j7,x1c0r1j8",
            "src_conn_b is \"x1c0r1j8\", accepted none; or state with --two-jacks",
        ),
        (
            "x1c0r3j7,none",
            "x1c0r3j7,x1c0r1j8",
            "dst_conn_b is \"x1c0r1j8\", accepted none; or state with --two-jacks",
        ),
        ("local", "lokal", "link_type is \"lokal\", accepted edge, local or global"),
        ("local,0", "local,zero", "src_group is \"zero\", accepted a group's number"),
        ("local,0,0", "local,0,none", "dst_group is \"none\", accepted a group's number"),
        ("local,0,0", "local,0,1234567890", "dst_group is \"1234567890\""),
        ("local,0,0", "local,0,+1", "dst_group is \"+1\""),
        (
            "local,0,0",
            "local,0,7",
            "link_type is local, but src_group is 0 and dst_group is 7, accepted equal groups",
        ),
        (
            "local,0,0",
            "global,0,0",
            "link_type is global, but src_group is 0 and dst_group is 0, accepted two different",
        ),
        ("x1c0r3j7", "x1c0r1j8", "both ends are jacks of the switch x1c0r1"),
        ("x1c0r3j7", "x2c4r7j8", "the switch x2c4r7 is in group 0, but plan.csv: line 3 says"),
        (
            "x1c0r1j7",
            "x1c0r1j5",
            "the jack x1c0r1j5 leads to x1c0r3j7, but plan.csv: line 2 says that it leads to x1c0r3j6",
        ),
        (
            "x1c0r1j7",
            "x1c0r1j100",
            "plan.csv: line 4 says that it leads to x1c0s0b0n0h0 and x1c0s0b0n1h0",
        ),
        (",[]", ",[],x", "route is \"[]\", accepted 17 fields, or as the last a list in brackets"),
        (",[]", ",\"[", "the quote that opens in column 17 does not close on its line"),
    ] {
        let row = good.replace(old, new);
        assert_ne!(row, good, "{old}");
        let found = error_with(&row);
        assert!(found.starts_with("plan.csv: line 5: ") && found.contains(expected), "{found}");
    }
    // A row that one file has twice.
    let twice = error_with(&small()[0]);
    assert_eq!(
        twice,
        "plan.csv: line 5: the cable at the jack x1c0r1j5 is on line 2 too, accepted one row for \
         each cable in a file"
    );
}

#[test]
fn edge_rows_that_cannot_be_understood_are_refused() {
    let row = |interfaces| edge("x1c0r1j101", interfaces, 0);
    assert!(
        error_with(&row(["none", "none"])).contains("dst_conn_a is \"none\", accepted a network")
    );
    assert!(error_with(&row(["x1c0r3j6", "none"])).contains("dst_conn_a is \"x1c0r3j6\""));
    assert!(
        error_with(&row(["x1c0s9b0n0h0", "?"])).contains("dst_conn_b is \"?\", accepted a network")
    );
    assert_eq!(
        error_with(&row(["x1c0s9b0n0h0", "x1c0s0b0n1h0"])),
        "plan.csv: line 5: the interface x1c0s0b0n1h0 is on the row of plan.csv: line 4 too, \
         accepted one row for each interface"
    );
    let grouped = row(["x1c0s9b0n0h0", "none"]).replace("edge,0,none", "edge,0,0");
    assert!(
        error_with(&grouped).contains("dst_group is \"0\", accepted none or n/a on an edge row")
    );
}

#[test]
fn machines_that_are_no_dragonflies_are_refused() {
    assert_eq!(
        error(plan(&plan_of(&small()[..1]))),
        "plan.csv: found one group, 0, with all 2 switches, accepted two groups or more"
    );
    let ports = (1..=33).map(|n| cable(&format!("x1c0r1j{n}"), &format!("x2c0r1j{n}"), [0, 1]));
    assert_eq!(
        error(plan(&plan_of(&ports.collect::<Vec<_>>()))),
        "plan.csv: line 34: the switch x1c0r1 has 66 ports in use with this row, accepted at most \
         64, as many as a Slingshot switch has"
    );
}

#[test]
fn what_a_person_should_look_at_is_said() {
    // Without the one local cable, and with two parallel ones.
    let mut rows = small();
    rows[0] = edge("x1c0r1j101", ["x1c0s7b0n0h0", "none"], 0);
    let import = plan(&plan_of(&rows)).unwrap();
    let warnings = import.summary().warnings;
    assert_eq!(
        warnings,
        [
            "2 switches have no local link, in a group of several switches: x1c0r1, x1c0r3.",
            "1 group is not fully connected inside; assumptions.txt lists the missing local links.",
            "The machine is in 2 parts that no link joins; a switch of each: x1c0r1, x1c0r3.",
        ]
    );
    let assumed = text(&import, "assumptions.txt");
    assert!(
        assumed.contains("has no link between 1 of its 1 pairs of switches: x1c0r1 and x1c0r3."),
        "{assumed}"
    );
    let mut rows = small();
    rows.push(cable("x1c0r1j6", "x1c0r3j5", [0, 0]));
    let assumed = text(&plan(&plan_of(&rows)).unwrap(), "assumptions.txt");
    assert!(assumed.contains("1 pair of switches of a group has 4 local links."), "{assumed}");
    assert!(assumed.contains("1 pair of groups has 2 global links."), "{assumed}");
    let many = self::rows(&[(0, 33, 0), (1, 1, 0)], 1);
    let import = plan(&plan_of(&many));
    assert!(error(import).contains("ports in use"));
}

#[test]
fn parallel_local_links_have_one_number_at_both_ends() {
    let mut rows = small();
    // The ports' order differs at the two ends.
    rows.push(cable("x1c0r1j4", "x1c0r3j7", [0, 0]));
    let import = plan(&plan_of(&rows)).unwrap();
    let names = text(&import, "names.csv");
    let locals: Vec<_> = names.lines().filter(|line| line.contains("local")).collect();
    assert_eq!(
        locals,
        [
            "0,0,local 1 0,x1c0r1j4p0,",
            "0,0,local 1 1,x1c0r1j4p1,",
            "0,0,local 1 2,x1c0r1j5p0,",
            "0,0,local 1 3,x1c0r1j5p1,",
            "0,1,local 0 0,x1c0r3j7p0,",
            "0,1,local 0 1,x1c0r3j7p1,",
            "0,1,local 0 2,x1c0r3j6p0,",
            "0,1,local 0 3,x1c0r3j6p1,",
        ]
    );
    let cables = text(&import, "cables.csv");
    assert_eq!(cables.matches("0,0,local,0,1,local\n").count(), 4, "{cables}");
}

#[test]
fn what_is_not_live_is_down() {
    let live = "/fabric/links/x1c0r3j6p1-x1c0r1j5p1 ONLINE\n\
                [\"x1.c0.r3.j9.p0-x2c4r7j9p0\",\"x1c0r1j5p1-x1c0r3j6p1\"]\n";
    let import = with(Some(live), None).unwrap();
    assert_snapshot!(text(&import, "down.txt"), @r"
    local (0,0)-(0,1):0 # x1c0r1j5p0-x1c0r3j6p0
    cable (0,1):1 # x1c0r3j9p1-x2c4r7j9p1
    ");
    assert!(import.summary().to_string().ends_with("down      2 planned links are not live\n"));
    let assumed = text(&import, "assumptions.txt");
    assert!(assumed.contains("- x1c0r3j9p1-x2c4r7j9p1\n"), "{assumed}");
    let plain = with(None, None).unwrap();
    assert_eq!(text(&import, "cables.csv"), text(&plain, "cables.csv"));
    assert!(plain.files().all(|name| name != "down.txt"));
    for (live, expected) in [
        (
            "\nx1c0r1j5p0-x1c0r3j6p1",
            "live.txt: line 2: the live link x1c0r1j5p0-x1c0r3j6p1 is not planned: x1c0r1j5p0 leads to x1c0r3j6p0, accepted links of the plan",
        ),
        ("x9c0r1j5p0-x1c0r3j6p0", "the plan has no switch and port x9c0r1j5p0"),
        ("x1c0r1j9p0-x1c0r3j6p0", "the plan has no link between switches at x1c0r1j9p0"),
        ("x1c0r1j100p0-x1c0r3j6p0", "the plan has no link between switches at x1c0r1j100p0"),
        ("x1c0r1j5p2-x1c0r3j6p2", "the plan has no switch and port x1c0r1j5p2"),
        ("x1c0r1j5-x1c0r3j6\n", "live.txt: found no link"),
        ("", "live.txt: found no link"),
    ] {
        let found = error(with(Some(live), None));
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn a_jack_map_gives_physical_ports() {
    let map = "# by hand\nmodel,jack,port,asic_port\n*,5,0,8\n*,5,1,9\nblade,6,0,3\nrack,6,0,4\n\
               rack,9,0,1\nblade,9,0,1\nblade,100,0,63\nrack,100,0,62\n";
    let import = with(None, Some(map)).unwrap();
    let names = text(&import, "names.csv");
    // x1c0r1 has a jack j100, so it is a blade's; nothing tells of the others.
    for line in [
        "local 1 0,x1c0r1j5p0,8",
        "local 1 1,x1c0r1j5p1,9",
        "node 0,x1c0s0b0n0h0,63",
        "node 1,x1c0s0b0n1h0,\n",
        "local 0 0,x1c0r3j6p0,\n",
        "x1c0r3j9p0,1\n",
    ] {
        assert!(names.contains(line), "{line}: {names}");
    }
    let warning = import.summary().warnings.remove(0);
    assert!(warning.contains("x1c0r3j6p0, x1c0r3j6p1"), "{warning}");
    let header = "model,jack,port,asic_port\n";
    for (map, expected) in [
        (
            "",
            "jacks.csv: line 1: found the end of the file, accepted the header model,jack,port,asic_port",
        ),
        (
            "model,jack,port\n",
            "jacks.csv: line 1: column 4 of the header is the end of the line, accepted \"asic_port\"",
        ),
        (header, "jacks.csv: found no row below the header"),
        ("+tower,1,0,1", "jacks.csv: line 2: model is \"tower\", accepted *, blade or rack"),
        ("+*,x,0,1", "line 2: jack is \"x\", accepted a jack's number, 0 to 999"),
        ("+*,1,2,1", "line 2: port is \"2\", accepted 0 or 1"),
        ("+*,1,1,64", "line 2: asic_port is \"64\", accepted a port of the switch chip, 0 to 63"),
        ("+*,1,1", "line 2: found 3 fields, accepted 4"),
        ("+*,1,1,1\n*,1,1,2", "line 3: j1p1 of the model \"*\" is on line 2 too"),
        ("+*,1,1,1\n\nrack,2,1,1", "line 4: asic_port 1 of the model rack is on line 2 too"),
    ] {
        let map = map.replace('+', header);
        let found = error(with(None, Some(&map)));
        assert!(found.contains(expected), "{found}");
    }
    // A line of a model takes the place of the line of all models.
    assert!(
        with(None, Some("model,jack,port,asic_port\n*,1,0,1\nrack,1,0,2\nrack,2,0,1\n")).is_ok()
    );
}

/// The links of one row by a rule, by the names of their ports.
fn links_by(from: &str, to: &str, rule: TwoJacks) -> Vec<String> {
    let text = plan_of(&[cable(from, to, [0, 0])]);
    let open = |_| Ok(NamedText::of_text("plan.csv", Vec::leak(text.clone().into_bytes())));
    let links = planned_links(1, Some(rule), open).unwrap();
    links.iter().map(|[one, other]| format!("{one} {other}")).collect()
}

#[test]
fn cables_with_two_jacks_at_an_end_are_joined_as_was_stated() {
    let four = ("x1c0r1j5,x1c0r2j6", "x1c0r3j7,x1c0r4j8");
    assert_eq!(
        links_by(four.0, four.1, TwoJacks::Straight),
        [
            "x1c0r1j5p0 x1c0r3j7p0",
            "x1c0r1j5p1 x1c0r3j7p1",
            "x1c0r2j6p0 x1c0r4j8p0",
            "x1c0r2j6p1 x1c0r4j8p1",
        ]
    );
    let crossed = links_by(four.0, four.1, TwoJacks::Crossed);
    assert_eq!(
        crossed,
        [
            "x1c0r1j5p0 x1c0r3j7p0",
            "x1c0r1j5p1 x1c0r4j8p0",
            "x1c0r2j6p0 x1c0r3j7p1",
            "x1c0r2j6p1 x1c0r4j8p1",
        ]
    );
    // From the other end it is the same cable.
    let mut turned = links_by(four.1, four.0, TwoJacks::Crossed);
    let ends = |link: &String| {
        let mut ends: Vec<String> = link.split(' ').map(str::to_owned).collect();
        ends.sort();
        ends.join(" ")
    };
    turned = turned.iter().map(ends).collect();
    turned.sort();
    assert_eq!(turned, crossed);
    for rule in TwoJacks::ALL {
        let split = ["x1c0r1j5p0 x1c0r3j7p0", "x1c0r1j5p1 x1c0r4j8p0"];
        assert_eq!(links_by("x1c0r1j5", "x1c0r3j7,x1c0r4j8", rule), split);
        let joined = ["x1c0r1j5p0 x1c0r3j7p0", "x1c0r2j6p0 x1c0r3j7p1"];
        assert_eq!(links_by("x1c0r1j5,x1c0r2j6", "x1c0r3j7", rule), joined);
        let plain = ["x1c0r1j5p0 x1c0r3j7p0", "x1c0r1j5p1 x1c0r3j7p1"];
        assert_eq!(links_by("x1c0r1j5", "x1c0r3j7", rule), plain);
    }
}

/// The rows of a group of 32 switches: eight rows of nodes each, and one link between each two that are not of one
/// pair, by cables that join two pairs at jacks numbered by the other pair.
fn rows_of_a_crossed_group(group: usize) -> Vec<String> {
    let name = |switch: usize| format!("x{}c{}r{}", 1000 + group, switch / 8, switch % 8);
    let jack = |switch: usize, far: usize| format!("{}j{}", name(switch), far + 1);
    let mut rows = Vec::new();
    for low in 0..16 {
        for high in low + 1..16 {
            let end =
                |own: usize, far| format!("{},{}", jack(2 * own, far), jack(2 * own + 1, far));
            rows.push(cable(&end(low, high), &end(high, low), [group, group]));
        }
        rows.push(cable(&jack(2 * low, low), &jack(2 * low + 1, low), [group, group]));
    }
    for switch in 0..32 {
        for row in 0..8 {
            let node = |n| format!("x{}c0s{switch}b{row}n{n}h0", 1000 + group);
            rows.push(edge(&jack(switch, 99 + row), [&node(0), &node(1)], group));
        }
    }
    rows
}

/// Groups of 32 switches with one link between each two take 16 of 32 jacks for that.
#[test]
fn groups_of_thirty_two_switches_fit_by_crossed_cables() {
    let global = cable("x1000c0r0j30", "x1001c0r0j30", [0, 1]);
    let rows = [rows_of_a_crossed_group(0), rows_of_a_crossed_group(1), vec![global]].concat();
    let plan = plan_of(&rows);
    let source = NamedText::of_text("plan.csv", plan.as_bytes());
    let rule = Some(TwoJacks::Crossed);
    let import = tvlb_import::slingshot(vec![source], None, None, rule, &Earlier::default());
    let import = import.unwrap();
    assert!(
        import.summary().read.contains("272 local, 1 global, 512 edge"),
        "{}",
        import.summary()
    );
    let cables = text(&import, "cables.csv");
    let assumed = text(&import, "assumptions.txt");
    assert!(assumed.contains("joined as you stated, crossed"), "{assumed}");
    assert!(assumed.contains("(240 in all)"), "{assumed}");
    // Of each group 480 links between pairs and two within each of 16, and two global ones.
    let links =
        cables.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    assert_eq!(links.count(), 2 * (480 + 2 * 16) + 2);
}
