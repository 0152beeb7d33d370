//! The options of `tvlb import`.

use crate::named::{Choices, one_of};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use tvlb_import::TwoJacks;

/// Read the cable files of a real machine: make a fabric file, a cable list and names of them
///
/// DIR gets fabric.toml, cables.csv, names.csv and assumptions.txt, which lists in sentences what the files do not say
/// and was assumed. Input that leaves open what must be known is refused, with the file and the line.
/// docs/reference/import.md describes all of it.
#[derive(Args)]
pub(crate) struct ImportOptions {
    #[command(subcommand)]
    pub source: ImportSource,
}

/// Whose cable files to read.
#[derive(Subcommand)]
pub(crate) enum ImportSource {
    Slingshot(ImportSlingshot),
    Ibnetdiscover(ImportIbnetdiscover),
}

/// Read the point-to-point cable plan of an HPE Slingshot network
///
/// A row of the plan is two links, or up to four if an end has two jacks. Switches of a group are numbered in the order
/// of cabinet, chassis and slot.
#[derive(Args)]
pub(crate) struct ImportSlingshot {
    /// The point-to-point CSV files, which are read together
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The directory to write; files of an earlier import are refused
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// A text that names every live link, such as x1000c0r1j5p0-x1000c0r3j6p0; the planned links that
    /// it does not name are listed in down.txt
    #[arg(long, value_name = "FILE")]
    pub live: Option<PathBuf>,
    /// The physical port of each jack: CSV with the header `model,jack,port,asic_port`, where the model
    /// is `blade`, `rack`, or `*` for both
    #[arg(long, value_name = "FILE")]
    pub jacks: Option<PathBuf>,
    #[command(flatten)]
    pub cables: CablesOfTwoJacks,
    #[command(flatten)]
    pub again: ImportAgain,
    /// Print what was read and written as JSON
    #[arg(long)]
    pub json: bool,
}

/// How to join the ports of a cable with two jacks at an end, which no plan says.
#[derive(Args, Clone, Copy)]
pub(crate) struct CablesOfTwoJacks {
    /// How to join the ports of cables that have two jacks at an end, which the plan does not say; without this such
    /// rows are refused
    #[arg(long, value_name = "RULE", value_parser = one_of(TWO_JACKS, TwoJacks::name), ignore_case = true)]
    pub two_jacks: Option<TwoJacks>,
}

const TWO_JACKS: Choices<TwoJacks> = &[
    (TwoJacks::Straight, "The first jacks of both ends, and the second ones, as by two cables"),
    (TwoJacks::Crossed, "Each jack of one end with each of the other, by one link"),
];

/// Read what ibnetdiscover prints of an InfiniBand network
///
/// Nothing in the file says which switches form a group. Without --groups and --threshold it follows from the links:
/// the islands of a Dragonfly+, or the groups of a Dragonfly.
#[derive(Args)]
pub(crate) struct ImportIbnetdiscover {
    /// The output of ibnetdiscover
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The directory to write; files of an earlier import are refused
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// A pattern whose single capture group extracts the group's name from a switch's description, such as
    /// '^(g[0-9]+)-'
    #[arg(long, value_name = "REGEX", conflicts_with = "threshold")]
    pub groups: Option<String>,
    /// Treat the network as a Dragonfly in which two linked switches with more than N common neighbours are in one
    /// group
    #[arg(long, value_name = "N")]
    pub threshold: Option<u32>,
    /// The spines of a Dragonfly+, if links do not tell: a pattern that their descriptions match and those of leaves do
    /// not, or a file with the description, id or GUID of one spine per line
    #[arg(long, value_name = "REGEX|FILE", conflicts_with_all = ["groups", "threshold"])]
    pub roots: Option<String>,
    #[command(flatten)]
    pub again: ImportAgain,
    /// Print what was read and written as JSON
    #[arg(long)]
    pub json: bool,
}

/// How an import continues an earlier one.
#[derive(Args)]
pub(crate) struct ImportAgain {
    /// Keep the numbers of an earlier import, or of any other fabric with names: its directory or fabric file. Parts
    /// whose names are unchanged keep their numbers, and the name, the seed, links and routing of the fabric file stay
    #[arg(long, value_name = "OLD")]
    pub keep: Option<PathBuf>,
    /// Replace the files of an earlier import in DIR. Its numbers and what people wrote into its fabric.toml stay,
    /// unless --keep names another import
    #[arg(long)]
    pub force: bool,
    /// Reserve at least N global ports per switch for future cables: a running machine can grow only within this number
    #[arg(long, value_name = "H", default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(0..=4096))]
    pub global_ports: u32,
}
