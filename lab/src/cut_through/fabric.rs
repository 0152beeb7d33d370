//! The network on which packets run: booted switches, with an escape network if packets decide at every hop.
use tvlb_ofar::{EscapeImage, EscapeImageError, Ofar};
use tvlb_simulator::BootedFabric;

/// Why packets cannot decide at every hop on a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EscapeRefused {
    #[error("escape image: {0}")]
    Image(EscapeImageError),
    #[error("escape image: {0}")]
    Fabric(tvlb_ofar::Error),
}

/// Booted switches, and the escape network that they share if there is one.
#[derive(Clone, Copy, Debug)]
pub struct CutThroughFabric<'f> {
    pub(super) booted: &'f BootedFabric<'f>,
    pub(super) escape: Option<EscapeImage<'f>>,
}

impl<'f> CutThroughFabric<'f> {
    /// Switches that share the escape network of an image.
    ///
    /// # Errors
    /// The image is wrong, or of another fabric, or packets cannot decide at every hop on this one.
    pub fn with_escape(
        booted: &'f BootedFabric<'f>,
        image: &'f [u8],
    ) -> Result<Self, EscapeRefused> {
        let plan = booted.switches().first().expect("a fabric has switches").image().fabric();
        let escape = EscapeImage::decode(image, plan).map_err(EscapeRefused::Image)?;
        for switch in booted.switches() {
            Ofar::new(switch, &escape).map_err(EscapeRefused::Fabric)?;
        }
        Ok(Self { booted, escape: Some(escape) })
    }
}

impl<'f> From<&'f BootedFabric<'f>> for CutThroughFabric<'f> {
    /// Switches without an escape network.
    fn from(booted: &'f BootedFabric<'f>) -> Self {
        Self { booted, escape: None }
    }
}
