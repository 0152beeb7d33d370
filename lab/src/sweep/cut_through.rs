//! Runs of cut-through switches: routings that decide at every hop beside those that decide once or twice.

use super::asked::{Course, Escape, Kind, Line};
use super::course::{Window, steady_after, with_other_seeds};
use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::{File, Measured};
use super::lists::distinct;
use super::measure::{Measure, Source};
use crate::cut_through::{
    CutThrough, CutThroughError, CutThroughOutcome, CutThroughRun, CutThroughSaturation, Fabric,
    Piggybacking, Routing, Sending, saturation,
};
use crate::escape::find;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Display;
use toml::Value;
use tvlb_base::progress::Progress;
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_ofar::{EscapeImage, EscapeKind, OfarRules, encode_escape_image};
use tvlb_schema::{Dragonfly, FabricImage, GroupId, SwitchId};
use tvlb_simulator::BootedFabric;
use tvlb_table_set::runs::build;
use tvlb_traffic::{Pattern, Traffic};

/// The most cycles of a burst, and where all send to all.
const MOST_CYCLES: u32 = 2_000_000;

impl Line {
    fn settings(&self) -> Result<CutThrough, String> {
        let routing = match self.routing {
            Kind::Ofar => Routing::Ofar(self.ofar_rules()?),
            Kind::Piggybacking => {
                let [percent, packets] = self.congestion.unwrap_or([200, 5]);
                Routing::Piggybacking(Piggybacking { percent, packets, like_fogsim: false })
            }
            Kind::UgalL => Routing::Scheme(Scheme::UgalL),
            Kind::UgalG => Routing::UgalG,
            Kind::Par => Routing::Scheme(Scheme::Par),
        };
        let is_scheme = matches!(routing, Routing::Scheme(_) | Routing::UgalG);
        let paths = if is_scheme && self.policies.is_none() {
            VlbPaths::Conventional
        } else {
            VlbPaths::Custom
        };
        let stated = self.settings.stated().map_err(|error| format!("{}: {error}", self.name))?;
        Ok(stated.over(CutThrough::new(routing, paths)))
    }

    /// The default rules with those that the line names.
    fn ofar_rules(&self) -> Result<OfarRules, String> {
        let defaults = Value::try_from(OfarRules::default()).expect("rules are plain values");
        let mut table = defaults.as_table().expect("rules have names").clone();
        table.extend(self.rules.clone());
        let read: Result<OfarRules, toml::de::Error> = Value::Table(table).try_into();
        read.map_err(|error| format!("{}: rules: {}", self.name, error.message()))
    }

    /// The policies of the images that it boots from.
    fn policies(&self) -> &str {
        self.policies.as_deref().unwrap_or("valg")
    }

    const fn escape(&self) -> Option<EscapeKind> {
        match (self.routing, self.escape) {
            (Kind::Ofar, Escape::Ring) => Some(EscapeKind::Ring),
            (Kind::Ofar, Escape::Tree) => Some(EscapeKind::Tree),
            _ => None,
        }
    }
}

/// One run.
struct Case {
    fabric: usize,
    line: usize,
    settings: CutThrough,
    /// A position in the list of traffic.
    traffic: usize,
    sending: Sending,
    seed: u64,
}

/// A fabric's escape networks, and its images by the policies as text.
#[derive(Default)]
struct Bench {
    images: HashMap<String, Images>,
    ring: Vec<u8>,
    tree: Vec<u8>,
    /// The switch above all others in the tree.
    root: SwitchId,
}

/// All runs of a study.
pub(super) struct CutThroughs {
    fabrics: Vec<NamedFabric>,
    lines: Vec<Line>,
    traffic: Vec<(String, Pattern)>,
    cases: Vec<Case>,
    benches: Vec<Bench>,
    /// Where runs are watched window by window.
    course: Option<Course>,
    /// Where the load of saturation is searched for, among the multiples of this.
    resolution: Option<f64>,
    /// How many cases that differ in the seed alone stand one after the other.
    seeds: usize,
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    tool_version: &'static str,
    traffic_version: u32,
    fabric: String,
    policies: &'s str,
    escape: Option<&'static str>,
    settings: &'s CutThrough,
    traffic: &'s str,
    sending: Sending,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    course: Option<&'s Course>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<f64>,
}

impl CutThroughs {
    pub(super) fn new(
        file: &File,
        fabrics: Vec<NamedFabric>,
        wrong: &dyn Fn(&dyn Display) -> SweepError,
    ) -> Result<Self, SweepError> {
        distinct("cut-through", file.cut_through.iter().map(|line| &line.name))
            .and_then(|()| distinct("traffic", &file.traffic))
            .and_then(|()| distinct("seeds", &file.seeds))
            .map_err(|error| wrong(&error))?;
        let mut resolution = None;
        let sendings: Vec<Sending> = match (file.burst, file.all_to_all) {
            (Some(packets), false) => vec![Sending::Burst(packets)],
            (None, true) => vec![Sending::AllToAll],
            (None, false) => match file.measured().map_err(|error| wrong(&error))? {
                Measured::Loads(loads) => loads.into_iter().map(Sending::Load).collect(),
                Measured::Saturation(found) => {
                    resolution = Some(found);
                    vec![Sending::Load(found)]
                }
                Measured::Curve(_) => {
                    let accepted = "`loads`, `[saturation]`, `burst` or `all-to-all`";
                    return Err(wrong(&format_args!("cut-through: accepted {accepted}")));
                }
            },
            _ => return Err(wrong(&"found `burst` and `all-to-all`, accepted one of them")),
        };
        if file.course.is_some() && resolution.is_some() {
            return Err(wrong(&"found `course` and `[saturation]`, accepted one of them"));
        }
        let read = |text: &String| {
            let pattern = text.parse::<Pattern>();
            pattern.map(|pattern| (text.clone(), pattern)).map_err(|error| wrong(&error))
        };
        let traffic = file.traffic.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let [warm_up, measured] = match &file.course {
            Some(course) => {
                check_course(course, &traffic, &sendings).map_err(|error| wrong(&error))?;
                [course.first, course.end - course.first]
            }
            None => file.cycles.unwrap_or([10_000, 10_000]),
        };
        let mut cases = Vec::new();
        for (fabric, _) in fabrics.iter().enumerate() {
            for (number, line) in file.cut_through.iter().enumerate() {
                if file.leave_out.contains(&line.name) {
                    continue;
                }
                PolicyPair::parse(line.policies(), 1)
                    .map_err(|error| wrong(&format_args!("{}: {error}", line.name)))?;
                let plain = line.settings().map_err(|error| wrong(&error))?;
                for (traffic, _) in traffic.iter().enumerate() {
                    for &sending in &sendings {
                        let mut settings = plain.clone();
                        if matches!(sending, Sending::Load(_)) {
                            (settings.warm_up_cycles, settings.measured_cycles) =
                                (warm_up, measured);
                        } else {
                            settings.measured_cycles = MOST_CYCLES;
                        }
                        cases.extend(file.seeds.iter().map(|&seed| Case {
                            fabric,
                            line: number,
                            settings: settings.clone(),
                            traffic,
                            sending,
                            seed,
                        }));
                    }
                }
            }
        }
        let benches = fabrics.iter().map(|_| Bench::default()).collect();
        let (lines, course, seeds) =
            (file.cut_through.clone(), file.course.clone(), file.seeds.len());
        Ok(Self { fabrics, lines, traffic, cases, benches, course, resolution, seeds })
    }

    fn subject<'s>(&'s self, case: &'s Case) -> Subject<'s> {
        let line = &self.lines[case.line];
        Subject {
            tool_version: build(),
            traffic_version: tvlb_traffic::VERSION,
            fabric: self.fabrics[case.fabric].wiring.clone(),
            policies: line.policies(),
            escape: line.escape().map(EscapeKind::name),
            settings: &case.settings,
            traffic: &self.traffic[case.traffic].0,
            sending: case.sending,
            seed: case.seed,
            course: self.course.as_ref(),
            resolution: self.resolution,
        }
    }

    fn prepare_one(
        &mut self,
        (fabric, line): (usize, usize),
        progress: &dyn Progress,
    ) -> Result<(), SweepError> {
        let (named, bench) = (&self.fabrics[fabric], &mut self.benches[fabric]);
        let policies = self.lines[line].policies();
        if bench.images.contains_key(policies) {
            return Ok(());
        }
        let topology = &named.fabric.topology;
        let pair = PolicyPair::parse(policies, named.fabric.file.seed).expect("it was read before");
        let vc_scheme = named.fabric.file.virtual_channels;
        let images = named.images(&pair.per_decision(), vc_scheme, progress)?;
        let image = FabricImage::decode(&images.fabric).expect("it has just been written");
        let encoded = |kind| -> Result<Vec<u8>, SweepError> {
            let failed = |error: Box<dyn std::error::Error + Send + Sync>| SweepError::Run {
                run: named.path.clone(),
                error,
            };
            let found = find(topology, kind, None).map_err(|error| failed(error.into()))?;
            encode_escape_image(&image, &found.network, &OfarRules::default())
                .map_err(|error| failed(error.into()))
        };
        (bench.ring, bench.tree) = (encoded(EscapeKind::Ring)?, encoded(EscapeKind::Tree)?);
        let tree = EscapeImage::decode(&bench.tree, &image).expect("as written");
        bench.root = tree.switch_at(0);
        bench.images.insert(policies.to_owned(), images);
        Ok(())
    }

    /// Does something with the network and the traffic of a case.
    fn with_network<T>(
        &self,
        case: &Case,
        measure: impl FnOnce(Fabric<'_>, &Traffic) -> Result<T, CutThroughError>,
    ) -> Result<T, SweepError> {
        let (line, bench) = (&self.lines[case.line], &self.benches[case.fabric]);
        let images = &bench.images[line.policies()];
        let booted = BootedFabric::boot(&images.fabric, &images.switches)?;
        let escape = line.escape().map(|kind| match kind {
            EscapeKind::Ring => &bench.ring,
            EscapeKind::Tree => &bench.tree,
        });
        let fabric = escape.map_or(Ok(Fabric::from(&booted)), |image| {
            Fabric::with_escape(&booted, image)
                .map_err(|error| SweepError::Run { run: line.name.clone(), error: Box::new(error) })
        })?;
        let df = self.fabrics[case.fabric].fabric.topology.dragonfly();
        let (name, pattern) = &self.traffic[case.traffic];
        let run = || format!("{}, {name}, seed {}", line.name, case.seed);
        let traffic = Traffic::new(pattern, df, case.seed)
            .map_err(|error| SweepError::Unfit { run: run(), error })?;
        match measure(fabric, &traffic) {
            Ok(found) => Ok(found),
            Err(CutThroughError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => Err(SweepError::Run { run: run(), error: Box::new(error) }),
        }
    }
}

impl CutThroughs {
    fn simulate(
        &self,
        case: &Case,
        progress: &dyn Progress,
    ) -> Result<CutThroughOutcome, SweepError> {
        self.with_network(case, |fabric, traffic| {
            let (settings, sending, seed) = (&case.settings, case.sending, case.seed);
            let mut run = CutThroughRun::new(fabric, settings, traffic, sending, seed)?;
            if let Some(course) = &self.course {
                run.record_series(course.window);
            }
            run.measure(progress)
        })
    }

    /// The line of a search.
    fn search(
        &self,
        unit: usize,
        resolution: f64,
        source: &Source<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let case = &self.cases[unit];
        let make = || {
            self.with_network(case, |fabric, traffic| {
                let sends = (traffic, case.seed);
                saturation(fabric, &case.settings, sends, resolution, progress)
            })
        };
        let found: Option<CutThroughSaturation> = source.run(&self.subject(case), make)?;
        Ok(found.map(|CutThroughSaturation { by_acceptance, accepted_beyond }| {
            vec![row![
                self.fabrics[case.fabric].fabric.file.name.as_str(),
                self.lines[case.line].name.as_str(),
                self.traffic[case.traffic].0.as_str(),
                case.seed,
                "acceptance",
                by_acceptance,
                accepted_beyond
            ]]
        }))
    }
}

/// Refuses a course that switches of this kind cannot run.
fn check_course(
    course: &Course,
    traffic: &[(String, Pattern)],
    sendings: &[Sending],
) -> Result<(), SweepError> {
    let wrong = |fault: &str| SweepError::File { path: "course".into(), fault: fault.to_owned() };
    if !course.events.is_empty() {
        return Err(wrong("found events with cut-through switches, accepted traffic that changes"));
    }
    if !sendings.iter().all(|sending| matches!(sending, Sending::Load(_))) {
        return Err(wrong("found no loads, accepted `loads` beside it"));
    }
    traffic.iter().try_for_each(|(_, pattern)| course.phases(pattern).map(|_| ()))
}

impl CutThroughs {
    /// The windows of a run from the beginning of a course to its end.
    fn watch(&self, case: &Case, progress: &dyn Progress) -> Result<Vec<Window>, SweepError> {
        let course = self.course.as_ref().expect("runs are watched");
        let outcome = self.simulate(case, progress)?;
        let windows = outcome.series.map_or_else(Vec::new, |figures| figures.windows);
        let shown = windows.iter().filter(|window| window.from >= course.first);
        Ok(shown.map(Window::of).collect())
    }

    /// The lines of runs that differ in the seed alone, which stand with the last: a line for each window.
    fn windows(
        &self,
        unit: usize,
        source: &Source<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let case = &self.cases[unit];
        let make = || self.watch(case, progress);
        let Some(own): Option<Vec<Window>> = source.run(&self.subject(case), make)? else {
            return Ok(None);
        };
        let Some(runs) = with_other_seeds(own, unit, self.seeds, source, |other| {
            self.subject(&self.cases[other])
        })?
        else {
            return Ok(Some(Vec::new()));
        };
        let (course, windows) =
            (self.course.as_ref().expect("runs are watched"), Window::means(&runs));
        let (traffic, pattern) = &self.traffic[case.traffic];
        let Sending::Load(load) = case.sending else { return Ok(Some(Vec::new())) };
        let mut rows = Vec::new();
        for phase in course.phases(pattern)? {
            let of_phase = phase.windows(course, &windows);
            let latencies: Vec<f64> = of_phase.clone().map(|(_, window)| window.latency).collect();
            let steady = steady_after(&latencies, course.window.get());
            for (from, Window { accepted, latency, vlb_share, .. }) in of_phase {
                rows.push(row![
                    self.fabrics[case.fabric].fabric.file.name.as_str(),
                    self.lines[case.line].name.as_str(),
                    traffic.as_str(),
                    load,
                    phase.name.as_str(),
                    from,
                    steady.as_str(),
                    *accepted,
                    *latency,
                    *vlb_share
                ]);
            }
        }
        Ok(Some(rows))
    }
}

/// What is kept of a run. Loads and rates are phits per node and cycle, times cycles.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Figures {
    /// Cycles that were measured; of a burst, until the last phit was delivered.
    cycles: u32,
    latency: f64,
    p50: u32,
    p99: u32,
    accepted: f64,
    /// The share of packets that took VLB, or were misrouted to another group.
    vlb_share: f64,
    /// Mean links within groups and between them, without those of the escape network.
    hops: [f64; 2],
    /// Mean links of the escape network.
    escape_hops: f64,
    /// The hops that all packets but a thousandth, all but a ten-thousandth, and all do not exceed.
    most_hops: [usize; 3],
    /// The most entries of a packet into the escape network.
    most_entries: usize,
    /// What a switch injected on average: in all groups, in that of the tree's root, and the last switch of
    /// group 0.
    injected: [f64; 3],
}

impl Figures {
    fn new(outcome: &CutThroughOutcome, (df, root): (&Dragonfly, SwitchId)) -> Self {
        let hops = &outcome.hops.packets;
        let packets: u64 = hops.iter().sum();
        // The least number of hops beyond which there are no more than so many packets.
        let within = |beyond: u64| {
            let mut left = packets;
            let is_enough = |count: &u64| {
                left -= count;
                left <= beyond
            };
            hops.iter().position(is_enough).unwrap_or(0)
        };
        let of_group = |group: GroupId| -> Vec<f64> {
            let all = df.switches().zip(&outcome.injected);
            all.filter(|(switch, _)| df.place(*switch).0 == group).map(|(_, rate)| *rate).collect()
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 65,536 switches")]
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let escape = outcome.escape.as_ref();
        let last = of_group(GroupId(0)).last().copied().unwrap_or(0.0);
        Self {
            cycles: outcome.cycles,
            latency: outcome.latency,
            p50: outcome.p50,
            p99: outcome.p99,
            accepted: outcome.accepted,
            vlb_share: outcome.vlb_share,
            hops: [outcome.hops.local, outcome.hops.global],
            escape_hops: escape.map_or(0.0, |escape| escape.hops),
            most_hops: [packets / 1000, packets / 10_000, 0].map(within),
            most_entries: escape.map_or(0, |escape| escape.packets.len().saturating_sub(1)),
            injected: [mean(&outcome.injected), mean(&of_group(df.place(root).0)), last],
        }
    }
}

impl Measure for CutThroughs {
    fn units(&self) -> usize {
        self.cases.len()
    }

    fn prepare(&mut self, units: &[usize], progress: &dyn Progress) -> Result<(), SweepError> {
        for &unit in units {
            let Case { fabric, line, .. } = self.cases[unit];
            self.prepare_one((fabric, line), progress)?;
        }
        Ok(())
    }

    fn is_kept(&self, unit: usize, source: &Source<'_>) -> Result<bool, SweepError> {
        Ok(source.contains(&self.subject(&self.cases[unit])))
    }

    fn rows(
        &self,
        unit: usize,
        source: &Source<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        if self.course.is_some() {
            return self.windows(unit, source, progress);
        }
        if let Some(resolution) = self.resolution {
            return self.search(unit, resolution, source, progress);
        }
        let case = &self.cases[unit];
        let df = self.fabrics[case.fabric].fabric.topology.dragonfly();
        let root = self.benches[case.fabric].root;
        let make = || Ok(Figures::new(&self.simulate(case, progress)?, (df, root)));
        let Some(found): Option<Figures> = source.run(&self.subject(case), make)? else {
            return Ok(None);
        };
        let (load, traffic) = match case.sending {
            Sending::Load(load) => (Some(load), self.traffic[case.traffic].0.as_str()),
            Sending::Burst(_) => (None, self.traffic[case.traffic].0.as_str()),
            Sending::AllToAll => (None, "all-to-all"),
        };
        // A latency beyond saturation is that of its window alone.
        let saturated = matches!(case.sending, Sending::Load(load) if found.accepted < 0.95 * load);
        let ([local, global], [thousandth, ten_thousandth, most]) = (found.hops, found.most_hops);
        let [injected, root, last] = found.injected;
        Ok(Some(vec![row![
            self.fabrics[case.fabric].fabric.file.name.as_str(),
            self.lines[case.line].name.as_str(),
            traffic,
            load,
            case.seed,
            found.cycles,
            saturated,
            found.latency,
            found.p50,
            found.p99,
            found.accepted,
            found.vlb_share,
            local,
            global,
            found.escape_hops,
            thousandth,
            ten_thousandth,
            most,
            found.most_entries,
            injected,
            root,
            last,
        ]]))
    }

    fn columns(&self) -> Vec<&'static str> {
        if self.course.is_some() {
            return "fabric,line,traffic,load,phase,from,steady-after,accepted,latency,vlb-share"
                .split(',')
                .collect();
        }
        if self.resolution.is_some() {
            return "fabric,line,traffic,seed,criterion,saturation,accepted-beyond"
                .split(',')
                .collect();
        }
        "fabric,line,traffic,load,seed,cycles,saturated,latency,p50,p99,accepted,vlb-share,local-hops,global-hops,\
         escape-hops,hops-of-all-but-a-thousandth,hops-of-all-but-a-ten-thousandth,most-hops,most-entries,injected,\
         injected-in-root-group,injected-by-last-switch"
            .split(',')
            .collect()
    }

    fn drawn(&self) -> &'static str {
        if self.course.is_some() {
            return "accepted over from in phits";
        }
        if self.resolution.is_some() { "saturation in phits" } else { "latency over load in phits" }
    }
}
