//! Makes a number of calls of one kind, for a profiler that counts instructions: see
//! `bench/datapath-cost.sh`. The switches are those of `bare-metal`, dfly(4, 8, 4, 9) with
//! strategic-2-3 by shape.

use rand_core::{Rng, SeedableRng};
use std::hint::black_box;
use tvlb_firmware_model::{Admission, DefaultRng, Error, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::NodeId;

const FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const SOURCE: &[u8] = include_bytes!("../../bare-metal/images/switch-00003.tvlb");
const RARE: &[u8] = include_bytes!("../../bare-metal/images/switch-00003-rare.tvlb");
const SEVERAL: &[u8] = include_bytes!("../../bare-metal/images/switch-00003-several.tvlb");
const SECOND: &[u8] = include_bytes!("../../bare-metal/images/switch-00004.tvlb");

#[inline(never)]
fn probe_admit(
    switch: &Switch<'_>,
    node: NodeId,
    (scheme, paths): (Scheme, VlbPaths),
    credits: &[u32],
    rng: &mut DefaultRng,
) -> Result<Admission, Error> {
    switch.admit(node, scheme, paths, credits, rng)
}

#[inline(never)]
fn probe_reconsider(
    switch: &Switch<'_>,
    header: Header,
    credits: &[u32],
    rng: &mut DefaultRng,
) -> Result<Header, Error> {
    switch.reconsider(header, VlbPaths::Custom, credits, rng)
}

#[inline(never)]
fn probe_forward(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
    switch.forward(header)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().expect("the first argument is the kind of call");
    let calls: u32 = arguments.next().and_then(|n| n.parse().ok()).expect("the second is a number");
    let boot = |image| Switch::boot(FABRIC, image).expect("the images are good");
    let source = boot(match what.as_str() {
        "admit-ugal-l-rare" => RARE,
        "admit-ugal-l-conventional-1x4" | "admit-ugal-l-custom-1x4" => SEVERAL,
        _ => SOURCE,
    });
    let second = boot(SECOND);
    let credits = [1_u32; 15];
    let mut rng = DefaultRng::seed_from_u64(1);
    let how = match what.as_str() {
        "admit-min" => (Scheme::Min, VlbPaths::Custom),
        "admit-ugal-l-conventional" | "admit-ugal-l-conventional-1x4" => {
            (Scheme::UgalL, VlbPaths::Conventional)
        }
        "admit-par-custom" => (Scheme::Par, VlbPaths::Custom),
        _ => (Scheme::UgalL, VlbPaths::Custom),
    };
    if what.starts_with("admit") {
        for call in 0..calls {
            let node = NodeId(call % 288);
            let _ = black_box(probe_admit(&source, node, how, &credits, &mut rng));
        }
        return;
    }
    // Headers as they arrive at the second switch.
    let mut headers = Vec::new();
    let scheme = if what == "reconsider" { Scheme::Par } else { Scheme::Vlb };
    while headers.len() < 1000 {
        let node = NodeId(rng.next_u32() % 288);
        let admission = source.admit(node, scheme, VlbPaths::Custom, credits.as_slice(), &mut rng);
        if let Ok(Step::Send { port, header, .. }) = admission.map(|a| a.step)
            && source.neighbour(port) == Some((second.image().group(), second.image().index()))
            && (what == "forward" || header.kind() == Some(tvlb_firmware_model::Kind::OpenMin))
        {
            headers.push(header);
        }
    }
    for call in 0..calls {
        let header = headers[call as usize % headers.len()];
        if what == "reconsider" {
            let _ = black_box(probe_reconsider(&second, header, &credits, &mut rng));
        } else {
            let _ = black_box(probe_forward(&second, header));
        }
    }
}
