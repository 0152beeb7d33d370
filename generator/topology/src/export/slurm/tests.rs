use super::*;
use crate::Topology;
use crate::routes::wirings;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupKind};
use tvlb_table_set::names::Names;

/// What is exported where no list of hosts is given.
fn exported(topology: &Topology, names: &Names) -> Result<String, ExportError> {
    let hosts = Hosts::of_names(topology.dragonfly(), names);
    let wiring = Wiring::new(topology, names);
    slurm(SlurmFile::Conf, &wiring, &hosts).map(|slurm| slurm.to_string())
}

/// The two topologies of a `topology.yaml`: what is under each switch, and the nodes of each block.
fn read_yaml(text: &str) -> [BTreeMap<String, Vec<String>>; 2] {
    let [mut tree, mut blocks] = [BTreeMap::new(), BTreeMap::new()];
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().starts_with('#')).collect();
    for pair in lines.windows(2) {
        let [name, below] = [pair[0], pair[1]].map(|line| line.trim().trim_start_matches("- "));
        let of = |line: &str, key: &str| {
            let value = line.strip_prefix(key)?.strip_prefix(": \"")?.strip_suffix('"')?;
            Some(value.to_owned())
        };
        if let Some(name) = of(name, "switch") {
            let key = if name.starts_with("switch-") { "nodes" } else { "children" };
            tree.insert(name, names(&of(below, key).unwrap()));
        } else if let Some(name) = of(name, "block") {
            blocks.insert(name, names(&of(below, "nodes").unwrap()));
        }
    }
    [tree, blocks]
}

#[test]
fn the_two_files_have_the_same_tree_and_each_group_is_a_block() {
    for topology in [wirings::absolute(2, 4, 2, 9), wirings::absolute(4, 8, 4, 9)] {
        let names = Names::default();
        let hosts = Hosts::of_names(topology.dragonfly(), &names);
        let wiring = Wiring::new(&topology, &names);
        let file = slurm(SlurmFile::Yaml, &wiring, &hosts).unwrap();
        let [tree, blocks] = read_yaml(&file.to_string());
        let expected = expected(&topology);
        assert_eq!(tree, expected);
        for (group, nodes) in blocks {
            let leaves = expected[&group].iter();
            assert_eq!(nodes, leaves.flat_map(|leaf| expected[leaf].clone()).collect::<Vec<_>>());
        }
    }
    let (topology, names) = (wirings::absolute(1, 2, 1, 3), Names::default());
    let hosts = Hosts::of_names(topology.dragonfly(), &names);
    insta::assert_snapshot!(
        slurm(SlurmFile::Yaml, &Wiring::new(&topology, &names), &hosts).unwrap()
    );
}

/// The names of a host list, such as `a-[1-3,5],b-5`.
fn names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = match rest.find(['[', ',']) {
            Some(open) if rest[open..].starts_with('[') => {
                open + rest[open..].find(']').unwrap() + 1
            }
            end => end.unwrap_or(rest.len()),
        };
        match rest[..end].split_once('[') {
            None => names.push(rest[..end].to_owned()),
            Some((name, ranges)) => {
                for range in ranges.trim_end_matches(']').split(',') {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    let numbers = first.parse::<u32>().unwrap()..=last.parse().unwrap();
                    names.extend(numbers.map(|number| format!("{name}{number}")));
                }
            }
        }
        rest = rest[end..].trim_start_matches(',');
    }
    names
}

/// What is under each switch of the tree.
fn read(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut tree = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, below) = line.strip_prefix("SwitchName=").unwrap().split_once(' ').unwrap();
        let (key, list) = below.split_once('=').unwrap();
        assert_eq!(key == "Nodes", name.starts_with("switch-"), "{line}");
        assert!(key == "Nodes" || key == "Switches", "{line}");
        assert!(tree.insert(name.to_owned(), names(list)).is_none(), "{line}");
    }
    tree
}

/// The tree that should be read, by the nodes one by one.
fn expected(topology: &Topology) -> BTreeMap<String, Vec<String>> {
    let df = topology.dragonfly();
    let mut tree: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |above: String, below: String| {
        let known = tree.entry(above).or_default();
        if known.last() != Some(&below) {
            known.push(below);
        }
    };
    for node in df.nodes() {
        let (switch, _) = df.switch_of(node);
        let (group, _) = df.place(switch);
        add(format!("switch-{switch}"), format!("node-{node}"));
        add(format!("group-{group}"), format!("switch-{switch}"));
        add("fabric".to_owned(), format!("group-{group}"));
    }
    let groups: Vec<String> = tree.remove("fabric").unwrap();
    let mut parts = parts(topology);
    // By their first groups with nodes.
    let first = |part: &BTreeSet<String>| groups.iter().position(|group| part.contains(group));
    parts.retain(|part| first(part).is_some());
    parts.sort_by_key(first);
    for group in groups {
        let at = parts.iter().position(|part| part.contains(&group)).unwrap();
        let root = if parts.len() == 1 { "fabric".to_owned() } else { format!("fabric-{at}") };
        tree.entry(root).or_default().push(group);
    }
    tree
}

/// The groups that cables join, each part from its first group on.
fn parts(topology: &Topology) -> Vec<BTreeSet<String>> {
    let mut parts: Vec<BTreeSet<String>> = Vec::new();
    for group in topology.dragonfly().groups() {
        if parts.iter().any(|part| part.contains(&format!("group-{group}"))) {
            continue;
        }
        let mut reached = BTreeSet::from([group]);
        while let Some(next) = topology
            .cables()
            .iter()
            .flat_map(|cable| [[cable.low, cable.high], [cable.high, cable.low]])
            .find(|[from, to]| reached.contains(&from.group) && !reached.contains(&to.group))
        {
            reached.insert(next[1].group);
        }
        parts.push(reached.into_iter().map(|group| format!("group-{group}")).collect());
    }
    parts
}

#[test]
fn the_tree_has_every_node() {
    for topology in [wirings::absolute(2, 4, 2, 9), wirings::absolute(4, 8, 4, 9)] {
        assert_eq!(
            read(&exported(&topology, &Names::default()).unwrap().clone()),
            expected(&topology)
        );
    }
}

#[test]
fn the_file_of_a_small_wiring_reads_well() {
    insta::assert_snapshot!(exported(&wirings::absolute(2, 4, 2, 9), &Names::default()).unwrap());
}

#[test]
fn groups_without_nodes_are_left_out() {
    let kind = |p, g| GroupKind::new(p, 2, 2, g);
    let kinds = [kind(1, 2), kind(0, 1), kind(3, 1)];
    let topology = Topology::from_cables(Dragonfly::of_kinds(&kinds).unwrap(), []).unwrap();
    insta::assert_snapshot!(exported(&topology, &Names::default()).unwrap());
}

/// Groups that no cable reaches are under a root of their own, so that no job is put over hosts that do not reach each
/// other.
#[test]
fn what_is_apart_has_a_root_of_its_own() {
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let ends = [(end(0, 0), end(2, 0)), (end(1, 0), end(3, 0))];
    let df = Dragonfly::new(1, 2, 2, 5).unwrap();
    let topology = Topology::from_cables(df, ends).unwrap();
    let tree = read(&exported(&topology, &Names::default()).unwrap());
    let groups = |root: &str| tree[root].clone();
    assert_eq!(groups("fabric-0"), ["group-0", "group-2"]);
    assert_eq!(groups("fabric-1"), ["group-1", "group-3"]);
    assert_eq!(groups("fabric-2"), ["group-4"]);
    assert!(!tree.contains_key("fabric"));
}

#[test]
fn a_wiring_without_hosts_is_refused() {
    let df = Dragonfly::of_kinds(&[GroupKind::new(1, 2, 1, 2)]).unwrap();
    let topology = Topology::from_cables(df, []).unwrap();
    let rows = "0,0,node 0,,\n0,1,node 0,,\n1,0,node 0,,\n1,1,node 0,,\n";
    let list = format!("group,switch,port,name,physical\n{rows}");
    let names = Names::read(topology.dragonfly(), &list).unwrap();
    let refused = exported(&topology, &names).unwrap_err();
    assert_eq!(refused, ExportError::NoHosts);
}

/// One small group does not make all blocks small: it is no block.
#[test]
fn blocks_are_as_large_as_serves_most_hosts() {
    let kind = |p, g| GroupKind::new(p, 2, 2, g);
    let sizes = |kinds: &[GroupKind]| {
        let df = Dragonfly::of_kinds(kinds).unwrap();
        let topology = Topology::from_cables(df, []).unwrap();
        let names = Names::default();
        let hosts = Hosts::of_names(topology.dragonfly(), &names);
        let blocks = Blocks::of(topology.dragonfly(), &topology.nodes(&names), &hosts);
        let groups: Vec<u16> = blocks.groups.keys().map(|group| group.0).collect();
        let file =
            slurm(SlurmFile::Yaml, &Wiring::new(&topology, &names), &hosts).unwrap().to_string();
        let [_, written] = read_yaml(&file);
        assert_eq!(written.len(), groups.len());
        assert!(file.contains(&format!("block_sizes:\n      - {}\n", blocks.size)), "{file}");
        let says = "no blocks";
        assert_eq!(
            file.to_lowercase().contains(says),
            groups.len() < topology.dragonfly().g() as usize
        );
        (blocks.size, groups)
    };
    assert_eq!(sizes(&[kind(8, 4), kind(1, 1)]), (16, vec![0, 1, 2, 3]));
    assert_eq!(
        sizes(&[kind(8, 3), kind(7, 1)]),
        (14, vec![0, 1, 2, 3]),
        "a block that lacks a host"
    );
    assert_eq!(sizes(&[kind(2, 2), kind(4, 1)]), (4, vec![0, 1, 2]));
}

/// Hosts of which each has an adapter at every one of some switches have one leaf.
#[test]
fn switches_with_the_same_hosts_are_one_leaf() {
    let topology = Topology::from_cables(Dragonfly::new(2, 3, 1, 2).unwrap(), []).unwrap();
    let rows = "0,0,node 0,a,\n0,0,node 1,b,\n0,1,node 0,b,\n0,1,node 1,a,\n0,2,node 0,a,\n0,2,node 1,c,\n";
    let absent =
        [0, 1, 2].map(|index| format!("1,{index},node 0,,\n1,{index},node 1,,\n")).concat();
    let list = format!("group,switch,port,name,physical\n0,1,,s1,\n{rows}{absent}");
    let names = Names::read(topology.dragonfly(), &list).unwrap();
    let text = exported(&topology, &names).unwrap();
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.contains("switch-0")).collect();
    assert_eq!(
        lines,
        [
            "# switch-0 is switch-[0-1], which have the same hosts",
            "# switch-1: s1",
            "SwitchName=switch-0 Nodes=a,b",
            "SwitchName=switch-2 Nodes=a,c",
            "SwitchName=group-0 Switches=switch-[0,2]",
            "SwitchName=fabric Switches=group-0",
        ]
    );
}

/// A dual-port host is one host, and what is not there is left out.
#[test]
fn nodes_have_the_names_of_hosts() {
    let topology = Topology::from_cables(Dragonfly::new(2, 2, 1, 2).unwrap(), []).unwrap();
    let list = |rows: &str| {
        let text = format!("group,switch,port,name,physical\n{rows}");
        Names::read(topology.dragonfly(), &text).unwrap()
    };
    let of_group_1 = "1,0,node 0,n2,\n1,0,node 1,,\n1,1,node 0,,\n1,1,node 1,,\n";
    let hosts =
        format!("0,0,node 0,n0,\n0,0,node 1,n0,\n0,1,node 0,n1,\n0,1,node 1,,\n{of_group_1}");
    let text = exported(&topology, &list(&hosts)).unwrap().clone();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        lines,
        [
            "SwitchName=switch-0 Nodes=n0",
            "SwitchName=switch-1 Nodes=n1",
            "SwitchName=switch-2 Nodes=n2",
            "SwitchName=group-0 Switches=switch-[0-1]",
            "SwitchName=group-1 Switches=switch-2",
            "SwitchName=fabric-0 Switches=group-0",
            "SwitchName=fabric-1 Switches=group-1",
        ]
    );
    assert!(text.contains("\n# It also leaves out 1 switch that has no nodes.\n"), "{text}");
    for (rows, found) in [
        (hosts.replace("n1", "n1 mlx5_0"), "node 2 n1 mlx5_0: "),
        (hosts.replace("n1", "\"n1,x\""), "node 2 n1,x: "),
        (hosts.replace("0,1,node 0,n1,\n", ""), "node 2: it has no name, though other nodes have"),
    ] {
        let error = exported(&topology, &list(&rows)).unwrap_err().to_string();
        assert!(error.starts_with(found), "{error}");
    }
}

proptest! {
    #[test]
    fn the_tree_has_every_node_of_any_fabric(topology in wirings::plain()) {
        prop_assert_eq!(read(&exported(&topology, &Names::default()).unwrap().clone()), expected(&topology));
    }
}
