//! The rules by which VLB paths are drawn, of which each is a line of a figure.

use super::error::ExperimentError;
use super::options::{OURS_PAR, OURS_UGAL, Options};
use serde::{Deserialize, Serialize};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::choose::candidates::{FALLBACK, LITERAL, PAPER, PAPER_PAR};
use tvlb_generator::policy::{Policy, PolicyPair};
use tvlb_schema::PerDecision;
use tvlb_simulator::Scheme;

/// What the second look of conventional PAR does in the authors' simulator.
pub(super) const AUTHORS_CONVENTIONAL_PAR: &str = "all MIN=shortest";

/// The rules by which the packets of a line draw their VLB paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rules {
    /// Conventional UGAL or PAR, as the datapath has it.
    Conventional,
    /// Conventional PAR with the second look of the authors' simulator.
    PublishedConventional,
    /// T-UGAL by the rules of the authors' simulator.
    Published,
    /// T-UGAL by the letter of the paper: its final set, every route with the same probability.
    Literal,
    /// T-UGAL with the sets that the user names, or with plain sets that do well on dfly(4,8,4,9).
    Ours,
}

impl Rules {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [
        Self::Conventional,
        Self::PublishedConventional,
        Self::Published,
        Self::Literal,
        Self::Ours,
    ];

    /// The rules by which a figure of the paper was made, which its stated numbers are held against.
    pub(super) fn of_the_paper(scheme: &str, t_ugal: bool) -> Self {
        match (t_ugal, scheme == Scheme::Par.name()) {
            (true, _) => Self::Published,
            (false, true) => Self::PublishedConventional,
            (false, false) => Self::Conventional,
        }
    }

    /// Whether packets draw from a T-VLB set.
    pub(super) fn is_t_ugal(self) -> bool {
        !matches!(self, Self::Conventional | Self::PublishedConventional)
    }

    /// Whether a scheme can have a line by these rules that is not another's line too.
    pub(super) fn fits(self, scheme: Scheme) -> bool {
        self != Self::PublishedConventional || scheme == Scheme::Par
    }

    /// The name in files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::PublishedConventional => "published-conventional",
            Self::Published => "published",
            Self::Literal => "literal",
            Self::Ours => "ours",
        }
    }

    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::PublishedConventional => "conventional, authors' rules",
            Self::Published => "T-UGAL, authors' rules",
            Self::Literal => "T-UGAL, by route",
            Self::Ours => "T-UGAL, our sets",
        }
    }

    /// Where the datapath draws VLB candidates from.
    pub(super) fn source(self) -> VlbPaths {
        if self.is_t_ugal() { VlbPaths::Custom } else { VlbPaths::Conventional }
    }

    /// The policies of UGAL-L and UGAL-G, of PAR at the source, and of PAR's second look.
    pub(super) fn policies(
        self,
        options: &Options,
        seed: u64,
    ) -> Result<PerDecision<Policy>, ExperimentError> {
        let (ugal, par) = match self {
            Self::Conventional => (FALLBACK, FALLBACK),
            Self::PublishedConventional => (FALLBACK, AUTHORS_CONVENTIONAL_PAR),
            Self::Published => (PAPER, PAPER_PAR),
            Self::Literal => (LITERAL, LITERAL),
            Self::Ours => (
                options.ours_ugal.as_deref().unwrap_or(OURS_UGAL),
                options.ours_par.as_deref().unwrap_or(OURS_PAR),
            ),
        };
        let read = |text: &str, option: &'static str| {
            PolicyPair::parse(text, seed).map_err(|error| ExperimentError::Policy { option, error })
        };
        let ugal_l = read(ugal, "--ours-ugal")?.source;
        let PolicyPair { source, second } = read(par, "--ours-par")?;
        Ok(PerDecision { ugal_l, par_source: source, par_second: second })
    }

    /// The sets that a scheme draws from by these rules, as text.
    pub(super) fn set(self, scheme: Scheme, policies: &PerDecision<Policy>) -> String {
        match (self, scheme) {
            (Self::Conventional, _) => "conventional".to_owned(),
            (_, Scheme::Par) => {
                let PerDecision { par_source, par_second, .. } = policies.clone();
                PolicyPair { source: par_source, second: par_second }.to_string()
            }
            _ => policies.ugal_l.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_policies() {
        for rules in Rules::ALL {
            assert!(rules.policies(&Options::default(), 1).is_ok(), "{rules:?}");
        }
    }

    #[test]
    fn stated_numbers_are_held_against_the_authors_rules() {
        assert_eq!(Rules::of_the_paper("ugal-g", false), Rules::Conventional);
        assert_eq!(Rules::of_the_paper("par", false), Rules::PublishedConventional);
        assert_eq!(Rules::of_the_paper("par", true), Rules::Published);
    }
}
