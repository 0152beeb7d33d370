//! `tvlb-lab escape`.

use crate::ofar::{Escape, NetworkOptions, RuleOptions};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use tvlb::failure::{Failure, Outcome};
use tvlb::files::outside_table_sets;
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, print_json, write_file};
use tvlb::tables::Tables;
use tvlb_lab::escape::{csv, dot};
use tvlb_ofar::{EscapeImage, EscapeNetwork, LocalPercent, OfarRules, encode_escape_image};
use tvlb_ofar_proof::{EscapeCertificate, Unproved, prove};

/// Make and check the escape image of packets that decide at every hop
///
/// OFAR's switches need an escape network, a ring or a tree over all switches, and all of them the same image of it.
/// This finds one on the wiring of a table set, or takes that of an image, and proves for the switches of the table set
/// that packets cannot deadlock. docs/reference/escape.md says more.
#[derive(Args)]
pub(crate) struct EscapeOptions {
    /// The table set from whose images switches boot
    #[arg(value_name = "TABLES")]
    directory: PathBuf,
    #[command(flatten)]
    network: NetworkOptions,
    #[command(flatten)]
    rules: RuleOptions,
    /// Canonical virtual channels of links within groups; the escape network has one more [default: the escape image's,
    /// or else 3]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..=7),
        help_heading = "OFAR"
    )]
    local_channels: Option<u8>,
    /// The same for links between groups [default: the escape image's, or else 2]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..=7),
        help_heading = "OFAR"
    )]
    global_channels: Option<u8>,
    /// Misroute to another group only through links with which a path of UGAL-L's set begins
    #[arg(long, help_heading = "OFAR")]
    by_set: bool,
    /// Write the escape image to FILE once it is proved
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, ignore_case = true, default_value_t = EscapeFormat::Summary)]
    format: EscapeFormat,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkOptions,
}

/// How to print an escape network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EscapeFormat {
    /// The network, the rules, and the result of the proof
    Summary,
    /// A line for each switch, as CSV
    Csv,
    /// A picture for Graphviz
    Dot,
}

impl EscapeOptions {
    /// The rules given by options over those of the escape network.
    fn rules(&self, plain: OfarRules) -> OfarRules {
        OfarRules {
            local_channels: self.local_channels.unwrap_or(plain.local_channels),
            global_channels: self.global_channels.unwrap_or(plain.global_channels),
            by_set: self.by_set || plain.by_set,
            ..self.rules.over(plain)
        }
    }

    /// Why there is no proof. If the image was given, this is a finding.
    fn unproved(&self, error: Unproved) -> Failure {
        match error {
            Unproved::Cancelled(_) => Failure::Interrupted,
            error if self.network.is_given() => Failure::Finding(error.to_string()),
            error => Failure::of(error),
        }
    }
}

pub(crate) fn run(arguments: &EscapeOptions) -> Outcome {
    arguments.work.use_threads()?;
    let output = arguments.output.as_deref();
    outside_table_sets([("--output", output)])?;
    let tables = Tables::open(&arguments.directory)?;
    let bytes = tables.set.fabric_image().map_err(Failure::of)?;
    let images = tables.switch_images(&bytes, None)?;
    let booted = tables.boot(&bytes, &images)?;
    let fabric = tables.decode(&bytes)?;
    let Escape { mut image, words, rules: of_image } = arguments.network.escape(&tables, &bytes)?;
    let rules = arguments.rules(of_image);
    if rules != of_image {
        let network = EscapeImage::decode(&image, &fabric).map_err(Failure::of)?;
        let network = EscapeNetwork::of(&network);
        image = encode_escape_image(&fabric, &network, &rules).map_err(Failure::of)?;
    }
    catch_interrupt()?;
    let bars =
        Bars::beginning(arguments.work.quiet, &"asking every switch about the escape network");
    let certificate = prove(booted.switches(), &image, &bars);
    bars.finish();
    let certificate = certificate.map_err(|error| arguments.unproved(error))?;
    if let Some(path) = output {
        write_file(path, &image)?;
    }
    let decoded = EscapeImage::decode(&image, &fabric).map_err(Failure::of)?;
    let report = EscapeReport {
        tool_version: env!("CARGO_PKG_VERSION"),
        fabric: &tables.set.manifest().fabric.name,
        fabric_identity: format!("{:016x}", fabric.identity()),
        escape_network: &words,
        bytes: image.len(),
        checksum: format!("{:08x}", decoded.checksum()),
        rules,
        certificate,
        output,
    };
    match arguments.format {
        EscapeFormat::Csv => print(&csv(&decoded, &fabric)),
        EscapeFormat::Dot => print(&dot(&decoded, &fabric)),
        EscapeFormat::Summary if arguments.json => print_json(&report),
        EscapeFormat::Summary => print(&report),
    }
}

/// What was made and proved.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct EscapeReport<'r> {
    tool_version: &'static str,
    fabric: &'r str,
    fabric_identity: String,
    /// Its kind and how it was found, in words.
    escape_network: &'r str,
    bytes: usize,
    checksum: String,
    rules: OfarRules,
    #[serde(flatten)]
    certificate: EscapeCertificate,
    #[serde(skip)]
    output: Option<&'r Path>,
}

impl Display for EscapeReport<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "fabric        {}, identity {}", self.fabric, self.fabric_identity)?;
        writeln!(
            f,
            "network       {}; image of {} bytes with checksum {}",
            self.escape_network, self.bytes, self.checksum
        )?;
        writeln!(f, "rules         {}", in_words(&self.rules))?;
        write!(f, "{}", self.certificate)?;
        match self.output {
            Some(path) => writeln!(f, "written       {}", path.display()),
            None => Ok(()),
        }
    }
}

fn in_words(rules: &OfarRules) -> String {
    let OfarRules { local_channels, global_channels, local_percent, global_percent, .. } = rules;
    let OfarRules { bubble, throttle_percent, .. } = rules;
    let LocalPercent { source, middle, destination } = *local_percent;
    let local = if *local_percent == LocalPercent::all(source) {
        format!("{source}%")
    } else {
        format!(
            "{source}% in the source's group, {middle}% between, {destination}% in the destination's"
        )
    };
    let least = match rules.least_percent {
        0 => String::new(),
        least => format!(", from {least}% in use"),
    };
    let also = [
        (rules.strict, ", strictly"),
        (rules.by_set, ", by the set"),
        (rules.by_length, ", by length"),
    ];
    let also: String = also.into_iter().filter(|(is, _)| *is).map(|(_, words)| words).collect();
    format!(
        "{local_channels} and {global_channels} canonical channels; misroutes at {local} and {global_percent}%{least}\
         {also}; bubble {bubble}, throttle {throttle_percent}%"
    )
}
