//! Verifies only what an update of a table set changes.
//!
//! A table set is verified completely before it gets its name, and hashes show that it has not changed. Faults can
//! change much less: which pairs of switches have MIN paths, which links these take, and which shapes of routes pairs
//! have left. That is checked here for every pair that the faults can affect. No proof of the absence of deadlocks is
//! needed: the rank of a channel depends neither on tables nor on dead parts.

use super::certificate::text::write_update;
use super::certificate::{SetsChannels, line};
use super::crossings::first_links;
use super::dependencies::Dependencies;
use super::error::in_order;
use super::packet::BootedSwitches;
use super::routes::{WalkNotes, check_near};
use super::sample::Sample;
use super::tables::{UnbootedTables, open_tables};
use super::walks::Walks;
use super::{VerifyError, VerifySettings};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt;
use tvlb_base::progress::Progress;
use tvlb_schema::GroupId;
use tvlb_table_set::{TableSet, Update, UpdateRecord};

/// What was checked of an update.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Changes {
    /// The record of the update.
    pub update: UpdateRecord,
    /// Switch images of the update, and of the table set.
    pub images: [usize; 2],
    /// Ordered pairs of switches of different groups whose shapes were compared with the live links.
    pub compared: u64,
    /// Ordered pairs of switches whose MIN paths were walked, and for which the datapath was asked for paths.
    pub pairs: u64,
    pub min_walks: u64,
    /// The virtual channels that the sets need, and what the update changes about that.
    #[serde(flatten)]
    pub channels: SetsChannels,
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_update(f, &self.update)?;
        let [changed, kept] = self.images;
        line(
            f,
            "files",
            &format_args!(
                "{changed} switch images of the update and {kept} of the table set, hashes and checksums \
                 right"
            ),
        )?;
        line(
            f,
            "shapes",
            &format_args!("of {} pairs of switches are those that have routes left", self.compared),
        )?;
        line(
            f,
            "walked",
            &format_args!(
                "{} MIN paths of the {} pairs that the faults can concern; {} of these are cut off",
                self.min_walks, self.pairs, self.update.lost.cut
            ),
        )?;
        self.channels.write(f, "channels")?;
        line(
            f,
            "rest",
            &format_args!(
                "as it was verified when the table set was written; channels rise in rank whatever is dead"
            ),
        )
    }
}

/// Verifies what an update changes. The table set was verified before it was written, and only its hashes are checked.
/// Each source group is a step of the stage "groups".
///
/// # Errors
/// The first fault that makes the update unfit.
pub fn verify_changes(
    set: &TableSet,
    update: &Update,
    progress: &dyn Progress,
) -> Result<Changes, VerifyError> {
    open_tables(set, Some(update), |tables| check(tables, update, progress))
}

fn check(
    tables: &UnbootedTables<'_>,
    update: &Update,
    progress: &dyn Progress,
) -> Result<Changes, VerifyError> {
    let &UnbootedTables { planned_image, fabric_image: live, .. } = tables;
    let df = *live.dragonfly();
    progress.stage("groups", Some(df.groups().count()));
    let bytes = tables.switch_images(progress)?;
    let switches = tables.boot(&bytes, progress)?;
    let fabric = BootedSwitches::new(&switches, &tables.ends());
    let before = tables.replaced_images(update)?;
    let installed = tables.installed(update, &before, &fabric)?;
    let compared = installed.check_shapes(progress)?;

    let sample = Sample::new(&fabric, VerifySettings { most_walks: u64::MAX, seed: 1 });
    let dependencies = Dependencies::new(&df);
    let notes = WalkNotes {
        sample: &sample,
        crossed: &[],
        dependencies: &dependencies,
        planned: planned_image,
        shares: None,
        is_searched: false,
    };
    let groups: Vec<GroupId> = df.groups().collect();
    let parts = in_order(groups.par_iter().map(|&from| {
        let first = first_links(live, from);
        let mut walks = Walks::default();
        for source in df.switches_in(from) {
            let has_lost = installed.has_lost(source);
            let near = installed.concerned.near(live, source, has_lost.as_ref());
            walks.add(&check_near(&fabric, source, &near, &first, notes, progress)?);
        }
        progress.step();
        Ok(walks)
    }))?;
    let walks = tables.without_cycle(&parts, (&fabric, &dependencies), progress)?;
    installed.check_record(&walks)?;
    let (record, replaced) = installed.record();
    Ok(Changes {
        update: record.clone(),
        images: [replaced, switches.len() - replaced],
        compared,
        pairs: walks.pairs,
        min_walks: walks.min,
        channels: SetsChannels::of(&fabric, &walks),
    })
}
