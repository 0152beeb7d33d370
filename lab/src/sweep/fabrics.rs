//! The fabrics of a study: fabric files, or sizes as in `dfly(4,8,4,9)`, with an arrangement after them if wanted.

use super::error::SweepError;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_generator::checked_fabric::fabric_image;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::image::{ImageStageError, Images};
use tvlb_generator::policy::Policy;
use tvlb_generator::tables::tables_of;
use tvlb_schema::{Dragonfly, FabricImage, PerDecision, VcScheme};
use tvlb_table_set::names::Parts;
use tvlb_table_set::sha256;
use tvlb_topology::arrangement::Arrangement;

/// The prefix of a fabric's sizes.
const SIZES: &str = "dfly(";

/// Whether a text names a fabric by its sizes.
pub(super) fn is_sizes(text: &str) -> bool {
    text.starts_with(SIZES)
}

/// A fabric as a study names it.
pub(crate) struct NamedFabric {
    /// The text in the file.
    pub(crate) path: String,
    pub(crate) fabric: Fabric,
    /// The SHA-256 of its sizes, its cables and the local links that it lacks.
    pub(crate) wiring: String,
    /// Its plan as an image.
    image: Vec<u8>,
}

impl NamedFabric {
    /// Reads an entry of the list of fabrics. Paths begin at `beside`.
    pub(super) fn read(text: &str, beside: &Path) -> Result<Self, SweepError> {
        let path = text.to_owned();
        let Some(sizes) = text.strip_prefix(SIZES) else {
            return Ok(Self::new(path, Fabric::load(&beside.join(text))?));
        };
        let wrong = || SweepError::Fabric { found: text.to_owned() };
        let (sizes, arrangement) = sizes.split_once(')').ok_or_else(wrong)?;
        let sizes: Result<Vec<u32>, _> = sizes.split(',').map(|size| size.trim().parse()).collect();
        let [p, a, h, g] = sizes.ok().and_then(|all| all.try_into().ok()).ok_or_else(wrong)?;
        let arrangement: Arrangement = match arrangement.trim() {
            "" => Arrangement::default(),
            name => name.parse().map_err(|_| wrong())?,
        };
        let wrong_size = |error| SweepError::Sizes { found: text.to_owned(), error };
        let df = Dragonfly::new(p, a, h, g).map_err(wrong_size)?;
        let mut name = format!("dfly-{p}-{a}-{h}-{g}");
        if arrangement != Arrangement::default() {
            name = format!("{name}-{arrangement}");
        }
        Ok(Self::new(path, Fabric::new(&name, df, arrangement, 1)?))
    }

    pub(crate) fn new(path: String, fabric: Fabric) -> Self {
        let topology = &fabric.topology;
        let (df, cables, fewer) = (topology.dragonfly(), topology.cables(), topology.fewer_links());
        let wiring = format!("{df:?} {cables:?} {fewer:?}");
        let image = fabric_image(topology);
        Self { path, wiring: sha256(wiring.as_bytes()), image, fabric }
    }

    pub(super) fn plan(&self) -> FabricImage<'_> {
        FabricImage::decode(&self.image).expect("the encoder decodes what it wrote")
    }

    /// The fabric's name, and its parts by theirs.
    pub(super) fn parts(&self) -> (&str, Parts<'_>) {
        let Fabric { file, topology, names } = &self.fabric;
        (&file.name, Parts::new(topology.dragonfly(), names))
    }

    /// The images of the fabric with these policies and this assignment of virtual channels.
    pub(super) fn images(
        &self,
        policies: &PerDecision<Policy>,
        vc_scheme: VcScheme,
        progress: &dyn Progress,
    ) -> Result<Images, SweepError> {
        let mut fabric = self.fabric.clone();
        fabric.file.virtual_channels = Some(vc_scheme);
        let made = tables_of(&fabric, policies, progress).map_err(|error| match error {
            ImageStageError::Cancelled(cancelled) => cancelled.into(),
            error => SweepError::Image { path: self.path.clone().into(), error },
        })?;
        Ok(made.images)
    }
}

/// A traffic for a fabric: an argument in parentheses may be a sum of numbers and sizes, as in `shift(2h+h/2,0)`,
/// each with a number before it or a divisor after it.
pub(super) fn for_fabric(traffic: &str, df: &Dragonfly) -> String {
    let Some((name, rest)) = traffic.split_once('(') else { return traffic.to_owned() };
    let arguments = rest.trim_end_matches(')').split(',');
    let all: Vec<String> = arguments
        .map(|argument| {
            sum(argument.trim(), df).map_or_else(|| argument.to_owned(), |sum| sum.to_string())
        })
        .collect();
    if rest.ends_with(')') { format!("{name}({})", all.join(",")) } else { traffic.to_owned() }
}

/// The value of a sum that names a size.
fn sum(text: &str, df: &Dragonfly) -> Option<u32> {
    let size = |letter: char| match letter {
        'p' => Some(df.p()),
        'a' => Some(df.a()),
        'h' => Some(df.h()),
        'g' => Some(df.g()),
        _ => None,
    };
    let term = |term: &str| -> Option<u32> {
        let (product, divisor) = term.split_once('/').unwrap_or((term, "1"));
        let value = match product.chars().last().and_then(size) {
            None => product.parse().ok()?,
            Some(size) => match &product[..product.len() - 1] {
                "" => size,
                times => size.checked_mul(times.parse().ok()?)?,
            },
        };
        value.checked_div(divisor.parse().ok()?)
    };
    let names_a_size = text.chars().any(|letter| size(letter).is_some());
    let terms = text.split('+').map(|text| term(text.trim()));
    names_a_size.then(|| terms.sum::<Option<u32>>()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_can_be_said_by_the_sizes_of_the_fabric() {
        let df = Dragonfly::new(3, 6, 3, 19).unwrap();
        for (text, expected) in [
            ("shift(h+1,0)", "shift(4,0)"),
            ("shift(2h+h/2, 0)", "shift(7, 0)"),
            ("shift(2,0)", "shift(2,0)"),
            ("uniform", "uniform"),
            ("flows:map(1).csv", "flows:map(1).csv"),
            ("hot(x,h)", "hot(x,3)"),
        ] {
            assert_eq!(for_fabric(text, &df).replace(' ', ""), expected.replace(' ', ""), "{text}");
        }
    }

    #[test]
    fn sizes_are_a_fabric() {
        let name = |text: &str| {
            NamedFabric::read(text, Path::new("")).map(|named| named.fabric.file.name.clone())
        };
        assert_eq!(name("dfly(2,4,2,9)").unwrap(), "dfly-2-4-2-9");
        assert_eq!(name("dfly(2, 4, 2, 9) relative").unwrap(), "dfly-2-4-2-9-relative");
        for text in ["dfly(2,4,2)", "dfly(2,4,2,9", "dfly(2,4,2,9) sideways"] {
            let error = name(text).unwrap_err().to_string();
            assert!(error.contains("accepted a fabric file, or sizes"), "{error}");
        }
        assert!(name("dfly(0,4,2,9)").unwrap_err().to_string().contains("p must be 1 to"));
        assert!(name("none.toml").unwrap_err().to_string().contains("none.toml"));
    }
}
