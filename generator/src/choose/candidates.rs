//! The candidates: Step 1's, the paper's choice, and a small family of policies.
//!
//! Step 1's model does not see how a decision weighs its paths, but that matters more than the set. So every set of
//! shapes from Step 1 is tried with several VLB candidates, a gate and queues by channel. With one candidate and no
//! gate, no set is worth its runs (docs/measurements/step-2.md, "One candidate and no gate"). The mirror image of a
//! set, heads and tails exchanged, carries the same under reversed traffic, so it is tried too. The family has policies
//! that were found by search and by measurement.

use super::families::Families;
use crate::policy::PolicyPair;
use tvlb_schema::{Decision, DrawRule, Keep, PerDecision, SetRule, Shape};
use tvlb_simulator::Scheme;
use tvlb_table_set::grammar::{CONVENTIONAL, canonical};
use tvlb_table_set::{OpenWeighing, Origin};

/// The set of Rahman et al., SC'19, drawn as in the simulator that they published.
pub const PAPER: &str = "switches:2-3 with returns";
/// The same for PAR: in that simulator its second look draws the MIN path again.
pub const PAPER_PAR: &str = "switches:2-3 with returns MIN=shortest";
/// Conventional UGAL with queues by channel, and PAR, which does not keep its MIN path either.
const CONVENTIONAL_BY_CHANNEL: [&str; 2] =
    ["conventional queue=channel", "conventional queue=channel MIN=shortest"];
/// The words after a set in a policy that counts queues by channel, in either decision.
const BY_CHANNEL: &str = "queue=channel";
/// The set by the letter of their text, which their model is run with: all routes of at most four hops, and those of a
/// leg of two hops and one of three, each drawn equally often.
pub const LITERAL: &str = "strategic-2-3";
/// Conventional VLB's paths.
pub const ALL: &str = "all";

/// A pair of policies that may be chosen, with where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyCandidate {
    /// Its policies. For UGAL-L, which has one decision, both are equal.
    pub policies: PolicyPair,
    /// Where the candidate comes from.
    pub origin: Origin,
}

impl PolicyCandidate {
    /// Whether another candidate has the same policies, wherever it comes from.
    pub fn is_like(&self, other: &Self) -> bool {
        self.policies == other.policies
    }

    /// Whether all others are compared with it: conventional routing or the paper's choice.
    pub fn is_reference(&self) -> bool {
        self.origin.reference().is_some()
    }

    /// The scheme with which it runs in a contest of another: published policies do not know what switches tell each
    /// other.
    pub const fn asked_by(&self, scheme: Scheme) -> Scheme {
        match (scheme, self.origin) {
            (
                Scheme::UgalGroup,
                Origin::Conventional
                | Origin::ConventionalByChannel
                | Origin::Paper
                | Origin::PaperByChannel,
            ) => Scheme::UgalL,
            _ => scheme,
        }
    }

    /// The name that reports show: one policy, or two with " then " between. `docs/reference/choosing-sets.md`
    /// describes the notation.
    pub fn name(&self) -> String {
        self.policies.to_string()
    }
}

/// What the candidates of a scheme are made from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'s> {
    /// The rules on Step 1's front within ε, as they are to be drawn.
    pub front: &'s [SetRule],
    /// The policies that the user adds.
    pub user: &'s [PolicyPair],
    /// How decisions weigh, if the fabric file says so: then nothing else is tried.
    pub weighing: PerDecision<OpenWeighing>,
    pub seed: u64,
    /// The policies for fabrics of this kind.
    pub families: &'s Families,
    /// Whether the choice is limited to what a plain build of the datapath boots.
    pub plain: bool,
}

impl Sources<'_> {
    /// Conventional routing: first as published, then by channel unless queues are given, then weighed as sets of the
    /// front are, and then with the weighing of the fabric file. If that rules out one of the first two, it is still
    /// compared with the candidates but cannot be chosen ([`Self::allows`]).
    pub fn conventional(&self, scheme: Scheme) -> Vec<PolicyCandidate> {
        let known = |text| PolicyPair::parse(text, self.seed).expect("these are in the grammar");
        let by_channel = CONVENTIONAL_BY_CHANNEL[usize::from(scheme == Scheme::Par)];
        let published = known(CONVENTIONAL);
        let weighed = self.limited(scheme, published.clone());
        let mut all = vec![PolicyCandidate { policies: published, origin: Origin::Conventional }];
        if self.weighing.ugal_l.queue.is_none() {
            let policies = known(by_channel);
            all.push(PolicyCandidate { policies, origin: Origin::ConventionalByChannel });
        }
        let policies = self.limited(scheme, known(&self.weighed_as_ours(scheme, CONVENTIONAL)));
        for (policies, origin) in
            [(policies, Origin::ConventionalAsOurs), (weighed, Origin::Family)]
        {
            if all.iter().all(|candidate| candidate.policies != policies) {
                all.push(PolicyCandidate { policies, origin });
            }
        }
        all
    }

    /// Whether a candidate may be chosen: it weighs as the fabric file says, runs with the scheme itself, and boots on
    /// the intended build.
    pub fn allows(&self, scheme: Scheme, candidate: &PolicyCandidate) -> bool {
        self.limited(scheme, candidate.policies.clone()) == candidate.policies
            && candidate.asked_by(scheme) == scheme
            && self.boots(&candidate.policies)
    }

    /// Whether the intended build boots these policies.
    fn boots(&self, policies: &PolicyPair) -> bool {
        [&policies.source.rule, &policies.second.rule].into_iter().all(|rule| self.boots_set(rule))
    }

    /// Whether the intended build boots a set.
    pub fn boots_set(&self, rule: &SetRule) -> bool {
        !self.plain || rule.not_plain().is_none()
    }

    /// The candidates of a scheme, without repetition, the paper's choice first. UGAL-L has one decision and takes the
    /// first of two policies. The paper's choice is included as a reference even if it may not be chosen.
    pub fn candidates(&self, scheme: Scheme) -> Vec<PolicyCandidate> {
        let known = |text: &str| {
            PolicyPair::parse(text, self.seed).expect("these texts are in the grammar")
        };
        let mut all: Vec<PolicyCandidate> = Vec::new();
        let mut add = |policies: PolicyPair, origin| {
            let candidate = PolicyCandidate { policies: self.limited(scheme, policies), origin };
            // Every candidate must have some route.
            let has_routes = !candidate.policies.source.rule.shapes().is_empty();
            let is_compared = candidate.origin == Origin::Paper || self.boots(&candidate.policies);
            if has_routes && is_compared && !all.iter().any(|c| c.is_like(&candidate)) {
                all.push(candidate);
            }
        };
        let paper = if scheme == Scheme::Par { PAPER_PAR } else { PAPER };
        add(known(paper), Origin::Paper);
        add(known(&format!("{paper} {BY_CHANNEL}")), Origin::PaperByChannel);
        add(known(&self.weighed_as_ours(scheme, PAPER)), Origin::PaperAsOurs);
        for rule in self.front {
            // The mirror image is the paper's other half.
            for (rule, origin) in [(*rule, Origin::Front), (mirrored(rule), Origin::Mirror)] {
                let rule = SetRule { seed: self.seed, ..rule };
                add(known(&self.weighed_as_ours(scheme, &canonical(&rule))), origin);
            }
        }
        for text in self.families.of(scheme).policies {
            add(known(text), Origin::Family);
        }
        for policies in self.user {
            add(policies.clone(), Origin::User);
        }
        all
    }

    /// The policies of a set that is weighed like those of Step 1's front, as a text.
    fn weighed_as_ours(&self, scheme: Scheme, set: &str) -> String {
        let with = |weighing: &&str| format!("{set} {weighing}");
        let of_decisions: Vec<String> =
            self.families.of(scheme).weighing.iter().map(with).collect();
        of_decisions.join(" then ")
    }

    /// The policies as the scheme uses them: for UGAL-L only the one at the source, and with the given weighing, if
    /// any.
    fn limited(&self, scheme: Scheme, policies: PolicyPair) -> PolicyPair {
        let is_par = scheme == Scheme::Par;
        let mut limited = if is_par { policies } else { PolicyPair::same(policies.source) };
        let of = |par| if is_par { par } else { Decision::UgalL };
        limited.source.weigh_as(of(Decision::ParSource), &self.weighing);
        limited.second.weigh_as(of(Decision::ParSecond), &self.weighing);
        limited.of_one_onward()
    }
}

/// The rule with the same routes, every shape drawn equally often.
pub fn by_shape(rule: &SetRule) -> SetRule {
    let weights = rule.keep.map(|keep| u16::from(keep > Keep::NONE));
    SetRule { draw: DrawRule::ByShape { weights }, ..*rule }
}

/// The rule with heads and tails exchanged.
fn mirrored(rule: &SetRule) -> SetRule {
    let mut mirrored = *rule;
    for shape in Shape::all() {
        mirrored.keep[shape.reversed().number()] = rule.keep_of(shape);
    }
    if let (DrawRule::ByShape { weights: to }, DrawRule::ByShape { weights: from }) =
        (&mut mirrored.draw, &rule.draw)
    {
        for shape in Shape::all() {
            to[shape.reversed().number()] = from[shape.number()];
        }
    }
    mirrored
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::{Candidates, Gate, MinCandidate};
    use tvlb_table_set::grammar::parse_set;

    fn sources<'s>(front: &'s [SetRule], user: &'s [PolicyPair]) -> Sources<'s> {
        let families = &Families::DRAGONFLY;
        Sources { front, user, weighing: PerDecision::default(), seed: 1, families, plain: false }
    }

    fn names(candidates: &[PolicyCandidate]) -> Vec<String> {
        candidates.iter().map(PolicyCandidate::name).collect()
    }

    #[test]
    fn the_front_is_weighed_and_mirrored() {
        let front = ["shapes:021 by shape", "4*only:000, only:001+010+011"];
        let front = front.map(|text| parse_set(text, 0).unwrap());
        let all = sources(&front, &[]).candidates(Scheme::UgalL);
        assert_eq!(
            names(&all[..7]),
            [
                "switches:2-3 with returns",
                "switches:2-3 with returns queue=channel",
                "switches:2-3 with returns 1x4 gate=1 queue=channel onward=cheapest",
                "shapes:021 by shape 1x4 gate=1 queue=channel onward=cheapest",
                "shapes:120 by shape 1x4 gate=1 queue=channel onward=cheapest",
                "4*only:000, only:001+010+011 1x4 gate=1 queue=channel onward=cheapest",
                "4*only:000, only:010+100+110 1x4 gate=1 queue=channel onward=cheapest",
            ]
        );
        assert!(all.iter().all(|candidate| candidate.policies.source.rule.seed == 1));
        assert!(all.iter().all(|candidate| candidate.policies.source.rule.check().is_ok()));
        let of_par = sources(&front, &[]).candidates(Scheme::Par);
        assert_eq!(
            of_par[3].name(),
            "shapes:021 by shape 1x4 gate=1.25 queue=channel onward=cheapest \
             then shapes:021 by shape 1x2 gate=1.5 queue=channel onward=cheapest MIN=shortest"
        );
    }

    #[test]
    fn what_suits_a_dragonfly_plus_has_routes_there() {
        let all = [Families::DRAGONFLY, Families::DRAGONFLY_PLUS];
        for (families, is_plus) in all.iter().zip([false, true]) {
            for scheme in [Scheme::UgalL, Scheme::UgalGroup, Scheme::Par] {
                let all = Sources { families, ..sources(&[], &[]) }.candidates(scheme);
                let family: Vec<_> = all.iter().filter(|c| c.origin == Origin::Family).collect();
                assert_eq!(family.len(), families.of(scheme).policies.len(), "each is another");
                let between_leaves =
                    [(1, 0, 1), (1, 2, 1)].map(|(i, j, k)| Shape::new(i, j, k).unwrap());
                for candidate in family.into_iter().filter(|_| is_plus) {
                    let shapes = candidate.policies.source.rule.shapes();
                    assert!(
                        between_leaves.iter().all(|&shape| shapes.contains(shape)),
                        "{}",
                        candidate.name()
                    );
                }
            }
        }
    }

    #[test]
    fn a_plain_build_is_given_what_it_boots() {
        for families in [Families::DRAGONFLY, Families::DRAGONFLY_PLUS] {
            for scheme in [Scheme::UgalL, Scheme::UgalGroup, Scheme::Par] {
                let any = Sources { families: &families, ..sources(&[], &[]) };
                let plain = Sources { plain: true, ..any };
                let all = [plain.conventional(scheme), plain.candidates(scheme)].concat();
                let (allowed, others): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|one| plain.allows(scheme, one));
                let rules = allowed
                    .iter()
                    .flat_map(|one| [one.policies.source.rule, one.policies.second.rule]);
                assert!(rules.clone().all(|rule| !rule.is_by_switch()) && rules.count() > 4);
                // Published policies are references; with UGAL by the group, none of them can be chosen.
                let published =
                    [Origin::Conventional, Origin::ConventionalByChannel, Origin::Paper];
                assert!(others.iter().all(|one| published.contains(&one.origin)));
            }
        }
    }

    #[test]
    fn what_is_published_is_told_nothing_and_cannot_be_chosen_by_the_group() {
        let sources = sources(&[], &[]);
        for (scheme, told) in [(Scheme::UgalL, false), (Scheme::UgalGroup, true)] {
            let all = [sources.conventional(scheme), sources.candidates(scheme)].concat();
            let of =
                |origin| all.iter().find(|one: &&PolicyCandidate| one.origin == origin).unwrap();
            for origin in [Origin::Conventional, Origin::ConventionalByChannel, Origin::Paper] {
                assert_eq!(of(origin).asked_by(scheme), Scheme::UgalL);
                assert_eq!(sources.allows(scheme, of(origin)), !told);
            }
            for origin in [Origin::ConventionalAsOurs, Origin::PaperAsOurs, Origin::Family] {
                assert_eq!(of(origin).asked_by(scheme), scheme);
                assert!(sources.allows(scheme, of(origin)));
            }
            let gate = of(Origin::Family).policies.source.weighing.gate;
            assert_eq!(gate == Gate::default(), told, "T is in the place of the gate");
        }
    }

    #[test]
    fn what_the_fabric_file_says_of_weighing_leaves_fewer_candidates() {
        let front = [parse_set("all by shape", 0).unwrap()];
        let (candidates, gates) = (Candidates::ONE, Gate::default());
        let weighing = PerDecision::same(OpenWeighing {
            candidates: Some(candidates),
            gate: Some(gates),
            ..OpenWeighing::default()
        });
        for scheme in [Scheme::UgalL, Scheme::Par] {
            let open = sources(&front, &[]).candidates(scheme);
            let all = Sources { weighing, ..sources(&front, &[]) }.candidates(scheme);
            assert!(all.len() < open.len(), "equal candidates are tried once");
            let pairs = all.iter().map(|candidate| &candidate.policies);
            for policy in pairs.flat_map(|pair| [&pair.source, &pair.second]) {
                let weighing = policy.weighing;
                assert_eq!((weighing.candidates, weighing.gate), (candidates, gates));
            }
        }
    }

    #[test]
    fn each_is_there_once_and_the_paper_always() {
        let front = ["strategic-2-3", "shapes:011", "all"].map(|text| parse_set(text, 0).unwrap());
        let user = ["all", "all then shapes:011"].map(|text| PolicyPair::parse(text, 1).unwrap());
        for scheme in [Scheme::UgalL, Scheme::Par] {
            let all = sources(&front, &user).candidates(scheme);
            let mut distinct = names(&all);
            assert_eq!(distinct[0], if scheme == Scheme::Par { PAPER_PAR } else { PAPER });
            // UGAL-L has no second look.
            let has_pair = distinct.iter().any(|name| name == "all then shapes:011");
            assert_eq!(has_pair, scheme == Scheme::Par);
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), all.len());
        }
    }

    #[test]
    fn a_threshold_that_is_given_is_kept() {
        let user = [PolicyPair::parse("all T=9 then shapes:000 T=7", 1).unwrap()];
        let given = PerDecision { ugal_l: 1, par_source: 2, par_second: 3 };
        let threshold =
            |&given: &i16| OpenWeighing { threshold: Some(given), ..OpenWeighing::default() };
        let weighing = given.map(threshold);
        let sources = Sources { weighing, ..sources(&[], &user) };
        for (scheme, first, second) in [(Scheme::UgalL, 1, 1), (Scheme::Par, 2, 3)] {
            let all = sources.candidates(scheme);
            let found = |c: &PolicyCandidate| {
                (c.policies.source.weighing.threshold, c.policies.second.weighing.threshold)
            };
            assert!(all.iter().all(|c| found(c) == (first, second)));
        }
    }

    #[test]
    fn a_second_look_that_is_given_is_kept() {
        let second_min = Some(MinCandidate::Any);
        let open = OpenWeighing { second_min, ..OpenWeighing::default() };
        let weighing = PerDecision::same(open);
        let sources = Sources { weighing, ..sources(&[], &[]) };
        let mins = |scheme| {
            let all = sources.candidates(scheme);
            all.iter().map(|c| c.policies.second.min).collect::<Vec<_>>()
        };
        assert!(mins(Scheme::Par).iter().all(|&min| min == MinCandidate::Any));
        assert!(mins(Scheme::UgalL).iter().all(|&min| min == MinCandidate::Kept));
    }
}
