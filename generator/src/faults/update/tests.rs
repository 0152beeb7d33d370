use super::*;
use crate::fabric::Fabric;
use crate::policy::Policy;
use crate::tables::tables_of;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, LocalLink, SwitchIndex};
use tvlb_table_set::grammar::parse_set;
use tvlb_topology::arrangement::{Arrangement, arrange};

/// The update of a table set of one set for all decisions, and the images that it updates.
fn updated(
    sizes: [u32; 4],
    set: &str,
    faults: &FaultSet,
    check: impl FnOnce(&FabricImage<'_>, &[Vec<u8>], FaultUpdate),
) {
    let df = Dragonfly::new(sizes[0], sizes[1], sizes[2], sizes[3]).unwrap();
    let fabric = Fabric::new("lab", df, Arrangement::default(), 1).unwrap();
    let policies = PerDecision::same(Policy::from(parse_set(set, 1).unwrap()));
    let images = tables_of(&fabric, &policies, &()).unwrap().images;
    let image = FabricImage::decode(&images.fabric).unwrap();
    let switches: Vec<_> =
        images.switches.iter().map(|bytes| SwitchImage::decode(bytes, &image).unwrap()).collect();
    let update = update((&image, &Nodes::from(&df)), &switches, (1, faults), &()).unwrap();
    check(&image, &images.switches, update);
}

fn end(group: u16, port: u16) -> End {
    End { group: GroupId(group), port: GlobalPort(port) }
}

#[test]
fn nothing_dead_changes_nothing() {
    for set in ["strategic-2-3 by shape", "70% 5-hop by shape", "all", "switches:2-3"] {
        updated([2, 4, 2, 9], set, &FaultSet::default(), |_, _, update| {
            assert!(update.switches.is_empty(), "{set}");
            assert_eq!(update.loss, RouteLoss::default(), "{set}");
        });
    }
}

/// The shapes in the images are those that a counter of the live routes finds, for every pair, and no other image is
/// rewritten.
#[test]
fn the_images_say_which_shapes_are_left() {
    let df = Dragonfly::new(2, 4, 2, 9).unwrap();
    let topology = arrange(df, Arrangement::default(), 1).unwrap();
    let faults = FaultSet {
        switches: [SwitchId(30)].into(),
        cables: [topology.cables()[0].low, topology.cables()[9].low].into(),
        local_links: [LocalLink { low: SwitchId(5), high: SwitchIndex(3), number: 0 }].into(),
        ..FaultSet::default()
    };
    let live = topology.without(&faults);
    let counter = tvlb_topology::routes::count::RouteCounter::new(&live);
    for set in ["strategic-2-3 by shape", "70% 5-hop by shape", "all by shape"] {
        updated([2, 4, 2, 9], set, &faults, |fabric, planned, update| {
            let mut changed = update.switches.iter().peekable();
            for (switch, before) in df.switches().zip(planned) {
                let new = changed.next_if(|(number, _)| *number == switch);
                let bytes = new.map_or(before, |(_, bytes)| bytes);
                assert!(new.is_none_or(|(_, bytes)| bytes != before), "{set}: {switch}");
                let image = SwitchImage::decode(bytes, fabric).unwrap();
                let old = SwitchImage::decode(before, fabric).unwrap();
                for to in df.switches() {
                    let (set, old) = (image.set(Decision::UgalL), old.set(Decision::UgalL));
                    let is_dead = |s| faults.switches.contains(&s);
                    let expected = if is_dead(switch) || is_dead(to) {
                        old.shapes_to(to)
                    } else {
                        tvlb_topology::routes::presence::present_shapes(
                            &counter,
                            set.rule(),
                            switch,
                            to,
                        )
                    };
                    if df.place(to).0 != df.place(switch).0 {
                        assert_eq!(set.shapes_to(to), expected, "from {switch} to {to}");
                    }
                }
            }
            assert!(!update.switches.is_empty() && update.switches.len() < 36, "{set}");
        });
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]

    /// Where faults are claimed not to reach, nothing is lost: a search everywhere gives the same routes.
    #[test]
    fn nothing_is_lost_where_faults_do_not_reach(
        sizes in proptest::prop_oneof![
            proptest::strategy::Just([1, 3, 2, 5]), proptest::strategy::Just([1, 2, 2, 5]),
            proptest::strategy::Just([1, 4, 2, 3]),
        ],
        set in proptest::sample::select(
            &["all by shape", "40% 6-hop by shape", "all", "10% 6-hop", "switches:2-3 with returns"][..],
        ),
        cables in proptest::collection::vec(0..100_usize, 0..4),
        links in proptest::collection::vec((0..20_u16, 1..4_u8), 0..3),
        switch in proptest::option::weighted(0.3, 0..20_u16),
    ) {
        let df = Dragonfly::new(sizes[0], sizes[1], sizes[2], sizes[3]).unwrap();
        let plan = arrange(df, Arrangement::default(), 1).unwrap();
        let all = plan.cables();
        let links = links.into_iter().filter_map(|(low, high)| {
            let (low, high) = (SwitchId(low), SwitchIndex(high));
            let is_there = df.has_switch(low) && u32::from(high.0) < df.a() && df.place(low).1 < high;
            is_there.then_some(LocalLink { low, high, number: 0 })
        });
        let faults = FaultSet {
            switches: switch.map(SwitchId).filter(|&s| df.has_switch(s)).into_iter().collect(),
            cables: cables.iter().map(|n| all[n % all.len()].low).collect(),
            local_links: links.collect(),
            ..FaultSet::default()
        };
        let fabric = Fabric::new("lab", df, Arrangement::default(), 1).unwrap();
        let policies = PerDecision::same(Policy::from(parse_set(set, 1).unwrap()));
        let images = tables_of(&fabric, &policies, &()).unwrap().images;
        let image = FabricImage::decode(&images.fabric).unwrap();
        let images = images.switches.iter();
        let switches: Vec<_> = images.map(|b| SwitchImage::decode(b, &image).unwrap()).collect();
        let live = plan.without(&faults);
        let wirings = (&image, &plan, &live);
        let update = update((&image, &Nodes::from(&df)), &switches, (1, &faults), &()).unwrap();
        let everywhere =
            update_where(&Reach::everywhere(), wirings, &switches, (1, &faults), &()).unwrap();
        proptest::prop_assert_eq!(update.switches, everywhere.switches);
        proptest::prop_assert_eq!(update.loss, everywhere.loss);
    }
}

/// The published count: the only cable between two groups of dfly(2, 4, 2, 9) takes the minimal path from the pairs of
/// the two groups, 2 · 4², and so does a dead link from the pairs that need it, 4 · 4 · 2, and two more in its group;
/// those of other groups still have one through a third switch.
#[test]
fn a_dead_cable_takes_the_minimal_path_from_the_pairs_of_two_groups() {
    let faults = FaultSet { cables: [end(0, 0)].into(), ..FaultSet::default() };
    updated([2, 4, 2, 9], "strategic-2-3 by shape", &faults, |_, _, update| {
        assert_eq!(update.loss.min.count, 32);
        assert_eq!(update.loss.min.first[0], (SwitchId(0), SwitchId(4)));
        assert_eq!((update.loss.cut.count, &update.loss.mend), (0, &None));
    });
    let link = LocalLink { low: SwitchId(5), high: SwitchIndex(3), number: 0 };
    let faults = FaultSet { local_links: [link].into(), ..FaultSet::default() };
    updated([2, 4, 2, 9], "strategic-2-3 by shape", &faults, |_, _, update| {
        assert_eq!(update.loss.min.first, [(SwitchId(5), SwitchId(7)), (SwitchId(7), SwitchId(5))]);
        assert_eq!((update.loss.min.count, update.loss.cut.count), (2, 0));
    });
}

/// A group without its cables is cut off; if mending one cable reconnects it, that is named.
#[test]
fn a_group_that_is_cut_off_is_said_to_be() {
    let all: FaultSet =
        FaultSet { cables: (0..8).map(|port| end(3, port)).collect(), ..FaultSet::default() };
    updated([2, 4, 2, 9], "strategic-2-3 by shape", &all, |_, _, update| {
        assert_eq!(update.loss.cut.count, 2 * 4 * 32);
        assert_eq!(update.loss.isolated, [12, 13, 14, 15].map(SwitchId));
        let mend = update.loss.mend.expect("any cable joins the group again");
        // By MIN to the group at its other end, and by VLB to all others.
        assert_eq!((mend.joins, mend.part.cables.len()), (256, 1));
        assert_eq!(update.loss.sets.ugal_l.count, 256);
    });
    // A switch that is dead elsewhere could not be reached anyway.
    let with_switch = FaultSet { switches: [SwitchId(0)].into(), ..all.clone() };
    updated([2, 4, 2, 9], "strategic-2-3 by shape", &with_switch, |_, _, update| {
        assert_eq!(update.loss.cut.count, 2 * 4 * 31);
        assert_eq!(update.loss.isolated, [12, 13, 14, 15].map(SwitchId));
    });
    // Of three groups in a row the first and the last are joined by VLB only.
    let faults = FaultSet { cables: [end(0, 1), end(1, 1)].into(), ..FaultSet::default() };
    updated([1, 2, 1, 3], "all", &faults, |_, _, update| {
        assert_eq!(update.loss.cut.count, 2 * 2 * 4);
        assert!(update.loss.mend.is_some_and(|mend| mend.joins == 16));
    });
}

/// The same parts give the same bytes, in whatever order they died.
#[test]
fn an_update_is_of_what_is_dead_alone() {
    let faults = FaultSet { cables: [end(0, 0), end(5, 3)].into(), ..FaultSet::default() };
    let mut first = None;
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            updated([2, 4, 2, 9], "60% 6-hop by shape", &faults, |_, _, update| {
                let made = (update.faults, update.switches);
                assert_eq!(first.get_or_insert_with(|| made.clone()), &made);
            });
        });
    }
}

/// If a plan lacks a link, the third switch that packets cross instead may die.
#[test]
fn a_pair_is_cut_off_by_the_death_of_its_third_switch() {
    let whole = arrange(Dragonfly::new(1, 3, 2, 3).unwrap(), Arrangement::default(), 1).unwrap();
    let link = LocalLink { low: SwitchId(0), high: SwitchIndex(2), number: 0 };
    let plan = whole.without(&FaultSet { local_links: [link].into(), ..FaultSet::default() });
    let faults = FaultSet { switches: [SwitchId(1)].into(), ..FaultSet::default() };
    let none = PerDecision::from_fn(|_| PairList::default());
    let loss = loss::find(&plan, &plan.without(&faults), &faults, none);
    assert!(loss.cut.first.contains(&(SwitchId(0), SwitchId(2))), "{loss:?}");
    assert!(loss.cut.first.contains(&(SwitchId(2), SwitchId(0))), "{loss:?}");
}

/// A cable to a dead switch adds nothing, whichever end lists it.
#[test]
fn a_cable_of_a_dead_switch_is_not_listed() {
    let bytes = |cables: &[End]| {
        let mut bytes = Vec::new();
        let cables = cables.iter().copied().collect();
        let faults = FaultSet { switches: [SwitchId(4)].into(), cables, ..FaultSet::default() };
        updated([1, 4, 2, 5], "all", &faults, |_, _, update| bytes = update.faults);
        bytes
    };
    let df = Dragonfly::new(1, 4, 2, 5).unwrap();
    let plan = arrange(df, Arrangement::default(), 1).unwrap();
    let is_of = |end: &End| df.switch(end.group, df.split_port(end.port).0) == SwitchId(4);
    let of_switch = plan.cables().iter().map(|cable| [cable.low, cable.high]);
    let of_switch: Vec<_> = of_switch.filter(|ends| ends.iter().any(is_of)).collect();
    assert_eq!(of_switch.len(), 2);
    for end in of_switch.into_iter().flatten() {
        assert_eq!(bytes(&[end]), bytes(&[]), "{end:?}");
    }
}
