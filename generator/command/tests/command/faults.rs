//! `tvlb faults` and `verify --update`: what dies and mends, what is refused, and what is found.

use crate::between::cables_between;
use crate::scratch::{Run, Scratch};
use insta::assert_snapshot;
use std::fs;
use tvlb_table_set::{FileEntry, Manifest, UpdateRecord};

/// A table set of the smallest shipped fabric in `out`, and a list of what is dead of it.
fn with_list(list: &str) -> Scratch {
    let scratch = Scratch::with_table_set();
    scratch.write("dead.txt", list);
    scratch
}

/// What is said of a list that cannot be used; nothing is written.
fn refused(list: &str) -> String {
    let scratch = with_list(list);
    let error = scratch.refuses("faults out --faults dead.txt -o update");
    assert!(!scratch.path("update").exists());
    error
}

#[test]
fn a_dead_cable_changes_the_images_that_need_it() {
    let scratch = with_list("cable (3,1):1 # since noon\n");
    assert_snapshot!("faults_cable", scratch.succeeds("faults out --faults dead.txt -o update"));
    assert_snapshot!("faults_verified", scratch.succeeds("verify out --update update"));
    let changes = scratch.succeeds("verify out --update update --changes-only");
    assert_snapshot!("faults_changes_verified", changes);
    // The same parts give the same bytes, from any list of them and at any number of threads.
    scratch.write("again.txt", "\n# by its other end\ncable (5,3):0\n");
    scratch.succeeds("faults out --faults again.txt -o again --threads 3 -q");
    for name in ["faults.tvlb", "faults.txt", "update.json"] {
        assert_eq!(scratch.read(&format!("update/{name}")), scratch.read(&format!("again/{name}")));
    }
    assert_eq!(scratch.read("update/faults.txt"), b"cable (3,1):1\n");
    // The update holds those images only that are not those of the table set.
    let record: UpdateRecord = serde_json::from_slice(&scratch.read("update/update.json")).unwrap();
    for FileEntry { path, .. } in record.files.iter().filter(|file| file.path.contains('/')) {
        assert_ne!(scratch.read(&format!("update/{path}")), scratch.read(&format!("out/{path}")));
    }
}

/// With an update `inspect` shows what is dead and what the update replaces.
#[test]
fn an_update_is_shown() {
    let scratch = with_list("cable (3,1):1\nlocal (0,0)-(0,2)\nswitch (7,3)\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q");
    let shown = scratch.succeeds("inspect out --update update");
    let plain = scratch.succeeds("inspect out");
    let of_update = shown.strip_prefix(&plain).unwrap();
    assert!(of_update.contains("dead: 1 switch, 1 global link, 1 local link"), "{of_update}");
    let dead = |number: u32| {
        let text = scratch.succeeds(&format!("inspect out --update update --switch {number}"));
        let json = format!("inspect out --update update --switch {number} --json");
        let json: serde_json::Value = serde_json::from_str(&scratch.succeeds(&json)).unwrap();
        let ports = json["ports"].as_array().unwrap();
        let dead: Vec<u64> = ports
            .iter()
            .filter(|port| port["dead"] == true)
            .map(|port| port["port"].as_u64().unwrap())
            .collect();
        assert_eq!(text.matches("; dead\n").count(), dead.len(), "{text}");
        dead
    };
    // Ports 0 and 1 lead to nodes, 2 to 4 to the other switches of the group, 5 and 6 to other groups.
    assert_eq!(dead(0), [3]);
    assert_eq!(dead(2), [2]);
    assert_eq!(dead(13), [6]);
    assert_eq!(dead(28), [4]);
    assert_eq!(dead(31), [0, 1, 2, 3, 4, 5, 6]);
    assert!(dead(5).is_empty());
    let error = scratch.refuses("inspect out --update update --from 0 --to 9");
    assert!(error.contains("--update"), "{error}");
    let error = scratch.refuses("inspect out --update out");
    assert!(error.contains("update.json"), "{error}");
}

#[test]
fn mending_leads_back_to_the_table_set() {
    let scratch = with_list("cable (3,1):1\nlocal (0,0)-(0,2)\n");
    scratch.succeeds("faults out --faults dead.txt -o one -q");
    scratch.write("dead.txt", "local (0,0)-(0,2)\n");
    let fewer = scratch.succeeds("faults out --faults dead.txt -o two --after one");
    assert_snapshot!("faults_fewer", fewer);
    scratch.write("dead.txt", "");
    assert_snapshot!(
        "faults_mended",
        scratch.succeeds("faults out --faults dead.txt -o three --after two")
    );
    scratch.succeeds("verify out --update three -q");
    // Whatever came before, the update is of what is dead now.
    scratch.write("dead.txt", "local (0,0)-(0,2)\n");
    scratch.succeeds("faults out --faults dead.txt -o alone --epoch 2 -q");
    assert_eq!(scratch.read("two/faults.tvlb"), scratch.read("alone/faults.tvlb"));
    let record = |name: &str| -> UpdateRecord {
        serde_json::from_slice(&scratch.read(&format!("{name}/update.json"))).unwrap()
    };
    let (two, alone) = (record("two"), record("alone"));
    let manifest: Manifest = serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    assert!(!two.restored_files.is_empty());
    for file in &two.restored_files {
        assert!(manifest.files.contains(file), "{file:?}");
        assert!(record("one").files.iter().any(|old| old.path == file.path), "{file:?}");
        assert!(!two.files.iter().any(|new| new.path == file.path), "{file:?}");
    }
    assert_eq!(UpdateRecord { restored_files: Vec::new(), ..two.clone() }, alone);
    // What is said to be restored is of the table set.
    let wrong = UpdateRecord { restored_files: two.files[..1].to_vec(), ..two };
    scratch.write("two/update.json", wrong.to_json());
    let run = scratch.tvlb("verify out --update two");
    assert_eq!(run.code, 1, "{run}");
    assert_snapshot!(run.stderr);
}

/// Manifest and update have the names of switches, and the inventory says which file is whose.
#[test]
fn files_have_the_names_of_their_switches() {
    let scratch = Scratch::new();
    scratch.write("plan.csv", include_str!("../../../../tables/machines/year-1.csv"));
    scratch.succeeds("import slingshot plan.csv -o machine");
    let fabric = String::from_utf8(scratch.read("machine/fabric.toml")).unwrap();
    scratch.write("machine/fabric.toml", fabric + "\n[routing]\nset = \"all by shape\"\n");
    scratch.succeeds("generate machine/fabric.toml -o out -q");
    scratch.write("dead.txt", "chassis x1020c0\n");
    scratch.succeeds("faults out --faults dead.txt -o one -q");
    scratch.write("dead.txt", "cable x1010c0r1j40\n");
    scratch.succeeds("faults out --faults dead.txt -o two --after one -q");
    let manifest: Manifest = serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    let record: UpdateRecord = serde_json::from_slice(&scratch.read("two/update.json")).unwrap();
    let names = String::from_utf8(scratch.read("out/names.csv")).unwrap();
    assert_eq!(
        record.files.iter().filter(|file| file.switch.is_some()).count(),
        record.files.len() - 2
    );
    for FileEntry { path, switch, .. } in manifest.files.iter().chain(&record.files) {
        let number = path.strip_prefix("switches/").and_then(|name| name[..5].parse::<u32>().ok());
        assert_eq!(switch.is_some(), number.is_some(), "{path}");
        if let Some((number, switch)) = number.zip(switch.as_ref()) {
            let line = format!("\n{},{},,{switch},\n", number / 2, number % 2);
            assert!(names.contains(&line), "{line}");
        }
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tables/install/inventory.py");
    let inventory = |arguments: &[&str]| {
        let mut python = scratch.command("python3");
        python.arg(script).args(arguments).output().ok().map(|output| Run::of(&output))
    };
    let Some(of_set) = inventory(&["out"]) else { return };
    assert_eq!((of_set.code, of_set.stdout.lines().count()), (0, 1 + manifest.files.len()));
    for FileEntry { path, bytes, sha256, switch } in &manifest.files {
        let name = switch.as_deref().unwrap_or_default();
        let line = format!(",{name},out/{path},{bytes},{sha256},");
        assert!(of_set.stdout.contains(&line), "{line} {of_set}");
    }
    let of_update = inventory(&["out", "two"]).unwrap();
    let files = record.files.len() - 1 + record.restored_files.len();
    assert_eq!((of_update.code, of_update.stdout.lines().count()), (0, 1 + files), "{of_update}");
    // A name that is not that of the list of names.
    let text = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    scratch.write("out/manifest.json", text.replacen("x1010c0r3", "x1010c0r1", 1));
    assert_snapshot!(scratch.refuses("inspect out"));
    scratch.write("out/manifest.json", text);
    // A file that was damaged, an update of other tables, and no table set.
    let mut damaged = scratch.read("out/switches/00003.tvlb");
    damaged[30] ^= 1;
    scratch.write("out/switches/00003.tvlb", damaged);
    scratch.write("machine/manifest.json", "{}");
    for (arguments, said) in [
        (&["out"][..], "out/switches/00003.tvlb: its bytes are not those that are listed"),
        (&["machine"], "a record has no 'files'"),
        (&["machine", "two"], "a record has no 'files'"),
        (&["nowhere"], "nowhere/manifest.json: cannot read it"),
        (&[], "inventory.py TABLES UPDATE"),
    ] {
        let run = inventory(arguments).unwrap();
        assert!(run.code == 2 && run.stderr.contains(said), "{run}");
    }
}

#[test]
fn a_group_that_is_cut_off_is_named() {
    let all: String =
        (0..4).flat_map(|s| (0..2).map(move |p| format!("cable (5,{s}):{p}\n"))).collect();
    let scratch = with_list(&all);
    let run = scratch.tvlb("faults out --faults dead.txt -o update");
    assert_eq!(run.code, 1);
    assert_snapshot!("faults_cut_off", run.stdout);
    // The update is there, for those that can still send.
    let certificate = scratch.succeeds("verify out --update update");
    scratch.succeeds("verify out --update update --changes-only -q");
    assert!(
        certificate.contains("1004 of 1260 pairs of switches; the others are cut off"),
        "{certificate}"
    );
    let json = scratch.tvlb("faults out --faults dead.txt -o json --json");
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["lost"]["cut"], 256);
    let isolated = json["isolated"].as_array().unwrap().iter().map(|named| &named["switch"]);
    assert!(isolated.eq([20, 21, 22, 23].iter()), "{json}");
    assert_eq!(json["changed"].as_array().unwrap().len(), 36);
    assert_eq!(json["mend"]["joins"], 256);
}

#[test]
fn a_switch_dies() {
    let scratch = with_list("switch (7,3)\n");
    assert_snapshot!("faults_switch", scratch.succeeds("faults out --faults dead.txt -o update"));
    let certificate = scratch.succeeds("verify out --update update");
    scratch.succeeds("verify out --update update --changes-only -q");
    assert!(certificate.contains("all 1190 pairs of switches"), "{certificate}");
}

/// The table set of a fabric file in `out`, whose dead parts are listed in `dead.txt`.
fn with_tables_of(fabric: &str, dead: &str) -> Scratch {
    let scratch = Scratch::with_text(fabric);
    scratch.write("dead.txt", dead);
    scratch.write("six-groups.csv", include_str!("data/six-groups.csv"));
    scratch.write("four-groups.csv", include_str!("data/four-groups.csv"));
    scratch.succeeds("generate fabric.toml -o out -q");
    scratch
}

/// A set loses a pair where it had a route and has none left, in whatever way it draws. The numbers were
/// counted from the cables alone, by a program that shares nothing with this one.
#[test]
fn every_way_of_drawing_loses_its_last_routes_alike() {
    let shipped = "name = \"lab\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n";
    let of_set = |set: &str| format!("[routing]\nset = \"{set}\"\n");
    let mixed = "[routing.set]\nugal-l = \"shapes:010\"\npar-source = \"shapes:010 by shape\"\n\
        par-second = \"shapes:010 by shape\"\n";
    for (routing, lost) in [
        (of_set("shapes:011"), 8),
        (of_set("shapes:011 by shape"), 8),
        (mixed.to_owned(), 28),
        (of_set("2-hop"), 4),
    ] {
        let scratch = with_tables_of(&format!("{shipped}{routing}"), "cable (0,0):0\n");
        let json = scratch.succeeds("faults out --faults dead.txt -o update --json");
        for json in [json.into_bytes(), scratch.read("update/update.json")] {
            let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
            for decision in ["ugal-l", "par-source", "par-second"] {
                assert_eq!(json["lost"]["sets"][decision], lost, "{routing} {decision}");
            }
        }
        let text = scratch.succeeds("faults out --faults dead.txt -o again");
        assert_eq!(text.matches(&format!(" {lost} pairs, first from")).count(), 3, "{text}");
        scratch.succeeds("verify out --update update -q");
        scratch.succeeds("verify out --update update --changes-only -q");
    }
}

/// Updates of sets of which no image changes, since none says which routes there are.
#[test]
fn a_pair_loses_its_last_route_of_a_set_that_no_image_lists() {
    let small = "name = \"lab\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n";
    let irregular = "name = \"lab\"\nseed = 322249\n[dragonfly]\ncables = \"six-groups.csv\"\np = 2\na = 5\nh = 3\ng = 6\n";
    let many = "local (5,2)-(5,3)\nswitch (1,0)\nlocal (2,0)-(2,3)\n";
    for (fabric, set, dead) in [
        (small, "switches:3-3 with returns", "cable (0,0):0\n"),
        (small, "all", "cable (0,0):0\n"),
        (irregular, "shapes:011", many),
        (irregular, "switches:2-3", many),
    ] {
        let scratch = with_tables_of(&format!("{fabric}[routing]\nset = \"{set}\"\n"), dead);
        let run = scratch.tvlb("faults out --faults dead.txt -o update --json");
        assert!(run.code < 2, "{set}: {run}");
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(json["lost"]["sets"]["ugal-l"].as_u64() > Some(0), "{set}: {json}");
        scratch.succeeds("verify out --update update -q");
        scratch.succeeds("verify out --update update --changes-only -q");
    }
}

/// If faults leave a pair nothing but paths that need more channels than the sets do by the plan, the
/// numbers of the plan are not said without how many pairs that are. By the C library, booted with 4 and 2
/// channels, 44 pairs of nodes are unreachable, of which 36 have a dead end.
#[test]
fn pairs_that_need_more_channels_than_the_sets_are_counted() {
    let fabric = "name = \"lab\"\nseed = 756200\n[dragonfly]\ncables = \"four-groups.csv\"\np = 1\na = 5\nh = 2\n\
        g = 4\n[routing]\nset = \"shapes:011 by shape\"\n";
    let dead = "switch (3,2)\nswitch (2,2)\ncable (0,0):0\nlocal (3,1)-(3,4)\ncable (1,4):0\n";
    let scratch = with_tables_of(fabric, dead);
    let text = scratch.succeeds("faults out --faults dead.txt -o update");
    let said = |json: String| -> serde_json::Value { serde_json::from_str(&json).unwrap() };
    let made = said(scratch.succeeds("faults out --faults dead.txt -o again --json"));
    let whole = said(scratch.succeeds("verify out --update update --json"));
    let sampled = said(scratch.succeeds("verify out --update update --most-walks 1 --json"));
    let changes = said(scratch.succeeds("verify out --update update --changes-only --json"));
    for json in [&made, &whole, &sampled, &changes] {
        assert_eq!(json["channels-needed-by-sets"][0], serde_json::json!([4, 2]), "{json}");
        assert_eq!(json["pairs-that-need-more-channels"][0], 8, "{json}");
    }
    assert_eq!(made["lost"]["cut"], 0);
    let line = text.lines().find(|line| line.starts_with("channels")).unwrap();
    assert_snapshot!(line, @"channels  8 pairs by UGAL-L and 8 pairs by PAR have no path with the channels alone that the sets need by the plan, but have one with all");
    let certificate = scratch.succeeds("verify out --update update");
    let lines = certificate.lines().skip_while(|line| !line.starts_with("channels")).take(3);
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    channels      ordered: 5 of 5 in use on local links, 4 of 4 on global ones
                  fewest, local/global: MIN 4/2, VALg 3/2, VALn 4/3, UGAL-L 4/2, PAR 4/2
                  with these channels alone 8 pairs have no path by UGAL-L, and 8 none by PAR
    ");
    // Of the plan alone the numbers hold, and nothing is said of pairs.
    let plan = said(scratch.succeeds("verify out --json"));
    assert!(plan.get("pairs-that-need-more-channels").is_none(), "{plan}");
}

/// A cable of Slingshot is two links, and the name of the jack names both.
#[test]
fn a_jack_names_all_its_links() {
    let scratch = Scratch::new();
    planned_links(&scratch);
    scratch.succeeds("generate plan/fabric.toml -o out --set all -q");
    let dead = |list: &str, output: &str| {
        scratch.write("dead.txt", list);
        scratch.succeeds(&format!("faults out --faults dead.txt -o {output}"))
    };
    let by_jack = dead("cable x100c0r1j1\n", "jack");
    let by_ports = dead("cable x100c0r1j1p0\ncable x100c0r1j1p1\n", "ports");
    assert_eq!(by_jack.replace("jack,", "ports,"), by_ports);
    assert_snapshot!(by_jack.lines().next().unwrap(), @"dead      0 global links, 2 local links, 0 switches");
    assert_eq!(scratch.read("jack/update.json"), scratch.read("ports/update.json"));
    assert_snapshot!(String::from_utf8(scratch.read("jack/faults.txt")).unwrap(), @r"
    local (0,0)-(0,1):0 # x100c0r1j1p0-x100c0r3j1p0
    local (0,0)-(0,1):1 # x100c0r1j1p1-x100c0r3j1p1
    ");
    scratch.write("dead.txt", "cable x100c0r1j1\ncable x100c0r1j1p0\n");
    assert_snapshot!(scratch.refuses("faults out --faults dead.txt -o no"), @"tvlb: dead.txt: line 2: link 0 between switches 0 x100c0r1 and 1 x100c0r3 is dead by line 1 already; accepted is one line for each");
    scratch.write("dead.txt", "cable x100c0r1\n");
    assert_snapshot!(scratch.refuses("faults out --faults dead.txt -o no"), @r#"tvlb: dead.txt: line 1: "x100c0r1" is not a port or jack; accepted SWITCH:PORT or a name of the list of names"#);
}

/// A text that says what is live and was cut off says that most of a machine is dead.
#[test]
fn a_text_of_live_links_that_was_cut_off_is_warned_of() {
    let scratch = Scratch::new();
    let links = planned_links(&scratch);
    scratch.succeeds("generate plan/fabric.toml -o out --set all -q");
    scratch.write("live.txt", &links[0]);
    let run = scratch.tvlb("faults out --live live.txt -o update -q");
    assert_eq!(run.code, 0);
    assert_snapshot!(run.stderr, @"tvlb: warning: live.txt: 6 of 8 switches are dead by the links that it names; make sure that it names every link that is live before switches take this update");
}

/// A number that no switch could take is refused.
#[test]
fn the_first_number_is_one() {
    let error = with_list("").refuses("faults out --faults dead.txt -o update --epoch 0");
    assert!(error.contains("1..=4294967295"), "{error}");
}

#[test]
fn lists_that_cannot_be_used() {
    assert_snapshot!(refused("cable (3,1):2\n"), @"tvlb: dead.txt: line 1: group 3, switch 1, global port 2 has no cable in the plan");
    assert_snapshot!(refused("switch (9,0)\n"), @"tvlb: dead.txt: line 1: there is no switch 0 in group 9; groups are 0 to 8");
    assert_snapshot!(refused("cable (3,1):1\ncable (5,3):0\n"), @"tvlb: dead.txt: line 2: the cable at group 3, switch 1, global port 1 is dead by line 1 already; accepted is one line for each");
    assert_snapshot!(refused("link 3 4\n"), @r#"tvlb: dead.txt: line 1: found "link 3 4", accepted `cable (GROUP,SWITCH):PORT`, `local (GROUP,SWITCH)-(GROUP,SWITCH)`, `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, names of the list in their place, or `draining`"#);
    let scratch = Scratch::with_table_set();
    scratch.write("big.txt", vec![b'#'; (64 << 20) + 1]);
    assert_snapshot!(scratch.refuses("faults out --faults big.txt -o update"), @"tvlb: big.txt: cannot read it: found 67108865 bytes, accepted at most 67108864");
    assert_snapshot!(scratch.refuses("faults out --faults no.txt -o update"), @"tvlb: no.txt: cannot read it: No such file or directory (os error 2)");
    // Ten million lines end at the first part that is named twice.
    scratch.write("many.txt", "switch (0,0)\n".repeat(5_000_000));
    assert_snapshot!(scratch.refuses("faults out --faults many.txt -o update"), @"tvlb: many.txt: line 2: switch 0 is dead by line 1 already; accepted is one line for each");
}

#[test]
fn what_an_update_must_not_be_written_to() {
    let scratch = with_list("");
    let within = scratch.refuses("faults out --faults dead.txt -o out/update");
    assert!(within.contains("it is within the table set"), "{within}");
    fs::create_dir(scratch.path("full")).unwrap();
    scratch.write("full/file", "");
    assert_snapshot!(scratch.refuses("faults out --faults dead.txt -o full"), @"tvlb: full: exists and is not empty; give a directory that does not exist yet, or an empty one");
    assert_eq!(fs::read_dir(scratch.path("full")).unwrap().count(), 1);
}

/// An update in which one file was changed, and the record says that it is right so.
fn with_changed(file: &str, change: impl FnOnce(&mut Vec<u8>)) -> Scratch {
    let scratch = with_list("cable (3,1):1\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q");
    let path = format!("update/{file}");
    let mut bytes = scratch.read(&path);
    change(&mut bytes);
    scratch.write(&path, bytes);
    scratch
}

fn vouched(scratch: &Scratch, file: &str) {
    let mut record: UpdateRecord =
        serde_json::from_slice(&scratch.read("update/update.json")).unwrap();
    let entry = record.files.iter_mut().find(|entry| entry.path == file).unwrap();
    *entry = FileEntry::of(file.to_owned(), &scratch.read(&format!("update/{file}")));
    scratch.write("update/update.json", record.to_json());
}

#[test]
fn updates_that_are_not_as_they_were_written() {
    assert_snapshot!(finds(&with_changed("faults.tvlb", |bytes| bytes[22] ^= 1)), @"tvlb: update/faults.tvlb: its SHA-256 is [SHA-256], but the manifest says [SHA-256]; it is damaged or of another table set");
    let scratch = with_changed("faults.tvlb", |bytes| bytes[22] ^= 1);
    vouched(&scratch, "faults.tvlb");
    assert_snapshot!(finds(&scratch), @"tvlb: update/faults.tvlb: checksum at byte 28: found fd439004, but the bytes before it give 361f43a1; the image is damaged");
    let scratch = with_changed("faults.tvlb", |bytes| bytes.truncate(20));
    vouched(&scratch, "faults.tvlb");
    assert_snapshot!(finds(&scratch), @"tvlb: update/faults.tvlb: length at byte 16: the image says 32 bytes, but there are 20; it is truncated or has something appended");
    let scratch = with_changed("faults.txt", |_| {});
    scratch.write("update/notes.txt", "");
    assert_snapshot!(finds(&scratch), @"tvlb: update/notes.txt: the record of the update does not list it; an update holds nothing else");

    // Of another table set, another number, other counts.
    let edited = |from: &str, to: &str| {
        let scratch = with_changed("update.json", |bytes| {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{text}");
            *bytes = text.replacen(from, to, 1).into_bytes();
        });
        finds(&scratch)
    };
    assert_snapshot!(edited("\"epoch\": 1", "\"epoch\": 2"), @"tvlb: update/update.json: it says its number is 2, but the images say 1");
    assert_snapshot!(edited("\"cables\": 1", "\"cables\": 2"), @"tvlb: update/update.json: it says the number of dead cables is 2, but the images say 1");
    assert_snapshot!(edited("\"min\": 32", "\"min\": 31"), @"tvlb: update/update.json: it says the number of pairs without a minimal path is 31, but the images say 32");
    assert_snapshot!(edited("\"cut\": 0", "\"cut\": 3"), @"tvlb: update/update.json: it says the number of pairs that are cut off is 3, but the images say 0");
    assert_snapshot!(edited("tvlb update 1", "tvlb update 9"), @r#"tvlb: update/update.json: format is "tvlb update 9", accepted "tvlb update 1""#);
    assert_snapshot!(edited("\"manifest-sha256\": \"", "\"manifest-sha256\": \"0"), @r#"tvlb: update/update.json: manifest-sha256 is "[SHA-256]…", accepted "[SHA-256]", the hash of out/manifest.json: an update is of one table set"#);
    assert_snapshot!(edited("\"path\": \"faults.txt\"", "\"path\": \"../x\""), @r#"tvlb: update/update.json: files[1].path is "../x", accepted "faults.tvlb", "faults.txt" or a switch image's"#);
}

/// A switch image that says of a shape what is no longer so is found: that of the table set in the place
/// of the update's.
#[test]
fn an_image_that_knows_nothing_of_the_fault_is_found() {
    let scratch = with_list("cable (3,1):1\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q");
    let record: UpdateRecord = serde_json::from_slice(&scratch.read("update/update.json")).unwrap();
    let file = record.files.iter().find(|file| file.path.contains('/')).unwrap().path.clone();
    scratch.write(&format!("update/{file}"), scratch.read(&format!("out/{file}")));
    vouched(&scratch, &file);
    assert_snapshot!(finds(&scratch), @"tvlb: from switch 0 to switch 13, T-VLB path 0: the image of switch 0 says that there is a route of shape 110, but none is kept");
}

/// Kinds of groups, several cables between two of them, and sets of every way of drawing: what is looked at
/// of changes agrees with what is looked at of the whole.
#[test]
fn changes_are_verified_on_kinds_of_groups() {
    let fabric = "name = \"kinds\"\n[dragonfly]\ncables = \"cables.csv\"\n\
        [[dragonfly.kinds]]\nname = \"large\"\np = 2\na = 4\nh = 3\ng = 3\n\
        [[dragonfly.kinds]]\nname = \"small\"\np = 2\na = 2\nh = 4\ng = 2\n";
    let between = "large,large=4 large,small=2 small,small=2";
    for set in ["60% 4-hop by shape", "strategic-2-3 by shape", "switches:2-3", "all"] {
        let scratch = Scratch::with_text(fabric);
        let cables = cables_between(&scratch, between);
        scratch.write("cables.csv", cables);
        let made = format!("generate,fabric.toml,--set,{set},-o,out,-q");
        assert_eq!(scratch.tvlb_with(made.split(',')).code, 0);
        for (number, dead) in [
            "cable (0,1):0\n",
            "local (1,0)-(1,2)\nlocal (1,1)-(1,2)\nlocal (3,0)-(3,1)\n",
            "switch (2,1)\ncable (4,1):2\n",
            "local (0,0)-(0,1)\nswitch (0,3)\ncable (1,1):1\n",
        ]
        .iter()
        .enumerate()
        {
            scratch.write("dead.txt", dead);
            // It verifies its changes before it takes its name, and ends with 1 where a pair is cut off.
            let code = scratch.tvlb(&format!("faults out --faults dead.txt -o {number} -q")).code;
            assert!(code < 2, "{set}: {dead}");
            scratch.succeeds(&format!("verify out --update {number} -q"));
            scratch.succeeds(&format!("verify out --update {number} --changes-only -q"));
        }
    }
}

/// An image of the update of another table set, of the same fabric and faults, is found although it has
/// the right shapes; and an image that is as it should be for other faults.
#[test]
fn an_image_of_another_update_is_found() {
    let scratch = with_list("cable (3,1):1\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q");
    let set = "generate,fabric.toml,--set,all by shape,-o,other,-q";
    assert_eq!(scratch.tvlb_with(set.split(',')).code, 0);
    scratch.succeeds("faults other --faults dead.txt -o others-update -q");
    let record: UpdateRecord =
        serde_json::from_slice(&scratch.read("others-update/update.json")).unwrap();
    let file = record.files.last().unwrap().path.clone();
    scratch.write(&format!("update/{file}"), scratch.read(&format!("others-update/{file}")));
    vouched(&scratch, &file);
    let found = scratch.finds("verify out --update update --changes-only");
    assert_snapshot!(found, @"tvlb: update/switches/00035.tvlb: its sets are not as in the table set, but for what is dead an image changes only in the shapes that have routes left");
    scratch.finds("verify out --update update");

    // An image that is as it should be where more is dead.
    let scratch = with_list("cable (3,1):1\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q");
    scratch.write("worse.txt", "cable (3,1):1\nlocal (3,1)-(3,2)\n");
    scratch.succeeds("faults out --faults worse.txt -o worse -q");
    let (right, worse) = (scratch.read("update/update.json"), scratch.read("worse/update.json"));
    let [right, worse]: [UpdateRecord; 2] =
        [right, worse].map(|json| serde_json::from_slice(&json).unwrap());
    let mut differ = 0;
    for FileEntry { path, .. } in right.files.iter().filter(|file| file.path.contains('/')) {
        let (update, other) = (format!("update/{path}"), format!("worse/{path}"));
        let is_there = worse.files.iter().any(|file| file.path == *path);
        if !is_there || scratch.read(&update) == scratch.read(&other) {
            continue;
        }
        let kept = scratch.read(&update);
        scratch.write(&update, scratch.read(&other));
        vouched(&scratch, path);
        assert!(finds(&scratch).contains("there is no route of shape"), "{path}");
        scratch.write(&update, kept);
        vouched(&scratch, path);
        differ += 1;
        if differ == 3 {
            break;
        }
    }
    assert_eq!(differ, 3);
}

/// The links of the plan in `generator/import/tests/data`, each by the names of its ports.
fn planned_links(scratch: &Scratch) -> Vec<String> {
    scratch.write("plan.csv", include_str!("../../../import/tests/data/plan.csv"));
    scratch.write("one.txt", "x100c0r1j1p0-x100c0r3j1p0\n");
    scratch.succeeds_with_warnings("import slingshot plan.csv -o plan --live one.txt");
    let down = String::from_utf8(scratch.read("plan/down.txt")).unwrap();
    let links = down.lines().map(|line| line.split_once("# ").unwrap().1.to_owned());
    links.chain(["x100c0r1j1p0-x100c0r3j1p0".to_owned()]).collect()
}

/// A text of `ibnetdiscover` is known by its records, whatever stands before the first of them.
#[test]
fn live_links_of_ibnetdiscover_may_have_headings() {
    let scratch = Scratch::new();
    let plain = include_str!("../../../import/tests/data/fabric.txt");
    scratch.write("fabric.txt", plain);
    let import = ["import", "ibnetdiscover", "fabric.txt", "-o", "plan", "--groups", "^(g[0-9]+)-"];
    assert_eq!(scratch.tvlb_with(import).code, 0);
    scratch.succeeds("generate plan/fabric.toml -o out --set all -q");
    scratch.write("live.txt", plain.replacen("vendid", "Non-Chassis Nodes\n\nvendid", 1));
    let printed = scratch.succeeds("faults out --live live.txt -o update");
    assert!(
        printed.starts_with("dead      0 global links, 0 local links, 0 switches\n"),
        "{printed}"
    );
    scratch
        .write("live.txt", format!("src/query_smp.c:239; umad (DR path) bad status 110\n{plain}"));
    let refused = scratch.refuses("faults out --live live.txt -o other");
    assert!(
        refused.starts_with("tvlb: live.txt: line 1: found \"src/query_smp.c:239;"),
        "{refused}"
    );
}

#[test]
fn live_links_say_what_is_dead() {
    let scratch = Scratch::new();
    let links = planned_links(&scratch);
    scratch.succeeds("generate plan/fabric.toml -o out --set all -q");
    // All but one of two parallel local links and a cable are live, some written with dots, and some more
    // text is around them.
    let is_dead = |link: &&String| [links[1].as_str(), links[20].as_str()].contains(&link.as_str());
    let live: Vec<_> = links.iter().filter(|link| !is_dead(link)).map(String::as_str).collect();
    scratch.write("live.txt", live.join(" UP, ").replace("c0r1j", ".c0.r1.j"));
    let printed = scratch.succeeds("faults out --live live.txt --planned plan.csv -o update");
    assert!(
        printed.starts_with("dead      1 global link, 1 local link, 0 switches\n"),
        "{printed}"
    );
    scratch.succeeds_with_warnings("import slingshot plan.csv -o again --live live.txt");
    scratch.succeeds("faults out --faults again/down.txt -o other -q");
    for file in ["faults.tvlb", "faults.txt", "update.json"] {
        let [one, other] = ["update", "other"].map(|of| scratch.read(&format!("{of}/{file}")));
        assert_eq!(one, other, "{file}");
    }
    // A switch of which no link is live is dead, and its links are not named.
    let live: Vec<_> = links.iter().filter(|link| !link.contains("x102c0r3j")).cloned().collect();
    scratch.write("live.txt", live.join("\n"));
    scratch.tvlb("faults out --live live.txt -o without -q");
    assert_eq!(
        String::from_utf8(scratch.read("without/faults.txt")).unwrap(),
        "switch (1,1) # x102c0r3\n"
    );

    let refused = |live: &str| {
        scratch.write("live.txt", live);
        scratch.refuses("faults out --live live.txt --planned plan.csv -o no")
    };
    assert_snapshot!(refused("x100c0r1j1p0-x100c0r3j1p1"), @r"
    tvlb: live.txt: 1 thing is not as planned; nothing was made of it:
      a cable joins x100c0r1j1p0 and x100c0r3j1p1; by the plan the first leads to x100c0r3j1p0, the second to x100c0r1j1p1
    ");
    assert_snapshot!(refused("x100c0r1j9p0-x900c0r3j1p1"), @"tvlb: live.txt: it names the link x100c0r1j9p0-x900c0r3j1p1, but the list of names has no port x100c0r1j9p0");
    assert_snapshot!(refused("all is well"), @"tvlb: live.txt: found no link, accepted a text that names every live link as in x1000c0r1j5p0-x1000c0r3j6p0");
    let plan = String::from_utf8(scratch.read("plan.csv")).unwrap();
    let without: Vec<&str> = plan.lines().filter(|line| !line.contains("x100c0r3j21")).collect();
    assert_ne!(without.len(), plan.lines().count());
    scratch.write("less.csv", without.join("\n"));
    scratch.write("live.txt", &links[0]);
    assert_snapshot!(scratch.refuses("faults out --live live.txt --planned less.csv -o no"), @"tvlb: less.csv: the table set is of another plan: it has cable (0,1):0, and 1 more, which this one does not name; accepted is the plan that the fabric file was made of");
    assert_snapshot!(scratch.refuses("faults out --live live.txt --faults x -o no"), @"
    tvlb: the argument '--live <LINKS>' cannot be used with '--faults <LIST>'

    Usage: tvlb faults --output <DIR> --live <LINKS> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(scratch.refuses("faults out -o no"), @"
    tvlb: the following required arguments were not provided:
      --faults <LIST>

    Usage: tvlb faults --output <DIR> --faults <LIST> <DIRECTORY>

    For more information, try '--help'.
    ");
    let nameless = with_list("");
    nameless.write("live.txt", &links[0]);
    assert_snapshot!(nameless.refuses("faults out --live live.txt -o no"), @"tvlb: live.txt: group 0, switch 0, local port 1 0 has no name in the list of names, by which links are held against the plan; accepted is a list of names with a name for every port that has a link");
    assert!(!scratch.path("no").exists() && !nameless.path("no").exists());
}

#[test]
fn live_links_of_infiniband() {
    let scratch = Scratch::new();
    let planned = include_str!("../../../import/tests/data/fabric.txt");
    scratch.write("planned.txt", planned);
    scratch.succeeds("import ibnetdiscover planned.txt -o plan");
    scratch.succeeds("generate plan/fabric.toml -o out --set all -q");
    // Both ends of a link are missing.
    let ends = ["[5]\t\"S-b8cef60300000130\"[6]", "[6]\t\"S-b8cef60300000100\"[5]"];
    let left: Vec<_> =
        planned.lines().filter(|line| !ends.iter().any(|end| line.starts_with(end))).collect();
    assert_eq!(left.len() + 2, planned.lines().count());
    scratch.write("live.txt", left.join("\n"));
    scratch.succeeds("faults out --live live.txt --planned planned.txt -o update -q");
    let list = String::from_utf8(scratch.read("update/faults.txt")).unwrap();
    assert_eq!(list, "cable (0,0):0 # g0-sw00[5]-g1-sw00[6]\n");
    let names = String::from_utf8(scratch.read("out/names.csv")).unwrap();
    assert!(names.contains("\n0,0,global 0,g0-sw00[5],5\n"), "{names}");
}

/// The commands that read a fabric file show what lives of it.
#[test]
fn a_fabric_without_what_is_dead() {
    let scratch = with_list("cable (3,1):1\nlocal (0,0)-(0,2)\n");
    let topology = scratch.succeeds("topology fabric.toml --faults dead.txt --json");
    let topology: serde_json::Value = serde_json::from_str(&topology).unwrap();
    assert_eq!(topology["pairs_without_local_link"], 1);
    assert_eq!(topology["global_cables"], 35);
    let pair = "paths fabric.toml --from 13 --to 20 --json";
    let paths = |options: &str| -> serde_json::Value {
        serde_json::from_str(&scratch.succeeds(&format!("{pair} {options}"))).unwrap()
    };
    assert_ne!(paths(""), paths("--faults dead.txt"));
    let load = scratch.succeeds("load fabric.toml --set min --faults dead.txt");
    assert!(load.contains("% of what all nodes send has no path and is in no load\n"), "{load}");
    let whole = scratch.succeeds("load fabric.toml --set min");
    assert!(!whole.contains("has no path"), "{whole}");
    scratch.write("dead.txt", "cable (3,1):9\n");
    for command in ["topology fabric.toml", pair, "load fabric.toml", "model fabric.toml"] {
        let error = scratch.refuses(&format!("{command} --faults dead.txt"));
        assert!(error.starts_with("tvlb: dead.txt: line 1: group 3, switch 1, global port 9 has"));
    }
}

/// The model loses what is dead, and what dead switches would send and receive.
#[test]
fn a_model_without_what_is_dead() {
    let scratch = with_list("switch (3,1)\ncable (0,0):0\n");
    let model = "model fabric.toml --patterns shift(2,1) --set all --quiet";
    let json = |options: &str| -> serde_json::Value {
        serde_json::from_str(&scratch.succeeds(&format!("{model} {options} --json"))).unwrap()
    };
    let (planned, left) = (json(""), json("--faults dead.txt"));
    assert!(planned.get("dead").is_none());
    assert_eq!(left["dead"], serde_json::json!(["switch (3,1)", "cable (0,0):0"]));
    let value = |report: &serde_json::Value| report["sets"][0]["throughput"]["value"].clone();
    assert!(value(&left).as_f64().unwrap() < value(&planned).as_f64().unwrap());
    let text = scratch.succeeds(&format!("{model} --faults dead.txt"));
    assert!(text.contains("\ndead     switch (3,1) and 1 more\nbound "), "{text}");

    // Groups 0 and 1 have lost their only cable, and not every set has a path over another group.
    let error = scratch.refuses(
        "model fabric.toml --patterns shift(1,0) --set shapes:000 --faults dead.txt --quiet",
    );
    assert_snapshot!(error, @r#"tvlb: no path leads from switch 0 (group 0, switch 0) to switch 4 (group 1, switch 0), which shift(1,0) needs: there is no MIN path, and the set "shapes:000" has no VLB path between them"#);

    // What was kept of the plan is not used.
    scratch.succeeds(&format!("{model} --state state"));
    let error = scratch.refuses(&format!("{model} --state state --faults dead.txt"));
    assert!(error.starts_with("tvlb: state: "), "{error}");
}

/// Commands that take no list say what does.
#[test]
fn a_list_for_a_command_that_takes_none() {
    let scratch = with_list("");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o new --faults dead.txt"), @"
    tvlb: unexpected argument '--faults' found

      tip: tables are made of the plan, whatever is dead, and stay; generate them without --faults, and `tvlb faults DIR --faults LIST -o UPDATE` makes what switches install besides

    Usage: tvlb generate --output <DIR> --fast <FABRIC>

    For more information, try '--help'.
    ");
    let error = scratch.refuses("simulate out --faults dead.txt");
    assert!(error.contains("\n  tip: --faults-at CYCLE:LIST says "), "{error}");
}

/// What is wrong with the update, in which looking at its changes alone finds something, too.
fn finds(scratch: &Scratch) -> String {
    let whole = scratch.finds("verify out --update update");
    assert_eq!(scratch.finds("verify out --update update --changes-only"), whole);
    without_hashes(&whole)
}

fn without_hashes(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
        shown += if digits.len() >= 64 { "[SHA-256]" } else { digits };
        shown += &word[digits.len()..];
    }
    shown
}
