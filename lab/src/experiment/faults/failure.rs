//! A failure, its installation and its mending: a cable dies, later a whole switch, later all is mended,
//! and each switch takes each fault image after a delay of its own. The images of switches stay those of
//! the whole fabric, as in a machine that has sent fault images and not yet anything else.

use super::super::catalogue::Experiment;
use super::super::error::ExperimentError;
use super::super::findings::{Findings, Texts};
use super::super::in_parallel::in_parallel;
use super::super::kept::{self, Subject, Timed, recall_or};
use super::super::kept_results::KeptResults;
use super::super::options::Options;
use super::super::results::Figures;
use super::failure_texts;
use super::paths::{Paths, text};
use super::results::{Failure, FailureLine, Windows};
use super::whole::{SIZES, whole_fabric};
use std::num::NonZeroU32;
use tvlb_base::progress::Progress;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::Policy;
use tvlb_schema::{Dragonfly, End, FaultSet, GroupId, Nodes, PerDecision, SwitchId, SwitchIndex};
use tvlb_simulator::{BootedFabric, FaultSchedule, Run, RunError, Scheme, Settings, StopRule};
use tvlb_table_set::sha256;
use tvlb_topology::Topology;
use tvlb_traffic::{Pattern, Traffic};

/// Each traffic with a load well below the saturation of every line, and one near that of the first.
const LOADS: [(&str, [f64; 2]); 2] = [("shift(2,0)", [0.1, 0.22]), ("uniform", [0.3, 0.7])];
const PATHS: [Paths; 2] = [Paths::Conventional, Paths::Chosen];
const SCHEMES: [Scheme; 2] = [Scheme::UgalL, Scheme::Par];

/// What happens when, in cycles. All times are multiples of a window.
struct Course {
    window: u32,
    first: u32,
    cable_dies: u32,
    switch_dies: u32,
    mended: u32,
    end: u32,
    delay: [u32; 2],
    runs: u32,
}

const FULL: Course = Course {
    window: 1000,
    first: 10_000,
    cable_dies: 20_000,
    switch_dies: 35_000,
    mended: 50_000,
    end: 65_000,
    delay: [500, 5000],
    runs: 2,
};
const QUICK: Course = Course {
    window: 250,
    first: 1000,
    cable_dies: 2000,
    switch_dies: 3500,
    mended: 5000,
    end: 6500,
    delay: [50, 500],
    runs: 1,
};

/// The parts that die: a cable that joins groups 0 and 2, between which shift(2,0) sends, and a switch.
fn parts(topology: &Topology) -> (End, SwitchId) {
    let df = topology.dragonfly();
    let joins = |low: End, high: End| (low.group, high.group) == (GroupId(0), GroupId(2));
    let mut cables = topology.cables().iter();
    let cable = cables.find(|cable| joins(cable.low, cable.high)).expect("all groups are joined");
    (cable.low, df.switch(GroupId(4), SwitchIndex(3)))
}

/// A line before it is run.
struct Wanted<'w> {
    traffic: &'static str,
    load: f64,
    scheme: Scheme,
    tables: &'w Tables,
}

struct Tables {
    paths: Paths,
    policies: PerDecision<Policy>,
    images: Images,
}

pub(in crate::experiment) fn run(
    experiment: &Experiment,
    context: (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let (options, _) = context;
    let course = if options.quick { QUICK } else { FULL };
    let fabric = whole_fabric()?;
    let (cable, switch) = parts(&fabric.topology);
    let one = FaultSet { cables: [cable].into(), ..FaultSet::default() };
    let both = FaultSet { switches: [switch].into(), ..one.clone() };
    let tables = PATHS.map(|paths| {
        let policies = paths.policies(&fabric, options, progress)?;
        let images = generate(&fabric, &policies, progress)?.images;
        Ok::<_, ExperimentError>(Tables { paths, policies, images })
    });
    let tables = tables.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut wanted = Vec::new();
    for (traffic, loads) in LOADS {
        for load in loads {
            for tables in &tables {
                wanted.extend(SCHEMES.map(|scheme| Wanted { traffic, load, scheme, tables }));
            }
        }
    }
    let entries = [
        (course.cable_dies, one.clone()),
        (course.switch_dies, both),
        (course.mended, FaultSet::default()),
    ];
    let runs: Vec<(usize, u64)> = (0..wanted.len())
        .flat_map(|line| (0..course.runs).map(move |run| (line, options.seed + u64::from(run))))
        .collect();
    let found = in_parallel("runs", runs, progress, |(line, seed)| {
        run_one(&wanted[line], (&course, &entries), seed, options, progress)
    })?;
    let seconds = found.iter().map(|timed| timed.processor_seconds).sum();
    let df = fabric.topology.dragonfly();
    let mut found = found.into_iter();
    let lines = wanted.iter().map(|wanted| {
        let runs = found.by_ref().take(course.runs as usize).map(|timed| timed.found);
        line(wanted, &Windows::mean(&runs.collect::<Vec<_>>()), (df, switch, options.seed))
    });
    let part = |part: &FaultSet| tvlb_table_set::dead_parts::write(df, part).trim_end().to_owned();
    let dead_switch = FaultSet { switches: [switch].into(), ..FaultSet::default() };
    let failure = Failure {
        dragonfly: SIZES,
        cable: part(&one),
        switch: part(&dead_switch),
        cable_dies: course.cable_dies,
        switch_dies: course.switch_dies,
        mended: course.mended,
        end: course.end,
        delay: course.delay,
        first: course.first,
        window: course.window,
        runs: course.runs,
        lines: lines.collect::<Result<_, _>>()?,
    };
    let texts = Texts::<()> {
        csv: failure_texts::csv(&failure),
        pictures: failure_texts::pictures(&failure),
        words: failure_texts::words(&failure),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::Failure(failure), seconds), texts, context))
}

fn line(
    wanted: &Wanted<'_>,
    windows: &Windows,
    (df, switch, seed): (&Dragonfly, SwitchId, u64),
) -> Result<FailureLine, ExperimentError> {
    let Wanted { traffic, load, scheme, tables } = wanted;
    let who = Traffic::new(&traffic.parse()?, df, seed)?;
    Ok(FailureLine {
        traffic: (*traffic).to_owned(),
        load: *load,
        scheme: scheme.name().to_owned(),
        paths: tables.paths,
        set: text(*scheme, tables.paths, &tables.policies),
        live_share: live_share(&who, &without(df, switch)),
        windows: windows.clone(),
    })
}

/// The nodes that are left where a switch is dead.
fn without(df: &Dragonfly, switch: SwitchId) -> Nodes {
    Nodes::from(df).live(&FaultSet { switches: [switch].into(), ..FaultSet::default() })
}

/// The share of a whole fabric's packets of which both the source and the destination are left.
fn live_share(traffic: &Traffic, left: &Nodes) -> f64 {
    let share = |live: usize, all: usize| {
        let real = |count| f64::from(u32::try_from(count).expect("at most as many as nodes"));
        real(live) / real(all)
    };
    match traffic.map() {
        Some(map) => {
            let pairs: Vec<_> = map.collect();
            let live = pairs.iter().filter(|&&(from, to)| left.has(from) && left.has(to)).count();
            share(live, pairs.len())
        }
        // Destinations are drawn from all nodes.
        None => share(left.iter().count(), left.dragonfly().nodes().count()).powi(2),
    }
}

fn run_one(
    wanted: &Wanted<'_>,
    (course, entries): (&Course, &[(u32, FaultSet)]),
    seed: u64,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Timed<Windows>, ExperimentError> {
    let Wanted { traffic, load, scheme, tables } = wanted;
    let Images { fabric: plan, switches } = &tables.images;
    let fabric = BootedFabric::boot(plan, switches)?;
    // All windows before the last one are warm-up to the simulator; the series has them all.
    let window_cycles = course.first;
    let settings = Settings {
        window_cycles,
        warm_up_windows: course.end.div_ceil(window_cycles) - 1,
        ..Settings::new(*scheme, tables.paths.source())
    };
    let pattern: Pattern = traffic.parse()?;
    let [least, most] = course.delay;
    let schedule = FaultSchedule::new(&fabric, entries, least..=most)?;
    let lists = entries.iter().map(|(cycle, faults)| {
        let list = tvlb_table_set::dead_parts::write(fabric.dragonfly(), faults);
        format!("{cycle}: {}", list.trim_end().replace('\n', ", "))
    });
    let faults = format!(
        "{}; images after {least} to {most}; windows of {} from {} to {}",
        lists.collect::<Vec<_>>().join("; "),
        course.window,
        course.first,
        course.end
    );
    let images = sha256(&[&plan[..], &switches.concat()].concat());
    let subject = Subject::new(&images, &settings, &pattern, *load, seed).with_faults(&faults);
    let kept = kept::open(options.state.as_deref())?;
    recall_or(kept.as_ref(), &subject, || {
        let who = Traffic::new(&pattern, fabric.dragonfly(), seed)?;
        let failed = |error| match error {
            RunError::Cancelled(cancelled) => cancelled.into(),
            error => ExperimentError::Run { load: *load, error },
        };
        let mut run =
            Run::with_faults(&fabric, &settings, &who, *load, seed, &schedule).map_err(failed)?;
        run.record_series(NonZeroU32::new(course.window).expect("a window has cycles"));
        let outcome = run.measure(StopRule::FullWindow, progress).map_err(failed)?;
        let figures = outcome.faults.expect("the run had a schedule");
        let until = figures.series.iter().filter(|window| window.from < course.end);
        Ok(Windows::of(&until.copied().collect::<Vec<_>>(), course.first))
    })
}

#[cfg(test)]
mod tests {
    use super::super::whole::FABRIC_SEED;
    use super::*;

    #[test]
    fn the_parts_are_of_the_fabric_and_windows_fit() {
        let fabric = whole_fabric().unwrap();
        let (cable, switch) = parts(&fabric.topology);
        let peer = fabric.topology.peer(cable).unwrap();
        assert_eq!((cable.group, peer.group), (GroupId(0), GroupId(2)));
        assert_eq!(fabric.topology.dragonfly().place(switch), (GroupId(4), SwitchIndex(3)));
        for Course { window, first, cable_dies, switch_dies, mended, end, delay, .. } in
            [FULL, QUICK]
        {
            let times = [first, cable_dies, switch_dies, mended, end];
            assert!(times.iter().all(|time| time.is_multiple_of(window)));
            // Every switch has taken an image long before the next thing happens.
            assert!(times.windows(2).skip(1).all(|pair| pair[1] - pair[0] >= 3 * delay[1]));
        }
        assert_eq!(FABRIC_SEED, fabric.file.seed);
    }

    #[test]
    fn the_share_that_lives_follows_from_the_traffic() {
        let fabric = whole_fabric().unwrap();
        let df = fabric.topology.dragonfly();
        let (_, switch) = parts(&fabric.topology);
        let share = |pattern: &str| {
            let traffic = Traffic::new(&pattern.parse().unwrap(), df, 1).unwrap();
            live_share(&traffic, &without(df, switch))
        };
        // Four nodes send no more, and four others send to them.
        assert!((share("shift(2,0)") - 280.0 / 288.0).abs() < 1e-12);
        assert!((share("uniform") - (284.0_f64 / 288.0).powi(2)).abs() < 1e-12);
    }
}
