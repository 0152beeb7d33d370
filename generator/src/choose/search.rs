//! The search for the load at which a network saturates, in as few runs as a good guess allows.
//!
//! Loads are whole percent of what a node can send. The search itself is the simulator's, which
//! strides away from the guess and then halves what is left.

use tvlb_simulator::{self as simulator, Probing};

/// How many steps make a load of 1.
pub const STEPS: u32 = 100;

/// The last good step next to a bad one: 0 if step 1 is bad, [`STEPS`] if that is good.
///
/// # Errors
/// The first failure of a run.
pub fn last_good<E>(guess: u32, mut is_good: impl FnMut(u32) -> Result<bool, E>) -> Result<u32, E> {
    simulator::last_good(STEPS, Probing::FromGuess(guess), |steps| {
        steps.iter().map(|&step| is_good(step)).collect()
    })
}

/// A step as a load.
pub fn load_of(step: u32) -> f64 {
    f64::from(step) / f64::from(STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn search(guess: u32, last: u32) -> (u32, Vec<u32>) {
        let mut asked = Vec::new();
        let found = last_good::<Infallible>(guess, |step| {
            asked.push(step);
            Ok(step <= last)
        });
        (found.unwrap(), asked)
    }

    #[test]
    fn finds_every_step_from_every_guess() {
        for guess in 0..=STEPS + 5 {
            for last in 0..=STEPS {
                let (found, asked) = search(guess, last);
                assert_eq!(found, last, "from {guess}");
                assert!(asked.iter().all(|step| (1..=STEPS).contains(step)));
                let mut distinct = asked.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), asked.len(), "asks twice: {asked:?}");
            }
        }
    }

    #[test]
    fn a_good_guess_takes_three_runs() {
        assert_eq!(search(30, 30).1, [30, 32, 31]);
        assert_eq!(search(30, 29).1, [30, 28, 29]);
        assert!((0..8).all(|off| search(30, 26 + off).1.len() <= 5));
    }

    #[test]
    fn a_failure_ends_the_search() {
        assert_eq!(last_good(30, |_| Err::<bool, _>("broken")), Err("broken"));
    }
}
