use super::*;
use crate::Topology;
use crate::arrangement::{Arrangement, arrange};
use crate::routes::drawn::DrawnPaths;
use tvlb_schema::{Dragonfly, SetRule};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::names::Names;

fn arranged(sizes: [u32; 4], arrangement: Arrangement) -> Topology {
    let [p, a, h, g] = sizes;
    arrange(Dragonfly::new(p, a, h, g).unwrap(), arrangement, 1).unwrap()
}

fn set(text: &str) -> SetRule {
    parse_set(text, 1).unwrap()
}

/// The two switches of each path, as HTSIM reads a host table.
fn read(table: &str, destination: SwitchId) -> Vec<([u32; 2], [SwitchId; 2])> {
    let tokens =
        |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<u32>>();
    let lines = table.lines().map(tokens).skip_while(|line| *line != [u32::from(destination.0)]);
    let lines = lines.skip(1).take_while(|line| line.len() >= 2);
    let paths = lines.flat_map(|line| {
        let hops = [line[0], line[1]];
        let switch = |number: u32| SwitchId(u16::try_from(number).unwrap());
        let headers =
            line[2..].chunks(2).map(move |pair| (hops, [switch(pair[0]), switch(pair[1])]));
        headers.collect::<Vec<_>>()
    });
    paths.collect()
}

#[test]
fn one_arrangement_is_laid_as_htsim_lays_it() {
    let names = Names::default();
    for sizes in [[2, 4, 2, 9], [1, 2, 1, 3], [1, 3, 2, 7]] {
        let said: Vec<&str> = Arrangement::ALL
            .into_iter()
            .filter(|&arrangement| {
                htsim(&Wiring::new(&arranged(sizes, arrangement), &names)).is_ok()
            })
            .map(Arrangement::name)
            .collect();
        assert!(said.contains(&"relative"), "{said:?}");
        assert!(!said.contains(&"absolute") || sizes[3] == 3, "{said:?}");
    }
    let topology = arranged([1, 3, 2, 7], Arrangement::Relative);
    insta::assert_snapshot!(htsim(&Wiring::new(&topology, &names)).unwrap());
    let refused = |sizes, arrangement| {
        htsim(&Wiring::new(&arranged(sizes, arrangement), &names)).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused([2, 4, 2, 5], Arrangement::Relative), @"HTSIM has a·h + 1 groups, but there are 5; accepted: 9");
    insta::assert_snapshot!(refused([2, 4, 2, 9], Arrangement::Absolute));
}

/// Where HTSIM's switches forward a packet, by the arithmetic of its own sources: group and switch as one number.
fn arrived([a, h, g]: [u32; 3], [source, destination]: [u32; 2], header: [u32; 2]) -> Vec<u32> {
    let leaves = |from: u32, to: u32| {
        let steps = if from < to { to - from } else { g + to - from };
        from * a + (steps - 1) / h
    };
    let mut walk = vec![source];
    while let Some(&here) = walk.last().filter(|&&here| here != destination) {
        let (group, home, target) = (here / a, source / a, destination / a);
        let next = match (here == source, group == home, group == target) {
            (true, true, _) => header[0],
            (false, true, false) => header[1],
            (_, _, true) => destination,
            _ if here == leaves(group, target) => leaves(target, group),
            _ => leaves(group, target),
        };
        walk.push(next);
        assert!(walk.len() <= 7, "{walk:?}");
    }
    walk
}

/// What is read and forwarded is each path that the set draws, once.
#[test]
fn host_tables_have_the_paths_of_a_set_hop_by_hop() {
    let (topology, names) = (arranged([2, 4, 2, 9], Arrangement::Relative), Names::default());
    let df = topology.dragonfly();
    let rule = set("only:000+001+010+011+100+101+110+111");
    let wiring = Wiring::new(&topology, &names);
    for source in df.switches() {
        let table = host_table(&wiring, &rule, source).unwrap();
        for destination in df.switches().filter(|&other| other != source) {
            let paths = DrawnPaths::new(&topology, &rule, source, destination);
            let min = paths.min.iter().map(|path| path.switches);
            let drawn = min.chain(paths.vlb.iter().map(|path| path.switches));
            let drawn: BTreeSet<Vec<u32>> = drawn
                .map(|walk| walk.switches().iter().map(|switch| switch.0.into()).collect())
                .collect();
            let headers = read(&table, destination);
            assert_eq!(headers.len(), drawn.len());
            let forwarded = headers.into_iter().map(|([local, global], header)| {
                let numbers = |switches: [SwitchId; 2]| switches.map(|switch| u32::from(switch.0));
                let walk = arrived([4, 2, 9], numbers([source, destination]), numbers(header));
                assert_eq!(walk.len(), (local + global + 1) as usize);
                let crossings = walk.windows(2).filter(|hop| hop[0] / 4 != hop[1] / 4).count();
                assert_eq!(crossings, global as usize);
                walk
            });
            assert_eq!(forwarded.collect::<BTreeSet<_>>(), drawn);
        }
    }
}

#[test]
fn what_htsim_cannot_go_is_refused() {
    let (topology, names) = (arranged([2, 4, 2, 9], Arrangement::Relative), Names::default());
    let wiring = Wiring::new(&topology, &names);
    let refused = |text| host_table(&wiring, &set(text), SwitchId(0)).unwrap_err().to_string();
    insta::assert_snapshot!(refused("only:121"));
    insta::assert_snapshot!(refused("3*only:011, only:111"));
}
