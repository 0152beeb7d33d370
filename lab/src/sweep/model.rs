//! Step 1's throughputs of path sets, as `tvlb model` computes them.

use super::asked::ModelStudy;
use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::File;
use super::kind::{Kind, StudyTable, Unit, UnitRows, Units};
use super::lists::distinct;
use serde::{Deserialize, Serialize};
use tvlb_base::progress::Cancelled;
use tvlb_base::row;
use tvlb_table_set::runs::build;
use tvlb_table_set::sha256;
use tvlb_throughput::report::{Heading, Report};
use tvlb_throughput::state;
use tvlb_throughput::sweep::Sweep;
use tvlb_throughput::{Counting, Rule, path_set};
use tvlb_traffic::{Flows, sample};

/// How much of the best throughput a candidate may lack.
const EPSILON: f64 = 0.01;

/// The models of a study, one of each fabric and seed.
pub(super) struct Models {
    study: String,
    fabrics: Vec<NamedFabric>,
    seeds: Vec<u64>,
}

/// The inputs of a model.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ModelSubject<'s> {
    tool_version: &'static str,
    traffic_version: u32,
    modelled: &'s str,
    shifts: Option<usize>,
    type_2: u32,
    #[serde(skip_serializing_if = "Rule::is_usual")]
    rule: Rule,
    seed: u64,
}

/// The kept result of a set.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Set {
    name: String,
    throughput: f64,
    lower: f64,
    upper: f64,
    standard_error: f64,
    mean_hops: Option<f64>,
}

/// The kept result of a model.
#[derive(Serialize, Deserialize)]
pub(super) struct ModelFigures {
    patterns: usize,
    bound: f64,
    sets: Vec<Set>,
}

impl Models {
    pub(super) fn new(study: &str, file: &File, fabrics: Vec<NamedFabric>) -> Result<Self, String> {
        distinct("seeds", &file.seeds)?;
        Ok(Self { study: study.to_owned(), fabrics, seeds: file.seeds.clone() })
    }

    fn unit(&self, unit: usize) -> (&NamedFabric, u64) {
        (&self.fabrics[unit / self.seeds.len()], self.seeds[unit % self.seeds.len()])
    }
}

impl Units for Models {
    fn count(&self) -> usize {
        self.fabrics.len() * self.seeds.len()
    }
}

impl Kind<Models> for ModelStudy {
    type Subject<'u> = ModelSubject<'u>;
    type Found = ModelFigures;

    fn subject<'u>(&self, unit: Unit<'u, Models>) -> ModelSubject<'u> {
        let (fabric, seed) = unit.units.unit(unit.place);
        let Self { shifts, type_2, rule } = *self;
        ModelSubject {
            tool_version: build(),
            traffic_version: tvlb_traffic::VERSION,
            modelled: &fabric.fabric.file.name,
            shifts,
            type_2,
            rule,
            seed,
        }
    }

    fn make(&self, unit: Unit<'_, Models>) -> Result<ModelFigures, SweepError> {
        let (NamedFabric { fabric, .. }, seed) = unit.units.unit(unit.place);
        let (df, Self { shifts, type_2, rule }) = (fabric.topology.dragonfly(), *self);
        let all = Flows::type_1_set(df);
        let count = shifts.unwrap_or(all.len());
        let mut patterns = sample(all, count, seed);
        patterns.extend(Flows::type_2_set(df, type_2, seed));
        let mut sets = path_set::table_1(seed);
        sets.extend(path_set::strategic());
        let sweep = Sweep::new(&fabric.topology, Counting::Triples, patterns, sets).by(rule);
        let by = if rule.is_usual() { String::new() } else { format!("-{rule}") };
        // Parts of a long model are kept in a directory of their own, which is one build's.
        let (study, fabric_name) = (&unit.units.study, &fabric.file.name);
        let build = &sha256(build().as_bytes())[..8];
        let name = format!("{study}-{fabric_name}-{count}-{type_2}{by}-seed-{seed}-{build}.model");
        let kept = unit.results.directory().map(|directory| directory.join(name));
        let done = state::make(&sweep, kept.as_deref(), unit.progress)?;
        let cells = sweep.assemble(&done.units).ok_or(Cancelled)?;
        let heading =
            Heading { fabric: fabric.file.name.clone(), dead: Vec::new(), seed, epsilon: EPSILON };
        let report = Report::new(&sweep, &cells, heading);
        let sets = report.sets.iter().map(|set| Set {
            name: set.set.clone(),
            throughput: set.throughput.middle(),
            lower: set.throughput.lower,
            upper: set.throughput.upper,
            standard_error: set.throughput.standard_error,
            mean_hops: set.mean_hops,
        });
        let sets = sets.collect();
        Ok(ModelFigures { patterns: report.patterns.len(), bound: report.bound, sets })
    }

    fn rows(
        &self,
        unit: Unit<'_, Models>,
        found: Vec<ModelFigures>,
    ) -> Result<UnitRows, SweepError> {
        let (fabric, seed) = unit.units.unit(unit.place);
        let row = |(model, set): (&ModelFigures, &Set)| {
            let Set { name, throughput, lower, upper, standard_error, mean_hops } = set;
            row![
                fabric.fabric.file.name.as_str(),
                seed,
                name.as_str(),
                model.patterns,
                model.bound,
                *throughput,
                *lower,
                *upper,
                *standard_error,
                *mean_hops,
            ]
        };
        let sets = found.iter().flat_map(|model| model.sets.iter().map(move |set| (model, set)));
        Ok(sets.map(row).collect())
    }

    fn table(&self, _units: &Models) -> StudyTable {
        StudyTable::of(
            "fabric,seed,set,patterns",
            "bound,throughput,lower,upper,standard-error,mean-hops",
            "throughput over mean-hops as points",
        )
    }
}
