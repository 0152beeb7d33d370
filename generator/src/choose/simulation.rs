//! Contenders in the simulator: images made in memory, booted, and run under one load.
//!
//! [`SimulatedRunner`] answers a contest by the simulator. The datapath that is tried is the one that
//! ships, from the very bytes that would be written. A run is made once: the memory of runs keeps it, and a
//! run that another process is making is waited for.

use super::baseline::Oblivious;
use super::candidates::FALLBACK;
use super::contender::{CONVENTIONAL_NAME, Contender, Field, PerContender};
use super::error::ChooseError;
use super::figures::{Kept, RunFigures};
use super::memory::{self, Memory};
use super::panel::{Event, Panel};
use super::runner::{Runner, RunsAsked, load_of};
use crate::fabric::Fabric;
use crate::image::{Images, Routing, build};
use crate::policy::Policy;
use crate::routes::count::RouteCounter;
use crate::set_grammar::parse_set;
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tvlb_base::progress::Progress;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::PerDecision;
use tvlb_simulator::{
    BootedFabric, ForeseenLatency, Outcome, Run, RunError, Scheme, Settings, StopRule, Traffic,
};
use tvlb_table_set::runs::Turn;

/// The images that switches would boot from, were a candidate's policies chosen.
///
/// # Errors
/// The images take too many bytes, or the work was cancelled.
pub(super) fn images_of(
    counter: &RouteCounter<'_>,
    fabric: &Fabric,
    policies: PerDecision<Policy>,
    progress: &dyn Progress,
) -> Result<Images, ChooseError> {
    let routing = Routing { policies, virtual_channels: fabric.file.virtual_channels };
    Ok(build(counter, &routing, &fabric.names, &Unreported(progress))?)
}

/// The images that the baselines boot from. MIN, conventional VLB and conventional UGAL draw from no
/// set, but UGAL's decisions go by an image's weighing: here it is T = 0, one candidate of each kind, no
/// gate, and the MIN path kept, whatever the fabric file says of the sets that are chosen.
///
/// # Errors
/// The images take too many bytes, or the work was cancelled.
pub(super) fn baseline_images(
    counter: &RouteCounter<'_>,
    fabric: &Fabric,
    progress: &dyn Progress,
) -> Result<Images, ChooseError> {
    let rule = parse_set(FALLBACK, fabric.file.seed).expect("all paths are in the grammar");
    images_of(counter, fabric, PerDecision::same(Policy::from(rule)), progress)
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

/// A routing that runs, booted.
struct Booted<'i> {
    /// Names the routing in the memory of runs: a scheme, with the policies and their seed.
    name: String,
    network: BootedFabric<'i>,
    settings: Settings,
}

/// Where runs are made and kept.
#[derive(Clone, Copy)]
struct Place<'i> {
    memory: &'i Memory,
    progress: &'i dyn Progress,
}

/// Runs contenders in the simulator.
pub(super) struct SimulatedRunner<'i> {
    contenders: PerContender<Booted<'i>>,
    place: Place<'i>,
    asked: Mutex<RunsAsked>,
}

/// Runs MIN and conventional VLB in the simulator.
pub(super) struct ObliviousRunner<'i> {
    min: Booted<'i>,
    vlb: Booted<'i>,
    place: Place<'i>,
}

impl<'i> ObliviousRunner<'i> {
    /// Boots the images of the baselines.
    ///
    /// # Errors
    /// The images do not make a network that the simulator can hold.
    pub(super) fn boot(
        panel: &Panel,
        images: &'i Images,
        memory: &'i Memory,
        progress: &'i dyn Progress,
    ) -> Result<Self, ChooseError> {
        let boot = |scheme: Scheme| {
            Ok::<_, ChooseError>(Booted {
                name: format!("{}, {CONVENTIONAL_NAME}", scheme.name()),
                network: BootedFabric::boot(&images.fabric, &images.switches)?
                    .with_nodes(panel.nodes().clone()),
                settings: panel.settings(scheme, VlbPaths::Conventional),
            })
        };
        let place = Place { memory, progress };
        Ok(Self { min: boot(Scheme::Min)?, vlb: boot(Scheme::Vlb)?, place })
    }

    const fn booted(&self, routing: Oblivious) -> &Booted<'i> {
        match routing {
            Oblivious::Min => &self.min,
            Oblivious::Vlb => &self.vlb,
        }
    }
}

impl Runner<Oblivious> for ObliviousRunner<'_> {
    fn run(&self, routing: Oblivious, event: &Event, step: u32) -> Result<RunFigures, ChooseError> {
        self.place.figures(self.booted(routing), event, step, None)
    }

    fn foresee(
        &self,
        routing: Oblivious,
        event: &Event,
        step: u32,
    ) -> Result<ForeseenLatency, ChooseError> {
        self.place.foreseen(self.booted(routing), event, step)
    }

    fn whole_run(
        &self,
        routing: Oblivious,
        event: &Event,
        step: u32,
        windows: u32,
    ) -> Result<RunFigures, ChooseError> {
        self.place.figures(self.booted(routing), event, step, Some(windows))
    }
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
                network: BootedFabric::boot(&images.fabric, &images.switches)?
                    .with_nodes(panel.nodes().clone()),
                settings: panel.settings(scheme, paths),
            })
        };
        let contenders: Vec<Contender> = Contender::all(field.count()).collect();
        let booted = contenders.into_par_iter().map(boot);
        let contenders = booted.collect::<Result<Vec<_>, ChooseError>>()?.into();
        let place = Place { memory, progress };
        Ok(Self { contenders, place, asked: Mutex::default() })
    }

    fn note(&self, event: &Event, contender: Contender, step: u32, is_measured: bool) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert((event.to_string(), contender, step, is_measured));
    }

    /// Every run that was asked for, whether the memory had it or it was made.
    pub(super) fn asked(self) -> RunsAsked {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// The figures of a run, from the memory or made now; of a whole one, if it is said how many times
    /// as long as the panel's its window is.
    fn figures(
        self,
        booted: &Booted<'_>,
        event: &Event,
        step: u32,
        whole_windows: Option<u32>,
    ) -> Result<RunFigures, ChooseError> {
        let mut name = format!("{}; {event}; {step}", booted.name);
        let mut settings = booted.settings.clone();
        if let Some(windows) = whole_windows {
            let _ = write!(name, "; whole, {windows}");
            settings.window_cycles *= windows;
        }
        let stop_rule = match whole_windows {
            Some(_) => StopRule::FullWindow,
            None => StopRule::WhenSaturated,
        };
        let measured = self.kept(&name, (booted, &settings, event, step), |run| {
            Ok(Kept::Figures(figures(&run.measure(stop_rule, self.progress)?)))
        })?;
        match measured {
            Kept::Figures(figures) => Ok(figures),
            Kept::Foreseen(_) => Err(ChooseError::OtherRun { run: name }),
        }
    }

    /// The latencies of a run that is judged, from the memory or made now.
    fn foreseen(
        self,
        booted: &Booted<'_>,
        event: &Event,
        step: u32,
    ) -> Result<ForeseenLatency, ChooseError> {
        let name = format!("{}; {event}; {step}; judged", booted.name);
        let judged = self.kept(&name, (booted, &booted.settings, event, step), |run| {
            Ok(Kept::Foreseen(run.foresee(self.progress)?))
        })?;
        match judged {
            Kept::Foreseen(foreseen) => Ok(foreseen),
            Kept::Figures(_) => Err(ChooseError::OtherRun { run: name }),
        }
    }

    /// What is kept of the run of this name, or what `make` makes of it now.
    fn kept(
        self,
        name: &str,
        (booted, settings, event, step): (&Booted<'_>, &Settings, &Event, u32),
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
        let network = &booted.network;
        let traffic = Traffic::new(&event.pattern, network.nodes(), event.seed)?;
        let made = Run::new(network, settings, &traffic, load_of(step), event.seed)
            .map_err(RunError::Settings)
            .and_then(make);
        let made = match made {
            Ok(made) => made,
            Err(RunError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => return Err(ChooseError::Run { run: name.to_owned(), error }),
        };
        self.memory.keep(claim, made.clone())?;
        self.progress.step();
        Ok(made)
    }
}

impl Runner for SimulatedRunner<'_> {
    fn run(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
    ) -> Result<RunFigures, ChooseError> {
        self.note(event, contender, step, true);
        self.place.figures(&self.contenders[contender], event, step, None)
    }

    fn foresee(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
    ) -> Result<ForeseenLatency, ChooseError> {
        self.note(event, contender, step, false);
        self.place.foreseen(&self.contenders[contender], event, step)
    }

    fn whole_run(
        &self,
        contender: Contender,
        event: &Event,
        step: u32,
        windows: u32,
    ) -> Result<RunFigures, ChooseError> {
        self.place.figures(&self.contenders[contender], event, step, Some(windows))
    }
}

fn figures(outcome: &Outcome) -> RunFigures {
    RunFigures {
        saturated: outcome.saturated,
        latency: outcome.all.latency,
        p99: outcome.all.p99,
        worst_served: if outcome.all.accepted > 0.0 {
            outcome.fairness.least / outcome.all.accepted
        } else {
            0.0
        },
    }
}
