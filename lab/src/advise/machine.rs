//! The machines that jobs could run on: each wiring in the question, with the images of each routing.

use super::error::AdviceError;
use super::{JobRouting, Question};
use crate::sweep::{BootImages, CONVENTIONAL, ImageKey, NamedFabric, StudyPaths, SweepError};
use std::path::Path;
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Wiring};
use tvlb_simulator::BootedFabric;
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::dragonfly_plus::leaves;

/// The wirings of a question, and the images for each routing.
pub(super) struct Machines {
    pub(super) fabrics: Vec<NamedFabric>,
    pub(super) paths: Vec<StudyPaths>,
    images: BootImages,
}

impl Machines {
    pub(super) fn new(
        question: &Question<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, AdviceError> {
        let (wirings, routings) = (&question.arrangements, &question.routings);
        progress.stage("wirings", Some(wirings.len() * routings.len()));
        let named = |wiring: &Option<Arrangement>| {
            let name = super::name_of(*wiring).to_owned();
            Ok(NamedFabric::new(name, wired(question.fabric, *wiring)?))
        };
        let fabrics = wirings.iter().map(named).collect::<Result<_, AdviceError>>()?;
        let paths = routings.iter().map(JobRouting::paths).collect();
        let mut machines = Self { fabrics, paths, images: BootImages::default() };
        for wiring in 0..wirings.len() {
            for routing in 0..routings.len() {
                let key = machines.key(wiring, routing);
                let boots = (&machines.fabrics[wiring], &machines.paths[routing]);
                machines.images.prepare(key, boots, None, &AsOneStep(progress))?;
                progress.step();
            }
        }
        Ok(machines)
    }

    /// Routings with the same paths have the same images.
    fn key(&self, wiring: usize, routing: usize) -> ImageKey {
        let vc_scheme = self.fabrics[wiring].fabric.virtual_channels();
        let set = StudyPaths::first_alike(&self.paths, routing);
        ImageKey { fabric: wiring, set, vc_scheme, dead: 0, seed: 0 }
    }

    pub(super) fn booted(
        &self,
        wiring: usize,
        routing: usize,
    ) -> Result<BootedFabric<'_>, SweepError> {
        self.images.booted(self.key(wiring, routing))
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
    fn paths(&self) -> StudyPaths {
        let text = self.set.as_ref().map_or_else(|| CONVENTIONAL.to_owned(), ToString::to_string);
        StudyPaths::of_text(text, Path::new("")).expect("a policy is written as it is read")
    }
}
