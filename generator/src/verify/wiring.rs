//! Files, manifest, wiring and port maps: what can be told without sending a packet.

use super::VerifyError;
use super::link_shares::LinkShares;
use super::packet::Fabric;
use super::routes::Walks;
use crate::set_grammar::canonical;
use crate::table_set::{
    FABRIC_FILE, FileEntry, MANIFEST_FILE, Manifest, REPORT_FILE, TableSet, hex, switch_file,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, DrawRule, End, FabricImage, GlobalPort, Keep};

/// Each cable is the same seen from either end, joins two groups, and is listed as the link that
/// its ends say it is.
pub(super) fn check_fabric(fabric: &FabricImage<'_>, path: &Path) -> Result<(), VerifyError> {
    let df = fabric.dragonfly();
    let wrong = |text: String| VerifyError::Wiring { path: path.to_owned(), text };
    let mut ends = 0_u32;
    for group in df.groups() {
        for port in 0..df.ports_per_group() {
            let port = GlobalPort(u16::try_from(port).expect("ports of a group fit 16 bits"));
            let end = End { group, port };
            let Some(peer) = fabric.peer(end) else { continue };
            ends += 1;
            let back = fabric.peer(peer);
            if back != Some(end) || peer.group == group {
                return Err(wrong(format!(
                    "port {port} of group {group} leads to port {} of group {}, which does not \
                     lead back",
                    peer.port, peer.group
                )));
            }
            let listed = (0..fabric.link_count(group, peer.group))
                .any(|k| fabric.link(group, peer.group, k) == Some((port, peer.port)));
            if !listed {
                return Err(wrong(format!(
                    "port {port} of group {group} leads to group {}, but is none of their links",
                    peer.group
                )));
            }
        }
    }
    if ends != 2 * fabric.cable_count() {
        let cables = fabric.cable_count();
        return Err(wrong(format!("{ends} ports have a cable, but there are {cables} cables")));
    }
    Ok(())
}

/// The directory holds the files of the table set and nothing else.
pub(super) fn check_files(
    set: &TableSet,
    directory: &Path,
    fabric: &FabricImage<'_>,
) -> Result<(), VerifyError> {
    let mut known: BTreeSet<String> = fabric.dragonfly().switches().map(switch_file).collect();
    known.extend([FABRIC_FILE, MANIFEST_FILE, REPORT_FILE].map(str::to_owned));
    for folder in ["", "switches"] {
        let path = directory.join(folder);
        let list = |source| VerifyError::List { path: path.clone(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(list)? {
            names.push(entry.map_err(list)?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        for name in names {
            let within = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if within != "switches" && !known.contains(&within) {
                return Err(VerifyError::Stranger { path: directory.join(within) });
            }
        }
    }
    let listed = set.manifest().files.len();
    let needed = fabric.dragonfly().switch_count() as usize + 1;
    if listed != needed {
        return Err(claim(directory, "the number of images is", &listed, &needed));
    }
    Ok(())
}

/// The image is in its own file, and its ports lead where the fabric image says.
pub(super) fn check_switch(
    switch: &Switch<'_>,
    named: tvlb_schema::Switch,
    path: &Path,
) -> Result<(), VerifyError> {
    let image = switch.image();
    if image.switch() != named {
        let found = image.switch().0;
        return Err(VerifyError::Place { path: path.to_owned(), found, named: named.0 });
    }
    let df = image.fabric().dragonfly();
    for slot in 0..df.h() {
        let slot = u16::try_from(slot).expect("slots fit 16 bits");
        let port = df.global_port(image.index(), slot);
        let end = End { group: image.group(), port };
        let (found, wired) = (image.peer(slot), image.fabric().peer(end));
        if found != wired {
            let words = |end: Option<End>| match end {
                Some(end) => format!("port {} of group {}", end.port, end.group),
                None => "no cable".to_owned(),
            };
            let text = format!(
                "global slot {slot} of switch {named} leads to {}, but by the fabric image to {}",
                words(found),
                words(wired)
            );
            return Err(VerifyError::Wiring { path: path.to_owned(), text });
        }
    }
    Ok(())
}

/// All images assign channels alike, and the manifest says of them what they are.
pub(super) fn check_claims(set: &TableSet, switches: &[Switch<'_>]) -> Result<(), VerifyError> {
    let manifest = set.manifest();
    let directory = set.fabric_path();
    let directory = directory.parent().unwrap_or(Path::new("."));
    let image = switches[0].image();
    for other in switches {
        for decision in Decision::ALL {
            let entry = manifest.sets.get(decision);
            let rule = other.image().set(decision).rule();
            let of = |set: &str, seed, threshold| format!("{set:?}, seed {seed}, T = {threshold}");
            let said = of(&entry.set, entry.seed, entry.threshold);
            let found = of(&canonical(rule), rule.seed, other.image().threshold(decision));
            if said != found {
                let text = format!(
                    "its set for decision {decision:?} is {found}, but the manifest says {said}"
                );
                let path = set.switch_path(other.image().switch());
                return Err(VerifyError::Wiring { path, text });
            }
        }
        let (found, first) = (other.image().virtual_channels(), image.virtual_channels());
        if found != first {
            let text = format!(
                "it assigns virtual channels by {}, but the image of switch 0 by {}",
                found.name(),
                first.name()
            );
            return Err(VerifyError::Wiring {
                path: set.switch_path(other.image().switch()),
                text,
            });
        }
    }
    let identity = hex(&image.fabric().identity().to_be_bytes());
    let df = image.fabric().dragonfly();
    let sizes = |p, a, h, g| format!("dfly({p}, {a}, {h}, {g})");
    let said = &manifest.fabric;
    let scheme = image.virtual_channels().name().to_owned();
    for (what, said, found) in [
        ("the fabric's identity is", manifest.fabric_identity.clone(), identity),
        (
            "the fabric is",
            sizes(said.p, said.a, said.h, said.g),
            sizes(df.p(), df.a(), df.h(), df.g()),
        ),
        (
            "the number of cables is",
            said.cables.to_string(),
            image.fabric().cable_count().to_string(),
        ),
        ("virtual channels are assigned by", manifest.virtual_channels.clone(), scheme),
    ] {
        if said != found {
            return Err(claim(directory, what, &said, &found));
        }
    }
    let pairs = u64::from(df.switch_count()) * u64::from(df.switch_count() - df.a());
    for decision in Decision::ALL {
        let said = manifest.sets.get(decision).pairs;
        if said != pairs {
            let what = "the number of pairs of switches in different groups is";
            return Err(claim(directory, what, &said, &pairs));
        }
    }
    Ok(())
}

/// The sizes that the manifest sums up are those of the files that it lists.
pub(super) fn check_sizes(manifest: &Manifest, directory: &Path) -> Result<(), VerifyError> {
    let is_fabric = |file: &&FileEntry| file.path == FABRIC_FILE;
    let fabric = manifest.files.iter().find(is_fabric).map_or(0, |file| file.bytes);
    let mut switches: Vec<u64> =
        manifest.files.iter().filter(|file| !is_fabric(file)).map(|file| file.bytes).collect();
    switches.sort_unstable();
    let at = |place: usize| switches.get(place).copied().unwrap_or(0);
    let total = manifest.files.iter().map(|file| file.bytes).sum();
    let said = &manifest.sizes;
    for (what, said, found) in [
        ("the size of the fabric image is", said.fabric, fabric),
        ("the size of the smallest switch image is", said.switch_least, at(0)),
        ("the median size of switch images is", said.switch_median, at(switches.len() / 2)),
        (
            "the size of the largest switch image is",
            said.switch_most,
            at(switches.len().saturating_sub(1)),
        ),
        ("the size of all images is", said.total, total),
    ] {
        if said != found {
            return Err(claim(directory, what, &said, &found));
        }
    }
    Ok(())
}

/// As many switches thin each set as the manifest says.
pub(super) fn check_thinning(
    manifest: &Manifest,
    directory: &Path,
    switches: &[Switch<'_>],
) -> Result<(), VerifyError> {
    for decision in Decision::ALL {
        let said = thinned(manifest, decision);
        let thins = |switch: &&Switch<'_>| switch.image().set(decision).is_thinned();
        let found = switches.iter().filter(thins).count() as u64;
        if said != found {
            let what = "the number of switches that thin a set is";
            return Err(claim(directory, what, &said, &found));
        }
    }
    Ok(())
}

/// How many switches the manifest says to thin a decision's set.
fn thinned(manifest: &Manifest, decision: Decision) -> u64 {
    manifest.sets.get(decision).balance.as_ref().map_or(0, |balance| balance.thinned_switches)
}

/// The most used link lies as far above the mean as the manifest says, where all routes were walked.
pub(super) fn check_balance(
    manifest: &Manifest,
    directory: &Path,
    (fabric, shares): (&Fabric<'_>, &LinkShares),
) -> Result<(), VerifyError> {
    for (number, decision) in Decision::ALL.into_iter().enumerate() {
        let Some(balance) = &manifest.sets.get(decision).balance else { continue };
        let found = shares.imbalance(number, fabric);
        let after = &balance.after;
        for (kind, said, found) in
            [("local", after.local, found.0), ("global", after.global, found.1)]
        {
            if (said - found).abs() > 1e-5 {
                let what = match kind {
                    "local" => "the most used local link over the mean is",
                    _ => "the most used global link over the mean is",
                };
                let (said, found) = (format!("{said:.6}"), format!("{found:.6}"));
                return Err(claim(directory, what, &said, &found));
            }
        }
    }
    Ok(())
}

/// What the manifest says of the sets is what all walks found: where these were all there are.
pub(super) fn check_counts(
    manifest: &Manifest,
    directory: &Path,
    (switch, walks): (&Switch<'_>, &Walks),
) -> Result<(), VerifyError> {
    for (number, decision) in Decision::ALL.into_iter().enumerate() {
        let entry = manifest.sets.get(decision);
        let (kept, without) = (walks.kept[number], walks.without[number]);
        // Of a set of fractions the manifest says what to expect, not what the draw came to.
        let keep = switch.image().set(decision).rule().keep;
        let whole = thinned(manifest, decision) == 0
            && keep.iter().all(|&keep| keep == Keep::NONE || keep == Keep::ALL);
        // By shape, routes are drawn alike however many the fraction has left of each.
        let by_shape = switch.image().set(decision).rule().draw != DrawRule::ByRoute;
        let exact = whole || by_shape && thinned(manifest, decision) == 0;
        let said = entry.pairs_without_route;
        if without < said || exact && without > said {
            return Err(claim(
                directory,
                "the number of pairs without a route is",
                &said,
                &without,
            ));
        }
        #[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
        let mean = kept as f64 / entry.pairs.max(1) as f64;
        if whole && (mean - entry.mean_routes).abs() > 1e-6 {
            let (said, found) = (format!("{:.6}", entry.mean_routes), format!("{mean:.6}"));
            return Err(claim(directory, "the mean number of routes of a pair is", &said, &found));
        }
        if exact != entry.mean_hops_are_exact {
            let (said, what) = (entry.mean_hops_are_exact, "that mean hops are exact is");
            return Err(claim(directory, what, &said, &exact));
        }
        let drawing = entry.pairs - without;
        #[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
        let hops = (drawing > 0).then(|| walks.hops[number] / drawing as f64);
        let differ = match (hops, entry.mean_hops) {
            (Some(found), Some(said)) => (found - said).abs() > 1e-6,
            (found, said) => found.is_some() != said.is_some(),
        };
        if exact && differ {
            let words = |hops: Option<f64>| hops.map_or("none".to_owned(), |h| format!("{h:.6}"));
            let (said, found) = (words(entry.mean_hops), words(hops));
            return Err(claim(directory, "the mean number of hops is", &said, &found));
        }
    }
    Ok(())
}

fn claim(
    directory: &Path,
    what: &'static str,
    said: &impl ToString,
    found: &impl ToString,
) -> VerifyError {
    VerifyError::Claim {
        path: directory.join(MANIFEST_FILE),
        what,
        said: said.to_string(),
        found: found.to_string(),
    }
}
