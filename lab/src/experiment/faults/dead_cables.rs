//! Which cables are dead: a share of all of them, drawn uniformly at random from a seed.

use tvlb_firmware_model::DefaultRng;
use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_schema::FaultSet;
use tvlb_topology::Topology;
use tvlb_traffic::below;

/// At least this share of a wiring's cables, in thousandths, as few as that takes. The cables of a larger
/// share include those of a smaller one from the same seed.
pub(super) fn dead_cables(topology: &Topology, thousandths: u32, seed: u64) -> FaultSet {
    let mut cables: Vec<_> = topology.cables().iter().map(|cable| cable.low).collect();
    let all = u32::try_from(cables.len()).expect("at most 2^23 cables");
    let count = (all * thousandths).div_ceil(1000);
    let mut rng = DefaultRng::seed_from_u64(seed);
    for place in 0..count {
        let drawn = place + below(&mut rng, all - place);
        cables.swap(place as usize, drawn as usize);
    }
    cables.truncate(count as usize);
    FaultSet { cables: cables.into_iter().collect(), ..FaultSet::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;
    use tvlb_topology::arrangement::{Arrangement, arrange};

    #[test]
    fn larger_shares_include_smaller_ones() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let topology = arrange(df, Arrangement::default(), 1).unwrap();
        let of = |thousandths, seed| dead_cables(&topology, thousandths, seed).cables;
        let counts = [0, 5, 10, 20, 50, 1000].map(|share| of(share, 7).len());
        assert_eq!(counts, [0, 1, 2, 3, 8, 144]);
        for seed in 1..20 {
            assert!(of(5, seed).is_subset(&of(10, seed)) && of(20, seed).is_subset(&of(50, seed)));
            assert_ne!(of(50, seed), of(50, seed + 1));
        }
        assert_eq!(topology.without(&dead_cables(&topology, 50, 1)).cables().len(), 136);
    }
}
