//! Says whether this build of the datapath boots tables: `boot FABRIC IMAGE...`, with the files of a table set, as in
//! `cargo run -p tvlb-firmware-model --no-default-features --example boot -- out/fabric.tvlb out/switches/*`.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};
use tvlb_firmware_model::Switch;

fn boot(files: &[String]) -> Result<(), Box<dyn Error>> {
    let [fabric, images @ ..] = files else {
        return Err("accepted a fabric image and images of switches".into());
    };
    let read = |file: &String| fs::read(file).map_err(|error| format!("{file}: {error}"));
    let fabric_image = read(fabric)?;
    for file in images {
        let image = read(file)?;
        Switch::boot(&fabric_image, &image).map_err(|error| format!("{file}: {error}"))?;
    }
    println!("{} switches boot", images.len());
    Ok(())
}

fn main() -> ExitCode {
    let files: Vec<String> = env::args().skip(1).collect();
    match boot(&files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
