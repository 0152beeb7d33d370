//! Compares a table set with the planned fabric: whether its cables are those of the plan.
//!
//! Images contain neither the name of the fabric nor the arrangement of its cables; the fabric file does.

use super::VerifyError;
use std::path::PathBuf;
use tvlb_schema::{Dragonfly, End, FabricImage, FewerLinks};
use tvlb_table_set::miscabled::{Nearness, in_lines, miscabled};
use tvlb_table_set::names::Names;
use tvlb_table_set::{FabricEntry, Manifest};

/// The fabric that a table set should match, as plain values: the contents of its file, and its cables.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The fabric file, for messages.
    pub path: PathBuf,
    /// Its entry in the manifest of its tables.
    pub entry: FabricEntry,
    pub dragonfly: Dragonfly,
    /// Every cable, by its two ends in any order.
    pub cables: Vec<(End, End)>,
    /// The switches of a group that share fewer links than others of their kind, sorted.
    pub fewer_links: Vec<FewerLinks>,
}

/// Checks that the table set is for the planned fabric: its sizes, every link, then its name and everything else in the
/// manifest's entry of the fabric. A misplaced cable comes first, because people must know that whatever the fabric's
/// name.
pub(super) fn check_planned(
    planned: &Planned,
    manifest: &Manifest,
    image: &FabricImage<'_>,
    names: &Names,
) -> Result<(), VerifyError> {
    let is_same = |what: &'static str, of_plan: &str, found: &str| {
        if of_plan == found {
            return Ok(());
        }
        let (path, planned) = (planned.path.clone(), of_plan.to_owned());
        Err(VerifyError::Planned { path, what, planned, found: found.to_owned() })
    };
    let sizes = [&planned.dragonfly, image.dragonfly()].map(Dragonfly::to_string);
    is_same("the sizes are", &sizes[0], &sizes[1])?;
    check_local_links(planned, image, names)?;
    check_cables(planned, image, names)?;
    let facts = planned.entry.facts().into_iter().zip(manifest.fabric.facts());
    facts.into_iter().try_for_each(|((what, of_plan), (_, found))| is_same(what, &of_plan, &found))
}

/// Checks that every two switches of a group share as many links as planned.
fn check_local_links(
    planned: &Planned,
    image: &FabricImage<'_>,
    names: &Names,
) -> Result<(), VerifyError> {
    let df = image.dragonfly();
    let planned_links = |group, low, high| {
        let known = planned
            .fewer_links
            .iter()
            .find(|pair| pair.low == df.switch(group, low) && pair.high == high);
        known.map_or(planned.dragonfly.kind_of(group).local_links, |pair| pair.links)
    };
    let is_as_planned = planned.dragonfly.kinds().eq(df.kinds())
        && image.fewer_links().eq(planned.fewer_links.iter().copied());
    if is_as_planned {
        return Ok(());
    }
    for group in df.groups() {
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let (of_plan, found) =
                    (planned_links(group, low, high), image.local_links(group, low, high));
                if u32::from(of_plan) != found {
                    return Err(VerifyError::Planned {
                        path: planned.path.clone(),
                        what: "the number of links",
                        planned: format!(
                            "from ({group},{low}){} to ({group},{high}){} is {of_plan}",
                            names.after(df.switch(group, low)),
                            names.after(df.switch(group, high))
                        ),
                        found: found.to_string(),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Checks that every port leads where it was planned to lead.
fn check_cables(
    planned: &Planned,
    image: &FabricImage<'_>,
    names: &Names,
) -> Result<(), VerifyError> {
    let df = image.dragonfly();
    let found = image.cables().map(<[End; 2]>::from);
    let by_plan = planned.cables.iter().copied().map(<[End; 2]>::from);
    let switch_of = |end: &End| df.switch(end.group, df.split_port(end.port).0);
    let nearness = |one: &End, other: &End| Nearness::of(df, names, [one, other].map(switch_of));
    let wrong = miscabled(by_plan, found, nearness);
    let wrong: Vec<String> =
        wrong.iter().map(|one| one.in_words(|end| names.end_in_words(df, *end))).collect();
    match wrong.len() {
        0 => Ok(()),
        count => Err(VerifyError::Cables {
            path: planned.path.clone(),
            wrong: count,
            named: in_lines(&wrong),
        }),
    }
}
