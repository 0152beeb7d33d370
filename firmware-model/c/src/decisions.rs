//! The decisions of a switch, from counters of any layout. Each kind of [`Inputs`] has a C function for each decision.

use crate::memory::{self, Inputs, Out};
use crate::{end, paths_of, scheme_of, state, step_of, tvlb_step, tvlb_switch};
use tvlb_firmware_model::{Admission, Header};
use tvlb_schema::NodeId;

/// The source decision.
///
/// # Safety
/// As for [`crate::tvlb_admit`].
#[inline]
pub(crate) unsafe fn admit<I: Inputs>(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    inputs: *const I,
    step: *mut tvlb_step,
) -> i32 {
    let admit = || {
        let (scheme, paths) = (scheme_of(scheme)?, paths_of(paths)?);
        // SAFETY: by the caller's promise on `inputs`.
        let (mut credits, mut random) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `step`.
        let out = unsafe { Out::new(step) }?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        credits.belong_to(switch);
        let Admission { step, choice } = switch
            .admit(NodeId(node), scheme, paths, &credits, &mut random)
            .map_err(|error| error.code())?;
        out.write(step_of(step, choice.code()));
        Ok(())
    };
    end(admit())
}

/// PAR's second look.
///
/// # Safety
/// As for [`crate::tvlb_reconsider`].
#[inline]
pub(crate) unsafe fn reconsider<I: Inputs>(
    switch: *const tvlb_switch,
    header: *mut u64,
    paths: u8,
    inputs: *const I,
) -> i32 {
    let reconsider = || {
        let paths = paths_of(paths)?;
        // SAFETY: by the caller's promise on `inputs`.
        let (mut credits, mut random) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `header`, as for the next.
        let out = unsafe { Out::new(header) }?;
        // SAFETY: as above.
        let header = Header::from_bits(unsafe { memory::read(header) }?);
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        credits.belong_to(switch);
        let looked = switch
            .reconsider(header, paths, &credits, &mut random)
            .map_err(|error| error.code())?;
        out.write(looked.bits());
        Ok(())
    };
    end(reconsider())
}

/// The look in the intermediate group.
///
/// # Safety
/// As for [`crate::tvlb_look_onward`].
#[inline]
pub(crate) unsafe fn look_onward<I: Inputs>(
    switch: *const tvlb_switch,
    header: *mut u64,
    inputs: *const I,
) -> i32 {
    let look = || {
        // SAFETY: by the caller's promise on `inputs`.
        let (mut credits, _) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `header`, as for the next.
        let out = unsafe { Out::new(header) }?;
        // SAFETY: as above.
        let header = Header::from_bits(unsafe { memory::read(header) }?);
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        credits.belong_to(switch);
        let looked = switch.look_onward(header, switch.booted_for().0, &credits);
        out.write(looked.map_err(|error| error.code())?.bits());
        Ok(())
    };
    end(look())
}
