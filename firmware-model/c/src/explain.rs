//! The reasons for a packet's path, in C.

use crate::describe::{tvlb_weighing, weighing_of};
use crate::memory::{self, Inputs, Out};
use crate::{end, paths_of, scheme_of, state, step_of, tvlb_inputs, tvlb_step, tvlb_switch};
use tvlb_firmware_model::{Candidate, Drawn, Explanation, Header, NotDrawn};
use tvlb_schema::{Candidates, NodeId};

/// The most candidates of one kind, `TVLB_MOST_CANDIDATES`.
pub const MOST_CANDIDATES: usize = Candidates::MOST as usize;

/// The value instead of a virtual channel if all count, `TVLB_ALL_CHANNELS`.
pub const ALL_CHANNELS: u8 = u8::MAX;

/// A path that a decision chose from: `struct tvlb_candidate`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_candidate {
    /// The compared cost: the queue times the hops.
    pub cost: u64,
    /// Credits in use at the first output port.
    pub queue: u32,
    /// The group's port through which it leaves the source group; 0 on a path within the group.
    pub x: u16,
    /// The port through which it leaves the intermediate group; 0 on a MIN path and within the group.
    pub y: u16,
    /// The switch of the intermediate group to visit before y's own, or y's own; on a VLB path within the group the
    /// switch to go through; 0 on a MIN path.
    pub detour: u16,
    /// The first output port.
    pub port: u16,
    /// Remaining hops from switch to switch.
    pub hops: u8,
    /// The virtual channel of that port whose credits were counted, or `ALL_CHANNELS` if all were.
    pub virtual_channel: u8,
}

/// A decision and its inputs: `struct tvlb_explanation`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_explanation {
    /// The answer of `tvlb_admit`; for a look at a packet in transit, only the header of `tvlb_reconsider` or
    /// `tvlb_look_onward`.
    pub step: tvlb_step,
    /// How the decision weighs.
    pub weighing: tvlb_weighing,
    /// 0 if a VLB candidate was weighed, otherwise why none was: `TVLB_NO_DECISION` to `TVLB_NO_PATH`.
    pub not_drawn: u8,
    /// 1 if there was a gate to ask.
    pub gate_asked: u8,
    /// 1 if the gate let VLB in.
    pub gate_open: u8,
    /// How many MIN candidates there are.
    pub min_count: u8,
    /// How many VLB candidates there are.
    pub vlb_count: u8,
    /// Which MIN candidate was weighed, the cheapest.
    pub min_weighed: u8,
    /// Which VLB candidate was weighed, the cheapest.
    pub vlb_weighed: u8,
    /// The number of links in the gate's mean.
    pub gate_links: u16,
    /// Credits in use at the first port of the MIN candidate, as the gate saw it.
    pub gate_queue: u32,
    /// The sum of the credits in use of the links, as the gate saw it.
    pub gate_sum: u32,
    /// The MIN candidates in the order in which they were drawn.
    pub min: [tvlb_candidate; MOST_CANDIDATES],
    /// The VLB candidates in the order in which they were drawn.
    pub vlb: [tvlb_candidate; MOST_CANDIDATES],
}

fn candidate_of(candidate: Candidate) -> tvlb_candidate {
    tvlb_candidate {
        cost: candidate.cost,
        queue: candidate.queue,
        x: candidate.x.0,
        y: candidate.y.0,
        detour: candidate.detour.0.into(),
        port: candidate.port.0,
        hops: candidate.hops,
        virtual_channel: candidate.virtual_channel.unwrap_or(ALL_CHANNELS),
    }
}

/// Writes candidates; returns how many they are and the place of the one that was weighed.
fn list(
    drawn: &Drawn,
    weighed: Option<Candidate>,
    to: &mut [tvlb_candidate; MOST_CANDIDATES],
) -> (u8, u8) {
    let (mut count, mut found) = (0_u8, None);
    for (place, candidate) in to.iter_mut().zip(drawn.iter()) {
        *place = candidate_of(candidate);
        if found.is_none() && weighed == Some(candidate) {
            found = Some(count);
        }
        count += 1;
    }
    (count, found.unwrap_or(0))
}

fn explanation_of<T>(explanation: &Explanation<T>, step: tvlb_step) -> tvlb_explanation {
    let mut told = tvlb_explanation {
        step,
        weighing: weighing_of(explanation.weighing),
        not_drawn: match explanation.vlb {
            Ok(_) => 0,
            Err(NotDrawn::NoDecision) => 1,
            Err(NotDrawn::MinIsSure) => 2,
            Err(NotDrawn::GateIsShut) => 3,
            Err(NotDrawn::NoPath) => 4,
        },
        ..tvlb_explanation::default()
    };
    if let Some(look) = explanation.gate {
        (told.gate_asked, told.gate_open) = (1, look.lets_vlb_in().into());
        (told.gate_links, told.gate_queue, told.gate_sum) = (look.links, look.queue, look.sum);
    }
    let Explanation { min, vlb, min_drawn, vlb_drawn, .. } = explanation;
    (told.min_count, told.min_weighed) = list(min_drawn, *min, &mut told.min);
    (told.vlb_count, told.vlb_weighed) = list(vlb_drawn, vlb.ok(), &mut told.vlb);
    told
}

/// Why a packet from a node takes its path: `tvlb_explain`.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `explanation` for `step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_explain(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    inputs: *const tvlb_inputs,
    explanation: *mut tvlb_explanation,
) -> i32 {
    // SAFETY: the caller promises what `explain` asks for.
    unsafe { explain(switch, node, scheme, paths, inputs, explanation) }
}

/// As [`tvlb_explain`], from counters of any layout.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `explanation` for `step`.
pub(crate) unsafe fn explain<I: Inputs>(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    inputs: *const I,
    explanation: *mut tvlb_explanation,
) -> i32 {
    let answer = || {
        // SAFETY: by the caller's promise on `inputs`.
        let (mut credits, mut random) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `explanation`.
        let out = unsafe { Out::new(explanation) }?;
        let (scheme, paths) = (scheme_of(scheme)?, paths_of(paths)?);
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        credits.belong_to(switch);
        let explanation = switch
            .explain(NodeId(node), scheme, paths, &credits, &mut random)
            .map_err(|error| error.code())?;
        let admission = explanation.outcome;
        let step = step_of(admission.step, admission.choice.code());
        out.write(explanation_of(&explanation, step));
        Ok(())
    };
    end(answer())
}

/// The reasons for the decision of a second look: `tvlb_explain_again`.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `explanation` for `step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_explain_again(
    switch: *const tvlb_switch,
    header: u64,
    paths: u8,
    inputs: *const tvlb_inputs,
    explanation: *mut tvlb_explanation,
) -> i32 {
    // SAFETY: the caller promises what `explain_again` asks for.
    unsafe { explain_again(switch, header, paths, inputs, explanation) }
}

/// As [`tvlb_explain_again`], from counters of any layout.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `explanation` for `step`.
pub(crate) unsafe fn explain_again<I: Inputs>(
    switch: *const tvlb_switch,
    header: u64,
    paths: u8,
    inputs: *const I,
    explanation: *mut tvlb_explanation,
) -> i32 {
    let answer = || {
        // SAFETY: by the caller's promise on `inputs`.
        let (mut credits, mut random) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `explanation`.
        let out = unsafe { Out::new(explanation) }?;
        let paths = paths_of(paths)?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        credits.belong_to(switch);
        let explanation = switch
            .explain_again(Header::from_bits(header), paths, &credits, &mut random)
            .map_err(|error| error.code())?;
        let step = tvlb_step { header: explanation.outcome.bits(), ..tvlb_step::default() };
        out.write(explanation_of(&explanation, step));
        Ok(())
    };
    end(answer())
}

/// The reasons for the answer of a look in the intermediate group: `tvlb_explain_onward`.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `explanation` for `step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_explain_onward(
    switch: *const tvlb_switch,
    header: u64,
    inputs: *const tvlb_inputs,
    explanation: *mut tvlb_explanation,
) -> i32 {
    // SAFETY: the caller promises what `explain_onward` asks for.
    unsafe { explain_onward(switch, header, inputs, explanation) }
}

/// As [`tvlb_explain_onward`], from counters of any layout.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `explanation` for `step`.
pub(crate) unsafe fn explain_onward<I: Inputs>(
    switch: *const tvlb_switch,
    header: u64,
    inputs: *const I,
    explanation: *mut tvlb_explanation,
) -> i32 {
    let answer = || {
        // SAFETY: by the caller's promise on `inputs`.
        let (mut credits, _) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `explanation`.
        let out = unsafe { Out::new(explanation) }?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        credits.belong_to(switch);
        let explanation = switch
            .explain_onward(Header::from_bits(header), switch.booted_for().0, &credits)
            .map_err(|error| error.code())?;
        let step = tvlb_step { header: explanation.outcome.bits(), ..tvlb_step::default() };
        out.write(explanation_of(&explanation, step));
        Ok(())
    };
    end(answer())
}
