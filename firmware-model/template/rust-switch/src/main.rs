//! A bench for the routing on a workstation: two switches of one group and the packets between them, and new tables for
//! the first while packets fly.

use rust_switch::{BootError, CHANNELS, Routing};
use std::error::Error;
use tvlb_firmware_model::schema::NodeId;
use tvlb_firmware_model::{Channels, Step};

const FABRIC: &[u8] = include_bytes!("../images/fabric.tvlb");
const FIRST: &[u8] = include_bytes!("../images/00003.tvlb");
const SECOND: &[u8] = include_bytes!("../images/00004.tvlb");

/// The virtual channels that the links have.
const LINKS: Channels = Channels { local: CHANNELS, global: 4 };

/// A bank of memory for tables. There are two, one of which is in use.
const BANK: [u8; 4096] = [0; 4096];

/// Puts two images into a bank, as they come from the network, and returns them there.
fn received<'b>(bank: &'b mut [u8], fabric: &[u8], image: &[u8]) -> (&'b [u8], &'b [u8]) {
    let (of_fabric, rest) = bank.split_at_mut(fabric.len());
    let (of_switch, _) = rest.split_at_mut(image.len());
    of_fabric.copy_from_slice(fabric);
    of_switch.copy_from_slice(image);
    (of_fabric, of_switch)
}

fn main() -> Result<(), Box<dyn Error>> {
    let boot = |image| match Routing::boot(FABRIC, image, LINKS) {
        Ok(routing) => routing,
        Err(BootError::TooFewCounters) => panic!("the switch has more ports than counters"),
        Err(BootError::Datapath(error)) => panic!("{error}"),
    };
    let (mut first, mut second) = (boot(FIRST), boot(SECOND));
    let (here, there) = (first.switch().image().switch(), second.switch().image().switch());
    let there_place = (second.switch().image().group(), second.switch().image().index());

    for destination in (0..first.switch().image().fabric().dragonfly().node_numbers()).step_by(7) {
        if !first.may_set_out(NodeId(destination)) {
            println!("switch {here}: to node {destination}: held");
            continue;
        }
        let sent = first.from_node(NodeId(destination))?;
        print!("switch {here}: to node {destination}: ");
        match sent.step {
            Step::Deliver { port } => println!("deliver at port {port}"),
            Step::Send { port, virtual_channel, header } => {
                println!("{:?}, send by port {port} on channel {virtual_channel}", sent.choice);
                first.sent(port, virtual_channel, 1)?;
                // A packet to the other switch arrives there with its header.
                if first.switch().neighbour(port) == Some(there_place) {
                    match second.from_link(header.bits())? {
                        Step::Deliver { port } => {
                            println!("switch {there}: deliver at port {port}");
                        }
                        Step::Send { port, virtual_channel, .. } => {
                            println!(
                                "switch {there}: send by port {port} on channel {virtual_channel}"
                            );
                        }
                    }
                    first.credit_returned(port, virtual_channel, 1)?;
                }
            }
        }
    }

    // New tables go into the unused bank; the old ones serve until everything is read and checked.
    let (mut one, mut other) = (BANK, BANK);
    for update in 1..=3 {
        let (fabric, image) = received(&mut one, FABRIC, FIRST);
        let second_bank = first.updated(fabric, image, None).map_err(|(_, error)| error)?;
        let (fabric, image) = received(&mut other, FABRIC, FIRST);
        first = second_bank.updated(fabric, image, None).map_err(|(_, error)| error)?;
        println!("switch {here}: updated {} times", 2 * update);
    }
    Ok(())
}
