//! What the sections of the report are made from.

use crate::checked_fabric::CheckedFabric;
use crate::choose::ChoiceOptions;
use crate::image::Images;
use crate::policy::{Policies, Policy};
use tvlb_schema::PerDecision;
use tvlb_table_set::Manifest;
use tvlb_throughput::report::Report;
use tvlb_verify::Certificate;

/// Everything that a report tells of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    pub fabric: &'s CheckedFabric<'s>,
    /// How sets were to be chosen, where they were chosen.
    pub options: &'s ChoiceOptions,
    /// What the policies were to be, in the place of what the fabric file says.
    pub asked: Option<&'s Policies>,
    /// Step 1's report; none where the sets were given or the fabric is too large to be modelled.
    pub modelled: Option<&'s Report>,
    /// What the images say of each decision.
    pub policies: &'s PerDecision<Policy>,
    pub manifest: &'s Manifest,
    /// The images as they are written.
    pub images: &'s Images,
    /// What was verified of them.
    pub certificate: &'s Certificate,
}
