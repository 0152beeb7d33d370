//! Fabric files: the unusual ones that are right, and every kind of wrong one.

use crate::scratch::Scratch;
use insta::assert_snapshot;

/// What `tvlb generate` says of a fabric file with this text.
fn error_of(text: &str) -> String {
    Scratch::with_fabric(text).refuses("generate fabric.toml -o out")
}

/// What `tvlb generate` says of a fabric file with these sizes.
fn error_of_sizes(p: i64, a: i64, h: i64, g: i64) -> String {
    Scratch::with_sizes(p, a, h, g).refuses("generate fabric.toml -o out")
}

const SIZES: &str = "[dragonfly]\np = 1\na = 2\nh = 2\ng = 3\n";

#[test]
fn groups_of_one_switch() {
    let scratch = Scratch::with_sizes(1, 1, 4, 3);
    scratch.succeeds("generate fabric.toml -o out");
    assert_snapshot!("groups_of_one_switch", scratch.succeeds("inspect out --switch 1"));
    assert_snapshot!(scratch.succeeds("inspect out --from 0 --to 1 --list"), @"
    from switch 0 (group 0, switch 0) to switch 1 (group 1, switch 0)

    MIN: 2 paths, one drawn uniformly
      (0,0) => (1,0)
      (0,0) => (1,0)

    set 0 for ugal-l (T = 0), par-source (T = 0), par-second (T = 0): strategic-2-3 by shape; seed 1
    shape  hops  routes  share of draws
    000       2       4         100.00%
    4 routes, 2.000 mean hops of a draw
      000  (0,0) => (2,0) => (1,0)
      000  (0,0) => (2,0) => (1,0)
      000  (0,0) => (2,0) => (1,0)
      000  (0,0) => (2,0) => (1,0)
    ");
}

#[test]
fn two_groups_have_no_vlb_route() {
    let scratch = Scratch::with_sizes(1, 2, 1, 2);
    scratch.succeeds("generate fabric.toml -o out");
    assert_snapshot!(scratch.succeeds("inspect out --from 0 --to 3"), @"
    from switch 0 (group 0, switch 0) to switch 3 (group 1, switch 1)

    MIN: 2 paths, one drawn uniformly
      (0,0) => (1,0) -> (1,1)
      (0,0) -> (0,1) => (1,1)

    set 0 for ugal-l (T = 0), par-source (T = 0), par-second (T = 0): strategic-2-3 by shape; seed 1
    no route is kept: packets take MIN
    ");
    assert_snapshot!(scratch.succeeds("inspect out --from 0 --to 1"), @"
    from switch 0 (group 0, switch 0) to switch 1 (group 0, switch 1)

    MIN: 1 path
      (0,0) -> (0,1)

    VLB: none, because no third switch is linked to both
    ");
}

#[test]
fn an_odd_number_of_global_ports_leaves_one_unused() {
    let scratch = Scratch::with_sizes(1, 3, 1, 3);
    scratch.succeeds_with_warnings("generate fabric.toml -o out");
    let overview = scratch.succeeds("inspect out");
    assert!(overview.contains("4 cables, 1 to 2 per pair of groups, 1 global ports unused"));
    let reports = (0..9).map(|switch| scratch.succeeds(&format!("inspect out --switch {switch}")));
    assert_eq!(reports.filter(|report| report.contains("   3  nothing\n")).count(), 1);
}

#[test]
fn one_group() {
    assert_snapshot!(error_of_sizes(1, 2, 2, 1), @"tvlb: fabric.toml:6:5: dragonfly.g = 1, but g must be 2 to 4097");
}

#[test]
fn sizes_out_of_range() {
    assert_snapshot!(error_of_sizes(2, 4, 0, 9), @"tvlb: fabric.toml:5:5: dragonfly.h = 0, but h must be 1 to 4096");
    assert_snapshot!(error_of_sizes(-1, 4, 2, 9), @"tvlb: fabric.toml:3:5: dragonfly.p = -1, but p must be 1 to 256");
    assert_snapshot!(error_of_sizes(257, 4, 2, 9), @"tvlb: fabric.toml:3:5: dragonfly.p = 257, but p must be 1 to 256");
    assert_snapshot!(error_of_sizes(1, 257, 2, 9), @"tvlb: fabric.toml:4:5: dragonfly.a = 257, but a must be 1 to 256");
    assert_snapshot!(error_of_sizes(1, 4, 4097, 9), @"tvlb: fabric.toml:5:5: dragonfly.h = 4097, but h must be 1 to 4096");
    assert_snapshot!(error_of_sizes(1, 4, 2, 4098), @"tvlb: fabric.toml:6:5: dragonfly.g = 4098, but g must be 2 to 4097");
    assert_snapshot!(error_of_sizes(65536, 4, 2, 9), @"tvlb: fabric.toml:3:5: dragonfly.p = 65536, but p must be 1 to 256");
    assert_snapshot!(error_of_sizes(1, i64::MAX, 2, 9), @"tvlb: fabric.toml:4:5: dragonfly.a = 9223372036854775807, but a must be 1 to 256");
}

#[test]
fn sizes_that_do_not_fit_together() {
    assert_snapshot!(error_of_sizes(2, 4, 2, 10), @"tvlb: fabric.toml:6:5: dragonfly.g is too large for the other sizes: g = 10, but each group has only a·h = 8 global ports, so g must be at most 9");
    assert_snapshot!(error_of_sizes(1, 256, 17, 9), @"tvlb: fabric.toml:5:5: dragonfly.h is too large for the other sizes: a·h = 4352, but a·h must be 1 to 4096");
    assert_snapshot!(error_of_sizes(1, 256, 16, 257), @"tvlb: fabric.toml:6:5: dragonfly.g is too large for the other sizes: a·g = 65792, but a·g must be 1 to 65536");
    // Every product is large, but none too large: nothing overflows.
    let largest = Scratch::with_sizes(256, 256, 16, 256).succeeds("topology fabric.toml");
    assert!(largest.contains("switches                   65536\n"), "{largest}");
}

#[test]
fn numbers_beyond_every_type() {
    let number = "99999999999999999999";
    assert_snapshot!(error_of(&format!("name = \"x\"\nseed = {number}\n{SIZES}")), @"tvlb: fabric.toml:2:8: seed = 99999999999999999999, but seed must be 0 to 9223372036854775807");
    let text = SIZES.replace("a = 2", &format!("a = {number}"));
    assert_snapshot!(error_of(&format!("name = \"x\"\n{text}")), @"tvlb: fabric.toml:4:5: dragonfly.a = 99999999999999999999, but a must be 1 to 256");
}

#[test]
fn keys_and_types() {
    assert_snapshot!(error_of(&format!("name = \"x\"\ncolour = \"red\"\n{SIZES}")), @"tvlb: fabric.toml:2:1: colour is not a key of the fabric file; accepted here: name, seed, dragonfly, links, routing");
    assert_snapshot!(error_of(&format!("name = \"x\"\n{SIZES}q = 1\n")), @"tvlb: fabric.toml:7:1: dragonfly.q is not a key of the fabric file; accepted here: p, a, h, g, leaves, spines, local-links, kinds, arrangement, cables, names");
    assert_snapshot!(error_of(&format!("name = 7\n{SIZES}")), @"tvlb: fabric.toml:1:8: name = 7, but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`");
    assert_snapshot!(error_of(&format!("name = \"x\"\n{}", SIZES.replace("= 3", "= \"3\""))), @r#"tvlb: fabric.toml:6:5: dragonfly.g = "3", but g must be a whole number, 2 to 4097"#);
    assert_snapshot!(error_of(&format!("name = \"x\"\n{}", SIZES.replace("g = 3\n", ""))), @"tvlb: fabric.toml:2:2: dragonfly.g is missing; it must be a whole number, 2 to 4097");
    assert_snapshot!(error_of("name = \"x\"\n"), @"tvlb: fabric.toml:1:1: dragonfly is missing; it must be a table of p, a, h, g and the wiring");
    assert_snapshot!(error_of(""), @"tvlb: fabric.toml:1:1: name is missing; it must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`");
    assert_snapshot!(error_of(&format!("name = \"x\"\n{SIZES}g = 3\n")), @"tvlb: fabric.toml:7:1: g is given a second time; every key and table is accepted once");
    assert_snapshot!(error_of(&format!("name = \"x\"\n{SIZES}arrangement = \"palm\"\n")), @r#"tvlb: fabric.toml:7:15: dragonfly.arrangement = "palm", but arrangement must be one of "absolute", "absolute-classic", "relative", "circulant", "palmtree", "random", "dragonfly-plus""#);
    assert_snapshot!(error_of("name = \"x\"\n[dragonfly\n"), @"tvlb: fabric.toml:2:11: not TOML: unclosed table, expected `]`; found the end of the line");
}

#[test]
fn a_set_of_the_fabric_file_is_marked_where_it_is_wrong() {
    let routing = "[routing]\nset = \"only:011+122\"\n";
    assert_snapshot!(error_of(&format!("name = \"x\"\n{SIZES}{routing}")), @"
    tvlb: fabric.toml:8:17: routing.set is not a set of routes: column 10: found `122`, accepted a shape: three digits, the first and last 0 or 1, the middle one 0 to 2
    only:011+122
             ^^^
    ");
}

#[test]
fn files_that_are_no_text() {
    let scratch = Scratch::new();
    assert_snapshot!(scratch.refuses("generate none.toml -o out"), @"tvlb: none.toml: cannot read it: No such file or directory (os error 2)");
    assert_snapshot!(scratch.refuses("generate . -o out"), @"tvlb: .: it is a directory, accepted a fabric file");
    scratch.write("latin-1.toml", b"name = \"x\"\n# Universit\xe4t\n");
    assert_snapshot!(scratch.refuses("generate latin-1.toml -o out"), @"tvlb: latin-1.toml: byte 22: found 0xe4, accepted UTF-8 text; is this the right file?");
}

#[test]
fn every_command_reads_the_same_way() {
    let scratch = Scratch::with_sizes(2, 4, 0, 9);
    let error = scratch.refuses("generate fabric.toml -o out");
    assert_eq!(scratch.refuses("topology fabric.toml"), error);
    assert_eq!(scratch.refuses("paths fabric.toml --from 0 --to 1"), error);
}

/// A dead switch cannot be said; taking its cables away leaves it in use, which must be known.
#[test]
fn a_switch_without_a_global_cable_is_warned_of() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let cables = scratch.succeeds("topology fabric.toml --format csv");
    let fewer: Vec<&str> = cables
        .lines()
        .filter(|line| !line.starts_with("7,3,") && !line.contains(",7,3,"))
        .collect();
    scratch.write("cables.csv", fewer.join("\n") + "\n");
    scratch.write(
        "fabric.toml",
        "name = \"dead\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\ncables = \"cables.csv\"\n\
         [routing]\nset = \"all\"\n",
    );
    assert_snapshot!(scratch.succeeds("topology fabric.toml"), @"
    Dragonfly (p, a, h, g)     2, 4, 2, 9
    switches                   36
    nodes                      72
    global ports               72
    global ports unused        4
    switches with unused ports 3: (3,3) 1 of 2, (7,3) all 2, (8,3) 1 of 2
    global cables              34
    links per pair of groups   0 to 1 (0 for 2 pairs, 1 for 34)
    pairs with fewer links     2: 3-7 0 of 1, 7-8 0 of 1
    cables that are lacking    2: (3,3) global port 0 = (7,3) global port 0 or 1, (7,3) global port 0 or 1 = (8,3) global port 1
    pairs without a link       2: 3-7, 7-8
    same under group rotation  no
    warning: switch (7,3) has no global cable; where it has local links, packets take detours through it, and it is a source and a destination
    ");
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds("topology fabric.toml --json")).unwrap();
    assert_eq!(json["switches_without_global_cable"], serde_json::json!([[7, 3]]));
    let run = scratch.tvlb("generate fabric.toml -o out");
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!(run.stderr, @"tvlb: warning: switch (7,3) has no global cable; where it has local links, packets take detours through it, and it is a source and a destination");
    let run = scratch.tvlb("generate fabric.toml -o other --quiet");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}
