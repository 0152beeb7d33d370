//! Formats that describe one group and repeat it.

use super::error::ExportError;
use tvlb_schema::{Dragonfly, GroupId};

/// Refuses groups that differ in their switches or in the nodes on each. Where they do not differ, the
/// numbers of switches and nodes have no gaps.
pub(super) fn expect_like_groups(df: &Dragonfly, format: &'static str) -> Result<(), ExportError> {
    let sizes = |group: GroupId| [df.switches_of(group), df.nodes_of(group)];
    let first = sizes(GroupId(0));
    match df.groups().find(|&group| sizes(group) != first) {
        None => Ok(()),
        Some(group) => {
            Err(ExportError::UnequalGroups { format, group, first, found: sizes(group) })
        }
    }
}
