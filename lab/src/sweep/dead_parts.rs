//! The dead parts in the runs of a study: lists that it names, applied to each fabric, or a share of the cables between
//! groups, drawn uniformly at random by the seed of the run.

use super::file::NOTHING_DEAD;
use std::path::Path;
use tvlb_base::text::quoted;
use tvlb_firmware_model::DefaultRng;
use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{FabricImage, FaultSet};
use tvlb_table_set::dead_parts::{MOST_BYTES, parse, write};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_topology::Topology;
use tvlb_traffic::below;

/// The text after a share of the cables.
const OF_CABLES: &str = " of cables";

/// The dead parts of each fabric.
pub(super) struct DeadParts {
    /// The text in the file.
    pub(super) name: String,
    what: What,
}

enum What {
    Nothing,
    /// By fabric, in the order of the file.
    Listed(Vec<FaultSet>),
    /// This share of the cables, in thousandths.
    Drawn(u32),
}

impl DeadParts {
    /// Reads an entry of the list `faults`: a path relative to `beside`, `none`, or a share of cables as in `0.5% of
    /// cables`.
    pub(super) fn read(
        name: &str,
        beside: &Path,
        fabrics: &[(&Fabric, FabricImage<'_>)],
    ) -> Result<Self, String> {
        let named = |what| Ok(Self { name: name.to_owned(), what });
        if name == NOTHING_DEAD {
            return named(What::Nothing);
        }
        if let Some(share) = name.strip_suffix(OF_CABLES) {
            return named(What::Drawn(thousandths(share)?));
        }
        let path = beside.join(name);
        let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = input_file::read_text(&path, MOST_BYTES, Symlinks::Follow)
            .map_err(|error| in_file(&format_args!("cannot read it: {error}")))?;
        let of_fabric = |(fabric, plan): &(&Fabric, FabricImage<'_>)| {
            parse(&text, plan, &fabric.names)
                .map_err(|error| in_file(&format_args!("{error} (of {})", fabric.file.name)))
        };
        let by_fabric = fabrics.iter().map(of_fabric).collect::<Result<_, String>>()?;
        named(What::Listed(by_fabric))
    }

    /// Whether the dead parts depend on the seed.
    pub(super) const fn is_drawn(&self) -> bool {
        matches!(self.what, What::Drawn(_))
    }

    /// The dead parts of a fabric; `None` if the file says `none`.
    pub(super) fn of(&self, place: usize, seed: u64, fabric: &Fabric) -> Option<FaultSet> {
        match &self.what {
            What::Nothing => None,
            What::Listed(by_fabric) => Some(by_fabric[place].clone()),
            What::Drawn(share) => Some(dead_cables(&fabric.topology, *share, seed)),
        }
    }

    /// The same as a list of dead parts.
    pub(super) fn in_words(&self, place: usize, seed: u64, fabric: &Fabric) -> Option<String> {
        let faults = self.of(place, seed, fabric)?;
        Some(write(fabric.topology.dragonfly(), &faults))
    }
}

/// A share in percent, in thousandths of all.
fn thousandths(text: &str) -> Result<u32, String> {
    let percent = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    let tenths = percent
        .map(|percent| percent * 10.0)
        .filter(|tenths| (0.0..=1000.0).contains(tenths) && (tenths - tenths.round()).abs() < 1e-9);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    tenths.map(|tenths| tenths.round() as u32).ok_or_else(|| {
        format!(
            "found {} of cables, accepted 0% to 100% in tenths of a percent, as in 0.5% of cables",
            quoted(text)
        )
    })
}

/// At least this share of a wiring's cables, in thousandths, as few as that takes. The cables of a larger
/// share include those of a smaller one from the same seed.
fn dead_cables(topology: &Topology, thousandths: u32, seed: u64) -> FaultSet {
    let mut cables: Vec<_> = topology.cables().iter().map(|cable| cable.low).collect();
    let all = u32::try_from(cables.len()).expect("at most 2^23 cables");
    let count = u32::try_from((u64::from(all) * u64::from(thousandths)).div_ceil(1000))
        .expect("at most all cables");
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
    }

    #[test]
    fn a_share_is_in_tenths_of_a_percent() {
        assert_eq!((thousandths("0.5%"), thousandths("100%")), (Ok(5), Ok(1000)));
        for text in ["0.05%", "101%", "5", "-1%"] {
            assert!(thousandths(text).unwrap_err().contains("as in 0.5% of cables"), "{text}");
        }
    }
}
