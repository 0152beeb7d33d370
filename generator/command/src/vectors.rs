//! `tvlb vectors`: the decisions of a switch, for firmware tests.

use crate::failure::{Failure, Outcome};
use crate::files::{expect_table_set, read_names, switch};
use crate::output::print;
use clap::Args;
use std::path::PathBuf;
use tvlb_firmware_model::Switch;
use tvlb_generator::vectors::{VectorImages, arriving, vectors};
use tvlb_schema::{FabricImage, SwitchId};
use tvlb_table_set::names::Parts;
use tvlb_table_set::{TableSet, Update};

/// Write the decisions of a switch, call by call, for firmware tests to replay
///
/// Each line is a call of the datapath with its inputs and its result: admissions of all schemes with credits by
/// virtual channel, packets in transit through this switch, looks, choices, refusals. If there is an update (--update),
/// the calls are repeated with it installed. docs/reference/embedding.md describes the lines, and
/// `firmware-model/golden` has two such files.
#[derive(Args)]
pub(crate) struct VectorsOptions {
    /// The directory that `generate` wrote
    directory: PathBuf,
    /// The switch, by its number, (GROUP,SWITCH) or its name
    #[arg(long, value_name = "SWITCH", allow_negative_numbers = true)]
    switch: String,
    /// An update of the table set that `faults` wrote
    #[arg(long, value_name = "DIR")]
    update: Option<PathBuf>,
    /// The seed of the packets, the credits and the random words
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(arguments: &VectorsOptions) -> Outcome {
    expect_table_set(&arguments.directory)?;
    let set = TableSet::open(&arguments.directory).map_err(Failure::of)?;
    let fabric_bytes = set.fabric_image().map_err(Failure::of)?;
    let fabric_path = set.fabric_path().display().to_string();
    let in_file =
        |path: &str, error: &dyn std::fmt::Display| Failure::Message(format!("{path}: {error}"));
    let fabric =
        FabricImage::decode(&fabric_bytes).map_err(|error| in_file(&fabric_path, &error))?;
    let df = fabric.dragonfly();
    let names = read_names(&set, df)?;
    let number = switch("--switch", &arguments.switch, &Parts::new(df, &names))?;

    let images: Vec<(SwitchId, Vec<u8>)> = df
        .switches()
        .map(|of| Ok((of, set.switch_image(of).map_err(Failure::of)?)))
        .collect::<Result<_, Failure>>()?;
    let mut switches = Vec::with_capacity(images.len());
    for (of, bytes) in &images {
        let booted = Switch::boot_in(&fabric, bytes);
        let path = || set.switch_path(*of).display().to_string();
        switches.push((*of, booted.map_err(|error| in_file(&path(), &error))?));
    }
    let arrivals = arriving(&switches, number, arguments.seed);

    let own = set.switch_image(number).map_err(Failure::of)?;
    let own_path = set.switch_path(number).display().to_string();
    let fabric = (&fabric_path[..], &fabric_bytes[..]);
    let mut stages = vec![VectorImages { fabric, switch: (&own_path, &own), faults: None }];
    let update = arguments.update.as_deref().map(|path| Update::open(path, &set));
    let update = update.transpose().map_err(Failure::of)?;
    let (after, faults);
    if let Some(update) = &update {
        let image = update.switch_image(number).map_err(Failure::of)?;
        after = match image {
            Some(image) => (update.switch_path(number).display().to_string(), image),
            None => (own_path.clone(), own.clone()),
        };
        faults =
            (update.faults_path().display().to_string(), update.faults().map_err(Failure::of)?);
        stages.push(VectorImages {
            fabric,
            switch: (&after.0, &after.1),
            faults: Some((&faults.0, &faults.1)),
        });
    }
    print(&vectors(&stages, &arrivals, arguments.seed).map_err(Failure::of)?.trim_end())
}
