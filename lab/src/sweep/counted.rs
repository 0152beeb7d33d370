//! Studies that count without a run: the paths of sets on fabrics, and the loads of links under traffic that is routed
//! without regard to queues.

use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::File;
use super::kind::{Kind, StudyTable, Unit, UnitRows, Units};
use super::lists::{combinations, distinct};
use super::network::{all_of, traffic_of};
use std::path::Path;
use tvlb_base::progress::AsOneStep;
use tvlb_base::row;
use tvlb_generator::static_load::{LoadPaths, share_count, static_loads};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::names::Parts;
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::expected::fabric_mean;
use tvlb_traffic::named::{Named, NamedParts};
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

/// The sets of a study on each of its fabrics, and, if links are counted, each traffic and placement.
pub(super) struct CountedUnits {
    fabrics: Vec<NamedFabric>,
    /// Each set as text, with its name in tables.
    sets: Vec<(String, String)>,
    /// By fabric; empty if paths are counted.
    traffic: Vec<Vec<Named<Pattern>>>,
    placements: Vec<Named<PlacementRule>>,
    seed: u64,
    /// The places of fabric, set, traffic and placement.
    units: Vec<[usize; 4]>,
}

/// The counted quantity.
pub(super) enum Counted {
    Paths,
    Links,
}

/// Reads what a study counts.
///
/// # Errors
/// The first thing that is not accepted.
pub(super) fn counted(
    file: &File,
    fabrics: Vec<NamedFabric>,
    beside: &Path,
) -> Result<(CountedUnits, Counted), String> {
    let named = |text: &str, paths: &str| -> Result<(String, String), String> {
        let heading = if paths.is_empty() { text } else { paths };
        parse_set(text, 1).map_err(|error| format!("sets: {error}"))?;
        Ok((text.to_owned(), heading.to_owned()))
    };
    let sets = file.sets.iter().map(|entry| named(&entry.0.set, &entry.0.paths));
    let sets = sets.collect::<Result<Vec<_>, String>>()?;
    distinct("sets", sets.iter().map(|(text, _)| text))?;
    distinct("seeds", &file.seeds)?;
    let parts: Vec<(&str, Parts<'_>)> = fabrics.iter().map(NamedFabric::parts).collect();
    let parts: Vec<NamedParts<'_>> = parts.iter().map(|(name, parts)| (*name, parts)).collect();
    let counted = if file.links { Counted::Links } else { Counted::Paths };
    let mut traffic = Vec::new();
    if file.links {
        distinct("traffic", &file.traffic)?;
        let all = traffic_of(file, &fabrics, &parts, beside);
        traffic = all.map_err(|error| format!("traffic: {error}"))?;
    }
    let placements = all_of(&file.placements, |text| Named::placement(text, beside, &parts));
    let placements = placements.map_err(|error| format!("placements: {error}"))?;
    let kinds = traffic.first().map_or(1, Vec::len);
    let units = combinations([fabrics.len(), sets.len(), kinds, placements.len()]).collect();
    let seed = file.seeds[0];
    Ok((CountedUnits { fabrics, sets, traffic, placements, seed, units }, counted))
}

impl Units for CountedUnits {
    fn count(&self) -> usize {
        self.units.len()
    }
}

impl Kind<CountedUnits> for Counted {
    type Subject<'u> = ();
    /// Paths of a pair and their mean hops, or the static saturation and the share count.
    type Found = (f64, Option<f64>);

    fn subject(&self, _unit: Unit<'_, CountedUnits>) {}

    fn keeps(&self) -> bool {
        false
    }

    fn is_kept(&self, _unit: Unit<'_, CountedUnits>) -> Result<bool, SweepError> {
        Ok(true)
    }

    fn found(&self, unit: Unit<'_, CountedUnits>) -> Result<Option<Self::Found>, SweepError> {
        self.make(unit).map(Some)
    }

    fn make(&self, unit: Unit<'_, CountedUnits>) -> Result<Self::Found, SweepError> {
        let Unit { units, place, progress, .. } = unit;
        let [fabric, set, traffic, placement] = units.units[place];
        let topology = &units.fabrics[fabric].fabric.topology;
        let set = &units.sets[set].0;
        let rule = parse_set(set, units.seed).expect("it was read before");
        if matches!(self, Self::Paths) {
            let mean = fabric_mean(&RouteCounter::new(topology), &rule, &AsOneStep(progress))?;
            return Ok((mean.routes, Some(mean.hops.unwrap_or(0.0))));
        }
        let (pattern, df) = (&units.traffic[fabric][traffic], topology.dragonfly());
        let run = || format!("{set}, {}", pattern.name);
        let all = Traffic::new(&pattern.rule, df, units.seed)
            .map_err(|error| SweepError::Unfit { run: run(), error })?;
        let placed = units.placements[placement].rule.on(df, units.seed);
        let placed = placed.map_err(|error| SweepError::Unfit { run: run(), error })?;
        let traffic = all.clone().placed(&placed);
        let loads = static_loads(topology, &traffic, &LoadPaths::Set(rule))
            .map_err(|error| SweepError::Run { run: run(), error: error.into() })?;
        Ok((loads.saturation(), share_count(topology, &all)))
    }

    fn rows(
        &self,
        unit: Unit<'_, CountedUnits>,
        found: Vec<Self::Found>,
    ) -> Result<UnitRows, SweepError> {
        let Unit { units, place, .. } = unit;
        let [fabric, set, traffic, placement] = units.units[place];
        let fabric = &units.fabrics[fabric].fabric;
        let ((set, heading), df) = (&units.sets[set], fabric.topology.dragonfly());
        let name = fabric.file.name.as_str();
        let row = |(first, second): (f64, Option<f64>)| match self {
            Self::Paths => {
                let (least, most) = fabric.topology.links_per_pair();
                let ports = df.p() + df.a() - 1 + df.h();
                let [nodes, switches, groups] = [df.node_count(), df.switch_count(), df.g()];
                row![name, nodes, switches, groups, least, most, ports, set.as_str(), first, second]
            }
            Self::Links => row![
                name,
                df.p(),
                heading.as_str(),
                set.as_str(),
                units.traffic[units.units[place][0]][traffic].name.as_str(),
                units.placements[placement].name.as_str(),
                first,
                second,
            ],
        };
        Ok(found.into_iter().map(row).collect())
    }

    fn table(&self, _units: &CountedUnits) -> StudyTable {
        match self {
            Self::Paths => StudyTable::of(
                "fabric,nodes,switches,groups,least-links,links-per-pair,ports,set",
                "routes-per-pair,mean-hops",
                "mean-hops",
            ),
            Self::Links => StudyTable::of(
                "fabric,p,paths,set,traffic,placement",
                "static-saturation,share-count",
                "static-saturation over p",
            ),
        }
    }
}
