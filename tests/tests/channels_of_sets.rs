//! A fabric whose sets leave out the longest routes runs on fewer virtual channels: on just those that
//! the images say, and on none fewer.

use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_firmware_model::{Channels, DefaultRng, Error, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_schema::VcScheme::{Ordered, PerHop, Positional};
use tvlb_schema::{
    End, FabricImage, FaultSet, GlobalPort, GroupId, NodeId, PerDecision, SwitchIndex, VcScheme,
    encode_fault_image,
};
use tvlb_tests::{arranged, boot, carry};
use tvlb_topology::arrangement::Arrangement;

/// The images of a small fabric with one set for all decisions.
fn made(assignment: VcScheme, set: &str) -> (Fabric, tvlb_generator::tables::Generated) {
    let mut fabric = arranged((2, 4, 2, 9), Arrangement::Absolute);
    fabric.file.virtual_channels = Some(assignment);
    let rule = tvlb_table_set::grammar::parse_set(set, 1).unwrap();
    let policies = PerDecision::same(tvlb_generator::policy::Policy::from(rule));
    let made = tvlb_generator::tables::tables_of(&fabric, &policies, &()).unwrap();
    (fabric, made)
}

/// The most that any switch needs where VLB packets take the paths of the sets.
fn needed(switches: &[Switch<'_>], scheme: Scheme) -> Channels {
    let of = |switch: &Switch<'_>| switch.channels_needed_for(scheme, VlbPaths::Custom);
    switches.iter().map(of).reduce(Channels::or).unwrap()
}

#[test]
fn the_channels_of_sets() {
    let ugal_and_par = |assignment, set| {
        let (_, made) = made(assignment, set);
        let switches = boot(&made);
        [Scheme::UgalL, Scheme::Par].map(|scheme| {
            let Channels { local, global } = needed(&switches, scheme);
            (local, global)
        })
    };
    assert_eq!(ugal_and_par(Ordered, "shapes:111"), [(3, 2), (4, 3)]);
    assert_eq!(ugal_and_par(Ordered, "all"), [(4, 3), (5, 4)]);
    assert_eq!(ugal_and_par(PerHop, "shapes:111"), [(5, 4), (6, 5)]);
    assert_eq!(ugal_and_par(PerHop, "all"), [(6, 5), (7, 6)]);
    assert_eq!(ugal_and_par(Positional, "shapes:111"), [(4, 2), (5, 2)]);
    assert_eq!(ugal_and_par(Positional, "all"), [(4, 2), (5, 2)]);
    // Without a local hop at the source PAR's second look makes none after the first one.
    assert_eq!(ugal_and_par(Ordered, "shapes:011"), [(3, 2), (4, 2)]);
}

/// Every packet arrives on the channels that the images say, and fewer are refused by name at boot.
#[test]
fn packets_of_sets_arrive_on_their_channels() {
    for assignment in VcScheme::FOR_ANY {
        for set in ["shapes:111", "shapes:011", "all"] {
            let (fabric, made) = made(assignment, set);
            let df = *fabric.topology.dragonfly();
            for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
                let plain = boot(&made);
                let channels = needed(&plain, scheme);
                let with = |channels| {
                    boot(&made)
                        .into_iter()
                        .map(|switch| switch.with_channels_for(scheme, VlbPaths::Custom, channels))
                        .collect::<Result<Vec<_>, Error>>()
                };
                for few in [
                    Channels { local: channels.local - 1, ..channels },
                    Channels { global: channels.global - 1, ..channels },
                ] {
                    assert!(matches!(with(few), Err(Error::TooFewChannels { .. })), "{few:?}");
                }
                let switches = with(channels).unwrap();
                assert!(with(Channels::MOST).is_ok());
                let mut rng = DefaultRng::seed_from_u64(1);
                let (idle, full) = ([0_u32; 7], [9_u32, 9, 9, 9, 9, 0, 0]);
                for source in df.switches() {
                    for to in 0..df.node_numbers() {
                        for credits in [&idle, &full] {
                            let here = &switches[source.as_usize()];
                            let (paths, to) = (VlbPaths::Custom, NodeId(to));
                            let sent =
                                here.admit(to, scheme, paths, &credits[..], &mut rng).unwrap();
                            let again = |switch: &Switch<'_>, header| {
                                switch.reconsider(header, paths, &credits[..], &mut rng).unwrap()
                            };
                            let (node, _) = carry(&switches, source, sent.step, again).unwrap();
                            assert_eq!(node, to);
                        }
                    }
                }
            }
        }
    }
}

/// New tables whose sets need more channels than the links have leave the old ones serving.
#[test]
fn tables_that_need_more_channels_do_not_replace_those_in_use() {
    let ((_, short), (_, all)) =
        (made(VcScheme::Ordered, "shapes:111"), made(VcScheme::Ordered, "all"));
    let (old, new) = (&short.images, &all.images);
    let channels = Channels { local: 3, global: 2 };
    let boot = || Switch::boot(&old.fabric, &old.switches[5]).unwrap();
    let mut few = boot().with_channels_for(Scheme::UgalL, VlbPaths::Custom, channels).unwrap();
    assert!(matches!(
        few.replace(&new.fabric, &new.switches[5], None),
        Err(Error::TooFewChannels { links: "local", found: 3, needed: 4, .. })
    ));
    assert!(few.replace(&old.fabric, &old.switches[5], None).is_ok());
    let any = Channels::needed(VcScheme::Ordered, Scheme::UgalL);
    let mut enough = boot().with_channels(Scheme::UgalL, any).unwrap();
    assert!(enough.replace(&new.fabric, &new.switches[5], None).is_ok());
}

/// A packet of a switch that was booted with more channels is refused where its channel ends, not sent on another
/// one.
#[test]
fn no_packet_is_sent_on_a_channel_that_links_lack() {
    let (fabric, made) = made(VcScheme::Ordered, "shapes:111");
    let channels = Channels { local: 3, global: 2 };
    let switches: Vec<Switch<'_>> = boot(&made)
        .into_iter()
        .map(|switch| switch.with_channels_for(Scheme::Vlb, VlbPaths::Custom, channels).unwrap())
        .collect();
    let (df, mut rng) = (*fabric.topology.dragonfly(), DefaultRng::seed_from_u64(1));
    // For any paths, unlike the others.
    let other = &boot(&made)[0];
    let mut refused = 0;
    for _ in 0..1000 {
        let source = df.switches().next().unwrap();
        let paths = VlbPaths::Conventional;
        let sent = other.admit(NodeId(70), Scheme::Vlb, paths, &[0_u32; 7][..], &mut rng);
        let Step::Send { header, port, .. } = sent.unwrap().step else { panic!("it is sent") };
        let (mut at, mut header, mut port) = (source, header, port);
        loop {
            let (group, index) = switches[at.as_usize()].neighbour(port).unwrap();
            at = df.switch(group, index);
            match switches[at.as_usize()].forward(header) {
                Ok(Step::Send { port: next, virtual_channel, header: moved }) => {
                    let is_global = df.is_slot(next);
                    assert!(virtual_channel < if is_global { 2 } else { 3 });
                    (header, port) = (moved, next);
                }
                Ok(Step::Deliver { .. }) => break,
                Err(Error::NoChannel { .. }) => {
                    refused += 1;
                    break;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// MIN runs on the channels of its direct paths, the two of shortest paths of Prisacari et al. (2013,
/// section 2) under `ordered`, and on no fewer.
#[test]
fn min_alone_needs_the_channels_of_direct_paths() {
    let of = |assignment| {
        let (_, made) = made(assignment, "all");
        let needed = boot(&made)[5].channels_needed_for(Scheme::Min, VlbPaths::Conventional);
        (needed.local, needed.global)
    };
    assert_eq!([Ordered, PerHop, Positional].map(of), [(2, 1), (3, 2), (4, 1)]);
}

/// Where MIN packets go around what is missing, or by VLB, MIN needs what UGAL-L needs.
#[test]
fn min_needs_more_where_links_are_missing() {
    let lacking = tvlb_tests::of_local_links().swap_remove(1);
    let made = tvlb_tests::images(&lacking);
    let most = Channels::needed(VcScheme::Ordered, Scheme::UgalL);
    for switch in boot(&made) {
        assert_eq!(switch.channels_needed_for(Scheme::Min, VlbPaths::Conventional), most);
    }
}

/// A switch that serves MIN on these channels takes no image of dead parts, at whatever moment, and goes on
/// as it was.
#[test]
fn dead_parts_are_refused_where_min_has_no_channel_to_go_around_them() {
    let (_, made) = made(Ordered, "shapes:111");
    let images = &made.images;
    let (fabric, switch) = (&images.fabric, &images.switches[5]);
    let plan = FabricImage::decode(fabric).unwrap();
    let cable = End { group: GroupId(3), port: GlobalPort(1) };
    let faults = FaultSet { cables: [cable].into(), ..FaultSet::default() };
    let broken = encode_fault_image(&plan, 1, &faults);
    let mended = encode_fault_image(&plan, 1, &FaultSet::default());
    let few = Channels { local: 2, global: 1 };
    let refused = |result: Result<(), Error>| {
        assert_eq!(
            result.unwrap_err().to_string(),
            "local links have 2 virtual channels, but assignment \"ordered\" needs 3 for min"
        );
    };
    for paths in [VlbPaths::Custom, VlbPaths::Conventional] {
        let boot = || Switch::boot(fabric, switch).unwrap();
        let mut switch_of_min = boot().with_channels_for(Scheme::Min, paths, few).unwrap();
        let is_custom = paths == VlbPaths::Custom;
        if is_custom {
            refused(switch_of_min.install_faults(&broken));
            refused(switch_of_min.replace(fabric, switch, Some(&broken)));
        }
        assert!(switch_of_min.install_faults(&broken).is_err());
        assert!(switch_of_min.replace(fabric, switch, Some(&broken)).is_err());
        assert_eq!(switch_of_min.image().fabric().epoch(), 0);
        assert!(switch_of_min.image().fabric().has_live_cable(cable));
        let mut dead = boot();
        dead.install_faults(&broken).unwrap();
        assert!(dead.with_channels_for(Scheme::Min, paths, few).is_err());
        assert!(switch_of_min.install_faults(&mended).is_ok());
        let enough = boot().with_channels_for(Scheme::Min, paths, Channels::ORDERED);
        assert!(enough.unwrap().install_faults(&broken).is_ok());
    }
}

/// Groups that have gone, and whose numbers are left free, take no channel: nothing is sent to them.
#[test]
fn absent_groups_need_no_channels() {
    let kinds = [&[(2, 3, 2, 4)][..], &[(2, 3, 2, 2), (0, 0, 0, 1), (2, 3, 2, 2)]];
    let needed_with = |kinds: &[(u16, u16, u16, u16)]| {
        let fabric = tvlb_tests::with_set(tvlb_tests::of_kinds(kinds), "shapes:011");
        let made = tvlb_tests::images(&fabric);
        let switches = boot(&made);
        let of = |scheme| needed(&switches, scheme);
        (of(Scheme::Min), of(Scheme::UgalL), of(Scheme::Par))
    };
    let [without_gap, with_gap] = kinds.map(needed_with);
    let channels = |local, global| Channels { local, global };
    assert_eq!(without_gap, (channels(2, 1), channels(3, 2), channels(4, 2)));
    assert_eq!(with_gap, without_gap);
}

/// Tables are refused in place of others where they would be at boot, whatever paths packets take: also those of a
/// fabric that needs more channels.
#[test]
fn what_does_not_boot_does_not_replace() {
    let images = |is_whole: bool| {
        let mut fabric = tvlb_tests::arranged((1, 3, 2, 3), Arrangement::Absolute);
        if !is_whole {
            let link = |low, high| (GroupId(0), SwitchIndex(low), SwitchIndex(high));
            let links = vec![link(0, 1), link(1, 2)];
            fabric.topology = fabric.topology.with_local_links(links).unwrap();
        }
        fabric.file.virtual_channels = Some(Positional);
        tvlb_tests::images(&fabric)
    };
    let (whole, missing) = (images(true), images(false));
    let (old, new) = (boot(&whole), boot(&missing));
    let plans = [&whole, &missing].map(|made| FabricImage::decode(&made.images.fabric).unwrap());
    let gone = tvlb_table_set::dead_parts::not_in(&plans[0], &plans[1]).unwrap();
    assert_eq!(gone.local_links.len(), 1);
    let drained = encode_fault_image(&plans[0], 1, &gone);
    for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
        for (old, new) in old.iter().zip(&new) {
            for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
                let had =
                    Channels { local: 4, global: 2 }.or(old.channels_needed_for(scheme, paths));
                let mut running = old.clone().with_channels_for(scheme, paths, had).unwrap();
                running.install_faults(&drained).unwrap();
                let at_boot = new.clone().with_channels_for(scheme, paths, had).map(|_| ());
                assert_eq!(running.check_replacement(new), at_boot, "{scheme:?} {paths:?}");
                assert_eq!(at_boot.is_err(), scheme != Scheme::Par, "{scheme:?} {paths:?}");
            }
        }
    }
}
