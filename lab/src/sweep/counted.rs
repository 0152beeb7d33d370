//! What is counted without a run: the paths of sets on fabrics, and the loads of links under traffic that is
//! routed without a look at queues.

use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::File;
use super::lists::distinct;
use super::measure::{Measure, ResultStore};
use super::network::{all_of, traffic_of};
use std::path::Path;
use tvlb_base::progress::{AsOneStep, Cancelled, Progress};
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_generator::static_load::{LoadPaths, share_count, static_loads};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::names::Parts;
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::expected::fabric_mean;
use tvlb_traffic::named::{Named, NamedParts};
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

/// The sets of a study on each of its fabrics, and, where links are counted, each traffic and placement.
pub(super) struct Counted {
    fabrics: Vec<NamedFabric>,
    /// Each set as text, and what tables call it.
    sets: Vec<(String, String)>,
    /// None where paths are counted.
    traffic: Option<Vec<Vec<Named<Pattern>>>>,
    placements: Vec<Named<PlacementRule>>,
    seed: u64,
}

impl Counted {
    pub(super) fn new(
        file: &File,
        fabrics: Vec<NamedFabric>,
        beside: &Path,
    ) -> Result<Self, String> {
        let named = |text: &str, paths: &str| -> Result<(String, String), String> {
            let heading = if paths.is_empty() { text } else { paths };
            parse_set(text, 1).map_err(|error| format!("sets: {error}"))?;
            Ok((text.to_owned(), heading.to_owned()))
        };
        let sets = file.sets.iter().map(|entry| named(&entry.0.set, &entry.0.paths));
        let sets = sets.collect::<Result<Vec<_>, String>>()?;
        distinct("sets", sets.iter().map(|(text, _)| text))?;
        distinct("seeds", &file.seeds)?;
        let parts: Vec<(&str, Parts<'_>)> = fabrics
            .iter()
            .map(|NamedFabric { fabric, .. }| {
                let parts = Parts::new(fabric.topology.dragonfly(), &fabric.names);
                (fabric.file.name.as_str(), parts)
            })
            .collect();
        let parts: Vec<NamedParts<'_>> = parts.iter().map(|(name, parts)| (*name, parts)).collect();
        let mut traffic = None;
        if file.links {
            distinct("traffic", &file.traffic)?;
            let all = traffic_of(file, &fabrics, &parts, beside);
            traffic = Some(all.map_err(|error| format!("traffic: {error}"))?);
        }
        let placements = all_of(&file.placements, |text| Named::placement(text, beside, &parts));
        let placements = placements.map_err(|error| format!("placements: {error}"))?;
        Ok(Self { fabrics, sets, traffic, placements, seed: file.seeds[0] })
    }

    fn path_row(
        &self,
        NamedFabric { fabric, .. }: &NamedFabric,
        set: &str,
        progress: &dyn Progress,
    ) -> Result<Vec<Cell>, Cancelled> {
        let df = fabric.topology.dragonfly();
        let (least, most) = fabric.topology.links_per_pair();
        let rule = parse_set(set, self.seed).expect("it was read before");
        let mean = fabric_mean(&RouteCounter::new(&fabric.topology), &rule, &AsOneStep(progress))?;
        Ok(row![
            fabric.file.name.as_str(),
            df.node_count(),
            df.switch_count(),
            df.g(),
            least,
            most,
            df.p() + df.a() - 1 + df.h(),
            set,
            mean.routes,
            mean.hops.unwrap_or(0.0),
        ])
    }

    fn link_row(
        &self,
        NamedFabric { fabric, .. }: &NamedFabric,
        (set, heading): &(String, String),
        (pattern, placed): (&Named<Pattern>, &Named<PlacementRule>),
    ) -> Result<Vec<Cell>, SweepError> {
        let run = || format!("{set}, {}", pattern.name);
        let df = fabric.topology.dragonfly();
        let all = Traffic::new(&pattern.rule, df, self.seed)
            .map_err(|error| SweepError::Unfit { run: run(), error })?;
        let placement = placed.rule.on(df, self.seed);
        let placement = placement.map_err(|error| SweepError::Unfit { run: run(), error })?;
        let rule = parse_set(set, self.seed).expect("it was read before");
        let traffic = all.clone().placed(&placement);
        let loads = static_loads(&fabric.topology, &traffic, &LoadPaths::Set(rule))
            .map_err(|error| SweepError::Run { run: run(), error: error.into() })?;
        let shares = share_count(&fabric.topology, &all);
        Ok(row![
            fabric.file.name.as_str(),
            df.p(),
            heading.as_str(),
            set.as_str(),
            pattern.name.as_str(),
            placed.name.as_str(),
            loads.saturation(),
            shares,
        ])
    }
}

impl Counted {
    /// How many kinds of traffic each fabric has.
    fn kinds(&self) -> usize {
        self.traffic.as_ref().and_then(|all| all.first()).map_or(1, Vec::len)
    }
}

impl Measure for Counted {
    fn units(&self) -> usize {
        let traffic = self.kinds();
        self.fabrics.len() * self.sets.len() * traffic * self.placements.len()
    }

    fn keeps(&self) -> bool {
        false
    }

    fn is_kept(&self, _unit: usize, _source: &ResultStore<'_>) -> Result<bool, SweepError> {
        Ok(true)
    }

    fn rows(
        &self,
        unit: usize,
        _source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let (placement, rest) = (unit % self.placements.len(), unit / self.placements.len());
        let kinds = self.kinds();
        let (traffic, rest) = (rest % kinds, rest / kinds);
        let (set, number) = (&self.sets[rest % self.sets.len()], rest / self.sets.len());
        let fabric = &self.fabrics[number];
        match &self.traffic {
            None => Ok(Some(vec![self.path_row(fabric, &set.0, progress)?])),
            Some(all) => {
                let what = (&all[number][traffic], &self.placements[placement]);
                Ok(Some(vec![self.link_row(fabric, set, what)?]))
            }
        }
    }

    fn columns(&self) -> Vec<&'static str> {
        let names = match &self.traffic {
            None => {
                "fabric,nodes,switches,groups,least-links,links-per-pair,ports,set,routes-per-pair,mean-hops"
            }
            Some(_) => "fabric,p,paths,set,traffic,placement,static-saturation,share-count",
        };
        names.split(',').collect()
    }

    fn drawn(&self) -> &'static str {
        if self.traffic.is_some() { "static-saturation over p" } else { "mean-hops" }
    }
}
