//! What the sections of the report are made from.

use crate::choose::Options;
use crate::fabric::Fabric;
use crate::image::Images;
use tvlb_table_set::Manifest;
use tvlb_throughput::report::Report;
use tvlb_verify::Certificate;

/// Everything that a report tells of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The fabric, with the sets that it was told to have.
    pub fabric: &'s Fabric,
    /// How sets were to be chosen, where they were chosen.
    pub options: &'s Options,
    /// Whether the policies came from a set file.
    pub has_set_file: bool,
    /// Step 1's report; none where the sets were given or the fabric is too large to be modelled.
    pub modelled: Option<&'s Report>,
    pub manifest: &'s Manifest,
    /// The images as they are written.
    pub images: &'s Images,
    /// What was verified of them.
    pub certificate: &'s Certificate,
}
