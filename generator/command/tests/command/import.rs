//! `tvlb import`: what is written where, and what is refused.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const PLAN: &str = include_str!("../../../import/tests/data/plan.csv");
const FABRIC: &str = include_str!("../../../import/tests/data/fabric.txt");

fn with_files() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("plan.csv", PLAN);
    scratch.write("fabric.txt", FABRIC);
    scratch
}

#[test]
fn a_slingshot_plan_becomes_a_fabric() {
    let scratch = with_files();
    let printed = scratch.succeeds_with_warnings("import slingshot plan.csv -o deep/out");
    assert_snapshot!(printed, @r"
    read      1 file, 21 rows: 7 local, 4 global, 10 edge
    machine   3 groups, 8 switches, 18 nodes
    links     14 local, 8 global
    kinds     groups-of-3: g = 2, a = 3, p = 2, h = 2
              groups-of-2: g = 1, a = 2, p = 4, h = 2
    written   deep/out: cables.csv, names.csv, assumptions.txt, fabric.toml
    ");
    let names: Vec<String> = scratch.files().into_keys().collect();
    assert_eq!(
        names,
        [
            "deep/",
            "deep/out/",
            "deep/out/assumptions.txt",
            "deep/out/cables.csv",
            "deep/out/fabric.toml",
            "deep/out/names.csv",
            "fabric.txt",
            "plan.csv"
        ]
    );
    let warned = scratch.tvlb("import slingshot plan.csv -o other").stderr;
    assert_eq!(
        warned,
        "tvlb: warning: 1 group is not fully connected inside; assumptions.txt lists the missing local \
         links.\n"
    );
}

#[test]
fn what_was_imported_is_said_as_json() {
    let scratch = with_files();
    let first = scratch.succeeds_with_warnings("import slingshot plan.csv -o out --json");
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["kinds"][1]["name"], "groups-of-2");
    assert!(first.get("numbers").is_none() && first["warnings"].as_array().unwrap().len() == 1);
    let again = "import slingshot plan.csv -o out --force --json";
    assert_snapshot!("import_again_json", scratch.succeeds_with_warnings(again));
}

/// From the machine's own cable plan to packets, by the machine's own names.
#[test]
fn an_imported_machine_goes_through_all_commands() {
    let scratch = with_files();
    scratch.succeeds_with_warnings("import slingshot plan.csv -o plan");
    // A pair of switches that no cable joins is named as the machine names it.
    let printed = scratch.succeeds("topology plan/fabric.toml");
    let pair = "pairs without a local link 1: (1,1)-(1,2) x102c0r3 and x102c0r11\n";
    assert!(printed.contains(pair), "{printed}");
    let cables = String::from_utf8(scratch.read("plan/cables.csv")).unwrap();
    let fewer: Vec<&str> =
        cables.lines().filter(|line| !line.starts_with("1,0,local,1,1,")).collect();
    scratch.write("plan/cables.csv", fewer.join("\n"));
    assert_snapshot!(scratch.refuses("topology plan/fabric.toml"));
    let missing = "1,x102c0r3j9,none,x102c0r11j9,none,1,none,none,none,none,local,7,7,1,1,1,[]\n";
    scratch.write("plan.csv", format!("{}\n{missing}", PLAN.trim_end()));
    scratch.write("jacks.csv", "model,jack,port,asic_port\n*,9,0,17\n*,9,1,16\n");
    scratch.succeeds_with_warnings("import slingshot plan.csv -o plan --force --jacks jacks.csv");
    let topology = scratch.tvlb("topology plan/fabric.toml");
    assert_snapshot!("imported_topology", topology.stdout);
    scratch.succeeds("generate plan/fabric.toml -o out --set all");
    scratch.succeeds("verify out --fabric plan/fabric.toml");
    assert_snapshot!("imported_switch", scratch.succeeds("inspect out --switch 4"));
    assert_snapshot!("imported_switch_json", scratch.succeeds("inspect out --switch 4 --json"));
    let paths = scratch.succeeds("inspect out --from 4 --to 6");
    assert!(paths.starts_with("from switch 4 x102c0r3 ("), "{paths}");
    scratch.succeeds("simulate out --scheme par --load 0.1 --window 200 -q --links links.csv");
    let links = String::from_utf8(scratch.read("links.csv")).unwrap();
    assert!(links.contains("to switch 2 x102c0r11 by x102c0r3j9p0\""), "{links}");
    // The names are a part of the table set: it is replaced with them, and a change is found.
    scratch.succeeds("generate plan/fabric.toml -o out --set all --replace");
    scratch.succeeds("diff out out");
    let names = String::from_utf8(scratch.read("out/names.csv")).unwrap();
    scratch.write("out/names.csv", names.replace("x102c0r3,", "x102c0r5,"));
    assert_snapshot!(scratch.tvlb("verify out").stderr, @"tvlb: out/names.csv: its SHA-256 is 7c5e0f2c6d0dce438cac5e1b8d562cbdb02a17c1ecd229bfd33d7404458f5d0f, but the manifest says 9a04bfb64ee1b3bebb89c00697579890d869c506956ca6a9e7edc50335bedea8; it is damaged or of another table set");
    scratch.write("plan/names.csv", names.replace("1,1,,x102c0r3,", "1,1,,x102c0r1,"));
    assert_snapshot!(scratch.refuses("topology plan/fabric.toml"), @r#"tvlb: plan/names.csv: line 9: the name "x102c0r1" is given a second time; accepted is one line for each"#);
}

#[test]
fn live_links_and_jacks_are_read() {
    let scratch = with_files();
    scratch.write("live.txt", "x100c0r1j1p0-x100c0r3j1p0 x100c0r1j20p1-x102c0r11j20p1\n");
    scratch.write("jacks.csv", "model,jack,port,asic_port\n*,1,0,17\n");
    let printed = scratch.succeeds_with_warnings(
        "import slingshot plan.csv -o out --live live.txt --jacks jacks.csv",
    );
    assert!(printed.contains("down      20 planned links are not live\n"), "{printed}");
    let down = String::from_utf8(scratch.read("out/down.txt")).unwrap();
    assert_eq!(down.lines().count(), 20);
    assert!(down.contains("cable (0,0):0 # x100c0r1j20p0-x102c0r11j20p0\n"), "{down}");
    let names = String::from_utf8(scratch.read("out/names.csv")).unwrap();
    assert!(names.contains("0,0,local 1 0,x100c0r1j1p0,17\n"), "{names}");
    // Without the live links, the old list of what is down goes.
    scratch.succeeds_with_warnings("import slingshot plan.csv -o out --force");
    assert!(!scratch.path("out/down.txt").exists());
    scratch.write("live.txt", "\nx100c0r1j1p1-x100c0r3j1p0\n");
    assert_eq!(
        scratch.refuses("import slingshot plan.csv -o new --live live.txt"),
        "tvlb: live.txt: line 2: the live link x100c0r1j1p1-x100c0r3j1p0 is not planned: \
         x100c0r1j1p1 leads to x100c0r3j1p1, accepted links of the plan\n"
    );
}

#[test]
fn what_ibnetdiscover_printed_becomes_a_fabric() {
    let scratch = with_files();
    let arguments =
        ["import", "ibnetdiscover", "fabric.txt", "-o", "out", "--groups", "^(g[0-9]+)-"];
    let run = scratch.tvlb_with(arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    assert_snapshot!(run.stdout, @r"
    read      1 file: 10 switches, 20 channel adapters, 0 routers
    machine   3 groups, 10 switches, 19 nodes
    links     12 local, 5 global
    kinds     groups-of-3: g = 1, a = 3, p = 2, h = 2
              groups-of-4: g = 1, a = 4, p = 2, h = 2
              groups-of-3-2: g = 1, a = 3, p = 2, h = 2
    written   out: cables.csv, names.csv, assumptions.txt, fabric.toml
    ");
    let by_links = scratch.succeeds("import ibnetdiscover fabric.txt -o by-links --threshold 0");
    assert!(by_links.contains("machine   3 groups, 10 switches, 19 nodes"), "{by_links}");
    assert_eq!(scratch.read("out/cables.csv"), scratch.read("by-links/cables.csv"));
    let refused =
        scratch.refuses("import ibnetdiscover fabric.txt -o new --groups g --threshold 1");
    assert!(refused.contains("cannot be used with"), "{refused}");
}

#[test]
fn what_is_there_is_not_overwritten() {
    let scratch = with_files();
    std::fs::create_dir(scratch.path("out")).unwrap();
    scratch.write("out/names.csv", "group,switch,port,name,physical\n0,,,7,\n");
    scratch.write("out/notes", "mine");
    assert_eq!(
        scratch.refuses("import slingshot plan.csv -o out"),
        "tvlb: out/names.csv: exists; give --force to replace the files of an import (cables.csv, \
         names.csv, assumptions.txt, down.txt, fabric.toml), or another directory\n"
    );
    // Numbers are not lost because the file that they need is not there.
    let refused = scratch.refuses("import slingshot plan.csv -o out --force");
    assert_eq!(
        refused,
        "tvlb: out/names.csv: it is there without fabric.toml, so the numbers that it has cannot be kept; \
         put fabric.toml back, name an earlier import with --keep, or remove the file to number the machine again\n"
    );
    std::fs::remove_file(scratch.path("out/names.csv")).unwrap();
    scratch.succeeds_with_warnings("import slingshot plan.csv -o out --force");
    assert_eq!(scratch.read("out/notes"), b"mine");
    // A fabric file into which somebody has put something is not thrown away.
    let mut fabric = String::from_utf8(scratch.read("out/fabric.toml")).unwrap();
    fabric += "\n[routing]\nset = \"all\"\n";
    scratch.write("out/fabric.toml", &fabric);
    scratch.succeeds_with_warnings("import slingshot plan.csv -o other --keep out");
    assert_eq!(
        scratch.refuses("import slingshot plan.csv -o out --keep other --force"),
        "tvlb: out/fabric.toml: it is not as an import wrote it, and its changes would be lost, because --keep \
         names another one; leave --keep out to keep the changes, or give another directory\n"
    );
    for again in ["--force", "--keep out --force", "--keep out/fabric.toml --force"] {
        scratch.succeeds_with_warnings(&format!("import slingshot plan.csv -o out {again}"));
        assert_eq!(scratch.read("out/fabric.toml"), fabric.as_bytes());
    }
    assert_eq!(scratch.read("other/fabric.toml"), fabric.as_bytes());
    std::fs::remove_file(scratch.path("out/fabric.toml")).unwrap();
    assert_eq!(scratch.refuses("import slingshot plan.csv -o out --force"), refused);
    let refused = scratch.refuses("import slingshot plan.csv -o plan.csv/out --force");
    assert!(refused.starts_with("tvlb: plan.csv/out: cannot create the directory: "), "{refused}");
    let set = Scratch::with_table_set();
    set.write("plan.csv", PLAN);
    let refused = set.refuses("import slingshot plan.csv -o out/import");
    assert!(
        refused.starts_with("tvlb: --output out/import: it is within the table set"),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_read_is_refused_and_leaves_nothing() {
    let scratch = with_files();
    scratch.write("aries.txt", "c4-1c2s9a0l14(8:2:9) blue -> unused\n");
    scratch.write("empty", "");
    scratch.write("cut.csv", &PLAN[..PLAN.len() - 40]);
    for (arguments, expected) in [
        ("slingshot missing.csv", "missing.csv: cannot read it: No such file"),
        (
            "slingshot /dev/null",
            "/dev/null: cannot read it: found a device, accepted a regular file",
        ),
        ("slingshot .", ".: cannot read it: Is a directory"),
        ("slingshot plan.csv --live missing", "missing: cannot read it: No such file"),
        (
            "slingshot plan.csv --jacks empty",
            "empty: line 1: found the end of the file, accepted the header model,",
        ),
        (
            "slingshot plan.csv plan.csv empty",
            "empty: line 1: found the end of the file, accepted the header cable_id,",
        ),
        (
            "slingshot cut.csv",
            "cut.csv: line 24: found 8 fields, accepted 17: cable_id,src_conn_a,",
        ),
        ("slingshot aries.txt", "aries.txt: line 1: found a line of a Cray XC (Aries)"),
        ("slingshot fabric.txt", "fabric.txt: line 5: column 1 of the header is \"vendid=0x2c9\""),
        ("ibnetdiscover aries.txt", "aries.txt: line 1: found a line of a Cray XC (Aries)"),
        ("ibnetdiscover plan.csv", "plan.csv: line 2: found"),
        ("ibnetdiscover empty", "empty: found no switch, accepted the output of ibnetdiscover"),
        (
            "ibnetdiscover fabric.txt --groups (",
            "--groups \"(\": found open group without closing ')', accepted",
        ),
    ] {
        let refused = scratch.refuses(&format!("import {arguments} -o out/put"));
        assert!(refused.starts_with(&format!("tvlb: {expected}")), "{arguments}: {refused}");
    }
    for arguments in ["import", "import slingshot -o out", "import slingshot plan.csv"] {
        assert_eq!(scratch.tvlb(arguments).code, 2, "{arguments}");
    }
}

#[test]
fn a_fabric_that_no_command_would_take_is_not_written() {
    let scratch = with_files();
    scratch.write("year-1.csv", include_str!("../../../../tables/machines/year-1.csv"));
    let import = "import slingshot year-1.csv -o year-1 --global-ports";
    assert_eq!(
        scratch.refuses(&format!("{import} 4096")),
        "tvlb: year-1/fabric.toml:8:13: dragonfly.kinds make no Dragonfly: a·h = 8192, but a·h must be 1 to 4096; no \
         command would take this fabric (with --global-ports 4096), so nothing was written\n"
    );
    scratch.succeeds(&format!("{import} 2048"));
    scratch.succeeds("topology year-1/fabric.toml");
    let fewer = PLAN.lines().filter(|line| !line.contains("x102c0r1j1,none,x102c0r3j1,"));
    scratch.write("plan.csv", fewer.collect::<Vec<_>>().join("\n"));
    assert_snapshot!(scratch.refuses("import slingshot plan.csv -o out"), @"tvlb: out/cables.csv: group 1: no local link joins switches 0 and 1, and no third switch is linked to both; accepted is a link or such a switch between every two switches with nodes of a group of which a local link is listed; one other pair is apart, too; they are x102c0r1 and x102c0r3; no command would take this fabric, so nothing was written");
}
