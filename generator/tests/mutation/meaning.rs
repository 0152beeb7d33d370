//! What a table set means, whatever its bytes.

use crate::mutation::{FABRIC, Files, MANIFEST};
use serde_json::Value;
use tvlb_schema::{
    Decision, DrawRule, End, FabricImage, GlobalPort, GroupId, Keep, Level, ShapeSet, SwitchImage,
};

/// What the manifest says that no image can bear out: who made it, from what, and how.
const NOT_IN_IMAGES: [&str; 7] = [
    "/tool-version",
    "/fabric/name",
    "/fabric/wiring",
    "/fabric/seed",
    "/fabric/local-latency",
    "/fabric/global-latency",
    "/choice",
];

/// All that images say, and what a manifest says that they can bear out.
#[derive(Debug, PartialEq)]
pub(crate) struct Meaning {
    sizes: [u32; 4],
    peers: Vec<Option<End>>,
    switches: Vec<String>,
    claims: Value,
}

/// What files mean; if only a sample of the paths was `sampled`, without what that cannot bear out.
pub(crate) fn meaning(files: &Files, sampled: bool) -> Meaning {
    let fabric = FabricImage::decode(&files[FABRIC]).unwrap();
    let df = *fabric.dragonfly();
    let ends = df.groups().flat_map(|group: GroupId| {
        df.global_ports().map(move |port: GlobalPort| End { group, port })
    });
    let switches = df.switches().map(|switch| {
        let name = tvlb_table_set::switch_file(switch);
        let image = SwitchImage::decode(&files[&name], &fabric).unwrap();
        // By decision, for the order of sets in the image means nothing.
        let sets = Decision::ALL.map(|decision| {
            let set = image.set(decision);
            let shapes: Vec<ShapeSet> = df
                .switches()
                .filter(|&to| df.place(to).0 != image.group())
                .map(|to| set.shapes_to(to))
                .collect();
            // No route leaves by a port without a cable.
            let level = |port| image.behind(port).map_or(Level::ALL, |_| set.level(port));
            let levels: Vec<Level> = df.global_ports().map(level).collect();
            (*set.rule(), *image.weighing(decision), shapes, levels)
        });
        let peers: Vec<Option<End>> =
            (0..df.h()).map(|slot| image.peer(u16::try_from(slot).unwrap())).collect();
        let (channels, min) = (image.virtual_channels(), image.second_min());
        format!("{:?} {channels:?} {min:?} {sets:?} {peers:?}", image.switch())
    });
    let mut claims: Value = serde_json::from_slice(&files[MANIFEST]).unwrap();
    // Hashes and sizes are of the bytes.
    let mut places: Vec<String> = NOT_IN_IMAGES.into_iter().map(str::to_owned).collect();
    places.extend(["/files", "/sizes", "/fabric-identity"].map(str::to_owned));
    for decision in Decision::ALL {
        let image = SwitchImage::decode(&files["switches/00000.tvlb"], &fabric).unwrap();
        let rule = image.set(decision).rule();
        let of = |claim| format!("/sets/{}/{claim}", decision.name());
        // The images bear out how evenly links are used as they are, not how else they could be.
        places.extend([of("balance/before"), of("balance/conventional")]);
        if sampled {
            // Only the walks of all pairs tell.
            places.push(of("balance/after"));
        }
        // What is left of a thinned set, only the walks of all pairs tell. Of other fractions the manifest
        // says what to expect, and the images are one draw.
        let is_thinned = claims.pointer(&of("balance/levels-sha256")).is_some();
        let is_part = |&keep: &Keep| keep != Keep::NONE && keep != Keep::ALL;
        if is_thinned && sampled {
            places.extend(["mean-routes", "mean-hops", "pairs-without-route"].map(of));
        } else if !is_thinned && rule.keep.iter().any(is_part) {
            places.push(of("mean-routes"));
            if rule.draw == DrawRule::ByRoute || sampled {
                places.extend([of("mean-hops"), of("pairs-without-route")]);
            }
        }
    }
    for place in places {
        if let Some(value) = claims.pointer_mut(&place) {
            *value = Value::Null;
        }
    }
    Meaning {
        sizes: [df.p(), df.a(), df.h(), df.g()],
        peers: ends.map(|end| fabric.peer(end)).collect(),
        switches: switches.collect(),
        claims,
    }
}
