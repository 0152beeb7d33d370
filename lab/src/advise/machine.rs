//! The machines that jobs could run on: each wiring that is asked about, with the images of each set.

use super::error::AdviceError;
use super::{JobRouting, Question};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Wiring};
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_generator::tables::tables_of;
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::dragonfly_plus::leaves;

/// One wiring, and the images of all sets over it.
pub(super) struct WiredMachine {
    pub(super) fabric: Fabric,
    /// By the text of a set, or nothing where packets draw conventionally.
    images: BTreeMap<Option<String>, Images>,
}

impl WiredMachine {
    /// The machines of a question, one for each wiring.
    pub(super) fn all(
        question: &Question<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Self>, AdviceError> {
        let wirings = &question.arrangements;
        progress.stage("wirings", Some(wirings.len() * question.routings.len()));
        wirings.iter().map(|wiring| Self::new(question, *wiring, progress)).collect()
    }

    fn new(
        question: &Question<'_>,
        wiring: Option<Arrangement>,
        progress: &dyn Progress,
    ) -> Result<Self, AdviceError> {
        let fabric = wired(question.fabric, wiring)?;
        let mut images = BTreeMap::new();
        for routing in &question.routings {
            if let Entry::Vacant(vacant) = images.entry(routing.key()) {
                let made = tables_of(&fabric, &routing.pair().per_decision(), &AsOneStep(progress));
                let of = || format!("{}, {routing}", super::name_of(wiring));
                let made = made.map_err(|error| AdviceError::of_images(of(), error))?;
                vacant.insert(made.images);
            }
            progress.step();
        }
        Ok(Self { fabric, images })
    }

    /// The images that switches with a routing boot from.
    pub(super) fn images(&self, routing: &JobRouting) -> &Images {
        self.images.get(&routing.key()).expect("made for every routing")
    }
}

/// The fabric with its global links in this arrangement, or as they are.
fn wired(fabric: &Fabric, wiring: Option<Arrangement>) -> Result<Fabric, AdviceError> {
    let Some(arrangement) = wiring else { return Ok(fabric.clone()) };
    if !leaves(&fabric.topology).is_empty() {
        return Err(AdviceError::LeavesAndSpines { arrangement });
    }
    let (df, seed) = (*fabric.topology.dragonfly(), fabric.file.seed);
    let topology = arrange(df, arrangement, seed)
        .map_err(|error| AdviceError::Arrangement { arrangement, error })?;
    let file = FabricFile { wiring: Wiring::Arrangement(arrangement), ..fabric.file.clone() };
    let topology = topology.with_bandwidths(file.bandwidths);
    Ok(Fabric { file, topology, names: fabric.names.clone() })
}

impl JobRouting {
    /// What tells the images of one routing from those of another.
    fn key(&self) -> Option<String> {
        self.set.as_ref().map(ToString::to_string)
    }

    /// The policies of its images. Where packets draw conventionally, decisions still go by what images weigh:
    /// one candidate of each kind, T = 0 and no gate.
    fn pair(&self) -> PolicyPair {
        let conventional = || PolicyPair::parse("min", 1).expect("min is in the grammar");
        self.set.clone().unwrap_or_else(conventional)
    }
}
