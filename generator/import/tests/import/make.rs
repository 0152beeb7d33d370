//! Texts of fictitious machines.

use std::fmt::Write;

/// The header of a Slingshot plan.
pub(crate) const HEADER: &str = "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage,\
     src_egress_a,src_egress_b,dst_egress_a,dst_egress_b,link_type,src_group,dst_group,part_number,\
     part_length,calculated_distance,route\n";

/// A local or global row, of one jack or two at each end.
pub(crate) fn cable(from: &str, to: &str, groups: [usize; 2]) -> String {
    let [from_group, to_group] = groups;
    let [from, to] = [from, to]
        .map(|jacks| if jacks.contains(',') { jacks.to_owned() } else { format!("{jacks},none") });
    let kind = if from_group == to_group { "local" } else { "global" };
    format!(
        "1000.1000.00.0000,{from},{to},1,none,none,none,none,{kind},{from_group},\
         {to_group},1111,0.75,0.61,[]\n"
    )
}

pub(crate) fn edge(jack: &str, interfaces: [&str; 2], group: usize) -> String {
    let [first, second] = interfaces;
    format!(
        "l0.x1c0s1b0.1,{jack},none,{first},{second},1,none,none,none,none,edge,{group},none,none,\
         none,none,none\n"
    )
}

/// A plan with the header, and these rows below it.
pub(crate) fn plan_of(rows: &[String]) -> String {
    format!("{HEADER}{}", rows.concat())
}

/// The rows of a plan of groups of these numbers, sizes and edge rows per switch: within a group a
/// cable between each two switches, and `links` cables between each two groups.
pub(crate) fn rows(groups: &[(usize, usize, usize)], links: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let name = |group: usize, switch: usize| format!("x{}c{}r{}", 1000 + group, switch % 2, switch);
    let mut used = vec![vec![0; 64]; groups.len()];
    let mut jack = |group: usize, switch: usize| {
        used[group][switch] += 1;
        format!("{}j{}", name(groups[group].0, switch), used[group][switch])
    };
    for (at, &(number, size, edges)) in groups.iter().enumerate() {
        for low in 0..size {
            for high in low + 1..size {
                rows.push(cable(&jack(at, low), &jack(at, high), [number, number]));
            }
            for row in 0..edges {
                let node = |n| format!("x{}c0s{low}b{row}n{n}h0", 1000 + number);
                let jack = format!("{}j{}", name(number, low), 100 + row);
                rows.push(edge(&jack, [&node(0), &node(1)], number));
            }
        }
    }
    for low in 0..groups.len() {
        for high in low + 1..groups.len() {
            for link in 0..links {
                let [from, to] = [(low, high), (high, low)]
                    .map(|(own, far)| jack(own, (far + link) % groups[own].1));
                rows.push(cable(&from, &to, [groups[low].0, groups[high].0]));
            }
        }
    }
    rows
}

/// What `ibnetdiscover` prints of devices and links.
#[derive(Default)]
pub(crate) struct Network {
    /// The word of the record, the id and the description.
    pub(crate) devices: Vec<(&'static str, String, String)>,
    links: Vec<[(usize, usize); 2]>,
    used: Vec<usize>,
}

impl Network {
    pub(crate) fn add(&mut self, word: &'static str, description: String) -> usize {
        let letter = if word == "Ca" { "H" } else { &word[..1] };
        let id = format!("{letter}-{:016x}", 0xb8ce_f603_0000_0100_u64 + self.devices.len() as u64);
        self.devices.push((word, id, description));
        self.used.push(0);
        self.devices.len() - 1
    }

    pub(crate) fn link(&mut self, one: usize, other: usize) {
        let ends = [one, other].map(|device| {
            self.used[device] += 1;
            (device, self.used[device])
        });
        self.links.push(ends);
    }

    /// Takes away the links between switches of these descriptions and others whose descriptions end so.
    pub(crate) fn unlink(&mut self, near: &[&str], far: &str) {
        let devices = &self.devices;
        let is_one = |&[one, other]: &[(usize, usize); 2]| {
            let [one, other] = [one, other].map(|(device, _)| &*devices[device].2);
            let is_pair = |one: &str, other: &str| near.contains(&one) && other.ends_with(far);
            is_pair(one, other) || is_pair(other, one)
        };
        self.links.retain(|link| !is_one(link));
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::from("#\n# Topology file: generated\n#\n");
        for (device, (word, id, description)) in self.devices.iter().enumerate() {
            let guid = &id[2..];
            let _ = writeln!(text, "\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x{guid}");
            let _ = writeln!(text, "{word}\t41 \"{id}\"\t\t# \"{description}\" lid {device} lmc 0");
            for ends in &self.links {
                for (near, far) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                    if near.0 != device {
                        continue;
                    }
                    let (_, id, description) = &self.devices[far.0];
                    let _ = writeln!(
                        text,
                        "[{}]\t\"{id}\"[{}] \t\t# \"{description}\" lid {} 4xHDR",
                        near.1, far.1, far.0
                    );
                }
            }
        }
        text
    }
}

/// A Dragonfly of groups of these sizes, with nodes at each switch, all links of a group, and `links`
/// links between each two groups.
pub(crate) fn dragonfly(sizes: &[usize], nodes: usize, links: usize) -> Network {
    let mut network = Network::default();
    let mut groups = Vec::new();
    for (group, size) in sizes.iter().enumerate() {
        let add = |switch| network.add("Switch", format!("g{group}-sw{switch}"));
        groups.push((0..*size).map(add).collect::<Vec<_>>());
    }
    for (group, switches) in groups.iter().enumerate() {
        for (index, &switch) in switches.iter().enumerate() {
            for &other in &switches[index + 1..] {
                network.link(switch, other);
            }
            for node in 0..nodes {
                let adapter = network.add("Ca", format!("n{group}-{index}-{node} mlx5_0"));
                network.link(adapter, switch);
            }
        }
    }
    for low in 0..groups.len() {
        for high in low + 1..groups.len() {
            for link in 0..links {
                let end = |own: usize, far: usize| groups[own][(far + link) % sizes[own]];
                network.link(end(low, high), end(high, low));
            }
        }
    }
    network
}

/// A Dragonfly+ of islands with so many leaves, spines and nodes per leaf, and a link between each
/// two islands. Each spine has an aggregation node of this description, if any.
pub(crate) fn dragonfly_plus(
    islands: usize,
    [leaves, spines, nodes]: [usize; 3],
    aggregation: Option<&str>,
) -> Network {
    let mut network = Network::default();
    let mut all_spines = Vec::new();
    for island in 0..islands {
        let own: Vec<usize> =
            (0..spines).map(|n| network.add("Switch", format!("i{island}-spine{n}"))).collect();
        for leaf in 0..leaves {
            let switch = network.add("Switch", format!("i{island}-leaf{leaf}"));
            for spine in &own {
                network.link(switch, *spine);
            }
            for node in 0..nodes {
                let adapter = network.add("Ca", format!("n{island}-{leaf}-{node} mlx5_0"));
                network.link(switch, adapter);
            }
        }
        if let Some(description) = aggregation {
            for spine in &own {
                let adapter = network.add("Ca", description.to_owned());
                network.link(*spine, adapter);
            }
        }
        all_spines.push(own);
    }
    for low in 0..islands {
        for high in low + 1..islands {
            network.link(all_spines[low][high % spines], all_spines[high][low % spines]);
        }
    }
    network
}
