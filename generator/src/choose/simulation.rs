//! Contenders in the simulator: images made in memory, booted, and run under one load.
//!
//! [`SimulatedRunner`] answers a contest by the simulator. It runs the datapath that ships, on the very bytes that
//! would be written. A run is made once: the memory of runs keeps it, and a run that another process is making is
//! waited for.

use super::candidates::PolicyCandidate;
use super::contender::{Contender, Field};
use super::error::ChooseError;
use super::figures::{Kept, RunFigures};
use super::memory::{self, Memory};
use super::panel::{Event, Oblivious, Panel};
use super::runner::{Runner, load_of};
use crate::checked_fabric::CheckedFabric;
use crate::image::{ImageRouting, Images, build};
use crate::policy::Policy;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tvlb_base::progress::{AsOneStep, Progress};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::PerDecision;
use tvlb_simulator::{
    BootedFabric, ForeseenLatency, Outcome, Run, RunError, Scheme, Settings, StopRule,
};
use tvlb_table_set::grammar::CONVENTIONAL;
use tvlb_table_set::runs::Turn;
use tvlb_traffic::Traffic;

/// The images from which switches would boot if a candidate's policies were chosen.
pub(super) fn images_of(
    fabric: &CheckedFabric<'_>,
    policies: PerDecision<Policy>,
    progress: &dyn Progress,
) -> Result<Images, ChooseError> {
    let routing = ImageRouting { policies, virtual_channels: fabric.virtual_channels() };
    Ok(build(fabric, &routing, &AsOneStep(progress))?)
}

/// Candidates, each with its images.
pub(super) fn with_images(
    fabric: &CheckedFabric<'_>,
    candidates: impl IntoIterator<Item = PolicyCandidate>,
    progress: &dyn Progress,
) -> impl Iterator<Item = Result<(PolicyCandidate, Images), ChooseError>> {
    candidates.into_iter().map(move |candidate| {
        let images = images_of(fabric, candidate.policies.per_decision(), progress)?;
        Ok((candidate, images))
    })
}

/// Makes the directory for finished work, if one is wanted.
///
/// # Errors
/// The directory cannot be made.
pub fn make_state(directory: Option<&Path>) -> Result<(), ChooseError> {
    let Some(path) = directory else { return Ok(()) };
    let error = |source| ChooseError::Directory { path: path.to_owned(), source };
    std::fs::create_dir_all(path).map_err(error)
}

/// A routing that runs, booted.
struct Booted<'i> {
    /// The routing's name in the memory of runs: a scheme, with the policies and their seed.
    name: String,
    network: BootedFabric<'i>,
    settings: Settings,
}

impl<'i> Booted<'i> {
    fn new(
        panel: &Panel,
        images: &'i Images,
        scheme: Scheme,
        paths: VlbPaths,
        name: &str,
    ) -> Result<Self, ChooseError> {
        let network = BootedFabric::boot(&images.fabric, &images.switches)?;
        Ok(Self {
            name: format!("{}, {name}", scheme.name()),
            network: network.with_nodes(panel.nodes().clone()),
            settings: panel.settings(scheme, paths),
        })
    }
}

/// Runs contenders, or oblivious routing, in the simulator. Every run is a step of `progress`.
pub(super) struct SimulatedRunner<'i, S = Contender> {
    booted: BTreeMap<S, Booted<'i>>,
    panel: &'i Panel,
    memory: &'i Memory,
    progress: &'i dyn Progress,
    asked: Mutex<BTreeSet<(String, S, u32, bool)>>,
}

impl<'i> SimulatedRunner<'i, Oblivious> {
    /// Boots MIN and conventional VLB from the images of the baselines.
    pub(super) fn oblivious(
        panel: &'i Panel,
        images: &'i Images,
        memory: &'i Memory,
        progress: &'i dyn Progress,
    ) -> Result<Self, ChooseError> {
        let boot = |(routing, scheme)| {
            let paths = VlbPaths::Conventional;
            Ok((routing, Booted::new(panel, images, scheme, paths, CONVENTIONAL)?))
        };
        let both = [(Oblivious::Min, Scheme::Min), (Oblivious::Vlb, Scheme::Vlb)];
        let booted = both.into_iter().map(boot).collect::<Result<_, ChooseError>>()?;
        Ok(Self { booted, panel, memory, progress, asked: Mutex::default() })
    }
}

impl<'i> SimulatedRunner<'i> {
    /// Boots all contenders of a field.
    pub(super) fn boot(
        scheme: Scheme,
        panel: &'i Panel,
        field: &'i Field,
        memory: &'i Memory,
        progress: &'i dyn Progress,
    ) -> Result<Self, ChooseError> {
        let boot = |contender| {
            let candidate = field.candidate(contender);
            let seed = candidate.policies.source.rule.seed;
            let name = format!("{}; set seed {seed}", candidate.name());
            let (images, scheme) = (field.images(contender), candidate.asked_by(scheme));
            Ok((contender, Booted::new(panel, images, scheme, VlbPaths::Custom, &name)?))
        };
        let contenders: Vec<Contender> = Contender::all(field.count()).collect();
        let booted = contenders.into_par_iter().map(boot).collect::<Result<_, ChooseError>>()?;
        Ok(Self { booted, panel, memory, progress, asked: Mutex::default() })
    }

    /// How many different runs of candidates other than the paper's choice were requested, made now or remembered.
    pub(super) fn asked_of_new(self) -> usize {
        let asked = self.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|(_, contender, ..)| !contender.is_published()).count()
    }
}

impl<S: Copy + Ord + Send + Sync> SimulatedRunner<'_, S> {
    /// The flits delivered per node and cycle at a load that may be more than the network carries.
    pub(super) fn accepted(
        &self,
        subject: S,
        event: &Event,
        step: u32,
    ) -> Result<f64, ChooseError> {
        let Booted { name, network, settings } = &self.booted[&subject];
        let name = format!("{name}; {event}; {step}; accepted");
        let run = self.figures(name, (network, settings), (event, step), StopRule::AtWindowEnd)?;
        Ok(run.accepted)
    }

    /// The figures of a run of this name.
    fn figures(
        &self,
        name: String,
        fabric: (&BootedFabric<'_>, &Settings),
        traffic: (&Event, u32),
        stop_rule: StopRule,
    ) -> Result<RunFigures, ChooseError> {
        let measured = self.kept(&name, fabric, traffic, |run| {
            Ok(Kept::Figures(figures(&run.measure(stop_rule, self.progress)?)))
        })?;
        match measured {
            Kept::Figures(figures) => Ok(figures),
            Kept::Foreseen(_) => Err(ChooseError::OtherRun { run: name }),
        }
    }

    fn note(&self, event: &Event, subject: S, step: u32, is_measured: bool) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert((event.to_string(), subject, step, is_measured));
    }

    /// The kept run of this name, or the one that `make` makes now.
    fn kept(
        &self,
        name: &str,
        (network, settings): (&BootedFabric<'_>, &Settings),
        (event, step): (&Event, u32),
        make: impl FnOnce(Run<'_>) -> Result<Kept, RunError>,
    ) -> Result<Kept, ChooseError> {
        let claim = loop {
            match self.memory.take(name)? {
                Turn::Kept(kept) => return Ok(kept),
                Turn::Ours(claim) => break claim,
                Turn::Theirs => {
                    self.progress.check()?;
                    memory::wait();
                }
            }
        };
        self.progress.check()?;
        let traffic = Traffic::new(&event.pattern, network.nodes(), event.seed)?;
        let made = Run::new(network, settings, &traffic, load_of(step), event.seed)
            .map_err(RunError::Refused)
            .and_then(make);
        let made = match made {
            Ok(made) => made,
            Err(RunError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => return Err(ChooseError::Run { run: name.to_owned(), error }),
        };
        self.memory.keep(name, made.clone())?;
        // Only now: until here nobody else may make this run.
        drop(claim);
        self.progress.step();
        Ok(made)
    }
}

impl<S: Copy + Ord + Send + Sync> Runner<S> for SimulatedRunner<'_, S> {
    fn panel(&self) -> &Panel {
        self.panel
    }

    fn measure(
        &self,
        subject: S,
        event: &Event,
        step: u32,
        whole_windows: Option<u32>,
    ) -> Result<RunFigures, ChooseError> {
        let Booted { name, network, settings } = &self.booted[&subject];
        let mut name = format!("{name}; {event}; {step}");
        let mut settings = settings.clone();
        let stop_rule = if let Some(windows) = whole_windows {
            let _ = write!(name, "; whole, {windows}");
            settings.window_cycles *= windows;
            StopRule::FullWindow
        } else {
            self.note(event, subject, step, true);
            StopRule::WhenSaturated
        };
        self.figures(name, (network, &settings), (event, step), stop_rule)
    }

    fn foresee(
        &self,
        subject: S,
        event: &Event,
        step: u32,
    ) -> Result<ForeseenLatency, ChooseError> {
        self.note(event, subject, step, false);
        let Booted { name, network, settings } = &self.booted[&subject];
        let name = format!("{name}; {event}; {step}; judged");
        let judged = self.kept(&name, (network, settings), (event, step), |run| {
            Ok(Kept::Foreseen(run.foresee(self.progress)?))
        })?;
        match judged {
            Kept::Foreseen(foreseen) => Ok(foreseen),
            Kept::Figures(_) => Err(ChooseError::OtherRun { run: name }),
        }
    }
}

fn figures(outcome: &Outcome) -> RunFigures {
    RunFigures {
        saturated: outcome.saturated,
        latency: outcome.all.latency,
        accepted: outcome.all.accepted,
        p99: outcome.all.p99,
        worst_served: if outcome.all.accepted > 0.0 {
            outcome.fairness.least / outcome.all.accepted
        } else {
            0.0
        },
    }
}
