//! A layer of experts: which tokens each rank sends to which rank.
//!
//! With *expert parallelism* the experts of a layer are spread over the ranks, and every rank holds tokens of
//! its own. A router chooses k experts for each token. The rank sends the token to the ranks of these
//! experts (*dispatch*), and each of them sends its result back (*combine*).

use crate::workload::error::WorkloadError;
use crate::workload::message_list::{Message, MessageList};
use crate::workload::program::{MOST_STEPS, too_many_steps};
use crate::workload::rank::Rank;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use tvlb_base::text::quoted;
use tvlb_traffic::below;
use tvlb_traffic::loads::scaled;

/// The most choices of an expert by all tokens of a job; those of one rank take 1 GiB.
const MOST_CHOICES: u64 = 1 << 28;
/// The most experts of a layer.
const MOST_EXPERTS: u32 = 1 << 16;
/// The most digits after the point of a capacity factor.
const MOST_DECIMALS: usize = 3;

/// A layer of experts, and the tokens that choose among them. Its text is
/// `TOKENS:EXPERTS:K[:CAPACITY[:SEED]]`, such as `4096:64:8:1.25:1`.
///
/// Every token draws its k experts from all, each set of k equally likely: a router that is balanced but for
/// chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertLayer {
    /// Tokens that each rank holds, at least 1.
    tokens_of_a_rank: u32,
    /// Experts of the layer, 1 to 65536. Expert e of n is on rank ⌊e·r/n⌋ of r.
    experts: u32,
    /// Experts of a token: 1 to `experts`, all different.
    experts_of_a_token: u32,
    /// The capacity factor c in thousandths, at least 1; `None` if no token is dropped.
    capacity: Option<u64>,
    /// Which draw it is.
    seed: u64,
}

impl ExpertLayer {
    /// How often the tokens of a rank choose an expert.
    fn choices_of_a_rank(&self) -> u64 {
        u64::from(self.tokens_of_a_rank) * u64::from(self.experts_of_a_token)
    }

    /// The most tokens that a rank sends to one expert: ⌈c·tokens·k/experts⌉. It drops the rest.
    ///
    /// Each rank counts only its own tokens, as Megatron-Core does (`get_capacity` in
    /// `megatron/core/transformer/moe/moe_utils.py`), so an expert takes at most this many from every rank.
    fn most_to_an_expert(&self) -> u64 {
        let Some(capacity) = self.capacity else { return u64::MAX };
        let thousandths = u128::from(self.choices_of_a_rank()) * u128::from(capacity);
        let most = thousandths.div_ceil(1000 * u128::from(self.experts));
        u64::try_from(most).unwrap_or(u64::MAX)
    }

    /// The messages of a job of this many ranks: phase 0 dispatches, phase 1 combines. A rank sends to the next
    /// rank first, then to the one after it, and so on. All tokens from one rank to another are one message,
    /// in which a token is as often as the receiver has experts for it. A rank sends itself nothing.
    ///
    /// # Errors
    /// The tokens of all ranks choose an expert more than 2²⁸ times, or their messages take more steps than
    /// programs may have.
    pub(super) fn messages(
        &self,
        ranks: u32,
        bytes_of_a_token: u64,
    ) -> Result<MessageList, WorkloadError> {
        let choices = self.choices_of_a_rank().saturating_mul(u64::from(ranks));
        if choices > MOST_CHOICES {
            let found = format!("the tokens of {ranks} ranks choose an expert {choices} times");
            return Err(WorkloadError::refused(found, format!("at most {MOST_CHOICES} times")));
        }
        let most = self.most_to_an_expert();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut order: Vec<u32> = (0..self.experts).collect();
        let mut messages = Vec::new();
        for from in (0..ranks).map(Rank) {
            let chosen = self.chosen(&mut rng, &mut order);
            // Ranks rise with the experts that they have.
            let rank_of = |expert: u32| self.rank_of(expert, ranks);
            for of_rank in chosen.chunk_by(|one, other| rank_of(*one) == rank_of(*other)) {
                let to = rank_of(of_rank[0]);
                let of_experts = of_rank.chunk_by(|one, other| one == other);
                let tokens = of_experts.map(|tokens| most.min(tokens.len() as u64)).sum();
                let bytes = bytes_of_a_token.saturating_mul(tokens);
                if from != to {
                    messages.push(Message::untimed(from, to, bytes, 0));
                    messages.push(Message::untimed(to, from, bytes, 1));
                }
            }
            // A message is posted and sent.
            if 2 * messages.len() > MOST_STEPS {
                return Err(too_many_steps());
            }
        }
        let distance = |from: Rank, to: Rank| {
            if from < to { to.0 - from.0 } else { ranks - from.0 + to.0 }
        };
        messages.sort_unstable_by_key(|m| (m.phase, distance(m.from, m.to), m.from));
        Ok(MessageList::new(messages, true))
    }

    /// The rank that has an expert.
    fn rank_of(&self, expert: u32, ranks: u32) -> Rank {
        let rank = u64::from(expert) * u64::from(ranks) / u64::from(self.experts);
        Rank(u32::try_from(rank).expect("it is below the number of ranks"))
    }

    /// The experts that the tokens of one rank choose, by rising number, each as often as it is chosen. `order`
    /// has every expert once.
    fn chosen(&self, rng: &mut impl Rng, order: &mut [u32]) -> Vec<u32> {
        let mut chosen = Vec::new();
        for _ in 0..self.tokens_of_a_rank {
            for place in 0..self.experts_of_a_token {
                let other = place + below(rng, self.experts - place);
                order.swap(place as usize, other as usize);
                chosen.push(order[place as usize]);
            }
        }
        chosen.sort_unstable();
        chosen
    }
}

impl FromStr for ExpertLayer {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let refused = || {
            WorkloadError::refused(
                format!("{} is not a layer of experts", quoted(text)),
                "TOKENS:EXPERTS:K[:CAPACITY[:SEED]], such as 4096:64:8:1.25:1, with whole numbers from 1, \
                 at most 65536 EXPERTS, K at most EXPERTS, CAPACITY above 0 and below 1000000 with at most \
                 three decimals, and SEED from 0",
            )
        };
        let fields: Vec<&str> = text.split(':').map(str::trim).collect();
        let (&[tokens, experts, k], rest) = fields.split_first_chunk().ok_or_else(refused)?;
        let number = |text: &str| text.parse().map(NonZeroU32::get).map_err(|_| refused());
        let (capacity, seed) = match *rest {
            [] => (None, None),
            [capacity] => (Some(capacity), None),
            [capacity, seed] => (Some(capacity), Some(seed)),
            _ => return Err(refused()),
        };
        let capacity = capacity.map(|text| {
            scaled(text, MOST_DECIMALS).filter(|&capacity| capacity > 0).ok_or_else(refused)
        });
        let layer = Self {
            tokens_of_a_rank: number(tokens)?,
            experts: number(experts)?,
            experts_of_a_token: number(k)?,
            capacity: capacity.transpose()?,
            seed: seed.map_or(Ok(1), str::parse).map_err(|_| refused())?,
        };
        let fits = layer.experts_of_a_token <= layer.experts && layer.experts <= MOST_EXPERTS;
        if fits { Ok(layer) } else { Err(refused()) }
    }
}

impl fmt::Display for ExpertLayer {
    /// As it is read; the seed is written if there is a capacity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens_of_a_rank, experts, experts_of_a_token, capacity, seed } = self;
        let counts = format!("{tokens_of_a_rank}:{experts}:{experts_of_a_token}");
        let Some(capacity) = capacity else { return f.pad(&counts) };
        let decimals = format!("{}.{:0MOST_DECIMALS$}", capacity / 1000, capacity % 1000);
        let shortest = decimals.trim_end_matches('0').trim_end_matches('.');
        f.pad(&format!("{counts}:{shortest}:{seed}"))
    }
}
