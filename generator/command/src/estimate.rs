//! How long simulations will take, before the first one is made: the hops of all packets, times what
//! a hop has taken where it was measured. A bar says it better once it has begun.

use std::time::Duration;

/// Switches that a packet crosses.
const CROSSED: f64 = 5.0;
/// What crossing a switch takes a simulation, in seconds of one processor, at least and at most: on the
/// machine that it was measured on 115 ns, for 36 switches as for 702.
const PER_CROSSING: [f64; 2] = [80e-9, 220e-9];

/// Simulations that are to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simulations {
    /// How many.
    pub runs: usize,
    /// Cycles of each.
    pub cycles: u64,
    /// Nodes of the fabric.
    pub nodes: u32,
    /// The mean load.
    pub load: f64,
}

impl Simulations {
    /// What they take at least and at most on these threads.
    pub(crate) fn take(&self, threads: usize) -> [Duration; 2] {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let [runs, cycles, threads] = [self.runs as f64, self.cycles as f64, threads as f64];
        let crossings = runs * cycles * f64::from(self.nodes) * self.load * CROSSED;
        // No more threads than runs have something to do.
        let at_once = threads.min(runs).max(1.0);
        let longest = Duration::from_secs(1 << 40);
        PER_CROSSING
            .map(|each| Duration::try_from_secs_f64(crossings * each / at_once).unwrap_or(longest))
    }
}

/// "some 20 to 60 s", "some 2 to 5 minutes", "some 3 to 8 hours".
pub(crate) fn in_words([least, most]: [Duration; 2]) -> String {
    let (unit, seconds) = match most.as_secs() {
        0..=120 => ("s", 1),
        121..=7200 => ("minutes", 60),
        _ => ("hours", 3600),
    };
    let [least, most] = [least, most].map(|time| time.as_secs().div_ceil(seconds).max(1));
    if least == most {
        let unit = if most == 1 { unit.trim_end_matches('s') } else { unit };
        let unit = if unit.is_empty() { "s" } else { unit };
        format!("some {most} {unit}")
    } else {
        format!("some {least} to {most} {unit}")
    }
}

/// "on 2 threads".
pub(crate) fn on_threads() -> String {
    match rayon::current_num_threads() {
        1 => "on 1 thread".to_owned(),
        threads => format!("on {threads} threads"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        let words = |least, most| in_words([least, most].map(Duration::from_secs));
        assert_eq!(words(0, 1), "some 1 s");
        assert_eq!(words(20, 61), "some 20 to 61 s");
        assert_eq!(words(100, 290), "some 2 to 5 minutes");
        assert_eq!(words(3600, 3 * 3600), "some 1 to 3 hours");
    }

    #[test]
    fn a_full_choice_takes_what_it_was_measured_to_take() {
        // 1,600 runs took 350 s of processors at a mean load of 0.35.
        let choice = Simulations { runs: 1600, cycles: 3132, nodes: 288, load: 0.35 };
        let [least, most] = choice.take(1);
        assert!(least < Duration::from_secs(350) && Duration::from_secs(350) < most);
        assert_eq!(choice.take(2)[1], most / 2);
        // A single run has one thread.
        let one = Simulations { runs: 1, ..choice };
        assert_eq!(one.take(8), one.take(1));
    }

    #[test]
    fn no_number_is_too_large() {
        let all = Simulations { runs: usize::MAX, cycles: u64::MAX, nodes: u32::MAX, load: 1.0 };
        assert!(in_words(all.take(1)).ends_with("hours"));
    }
}
