//! Parts that die during a run: the options that say so, and what was lost, as tables and CSV.

use super::identity::Identity;
use super::options::{At, Simulate};
use crate::failure::Failure;
use crate::files::read_faults;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU32;
use tvlb_schema::{FabricImage, FaultSet, SwitchId};
use tvlb_simulator::{
    BootedFabric, FaultFigures, FaultSchedule, IDENTITY_COLUMNS, LinkLosses, Losses, Measuring,
    Outcome, Point, SeriesWindow, Settings, setting_columns_heads,
};
use tvlb_table_set::names::Names;
use tvlb_table_set::{Update, sha256};

/// The columns of CSV that say what was lost.
pub(super) const LOSS_COLUMNS: &str =
    "on-dead-links,without-live-port,in-dead-switches,astray,in-source-queues,refused-at-source";

/// What dies and is mended in every run.
pub(super) struct Given {
    pub(super) schedule: FaultSchedule,
    pub(super) series: Option<NonZeroU32>,
    pub(super) record: Record,
}

/// The same for those who want to make the runs again.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Record {
    faults_at: Vec<FromCycle>,
    /// The least and the largest delay of a fault image.
    fault_delay: (u32, u32),
    /// The number of the update that is installed from the beginning, with its switch images.
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<u32>,
}

impl Record {
    /// What is dead when, as a column of CSV says it: the cycles, each with the beginning of the SHA-256 of what
    /// is dead from then on.
    pub(super) fn in_words(&self) -> String {
        let of_entry = |FromCycle { cycle, dead, update }: &FromCycle| {
            let hash = sha256(dead.as_bytes());
            let update = update.map_or_else(String::new, |number| format!(" update {number}"));
            format!("{cycle}:{}{update}", &hash[..8])
        };
        let mut words: Vec<String> = self.faults_at.iter().map(of_entry).collect();
        words.extend(self.update.map(|number| format!("update {number}")));
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
    /// Everything that is dead, as a list that can be read again.
    dead: String,
    /// The number of the update whose switch images come with the fault image.
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<u32>,
}

/// An update that switches install in the course of a run, and the switch images that they then have in the
/// place of those with which they booted.
pub(super) struct Installed {
    pub(super) cycle: u32,
    pub(super) update: Update,
    pub(super) switch_images: BTreeMap<SwitchId, Vec<u8>>,
}

/// Reads the lists that `--faults-at` names, and joins them with the updates of `--update-at`; none if
/// there are neither.
pub(super) fn given(
    arguments: &Simulate,
    fabric: &BootedFabric<'_>,
    names: &Names,
    settings: &Settings,
    updates: Vec<Installed>,
) -> Result<Option<Given>, Failure> {
    // A series is counted where a schedule says what dies, and nothing may be all that does.
    let dies = !arguments.faults_at.is_empty() || !updates.is_empty();
    if !dies && arguments.series.is_none() {
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
    for Installed { cycle, update, switch_images } in updates {
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
    let record = Record { faults_at, fault_delay: (least, most), update: None };
    Ok(Some(Given { schedule, series: arguments.series, record }))
}

/// What an update says is dead, from cycle 0 on, in a network all of whose switches have installed it.
pub(super) fn from_the_beginning(
    update: &Update,
    fabric: &BootedFabric<'_>,
    series: Option<NonZeroU32>,
) -> Result<Given, Failure> {
    let faults = dead_by(update, plan(fabric))?;
    let dead = tvlb_table_set::dead_parts::write(fabric.dragonfly(), &faults);
    let schedule = FaultSchedule::new(fabric, &[(0, faults)], 0..=0).map_err(Failure::of)?;
    let record = Record {
        faults_at: vec![FromCycle { cycle: 0, dead, update: None }],
        fault_delay: (0, 0),
        update: Some(update.record().epoch),
    };
    Ok(Given { schedule, series, record })
}

/// The planned fabric, as its first switch has it.
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
    Ok(FaultSet {
        switches: view.dead_switches().collect(),
        cables: view.dead_cables().collect(),
        local_links: view.dead_local_links().collect(),
    })
}

/// A curve, and the seeds of its runs.
#[derive(Clone, Copy)]
pub(super) struct Curve<'a> {
    pub(super) points: &'a [Point],
    pub(super) seeds: &'a [u64],
}

impl<'a> Curve<'a> {
    /// All runs, with their loads and seeds.
    pub(super) fn runs(self) -> impl Iterator<Item = (f64, u64, &'a Outcome)> {
        let of_point = move |point: &'a Point| {
            let runs = self.seeds.iter().zip(&point.runs);
            runs.map(|(&seed, outcome)| (point.load, seed, outcome))
        };
        self.points.iter().flat_map(of_point)
    }

    /// The runs in which parts died, with their loads, seeds and figures.
    fn with_losses(self) -> impl Iterator<Item = (f64, u64, &'a FaultFigures)> {
        self.runs().filter_map(|(load, seed, run)| Some((load, seed, run.faults.as_ref()?)))
    }
}

/// What was lost, for people.
pub(super) struct Table<'a>(
    pub(super) Curve<'a>,
    /// Whether nothing dies.
    pub(super) bool,
);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (load, seed, figures) in self.0.with_losses() {
            let FaultFigures { sent, losses, links, series, .. } = figures;
            match losses.sent() {
                0 if self.1 => writeln!(f, "\nload {load}, seed {seed}: nothing died"),
                lost => {
                    writeln!(
                        f,
                        "\nload {load}, seed {seed}: {lost} of {sent} packets sent were lost"
                    )
                }
            }?;
            for (count, cause) in [
                (losses.on_dead_links, "on dead links"),
                (losses.without_live_port, "dropped because no port was left"),
                (losses.in_dead_switches, "in dead switches"),
                (losses.astray, "refused by a switch that could make no sense of the header"),
                (losses.in_source_queues, "never sent, in source queues of dead switches"),
                (losses.refused_at_source, "never sent, refused at the source"),
            ] {
                if count > 0 {
                    writeln!(f, "{count:>10} {cause}")?;
                }
            }
            if !links.is_empty() {
                writeln!(f, " on the link  no live port  link")?;
            }
            for LinkLosses { link, on_dead_links, without_live_port, .. } in links {
                writeln!(f, "{on_dead_links:>12} {without_live_port:>13}  {link}")?;
            }
            if !series.is_empty() {
                writeln!(f, "      from accepted  latency    VLB       lost never sent")?;
            }
            for SeriesWindow { from, accepted, latency, vlb_share, losses } in series {
                let latency = latency.map_or("-".to_owned(), |latency| format!("{latency:.2}"));
                let vlb = vlb_share.map_or("-".to_owned(), |share| format!("{share:.3}"));
                let (lost, never) = (losses.sent(), losses.all() - losses.sent());
                writeln!(
                    f,
                    "{from:>10} {accepted:>8.4} {latency:>8} {vlb:>6} {lost:>10} {never:>10}"
                )?;
            }
        }
        Ok(())
    }
}

/// The windows of all runs, a line each, which begins with what was run.
pub(super) struct SeriesCsv<'a>(
    pub(super) Curve<'a>,
    pub(super) &'a Identity<'a>,
    /// What stands in the columns of settings.
    pub(super) &'a str,
);

impl Display for SeriesCsv<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(_, identity, settings) = self;
        let heads = setting_columns_heads();
        writeln!(
            f,
            "{IDENTITY_COLUMNS},load,seed,from,accepted,latency,vlb-share,{LOSS_COLUMNS},{heads}"
        )?;
        for (load, seed, figures) in self.0.with_losses() {
            for SeriesWindow { from, accepted, latency, vlb_share, losses } in &figures.series {
                let [latency, vlb] = [latency, vlb_share]
                    .map(|mean| mean.map_or_else(String::new, |mean| mean.to_string()));
                let lost = columns(losses);
                writeln!(
                    f,
                    "{identity},{load},{seed},{from},{accepted},{latency},{vlb}{lost},{settings}"
                )?;
            }
        }
        Ok(())
    }
}

/// What stands in the columns of losses of a run, after a comma; nothing where no part dies.
pub(super) fn columns_of(outcome: &Outcome) -> String {
    outcome.faults.as_ref().map_or_else(String::new, |figures| columns(&figures.losses))
}

fn columns(losses: &Losses) -> String {
    let Losses { on_dead_links, without_live_port, in_dead_switches, astray, .. } = losses;
    let Losses { in_source_queues, refused_at_source, .. } = losses;
    format!(
        ",{on_dead_links},{without_live_port},{in_dead_switches},{astray},{in_source_queues},{refused_at_source}"
    )
}
