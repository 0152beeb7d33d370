//! Parts that die during a run: the options for them, and the losses as tables and CSV.

use super::options::{At, SimulateOptions};
use crate::failure::Failure;
use crate::files::read_faults;
use crate::tables::Tables;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};
use tvlb_schema::{FabricImage, FaultSet, SwitchId};
use tvlb_simulator::columns::{LOAD, SEED};
use tvlb_simulator::{
    BootedFabric, FaultFigures, FaultSchedule, LinkLosses, Losses, Measuring, Outcome, Point,
    Revision, SeriesWindow, Settings, TablesBefore,
};
use tvlb_table_set::names::Names;
use tvlb_table_set::{Update, sha256};

/// Packets that were lost, by cause, and those that were never sent: each as a column, and in words.
const CAUSES: [(Column<'_>, &str); 6] = [
    (Column::number("on-dead-links", 0, ""), "on dead links"),
    (Column::number("without-live-port", 0, ""), "dropped because no port was left"),
    (Column::number("in-dead-switches", 0, ""), "in dead switches"),
    (Column::number("astray", 0, ""), "refused by a switch that could make no sense of the header"),
    (Column::number("in-source-queues", 0, ""), "never sent, in source queues of dead switches"),
    (Column::number("refused-at-source", 0, ""), "never sent, refused at the source"),
];

/// The columns that say what was lost.
pub(super) fn columns() -> impl Iterator<Item = Column<'static>> {
    CAUSES.into_iter().map(|(column, _)| column)
}

/// Their values.
fn counts(losses: &Losses) -> [u64; 6] {
    let Losses { on_dead_links, without_live_port, in_dead_switches, astray, .. } = *losses;
    let Losses { in_source_queues, refused_at_source, .. } = *losses;
    [
        on_dead_links,
        without_live_port,
        in_dead_switches,
        astray,
        in_source_queues,
        refused_at_source,
    ]
}

/// Their values for a run; empty if no part dies.
pub(super) fn of_run(outcome: &Outcome) -> Vec<Cell> {
    let counts = outcome.faults.as_ref().map(|figures| counts(&figures.losses));
    counts.into_iter().flatten().map(Cell::from).collect()
}

/// What dies and is mended in every run.
pub(super) struct RunFaults {
    pub(super) schedule: FaultSchedule,
    pub(super) record: FaultsRecord,
}

/// The same, to reproduce the runs.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct FaultsRecord {
    faults_at: Vec<FromCycle>,
    /// The least and the largest delay of a fault image.
    fault_delay: (u32, u32),
    /// The number of the update that is installed from the beginning, with its switch images.
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<u32>,
    /// The SHA-256 of the manifest of the table set that switches begin with, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    grown_from: Option<String>,
}

impl FaultsRecord {
    /// What is dead when, for a column of CSV: the cycles, each with the beginning of the SHA-256 of what is dead from
    /// then on.
    pub(super) fn in_words(&self) -> String {
        let of_entry = |FromCycle { cycle, dead, update }: &FromCycle| {
            let hash = sha256(dead.as_bytes());
            let update = update.map_or_else(String::new, |number| format!(" update {number}"));
            format!("{cycle}:{}{update}", &hash[..8])
        };
        let mut words: Vec<String> = self.faults_at.iter().map(of_entry).collect();
        words.extend(self.update.map(|number| format!("update {number}")));
        words.extend(self.grown_from.as_ref().map(|hash| format!("grown from {}", &hash[..8])));
        if self.fault_delay != (0, 0) {
            words.push(format!("delay {}-{}", self.fault_delay.0, self.fault_delay.1));
        }
        if self.faults_at.is_empty() { "none".to_owned() } else { words.join(" ") }
    }
}

/// What is dead from a cycle on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct FromCycle {
    cycle: u32,
    /// Everything that is dead, as a list that `--faults-at` reads.
    dead: String,
    /// The number of the update whose switch images come with the fault image.
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<u32>,
}

/// An update that switches install during a run, and the images that then replace those with which they booted.
pub(super) struct RunUpdate {
    pub(super) cycle: u32,
    pub(super) update: Update,
    pub(super) switch_images: BTreeMap<SwitchId, Vec<u8>>,
}

/// Reads the lists of `--faults-at`, and joins them with the updates of `--update-at`; `None` without either.
pub(super) fn given(
    arguments: &SimulateOptions,
    fabric: &BootedFabric<'_>,
    names: &Names,
    settings: &Settings,
    updates: Vec<RunUpdate>,
) -> Result<Option<RunFaults>, Failure> {
    if arguments.faults_at.is_empty() && updates.is_empty() {
        return Ok(None);
    }
    let plan = plan(fabric);
    let windows = match settings.measuring {
        Measuring::OneWindow => settings.warm_up_windows.saturating_add(1),
        Measuring::UntilWindowsAgree => 10,
    };
    let end = windows.saturating_mul(settings.window_cycles);
    let within = |option: &str, cycle: u32| {
        if cycle < end {
            return Ok(());
        }
        Err(Failure::Message(format!(
            "{option}: found cycle {cycle}, accepted one before cycle {end}, at which the last window ends"
        )))
    };
    let mut entries = Vec::new();
    for At { cycle, path } in &arguments.faults_at {
        within("--faults-at", *cycle)?;
        entries.push((*cycle, read_faults(path, plan, names)?, None));
    }
    for RunUpdate { cycle, update, switch_images } in updates {
        within("--update-at", cycle)?;
        let number = update.record().epoch;
        entries.push((cycle, dead_by(&update, plan)?, Some((number, switch_images))));
    }
    entries.sort_by_key(|&(cycle, ..)| cycle);
    let of_list = |(cycle, faults, update): &(u32, FaultSet, Option<(u32, _)>)| FromCycle {
        cycle: *cycle,
        dead: tvlb_table_set::dead_parts::write(fabric.dragonfly(), faults),
        update: update.as_ref().map(|(number, _)| *number),
    };
    let faults_at = entries.iter().map(of_list).collect();
    let (least, most) = (arguments.fault_delay.0, arguments.fault_delay.1);
    let faults: Vec<_> = entries.iter().map(|(cycle, dead, _)| (*cycle, dead.clone())).collect();
    let mut schedule = FaultSchedule::new(fabric, &faults, least..=most).map_err(Failure::of)?;
    for (entry, (.., update)) in entries.into_iter().enumerate() {
        if let Some((_, images)) = update {
            let with = schedule.with_switch_images(fabric, entry, images);
            schedule = with.map_err(Failure::of)?;
        }
    }
    let mut grown_from = None;
    if let Some(path) = &arguments.grown_from {
        let tables = Tables::open(path)?;
        let before = tables_before(&tables, arguments.switches.revision())?;
        schedule = schedule.grown_from(fabric, before).map_err(Failure::of)?;
        grown_from = Some(tables.set.manifest_sha256().to_owned());
    }
    let record = FaultsRecord { faults_at, fault_delay: (least, most), update: None, grown_from };
    Ok(Some(RunFaults { schedule, record }))
}

/// The tables that switches have before they take the simulated ones.
fn tables_before(tables: &Tables, revision: Option<Revision>) -> Result<TablesBefore, Failure> {
    let fabric = tables.set.fabric_image().map_err(Failure::of)?;
    let images = tables.switch_images(&fabric, revision)?;
    let switches = tables.decode(&fabric)?.dragonfly().switches().zip(images).collect();
    Ok(TablesBefore { fabric, switches })
}

/// What an update says is dead from cycle 0 on, when all switches have installed it.
pub(super) fn from_the_beginning(
    update: &Update,
    fabric: &BootedFabric<'_>,
) -> Result<RunFaults, Failure> {
    let faults = dead_by(update, plan(fabric))?;
    let dead = tvlb_table_set::dead_parts::write(fabric.dragonfly(), &faults);
    let schedule = FaultSchedule::new(fabric, &[(0, faults)], 0..=0).map_err(Failure::of)?;
    let record = FaultsRecord {
        faults_at: vec![FromCycle { cycle: 0, dead, update: None }],
        fault_delay: (0, 0),
        update: Some(update.record().epoch),
        grown_from: None,
    };
    Ok(RunFaults { schedule, record })
}

/// The planned fabric, from the image of its first switch.
fn plan<'p>(fabric: &'p BootedFabric<'_>) -> &'p FabricImage<'p> {
    fabric.switches().first().expect("a fabric has switches").image().fabric()
}

/// What the fault image of an update says is dead.
fn dead_by(update: &Update, plan: &FabricImage<'_>) -> Result<FaultSet, Failure> {
    let image = update.faults().map_err(Failure::of)?;
    let mut view = *plan;
    view.install_faults(&image).map_err(|error| {
        Failure::Message(format!("{}: {error}", update.faults_path().display()))
    })?;
    Ok(view.fault_set())
}

/// A curve, and the seeds of its runs.
#[derive(Clone, Copy)]
pub(super) struct MeasuredCurve<'a> {
    pub(super) points: &'a [Point],
    pub(super) seeds: &'a [u64],
}

impl<'a> MeasuredCurve<'a> {
    /// All runs, with their loads and seeds.
    pub(super) fn runs(self) -> impl Iterator<Item = (f64, u64, &'a Outcome)> {
        let of_point = move |point: &'a Point| {
            let runs = self.seeds.iter().zip(&point.runs);
            runs.map(|(&seed, outcome)| (point.load, seed, outcome))
        };
        self.points.iter().flat_map(of_point)
    }
}

/// The losses and the windows of all runs, for people.
pub(super) struct LossesText<'a>(pub(super) MeasuredCurve<'a>);

impl Display for LossesText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (load, seed, run) in self.0.runs() {
            if run.faults.is_none() && run.series.is_none() {
                continue;
            }
            write!(f, "\nload {load}, seed {seed}")?;
            match &run.faults {
                None => writeln!(f)?,
                Some(figures) => write_losses(f, figures)?,
            }
            if let Some(series) = &run.series {
                write!(f, "{}", series.table())?;
            }
        }
        Ok(())
    }
}

fn write_losses(f: &mut Formatter<'_>, figures: &FaultFigures) -> fmt::Result {
    let FaultFigures { sent, losses, links, .. } = figures;
    writeln!(f, ": {} of {sent} packets sent were lost", losses.sent())?;
    for (count, (_, cause)) in counts(losses).into_iter().zip(CAUSES) {
        if count > 0 {
            writeln!(f, "{count:>10} {cause}")?;
        }
    }
    let mut of_links = Table::new(vec![
        Column::number("on the link", 0, ""),
        Column::number("no live port", 0, ""),
        Column::words("link", ""),
    ]);
    for LinkLosses { link, on_dead_links, without_live_port, .. } in links {
        of_links.push(row![*on_dead_links, *without_live_port, link.as_str()]);
    }
    write!(f, "{of_links}")
}

/// The windows of all runs.
pub(super) fn series(curve: MeasuredCurve<'_>) -> Table<'static> {
    let may_lose = curve.runs().any(|(.., run)| run.faults.is_some());
    let lost = columns().filter(|_| may_lose);
    let first = [LOAD, SEED].into_iter().chain(SeriesWindow::COLUMNS);
    let mut table = Table::new(first.chain(lost).collect()).drawn("accepted over from in flits");
    for (load, seed, run) in curve.runs() {
        for window in run.series.iter().flat_map(|series| &series.windows) {
            let losses = window.losses.as_ref().map(counts).into_iter().flatten();
            let mut row = row![load, seed];
            row.extend(window.row());
            row.extend(losses.map(Cell::from));
            table.push(row);
        }
    }
    table
}
