//! What a machine calls its parts stands beside their numbers, wherever a command says one.

use crate::damage::{edit_manifest, vouch_for};
use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::fmt::Write;
use tvlb_schema::{
    Decision, Dragonfly, FabricImage, GroupKind, PerDecision, SetContents, ShapeSet,
    SwitchContents, SwitchId, SwitchImage, encode_switch_image,
};
use tvlb_table_set::FileEntry;

const FABRIC: &str = "name = \"named\"\n[dragonfly]\nnames = \"names.csv\"\ncables = \"cables.csv\"\n\
    [[dragonfly.kinds]]\nname = \"compute\"\np = 2\na = 3\nh = 2\ng = 3\n\
    [[dragonfly.kinds]]\nname = \"storage\"\np = 1\na = 2\nh = 2\ng = 1\n\
    [routing]\nset = \"all by shape\"\n";

fn df() -> Dragonfly {
    let kind = |p, a, g| GroupKind::new(p, a, 2, g);
    Dragonfly::of_kinds(&[kind(2, 3, 3), kind(1, 2, 1)]).unwrap()
}

/// A name for every group, switch and port; those of switches have what HTML and CSV must quote.
fn names() -> String {
    let df = df();
    let mut csv = "group,switch,port,name,physical\n".to_owned();
    for group in df.groups() {
        writeln!(csv, "{group},,,row {group},").unwrap();
        for index in df.indices(group) {
            writeln!(csv, "{group},{index},,\"r{group}<{index}>\"\"\",").unwrap();
            let kind = df.kind_of(group);
            for slot in 0..kind.h {
                writeln!(csv, "{group},{index},global {slot},r{group}s{index}g{slot},").unwrap();
            }
            for node in 0..kind.p {
                writeln!(csv, "{group},{index},node {node},r{group}s{index}n{node},").unwrap();
            }
            for other in df.indices(group).filter(|&other| other != index) {
                writeln!(csv, "{group},{index},local {other} 0,r{group}s{index}l{other},").unwrap();
            }
        }
    }
    csv
}

const HEADER: &str = "from_group,from_switch,from_port,to_group,to_switch,to_port\n";

fn cables() -> String {
    let rows = [
        "0,0,0,1,0,0",
        "0,0,1,1,1,0",
        "0,1,0,2,0,0",
        "0,1,1,2,1,0",
        "0,2,0,3,0,0",
        "1,0,1,2,0,1",
        "1,1,1,2,2,0",
        "1,2,0,3,0,1",
        "2,1,1,3,1,0",
    ];
    format!("{HEADER}{}\n", rows.join("\n"))
}

/// A fabric of two kinds of groups with names, and its table set.
fn named() -> Scratch {
    let scratch = Scratch::with_text(FABRIC);
    scratch.write("names.csv", names());
    scratch.write("cables.csv", cables());
    scratch.succeeds("generate fabric.toml -o out");
    scratch
}

#[test]
fn a_pair_and_its_paths() {
    let scratch = named();
    assert_snapshot!("names_inspect", scratch.succeeds("inspect out --from 4 --to 9 --list"));
    let json = scratch.succeeds("inspect out --from 4 --to 9 --json");
    assert!(json.contains("\"4\": \"r1<1>\\\"\""), "{json}");
    let json = scratch.succeeds("inspect out --switch 9 --json");
    assert!(json.contains("\"switch-name\": \"r0<2>\\\"\""), "{json}");
    assert_snapshot!("names_paths", scratch.succeeds("paths fabric.toml --from 4 --to 9 --list"));
    let value = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&scratch.succeeds(arguments)).unwrap()
    };
    // Without a list the two ends are named, and else all switches that a path visits.
    let counts = value("paths fabric.toml --from 4 --to 9 --json");
    assert_eq!(counts["names"], serde_json::json!({ "4": "r1<1>\"", "9": "r3<0>\"" }));
    let drawn =
        ["paths", "fabric.toml", "--from", "4", "--to", "9", "--set", "all by shape", "--json"];
    let drawn: serde_json::Value = serde_json::from_str(&scratch.tvlb_with(drawn).stdout).unwrap();
    let paths = [&drawn["min"], &drawn["vlb"]].into_iter().flat_map(|p| p.as_array().unwrap());
    let mut visited = 0;
    for switch in paths.flat_map(|path| path["switches"].as_array().unwrap()) {
        let place = df().place(SwitchId(u16::try_from(switch.as_u64().unwrap()).unwrap()));
        let name = &drawn["names"][switch.to_string()];
        assert_eq!(name.as_str().unwrap(), format!("r{}<{}>\"", place.0, place.1));
        visited += 1;
    }
    assert!(visited > 20, "{drawn}");
    let all = ["paths", "fabric.toml", "--all", "--set", "all by shape", "--json"];
    let all = scratch.tvlb_with(all).stdout;
    assert!(all.lines().count() == 110 && all.lines().all(|line| line.contains("\"names\":{")));
}

#[test]
fn a_wiring_and_the_work_of_a_draw() {
    let scratch = named();
    let topology = scratch.succeeds("topology fabric.toml");
    assert_snapshot!("names_topology", topology);
    let printed = scratch.succeeds("generate fabric.toml -o out --replace");
    let work = printed.lines().find(|line| line.contains("looks at cells")).unwrap();
    assert!(work.contains(", from switch ") && work.contains(" to switch "), "{work}");
    assert_eq!(work.matches(">\"").count(), 2, "{work}");
}

#[test]
fn pictures_of_a_wiring() {
    let scratch = named();
    let groups = scratch.succeeds("topology fabric.toml --format dot");
    assert!(groups.contains("  group_3 [label=\"3 row 3\"];\n"), "{groups}");
    let switches = scratch.succeeds("topology fabric.toml --format dot-switches");
    for line in [
        "    label=\"group 3 row 3\";\n",
        "    switch_4 [label=\"1 r1<1>\\\"\"];\n",
        "  switch_0 -- switch_3 [taillabel=\"0 r0s0g0\", headlabel=\"0 r1s0g0\"];\n",
    ] {
        assert!(switches.contains(line), "{line}{switches}");
    }
    // A backslash begins an escape in a label, and a name has none.
    scratch.write("names.csv", "group,switch,port,name,physical\n0,,,a\\N,\n");
    let groups = scratch.succeeds("topology fabric.toml --format dot");
    assert!(groups.contains("  group_0 [label=\"0 a\\\\N\"];\n"), "{groups}");
    assert!(groups.contains("  group_1 [label=\"1\"];\n"), "{groups}");
}

#[test]
fn exports_and_what_they_refuse() {
    let scratch = named();
    let slurm = scratch.succeeds("topology fabric.toml --format slurm");
    for lines in [
        "# switch-4: r1<1>\"\nSwitchName=switch-4 Nodes=r1s1n[0-1]\n",
        "# group-3: row 3\nSwitchName=group-3 Switches=switch-[9-10]\n",
    ] {
        assert!(slurm.contains(lines), "{lines}{slurm}");
    }
    let refused = |format: &str| {
        let error =
            scratch.refuses(&format!("topology fabric.toml --format {format} -o for-{format}"));
        let said =
            error.split_once("; accepted").map_or(error.clone(), |(said, _)| said.to_owned());
        said.strip_prefix("tvlb: cables.csv: ").unwrap().trim_end().to_owned()
    };
    for format in ["CODES", "merlin"] {
        assert_eq!(
            refused(&format.to_lowercase()),
            format!(
                "{format} describes one group and repeats it, but group 0 row 0 has 3 switches of 2 \
                 nodes and group 3 row 3 has 2 switches of 1 node"
            )
        );
    }
    // Two cables between two switches.
    let parallel = cables().replace("0,0,1,1,1,0\n", "0,0,1,1,0,1\n").replace("1,0,1,2,0,1\n", "");
    scratch.write("cables.csv", parallel);
    assert_eq!(
        refused("anynet"),
        "BookSim2's anynet keeps one channel between two routers, but switches 0 r0<0>\" and 3 \
         r1<0>\" share 2 links"
    );
    // Groups that are alike, of three switches.
    let alike = "name = \"alike\"\n[dragonfly]\np = 2\na = 3\nh = 2\ng = 3\n\
        names = \"names.csv\"\ncables = \"cables.csv\"\n";
    scratch.write("fabric.toml", alike);
    let named =
        names().lines().filter(|line| !line.starts_with('3')).collect::<Vec<_>>().join("\n");
    scratch.write("names.csv", named);
    let wired =
        |rows: &[&str]| scratch.write("cables.csv", format!("{HEADER}{}\n", rows.join("\n")));
    wired(&["0,0,0,1,0,0", "0,0,1,1,1,0", "0,1,0,2,0,0", "1,0,1,2,1,0"]);
    assert_eq!(
        refused("merlin"),
        "merlin joins every two groups by the same number of links, but groups 0 row 0 and 2 row 2 \
         share 1 and groups 0 row 0 and 1 row 1 share 2"
    );
    wired(&["0,0,0,1,1,0", "0,1,0,2,1,0", "1,0,0,2,0,0"]);
    let refused = refused("merlin");
    assert!(
        refused.starts_with(
            "merlin wires all groups by one global_link_map, but none says these cables: in the reading \
             `absolute` group 0, switch 0 r0<0>\", global port 0 r0s0g0 leads to group 1 row 1, \
             destination 0 of the map, while group 1, switch 0 r1<0>\", global port 0 r1s0g0 leads to \
             group 2 row 2, destination 1 of the map; in the reading `relative` "
        ),
        "{refused}"
    );
    // Two switches of a group without a link.
    let links = ["1,0,local,1,1,local", "1,1,local,1,2,local"];
    wired(&["0,0,0,1,0,0", "0,1,0,2,0,0", "1,1,0,2,1,0", links[0], links[1]]);
    for (format, program) in [("codes", "CODES"), ("merlin", "merlin")] {
        let error = scratch.refuses(&format!("topology fabric.toml --format {format} -o x"));
        let said = format!(
            "{program} joins every two switches of a group by one link, but switches 3 r1<0>\" and 5 \
             r1<2>\" share 0"
        );
        assert!(error.contains(&said), "{error}");
    }
}

/// The names, with a number for each port of switch 4: 40 and up, but for its last.
fn numbered() -> Scratch {
    let scratch = Scratch::with_text(FABRIC);
    scratch.write("names.csv", with_numbers(40));
    scratch.write("cables.csv", cables());
    scratch.succeeds("generate fabric.toml -o out");
    scratch
}

fn with_numbers(mut number: u8) -> String {
    let mut rows: Vec<String> = names().lines().map(str::to_owned).collect();
    for row in rows.iter_mut().filter(|row| row.starts_with("1,1,") && !row.starts_with("1,1,,")) {
        write!(row, "{number}").unwrap();
        number += 1;
    }
    rows.join("\n").replace("1,1,local 2 0,r1s1l2,45", "1,1,local 2 0,r1s1l2,") + "\n"
}

#[test]
fn physical_numbers_are_in_the_images() {
    let scratch = numbered();
    let printed = scratch.succeeds("inspect out --switch 4");
    let ports: Vec<&str> = printed.lines().filter(|line| line.contains("; by r1s1")).collect();
    assert_snapshot!(ports.join("\n"), @r#"
    0  node 8; by r1s1n0, physical port 42
    1  node 9; by r1s1n1, physical port 43
    2  group 1, switch 0 r1<0>"; by r1s1l0, physical port 44
    3  group 1, switch 2 r1<2>"; by r1s1l2
    4  group 0, switch 0 r0<0>", global port 1; by r1s1g0, physical port 40
    5  group 2, switch 2 r2<2>", global port 0; by r1s1g1, physical port 41
    "#);
    let json = scratch.succeeds("inspect out --switch 4 --json");
    assert_eq!(json.matches("\"physical\"").count(), 5, "{json}");
    // Other switches have no map, and their images are those of the fabric without numbers.
    let without = named();
    for (switch, is_same) in [(3, true), (4, false), (9, true)] {
        let file = format!("out/switches/{switch:05}.tvlb");
        assert_eq!(scratch.read(&file) == without.read(&file), is_same, "{switch}");
    }
    scratch.succeeds("verify out");
    // An update makes switches' images again, with their maps.
    scratch.write("dead.txt", "cable (1,1):1\n");
    scratch.succeeds("faults out --faults dead.txt -o update");
    scratch.succeeds("verify out --update update");
    let with_update = scratch.succeeds("inspect out --update update --switch 4 --json");
    assert!(with_update.contains("\"dead\": true"), "{with_update}");
    assert_eq!(with_update.matches("\"physical\"").count(), 5, "{with_update}");
    // Which switch each file of the update is for.
    let replaced = scratch.succeeds("inspect out --update update");
    assert!(replaced.contains("4 r1<1>\""), "{replaced}");
    for (arguments, count) in
        [("inspect out --json", 11), ("inspect out --update update --json", 0)]
    {
        let json: serde_json::Value = serde_json::from_str(&scratch.succeeds(arguments)).unwrap();
        let names = json["switch-names"].as_object().unwrap();
        assert_eq!(names["4"], "r1<1>\"", "{arguments}");
        assert!(count == 0 || names.len() == count, "{arguments}: {names:?}");
    }
    assert!(scratch.path("update/switches/00004.tvlb").exists());
    // A list of other numbers beside the images.
    scratch.write("out/names.csv", with_numbers(60));
    edit_manifest(&scratch, |manifest| {
        let list = with_numbers(60);
        manifest.names = Some(FileEntry::of("names.csv".to_owned(), list.as_bytes()));
    });
    assert_snapshot!(scratch.finds("verify out"), @"tvlb: out/switches/00004.tvlb: the physical number of port 0 is 42, but by names.csv it is 62");
}

/// An image of switch 4 whose table of shapes lies.
fn lie(scratch: &Scratch) {
    let file = "switches/00004.tvlb";
    let fabric = scratch.read("out/fabric.tvlb");
    let image = scratch.read(&format!("out/{file}"));
    let fabric = FabricImage::decode(&fabric).unwrap();
    let image = SwitchImage::decode(&image, &fabric).unwrap();
    let set = image.set(Decision::UgalL);
    let mut shapes_to: Vec<ShapeSet> = (0..12).map(|to| set.shapes_to(SwitchId(to))).collect();
    shapes_to[9] = ShapeSet::EMPTY;
    let contents = SwitchContents {
        switch: SwitchId(4),
        virtual_channels: image.virtual_channels(),
        decisions: PerDecision::same((0, tvlb_schema::Weighing::default())),
        second_min: image.second_min(),
        sets: vec![SetContents { rule: *set.rule(), levels: Vec::new(), shapes_to }],
        physical_numbers: Vec::new(),
    };
    scratch.write(&format!("out/{file}"), encode_switch_image(&fabric, &contents));
    vouch_for(scratch, file);
}

#[test]
fn what_verify_finds() {
    let scratch = named();
    scratch.succeeds("verify out --fabric fabric.toml");
    // Cables that lead elsewhere than was planned.
    let crossed = cables().replace("0,0,0,1,0,0\n0,0,1,1,1,0\n", "0,0,0,1,1,0\n0,0,1,1,0,0\n");
    scratch.write("cables.csv", crossed);
    assert_snapshot!("names_planned", scratch.finds("verify out --fabric fabric.toml"));
    // A pair of switches, in words and as JSON.
    lie(&scratch);
    let finding = scratch.finds("verify out");
    assert!(
        finding
            .starts_with("tvlb: from switch 4 r1<1>\" to switch 9 r3<0>\", T-VLB path 4 r1<1>\": "),
        "{finding}"
    );
    let run = scratch.tvlb("verify out --json");
    let values: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(values["finding"].as_str().unwrap().starts_with("from switch 4 r1<1>\" to switch 9 "));
    let switches = serde_json::json!([
        { "switch": 4, "name": "r1<1>\"" },
        { "switch": 9, "name": "r3<0>\"" }
    ]);
    assert_eq!(values["switches"], switches);
    // An image in the place of another.
    let other = scratch.read("out/switches/00005.tvlb");
    scratch.write("out/switches/00004.tvlb", &other);
    vouch_for(&scratch, "switches/00004.tvlb");
    assert_eq!(
        scratch.finds("verify out"),
        "tvlb: out/switches/00004.tvlb: it is the image of switch 5 r1<2>\", but by its name it is \
         that of 4 r1<1>\"\n"
    );
    assert_eq!(
        scratch.refuses("simulate out --load 0.1"),
        "tvlb: out/switches/00004.tvlb: switch 4 r1<1>\": found the image of switch 5 r1<2>\"\n"
    );
}

#[test]
fn a_list_of_names_that_is_not_one_is_found() {
    let scratch = named();
    let text = names().replace("0,0,,", "0,0,node 9,");
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let entry = tvlb_table_set::FileEntry::of("names.csv".to_owned(), text.as_bytes());
    manifest["names"] = serde_json::to_value(entry).unwrap();
    scratch.write("out/names.csv", &text);
    scratch.write("out/manifest.json", serde_json::to_string_pretty(&manifest).unwrap() + "\n");
    crate::damage::reseal(&scratch);
    let finding = scratch.finds("verify out");
    assert!(finding.starts_with("tvlb: out/names.csv: line 3: port is \"node 9\""), "{finding}");
    let refused = scratch.refuses("diff out out");
    assert!(refused.starts_with("tvlb: out/names.csv: line 3: port is \"node 9\""), "{refused}");
}

#[test]
fn what_changed() {
    let scratch = named();
    let crossed = cables().replace("0,0,0,1,0,0\n0,0,1,1,1,0\n", "0,0,0,1,1,0\n0,0,1,1,0,0\n");
    scratch.write("cables.csv", crossed);
    scratch.succeeds("generate fabric.toml -o new");
    let words = scratch.differs("diff out new");
    // The wiring, and not the bytes of images.
    let shown: Vec<&str> = words.lines().filter(|line| line.contains("global port ")).collect();
    assert_snapshot!(shown.join("\n"), @r#"
               - (0,0) r0<0>" global port 0 r0s0g0 = (1,0) r1<0>" global port 0 r1s0g0
               - (0,0) r0<0>" global port 1 r0s0g1 = (1,1) r1<1>" global port 0 r1s1g0
               + (0,0) r0<0>" global port 0 r0s0g0 = (1,1) r1<1>" global port 0 r1s1g0
               + (0,0) r0<0>" global port 1 r0s0g1 = (1,0) r1<0>" global port 0 r1s0g0
    "#);
    assert!(words.contains("  bytes (differ)  destin"), "{words}");
    assert!(words.contains("\n0 r0<0>\" ") && words.contains("\n10 r3<1>\""), "{words}");
    let values: serde_json::Value =
        serde_json::from_str(&scratch.differs("diff out new --json")).unwrap();
    assert_eq!(
        values["names-of-cables-gone"][0],
        serde_json::json!([
            { "switch": "r0<0>\"", "port": "r0s0g0" },
            { "switch": "r1<0>\"", "port": "r1s0g0" }
        ])
    );
    assert_eq!(values["switches"][0]["name"], "r0<0>\"");
    let rise = &values["modes"][0]["global"]["largest-rise"];
    assert!(rise.is_null() || rise["port-name"].is_string(), "{rise}");
    // What generating again would change is said so too.
    let checked = scratch.differs("generate fabric.toml --check out");
    assert!(checked.contains("(0,0) r0<0>\" global port 0 r0s0g0 = (1,0)"), "{checked}");
}

#[test]
fn a_number_in_a_gap_is_called_that() {
    let scratch = named();
    for (pairs, said) in [
        ("0,19", "19; group 3, to which the number falls, has the nodes 18, 20"),
        ("0,21", "21; the last node is 20"),
    ] {
        scratch.write("pairs.csv", format!("source-node,destination-node\n{pairs}\n"));
        assert_eq!(
            scratch.refuses("simulate out --traffic flows:pairs.csv"),
            format!("tvlb: pairs.csv: line 2: there is no node {said}\n")
        );
    }
}

#[test]
fn a_simulation() {
    let scratch = named();
    let json = "simulate out --load 0.1 --window 200 -q --links links.csv --json";
    let values: serde_json::Value = serde_json::from_str(&scratch.succeeds(json)).unwrap();
    let busiest = values["curve"][0]["runs"][0]["global-links"]["busiest"].as_str().unwrap();
    assert!(busiest.contains(">\", port ") && busiest.contains(" by r"), "{busiest}");
    let links = String::from_utf8(scratch.read("links.csv")).unwrap();
    for link in [
        "\"local link from group 0, switch 0 r0<0>\"\" to switch 1 r0<1>\"\" by r0s0l1\",",
        "\"global link from group 0, switch 0 r0<0>\"\", port 0 to group 1, switch 0 r1<0>\"\", \
         port 0 by r0s0g0\",",
    ] {
        assert!(links.contains(link), "{links}");
    }
}

#[test]
fn the_report() {
    let scratch = named();
    let report = String::from_utf8(scratch.read("out/report.html")).unwrap();
    for shown in [
        // The picture of the groups, and that of group 0.
        "<title>groups 0 row 0 and 1 row 1: 2 links</title>",
        "<title>group 3 row 3</title>",
        "<title>switch 0 r0&lt;0&gt;&quot;, global port 0: to group 1, switch 0 r1&lt;0&gt;&quot;</title>",
        "Where the ports of group 2 row 2 lead",
        "<td>2.0 r2&lt;0&gt;&quot;, 2.1 r2&lt;1&gt;&quot;</td>",
        // Unused ports, the busiest links, and the maps of loads.
        "which leads",
        "<title>group 0 row 0, group 1 row 1: ",
        "<title>group 3 row 3, switch 1 r3&lt;1&gt;&quot;: ",
    ] {
        assert!(report.contains(shown), "{shown}");
    }
    assert!(!report.contains("r0<0>"), "a name that HTML would take for a tag");
}

/// Wherever a switch or a node is named, on the command line or in a file, its name will do.
#[test]
fn names_stand_for_numbers() {
    let scratch = named();
    for (numbered, named) in [
        ("inspect out --switch 4", "inspect out --switch r1<1>\""),
        ("inspect out --switch 4", "inspect out --switch (1,1)"),
        ("inspect out --from 4 --to 9", "inspect out --from r1<1>\" --to r3<0>\""),
        ("paths fabric.toml --from 4 --to 9", "paths fabric.toml --from r1<1>\" --to (3,0)"),
        (
            "sets routes out --decision ugal-l --from 4 --to 9",
            "sets routes out --decision ugal-l --from r1<1>\" --to r3<0>\"",
        ),
    ] {
        assert_eq!(scratch.succeeds(named), scratch.succeeds(numbered), "{named}");
    }
    for (arguments, said) in [
        (
            "inspect out --switch r1<4>\"",
            "--switch: \"r1<4>\\\"\" is not a switch; accepted a number, ",
        ),
        ("inspect out --switch r1<4>\"", "or a name of the list of names (did you mean \"r1<"),
        (
            "paths fabric.toml --from 99 --to 0",
            "--from: there is no switch 99; switches are 0 to 10",
        ),
        ("sets routes out --decision par-source --to -1", "--to: \"-1\" is not a switch"),
        (
            "sweep fabric.toml --axis routing=ofar --axis escape=tree --axis escape-root=r9",
            "\"r9\" is not",
        ),
    ] {
        let error = scratch.refuses(arguments);
        assert!(error.contains(said), "{arguments}: {error}");
    }
}

#[test]
fn lists_of_nodes_take_names() {
    let scratch = named();
    let nodes: Vec<String> = df()
        .nodes()
        .map(|node| {
            let (switch, terminal) = df().switch_of(node);
            let (group, index) = df().place(switch);
            format!("r{group}s{index}n{terminal}")
        })
        .collect();
    let numbers: Vec<String> = df().nodes().map(|node| node.to_string()).collect();
    let reversed = |nodes: &[String]| nodes.iter().rev().cloned().collect::<Vec<_>>().join("\n");
    scratch.write("nodes.txt", reversed(&numbers));
    scratch.write("names.txt", reversed(&nodes));
    scratch.write("flows.csv", "source-node,destination-node,demand\n0,20,1\n5,7,2\n");
    scratch.write(
        "flow-names.csv",
        "source-node,destination-node,demand\nr0s0n0,r3s1n0,1\nr0s2n1,r1s0n1,2\n",
    );
    scratch.write("dead.txt", "switch (1,1)\nlocal (0,0)-(0,1)\n");
    scratch.write("dead-names.txt", "switch r1<1>\" # gone\nlocal r0<0>\" r0<1>\"\n");
    for (numbered, named) in [
        ("place fabric.toml --jobs 5 --with listed:nodes.txt", "listed:names.txt"),
        (
            "load fabric.toml --traffic complement --place listed:nodes.txt --json",
            "listed:names.txt",
        ),
        ("load fabric.toml --traffic flows:flows.csv --json", "flows:flow-names.csv"),
        ("load fabric.toml --faults dead.txt --json", "dead-names.txt"),
    ] {
        let word = numbered
            .split(' ')
            .find(|word| word.contains(".txt") || word.contains(".csv"))
            .unwrap();
        let named = numbered.replace(word, named);
        let without_name = |text: String| {
            let lines =
                text.lines().filter(|line| !line.contains("listed:") && !line.contains("\"flows:"));
            lines.collect::<Vec<_>>().join("\n")
        };
        let [by_name, by_number] =
            [&named[..], numbered].map(|c| without_name(scratch.succeeds(c)));
        assert_eq!(by_name, by_number, "{named}");
    }
    let model = |file: &str| {
        let run =
            scratch.tvlb(&format!("model fabric.toml --patterns flows:{file} --set all --json"));
        assert_eq!(run.code, 0, "{run}");
        run.stdout.replace(file, "")
    };
    assert_eq!(model("flow-names.csv"), model("flows.csv"));
    // A sweep's file must mean the same on each fabric.
    scratch.write(
        "other.toml",
        FABRIC.replace("names.csv", "other.csv").replace("\"named\"", "\"other\""),
    );
    let swapped =
        names().replace("r0s0n0", "x").replace("r0s0n1", "r0s0n0").replace(",x,", ",r0s0n1,");
    scratch.write("other.csv", swapped);
    scratch.write(
        "sweep.toml",
        "fabrics = [\"fabric.toml\", \"other.toml\"]\nschemes = [\"min\"]\nsets = [\"all\"]\n\
         traffic = [\"flows:flow-names.csv\"]\nloads = [0.1]\nseeds = [1]\n",
    );
    let error = scratch.refuses("sweep sweep.toml -o runs -q");
    assert!(
        error.contains("flow-names.csv: it names other nodes of other than of named; accepted"),
        "{error}"
    );
}

/// Machines often call their groups by numbers.
#[test]
fn a_name_that_is_the_number_is_not_said_again() {
    let scratch = Scratch::with_text(FABRIC);
    let numbered = names().replace(",,,row ", ",,,").replace("3,,,3,", "3,,,17,");
    scratch.write("names.csv", numbered);
    scratch.write("cables.csv", cables());
    let dot = scratch.succeeds("topology fabric.toml --format dot");
    assert!(dot.contains("  group_0 [label=\"0\"];\n"), "{dot}");
    assert!(dot.contains("  group_3 [label=\"3 \\\"17\\\"\"];\n"), "{dot}");
}
