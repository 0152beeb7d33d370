//! Compares the manifest's claims about the images with the images.

use super::VerifyError;
use super::link_shares::LinkShares;
use super::packet::BootedSwitches;
use super::presence::Told;
use super::walks::Walks;
use rayon::prelude::*;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Switch;
use tvlb_schema::{
    Decision, DrawRule, EndSwitches, Keep, MinCandidate, SetRule, SwitchImage, VcScheme, Weighing,
};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::{
    FABRIC_FILE, FileEntry, MANIFEST_FILE, Manifest, SetEntry, TableSet, escaped_controls, hex,
    levels_digest, presence_digest, presence_is_drawn,
};

/// Checks that all images assign channels alike, and that the manifest describes them correctly.
pub(super) fn check_claims(
    set: &TableSet,
    (switches, ends): (&[Switch<'_>], &EndSwitches),
    progress: &dyn Progress,
) -> Result<(), VerifyError> {
    let manifest = set.manifest();
    let directory = set.path();
    let image = switches[0].image();
    for other in switches {
        progress.check()?;
        check_switch(set, other.image(), image.virtual_channels())?;
    }
    let identity = hex(&image.fabric().identity().to_be_bytes());
    let df = image.fabric().dragonfly();
    let said = &manifest.fabric;
    let scheme = image.virtual_channels().name().to_owned();
    for (what, said, found) in [
        ("the fabric's identity is", manifest.fabric_identity.clone(), identity),
        ("the fabric is", said.sizes_in_words(), df.to_string()),
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
    let pairs = ends.pairs_between_groups();
    for decision in Decision::ALL {
        let said = manifest.sets.get(decision).pairs;
        if said != pairs {
            let what = "the number of pairs of switches in different groups is";
            return Err(claim(directory, what, &said, &pairs));
        }
    }
    Ok(())
}

/// Checks that the image of a switch has the sets of the manifest, and the first switch's assignment of channels.
fn check_switch(
    set: &TableSet,
    image: &SwitchImage<'_>,
    first: VcScheme,
) -> Result<(), VerifyError> {
    for decision in Decision::ALL {
        let entry = set.manifest().sets.get(decision);
        let rule = image.set(decision).rule();
        let of = |set: &str, seed, weighing: Weighing, min: MinCandidate| {
            let min = match min {
                MinCandidate::Kept => String::new(),
                min => format!(", MIN = {}", min.name()),
            };
            format!("{set:?}, seed {seed}, {weighing}{min}")
        };
        let (weighing, min) = entry.weighs();
        let said = of(&entry.set, entry.seed, weighing, min);
        let min = match decision {
            Decision::ParSecond => image.second_min(),
            Decision::UgalL | Decision::ParSource => MinCandidate::Kept,
        };
        let weighing = *image.weighing(decision);
        let found = of(&canonical(rule), rule.seed, weighing, min);
        if said != found {
            let text = format!(
                "its set for decision {decision:?} is {found}, but the manifest says {said}"
            );
            let path = set.switch_path(image.switch());
            return Err(VerifyError::Wiring { path, text });
        }
    }
    let found = image.virtual_channels();
    if found != first {
        let text = format!(
            "it assigns virtual channels by {}, but the image of switch 0 by {}",
            found.name(),
            first.name()
        );
        return Err(VerifyError::Wiring { path: set.switch_path(image.switch()), text });
    }
    Ok(())
}

/// Checks that the sizes in the manifest are those of the files that it lists.
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

/// Checks how many switches thin each set.
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

/// How many switches thin a decision's set, according to the manifest.
fn thinned(manifest: &Manifest, decision: Decision) -> u64 {
    manifest.sets.get(decision).balance.as_ref().map_or(0, |balance| balance.thinned_switches)
}

/// Checks how far the most used link is above the mean, if all routes were walked.
pub(super) fn check_balance(
    manifest: &Manifest,
    directory: &Path,
    (fabric, shares): (&BootedSwitches<'_>, &LinkShares),
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

/// Checks the manifest's counts of the sets, if all walks were made.
pub(super) fn check_counts(
    manifest: &Manifest,
    directory: &Path,
    (switch, walks): (&Switch<'_>, &Walks),
) -> Result<(), VerifyError> {
    for (number, decision) in Decision::ALL.into_iter().enumerate() {
        let entry = manifest.sets.get(decision);
        let (kept, without) = (walks.kept[number], walks.without[number]);
        // For an unthinned set of fractions, the manifest has the expected counts, not those of the actual draw.
        let rule = switch.image().set(decision).rule();
        let is_thinned = thinned(manifest, decision) > 0;
        let counted = is_whole(rule) || is_thinned;
        let exact = hops_are_exact(rule, is_thinned);
        let said = entry.pairs_without_route;
        if without < said || exact && without > said {
            return Err(claim(
                directory,
                "the number of pairs without a route is",
                &said,
                &without,
            ));
        }
        if counted {
            check_mean_routes(entry, directory, kept)?;
        }
        if exact {
            check_mean_hops(entry, directory, (walks.hops[number], without))?;
        }
    }
    Ok(())
}

/// Checks that the digests in the manifest are those of the images, and that none is missing.
pub(super) fn check_digests(
    manifest: &Manifest,
    directory: &Path,
    switches: &[Switch<'_>],
) -> Result<(), VerifyError> {
    let images: Vec<&SwitchImage<'_>> = switches.iter().map(Switch::image).collect();
    let images = || images.par_iter().copied();
    for decision in Decision::ALL {
        let entry = manifest.sets.get(decision);
        let is_thinned = thinned(manifest, decision) > 0;
        let rule = switches[0].image().set(decision).rule();
        let levels = is_thinned.then(|| levels_digest(images(), decision));
        let presence = presence_is_drawn(rule, is_thinned);
        let presence = presence.then(|| presence_digest(images(), decision));
        let said_levels = entry.balance.as_ref().and_then(|balance| balance.levels_sha256.as_ref());
        for (what, said, found) in [
            ("the SHA-256 of the levels of a thinned set is", said_levels, levels),
            (
                "the SHA-256 of the shapes of which pairs have a route is",
                entry.presence_sha256.as_ref(),
                presence,
            ),
        ] {
            if said != found.as_ref() {
                let words =
                    |digest: Option<&String>| digest.map_or("none", |digest| digest).to_owned();
                return Err(claim(directory, what, &words(said), &words(found.as_ref())));
            }
        }
    }
    Ok(())
}

/// Whether a rule keeps all or nothing of each shape.
fn is_whole(rule: &SetRule) -> bool {
    rule.keep.iter().all(|&keep| keep == Keep::NONE || keep == Keep::ALL)
}

/// Whether the manifest's mean hops are exactly those of the images: the routes of a thinned set are counted, and for
/// others the number of routes of a pair does not depend on a draw, or does not matter.
fn hops_are_exact(rule: &SetRule, is_thinned: bool) -> bool {
    // By shape, routes are drawn alike however many of each a fraction keeps.
    is_thinned || is_whole(rule) || rule.draw != DrawRule::ByRoute
}

/// Checks the manifest's counts of whole sets, which the tables of links give for all pairs of switches. For thinned
/// sets, these tables give the most routes, and the fewest pairs without one.
pub(super) fn check_told(
    manifest: &Manifest,
    directory: &Path,
    (switches, told): (&[Switch<'_>], &Told),
) -> Result<(), VerifyError> {
    for (number, decision) in Decision::ALL.into_iter().enumerate() {
        let entry = manifest.sets.get(decision);
        let rule = switches[0].image().set(decision).rule();
        let is_thinned = thinned(manifest, decision) > 0;
        let exact = hops_are_exact(rule, is_thinned);
        if exact != entry.mean_hops_are_exact {
            let (said, what) = (entry.mean_hops_are_exact, "that mean hops are exact is");
            return Err(claim(directory, what, &said, &exact));
        }
        if !is_whole(rule) {
            continue;
        }
        let (said, found) = (entry.pairs_without_route, told.without[number]);
        if is_thinned {
            if said < found {
                let what = "the number of pairs without a route is";
                return Err(claim(directory, what, &said, &format!("at least {found}")));
            }
            let most = mean_routes(entry, told.kept[number]);
            if entry.mean_routes > most + 1e-6 {
                let (said, most) =
                    (format!("{:.6}", entry.mean_routes), format!("at most {most:.6}"));
                return Err(claim(directory, MEAN_ROUTES, &said, &most));
            }
            continue;
        }
        if said != found {
            let what = "the number of pairs without a route is";
            return Err(claim(directory, what, &said, &found));
        }
        check_mean_routes(entry, directory, told.kept[number])?;
        check_mean_hops(entry, directory, (told.hops[number], found))?;
    }
    Ok(())
}

/// Checks the mean over the pairs that have a route.
fn check_mean_hops(
    entry: &SetEntry,
    directory: &Path,
    (sum, without): (f64, u64),
) -> Result<(), VerifyError> {
    let drawing = entry.pairs - without;
    #[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
    let hops = (drawing > 0).then(|| sum / drawing as f64);
    let differ = match (hops, entry.mean_hops) {
        (Some(found), Some(said)) => (found - said).abs() > 1e-6,
        (found, said) => found.is_some() != said.is_some(),
    };
    if differ {
        let words = |hops: Option<f64>| hops.map_or("none".to_owned(), |h| format!("{h:.6}"));
        let (said, found) = (words(entry.mean_hops), words(hops));
        return Err(claim(directory, "the mean number of hops is", &said, &found));
    }
    Ok(())
}

const MEAN_ROUTES: &str = "the mean number of routes of a pair is";

/// The mean number of routes of a pair, given how many all pairs keep.
#[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
fn mean_routes(entry: &SetEntry, kept: u64) -> f64 {
    kept as f64 / entry.pairs.max(1) as f64
}

fn check_mean_routes(entry: &SetEntry, directory: &Path, kept: u64) -> Result<(), VerifyError> {
    let mean = mean_routes(entry, kept);
    if (mean - entry.mean_routes).abs() > 1e-6 {
        let (said, found) = (format!("{:.6}", entry.mean_routes), format!("{mean:.6}"));
        return Err(claim(directory, MEAN_ROUTES, &said, &found));
    }
    Ok(())
}

pub(super) fn claim(
    directory: &Path,
    what: &'static str,
    said: &impl ToString,
    found: &impl ToString,
) -> VerifyError {
    VerifyError::Claim {
        path: directory.join(MANIFEST_FILE),
        what,
        said: escaped_controls(&said.to_string()),
        found: found.to_string(),
    }
}
