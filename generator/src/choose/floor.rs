//! The floor under a fast choice: no installed set carries less than conventional routing.
//!
//! The model of Step 1 spreads each flow over a set's paths in the best way. A switch draws them by a rule and sees its
//! own queues alone. So each set of the front is compared with conventional routing before it is installed: by a few
//! short runs if these take minutes at most, each at a load above what the network carries; on larger machines by the
//! load of the busiest link if all packets take VLB. The second is stricter, because a switch that sees a long queue
//! before a busy link avoids it.

use super::candidates::{PolicyCandidate, Sources};
use super::contender::{Contender, Field};
use super::error::ChooseError;
use super::memory::{self, Memory};
use super::panel::{Event, Panel, PanelSize};
use super::runner::{STEPS, all_of};
use super::simulation::{SimulatedRunner, with_images};
use crate::checked_fabric::CheckedFabric;
use crate::policy::{Policy, PolicyPair};
use crate::static_load::{LoadPaths, StaticLoadError, static_loads};
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_schema::{PerDecision, SetRule};
use tvlb_simulator::{MOST_PORTS, Scheme};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::{FloorEntry, Origin};
use tvlb_traffic::Traffic;

/// The least share of conventional routing's throughput that a set must carry, of all traffic that is tried.
pub(crate) const LEAST_SHARE: f64 = 0.97;
/// The most nodes times cycles of the runs: on two cores, minutes.
const MOST_NODE_CYCLES: u64 = 200_000_000;
/// The load of traffic that is not adversarial, in steps: above what any routing carries.
const OVERLOAD: u32 = 80;

/// The requirements of a fast choice on a fabric.
pub(super) struct Floor<'f> {
    pub(super) fabric: &'f CheckedFabric<'f>,
    pub(super) state: Option<&'f Path>,
    pub(super) progress: &'f dyn Progress,
}

/// The result of a fast choice, and what the tried sets carry.
pub(super) type Taken = (PerDecision<Policy>, Vec<FloorEntry>);

impl Floor<'_> {
    /// The candidate above the floor that carries most adversarial traffic, conventional routing included; if runs are
    /// too expensive, the first set of the front that is above the floor, or else conventional routing.
    ///
    /// # Errors
    /// The first run that failed, or the work was cancelled.
    pub(super) fn choose(&self, sources: &Sources<'_>) -> Result<Taken, ChooseError> {
        let file = &self.fabric.file;
        let panel = Panel::new(self.fabric.nodes(), file.links(), file.seed, PanelSize::Quick);
        let schemes = file.schemes();
        let all = schemes.map(|scheme| self.plain(sources, scheme, sources.candidates(scheme)));
        let few = schemes.map(|scheme| self.plain(sources, scheme, Vec::new()));
        for both in [all, few] {
            if self.is_affordable(&panel, both.iter().map(Vec::len).sum()) {
                return self.simulated(&panel, both);
            }
        }
        let mut asked = Vec::new();
        for rule in sources.front {
            let entry = self.by_links(&panel, rule)?;
            let is_above = entry.share >= LEAST_SHARE;
            asked.push(entry);
            if is_above {
                return Ok((self.policies(rule), asked));
            }
        }
        Ok((self.conventional(sources), asked))
    }

    /// Conventional routing, as the fabric file weighs it, and by channel if the file leaves that open.
    ///
    /// Only runs can say which of the two carries more. In runs of machines of hundreds and thousands of switches, it
    /// was by channel under adversarial traffic, by up to half, and the two hardly differed under other traffic
    /// (docs/measurements/step-2.md, "Machines").
    pub(super) fn conventional(&self, sources: &Sources<'_>) -> PerDecision<Policy> {
        let [ugal_l, par] = self.fabric.file.schemes().map(|scheme| {
            let all = sources.conventional(scheme).into_iter();
            let mut allowed = all.filter(|candidate| sources.allows(scheme, candidate));
            let by_channel = |candidate: &PolicyCandidate| {
                matches!(candidate.origin, Origin::ConventionalByChannel)
            };
            allowed.find(by_channel).map(|candidate| candidate.policies)
        });
        let plain = self.policies(&SetRule::conventional());
        PerDecision {
            ugal_l: ugal_l.map_or(plain.ugal_l, |pair| pair.source),
            par_source: par.as_ref().map_or(plain.par_source, |pair| pair.source.clone()),
            par_second: par.map_or(plain.par_second, |pair| pair.second),
        }
    }

    /// A set with the default weighing.
    fn policies(&self, rule: &SetRule) -> PerDecision<Policy> {
        let file = &self.fabric.file;
        file.policies.with_sets(&PerDecision::same(SetRule { seed: file.seed, ..*rule }))
    }

    /// Conventional routing, by port and by channel, the unthinned sets of the front, and others.
    fn plain(
        &self,
        sources: &Sources<'_>,
        scheme: Scheme,
        others: Vec<PolicyCandidate>,
    ) -> Vec<PolicyCandidate> {
        let mut all = sources.conventional(scheme);
        let of_set = |rule: &SetRule| {
            let PerDecision { ugal_l, par_source, par_second } = self.policies(rule);
            let policies = match scheme {
                Scheme::Par => PolicyPair { source: par_source, second: par_second },
                _ => PolicyPair::same(ugal_l),
            };
            PolicyCandidate { policies, origin: Origin::Front }
        };
        let front = sources.front.iter().map(of_set);
        for candidate in front.chain(others) {
            if all.iter().all(|known| !known.is_like(&candidate)) {
                all.push(candidate);
            }
        }
        // Conventional routing as published is always tried.
        let (first, others) = all.split_first().expect("conventional routing is always there");
        let allowed = others.iter().filter(|candidate| sources.allows(scheme, candidate));
        [first].into_iter().chain(allowed).cloned().collect()
    }

    fn is_affordable(&self, panel: &Panel, contenders: usize) -> bool {
        let df = self.fabric.topology.dragonfly();
        let nodes = u64::from(df.node_count());
        let cycles = u64::from(panel.window) * u64::from(panel.warm_up + 1);
        df.radix() <= MOST_PORTS
            && nodes * cycles * (contenders * overloads(panel).len()) as u64 <= MOST_NODE_CYCLES
    }

    /// What candidates carry in runs, for UGAL-L and for PAR; the first is conventional routing.
    fn simulated(
        &self,
        panel: &Panel,
        [ugal_l, par]: [Vec<PolicyCandidate>; 2],
    ) -> Result<Taken, ChooseError> {
        let memory = &memory::open(self.state, "floor", self.fabric, panel)?;
        let [ugal, of_two] = self.fabric.file.schemes();
        let (ugal_l, mut asked) = self.best(ugal, (panel, memory), ugal_l)?;
        let (par, of_par) = self.best(of_two, (panel, memory), par)?;
        asked.extend(of_par);
        let policies =
            PerDecision { ugal_l: ugal_l.source, par_source: par.source, par_second: par.second };
        Ok((policies, asked))
    }

    /// The candidate of a scheme that carries most of the adversarial patterns, of those that carry enough of all
    /// traffic, and what each carries relative to conventional routing. Candidates below the floor run no further.
    fn best(
        &self,
        scheme: Scheme,
        (panel, memory): (&Panel, &Memory),
        candidates: Vec<PolicyCandidate>,
    ) -> Result<(PolicyPair, Vec<FloorEntry>), ChooseError> {
        self.progress.stage("floor", None);
        let with_images = with_images(self.fabric, candidates, self.progress);
        let field = Field::new(with_images.collect::<Result<_, _>>()?);
        let runner = SimulatedRunner::boot(scheme, panel, &field, memory, self.progress)?;
        let mut left: Vec<Contender> = Contender::all(field.count()).collect();
        let mut least: Vec<Option<FloorEntry>> = vec![None; field.count()];
        let mut adversarial = vec![0.0; field.count()];
        for (event, step) in overloads(panel) {
            let carried = all_of(&left, |&one| runner.accepted(one, &event, step))?;
            let conventional = carried[0];
            for (&one, of_one) in left.iter().zip(carried) {
                let (scheme, set) = (Some(scheme.name().to_owned()), field.name(one));
                let traffic = event.to_string();
                let entry = entry((scheme, set), traffic, (of_one, conventional));
                note(&mut least[one.place()], entry);
                if panel.score.contains(&event) {
                    adversarial[one.place()] += of_one;
                }
            }
            left.retain(|one| {
                least[one.place()].as_ref().is_some_and(|of| of.share >= LEAST_SHARE)
            });
        }
        let patterns = panel.score.iter().fold(0.0, |count, _| count + 1.0);
        for one in &left {
            if let Some(entry) = &mut least[one.place()] {
                entry.adversarial = Some(adversarial[one.place()] / patterns);
            }
        }
        // Conventional routing is never dropped, and comes first.
        let best = left.iter().fold(left[0], |best, &one| {
            if adversarial[one.place()] > adversarial[best.place()] { one } else { best }
        });
        Ok((field.candidate(best).policies.clone(), least.into_iter().flatten().collect()))
    }

    /// The least share of conventional VLB's static saturation that the draws of a set carry.
    fn by_links(&self, panel: &Panel, rule: &SetRule) -> Result<FloorEntry, ChooseError> {
        let mut least = None;
        for event in &panel.score {
            self.progress.check()?;
            let traffic = Traffic::new(&event.pattern, self.fabric.nodes(), event.seed)?;
            let Some(conventional) = self.saturation(&traffic, SetRule::conventional()) else {
                continue;
            };
            let own = self.saturation(&traffic, *rule).unwrap_or(0.0);
            note(
                &mut least,
                entry((None, canonical(rule)), event.to_string(), (own, conventional)),
            );
        }
        Ok(least.unwrap_or_else(|| entry((None, canonical(rule)), String::new(), (0.0, 0.0))))
    }

    /// `None` if no pair has a VLB path.
    fn saturation(&self, traffic: &Traffic, rule: SetRule) -> Option<f64> {
        match static_loads(&self.fabric.topology, traffic, &LoadPaths::Set(rule)) {
            Ok(loads) => Some(loads.saturation()),
            Err(
                StaticLoadError::Changing
                | StaticLoadError::NoThirdGroup { .. }
                | StaticLoadError::NoPath,
            ) => None,
        }
    }
}

/// The different traffic of a panel, each with a load above what networks carry of it, beginning with the traffic that
/// excludes most candidates.
fn overloads(panel: &Panel) -> Vec<(Event, u32)> {
    let mut all: Vec<(Event, u32)> = Vec::new();
    for guard in &panel.guards {
        if all.iter().all(|(event, _)| *event != guard.event) {
            all.push((guard.event.clone(), OVERLOAD));
        }
    }
    let adversarial = (2 * panel.first_step).min(STEPS);
    all.extend(panel.score.iter().map(|event| (event.clone(), adversarial)));
    all
}

fn entry(
    (scheme, set): (Option<String>, String),
    traffic: String,
    (carried, conventional): (f64, f64),
) -> FloorEntry {
    let share = if conventional > 0.0 { carried / conventional } else { 1.0 };
    FloorEntry { scheme, set, share, traffic, carried, conventional, adversarial: None }
}

/// Keeps the entry with the least share, the first of equal ones.
fn note(least: &mut Option<FloorEntry>, entry: FloorEntry) {
    if least.as_ref().is_none_or(|least| entry.share < least.share) {
        *least = Some(entry);
    }
}
