//! A first-order method for large programs: flows and links play against each other.
//!
//! Splits w and prices y of the links meet in the game with value yᵀ(load of w): the flows want it low, the prices
//! high, and its value is the least largest load. Both sides play by regret matching (Hart and Mas-Colell, Econometrica
//! 2000) in the form of Tammelin (2014): a choice is taken in proportion to what would have been gained by always
//! taking it, never counted below zero. Sides take turns, regrets are discounted (Brown and Sandholm, AAAI 2019), and
//! the proposal is the average of the rounds with growing weights: that of the flows bounds the largest load from
//! above, that of the prices from below. There is no step length to choose and no system to solve; each round costs one
//! evaluation of the loads and one of the costs.
//!
//! Some hundred rounds reach 10⁻³, which is enough for large fabrics. The order of operations is fixed, so the answer
//! depends on the input alone.

use super::program::{Choices, Program, largest};
use super::rule::BundleKind;

/// The most rounds; then the present averages must do.
const MOST_ROUNDS: u32 = 20_000;
/// Weights of the rounds in the average grow with this power of their number.
const GROWTH: f64 = 4.0;
/// Rounds between two checks of the gap.
const LOOK: u32 = 5;

/// The averages, with their costs and loads.
pub(super) struct Proposal {
    /// The part of each bundle.
    pub(super) split: Vec<f64>,
    /// The price of each link; they add up to 1.
    pub(super) prices: Vec<f64>,
    /// How many rounds were played.
    pub(super) rounds: u32,
}

/// The regrets of both sides at the end of a program, from which a similar program may start.
///
/// Only a guess: the proofs do not depend on it, though the last digits of the interval do, so programs must be solved
/// in a fixed order to give the same bytes each time.
#[derive(Clone, Debug, Default)]
pub(super) struct LastRegrets {
    of_prices: Vec<f64>,
    /// The bundles of each flow, with their regrets.
    of_flows: Vec<Vec<(BundleKind, f64)>>,
}

impl LastRegrets {
    /// Of a program with these choices, if it has as many flows; nothing for bundles that were not.
    fn fitted(&self, choices: &Choices) -> (Vec<f64>, Vec<f64>) {
        let mut of_prices = vec![0.0; choices.rows];
        let mut of_flows = vec![0.0; choices.len()];
        if self.of_prices.len() == choices.rows && self.of_flows.len() == choices.flows.len() {
            of_prices.clone_from(&self.of_prices);
            for (flow, known) in choices.flows.iter().zip(&self.of_flows) {
                for bundle in flow.clone() {
                    let same = known.iter().find(|(kind, _)| *kind == choices.kinds[bundle]);
                    of_flows[bundle] = same.map_or(0.0, |(_, regret)| *regret);
                }
            }
        }
        (of_prices, of_flows)
    }
}

/// One side's running average.
struct Average {
    of: Vec<f64>,
}

impl Average {
    /// Draws the average towards the newest value by this part.
    fn take(&mut self, newest: &[f64], part: f64) {
        for (average, newest) in self.of.iter_mut().zip(newest) {
            *average += part * (newest - *average);
        }
    }
}

/// Plays until the averages' bounds on the least largest load meet to a relative `tolerance`, given that it is at least
/// `least`.
pub(super) fn solve(
    program: &impl Program,
    start: Vec<f64>,
    least: f64,
    tolerance: f64,
    warm: &mut LastRegrets,
) -> Proposal {
    let choices = program.choices();
    let rows = choices.rows;
    let (mut split, mut costs) = (start, vec![0.0; choices.len()]);
    let (mut prices, mut loads) = (vec![0.0; rows], vec![0.0; rows]);
    let rows_in_all = u32::try_from(rows).map_or(f64::INFINITY, f64::from);
    prices.fill(1.0 / rows_in_all);
    let (mut regret_of_prices, mut regret_of_flows) = warm.fitted(choices);
    play(&regret_of_prices, &mut prices);
    for flow in &choices.flows {
        play(&regret_of_flows[flow.clone()], &mut split[flow.clone()]);
    }
    let zeros = |length| Average { of: vec![0.0; length] };
    let (mut mean_split, mut mean_costs) = (zeros(choices.len()), zeros(choices.len()));
    let (mut mean_prices, mut mean_loads) = (zeros(rows), zeros(rows));
    let mut round = 0;
    while round < MOST_ROUNDS {
        round += 1;
        let number = f64::from(round);
        let discount = |power: f64| power / (power + 1.0);
        let of_prices = discount(number * number.sqrt());
        let of_flows = discount((number * number) * (number * number));
        let part = (GROWTH + 1.0) / (GROWTH + number);

        program.loads(&split, &mut loads);
        price(&loads, of_prices, &mut prices, &mut regret_of_prices);
        // The loads of an average are the average of the loads.
        mean_split.take(&split, part);
        mean_loads.take(&loads, part);

        program.costs(&prices, &mut costs);
        for flow in &choices.flows {
            let range = flow.clone();
            choose(
                &costs[range.clone()],
                of_flows,
                &mut split[range.clone()],
                &mut regret_of_flows[range],
            );
        }
        mean_prices.take(&prices, part);
        mean_costs.take(&costs, part);

        if round % LOOK == 0 {
            let proven = choices.least_paid(&mean_costs.of).max(least);
            let reached = largest(&mean_loads.of);
            if reached - proven <= tolerance * reached {
                break;
            }
        }
    }
    *warm = LastRegrets {
        of_prices: regret_of_prices,
        of_flows: choices
            .flows
            .iter()
            .map(|flow| flow.clone().map(|b| (choices.kinds[b], regret_of_flows[b])).collect())
            .collect(),
    };
    Proposal { split: mean_split.of, prices: mean_prices.of, rounds: round }
}

/// The links' turn: prices in proportion to what each link's load would have earned beyond the rest.
fn price(loads: &[f64], discount: f64, prices: &mut [f64], regret: &mut [f64]) {
    let earned: f64 = loads.iter().zip(&*prices).map(|(load, price)| load * price).sum();
    for (regret, load) in regret.iter_mut().zip(loads) {
        *regret = (*regret * discount + load - earned).max(0.0);
    }
    play(regret, prices);
}

/// One flow's turn.
fn choose(costs: &[f64], discount: f64, split: &mut [f64], regret: &mut [f64]) {
    let paid: f64 = costs.iter().zip(&*split).map(|(cost, part)| cost * part).sum();
    for (regret, cost) in regret.iter_mut().zip(costs) {
        *regret = (*regret * discount + paid - cost).max(0.0);
    }
    play(regret, split);
}

/// Takes each choice in proportion to its regret, and leaves the choices unchanged if nothing is regretted.
fn play(regret: &[f64], choices: &mut [f64]) {
    let total: f64 = regret.iter().sum();
    if total > 0.0 {
        for (choice, regret) in choices.iter_mut().zip(regret) {
            *choice = *regret / total;
        }
    }
}
