//! Asks the datapath for a path of every pair of switches: a path that the tables of links contain, a switch must also
//! find.

use super::VerifyError;
use super::dead::is_live;
use super::minimal::{has_direct_min, has_min_within};
use super::packet::BootedSwitches;
use super::presence::distinct_sets;
use super::sample::hash;
use std::convert::Infallible;
use std::ops::Range;
use tvlb_firmware_model::rand_core::{SeedableRng, TryRng};
use tvlb_firmware_model::{Choice, Credits, DefaultRng, Header, Scheme, VlbPaths};
use tvlb_schema::{Decision, End, FabricImage, GroupId, MinCandidate, Port, SwitchId};

/// The random words that all switches together may draw if not all paths are walked. A draw takes two or three; one
/// that hardly finds anything takes thousands.
const MOST_WORDS: u64 = 1 << 31;
/// How often a switch is asked for an existing path before it counts as unable to find one.
const MOST_ASKS: u32 = 4;

/// How many pairs of switches were asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub(super) min: u64,
    /// For a VLB path of every kind.
    pub(super) vlb: u64,
    /// Answers by MIN, because the pair has no conventional VLB path, or none of a set.
    pub(super) without_conventional: u64,
    pub(super) without_kept: u64,
    /// Draws that missed an existing path, and found it when asked again.
    pub(super) missed: u64,
    /// Pairs that have a path, but none by UGAL-L, or by PAR, with only the channels that the sets need.
    pub(super) need_more: [u64; 2],
}

impl Asked {
    pub(super) fn add(&mut self, other: &Self) {
        self.min += other.min;
        self.vlb += other.vlb;
        self.without_conventional += other.without_conventional;
        self.without_kept += other.without_kept;
        self.missed += other.missed;
        for (sum, other) in self.need_more.iter_mut().zip(other.need_more) {
            *sum += other;
        }
    }
}

/// Random words, with a count of those drawn.
struct Words {
    rng: DefaultRng,
    drawn: u64,
}

impl TryRng for Words {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.drawn += 1;
        self.rng.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.drawn += 2;
        self.rng.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.drawn += bytes.len() as u64 / 4 + 1;
        self.rng.try_fill_bytes(bytes)
    }
}

/// Queues of all ports, or of those to one group, that make MIN cost more than any threshold and let VLB pass any gate.
struct FullQueues<'i> {
    image: &'i tvlb_schema::SwitchImage<'i>,
    only_to: Option<GroupId>,
}

/// More than any threshold, for a path of one hop.
const FULL: u32 = 1 << 16;

impl Credits for FullQueues<'_> {
    fn used(&self, port: Port) -> u32 {
        let Some(group) = self.only_to else { return FULL };
        let df = self.image.fabric().dragonfly();
        let first = df.slot_port(0).0;
        let slot = port.0.checked_sub(first).filter(|_| df.is_slot(port));
        let leads_there =
            slot.and_then(|slot| self.image.peer(slot)).is_some_and(|peer| peer.group == group);
        if leads_there { FULL } else { 0 }
    }

    fn used_on(&self, port: Port, _: u8) -> Option<u32> {
        Some(self.used(port))
    }

    /// No gate closes if all links together have no queue.
    fn used_by_links(&self, _: Range<u16>) -> u32 {
        0
    }

    fn used_by_links_on(&self, _: Range<u16>, _: u8) -> u32 {
        0
    }
}

/// One source switch that is asked.
pub(super) struct Questions<'s, 'f> {
    fabric: &'s BootedSwitches<'f>,
    from: SwitchId,
    sets: Vec<Decision>,
    words: Words,
    most_words: u64,
    pub(super) asked: Asked,
}

/// What the tables of links say about a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) min: bool,
    /// `None` if it was not looked up.
    pub(super) conventional: Option<bool>,
    /// Whether the set of a decision has a route; `None` if it was not counted.
    pub(super) kept: [Option<bool>; 3],
}

impl<'s, 'f> Questions<'s, 'f> {
    pub(super) fn new(
        fabric: &'s BootedSwitches<'f>,
        from: SwitchId,
        seed: u64,
        limited: bool,
    ) -> Self {
        let switch = fabric.switch(from);
        let rng = DefaultRng::seed_from_u64(hash(seed, u32::from(from.0)));
        let most_words =
            if limited { MOST_WORDS / u64::from(fabric.df.switch_count()) } else { u64::MAX };
        Self {
            fabric,
            from,
            sets: distinct_sets(switch),
            words: Words { rng, drawn: 0 },
            most_words,
            asked: Asked::default(),
        }
    }

    /// Asks for a MIN path, and for VLB paths of every kind if the work so far allows it, or if it `must`.
    pub(super) fn ask(
        &mut self,
        to: SwitchId,
        known: Known,
        must: bool,
    ) -> Result<(), VerifyError> {
        self.asked.min += 1;
        let choice = self.admit(to, Scheme::Min, VlbPaths::Custom)?;
        if known.min && choice != Choice::Min {
            return Err(self.finding(
                to,
                "MIN",
                "it takes a VLB path, but the groups share a link",
            ));
        }
        self.ask_with_fewer_channels(to);
        if !must && self.words.drawn >= self.most_words {
            return Ok(());
        }
        self.asked.vlb += 1;
        let text = "it finds none in several attempts, but the tables of links have one";
        if !self.vlb(to, known.conventional, "conventional VLB", text, |this| {
            Ok(this.admit(to, Scheme::Vlb, VlbPaths::Conventional)? == Choice::Vlb)
        })? {
            self.asked.without_conventional += 1;
        }
        let text = "it finds none in several attempts, but the set has one";
        let mut some_without = false;
        for decision in self.sets.clone() {
            let there = known.kept[decision as usize];
            let found = match decision {
                Decision::UgalL => self.vlb(to, there, "T-VLB for UGAL-L", text, |this| {
                    Ok(this.admit(to, Scheme::Vlb, VlbPaths::Custom)? == Choice::Vlb)
                })?,
                Decision::ParSource => self.vlb(to, there, "T-VLB for PAR", text, |this| {
                    let choice = this.admit(to, Scheme::Par, VlbPaths::Custom)?;
                    // Without a MIN path, the last draw is a conventional one.
                    Ok(!known.min || choice != Choice::MinFallback)
                })?,
                Decision::ParSecond => self.ask_again(to, there)?,
            };
            some_without |= !found;
        }
        self.asked.without_kept += u64::from(some_without);
        Ok(())
    }

    /// Asks PAR's second look for a VLB path; returns whether there was one, or nothing to look at.
    pub(super) fn ask_again(
        &mut self,
        to: SwitchId,
        there: Option<bool>,
    ) -> Result<bool, VerifyError> {
        let Some(header) = self.second_header(to) else { return Ok(true) };
        let text = "it finds none in several attempts, but the set has one";
        self.vlb(to, there, "T-VLB for PAR's second look", text, |this| this.reconsider(to, header))
    }

    /// Asks for any path with only the channels that the sets need, if these are fewer and a fault may have taken all
    /// paths that need no more: a MIN path through a third switch, or a VLB path outside the sets, may need more.
    fn ask_with_fewer_channels(&mut self, to: SwitchId) {
        let switch = self.fabric.switch(self.from);
        let (needed, image) = (self.fabric.set_channels, switch.image().fabric());
        if image.is_faultless()
            || needed.if_fewer(self.fabric.channels).is_none()
            || has_direct_min(image, self.from, to)
        {
            return;
        }
        for (number, (scheme, channels)) in needed.by_scheme().into_iter().enumerate() {
            let switch = switch.clone().with_channels_for(scheme, VlbPaths::Custom, channels);
            let Ok(switch) = switch else { continue };
            let (queues, node) =
                (FullQueues { image: switch.image(), only_to: None }, self.fabric.df.node(to, 0));
            let mut finds_none = || {
                let words = &mut self.words;
                switch.admit(node, scheme, VlbPaths::Custom, &queues, words).is_err()
            };
            let is_without = (0..MOST_ASKS).all(|_| finds_none());
            self.asked.need_more[number] += u64::from(is_without);
        }
    }

    /// Asks until there is a VLB path, if one exists; returns whether there was.
    fn vlb(
        &mut self,
        to: SwitchId,
        there: Option<bool>,
        kind: &'static str,
        text: &str,
        ask: impl Fn(&mut Self) -> Result<bool, VerifyError>,
    ) -> Result<bool, VerifyError> {
        let asks = if there == Some(true) { MOST_ASKS } else { 1 };
        for missed in 0..asks {
            if ask(self)? {
                self.asked.missed += u64::from(missed);
                return Ok(true);
            }
        }
        if there == Some(true) {
            return Err(self.finding(to, kind, text));
        }
        Ok(false)
    }

    fn admit(
        &mut self,
        to: SwitchId,
        scheme: Scheme,
        paths: VlbPaths,
    ) -> Result<Choice, VerifyError> {
        let switch = self.fabric.switch(self.from);
        let queues = FullQueues { image: switch.image(), only_to: None };
        let node = self.fabric.df.node(to, 0);
        let admission = switch.admit(node, scheme, paths, &queues, &mut self.words);
        let admission = admission.map_err(|error| VerifyError::Asked {
            from: self.from.into(),
            to: to.into(),
            kind: match (scheme, paths) {
                (Scheme::Min, _) => "MIN",
                (Scheme::Par, _) => "PAR",
                (_, VlbPaths::Conventional) => "conventional VLB",
                (_, VlbPaths::Custom) => "T-VLB for UGAL-L",
            },
            text: format!("it refuses, although there is one: {error}"),
        })?;
        Ok(admission.choice)
    }

    /// A packet for this destination that came here to leave the group through a cable of this switch, for PAR's second
    /// look; `None` if this switch has no such cable.
    fn second_header(&self, to: SwitchId) -> Option<Header> {
        let (df, image) = (self.fabric.df, self.fabric.switch(self.from).image());
        let (group, _) = df.place(to);
        // A group of one switch has no second one.
        let slots = 0..if image.switches_of_group() > 1 { df.h() } else { 0 };
        let slot = slots
            .filter_map(|slot| u16::try_from(slot).ok())
            .filter(|&slot| {
                is_live(image.fabric(), End::new(&df, image.group(), image.index(), slot))
            })
            .find(|&slot| image.peer(slot).is_some_and(|peer| peer.group == group))?;
        let x = df.global_port(image.index(), slot);
        let open_min = 1;
        Some(super::packet::header_after_local_hop(to, x, open_min))
    }

    /// Whether PAR's second look changes a packet to a VLB path if that costs nothing. A MIN path that is drawn there
    /// can begin with any port, so the answer is what the look weighs.
    fn reconsider(&mut self, to: SwitchId, header: Header) -> Result<bool, VerifyError> {
        let switch = self.fabric.switch(self.from);
        if switch.image().second_min() != MinCandidate::Kept {
            let queues = FullQueues { image: switch.image(), only_to: None };
            let look = switch.explain_again(header, VlbPaths::Custom, &queues, &mut self.words);
            let look = look.map_err(|error| {
                self.finding(to, "T-VLB for PAR's second look", &format!("it refuses: {error}"))
            })?;
            return Ok(look.vlb.is_ok());
        }
        let (group, _) = self.fabric.df.place(to);
        let queues = FullQueues { image: switch.image(), only_to: Some(group) };
        let changed = switch.reconsider(header, VlbPaths::Custom, &queues, &mut self.words);
        let changed = changed.map_err(|error| {
            self.finding(to, "T-VLB for PAR's second look", &format!("it refuses: {error}"))
        })?;
        Ok(changed.bits() & 3 == super::packet::VLB)
    }

    fn finding(&self, to: SwitchId, kind: &'static str, text: &str) -> VerifyError {
        let (from, to) = (self.from.into(), to.into());
        VerifyError::Asked { from, to, kind, text: text.to_owned() }
    }
}

/// What a switch can be asked within its group: any detour will do, if a third switch is linked to both.
pub(super) fn within_group(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> Known {
    let ((group, own), (_, there)) = (fabric.dragonfly().place(from), fabric.dragonfly().place(to));
    let detour = fabric.relay_count(group, own, there) > 0;
    let min = has_min_within(fabric, group, (own, there));
    Known { min, conventional: Some(detour), kept: [Some(detour); 3] }
}
