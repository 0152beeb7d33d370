//! A trial of one candidate: its images made in memory, booted, and run under one load.
//!
//! [`Judge`] is what a contest asks; `Simulated` answers by the simulator. The datapath that
//! is tried is the one that ships, from the very bytes that would be written.

use super::ChooseError;
use super::candidates::Candidate;
use super::evidence::Asked;
use super::memory::Memory;
use super::panel::{Event, Panel};
use super::record::CONVENTIONAL_NAME;
use super::search::load_of;
use crate::image::{Images, Routing, build};
use crate::routes::count::RouteCounter;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_progress::{Cancelled, Progress};
use tvlb_simulator::{Fabric, Outcome, Run, RunError, Settings, StopRule, Traffic};

/// What a contest needs to know of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Whether the mean latency over all nodes is above the limit, or certain to be.
    pub saturated: bool,
    /// Mean latency in cycles.
    pub latency: f64,
    /// Mean links between switches that a packet took.
    pub hops: f64,
    /// Mean latency of each population of nodes, if there are several.
    pub populations: Vec<f64>,
}

/// Answers what a contender makes of some traffic.
pub trait Judge: Sync {
    /// One run at a load of `step` hundredths.
    ///
    /// # Errors
    /// The run failed, or the user asked to stop.
    fn run(&self, contender: usize, event: &Event, step: u32) -> Result<Figures, ChooseError>;
}

/// One contender's images and where its VLB paths come from.
pub(super) struct Entrant<'i> {
    /// Names it in the memory of runs: its rules.
    pub(super) name: String,
    /// Its images.
    pub(super) images: &'i Images,
    /// Conventional, or from the images' sets.
    pub(super) paths: VlbPaths,
}

/// The images that switches would boot from, were a candidate chosen.
///
/// # Errors
/// The images take too many bytes, or the work was cancelled.
pub(super) fn images_of(
    counter: &RouteCounter<'_>,
    fabric: &crate::fabric::Fabric,
    candidate: &Candidate,
    progress: &dyn Progress,
) -> Result<Images, ChooseError> {
    let policies = candidate.policies.per_decision();
    let routing = Routing { policies, virtual_channels: fabric.file.virtual_channels };
    Ok(build(counter, &routing, &Unreported(progress))?)
}

/// Passes a cancellation on, but no steps: a candidate's images are one step of its caller.
struct Unreported<'p>(&'p dyn Progress);

impl Progress for Unreported<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Conventional UGAL, then the candidates.
pub(super) fn entrants<'i>(candidates: &[Candidate], images: &'i [Images]) -> Vec<Entrant<'i>> {
    let conventional = Entrant {
        name: CONVENTIONAL_NAME.to_owned(),
        images: &images[0],
        paths: VlbPaths::Conventional,
    };
    let custom = candidates.iter().zip(images).map(|(candidate, images)| Entrant {
        name: format!("{}; set seed {}", candidate.name(), candidate.policies.source.rule.seed),
        images,
        paths: VlbPaths::Custom,
    });
    std::iter::once(conventional).chain(custom).collect()
}

/// Judges by simulation.
pub(super) struct Simulated<'i> {
    entrants: Vec<(String, Fabric<'i>, Settings)>,
    memory: &'i Memory,
    progress: &'i dyn Progress,
    asked: Mutex<Asked>,
}

impl<'i> Simulated<'i> {
    /// Boots the contenders. Every run that is made is a step of `progress`.
    pub(super) fn boot(
        scheme: Scheme,
        panel: &Panel,
        entrants: Vec<Entrant<'i>>,
        memory: &'i Memory,
        progress: &'i dyn Progress,
    ) -> Result<Self, ChooseError> {
        let boot = |entrant: Entrant<'i>| {
            let fabric = Fabric::boot(&entrant.images.fabric, &entrant.images.switches)?;
            let name = format!("{}, {}", scheme.name(), entrant.name);
            Ok((name, fabric, panel.settings(scheme, entrant.paths)))
        };
        let entrants = entrants.into_par_iter().map(boot).collect::<Result<_, ChooseError>>()?;
        Ok(Self { entrants, memory, progress, asked: Mutex::default() })
    }

    /// Every run that was asked for, remembered or made.
    pub(super) fn asked(self) -> Asked {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run, remembered or made.
    fn figures(&self, contender: usize, event: &Event, step: u32) -> Result<Figures, ChooseError> {
        let (name, fabric, settings) = &self.entrants[contender];
        let run = format!("{name}; {event}; {step}");
        if let Some(figures) = self.memory.recall(&run) {
            return Ok(figures);
        }
        self.progress.check()?;
        let traffic = Traffic::new(&event.pattern, fabric.dragonfly(), event.seed)?;
        let outcome = Run::new(fabric, settings, &traffic, load_of(step), event.seed)
            .map_err(RunError::Settings)
            .and_then(|run| {
                let several = traffic.populations().len() > 1;
                let stop_rule = if several {
                    StopRule::WhenEachPopulationIsDecided
                } else {
                    StopRule::WhenSaturated
                };
                run.measure(stop_rule, &|| self.progress.is_cancelled())
            });
        let figures = match outcome {
            Ok(outcome) => figures(&outcome),
            Err(RunError::Stopped) => return Err(Cancelled.into()),
            Err(error) => return Err(ChooseError::Run { run, error }),
        };
        self.memory.keep(run, figures.clone())?;
        self.progress.step();
        Ok(figures)
    }
}

impl Judge for Simulated<'_> {
    fn run(&self, contender: usize, event: &Event, step: u32) -> Result<Figures, ChooseError> {
        let figures = self.figures(contender, event, step)?;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert((event.to_string(), contender, step), figures.clone());
        Ok(figures)
    }
}

fn figures(outcome: &Outcome) -> Figures {
    Figures {
        saturated: outcome.saturated,
        latency: outcome.all.latency,
        hops: outcome.all.hops,
        populations: outcome.populations.iter().map(|population| population.latency).collect(),
    }
}
