//! The draws of PAR's second look at a switch, after every hop by which a packet may have come there.

use super::SourceWalks;
use crate::VerifyError;
use crate::ask::Questions;
use crate::minimal;
use crate::packet::{BootedSwitches, HeaderRoute, MIN, MOST_HOPS, VLB};
use tvlb_schema::{Decision, GlobalPort, MinCandidate, SwitchId, SwitchIndex};

impl SourceWalks<'_, '_> {
    /// Walks all MIN paths that PAR's second look can draw here, after every hop by which a packet may have come.
    pub(super) fn minimal_again(&mut self, destination: SwitchId) -> Result<(), VerifyError> {
        let image = self.fabric.switch(self.from).image();
        let fabric = *image.fabric();
        let links: Vec<(GlobalPort, GlobalPort)> = match image.second_min() {
            MinCandidate::Kept => return Ok(()),
            MinCandidate::Shortest => minimal::shortest_links(&fabric, self.from, destination),
            MinCandidate::Any => minimal::direct_links(&fabric, self.from, destination),
        };
        for (x, _) in links {
            let (y, detour) = (GlobalPort(0), SwitchIndex(0));
            let route = HeaderRoute { destination, x, y, detour, kind: MIN };
            self.after_second_look(route)?;
        }
        Ok(())
    }

    /// Checks the draws of PAR's second look at a switch where no packet begins: MIN paths, and for pairs in the sample
    /// the routes of its set.
    pub(super) fn looked_again(
        &mut self,
        destination: SwitchId,
        questions: &mut Questions<'_, '_>,
    ) -> Result<(), VerifyError> {
        if self.look.to(self.fabric.place(destination).0).next().is_none() {
            return Ok(());
        }
        self.minimal_again(destination)?;
        if self.notes.sample.has(self.from, destination) {
            let mut failed = Ok(());
            self.fabric.switch(self.from).for_each_route(
                Decision::ParSecond,
                destination,
                |route, _| {
                    if failed.is_ok() {
                        failed = self.after_second_look(self.on(route, destination));
                    }
                },
            );
            failed?;
        }
        questions.ask_again(destination, None).map(|_| ())
    }

    /// Walks a route after every hop by which a packet may have come to PAR's second look here.
    pub(super) fn after_second_look(&mut self, route: HeaderRoute) -> Result<(), VerifyError> {
        let mut before = self.look.to(self.fabric.place(route.destination).0).peekable();
        let Some(&hop) = before.peek().and_then(|before| before.hops.first()) else {
            return Ok(());
        };
        let kind = if route.kind == VLB {
            "T-VLB (after PAR's second look)"
        } else {
            "MIN (drawn at PAR's second look)"
        };
        let path = self
            .fabric
            .carry(self.from, route, Some(hop), true)
            .map_err(|found| BootedSwitches::finding(self.from, route.destination, kind, found))?;
        self.notes.dependencies.note(path.hops());
        for before in before {
            self.notes.dependencies.note_before(&before.hops, path.hops()[1]);
        }
        self.walks.longest[2] = self.walks.longest[2].max(path.hops().len());
        debug_assert!(path.hops().len() <= MOST_HOPS);
        self.must_have_channels(&[Decision::ParSecond], &path, route.destination, kind)
    }
}
