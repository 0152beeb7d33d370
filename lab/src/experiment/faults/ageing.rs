//! Ageing: saturation, and latency at a low load, over the share of cables between groups that are dead.
//! The lines keep the sets that they have on the whole fabric, with the update that `tvlb faults`
//! makes of them: its fault image on every switch, and its switch images. If the user
//! asks for it, further lines have the sets that `generate` chooses for the fabric without its dead cables.

use super::super::catalogue::Experiment;
use super::super::clock::Clock;
use super::super::error::ExperimentError;
use super::super::findings::{Findings, Texts};
use super::super::in_parallel::in_parallel;
use super::super::kept::{self, Subject, Timed, recall_or};
use super::super::kept_results::KeptResults;
use super::super::options::Options;
use super::super::results::{Figures, Point};
use super::ageing_texts;
use super::dead_cables::dead_cables;
use super::paths::{Paths, text};
use super::results::{Ageing, AgeingLine, AgeingPoint, AgeingRun};
use super::whole::{SIZES, whole_fabric};
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_generator::choose::{Options as ChoiceOptions, PanelSize, choose};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::faults::{Update, update};
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::Policy;
use tvlb_schema::{FabricImage, FaultSet, PerDecision, SwitchImage};
use tvlb_simulator::{
    BootedFabric, FaultSchedule, Probing, Run, RunError, Scheme, Settings, StopRule, last_good,
};
use tvlb_table_set::sha256;
use tvlb_traffic::{Pattern, Traffic};

const SCHEMES: [Scheme; 2] = [Scheme::UgalL, Scheme::Par];
/// The load of the latencies.
const LOW: f64 = 0.1;

/// How much is done.
struct Effort {
    /// The shares of dead cables, in thousandths, in ascending order.
    shares: &'static [u32],
    /// The shares at which sets are chosen again, with the first draw of dead cables.
    again: &'static [u32],
    draws: u32,
    /// The steps of a search of which a load of 1 has so many.
    steps: u32,
    window: u32,
}

const FULL: Effort =
    Effort { shares: &[0, 5, 10, 20, 50], again: &[20, 50], draws: 3, steps: 200, window: 10_000 };
const QUICK: Effort = Effort { shares: &[0, 50], again: &[50], draws: 1, steps: 20, window: 1000 };

/// Images to be simulated, with what is dead from the beginning.
struct Tables {
    paths: Paths,
    thousandths: u32,
    dead: u32,
    draw: u64,
    policies: PerDecision<Policy>,
    fabric: Vec<u8>,
    switches: Vec<Vec<u8>>,
    /// How many of the switch images the update has.
    changed: u32,
    /// What the switches know to be dead of the wiring that their images state.
    faults: FaultSet,
}

/// A line of one draw before it is run: its tables by rising share of dead cables.
struct Wanted<'w> {
    traffic: &'static str,
    scheme: Scheme,
    tables: Vec<&'w Tables>,
}

pub(in crate::experiment) fn run(
    traffic: &'static str,
    experiment: &Experiment,
    context: (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let (options, _) = context;
    let effort = if options.quick { QUICK } else { FULL };
    let fabric = whole_fabric()?;
    let (mut tables, mut cut_pairs) = (Vec::new(), 0);
    for paths in [Paths::Conventional, Paths::Paper, Paths::Chosen] {
        let policies = paths.policies(&fabric, options, progress)?;
        let images = generate(&fabric, &policies, progress)?.images;
        for (thousandths, draw) in damages(&effort, options.seed) {
            let faults = dead_cables(&fabric.topology, thousandths, draw);
            let (made, cut) =
                updated(paths, (thousandths, draw), (&policies, &images), faults, progress)?;
            cut_pairs = cut_pairs.max(cut);
            tables.push(made);
        }
    }
    let clock = Clock::of_process();
    if let Some(panel) = options.choose_again {
        for &thousandths in effort.again {
            tables.push(chosen_again(&fabric, thousandths, (panel, options), progress)?);
        }
    }
    let choosing = clock.seconds();
    let mut wanted = Vec::new();
    for scheme in SCHEMES {
        let is_one_line =
            |one: &Tables, next: &Tables| one.paths == next.paths && one.draw == next.draw;
        let of_lines = tables.chunk_by(is_one_line);
        wanted.extend(of_lines.map(|of_line| Wanted {
            traffic,
            scheme,
            tables: of_line.iter().collect(),
        }));
    }
    let found = in_parallel("lines", wanted.iter().collect(), progress, |wanted| {
        run_line(wanted, &effort, options, progress)
    })?;
    let seconds = choosing + found.iter().map(|(_, seconds)| seconds).sum::<f64>();
    let mut lines: Vec<AgeingLine> = Vec::new();
    for (Wanted { traffic, scheme, tables }, (runs, _)) in wanted.iter().zip(found) {
        for (tables, run) in tables.iter().zip(runs) {
            add(&mut lines, (traffic, *scheme), tables, run);
        }
    }
    let ageing = Ageing {
        dragonfly: SIZES,
        cables: count(fabric.topology.cables().len()),
        draws: effort.draws,
        resolution: 1.0 / f64::from(effort.steps),
        load: LOW,
        cut_pairs,
        again: options.choose_again.map(|panel| panel.name().to_owned()),
        lines,
    };
    let texts = Texts::<()> {
        csv: ageing_texts::csv(&ageing),
        pictures: ageing_texts::pictures(&ageing),
        words: ageing_texts::words(&ageing),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::Ageing(ageing), seconds), texts, context))
}

/// The shares and draws of dead cables, draw by draw. The whole fabric is one of the first draw alone.
fn damages(effort: &Effort, seed: u64) -> Vec<(u32, u64)> {
    let draws = (0..effort.draws).map(|draw| seed + u64::from(draw));
    let of = |draw| effort.shares.iter().map(move |&share| (share, draw));
    draws.flat_map(of).filter(|&(share, draw)| share > 0 || draw == seed).collect()
}

/// What switches have once the update for these dead parts is installed, and how many pairs of switches no
/// path joins.
fn updated(
    paths: Paths,
    (thousandths, draw): (u32, u64),
    (policies, images): (&PerDecision<Policy>, &Images),
    faults: FaultSet,
    progress: &dyn Progress,
) -> Result<(Tables, u64), ExperimentError> {
    let plan = FabricImage::decode(&images.fabric).expect("the generator made it");
    let decoded = images.switches.iter().map(|bytes| SwitchImage::decode(bytes, &plan));
    let decoded: Vec<_> = decoded.collect::<Result<_, _>>().expect("the generator made them");
    let Update { switches: changed, loss, .. } = update(&plan, &decoded, (1, &faults), progress)?;
    let mut switches = images.switches.clone();
    let places: BTreeMap<_, usize> = plan.dragonfly().switches().zip(0..).collect();
    let changes = count(changed.len());
    for (switch, bytes) in changed {
        switches[places[&switch]] = bytes;
    }
    let made = Tables {
        paths,
        thousandths,
        dead: count(faults.cables.len()),
        draw,
        policies: policies.clone(),
        fabric: images.fabric.clone(),
        switches,
        changed: changes,
        faults,
    };
    Ok((made, loss.cut.count))
}

/// Tables of the fabric without its dead cables, as `generate` chooses them for it.
fn chosen_again(
    whole: &Fabric,
    thousandths: u32,
    (panel, options): (PanelSize, &Options),
    progress: &dyn Progress,
) -> Result<Tables, ExperimentError> {
    let draw = options.seed;
    let faults = dead_cables(&whole.topology, thousandths, draw);
    let fabric = Fabric { topology: whole.topology.without(&faults), ..whole.clone() };
    let name = format!("choice-{}-{thousandths}-of-1000-seed-{draw}", panel.name());
    let choice = ChoiceOptions {
        panel,
        state: options.state.as_ref().map(|state| state.join(name)),
        ..ChoiceOptions::default()
    };
    let policies = choose(&fabric, &choice, progress)?.policies;
    let Images { fabric: plan, switches } = generate(&fabric, &policies, progress)?.images;
    Ok(Tables {
        paths: Paths::ChosenAgain,
        thousandths,
        dead: count(faults.cables.len()),
        draw,
        policies,
        fabric: plan,
        switches,
        changed: 0,
        // The wiring of these images does not have them.
        faults: FaultSet::default(),
    })
}

/// The runs of a line, by rising share of dead cables, and their processor time. Each search begins where
/// the one before it ended.
fn run_line(
    Wanted { traffic, scheme, tables }: &Wanted<'_>,
    effort: &Effort,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Vec<AgeingRun>, f64), ExperimentError> {
    let pattern: Pattern = traffic.parse()?;
    let mut guess = effort.steps * 2 / 5;
    let (mut runs, mut seconds) = (Vec::new(), 0.0);
    for &tables in tables {
        let simulated = Simulated::new(tables, *scheme, effort, options, &pattern);
        let (good, latency, taken) = simulated.search(guess, progress)?;
        guess = good;
        seconds += taken;
        runs.push(AgeingRun {
            seed: tables.draw,
            set: text(*scheme, tables.paths, &tables.policies),
            changed_images: tables.changed,
            saturation: f64::from(good) / f64::from(effort.steps),
            latency: latency.map(|cycles| (cycles * 1000.0).round() / 1000.0),
        });
    }
    Ok((runs, seconds))
}

/// Tables under one scheme and traffic.
struct Simulated<'s> {
    tables: &'s Tables,
    settings: Settings,
    effort: &'s Effort,
    options: &'s Options,
    pattern: &'s Pattern,
    images: String,
    faults: String,
}

impl<'s> Simulated<'s> {
    fn new(
        tables: &'s Tables,
        scheme: Scheme,
        effort: &'s Effort,
        options: &'s Options,
        pattern: &'s Pattern,
    ) -> Self {
        let settings = Settings {
            window_cycles: effort.window,
            ..Settings::new(scheme, tables.paths.source())
        };
        let images = sha256(&[&tables.fabric[..], &tables.switches.concat()].concat());
        let ends = tables.faults.cables.iter().map(|end| format!("({},{})", end.group, end.port));
        let faults = ends.collect::<Vec<_>>().join(" ");
        Self { tables, settings, effort, options, pattern, images, faults }
    }

    /// The last step below saturation, the latency at the low load unless it is saturated, and the
    /// processor time of all runs.
    fn search(
        &self,
        guess: u32,
        progress: &dyn Progress,
    ) -> Result<(u32, Option<f64>, f64), ExperimentError> {
        let fabric = BootedFabric::boot(&self.tables.fabric, &self.tables.switches)?;
        let entries = [(0, self.tables.faults.clone())];
        let schedule = FaultSchedule::new(&fabric, &entries, 0..=0)?;
        let traffic = Traffic::new(self.pattern, fabric.dragonfly(), self.options.seed)?;
        let mut seconds = 0.0;
        let mut point = |load: f64| {
            let timed = self.point(load, (&fabric, &schedule, &traffic), progress)?;
            seconds += timed.processor_seconds;
            Ok::<Point, ExperimentError>(timed.found)
        };
        let low = point(LOW)?;
        let last = self.effort.steps;
        let good = last_good(last, Probing::FromGuess(guess), |steps| {
            let is_good = |&step: &u32| {
                point(f64::from(step) / f64::from(last)).map(|point| !point.saturated)
            };
            steps.iter().map(is_good).collect()
        })?;
        Ok((good, (!low.saturated).then_some(low.latency), seconds))
    }

    fn point(
        &self,
        load: f64,
        (fabric, schedule, traffic): (&BootedFabric<'_>, &FaultSchedule, &Traffic),
        progress: &dyn Progress,
    ) -> Result<Timed<Point>, ExperimentError> {
        let (settings, seed) = (&self.settings, self.options.seed);
        let subject = Subject::new(&self.images, settings, self.pattern, load, seed);
        let subject =
            if self.faults.is_empty() { subject } else { subject.with_faults(&self.faults) };
        let kept = kept::open(self.options.state.as_deref())?;
        recall_or(kept.as_ref(), &subject, || {
            let run = if self.faults.is_empty() {
                Run::new(fabric, settings, traffic, load, seed).map_err(RunError::Settings)
            } else {
                Run::with_faults(fabric, settings, traffic, load, seed, schedule)
            };
            run.and_then(|run| run.measure(StopRule::WhenSaturated, progress))
                .map(Point::from)
                .map_err(|error| match error {
                    RunError::Cancelled(cancelled) => cancelled.into(),
                    error => ExperimentError::Run { load, error },
                })
        })
    }
}

/// Adds a run to its line.
fn add(
    lines: &mut Vec<AgeingLine>,
    (traffic, scheme): (&str, Scheme),
    tables: &Tables,
    run: AgeingRun,
) {
    let is_it = |line: &AgeingLine| {
        line.traffic == traffic && line.scheme == scheme.name() && line.paths == tables.paths
    };
    let place = lines.iter().position(is_it).unwrap_or_else(|| {
        let (traffic, scheme) = (traffic.to_owned(), scheme.name().to_owned());
        lines.push(AgeingLine { traffic, scheme, paths: tables.paths, points: Vec::new() });
        lines.len() - 1
    });
    let points = &mut lines[place].points;
    let known = points.iter_mut().find(|point| point.thousandths == tables.thousandths);
    if let Some(point) = known {
        point.runs.push(run);
    } else {
        let (thousandths, dead) = (tables.thousandths, tables.dead);
        points.push(AgeingPoint { thousandths, dead, runs: vec![run] });
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("at most 2^23 cables")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_fabric_is_run_once() {
        let damages = damages(&Effort { draws: 3, ..FULL }, 7);
        assert_eq!(damages.iter().filter(|(share, _)| *share == 0).count(), 1);
        assert_eq!((damages.len(), damages[0], damages[5]), (13, (0, 7), (5, 8)));
    }

    /// The tables of the chosen sets with this share of dead cables, and the images of the whole fabric.
    fn chosen(thousandths: u32) -> (Tables, Images) {
        let fabric = whole_fabric().unwrap();
        let policies = Paths::Chosen.policies(&fabric, &Options::default(), &()).unwrap();
        let images = generate(&fabric, &policies, &()).unwrap().images;
        let faults = dead_cables(&fabric.topology, thousandths, 1);
        let made = updated(Paths::Chosen, (thousandths, 1), (&policies, &images), faults, &());
        (made.unwrap().0, images)
    }

    /// A run has the switch images of the update, not the fault image alone.
    #[test]
    fn the_images_of_the_update_are_installed() {
        let (whole, images) = chosen(0);
        assert_eq!((whole.switches, whole.changed, whole.dead), (images.switches.clone(), 0, 0));
        let (damaged, _) = chosen(50);
        let differ = damaged.switches.iter().zip(&images.switches).filter(|(new, old)| new != old);
        assert_eq!((count(differ.count()), damaged.dead), (damaged.changed, 8));
        assert!(damaged.changed > 0);
    }

    #[test]
    fn a_damaged_network_is_searched_and_its_runs_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let state = Some(home.path().to_owned());
        let options = Options { state, ..Options::default() };
        let effort = Effort { shares: &[50], again: &[], draws: 1, steps: 5, window: 200 };
        let (damaged, _) = chosen(50);
        let (undamaged, _) = chosen(0);
        let wanted =
            Wanted { traffic: "shift(2,0)", scheme: Scheme::UgalL, tables: vec![&damaged] };
        let found = run_line(&wanted, &effort, &options, &()).unwrap();
        let AgeingRun { seed, set, changed_images, saturation, latency } = &found.0[0];
        assert_eq!((*seed, *changed_images), (1, damaged.changed));
        assert!(set.ends_with("balanced") && *saturation >= 0.2 && latency.is_some(), "{found:?}");
        // Kept runs are recalled, and tell the time that they took.
        assert_eq!(run_line(&wanted, &effort, &options, &()).unwrap(), found);
        // A network in which other cables are dead has runs of its own.
        let wanted = Wanted { tables: vec![&undamaged], ..wanted };
        let kept = || std::fs::read_dir(home.path()).unwrap().count();
        let before = kept();
        run_line(&wanted, &effort, &options, &()).unwrap();
        assert!(kept() > before);
    }
}
