//! Packets arrive: every pair, every scheme, every route, within the hop limit and on rising
//! channels, by switches that know their images only.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::mem::{Discriminant, discriminant};
use tvlb_firmware_model::{
    Channels, Choice, Error, Header, Kind, Scheme, Stage, Step, Switch, VlbPaths,
};
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{MinCandidate, NodeId, Port, VcScheme};
use tvlb_tests::{
    Crossing, arranged, boot, carry, images, of_local_links, shipped, uneven, with_set,
};
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::routes::ways::routes;
use tvlb_topology::{Topology, cable_list};

/// The channels of a path: there are as many as the scheme says, and a rank of them rises strictly
/// along the path. The rank is each scheme's own, as the design defines it.
fn assert_channels(path: &[Crossing], channels: VcScheme, needed: Channels) {
    let rank = |c: &Crossing| match channels {
        VcScheme::Ordered => 2 * c.virtual_channel + u8::from(c.global),
        VcScheme::PerHop => c.virtual_channel,
        // Source local, PAR's second, first global, two in the middle, second global, last local.
        VcScheme::Positional if c.global => [2, 5][usize::from(c.virtual_channel)],
        VcScheme::Positional => [0, 3, 4, 6, 1][usize::from(c.virtual_channel)],
        VcScheme::UpDown => unreachable!("these groups do not consist of leaves and spines"),
    };
    assert!(path.iter().map(rank).is_sorted_by(|a, b| a < b), "{channels:?}: {path:?}");
    for crossing in path {
        let count = if crossing.global { needed.global } else { needed.local };
        assert!(crossing.virtual_channel < count, "{channels:?}: {path:?}");
    }
}

/// Queues that make a switch prefer now this port, now that: pseudo-random by port and time.
fn queues(radix: u32, time: u32) -> Vec<u32> {
    (0..radix).map(|port| (port * 7919).wrapping_add(time.wrapping_mul(104_729)) % 33).collect()
}

fn assert_arrival(fabric: &Fabric, draws: u32) {
    let generated = images(fabric);
    let switches = boot(&generated);
    let df = *fabric.topology.dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut time = 0;
    for source in df.switches() {
        for destination in df.switches() {
            let nodes = df.nodes_of(df.place(destination).0);
            if nodes == 0 {
                continue;
            }
            let terminal = u8::try_from(u32::from(source.0) % nodes).unwrap();
            let node = df.node(destination, terminal);
            for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
                for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                    for _ in 0..draws {
                        time += 1;
                        let credits = queues(df.radix(), time);
                        let here = &switches[source.as_usize()];
                        let admission =
                            here.admit(node, scheme, paths, credits.as_slice(), &mut rng).unwrap();
                        let second = |switch: &Switch<'_>, header: Header| {
                            let credits = queues(df.radix(), time + 1);
                            switch.reconsider(header, paths, credits.as_slice(), &mut rng).unwrap()
                        };
                        let (arrived, path) =
                            carry(&switches, source, admission.step, second).unwrap();
                        assert_eq!(arrived, node);
                        let needed = here.channels_needed(scheme);
                        assert_channels(&path, fabric.virtual_channels(), needed);
                        let most = match (scheme, admission.choice) {
                            (_, Choice::Here) => 0,
                            (Scheme::Min, Choice::Min)
                                if fabric.topology.group_links().is_whole() =>
                            {
                                3
                            }
                            (Scheme::Min, Choice::Min) => 5,
                            (Scheme::Par, _) => 7,
                            _ => 6,
                        };
                        assert!(path.len() <= most, "{scheme:?}: {path:?}");
                    }
                }
            }
        }
    }
}

/// Every route of every pair, by a header made as the documented layout says.
fn assert_every_route(fabric: &Fabric) {
    let generated = images(fabric);
    let switches = boot(&generated);
    let topology: &Topology = &fabric.topology;
    let df = *topology.dragonfly();
    for source in df.switches() {
        for destination in df.switches() {
            if df.nodes_of(df.place(destination).0) < 2 {
                continue;
            }
            for expected in routes(topology, source, destination) {
                let route = expected.route();
                let detour = route.detour.unwrap_or(df.split_port(route.y).0);
                let header = Header::from_bits(
                    u64::from(destination.0) << 48
                        | 1 << 40
                        | u64::from(route.x.0) << 28
                        | u64::from(route.y.0) << 16
                        | u64::from(detour.0) << 8
                        | 2,
                );
                let first = switches[source.as_usize()].forward(header).unwrap();
                let (node, path) = carry(&switches, source, first, |_, header| header).unwrap();
                assert_eq!(node, df.node(destination, 1));
                let visited: Vec<_> =
                    std::iter::once(source).chain(path.iter().map(|c| c.to)).collect();
                assert_eq!(visited, expected.walk(&df, (source, destination)).switches());
                let needed = Channels::needed(fabric.virtual_channels(), Scheme::Vlb);
                assert_channels(&path, fabric.virtual_channels(), needed);
            }
        }
    }
}

#[test]
fn every_pair_and_scheme_on_dfly_2_4_2_9() {
    for set in ["strategic-2-3 by shape", "all", "2-hop"] {
        assert_arrival(&with_set(shipped("dfly-2-4-2-9.toml"), set), 10);
    }
}

#[test]
fn every_pair_and_scheme_on_dfly_4_8_4_9() {
    for channels in VcScheme::FOR_ANY {
        let mut fabric = with_set(shipped("dfly-4-8-4-9.toml"), "strategic-2-3 by shape");
        fabric.file.virtual_channels = Some(channels);
        assert_arrival(&fabric, 5);
    }
}

#[test]
fn every_route_on_dfly_2_4_2_9() {
    for channels in VcScheme::FOR_ANY {
        let mut fabric = shipped("dfly-2-4-2-9.toml");
        fabric.file.virtual_channels = Some(channels);
        assert_every_route(&fabric);
    }
}

#[test]
fn every_route_on_dfly_4_8_4_9() {
    assert_every_route(&shipped("dfly-4-8-4-9.toml"));
}

#[test]
fn on_odd_shapes_of_fabrics() {
    for (a, h, g) in [(1, 6, 7), (2, 2, 3), (4, 2, 2), (5, 1, 6), (3, 3, 5)] {
        for arrangement in Arrangement::ALL {
            assert_arrival(&with_set(arranged((2, a, h, g), arrangement), "all by shape"), 3);
        }
    }
}

#[test]
fn on_unequal_groups() {
    for mut fabric in uneven() {
        for channels in VcScheme::FOR_ANY {
            fabric.file.virtual_channels = Some(channels);
            for set in ["all by shape", "strategic-2-3 by shape", "switches:2-3"] {
                assert_arrival(&with_set(fabric.clone(), set), 3);
            }
            assert_every_route(&fabric);
        }
    }
}

#[test]
fn where_switches_of_a_group_share_several_links_or_none() {
    for mut fabric in of_local_links() {
        for channels in VcScheme::FOR_ANY {
            fabric.file.virtual_channels = Some(channels);
            for second in MinCandidate::ALL {
                fabric.file.policies.weighing.par_second.second_min = Some(second);
                for set in ["all by shape", "strategic-2-3 by shape", "switches:2-3"] {
                    assert_arrival(&with_set(fabric.clone(), set), 3);
                }
            }
            assert_every_route(&fabric);
        }
    }
}

/// The same header but for fields that do not matter here, which are others at random: where the packet is on
/// its way to another group, the destination, of x, y and the detour those that its stage is not about, and y
/// wherever a detour leads elsewhere first.
fn with_others(switch: &Switch<'_>, header: Header, rng: &mut impl Rng) -> Header {
    let (df, image) = (*switch.image().fabric().dragonfly(), switch.image());
    let any = random_header(switch, rng).bits();
    let (x, y, detour) = (0xfff << 28, 0xfff << 16, 0xff << 8);
    let is_here = |bits| df.place(Header::from_bits(bits).destination()).0 == image.group();
    let (stage, kind) = (header.stage(), header.kind());
    let free = if is_here(header.bits()) {
        let is_about = stage == Stage::Source && kind == Some(Kind::Vlb);
        x | y | if is_about { 0 } else { detour }
    } else {
        let to = if is_here(any) { 0 } else { 0xff_ffff << 40 };
        let leaves_elsewhere = |bits| {
            let y = Header::from_bits(bits).y();
            df.has_global_port_of(image.group(), y) && df.split_port(y).0 != header.detour()
        };
        let makes_detour = header.detour() != image.index()
            && leaves_elsewhere(header.bits())
            && leaves_elsewhere(any);
        to | match stage {
            Stage::Source | Stage::SourceLocal | Stage::SourceLocalAgain => y | detour,
            Stage::Middle if makes_detour => x | y,
            Stage::Middle => x,
            _ => x | detour,
        }
    };
    Header::from_bits(header.bits() & !free | any & free)
}

/// A header whose fields are all of the fabric.
fn random_header(switch: &Switch<'_>, rng: &mut impl Rng) -> Header {
    let df = *switch.image().fabric().dragonfly();
    let mut below = |n: u32| u64::from(rng.next_u32() % n);
    let number = usize::try_from(below(df.switch_count())).unwrap();
    let to = u64::from(df.switches().nth(number).unwrap().0);
    let (x, y) = (below(df.ports_per_group()), below(df.ports_per_group()));
    let (detour, low) = (below(df.a()), below(256));
    Header::from_bits(to << 48 | x << 28 | y << 16 | detour << 8 | low)
}

/// What becomes of a packet: by which port, or to which switch where several links lead there, on which
/// channel and at which stage it goes on, with the rest of its header as it was.
fn step(switch: &Switch<'_>, header: Header) -> Result<(Option<Port>, u64), Discriminant<Error>> {
    let plain = switch.image().fabric().group_links().is_single();
    match switch.forward(header).map_err(|error| discriminant(&error))? {
        Step::Deliver { port } => Ok((Some(port), 0)),
        Step::Send { port, virtual_channel, header: next } => {
            assert_eq!(next.bits() & !0xff, header.bits() & !0xff);
            assert_eq!(next.virtual_channel(), virtual_channel);
            let (group, index) = switch.neighbour(port).unwrap();
            let to = switch.image().fabric().dragonfly().switch(group, index);
            Ok((plain.then_some(port), u64::from(to.0) << 8 | next.bits() & 0xff))
        }
    }
}

/// What verification rests on where it follows packets leg by leg.
#[test]
fn a_step_follows_from_the_fields_that_its_stage_is_about() {
    let even = [((2, 4, 2, 9), Arrangement::Absolute), ((1, 3, 4, 5), Arrangement::Random)];
    let even = even.map(|(sizes, arrangement)| arranged(sizes, arrangement));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut sent = 0;
    for fabric in even.into_iter().chain(uneven()).chain(of_local_links()) {
        let generated = images(&with_set(fabric, "all"));
        let switches = boot(&generated);
        for number in 0..20_000 {
            let switch = &switches[number % switches.len()];
            let header = random_header(switch, &mut rng);
            // MIN packets choose among third switches by all that their header says.
            if !switch.image().fabric().group_links().is_whole() && header.kind() != Some(Kind::Vlb)
            {
                continue;
            }
            let found = step(switch, header);
            let other = with_others(switch, header, &mut rng);
            assert_eq!(found, step(switch, other), "{header:?} {other:?}");
            sent += u32::from(found.is_ok());
        }
    }
    assert!(sent > 20_000, "{sent}");
}

/// Numbers in the gaps after smaller groups are no destinations, and no packet goes there.
#[test]
fn what_is_in_a_gap_does_not_exist() {
    for fabric in uneven() {
        let generated = images(&fabric);
        let switches = boot(&generated);
        let df = *fabric.topology.dragonfly();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let gaps = (0..df.node_numbers()).map(NodeId).filter(|&node| !df.has_node(node));
        for node in gaps {
            for switch in &switches {
                let idle = [0_u32; 1];
                let sent =
                    switch.admit(node, Scheme::Min, VlbPaths::Custom, idle.as_slice(), &mut rng);
                assert!(matches!(sent, Err(Error::NoSuchNode { .. })), "{node}: {sent:?}");
            }
        }
        for switch in switches {
            let image = switch.image();
            for port in 0..u16::try_from(df.radix()).unwrap() {
                if let Some((group, index)) = switch.neighbour(Port(port)) {
                    assert!(df.has_index(group, index), "{} by {port}", image.switch());
                }
            }
        }
    }
}

#[test]
fn where_a_cable_is_missing_so_that_a_pair_of_groups_has_none() {
    let mut fabric = shipped("dfly-2-4-2-9.toml");
    let csv = cable_list::write(&fabric.topology);
    let without: String = csv
        .lines()
        .filter(|line| !(line.starts_with("0,") && line.split(',').nth(3) == Some("4")))
        .collect::<Vec<_>>()
        .join("\n");
    fabric.topology = cable_list::read(&fabric.file.dragonfly, &without).unwrap();
    assert_eq!(fabric.topology.links_per_pair(), (0, 1));
    for set in ["all by shape", "min"] {
        let fabric = with_set(fabric.clone(), set);
        let generated = images(&fabric);
        let switches = boot(&generated);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        // From group 0 to group 4 there is only VLB, whatever the scheme and the set.
        for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
            for destination in 32..40 {
                let credits = [0_u32; 8];
                let here = &switches[0];
                let admission = here
                    .admit(
                        NodeId(destination),
                        scheme,
                        VlbPaths::Custom,
                        credits.as_slice(),
                        &mut rng,
                    )
                    .unwrap();
                let wanted = if scheme == Scheme::Vlb && set != "min" {
                    Choice::Vlb
                } else {
                    Choice::VlbFallback
                };
                assert_eq!(admission.choice, wanted, "{scheme:?} {set}");
                let (arrived, path) =
                    carry(&switches, here.image().switch(), admission.step, |_, h| h).unwrap();
                assert_eq!(arrived, NodeId(destination));
                assert_channels(&path, fabric.virtual_channels(), here.channels_needed(scheme));
            }
        }
    }
}
