//! A table set held against the fabric that was planned: whether its cables are those that are laid.
//!
//! No image tells what its fabric is called, or by which arrangement its cables were meant to be laid.
//! Who has the fabric file can tell.

use super::VerifyError;
use std::path::PathBuf;
use tvlb_schema::{Dragonfly, End, FabricImage, FewerLinks};
use tvlb_table_set::miscabled::{Nearness, in_lines, miscabled};
use tvlb_table_set::names::Names;
use tvlb_table_set::{FabricEntry, Manifest};

/// The fabric that a table set should be of, as plain values: what its file says, and its cables.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The fabric file, for messages.
    pub path: PathBuf,
    /// What the manifest of its tables says of it.
    pub entry: FabricEntry,
    pub dragonfly: Dragonfly,
    /// Every cable, by its two ends in any order.
    pub cables: Vec<(End, End)>,
    /// The switches of a group that share fewer links than others of their kind, sorted.
    pub fewer_links: Vec<FewerLinks>,
}

/// The table set is of the planned fabric: its sizes, every link, then its name, and all else that the manifest says
/// of it. A cable in a wrong place is what people must know first,
/// whatever the fabric is called.
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

/// Every two switches of a group share as many links as were planned.
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

/// Every port leads where it was planned to lead.
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
