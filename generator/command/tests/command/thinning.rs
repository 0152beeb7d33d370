//! A set that one switch thins: `inspect` shows it, `verify` honours it.

use crate::damage::{SWITCH, edit_manifest, reseal, vouch_for};
use crate::scratch::Scratch;
use insta::assert_snapshot;
use tvlb_schema::{
    Decision, FabricImage, Level, PerDecision, SetContents, ShapeSet, SwitchContents, SwitchId,
    SwitchImage, VcScheme, Weighing, encode_switch_image,
};
use tvlb_table_set::{Manifest, SetEntry};

/// A table set in which switch 5 thins its set, with what the image says of the pairs' shapes.
fn thinned(set: &str, levels: &[u8], says: impl Fn(ShapeSet) -> ShapeSet) -> Scratch {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let run = scratch.tvlb_with(["generate", "fabric.toml", "-o", "out", "--set", set]);
    assert_eq!(run.code, 0, "{run}");
    let (fabric, image) = (scratch.read("out/fabric.tvlb"), scratch.read(&format!("out/{SWITCH}")));
    let fabric = FabricImage::decode(&fabric).unwrap();
    let image = SwitchImage::decode(&image, &fabric).unwrap();
    let set = image.set(Decision::UgalL);
    let shapes_to = fabric.dragonfly().switches().map(|to| says(set.shapes_to(to))).collect();
    let levels = levels.iter().map(|&level| Level::new(level).unwrap()).collect();
    let contents = SwitchContents {
        switch: SwitchId(5),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same((0, Weighing::default())),
        second_min: tvlb_schema::MinCandidate::Kept,
        sets: vec![SetContents { rule: *set.rule(), levels, shapes_to }],
        physical_numbers: Vec::new(),
    };
    scratch.write(&format!("out/{SWITCH}"), encode_switch_image(&fabric, &contents));
    vouch_for(&scratch, SWITCH);
    scratch
}

const LEVELS: [u8; 8] = [15, 3, 15, 7, 11, 15, 15, 15];

/// Puts into the manifest the digests that `verify` finds of the images.
fn mend_digests(scratch: &Scratch) {
    loop {
        let run = scratch.tvlb("verify out");
        let Some((_, found)) = run.stderr.split_once("it says the SHA-256 of the ") else { return };
        let digest = found.trim().rsplit(' ').next().unwrap();
        let digest = (digest != "none").then(|| digest.to_owned());
        edit_manifest(scratch, |manifest| {
            let sets = &mut manifest.sets;
            for entry in [&mut sets.ugal_l, &mut sets.par_source, &mut sets.par_second] {
                if found.starts_with("levels") {
                    entry.balance.as_mut().unwrap().levels_sha256.clone_from(&digest);
                } else {
                    entry.presence_sha256.clone_from(&digest);
                }
            }
        });
    }
}

/// The routes of UGAL-L's set by the certificate.
fn routes_of(scratch: &Scratch) -> u64 {
    let certificate = scratch.succeeds("verify out");
    assert!(certificate.ends_with("without a cycle, so no deadlock can form\n"), "{certificate}");
    let (before, _) = certificate.split_once(" routes of UGAL-L's set").unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn it_is_shown_and_its_routes_are_counted() {
    let scratch = thinned("strategic-2-3", &LEVELS, |shapes| shapes);
    let switch = scratch.succeeds("inspect out --switch 5");
    assert_snapshot!("inspect_thinned_switch", switch);
    let paths = scratch.succeeds("inspect out --from 5 --to 20 --list");
    assert_snapshot!("inspect_thinned_paths", paths);
    let whole = thinned("strategic-2-3", &[15; 8], |shapes| shapes);
    let listed = |scratch: &Scratch| {
        let routes_to = |to: u32| -> u64 {
            let paths = scratch.succeeds(&format!("inspect out --from 5 --to {to}"));
            let count = paths.lines().find(|line| line.contains("mean hops of a draw"));
            count.map_or(0, |line| line.split(' ').next().unwrap().parse().unwrap())
        };
        (0..4).chain(8..36).map(routes_to).sum::<u64>()
    };
    let lost = listed(&whole) - listed(&scratch);
    assert_eq!(lost, 72);
    // `verify` sees that a switch thins, and that the use of links is another.
    let refusal = scratch.finds("verify out");
    assert_eq!(
        refusal,
        "tvlb: out/manifest.json: it says the number of switches that thin a set is 0, \
         but the images say 1\n"
    );
    let mend = |from: &str, to: &str| {
        let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
        assert!(manifest.contains(from), "{from}");
        scratch.write("out/manifest.json", manifest.replace(from, to));
        reseal(&scratch);
    };
    mend("\"thinned-switches\": 0", "\"thinned-switches\": 1");
    mend_digests(&scratch);
    let figures = [
        ("the mean number of routes of a pair is ", "mean-routes"),
        ("the mean number of hops is ", "mean-hops"),
        ("the most used local link over the mean is ", "local"),
        ("the most used global link over the mean is ", "global"),
    ];
    for (what, key) in figures {
        let refusal = scratch.finds("verify out");
        let figures = refusal.split_once(what).unwrap_or_else(|| panic!("{what}: {refusal}"));
        let (said, found) = figures.1.split_once(", but the images say ").unwrap();
        let number = |text: &str| text.trim().parse::<f64>().unwrap();
        let json = |text: &str| format!("\"{key}\": {:?}", number(text));
        assert!((number(said) - number(found)).abs() < 0.1, "{refusal}");
        mend(&json(said), &json(found));
    }
    assert_eq!(routes_of(&whole) - routes_of(&scratch), lost);
}

#[test]
fn shapes_that_thinning_has_left_no_route_of_are_found_out() {
    let scratch = thinned("strategic-2-3 by shape", &[3; 8], |shapes| shapes);
    edit_manifest(&scratch, |manifest| {
        let sets = &mut manifest.sets;
        for entry in [&mut sets.ugal_l, &mut sets.par_source, &mut sets.par_second] {
            entry.balance.as_mut().unwrap().thinned_switches = 1;
        }
    });
    mend_digests(&scratch);
    let found = scratch.finds("verify out");
    assert_snapshot!("verify_thinned_shapes", found);
    // Nor does it take all walks to find them.
    assert_eq!(scratch.finds("verify out --most-walks 20000"), found);
}

/// A balanced table set in which the image of a switch says something else, vouched for.
fn balanced_but(set: &str, switch: u16, change: impl FnOnce(&mut SetContents)) -> Scratch {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let options = ["generate", "fabric.toml", "-o", "out", "--balance", "--set", set];
    let run = scratch.tvlb_with(options);
    assert_eq!(run.code, 0, "{run}");
    let file = format!("switches/{switch:05}.tvlb");
    let (fabric, image) = (scratch.read("out/fabric.tvlb"), scratch.read(&format!("out/{file}")));
    let fabric = FabricImage::decode(&fabric).unwrap();
    let image = SwitchImage::decode(&image, &fabric).unwrap();
    let set = image.set(Decision::UgalL);
    let df = fabric.dragonfly();
    let by_shape = set.rule().is_by_shape();
    let mut contents = SetContents {
        rule: *set.rule(),
        levels: df.global_ports().map(|port| set.level(port)).collect(),
        shapes_to: df.switches().filter(|_| by_shape).map(|to| set.shapes_to(to)).collect(),
    };
    change(&mut contents);
    let contents = SwitchContents {
        switch: SwitchId(switch),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same((0, Weighing::default())),
        second_min: tvlb_schema::MinCandidate::Kept,
        sets: vec![contents],
        physical_numbers: Vec::new(),
    };
    scratch.write(&format!("out/{file}"), encode_switch_image(&fabric, &contents));
    vouch_for(&scratch, &file);
    scratch
}

type Spoil = fn(&mut SetEntry);

#[test]
fn the_figures_of_a_thinned_set_are_those_of_the_routes_that_are_kept() {
    for set in ["strategic-2-3", "60% 5-hop", "50% 4-hop by shape"] {
        let generated = |options: &[&str]| {
            let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
            let plain = ["generate", "fabric.toml", "-o", "out", "--set", set];
            let run = scratch.tvlb_with(plain.iter().chain(options).copied());
            assert_eq!(run.code, 0, "{run}");
            let manifest: Manifest =
                serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
            (scratch, manifest.sets.ugal_l)
        };
        let (_, whole) = generated(&[]);
        let (scratch, thinned) = generated(&["--balance"]);
        assert!(thinned.balance.as_ref().is_some_and(|b| b.thinned_switches > 0), "{set}");
        assert!(thinned.mean_routes < 0.99 * whole.mean_routes, "{set}: {thinned:?}");
        assert!(thinned.mean_hops_are_exact);
        // As many as `verify` counts in the images.
        #[expect(clippy::cast_precision_loss, reason = "some 10⁵ routes")]
        let counted = routes_of(&scratch) as f64 / thinned.pairs as f64;
        assert!((counted - thinned.mean_routes).abs() < 1e-6, "{set}: {counted}");
        let wrong: [(&str, Spoil); 3] = [
            ("the mean number of routes of a pair is", |entry| entry.mean_routes -= 0.5),
            ("the mean number of hops is", |entry| entry.mean_hops = Some(4.0)),
            ("the number of pairs without a route is", |entry| entry.pairs_without_route += 1),
        ];
        for (what, spoil) in wrong {
            edit_manifest(&scratch, |manifest| {
                for entry in [&mut manifest.sets.ugal_l, &mut manifest.sets.par_source] {
                    *entry = thinned.clone();
                }
                spoil(&mut manifest.sets.ugal_l);
            });
            let finding = scratch.finds("verify out");
            assert!(finding.contains(what), "{set}: {finding}");
        }
        // Of a whole set a sample tells as much: there were no more routes before it was thinned.
        if set == "strategic-2-3" {
            edit_manifest(&scratch, |manifest| {
                manifest.sets.ugal_l = thinned.clone();
                manifest.sets.ugal_l.mean_routes = whole.mean_routes;
            });
            scratch.succeeds("verify out --most-walks 1000");
            edit_manifest(&scratch, |manifest| manifest.sets.ugal_l.mean_routes += 0.01);
            let finding = scratch.finds("verify out --most-walks 1000");
            assert!(finding.contains("but the images say at most"), "{finding}");
        }
    }
}

#[test]
fn no_level_can_be_changed_unseen() {
    const SET: &str = "strategic-2-3";
    let untouched = balanced_but(SET, 5, |_| ());
    untouched.succeeds("verify out");
    untouched.succeeds("verify out --most-walks 1000");
    for level in [12, 15] {
        let scratch = balanced_but(SET, 5, |set| {
            assert_eq!(set.levels[1], Level::new(14).unwrap());
            set.levels[1] = Level::new(level).unwrap();
        });
        for sample in ["", "--most-walks 1000"] {
            let finding = scratch.finds(&format!("verify out {sample}"));
            assert!(finding.contains("it says the SHA-256 of the levels of a thinned set is "));
        }
    }
    let all = balanced_but(SET, 0, |set| set.levels.fill(Level::LEAST));
    let finding = all.finds("verify out --most-walks 1000");
    assert!(finding.contains("it says the SHA-256 of the levels of a thinned set is "));
}

#[test]
fn no_shape_can_be_denied_or_made_up_unseen_in_a_thinned_set() {
    const SET: &str = "strategic-2-3 by shape";
    balanced_but(SET, 0, |_| ()).succeeds("verify out --most-walks 1000");
    let wiped = |set: &mut SetContents| set.shapes_to[20] = ShapeSet::EMPTY;
    let all = |set: &mut SetContents| set.shapes_to.fill(set.rule.shapes());
    for scratch in [balanced_but(SET, 0, wiped), balanced_but(SET, 0, all)] {
        for most in [1000, 20_000, 100_000, 100_000_000] {
            let finding = scratch.finds(&format!("verify out --most-walks {most}"));
            assert!(
                finding.contains("the SHA-256 of the shapes of which pairs have a route is"),
                "{finding}"
            );
        }
        // If the digest is mended too, a search tells, which these fabrics can afford.
        mend_digests(&scratch);
        for most in [100_000, 100_000_000] {
            let finding = scratch.finds(&format!("verify out --most-walks {most}"));
            assert!(finding.contains("from switch 0 to switch "), "{finding}");
        }
    }
}
