//! Contenders in the simulator: images made in memory, booted, and run under one load.
//!
//! [`SimulatedRunner`] answers a contest by the simulator. The datapath that is tried is the one that
//! ships, from the very bytes that would be written. A run is made once: the memory of runs keeps it.

use super::candidates::Candidate;
use super::contender::{CONVENTIONAL_NAME, Contender, Field, PerContender};
use super::error::ChooseError;
use super::figures::RunFigures;
use super::memory::Memory;
use super::panel::{Event, Panel};
use super::runner::{Runner, RunsAsked, load_of};
use crate::fabric::Fabric;
use crate::image::{Images, Routing, build};
use crate::routes::count::RouteCounter;
use rayon::prelude::*;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_progress::Progress;
use tvlb_simulator::{BootedFabric, Outcome, Run, RunError, Settings, StopRule, Traffic};

/// The images that switches would boot from, were a candidate chosen.
///
/// # Errors
/// The images take too many bytes, or the work was cancelled.
pub(super) fn images_of(
    counter: &RouteCounter<'_>,
    fabric: &Fabric,
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

/// Makes the directory that keeps what is done, if there is to be one.
///
/// # Errors
/// The operating system refused.
pub(super) fn make_state(directory: Option<&Path>) -> Result<(), ChooseError> {
    let Some(path) = directory else { return Ok(()) };
    let error = |source| ChooseError::Directory { path: path.to_owned(), source };
    std::fs::create_dir_all(path).map_err(error)
}

/// One contender, booted.
struct Booted<'i> {
    /// Names the contender in the memory of runs: scheme, policies and seed.
    name: String,
    network: BootedFabric<'i>,
    settings: Settings,
}

/// Runs contenders in the simulator.
pub(super) struct SimulatedRunner<'i> {
    contenders: PerContender<Booted<'i>>,
    memory: &'i Memory,
    progress: &'i dyn Progress,
    asked: Mutex<RunsAsked>,
}

impl<'i> SimulatedRunner<'i> {
    /// Boots all contenders of a field. Every run that is made is a step of `progress`.
    ///
    /// # Errors
    /// The images do not make a network that the simulator can hold.
    pub(super) fn boot(
        scheme: Scheme,
        panel: &Panel,
        field: &'i Field,
        memory: &'i Memory,
        progress: &'i dyn Progress,
    ) -> Result<Self, ChooseError> {
        let boot = |contender| {
            let images = field.images(contender);
            let (name, paths) = match field.candidate(contender) {
                None => (CONVENTIONAL_NAME.to_owned(), VlbPaths::Conventional),
                Some(candidate) => {
                    let seed = candidate.policies.source.rule.seed;
                    (format!("{}; set seed {seed}", candidate.name()), VlbPaths::Custom)
                }
            };
            Ok(Booted {
                name: format!("{}, {name}", scheme.name()),
                network: BootedFabric::boot(&images.fabric, &images.switches)?,
                settings: panel.settings(scheme, paths),
            })
        };
        let contenders: Vec<Contender> = Contender::all(field.count()).collect();
        let booted = contenders.into_par_iter().map(boot);
        let contenders = booted.collect::<Result<Vec<_>, ChooseError>>()?.into();
        Ok(Self { contenders, memory, progress, asked: Mutex::default() })
    }

    /// Every run that was asked for, whether the memory had it or it was made.
    pub(super) fn asked(self) -> RunsAsked {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The figures of a run, from the memory or made now.
    fn figures(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
    ) -> Result<RunFigures, ChooseError> {
        let Booted { name, network, settings } = &self.contenders[contender];
        let run = format!("{name}; {event}; {step}");
        if let Some(figures) = self.memory.recall(&run) {
            return Ok(figures);
        }
        self.progress.check()?;
        let traffic = Traffic::new(&event.pattern, network.dragonfly(), event.seed)?;
        let outcome = Run::new(network, settings, &traffic, load_of(step), event.seed)
            .map_err(RunError::Settings)
            .and_then(|run| {
                let several = traffic.populations().len() > 1;
                let stop_rule = if several {
                    StopRule::WhenEachPopulationIsDecided
                } else {
                    StopRule::WhenSaturated
                };
                run.measure(stop_rule, self.progress)
            });
        let figures = match outcome {
            Ok(outcome) => figures(&outcome),
            Err(RunError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => return Err(ChooseError::Run { run, error }),
        };
        self.memory.keep(run, figures.clone())?;
        self.progress.step();
        Ok(figures)
    }
}

impl Runner for SimulatedRunner<'_> {
    fn run(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
    ) -> Result<RunFigures, ChooseError> {
        let figures = self.figures(contender, event, step)?;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert((event.to_string(), contender, step), figures.clone());
        Ok(figures)
    }
}

fn figures(outcome: &Outcome) -> RunFigures {
    RunFigures {
        saturated: outcome.saturated,
        latency: outcome.all.latency,
        hops: outcome.all.hops,
        populations: outcome.populations.iter().map(|population| population.latency).collect(),
    }
}
