//! A set that one switch thins: `inspect` shows it, `verify` honours it.

use crate::damage::{SWITCH, vouch_for};
use crate::scratch::Scratch;
use insta::assert_snapshot;
use tvlb_schema::{
    Decision, FabricImage, Level, PerDecision, SetContents, ShapeSet, Switch, SwitchContents,
    SwitchImage, VcScheme, encode_switch_image,
};

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
        switch: Switch(5),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision { ugal_l: (0, 0), par_source: (0, 0), par_second: (0, 0) },
        sets: vec![SetContents { rule: *set.rule(), levels, shapes_to }],
    };
    scratch.write(&format!("out/{SWITCH}"), encode_switch_image(&fabric, &contents));
    vouch_for(&scratch, SWITCH);
    scratch
}

const LEVELS: [u8; 8] = [15, 3, 15, 7, 11, 15, 15, 15];

/// The routes of UGAL-L's set by the certificate.
fn routes_of(scratch: &Scratch) -> u64 {
    let certificate = scratch.succeeds("verify out");
    assert!(certificate.ends_with("without a circle, so no deadlock can form\n"), "{certificate}");
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
    };
    mend("\"thinned-switches\": 0", "\"thinned-switches\": 1");
    let refusal = scratch.finds("verify out");
    assert!(refusal.contains("it says that mean hops are exact is true"), "{refusal}");
    mend("\"mean-hops-are-exact\": true", "\"mean-hops-are-exact\": false");
    for kind in ["local", "global"] {
        let refusal = scratch.finds("verify out");
        let figures = refusal.split_once(&format!("the most used {kind} link over the mean is "));
        let (said, found) = figures.unwrap().1.split_once(", but the images say ").unwrap();
        let number = |text: &str| text.trim().parse::<f64>().unwrap();
        let json = |text: &str| format!("\"{kind}\": {}", number(text));
        assert!((number(said) - number(found)).abs() < 0.1, "{refusal}");
        mend(&json(said), &json(found));
    }
    assert_eq!(routes_of(&whole) - routes_of(&scratch), lost);
}

#[test]
fn shapes_that_thinning_has_left_no_route_of_are_found_out() {
    let scratch = thinned("strategic-2-3 by shape", &[3; 8], |shapes| shapes);
    let found = scratch.finds("verify out");
    assert_snapshot!("verify_thinned_shapes", found);
}
