//! Small images written byte by byte: what readers refuse, what they accept, and what they accept
//! although no writer makes it. Chance would hardly find these.

use crate::foreign::decoders::{Foreign, judged, judged_switch, meaning_of_fabric};
use tvlb_schema::{Decision, FabricImage, ShapeSet, SwitchId, SwitchImage};
use tvlb_tests::{images, mended, of_kinds, with_set};

/// An image of this kind with this payload and an empty frame.
fn framed(kind: u8, payload: &[&[u8]]) -> Vec<u8> {
    let frame = [b'T', b'V', b'L', b'B', kind, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    [&frame, payload.concat().as_slice(), &[0; 4]].concat()
}

/// Wirings that are consistent and yet not in their only form, which chance would not find. All are
/// of dfly(1, 2, 2, 2): four global ports in each of two groups.
#[test]
fn fabric_images_written_by_hand() {
    let Some(mut foreign) = Foreign::start() else { return };
    // Sizes, cables, most links, even links; kinds; starts, cables and ports, each with its padding.
    let two_cables: &[u8] = &[0x50, 0, 0, 0, 0x0e, 0xa4, 0, 0, 0];
    let cases: [(&str, &[&[u8]], bool); 19] = [
        ("ports 0 and ports 1 joined", &[&[1, 2, 2, 2, 2, 2, 2, 0, 0], two_cables], true),
        (
            "the same, not sorted",
            &[&[1, 2, 2, 2, 2, 2, 2, 0, 0, 0x05, 0, 0, 0, 0x0b, 0xa1, 0, 0, 0]],
            false,
        ),
        (
            "starts of equal pairs",
            &[&[1, 2, 2, 2, 2, 2, 0, 0, 0, 0x08, 0, 0, 0], two_cables],
            false,
        ),
        ("more links than any pair has", &[&[1, 2, 2, 2, 2, 3, 2, 0, 0], two_cables], false),
        ("even links that are not the most", &[&[1, 2, 2, 2, 2, 2, 1, 0, 0], two_cables], false),
        ("no cables", &[&[1, 2, 2, 2, 0, 0, 0, 0, 0, 0xf0, 0, 0, 0]], true),
        ("no cables, and most links 1", &[&[1, 2, 2, 2, 0, 1, 0, 0, 0, 0xf0, 0, 0, 0]], false),
        ("a byte after the last section", &[&[1, 2, 2, 2, 2, 2, 2, 0, 0], two_cables, &[0]], false),
        ("one kind", &[&[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 1, 0], two_cables], false),
        (
            "equal kinds",
            &[&[1, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 1, 1, 1, 2, 2, 1, 1, 0], two_cables],
            false,
        ),
        (
            "two kinds",
            &[&[1, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 1, 1, 1, 2, 2, 1, 1, 0], two_cables],
            true,
        ),
        // Port 1 is the second slot of the first switch.
        (
            "a cable at a slot that its group does not have",
            &[&[1, 2, 2, 2, 2, 2, 2, 2, 1, 2, 1, 1, 1, 1, 2, 2, 1, 1, 0], two_cables],
            false,
        ),
        (
            "kinds below the sizes",
            &[&[1, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 1, 1, 0, 1, 2, 1, 1, 0], two_cables],
            false,
        ),
        (
            "two links between the switches of a group",
            &[&[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 0], two_cables],
            true,
        ),
        ("65 of them", &[&[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 65, 0], two_cables], false),
        (
            "one pair with one link",
            &[&[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1], two_cables, &[1, 0, 0, 0, 1, 0, 0, 0]],
            true,
        ),
        (
            "the same, the higher index first",
            &[&[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1], two_cables, &[2, 0, 0, 0, 1, 0, 0, 0]],
            false,
        ),
        (
            "one pair without a link, and no third switch",
            &[&[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1], two_cables, &[1, 0, 0, 0, 0, 0, 0, 0]],
            true,
        ),
        (
            "both pairs with one link",
            &[
                &[1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2],
                two_cables,
                &[0x29, 0, 0, 0, 3, 0, 0, 0],
            ],
            false,
        ),
    ];
    for (what, payload, accepted) in cases {
        let image = mended(framed(b'F', payload), None);
        let judged = judged(&image);
        assert_eq!(foreign.judges(b'f', &image, &judged), accepted, "{what}: {judged:?}");
    }
}

/// The payload of a switch image of switch 0 over the first of the fabrics above.
struct Case {
    what: &'static str,
    /// The set, T, candidates and gate of each decision.
    decisions: [[u8; 4]; 3],
    sets: Vec<Vec<u8>>,
    sections: Vec<u8>,
    /// `None` if it is refused, otherwise what no writer makes in it.
    accepted: Option<&'static str>,
}

impl Case {
    fn new(what: &'static str, set: &[u8], sections: &[u8]) -> Self {
        let (sets, sections) = (vec![set.to_vec()], sections.to_vec());
        Self { what, decisions: [0; 3].map(decision), sets, sections, accepted: Some("[]") }
    }

    fn refused(self) -> Self {
        Self { accepted: None, ..self }
    }

    fn loose(self, accepted: &'static str) -> Self {
        Self { accepted: Some(accepted), ..self }
    }

    fn of_sets(what: &'static str, set: &[u8], count: usize, numbers: [u8; 3]) -> Self {
        let decisions = numbers.map(decision);
        Self { decisions, sets: vec![set.to_vec(); count], ..Self::new(what, set, &[]) }
    }
}

/// A decision by a set with T = 0, one candidate of each kind and no gate.
const fn decision(set: u8) -> [u8; 4] {
    [set, 0, 0x11, 0]
}

fn assert_judged(cases: &[Case]) {
    let Some(mut foreign) = Foreign::start() else { return };
    let cables = [1, 2, 2, 2, 2, 2, 2, 0, 0, 0x50, 0, 0, 0, 0x0e, 0xa4, 0, 0, 0];
    let fabric = mended(framed(b'F', &[&cables]), None);
    let view = FabricImage::decode(&fabric).unwrap();
    foreign.keep(b'F', &fabric, &meaning_of_fabric(&view));
    for Case { what, decisions, sets, sections, accepted } in cases {
        let count = u8::try_from(sets.len()).unwrap();
        let peers = [0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let payload: [&[u8]; 6] =
            [&[0, 0], decisions.as_flattened(), &[0, count], &sets.concat(), &peers, sections];
        let image = mended(framed(b'S', &payload), Some(view.identity()));
        let judged = judged_switch(&image, &view);
        let taken = foreign.judges(b's', &image, &judged);
        assert_eq!(taken, accepted.is_some(), "{what}: {judged:?}");
        if let Some(loose) = accepted {
            assert_eq!(&foreign.ask(b'l', &[]), loose, "{what}");
        }
    }
}

/// A set that keeps nothing.
const MIN: [u8; 17] = [0; 17];

#[test]
fn numbers_of_sets() {
    assert_judged(&[
        Case::of_sets("no set", &MIN, 0, [0, 0, 0]).refused(),
        Case::of_sets("one set", &MIN, 1, [0, 0, 0]),
        Case::of_sets("a set that does not exist", &MIN, 1, [0, 1, 0]).refused(),
        Case::of_sets("equal sets", &MIN, 2, [0, 1, 1]).loose("[\"two sets are equal\"]"),
        Case::of_sets("four sets", &MIN, 4, [0, 0, 0]).refused(),
    ]);
}

#[test]
fn candidates_and_gates() {
    let case = |what, last| Case {
        decisions: [decision(0), decision(0), last],
        ..Case::new(what, &MIN, &[])
    };
    assert_judged(&[
        case("eight candidates of each kind", [0, 0, 0x88, 0]),
        case("one MIN candidate and four of VLB, with a gate", [0, 1, 0x14, 20]),
        case("the largest gate", [0, 0, 0x11, 255]),
        case("no MIN candidate", [0, 0, 0x01, 0]).refused(),
        case("no VLB candidate", [0, 0, 0x10, 0]).refused(),
        case("nine MIN candidates", [0, 0, 0x91, 0]).refused(),
        case("nine VLB candidates", [0, 0, 0x19, 0]).refused(),
    ]);
}

#[test]
fn levels_and_fractions() {
    let thinned = [&[0; 16][..], &[1]].concat();
    let kept = |keep: u8, always: u8| [&[0, keep][..], &[0; 12], &[always, 0, 0]].concat();
    assert_judged(&[
        Case::new("all levels 15", &thinned, &[0xff, 0xff, 0, 0, 0])
            .loose("[\"a set is thinned although all levels are 15\"]"),
        Case::new("level 3 of an unused port", &thinned, &[0xff, 0xf3, 0, 0, 0]),
        Case::new("level 2 of an unused port", &thinned, &[0xff, 0xf2, 0, 0, 0]).refused(),
        Case::new("no levels", &thinned, &[]).refused(),
        Case::new("a fraction of one percent", &kept(100, 1), &[]),
        Case::new("a smaller fraction", &kept(99, 1), &[]).refused(),
        Case::new("a shape that is not said", &kept(100, 0), &[]).refused(),
        Case::new("a shape that is not kept", &kept(100, 3), &[]).refused(),
    ]);
}

#[test]
fn sets_by_shape() {
    // Shape 0 alone: its fraction and its weight.
    let set = |keep: u8, weight: u8, rest: [u8; 2]| {
        [&[1, keep][..], &[0; 11], &[weight], &[0; 12], &rest, &[0]].concat()
    };
    let presence = set(100, 1, [0, 1]);
    assert_judged(&[
        Case::new("a shape that all have", &set(100, 1, [1, 0]), &[]),
        Case::new("a shape that no destination has", &set(100, 1, [0, 0]), &[]),
        Case::new("a shape that all and some have", &set(100, 1, [1, 1]), &[4, 0, 0, 0]).refused(),
        Case::new("a shape that the set does not have", &set(100, 1, [2, 0]), &[]).refused(),
        Case::new("a shape without a weight", &set(100, 0, [1, 0]), &[]).refused(),
        Case::new("a weight without a shape", &set(0, 1, [0, 0]), &[]).refused(),
        Case::new("presence of one switch", &presence, &[0b0100, 0, 0, 0]),
        Case::new("presence of the own group", &presence, &[0b0101, 0, 0, 0]).refused(),
        Case::new("presence everywhere", &presence, &[0b1100, 0, 0, 0])
            .loose("[\"all destinations have shape 0, or none, in its column\"]"),
        Case::new("presence in the padding", &presence, &[0b1_0100, 0, 0, 0]).refused(),
    ]);
}

/// The image of each switch of a fabric with gaps, with a bit of presence for each number: only those of
/// destinations are accepted.
#[test]
fn presence_of_numbers_that_are_not_destinations() {
    let Some(mut foreign) = Foreign::start() else { return };
    // Groups of three switches, of two and of three, so that the gap is not at the end.
    let kinds = [(1, 3, 2, 2), (1, 2, 2, 1), (1, 3, 2, 2)];
    let fabric = with_set(of_kinds(&kinds), "strategic-2-3 by shape");
    let made = images(&fabric).images;
    let view = FabricImage::decode(&made.fabric).unwrap();
    foreign.keep(b'F', &made.fabric, &meaning_of_fabric(&view));
    let df = *view.dragonfly();
    let (mut own_group, mut gaps, mut accepted) = (0, 0, 0);
    for (switch, image) in df.switches().zip(&made.switches) {
        let decoded = SwitchImage::decode(image, &view).unwrap();
        let set = decoded.set(Decision::UgalL);
        let shapes: Vec<_> = df
            .switches()
            .filter(|&to| df.place(to).0 != df.place(switch).0)
            .map(|to| set.shapes_to(to))
            .collect();
        let ever = shapes.iter().fold(ShapeSet::EMPTY, |ever, shapes| ever.or(*shapes));
        let always = shapes.iter().fold(ever, |always, shapes| always.and(*shapes));
        let columns = ever.without(always).iter().count();
        assert!(columns > 0, "switch {switch} has presence");
        // The last section, its padding of three bytes and the checksum of four.
        let numbers = df.switch_numbers() as usize;
        let start = image.len() - 4 - 3 - (numbers * columns).div_ceil(8);
        for number in 0..numbers {
            let bit = number * columns;
            let mut spoilt = image.clone();
            spoilt[start + bit / 8] ^= 1 << (bit % 8);
            let spoilt = mended(spoilt, Some(view.identity()));
            let judged = judged_switch(&spoilt, &view);
            let to = SwitchId(u16::try_from(number).unwrap());
            let is_own = df.has_switch(to) && df.place(to).0 == df.place(switch).0;
            let is_destination = df.has_switch(to) && !is_own;
            assert_eq!(foreign.judges(b's', &spoilt, &judged), is_destination, "{judged:?}");
            if let Err(error) = judged {
                let what = format!(
                    "presence of a switch that is not a destination at byte {}: found ",
                    start + bit / 8
                );
                assert!(error.starts_with(&what), "{error}");
            }
            own_group += u32::from(is_own);
            gaps += u32::from(!df.has_switch(to));
            accepted += u32::from(is_destination);
        }
    }
    assert!(own_group > 30 && gaps > 10 && accepted > 100, "{own_group} {gaps} {accepted}");
}

#[test]
fn sets_by_intermediate_switch() {
    let set = |legs: &[u8], rest: &[u8]| [&[2], legs, rest].concat();
    let all = &[0xff, 0x03];
    let levels = &[0xff, 0xff, 0, 0, 0];
    assert_judged(&[
        Case::new("all switches", &set(all, &[1, 0, 0xff, 0x1f, 0, 0]), &[]),
        Case::new("thinned", &set(all, &[1, 0, 0xff, 0x1f, 0, 1]), levels).refused(),
        Case::new("fewer shapes", &set(all, &[1, 0, 0xff, 0x0f, 0, 0]), &[]).refused(),
        Case::new("returns of 2", &set(all, &[2, 0, 0xff, 0x1f, 0, 0]), &[]).refused(),
        Case::new("no legs", &set(&[0], &[0, 0, 0, 0, 0]), &[]).refused(),
        Case::new("legs without smaller ones", &set(&[2], &[0, 0, 12, 0, 0]), &[]).refused(),
        Case::new("legs of four hops", &set(&[0xff, 0x07], &[1, 0, 0xff, 0x1f, 0, 0]), &[])
            .refused(),
    ]);
}
