//! The choice among the finalists of a contest, which are the candidates that are still in after its
//! last pattern, by what the user prefers.
//!
//! With S the mean saturation over the score patterns, L the mean latency at low load over the same
//! patterns, and c conventional UGAL:
//!
//! - `throughput`: the least L among those whose S is below the largest by at most [`EQUAL`].
//! - `latency`: the least L among those whose S is at least that of c and of the paper's choice,
//!   less [`EQUAL`]; by `throughput` if there is none.
//! - `robust`: the least worst regret over all score patterns and guards
//!   ([`super::baseline`]); among equals the least on the guards, and then as by `throughput`.

use super::contender::Contender;
use super::figures::mean;

/// Mean saturations within this distance count as equal: half of the resolution of a single one.
pub(crate) const EQUAL: f64 = 0.005;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// Saturation under adversarial traffic, then latency.
    #[default]
    Throughput,
    /// Latency at low load, without losing throughput.
    Latency,
    /// The worst case over all traffic of the panel.
    Robust,
}

impl Prefer {
    /// The name on the command line and in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Latency => "latency",
            Self::Robust => "robust",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Throughput, Self::Latency, Self::Robust].into_iter().find(|one| one.name() == name)
    }

    /// The rule in words, to follow "is chosen".
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Throughput => {
                "the least latency at low load, among the sets whose mean saturation is within 0.005 \
                 of the largest"
            }
            Self::Latency => {
                "the least latency at low load, among the sets whose mean saturation is at most 0.005 \
                 below conventional UGAL's and the paper's choice's"
            }
            Self::Robust => {
                "the least worst regret over all adversarial patterns and guards, among equals the least \
                 on the guards, and then as by throughput"
            }
        }
    }

    /// How many candidates the race must leave for the choice.
    pub const fn finalists(self) -> usize {
        match self {
            Self::Throughput => 3,
            Self::Latency | Self::Robust => 6,
        }
    }

    /// Whether the saturations on guards matter beyond holding them.
    pub const fn looks_at_guards(self) -> bool {
        matches!(self, Self::Robust)
    }
}

/// A finalist, or a reference that finalists are compared with, with the figures for the choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist {
    pub contender: Contender,
    /// Saturation on each score pattern.
    pub saturations: Vec<f64>,
    /// The worst regret over score patterns and guards, and that over guards alone; `None` if the choice does not need
    /// them.
    pub worst_regrets: Option<[f64; 2]>,
    /// Mean latency at low load.
    pub latency: f64,
}

impl Finalist {
    /// Mean saturation over the score patterns.
    pub fn mean(&self) -> f64 {
        mean(self.saturations.iter().copied())
    }
}

/// The finalists, the chosen one first and the others by falling merit. The `references` include conventional UGAL and
/// the paper's choice.
pub fn by_merit(
    prefer: Prefer,
    mut finalists: Vec<Finalist>,
    references: &[Finalist],
) -> Vec<Finalist> {
    let worst = |finalist: &Finalist| match prefer {
        Prefer::Throughput | Prefer::Latency => [0.0; 2],
        Prefer::Robust => finalist.worst_regrets.unwrap_or([f64::INFINITY; 2]),
    };
    finalists.sort_by(|one, other| {
        let (ours, theirs) = (worst(one), worst(other));
        ours[0]
            .total_cmp(&theirs[0])
            .then(ours[1].total_cmp(&theirs[1]))
            .then(other.mean().total_cmp(&one.mean()))
            .then(one.latency.total_cmp(&other.latency))
            .then(one.contender.cmp(&other.contender))
    });
    let chosen = match prefer {
        Prefer::Throughput | Prefer::Robust => {
            let first =
                finalists.first().map_or(([0.0; 2], 0.0), |first| (worst(first), first.mean()));
            // Means of hundredths: a rounding error must not matter if a difference is exactly EQUAL.
            let is_equal = |f: &Finalist| worst(f) <= first.0 && first.1 - f.mean() <= EQUAL + 1e-9;
            least_latency(&finalists, is_equal)
        }
        Prefer::Latency => {
            let published = references.iter().filter(|f| f.contender.is_published());
            let floor = published.map(Finalist::mean).fold(0.0, f64::max) - EQUAL;
            if finalists.iter().any(|f| f.mean() >= floor) {
                least_latency(&finalists, |f| f.mean() >= floor)
            } else {
                0
            }
        }
    };
    if chosen < finalists.len() {
        let chosen = finalists.remove(chosen);
        finalists.insert(0, chosen);
    }
    finalists
}

fn least_latency(finalists: &[Finalist], may: impl Fn(&Finalist) -> bool) -> usize {
    (0..finalists.len())
        .filter(|&n| may(&finalists[n]))
        .min_by(|&i, &j| finalists[i].latency.total_cmp(&finalists[j].latency).then(i.cmp(&j)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E is 0.32 on the score patterns and 0.66 on all other traffic.
    fn finalist(number: usize, saturation: f64, guard: f64, latency: f64) -> Finalist {
        let contender = Contender::all(number + 1).last().unwrap();
        let (score, guard) = (1.0 - saturation / 0.32, 1.0 - guard / 0.66);
        let worst_regrets = Some([score.max(guard), guard]);
        Finalist { contender, saturations: vec![saturation; 4], worst_regrets, latency }
    }

    fn chosen(prefer: Prefer, finalists: &[Finalist]) -> Vec<usize> {
        let references = [finalist(0, 0.23, 0.66, 56.0), finalist(1, 0.27, 0.66, 55.0)];
        let order = by_merit(prefer, finalists.to_vec(), &references);
        let number = |finalist: &Finalist| {
            Contender::all(10).position(|contender| contender == finalist.contender).unwrap()
        };
        order.iter().map(number).collect()
    }

    #[test]
    fn each_preference_finds_its_own() {
        let finalists = [
            finalist(2, 0.32, 0.60, 51.0),
            finalist(3, 0.28, 0.66, 48.0),
            finalist(4, 0.30, 0.66, 50.0),
            finalist(5, 0.24, 0.66, 45.0),
        ];
        assert_eq!(chosen(Prefer::Throughput, &finalists), [2, 4, 3, 5]);
        assert_eq!(chosen(Prefer::Latency, &finalists), [3, 2, 4, 5]);
        // Their worst regrets are 9.1%, 12.5%, 6.25% and 25%.
        assert_eq!(chosen(Prefer::Robust, &finalists), [4, 2, 3, 5]);
    }

    #[test]
    fn what_the_search_cannot_tell_apart_is_decided_by_latency() {
        let near = [finalist(2, 0.320, 0.66, 51.0), finalist(3, 0.315, 0.66, 50.0)];
        assert_eq!(chosen(Prefer::Throughput, &near), [3, 2]);
        let far = [finalist(2, 0.32, 0.66, 51.0), finalist(3, 0.31, 0.66, 50.0)];
        assert_eq!(chosen(Prefer::Throughput, &far), [2, 3]);
        // On a guard all three lose 9.1%, and the second carries no less than the first.
        let robust = [
            finalist(2, 0.320, 0.60, 51.0),
            finalist(3, 0.316, 0.60, 50.0),
            finalist(4, 0.31, 0.60, 49.0),
        ];
        assert_eq!(chosen(Prefer::Robust, &robust), [3, 2, 4]);
    }

    #[test]
    fn of_those_with_the_same_worst_regret_the_one_with_less_on_guards_is_robust() {
        // On the score patterns all lose 12.5%, and on a guard 9.1%, nothing and 4.5%.
        let finalists = [
            finalist(2, 0.28, 0.60, 48.0),
            finalist(3, 0.28, 0.66, 50.0),
            finalist(4, 0.28, 0.63, 49.0),
        ];
        assert_eq!(chosen(Prefer::Robust, &finalists), [3, 4, 2]);
        assert_eq!(chosen(Prefer::Throughput, &finalists), [2, 4, 3]);
    }

    #[test]
    fn latency_never_costs_throughput_unless_all_lose_it() {
        let losers = [finalist(2, 0.20, 0.66, 40.0), finalist(3, 0.22, 0.66, 50.0)];
        assert_eq!(chosen(Prefer::Latency, &losers), [3, 2]);
    }
}
