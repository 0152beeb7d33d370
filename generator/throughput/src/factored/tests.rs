//! The factored program against the matrix, and the first-order method against interior points.

use super::*;
use crate::Model;
use crate::certificate::{counted, lower_bound, upper_bound};
use crate::solve::{Warm, solve};
use crate::{first_order, solve_large};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_schema::{Bandwidth, Bandwidths, End, GroupKind, SwitchIndex};
use tvlb_topology::arrangement::{Arrangement, arrange};

fn close(found: &[f64], expected: &[f64]) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.len(), expected.len());
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        prop_assert!((found - expected).abs() < 1e-9, "{number}: {found} {expected}");
    }
    Ok(())
}

/// The same cables but for those of one switch, which the last group has not.
fn with_a_smaller_group(topology: &Topology) -> (Dragonfly, Topology) {
    let df = topology.dragonfly();
    let [p, a, h, g] = [df.p(), df.a(), df.h(), df.g()].map(|n| u16::try_from(n).unwrap());
    let kinds = [GroupKind::new(p, a, h, g - 1), GroupKind::new(p, a - 1, h, 1)];
    let uneven = Dragonfly::of_kinds(&kinds).unwrap();
    let cables = topology.cables().iter().map(|cable| (cable.low, cable.high));
    let there = |end: End| uneven.has_global_port_of(end.group, end.port);
    let cables = cables.filter(|&(low, high)| there(low) && there(high));
    (uneven, Topology::from_cables(uneven, cables).unwrap())
}

/// The same with up to three links between two switches of a group, or none between some: every seventh
/// pair or so, wherever another switch still joins the two.
fn with_local_links(topology: &Topology, most: u32, seed: u64) -> Topology {
    let df = *topology.dragonfly();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let pairs = df.groups().flat_map(|group| {
        let of = move |low| {
            df.indices(group).filter(move |&high| low < high).map(move |high| (group, low, high))
        };
        df.indices(group).flat_map(of)
    });
    let mut links: Vec<_> = pairs.map(|pair| (pair, random.random_range(1..=most))).collect();
    let with = |links: &[((GroupId, SwitchIndex, SwitchIndex), u32)]| {
        let all = links.iter().flat_map(|&(pair, count)| (0..count).map(move |_| pair));
        topology.clone().with_local_links(all.collect())
    };
    for number in 0..links.len() {
        if random.random_range(0..7) == 0 {
            let there = std::mem::take(&mut links[number].1);
            if with(&links).is_err() {
                links[number].1 = there;
            }
        }
    }
    with(&links).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The matrix has an entry for every link of every bundle, and knows no short cuts.
    #[test]
    fn the_matrix_says_the_same(
        sizes in prop_oneof![
            Just([2, 4, 2, 9]), Just([1, 3, 3, 5]), Just([2, 4, 3, 7]), Just([1, 5, 2, 4]), Just([1, 7, 1, 5]),
        ],
        arrangement in prop_oneof![
            Just(Arrangement::Absolute), Just(Arrangement::Relative), Just(Arrangement::Random),
        ],
        counting in prop_oneof![Just(Counting::Triples), Just(Counting::Routes)],
        set in prop_oneof![
            Just("all"), Just("4-hop"), Just("50% 5-hop"), Just("strategic-2-3"), Just("min"),
            Just("shapes:011+110"), Just("30% shapes:121"), Just("shapes:120"),
            Just("shapes:021, 40% shapes:120"),
        ],
        which in 0..3_u32,
        seed in 0..1000_u64,
        smaller: bool,
        most in 0..3_u32,
        globals in prop_oneof![Just(1000_u32), Just(500), Just(3000)],
    ) {
        let [p, a, h, g] = sizes;
        let df = Dragonfly::new(p, a, h, g).unwrap();
        let mut topology = arrange(df, arrangement, seed).unwrap();
        let mut df = df;
        if smaller {
            (df, topology) = with_a_smaller_group(&topology);
        }
        if most > 0 {
            topology = with_local_links(&topology, most, seed);
            df = *topology.dragonfly();
        }
        let globals = Bandwidth::of_thousandths(globals).unwrap();
        let bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, globals).unwrap();
        topology = topology.with_bandwidths(bandwidths);
        let pattern = match which {
            0 => Flows::shift(&df, 1, 1),
            1 => Flows::type_2_set(&df, 1, seed).remove(0),
            _ => Flows::permutation_set(&df, 1, seed).remove(0),
        };
        let set = PathSet::parse(set, seed).unwrap();
        let mut counter = PathCounter::new(&topology, counting);
        let matrix = crate::Bundles::new(
            (&mut counter, crate::Rule::Monotone), &topology, &pattern, &set, false,
        );
        let factored = Factored::new(&mut counter, &topology, &pattern, &set);
        let (Ok(matrix), Ok(factored)) = (&matrix, &factored) else {
            prop_assert_eq!(matrix.err(), factored.err());
            return Ok(());
        };
        let choices = factored.choices();
        prop_assert_eq!(&choices.kinds, &matrix.choices().kinds);
        prop_assert_eq!(&choices.flows, &matrix.choices().flows);
        close(&choices.per_path, &matrix.choices().per_path)?;
        let hops = [choices.mean_hops(), matrix.choices().mean_hops()];
        close(hops[0].as_slice(), hops[1].as_slice())?;

        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let split: Vec<f64> = (0..choices.len()).map(|_| random.random()).collect();
        let split = choices.projected(split);
        // A link that nothing uses has no price in any solver; a switch has no link to itself.
        let mut prices: Vec<f64> = (0..choices.rows).map(|_| random.random()).collect();
        let local = prices.chunks_exact_mut(LinkNumbers::new(df).per_group());
        let a = a as usize;
        local.for_each(|of_group| (0..a).for_each(|s| of_group[s * a + s] = 0.0));

        let mut loads = [vec![0.0; choices.rows], vec![0.0; choices.rows]];
        factored.loads(&split, &mut loads[0]);
        matrix.loads(&split, &mut loads[1]);
        close(&loads[0], &loads[1])?;
        let mut costs = [vec![0.0; choices.len()], vec![0.0; choices.len()]];
        factored.costs(&prices, &mut costs[0]);
        matrix.costs(&prices, &mut costs[1]);
        close(&costs[0], &costs[1])?;

        let found = counted(&mut counter, &pattern, &set, choices, (&split, &prices));
        close(&[found.lower, found.upper], &[
            lower_bound(matrix.choices(), &loads[1]),
            upper_bound(matrix, &prices).upper,
        ])?;
    }
}

#[test]
fn the_first_order_method_finds_what_the_interior_point_method_finds() {
    let df = Dragonfly::new(2, 4, 2, 9).unwrap();
    let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
    let mut warm = [Warm::default(), Warm::default()];
    for pattern in [Flows::shift(&df, 3, 1), Flows::type_2_set(&df, 1, 7).remove(0)] {
        for text in ["min", "3-hop", "30% 4-hop", "4-hop", "shapes:110", "strategic-2-3", "all"] {
            let set = PathSet::parse(text, 1).unwrap();
            let mut model = Model::new(&topology, Counting::Triples);
            let exact = solve(&model.bundles(&pattern, &set).unwrap(), 0.0, 5e-7, &mut warm[0]);
            let counter = &mut PathCounter::new(&topology, Counting::Triples);
            let program = Factored::new(counter, &topology, &pattern, &set).unwrap();
            let paths = solve_large::FlowPaths { counter, pattern: &pattern, set: &set };
            let found = solve_large::solve(&program, paths, 0.0, 1e-4, &mut warm[1]).certified;
            assert!(found.gap() <= 1.01e-4, "{text} on {pattern}: {found:?}");
            assert!(found.lower <= exact.certified.upper, "{text} on {pattern}");
            assert!(exact.certified.lower <= found.upper, "{text} on {pattern}");
        }
    }
}

#[test]
fn what_is_known_to_be_reached_or_needed_ends_the_game() {
    let df = Dragonfly::new(2, 4, 2, 9).unwrap();
    let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
    let pattern = Flows::shift(&df, 3, 1);
    let set = PathSet::parse("4-hop", 1).unwrap();
    let counter = &mut PathCounter::new(&topology, Counting::Triples);
    let program = Factored::new(counter, &topology, &pattern, &set).unwrap();
    let start = program.choices().even(None);
    let rounds = |least: f64, tolerance: f64| {
        let warm = &mut first_order::LastRegrets::default();
        first_order::solve(&program, start.clone(), least, tolerance, warm).rounds
    };
    assert!(rounds(0.0, 1e-3) > rounds(0.0, 1e-2));
    assert!(rounds(0.0, 1e-2) > rounds(1e9, 1e-2));
}
