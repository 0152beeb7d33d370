//! One switch: booted from its images, it knows its place and its neighbours.

use crate::Error;
use crate::draw::Pair;
use tvlb_schema::{
    Decision, Dragonfly, End, FabricImage, Group, Index, Port, Route, Shape, SwitchImage,
};

/// One booted switch. It borrows its images and changes nothing: share it freely.
#[derive(Clone, Debug)]
pub struct Switch<'a> {
    pub(crate) image: SwitchImage<'a>,
}

impl<'a> Switch<'a> {
    /// Boots from the fabric image and this switch's image.
    ///
    /// # Errors
    /// Which image is bad and why. Never panics, whatever the bytes.
    pub fn boot(fabric: &'a [u8], switch: &'a [u8]) -> Result<Self, Error> {
        let fabric = FabricImage::decode(fabric).map_err(Error::FabricImage)?;
        let image = SwitchImage::decode(switch, &fabric).map_err(Error::SwitchImage)?;
        Ok(Self { image })
    }

    /// The image it booted from.
    pub const fn image(&self) -> &SwitchImage<'a> {
        &self.image
    }

    /// Every VLB route to `destination` that a decision's set keeps, each once, with its shape.
    ///
    /// For tools and tests: the time grows with the number of routes.
    pub fn for_each_route(
        &self,
        decision: Decision,
        destination: tvlb_schema::Switch,
        each: impl FnMut(Route, Shape),
    ) {
        if let Some(pair) = self.pair(destination) {
            pair.for_each_route(self.image.set(decision), each);
        }
    }

    /// The other end of the cable or local link behind a physical port; `None` for a terminal, an
    /// unused port or one that does not exist.
    pub fn neighbour(&self, port: Port) -> Option<(Group, Index)> {
        let df = self.dragonfly();
        let (here, number) = (self.image.index(), u32::from(port.0));
        let rank = number.checked_sub(df.p())?;
        if rank < df.a() - 1 {
            let index = u8::try_from(rank).ok()?;
            return Some((
                self.image.group(),
                Index(if index >= here.0 { index + 1 } else { index }),
            ));
        }
        let slot = u16::try_from(rank - (df.a() - 1)).ok()?;
        let End { group, port } = self.image.peer(slot)?;
        Some((group, df.split_port(port).0))
    }

    #[inline]
    pub(crate) const fn dragonfly(&self) -> &Dragonfly {
        self.image.fabric().dragonfly()
    }

    /// This switch and one of another group; `None` for one of its own group.
    #[inline]
    pub(crate) fn pair(&self, destination: tvlb_schema::Switch) -> Option<Pair<'_, 'a>> {
        let to = self.dragonfly().place(destination);
        let from = (self.image.group(), self.image.index());
        (to.0 != from.0).then_some(Pair {
            fabric: self.image.fabric(),
            source: self.image.switch(),
            destination,
            from,
            to,
        })
    }
}
