//! How a run of either engine goes on: in pieces between which its caller may cancel it, and only while something moves.

use tvlb_base::progress::{Cancelled, Progress};

/// Cycles from one check for a standstill to the next.
pub const WATCH: u32 = 256;

/// Cycles from one question whether the caller has cancelled the run to the next.
const PIECE: u32 = 1000;

/// When something in a network last moved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Movement {
    /// How many grants there were then.
    grants: u64,
    cycle: u32,
}

impl Movement {
    /// Whether nothing has been granted for this many cycles, although packets are under way.
    pub const fn has_stopped(
        &mut self,
        (grants, under_way): (u64, u32),
        now: u32,
        patience_cycles: u32,
    ) -> bool {
        if self.grants != grants || under_way == 0 {
            *self = Self { grants, cycle: now };
        }
        now - self.cycle >= patience_cycles
    }
}

/// Runs some cycles by `advance`.
///
/// # Errors
/// The caller has cancelled the run, or `advance` has failed.
pub fn advance_unless_cancelled<E: From<Cancelled>>(
    progress: &dyn Progress,
    cycles: u32,
    mut advance: impl FnMut(u32) -> Result<(), E>,
) -> Result<(), E> {
    let mut left = cycles;
    while left > 0 {
        progress.check()?;
        let some = left.min(PIECE);
        advance(some)?;
        left -= some;
    }
    Ok(())
}
