//! Nodes that are not there, by the list of names or because their switches are dead: no command counts,
//! lists or uses them.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::Value;

const PLAN: &str = include_str!("../../../import/tests/data/plan.csv");

/// A machine of 20 places for nodes and 18 nodes. Switch 5 lacks node 21, and switch 7 lacks node 31.
fn imported() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("plan.csv", PLAN);
    scratch.succeeds_with_warnings("import slingshot plan.csv -o m");
    scratch
}

fn with_tables() -> Scratch {
    let scratch = imported();
    let made = scratch.succeeds("generate m/fabric.toml --set all -o out");
    assert!(made.contains("8 switches, 18 nodes"), "{made}");
    scratch
}

/// The hosts of the nodes that there are: the names of the plan are those of their interfaces.
fn write_hosts(scratch: &Scratch) {
    let names = String::from_utf8(scratch.read("m/names.csv")).unwrap();
    let nodes = names.lines().filter(|line| line.contains(",node "));
    let nodes = nodes.filter_map(|line| line.split(',').nth(3)).filter(|name| !name.is_empty());
    let rows = nodes.map(|name| format!("{name},{}\n", name.rsplit_once('h').unwrap().0));
    scratch.write("hosts.csv", format!("node,host\n{}", rows.collect::<String>()));
}

fn json(scratch: &Scratch, command: &str) -> Value {
    serde_json::from_str(&scratch.succeeds(command)).unwrap()
}

#[test]
fn an_import_says_which_nodes_are_not_there() {
    let scratch = imported();
    let names = String::from_utf8(scratch.read("m/names.csv")).unwrap();
    let empty: Vec<&str> = names.lines().filter(|line| line.ends_with(",,")).collect();
    assert_eq!(empty, ["1,2,node 1,,", "2,1,node 3,,"]);
    let summary = scratch.succeeds("topology m/fabric.toml");
    let rows = "nodes                      18\nplaces without a node      2\n";
    assert!(summary.contains(rows), "{summary}");
    let summary = json(&scratch, "topology m/fabric.toml --json");
    assert_eq!((&summary["nodes"], &summary["places_without_node"]), (&18.into(), &2.into()));
}

#[test]
fn exports_have_the_nodes_that_there_are_by_their_names() {
    let scratch = imported();
    write_hosts(&scratch);
    assert_snapshot!(
        "missing_nodes_slurm",
        scratch.succeeds("topology m/fabric.toml --format slurm --hosts hosts.csv")
    );
    let said = "gives every switch 4 nodes, but there is no node 21 at switch 5 x102c0r11";
    for format in ["codes -o dir", "merlin"] {
        let error = scratch.refuses(&format!("topology m/fabric.toml --format {format}"));
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn jobs_are_placed_on_nodes_that_there_are() {
    let scratch = with_tables();
    write_hosts(&scratch);
    for with in ["identity", "spread", "random", "groups"] {
        let place = format!(
            "place m/fabric.toml --with {with} --jobs 18 --hosts hosts.csv --host-list hosts -o csv"
        );
        scratch.succeeds(&place);
        let placed = String::from_utf8(scratch.read("csv")).unwrap();
        let nodes: Vec<&str> = placed.lines().filter_map(|line| line.split(',').nth(2)).collect();
        assert!(nodes.len() == 19 && !nodes.contains(&"21") && !nodes.contains(&"31"), "{placed}");
        assert!(!String::from_utf8(scratch.read("hosts")).unwrap().contains("node-"));
    }
    let run = "run out --workload alltoall --bytes 100";
    assert!(scratch.succeeds(&format!("{run} --jobs 18")).contains("18"));
    let advise =
        "advise m/fabric.toml --workload alltoall --bytes 100 --with identity --map linear";
    for command in ["place m/fabric.toml", run, advise] {
        let error = scratch.refuses(&format!("{command} --jobs 19"));
        assert!(error.contains("takes 19 nodes, but 18 are free"), "{error}");
    }
    scratch.write("list", "20\n21\n");
    for command in ["place m/fabric.toml", run] {
        let error = scratch.refuses(&format!("{command} --jobs 2 --with listed:list"));
        let said = "line 2: there is no node 21; group 1, to which the number falls, has the nodes";
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn nodes_that_are_not_there_neither_send_nor_receive() {
    let scratch = with_tables();
    let simulate = "simulate out --scheme min --window 500 --load 0.1 --json --traffic";
    let alone = ["uniform", "uniform-others", "permutation", "complement"].map(|name| (name, 18));
    // Of a shift, a group that is the only one of its kind is silent.
    for (traffic, senders) in alone.into_iter().chain([("shift(1,0)", 10)]) {
        let load = format!("load m/fabric.toml --traffic {traffic}");
        let printed = scratch.succeeds(&load);
        assert!(printed.contains(&format!("{senders} nodes send")), "{traffic}: {printed}");
        let load = json(&scratch, &format!("{load} --busiest 100 --json"));
        let links = load["loads"][0]["links"].as_array().unwrap();
        let to: Vec<u64> = links
            .iter()
            .flat_map(|kind| kind["busiest"].as_array().unwrap())
            .filter(|link| link["load"].as_f64().unwrap() > 0.0)
            .filter_map(|link| link["node"].as_u64())
            .collect();
        assert!(!to.is_empty() && !to.contains(&21) && !to.contains(&31), "{traffic}: {to:?}");
        let found = json(&scratch, &format!("{simulate} {traffic}"));
        let outcome = &found["curve"][0]["runs"][0];
        assert_eq!(outcome["all"]["nodes"], senders, "{traffic}: {found}");
        assert!(outcome["fairness"]["least"].as_f64().unwrap() > 0.0, "{traffic}: {found}");
    }
    let cut_through =
        "sweep m/fabric.toml --axis routing=min --axis traffic=uniform --axis load=0.3 --json";
    let found = json(&scratch, cut_through).to_string();
    assert!(found.contains("accepted"), "{found}");
    let modelled = scratch.succeeds("model m/fabric.toml --set all --patterns permutation -q");
    assert!(modelled.contains("; 1 pattern; "), "{modelled}");
    scratch.write("flows", "source-node,destination-node\n0,21\n");
    scratch.write("list", (0..20).map(|node| node.to_string()).collect::<Vec<_>>().join("\n"));
    let error = scratch.refuses("load m/fabric.toml --traffic flows:flows");
    let said = "line 2: there is no node 21; group 1, to which the number falls, has the nodes 12 to 13, 16 to 17, 20";
    assert!(error.contains(said), "{error}");
}

#[test]
fn a_switch_shows_that_a_port_has_no_node() {
    let scratch = with_tables();
    assert!(scratch.succeeds("inspect out").contains("8 switches, 18 nodes"));
    let ports = scratch.succeeds("inspect out --switch 5");
    assert!(
        ports.contains("\n   0  node 20; by ") && ports.contains("\n   1  nothing\n"),
        "{ports}"
    );
    let ports = json(&scratch, "inspect out --switch 5 --json");
    assert_eq!((&ports["ports"][0]["node"], ports["ports"][1].get("node")), (&20.into(), None));
    let page = String::from_utf8(scratch.read("out/report.html")).unwrap();
    assert!(page.contains("18 nodes on 8 switches"));
}

/// Which nodes there are is no affair of the switches: their images, and the fabric's identity, are the same.
#[test]
fn a_node_that_goes_changes_no_image() {
    let scratch = with_tables();
    let names = String::from_utf8(scratch.read("m/names.csv")).unwrap();
    let one_less = names.lines().map(|line| match line.strip_prefix("0,0,node 0,") {
        Some(_) => "0,0,node 0,,\n".to_owned(),
        None => format!("{line}\n"),
    });
    scratch.write("m/names.csv", one_less.collect::<String>());
    let made = scratch.succeeds("generate m/fabric.toml --set all -o other");
    assert!(made.contains("8 switches, 17 nodes"), "{made}");
    for file in ["fabric.tvlb", "switches/00000.tvlb", "switches/00005.tvlb"] {
        assert_eq!(
            scratch.read(&format!("out/{file}")),
            scratch.read(&format!("other/{file}")),
            "{file}"
        );
    }
    scratch.succeeds("verify other");
}

/// A Dragonfly of which all switches of group 1 and one of group 0 are dead.
fn damaged() -> Scratch {
    let scratch = Scratch::with_sizes(2, 4, 2, 9);
    scratch.write("dead", "switch (0,0)\nswitch (1,0)\nswitch (1,1)\nswitch (1,2)\nswitch (1,3)\n");
    scratch.write("one", "switch (0,0)\n");
    scratch
}

#[test]
fn every_view_of_a_damaged_wiring_shows_what_lives() {
    let scratch = damaged();
    let show = |format: &str| {
        scratch.succeeds(&format!("topology fabric.toml --faults dead --format {format}"))
    };
    assert_snapshot!("missing_nodes_damaged", show("summary"));
    let slurm = show("slurm");
    let lacks =
        ["SwitchName=switch-0 ", "node-[0-1]", "SwitchName=switch-4 ", "SwitchName=group-1 "];
    assert!(lacks.iter().all(|text| !slurm.contains(text)), "{slurm}");
    assert!(slurm.contains("\nSwitchName=group-0 Switches=switch-[1-3]\n"), "{slurm}");
    assert!(slurm.contains("\nSwitchName=fabric Switches=group-[0,2-8]\n"), "{slurm}");
    assert!(slurm.contains("\n# It also leaves out 5 dead switches.\n"), "{slurm}");
    let dot = show("dot");
    assert!(!dot.contains("group_1 ") && dot.contains("group_0 ["), "{dot}");
    let dot = show("dot-switches");
    assert!(!dot.contains("switch_0 ") && !dot.contains("cluster_1 {"), "{dot}");
    assert!(dot.contains("switch_1 [label=\"1\"];"), "{dot}");
    let csv = show("csv");
    let of_dead = |line: &&str| {
        let fields: Vec<&str> = line.split(',').collect();
        [(fields[0], fields[1]), (fields[3], fields[4])]
            .iter()
            .any(|end| *end == ("0", "0") || end.0 == "1")
    };
    assert_eq!(csv.lines().find(of_dead), None);
    // What is left of the links within a group is said.
    assert!(csv.contains("\n0,1,local,0,2,local\n"), "{csv}");
    let anynet = scratch.tvlb("topology fabric.toml --faults one --format anynet");
    assert!(anynet.stderr.contains("numbered from 0 without gaps"), "{anynet}");
    assert_eq!(anynet.stdout.lines().count(), 35);
    for format in ["codes -o dir", "merlin"] {
        let error =
            scratch.refuses(&format!("topology fabric.toml --faults one --format {format}"));
        assert!(error.contains("but switch 0 is dead; accepted: a wiring without dead switches"));
    }
    assert!(!scratch.files().contains_key("dir/"));
}

#[test]
fn paths_begin_and_end_at_switches_that_live() {
    let scratch = damaged();
    let all = scratch.succeeds("paths fabric.toml --faults dead --all --json --set 2-hop");
    assert_eq!(all.lines().count(), 31 * 30);
    for (ends, option) in [("--from 0 --to 9", "--from"), ("--from 9 --to 4", "--to")] {
        let error = scratch.refuses(&format!("paths fabric.toml --faults dead {ends}"));
        assert!(
            error.contains(&format!("{option}: switch ")) && error.contains(" is dead"),
            "{error}"
        );
    }
}

#[test]
fn nodes_of_dead_switches_do_not_count() {
    let scratch = damaged();
    let load = scratch.succeeds("load fabric.toml --faults one");
    assert!(load.contains("70 nodes send"), "{load}");
    scratch.succeeds("generate fabric.toml -o out");
    let simulate = "simulate out --faults-at 0:one --window 500 --load 0.1 --json";
    let found = json(&scratch, simulate);
    let fairness = &found["curve"][0]["runs"][0]["fairness"];
    assert!(fairness["least"].as_f64().unwrap() > 0.0, "{found}");
    assert!(fairness["jain"].as_f64().unwrap() > 0.9, "{found}");
}
