//! The policies of a table set, read back from its images: its sets, how they are weighed, and how each switch thins
//! them.
//!
//! The same policies give the same switch images again, byte for byte.

use crate::policy::{Levels, Policy};
use std::path::PathBuf;
use tvlb_schema::{
    Decision, FabricImage, ImageError, Level, MinCandidate, PerDecision, SetRule, SwitchImage,
    VcScheme, Weighing,
};
use tvlb_table_set::{ReadError, TableSet};

/// The routing in the images of a table set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePolicies {
    /// The identity of the images' fabric.
    pub fabric_identity: u64,
    pub virtual_channels: VcScheme,
    pub policies: PerDecision<Policy>,
}

/// Why the policies cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TablePoliciesError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{path}: {error}")]
    Image { path: PathBuf, error: ImageError },
    #[error(
        "{path}: its {what} differs from the first switch's; accepted is the same for all switches"
    )]
    Different { path: PathBuf, what: &'static str },
}

/// The policy of a decision in one switch, without the thinning of the set.
type Rule = (SetRule, Weighing, MinCandidate);

/// Reads the policies from the images of a table set.
///
/// # Errors
/// An unusable file, or switches with different rules.
///
/// # Example
/// ```
/// use tvlb_generator::fabric::Fabric;
/// use tvlb_generator::pipeline::{self, GenerateSettings};
/// use tvlb_generator::table_policies::read;
/// use tvlb_table_set::{Existing, TableSet};
///
/// # let home = tempfile::tempdir()?;
/// # let lab = home.path().join("lab.toml");
/// # std::fs::write(&lab, "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n[routing]\nset = \"4-hop\"")?;
/// # let tables = home.path().join("tables");
/// let settings = GenerateSettings::default();
/// pipeline::run(&Fabric::load(&lab)?, &settings, &tables, Existing::Refuse, &())?;
/// let found = read(&TableSet::open(&tables)?)?;
/// assert_eq!(found.policies.par_source.to_string(), "4-hop");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(set: &TableSet) -> Result<TablePolicies, TablePoliciesError> {
    let fabric = set.fabric_image()?;
    let fabric = FabricImage::decode(&fabric)
        .map_err(|error| TablePoliciesError::Image { path: set.fabric_path(), error })?;
    let df = fabric.dragonfly();
    let mut first: Option<(PerDecision<Rule>, VcScheme)> = None;
    let mut thinning = vec![PerDecision::<Vec<Level>>::default(); df.switch_numbers() as usize];
    for switch in df.switches() {
        let path = || set.switch_path(switch);
        let bytes = set.switch_image(switch)?;
        let image = SwitchImage::decode(&bytes, &fabric)
            .map_err(|error| TablePoliciesError::Image { path: path(), error })?;
        let rules = PerDecision::from_fn(|decision| {
            let min = match decision {
                Decision::ParSecond => image.second_min(),
                Decision::UgalL | Decision::ParSource => MinCandidate::Kept,
            };
            (*image.set(decision).rule(), *image.weighing(decision), min)
        });
        let own = (rules, image.virtual_channels());
        let known = *first.get_or_insert(own);
        let differs =
            [(known.0 != own.0, "routing"), (known.1 != own.1, "rule of virtual channels")];
        if let Some((_, what)) = differs.into_iter().find(|(differs, _)| *differs) {
            return Err(TablePoliciesError::Different { path: path(), what });
        }
        thinning[switch.as_usize()] = PerDecision::from_fn(|decision| {
            let view = image.set(decision);
            let levels: Vec<Level> = df.global_ports().map(|x| view.level(x)).collect();
            if levels.iter().all(|&level| level == Level::ALL) { Vec::new() } else { levels }
        });
    }
    let (rules, virtual_channels) = first.expect("a fabric has switches");
    let policies = PerDecision::from_fn(|decision| {
        let (rule, weighing, min) = *rules.get(decision);
        let of_switches = thinning.iter().map(|levels| levels.get(decision).clone());
        let levels: Levels = of_switches.collect();
        let is_thinned = levels.iter().any(|of_switch| !of_switch.is_empty());
        let levels = if is_thinned { levels } else { Levels::default() };
        Policy { rule, weighing, min, levels }
    });
    Ok(TablePolicies { fabric_identity: fabric.identity(), virtual_channels, policies })
}
