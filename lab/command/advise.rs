//! `tvlb-lab advise`: which ways to wire, place, map, order and route jobs are fast, and why.

mod report;

use crate::jobs;
use crate::requests::{HostRequests, host_of};
use clap::Args;
use report::Advice;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use tvlb::failure::{Failure, Outcome, refused};
use tvlb::files::load_fabric;
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, print_json, tell_of_starved};
use tvlb::simulate::FigureFormat;
use tvlb::values::{self, repeated};
use tvlb_base::parameter::Stated;
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::PolicyPair;
use tvlb_jobs::workload::{RankMap, SendOrder, place};
use tvlb_lab::advise::{AdviceError, JobRouting, Question, Way, advise};
use tvlb_lab::sweep::Results;
use tvlb_simulator::{LinkSpec, Scheme, Settings};
use tvlb_table_set::names::Parts;
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::export::slurm::Blocks;

/// The schemes that a routing may name.
const SCHEMES: [Scheme; 4] = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];

/// Find out how best to wire, place, map, order and route jobs
///
/// Every combination of the lists is estimated, from cycles that no run can do without and from its busiest link. The
/// first entry of each list is the present way. It, each single change of it and the best estimates are simulated, and
/// then single changes of the fastest until none is faster. docs/reference/advise.md says more.
#[derive(Args)]
#[command(after_long_help = help())]
pub(crate) struct AdviseOptions {
    /// The fabric file
    fabric: PathBuf,
    #[command(flatten)]
    exchange: jobs::ExchangeOptions,
    /// How global links are laid: `own`, as the fabric has them, or an arrangement
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "own",
        help_heading = "What to compare"
    )]
    arrangements: Vec<String>,
    /// Which nodes the jobs take (listed at the end of --help)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "identity,spread,random",
        help_heading = "What to compare"
    )]
    with: Vec<String>,
    /// On which of its nodes a job runs each rank (listed at the end of --help)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "linear,random,bisect",
        help_heading = "What to compare"
    )]
    map: Vec<String>,
    /// In which order ranks send messages whose order is free (listed at the end of --help)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "given,coloured",
        help_heading = "What to compare"
    )]
    order: Vec<String>,
    /// How switches route: a scheme, or `SCHEME:SET` with a T-VLB set; may be repeated [default: min, ugal-l
    /// and par]
    #[arg(long, value_name = "ROUTING", help_heading = "What to compare")]
    routing: Vec<String>,
    /// How many of the best estimates to simulate
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = values::count(0_usize..=1_000_000))]
    simulate: usize,
    /// The seeds of the runs, which decide what is random. Estimates use the first
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    seeds: Vec<u64>,
    /// Keep runs in DIR: after an interruption the same command goes on from there; several processes share the runs
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// How to print the answer
    #[arg(long, value_enum, ignore_case = true, default_value_t = FigureFormat::Table)]
    format: FigureFormat,
    /// Print JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Flits that the buffer of one virtual channel holds [default: the fabric's, or as many as the longest link needs,
    /// at least 32]
    #[arg(long, value_name = "FLITS", help_heading = "Switches")]
    buffer: Option<u16>,
    #[command(flatten)]
    messages: jobs::MessageOptions,
    #[command(flatten)]
    hosts: tvlb::hosts::HostOption,
    #[command(flatten)]
    work: WorkOptions,
}

fn help() -> String {
    format!(
        "{}\nOrders (--order): in which order a rank sends between two waits
  given               as its program has it
  coloured            all receives are posted first, and then every rank has one partner at a time,
                      no two ranks the same

Routings (--routing): min, vlb, ugal-l and par with conventional paths, or with the paths of a
set, as in `par:strategic-2-3 by shape`
",
        jobs::HELP
    )
}

impl AdviseOptions {
    /// The command that writes where each rank runs.
    fn place(&self, workloads: &[String], [_, placement, map, ..]: Way, seed: u64) -> String {
        let fabric = self.fabric.display().to_string();
        let jobs = self.exchange.jobs_in_words();
        let mut words = vec!["tvlb-lab", "place", &fabric, "--jobs", &jobs];
        words.extend(["--with", &self.with[placement], "--map", &self.map[map]]);
        for workload in workloads.iter().filter(|_| self.map[map] == "bisect") {
            words.extend(["--graph", workload]);
        }
        let hosts = self.hosts.words();
        words.extend(hosts.iter().flatten().map(String::as_str));
        let seed = seed.to_string();
        words.extend(["--seed", &seed, "-o", "ranks.csv"]);
        let quoted = words.into_iter().map(|word| {
            let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:,".contains(c));
            if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
        });
        quoted.collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn run(arguments: &AdviseOptions) -> Outcome {
    arguments.work.use_threads()?;
    if let Some(seed) = repeated(&arguments.seeds) {
        let text = format!("--seeds: found {seed} twice, accepted each seed once");
        return Err(Failure::Message(text));
    }
    let fabric = load_fabric(&arguments.fabric)?;
    let jobs = arguments.exchange.jobs()?;
    let named = arguments.exchange.programs(&jobs)?;
    let (workloads, programs): (Vec<_>, Vec<_>) = named.into_iter().unzip();
    let links = fabric.file.links();
    let links = LinkSpec { buffer_flits: arguments.buffer.or(links.buffer_flits), ..links };
    let settings = Settings::new(Scheme::Min, VlbPaths::Conventional);
    let settings = settings.on(links, &Stated::default());
    let df = fabric.topology.dragonfly();
    let hosts = arguments.hosts.read(df, &fabric.names)?;
    let parts = Parts::new(df, &fabric.names).with_hosts(hosts.nodes_by_host());
    let question = Question {
        fabric: &fabric,
        jobs: &jobs,
        programs: &programs,
        arrangements: list("--arrangements", &arguments.arrangements, wiring)?,
        placements: list("--with", &arguments.with, |text| {
            jobs::placement("--with", text, &parts)
        })?,
        maps: list("--map", &arguments.map, parsed::<RankMap>("--map"))?,
        orders: list("--order", &arguments.order, parsed::<SendOrder>("--order"))?,
        routings: routings(&arguments.routing, &fabric)?,
        settings,
        messages: arguments.messages.settings(),
        seeds: arguments.seeds.clone(),
        simulated: arguments.simulate,
    };
    check_fit(arguments, &question)?;
    catch_interrupt()?;
    tell_of_starved(arguments.work.quiet, question.settings.starved_links());
    let stages = Bars::beginning(
        arguments.work.quiet,
        &"comparing all ways by estimates, then the best by simulation",
    );
    let results = arguments.state.as_deref();
    let results = results.map_or_else(|| Ok(Results::in_memory()), Results::in_directory);
    let results = results.map_err(Failure::of)?;
    let answer = advise(&question, &results, &stages).map_err(not_advised)?;
    let fastest = answer.simulated()[0];
    let seed = fastest.seed_of_median(&question.seeds);
    let placed = question.placed(fastest.way, seed, &question.graphs(), &stages);
    let placed = placed.map_err(not_advised)?;
    stages.finish();
    let requests = HostRequests::of(
        df,
        &placed,
        &Blocks::of(df, &fabric.nodes(), &hosts),
        &host_of(&hosts, &fabric.names, df, &placed),
    );
    let sizes = df.to_string();
    let place = arguments.place(&workloads, fastest.way, seed);
    let bytes = workloads.iter().map(|name| arguments.exchange.bytes_of(name)).collect();
    let workloads = &workloads;
    let report =
        Advice { question: &question, answer: &answer, workloads, bytes, sizes, place, requests };
    match arguments.format {
        _ if arguments.json => print_json(&report.document()),
        FigureFormat::Table => print(&report::AdviseText(&report)),
        FigureFormat::Csv => print(&report.table().csv()),
    }
}

/// Checks that all jobs fit where they are to be placed, which does not depend on the seed.
fn check_fit(arguments: &AdviseOptions, question: &Question<'_>) -> Outcome {
    let nodes = question.fabric.nodes();
    for (text, placement) in arguments.with.iter().zip(&question.placements) {
        // Either the list or the jobs may be too large; each error names its source.
        let source = jobs::file_of(text).unwrap_or("--jobs, --with");
        place(placement, &nodes, question.jobs, 0).map_err(|error| refused(source, error))?;
    }
    Ok(())
}

fn not_advised(error: AdviceError) -> Failure {
    match error {
        AdviceError::Cancelled(_) => Failure::Interrupted,
        error => Failure::of(error),
    }
}

/// The entries of a list, without repetition.
fn list<T: PartialEq>(
    option: &str,
    texts: &[String],
    of: impl Fn(&str) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    for text in texts {
        let entry = of(text)?;
        if all.contains(&entry) {
            let text = format!("{option}: found {text} twice, accepted each once");
            return Err(Failure::Message(text));
        }
        all.push(entry);
    }
    Ok(all)
}

/// Parses one value of an option.
fn parsed<T: FromStr<Err: Display>>(option: &str) -> impl Fn(&str) -> Result<T, Failure> {
    move |text| text.parse().map_err(|error| refused(option, error))
}

fn wiring(text: &str) -> Result<Option<Arrangement>, Failure> {
    match text.trim() {
        "own" => Ok(None),
        name => name.parse().map(Some).map_err(|error| {
            refused("--arrangements", format_args!("{error}; `own` is accepted too"))
        }),
    }
}

/// The requested routings, or the default ones.
fn routings(texts: &[String], fabric: &Fabric) -> Result<Vec<JobRouting>, Failure> {
    if texts.is_empty() {
        let conventional = |scheme| JobRouting { scheme, set: None };
        return Ok([Scheme::Min, Scheme::UgalL, Scheme::Par].map(conventional).to_vec());
    }
    list("--routing", texts, |text| routing(text, fabric.file.seed))
}

fn routing(text: &str, seed: u64) -> Result<JobRouting, Failure> {
    let (name, set) = text.split_once(':').map_or((text, None), |(name, set)| (name, Some(set)));
    let Some(scheme) = SCHEMES.into_iter().find(|scheme| scheme.name() == name.trim()) else {
        let names = SCHEMES.map(Scheme::name).join(", ");
        let text = format!(
            "--routing: found the scheme {}, accepted one of {names}, alone or with a set as in \
             par:shapes:011",
            tvlb_base::text::quoted(name)
        );
        return Err(Failure::Message(text));
    };
    if set.is_some() && scheme == Scheme::Min {
        let text = "--routing: min draws no VLB path; accepted without a set".to_owned();
        return Err(Failure::Message(text));
    }
    let set = set.map(|set| PolicyPair::parse(set, seed)).transpose();
    let set = set.map_err(|error| refused(&format!("--routing {text}"), error))?;
    Ok(JobRouting { scheme, set })
}
