//! The data of the report's sections.

use crate::checked_fabric::CheckedFabric;
use crate::choose::ChoiceOptions;
use crate::image::Images;
use crate::policy::{Policies, Policy};
use tvlb_schema::PerDecision;
use tvlb_table_set::Manifest;
use tvlb_throughput::report::Report;
use tvlb_verify::Certificate;

/// Everything that a report describes.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    pub fabric: &'s CheckedFabric<'s>,
    /// How sets were to be chosen, if they were chosen.
    pub options: &'s ChoiceOptions,
    /// The policies that replaced those of the fabric file.
    pub asked: Option<&'s Policies>,
    /// Step 1's report; `None` if the sets were given or the fabric is too large for the model.
    pub modelled: Option<&'s Report>,
    /// The policies of the images.
    pub policies: &'s PerDecision<Policy>,
    pub manifest: &'s Manifest,
    /// The images that are written.
    pub images: &'s Images,
    /// The result of their verification.
    pub certificate: &'s Certificate,
}
