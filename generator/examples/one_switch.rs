//! One switch by itself: boots from its two images and decides the paths of a few packets.

use std::error::Error;
use std::fmt::Write;
use std::{env, fs};
use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_firmware_model::schema::NodeId;
use tvlb_firmware_model::{ByChannel, Channels, DefaultRng, Scheme, Step, Switch, VlbPaths};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, fabric_image, switch_image] = arguments.as_slice() else {
        return Err("give the files of the fabric image and of one switch image".into());
    };
    print!("{}", packets(fabric_image, switch_image)?);
    Ok(())
}

/// The paths of six packets to node 70 while the queues fill.
fn packets(fabric_image: &str, switch_image: &str) -> Result<String, Box<dyn Error>> {
    let (fabric_image, switch_image) = (fs::read(fabric_image)?, fs::read(switch_image)?);
    let switch = Switch::boot(&fabric_image, &switch_image)?
        .with_channels(Scheme::UgalL, Channels::ORDERED)?;
    let ports = switch.image().fabric().dragonfly().radix();
    // In a switch these are the credit counters of the virtual channels of its ports.
    let channels = Channels::ORDERED.most();
    let mut counters = vec![0_u32; ports as usize * usize::from(channels)];
    let mut rng = DefaultRng::seed_from_u64(1);
    let mut told = String::new();
    for _ in 0..6 {
        let credits = ByChannel { counters: &counters, channels };
        let admission =
            switch.admit(NodeId(70), Scheme::UgalL, VlbPaths::Custom, &credits, &mut rng)?;
        match admission.step {
            Step::Deliver { port } => writeln!(told, "deliver at port {port}")?,
            Step::Send { port, virtual_channel, .. } => {
                let first = port.as_usize() * usize::from(channels);
                counters[first + usize::from(virtual_channel)] += 1;
                let choice = admission.choice;
                writeln!(told, "{choice:?}: send by port {port} on channel {virtual_channel}")?;
            }
        }
    }
    Ok(told)
}
