//! Parts come to a network that runs, and leave it, and no packet is lost.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::setting_values::Buffers;
use crate::test_images::{Images, absolute_classic, dragonfly, images, images_in};
use crate::{BootedFabric, FaultSchedule, Run, Scheme, Settings, TablesBefore};
use std::collections::BTreeMap;
use tvlb_firmware_model::{Error, Part, Switch, VlbPaths};
use tvlb_schema::{
    Dragonfly, End, FaultSet, FewerLinks, GroupId, GroupKind, LocalLink, PerDecision, SetRule,
    ShapeSet, SwitchId, SwitchIndex, encode_fabric_image_with, encode_fault_image,
};
use tvlb_traffic::{Pattern, Traffic};

const SCHEMES: [Scheme; 4] = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];

fn rule() -> SetRule {
    SetRule::whole(ShapeSet::ALL)
}

/// The fabric to which two groups have come, and a cable between two that were there.
fn grown() -> (Dragonfly, Vec<(End, End)>) {
    let df = dragonfly(2, 4, 2, 9);
    (df, absolute_classic(&df))
}

fn is_new((low, high): (End, End)) -> bool {
    high.group >= GroupId(7) || (low.group, high.group) == (GroupId(2), GroupId(5))
}

/// The fabric before, whose groups have the same numbers.
fn before() -> Images {
    let mut cables = grown().1;
    cables.retain(|&cable| !is_new(cable));
    images(&dragonfly(2, 4, 2, 7), &cables, rule())
}

/// All that is new.
fn new_parts(is_draining: bool) -> FaultSet {
    let (df, cables) = grown();
    let switches = df.switches().filter(|&switch| df.place(switch).0 >= GroupId(7)).collect();
    let new = cables.into_iter().filter(|&cable| is_new(cable));
    let cables = new.map(|(low, _)| low).collect();
    FaultSet { switches, cables, is_draining, ..FaultSet::default() }
}

fn tables_before(images: &Images) -> TablesBefore {
    let switches = (0..).map(SwitchId).zip(images.switches.iter().cloned()).collect();
    TablesBefore { fabric: images.fabric.clone(), switches }
}

fn settings(scheme: Scheme) -> Settings {
    let mut settings = Settings::new(scheme, VlbPaths::Custom);
    (settings.buffers, settings.patience_cycles) = (Buffers::all(4), 2000);
    settings
}

#[test]
fn a_saturated_network_grows_and_loses_nothing() {
    let (df, cables) = grown();
    let (old, new) = (before(), images(&df, &cables, rule()));
    let fabric = BootedFabric::boot(&new.fabric, &new.switches).unwrap();
    let schedule = |is_draining| {
        let entries = [(500, new_parts(is_draining)), (2000, FaultSet::default())];
        let schedule = FaultSchedule::new(&fabric, &entries, 0..=700).unwrap();
        schedule.grown_from(&fabric, tables_before(&old)).unwrap()
    };
    let traffic = Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap();
    // Of the ports of switches that are new, eight numbers each.
    let new_link = |run: &Run<'_>| run.network.link_flits().iter().skip(28 * 8).sum::<u32>();
    for scheme in SCHEMES {
        let settings = settings(scheme);
        let run = |schedule: &FaultSchedule| {
            let mut run = Run::with_faults(&fabric, &settings, &traffic, 0.9, 1, schedule).unwrap();
            for cycles in [400, 600, 900, 200, 400, 500] {
                run.advance(cycles).unwrap();
                run.inspect().unwrap();
            }
            let refused = run.losses().refused_at_source;
            assert!(refused > 100, "{scheme:?}: nothing is sent to what is not there");
            run.advance(1000).unwrap();
            assert_eq!(run.losses().refused_at_source, refused, "{scheme:?}: all is there");
            (run.losses().sent(), new_link(&run))
        };
        let (lost, carried) = run(&schedule(true));
        assert_eq!(lost, 0, "{scheme:?}");
        assert!(carried > 1000, "{scheme:?}: {carried}");
        // If what is new is dead until the last moment, a switch that knows less than another one loses packets.
        assert!(run(&schedule(false)).0 > 10, "{scheme:?}");
    }
}

#[test]
fn what_is_drained_before_it_dies_and_after_it_is_mended_loses_nothing() {
    let (df, cables) = grown();
    let new = images(&df, &cables, rule());
    let fabric = BootedFabric::boot(&new.fabric, &new.switches).unwrap();
    let traffic = Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap();
    let links = [(4, 2), (9, 3)].map(|(low, high)| LocalLink {
        low: SwitchId(low),
        high: SwitchIndex(high),
        number: 0,
    });
    let parts = |is_draining| FaultSet {
        cables: cables.iter().step_by(9).map(|&(low, _)| low).collect(),
        local_links: links.into(),
        is_draining,
        ..FaultSet::default()
    };
    let with = [(500, true), (3000, false), (4000, true), (5000, false)];
    let without = [(3000, false), (3001, false), (3002, false), (5000, false)];
    for scheme in SCHEMES {
        let settings = settings(scheme);
        let lost = |entries: &[(u32, bool)]| {
            let of = |&(cycle, drains): &(u32, bool)| {
                let faults = if cycle == 5000 { FaultSet::default() } else { parts(drains) };
                (cycle, faults)
            };
            let entries: Vec<_> = entries.iter().map(of).collect();
            let schedule = FaultSchedule::new(&fabric, &entries, 0..=500).unwrap();
            let run = Run::with_faults(&fabric, &settings, &traffic, 0.4, 1, &schedule);
            let mut run = run.unwrap();
            for _ in 0..13 {
                run.advance(500).unwrap();
                run.inspect().unwrap();
            }
            run.losses().sent()
        };
        assert_eq!(lost(&with), 0, "{scheme:?}");
        assert!(lost(&without) > 10, "{scheme:?}");
    }
}

/// Which parts a running switch says must be listed, until all are.
#[test]
fn a_switch_that_runs_takes_no_fabric_whose_other_parts_are_in_use() {
    let (df, cables) = grown();
    let (old, new) = (before(), images(&df, &cables, rule()));
    let plan = tvlb_schema::FabricImage::decode(&new.fabric).unwrap();
    let running = Switch::boot(&old.fabric, &old.switches[9]).unwrap();
    let take = |faults: &FaultSet| {
        let image = encode_fault_image(&plan, 1, faults);
        running.clone().replace(&new.fabric, &new.switches[9], Some(&image))
    };
    let mut listed = FaultSet::default();
    let mut said = BTreeMap::new();
    while let Err(error) = take(&listed) {
        let Error::PartInUse { part, tables: "new" } = error else { panic!("{error}") };
        match part {
            Part::Switch(switch) => listed.switches.insert(switch),
            Part::Cable(end) => listed.cables.insert(end),
            Part::LocalLinks(..) => panic!("{error}"),
        };
        *said.entry(matches!(part, Part::Switch(_))).or_insert(0) += 1;
    }
    // Eight switches, with which their cables die, and the cable between groups 2 and 5.
    assert_eq!(said[&true], 8);
    assert_eq!(said[&false], 1);
    // Without a fault image all is in use; and nothing may be taken back while it is.
    assert!(running.clone().replace(&new.fabric, &new.switches[9], None).is_err());
    let mut grown = Switch::boot(&new.fabric, &new.switches[9]).unwrap();
    assert!(matches!(
        grown.replace(&old.fabric, &old.switches[9], None),
        Err(Error::PartInUse { tables: "old", .. })
    ));
    let drained = encode_fault_image(&plan, 1, &new_parts(true));
    grown.install_faults(&drained).unwrap();
    grown.replace(&old.fabric, &old.switches[9], None).unwrap();
    // Other sizes number all parts otherwise.
    let wide = dragonfly(2, 4, 3, 9);
    let wide = images(&wide, &crate::test_images::absolute(&wide), rule());
    assert!(matches!(
        running.clone().replace(&wide.fabric, &wide.switches[9], None),
        Err(Error::Replacement { what: "number of global ports per switch", found: 3, needed: 2 })
    ));
}

/// Images of the large fabric, in which these pairs of switches share so many links.
fn with_fewer_links(fewer: &[FewerLinks]) -> Images {
    let (df, cables) = grown();
    let fabric = encode_fabric_image_with(&df, &cables, fewer);
    images_in(fabric, &PerDecision::same(rule()), 0)
}

/// Links within two groups, which the fabric before lacks.
fn lacking() -> [FewerLinks; 2] {
    [(1, 2), (17, 3)].map(|(low, high)| FewerLinks {
        low: SwitchId(low),
        high: SwitchIndex(high),
        links: 0,
    })
}

#[test]
fn local_links_come_to_a_saturated_network_and_nothing_is_lost() {
    let (old, new) = (with_fewer_links(&lacking()), with_fewer_links(&[]));
    let fabric = BootedFabric::boot(&new.fabric, &new.switches).unwrap();
    let link = |pair: FewerLinks| LocalLink { low: pair.low, high: pair.high, number: 0 };
    let schedule = |is_draining| {
        let local_links = lacking().map(link).into();
        let parts = FaultSet { local_links, is_draining, ..FaultSet::default() };
        let entries = [(500, parts), (2000, FaultSet::default())];
        let schedule = FaultSchedule::new(&fabric, &entries, 0..=700).unwrap();
        schedule.grown_from(&fabric, tables_before(&old)).unwrap()
    };
    let traffic = Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap();
    let mut lost_undrained = 0;
    for scheme in SCHEMES {
        let settings = settings(scheme);
        let lost = |schedule: &FaultSchedule| {
            let mut run = Run::with_faults(&fabric, &settings, &traffic, 0.9, 1, schedule).unwrap();
            for _ in 0..8 {
                run.advance(500).unwrap();
                run.inspect().unwrap();
            }
            assert_eq!(run.losses().refused_at_source, 0, "{scheme:?}: every switch was there");
            run.losses().sent()
        };
        assert_eq!(lost(&schedule(true)), 0, "{scheme:?}");
        // A MIN packet goes around a dead link of its group, and is not lost.
        lost_undrained += lost(&schedule(false));
    }
    assert!(lost_undrained > 0);
}

/// What a switch with the tables of `old` says of those of `new`: the part that it names.
fn part_in_use(old: &Images, new: &Images, at: usize) -> Result<(), (Part, &'static str)> {
    let running = Switch::boot(&old.fabric, &old.switches[at]).unwrap();
    let new = Switch::boot(&new.fabric, &new.switches[at]).unwrap();
    running.check_replacement(&new).map_err(|error| match error {
        Error::PartInUse { part, tables } => (part, tables),
        other => panic!("{other}"),
    })
}

/// Every switch asks, not only one at an end of the links.
#[test]
fn local_links_that_are_not_in_both_fabrics_are_in_use() {
    let (fewer, whole) = (with_fewer_links(&lacking()[..1]), with_fewer_links(&[]));
    let part = Part::LocalLinks(SwitchId(1), SwitchId(2));
    for at in [1, 9, 35] {
        assert_eq!(part_in_use(&fewer, &whole, at), Err((part, "new")));
        assert_eq!(part_in_use(&whole, &fewer, at), Err((part, "old")));
        assert_eq!(part_in_use(&whole, &whole, at), Ok(()));
    }
}

/// The nodes of a switch that has more of them than before are no longer those of the old tables.
#[test]
fn switches_with_other_nodes_are_in_use() {
    let of = |p| {
        let kinds = [GroupKind::new(2, 4, 2, 8), GroupKind::new(p, 4, 2, 1)];
        let df = Dragonfly::of_kinds(&kinds).unwrap();
        images(&df, &grown().1, rule())
    };
    let (few, many) = (of(1), of(2));
    let part = Part::Switch(SwitchId(32));
    for at in [0, 32, 35] {
        assert_eq!(part_in_use(&few, &many, at), Err((part, "old")));
        assert_eq!(part_in_use(&many, &few, at), Err((part, "old")));
    }
}
