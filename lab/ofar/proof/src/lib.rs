//! Proves that packets which decide at every hop do not wait for each other for ever: the conditions of
//! docs/explanation/ofar.md are checked for switches, from their images and their answers alone.
//!
//! That the ring or the tree leads by links of the plan through every switch is proved when its image is read. Here
//! every switch is asked, towards every destination and in every state in which a packet can be there:
//!
//! - if nothing canonical has room, it must ask for the escape channel that place, destination and direction decide,
//!   with room for two packets to enter a ring and for one otherwise, which leads one nearer; from an injection queue
//!   for nothing;
//! - if everything has room, for a canonical channel, unless it has entered too often;
//! - if exactly one canonical channel has room, for that or nothing: of all paths that this leaves, none returns to a
//!   switch in the same state, and none has more than 8 hops, 2 of them between groups.
//!
//! The headers are written here once more, from the documented layout. For a large fabric a sample of destinations is
//! checked, and the certificate says how many.

mod certificate;
mod states;
#[cfg(test)]
mod tests;

pub use certificate::EscapeCertificate;
use rayon::prelude::*;
use states::State;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_firmware_model::{DefaultRng, Header, Switch};
use tvlb_ofar::{
    Ask, Error, EscapeImage, EscapeImageError, EscapeKind, Ofar, Outputs, PortSet,
    channels as ofar_channels,
};
use tvlb_schema::{FabricImage, Port, SwitchId};

/// The most questions that are asked, in whole destinations but for at least one of them.
const MOST_ASKED: u64 = 60_000_000;
/// The longest canonical path: links within groups and between them, and the latter alone.
const LONGEST: [u8; 2] = [8, 2];

/// How a switch answers; in tests also one that does not do as it should.
type Answer<'a> = dyn Fn(SwitchId, Header, &dyn Outputs) -> Result<Ask, Error> + Sync + 'a;

/// A switch's view: nothing canonical has room, everything has, or one link.
#[derive(Clone, Copy)]
struct ProofView {
    ready: PortSet,
}

impl Outputs for ProofView {
    fn ready(&self) -> PortSet {
        self.ready
    }

    fn room(&self, port: Port, _: u8) -> u16 {
        if self.ready.contains(port) { 9 } else { 0 }
    }

    fn capacity(&self, _: Port) -> u16 {
        9
    }

    fn granted(&self) -> PortSet {
        // So that the strict trigger allows what it can ever allow.
        PortSet::from_words([u64::MAX; 4])
    }
}

/// Why packets may wait for each other for ever, or why that is unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unproved {
    #[error("{0}")]
    Image(#[from] EscapeImageError),
    #[error("{0}")]
    Fabric(#[from] Error),
    /// A switch answers otherwise than it has to.
    #[error("{0}")]
    Answer(String),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Proves it of the switches of a fabric, all of which share an escape image.
///
/// # Errors
/// The first thing that does not hold, or that the work was cancelled.
pub fn prove(
    switches: &[Switch<'_>],
    escape_image: &[u8],
    progress: &dyn Progress,
) -> Result<EscapeCertificate, Unproved> {
    let fabric = switches.first().expect("a fabric has switches").image().fabric();
    let image = EscapeImage::decode(escape_image, fabric)?;
    let asked: Vec<Ofar<'_, '_>> =
        switches.iter().map(|switch| Ofar::new(switch, &image)).collect::<Result<_, _>>()?;
    let mut places = vec![usize::MAX; fabric.dragonfly().switch_numbers() as usize];
    for (place, switch) in switches.iter().enumerate() {
        places[switch.image().switch().as_usize()] = place;
    }
    let answer = |at: SwitchId, header: Header, outputs: &dyn Outputs| {
        asked[places[at.as_usize()]].ask(header, outputs, &mut DefaultRng::seed_from_u64(1))
    };
    prove_answers(fabric, &image, &answer, progress)
}

/// Proves it of these answers.
fn prove_answers(
    fabric: &FabricImage<'_>,
    image: &EscapeImage<'_>,
    answer: &Answer<'_>,
    progress: &dyn Progress,
) -> Result<EscapeCertificate, Unproved> {
    let df = fabric.dragonfly();
    let every: Vec<SwitchId> = df.switches().collect();
    let states = State::every(image.kind(), image.rules());
    // Each state is asked twice, and each of the few that canonical paths pass through once for each link.
    let each = every.len() as u64 * (2 * states.len() as u64 + 8 * u64::from(df.radix()));
    let most = usize::try_from(MOST_ASKED / each).unwrap_or(usize::MAX).max(1);
    let step = every.len().div_ceil(most);
    // Nothing is sent to a switch without nodes.
    let has_nodes = |switch: &SwitchId| df.nodes_of(df.place(*switch).0) > 0;
    let possible: Vec<SwitchId> = every.iter().copied().filter(has_nodes).collect();
    let looked_at: Vec<SwitchId> = possible.iter().copied().step_by(step).collect();
    let proof = Proof { fabric, image, answer, states: &states };
    let parts = looked_at.par_iter().map(|&to| {
        progress.check()?;
        Ok::<_, Cancelled>(proof.towards(to, &every))
    });
    let parts: Vec<Result<QuestionCounts, String>> = parts.collect::<Result<_, _>>()?;
    let mut found = QuestionCounts { asked: 0, longest: [0, 0] };
    for part in parts {
        let one = part.map_err(Unproved::Answer)?;
        found.asked += one.asked;
        found.longest = std::array::from_fn(|n| found.longest[n].max(one.longest[n]));
    }
    let channels = ofar_channels(image.rules());
    Ok(EscapeCertificate {
        network: image.kind().name().to_owned(),
        switches: image.len(),
        destinations: looked_at.len() as u64,
        possible_destinations: possible.len() as u64,
        asked: found.asked,
        longest: found.longest,
        most_entries: image.rules().most_entries,
        channels_needed: [channels.local, channels.global],
    })
}

struct QuestionCounts {
    asked: u64,
    longest: [u8; 2],
}

struct Proof<'p> {
    fabric: &'p FabricImage<'p>,
    image: &'p EscapeImage<'p>,
    answer: &'p Answer<'p>,
    states: &'p [State],
}

/// The longest canonical path from a switch and a state on.
#[derive(Clone, Copy)]
enum Onward {
    NotLooked,
    Looking,
    Longest([u8; 2]),
}

impl Proof<'_> {
    fn towards(&self, to: SwitchId, every: &[SwitchId]) -> Result<QuestionCounts, String> {
        let mut asked = 0;
        for &at in every {
            for state in self.states {
                self.check_state(at, to, *state)?;
                asked += 2;
            }
        }
        let numbers = self.fabric.dragonfly().switch_numbers() as usize;
        let mut onward = vec![Onward::NotLooked; numbers * State::CANONICAL];
        let mut longest = [0, 0];
        for &at in every {
            let one = self.longest((at, State::AT_SOURCE), to, &mut onward, &mut asked)?;
            longest = std::array::from_fn(|n| one[n].max(longest[n]));
        }
        if longest > LONGEST || longest[1] > LONGEST[1] {
            return Err(format!(
                "towards switch {to} a canonical path has {} hops, {} of them between groups; at most {} and {} \
                 are accepted",
                longest[0], longest[1], LONGEST[0], LONGEST[1]
            ));
        }
        Ok(QuestionCounts { asked, longest })
    }

    fn ask(&self, at: SwitchId, to: SwitchId, state: State, ready: PortSet) -> Result<Ask, String> {
        let header = state.header(to, 0);
        (self.answer)(at, header, &ProofView { ready })
            .map_err(|error| format!("switch {at}, towards switch {to}: {error}"))
    }

    /// The links of a switch, by the wiring alone.
    fn links(&self, at: SwitchId) -> impl Iterator<Item = Port> {
        let radix = u16::try_from(self.fabric.dragonfly().radix()).expect("at most 256 ports");
        (0..radix).map(Port).filter(move |&port| self.fabric.far_end(at, port).is_some())
    }

    /// The requests of a packet in a state if nothing has room, and if everything has.
    fn check_state(&self, at: SwitchId, to: SwitchId, state: State) -> Result<(), String> {
        let full = self.ask(at, to, state, PortSet::EMPTY)?;
        let free = self.ask(at, to, state, self.links(at).collect())?;
        let wrong = |what: &str, found: Ask| {
            Err(format!(
                "switch {at}, towards switch {to}, {state}: {what}, but it answers {found:?}"
            ))
        };
        if at == to {
            let delivers = Ask::Deliver { port: Port(0) };
            return match [full, free].into_iter().find(|&asked| asked != delivers) {
                Some(found) => wrong("it is at its destination", found),
                None => Ok(()),
            };
        }
        if state.is_at_source() {
            if full != Ask::Wait {
                return wrong("nothing is injected into the escape network", full);
            }
        } else if full != self.by_escape(at, to, state) {
            return wrong("nothing but the escape network has room", full);
        }
        if state.stays(self.image.rules()) {
            if free != full {
                return wrong("it has entered too often to leave the escape network", free);
            }
            return Ok(());
        }
        let bubble = if state.is_at_source() { u16::from(self.image.rules().bubble) } else { 0 };
        match free {
            Ask::Send { port, virtual_channel, room, .. }
                if virtual_channel < self.escape_channel(port) && room == 1 + bubble =>
            {
                Ok(())
            }
            found => wrong("canonical channels have room", found),
        }
    }

    fn is_local(&self, port: Port) -> bool {
        !self.fabric.dragonfly().is_slot(port)
    }

    fn escape_channel(&self, port: Port) -> u8 {
        let rules = self.image.rules();
        if self.is_local(port) { rules.local_channels } else { rules.global_channels }
    }

    /// The escape channel that a packet must ask for, by the image, and how it must travel.
    fn by_escape(&self, at: SwitchId, to: SwitchId, state: State) -> Ask {
        let (here, there) = (self.image.place(at), self.image.place(to));
        let count = self.image.len();
        let (port, backward, room) = match self.image.kind() {
            EscapeKind::Ring => {
                let ahead = (there + count - here) % count;
                let backward = if state.escape { state.backward } else { 2 * ahead > count };
                let (onward, before) = self.image.ring_ports(here);
                (if backward { before } else { onward }, backward, if state.escape { 1 } else { 2 })
            }
            EscapeKind::Tree => {
                // The link of the tree that leads to the destination: below, if it hangs there, else above.
                let hangs = |place: u32, above: u32| {
                    (above..=above + self.image.below(above)).contains(&place)
                };
                let leads = |port: &Port| {
                    let far = self.fabric.far_end(at, *port).map(|(far, _)| self.image.place(far));
                    far.is_some_and(|far| {
                        if far > here { hangs(there, far) } else { !hangs(there, here) }
                    })
                };
                let port = self.image.ports(here).find(leads).unwrap_or(Port(0));
                (port, false, 1)
            }
        };
        let virtual_channel = self.escape_channel(port);
        let after = state.entering(backward).crossed(self.is_local(port), virtual_channel);
        Ask::Send { port, virtual_channel, header: after.header(to, 0), room }
    }

    /// The longest canonical path from here on, over all answers that any room can bring about.
    fn longest(
        &self,
        (at, state): (SwitchId, State),
        to: SwitchId,
        onward: &mut [Onward],
        asked: &mut u64,
    ) -> Result<[u8; 2], String> {
        if at == to {
            return Ok([0, 0]);
        }
        let place = at.as_usize() * State::CANONICAL + state.canonical_number();
        match onward[place] {
            Onward::Longest(known) => return Ok(known),
            Onward::Looking => {
                return Err(format!(
                    "towards switch {to} canonical paths come back to switch {at}, {state}"
                ));
            }
            Onward::NotLooked => onward[place] = Onward::Looking,
        }
        let mut longest = [0, 0];
        for port in self.links(at).collect::<Vec<_>>() {
            *asked += 1;
            let only = [port].into_iter().collect();
            let Ask::Send { port: taken, virtual_channel, header, .. } =
                self.ask(at, to, state, only)?
            else {
                continue;
            };
            let is_local = self.is_local(taken);
            if virtual_channel == self.escape_channel(taken) {
                continue;
            }
            let Some(after) = State::of(header).filter(|_| taken == port) else {
                return Err(format!(
                    "switch {at}, towards switch {to}, {state}: only port {port} has room, but it asks for port \
                     {taken} with header {:#018x}",
                    header.bits()
                ));
            };
            let (next, _) = self.fabric.far_end(at, taken).expect("it is a link");
            let [hops, global] = self.longest((next, after.normal()), to, onward, asked)?;
            let one = [hops.saturating_add(1), global.saturating_add(u8::from(!is_local))];
            longest = std::array::from_fn(|n| one[n].max(longest[n]));
        }
        onward[place] = Onward::Longest(longest);
        Ok(longest)
    }
}
