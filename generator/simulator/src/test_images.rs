//! Images for tests and benchmarks: three arrangements, and sets given by their rule.
//!
//! The simulator must not know the generator, so its tests make their images here, from the
//! definitions alone. The module is compiled into tests and benchmarks only: programs in `tests`
//! and `benches` include this file by its path.
#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(clippy::unwrap_used, reason = "part of test programs")]

use tvlb_schema::{
    Decision, Dragonfly, DrawRule, End, FabricImage, GlobalPort, GroupId, MinCandidate,
    PerDecision, SetContents, SetRule, Shape, ShapeSet, SwitchContents, SwitchId, SwitchIndex,
    VcScheme, encode_fabric_image, encode_switch_image, shapes_by_number,
};

pub(crate) struct Images {
    pub(crate) fabric: Vec<u8>,
    pub(crate) switches: Vec<Vec<u8>>,
}

pub(crate) fn dragonfly(p: u32, a: u32, h: u32, g: u32) -> Dragonfly {
    Dragonfly::new(p, a, h, g).unwrap()
}

/// The arrangement of the T-UGAL paper: every switch takes cables from a pointer that walks over
/// all groups, one switch of each, then the next switch of each.
pub(crate) fn absolute(df: &Dragonfly) -> Vec<(End, End)> {
    let (a, h, g) = (df.a() as usize, df.h() as usize, df.g() as usize);
    let mut laid = vec![vec![0_u16; a]; g];
    let mut cables = Vec::new();
    let (mut group, mut index) = (1 % g, 0);
    for from_group in 0..g {
        for from in 0..a {
            let mut idle = 0;
            while usize::from(laid[from_group][from]) < h && idle < a * g {
                if group != from_group && usize::from(laid[group][index]) < h {
                    let mut end = |group: usize, index: usize| {
                        let slot = laid[group][index];
                        laid[group][index] += 1;
                        End::new(df, GroupId(short(group)), SwitchIndex(byte(index)), slot)
                    };
                    cables.push((end(from_group, from), end(group, index)));
                    idle = 0;
                } else {
                    idle += 1;
                }
                group += 1;
                if group == g {
                    (group, index) = (0, (index + 1) % a);
                }
            }
        }
    }
    cables
}

/// The classical absolute arrangement: port q of group i leads to group q if q < i,
/// else to q + 1. For g = a·h + 1.
pub(crate) fn absolute_classic(df: &Dragonfly) -> Vec<(End, End)> {
    assert_eq!(df.g(), df.ports_per_group() + 1);
    let mut cables = Vec::new();
    for low in 0..df.g() {
        for high in low + 1..df.g() {
            let end = |group: u32, port: u32| End {
                group: GroupId(u16::try_from(group).unwrap()),
                port: GlobalPort(u16::try_from(port).unwrap()),
            };
            cables.push((end(low, high - 1), end(high, low)));
        }
    }
    cables
}

/// Images of these cables, with the same set for every decision.
pub(crate) fn images(df: &Dragonfly, cables: &[(End, End)], rule: SetRule) -> Images {
    images_with(df, cables, &PerDecision::same(rule), 0)
}

/// Images of these cables, with a set for each decision and one threshold.
pub(crate) fn images_with(
    df: &Dragonfly,
    cables: &[(End, End)],
    rules: &PerDecision<SetRule>,
    threshold: i16,
) -> Images {
    images_in(encode_fabric_image(df, cables), rules, threshold)
}

/// Images of the fabric of an image, with a set for each decision and one threshold.
pub(crate) fn images_in(bytes: Vec<u8>, rules: &PerDecision<SetRule>, threshold: i16) -> Images {
    let fabric = FabricImage::decode(&bytes).unwrap();
    let df = fabric.dragonfly();
    let switches = df
        .switches()
        .map(|switch| {
            let sets = Decision::ALL
                .iter()
                .map(|&decision| {
                    let rule = *rules.get(decision);
                    let shapes_to = shapes_by_number(df, &rule, |to| {
                        shapes(&fabric, switch, to).and(rule.shapes())
                    });
                    SetContents { rule, levels: Vec::new(), shapes_to }
                })
                .collect();
            let decisions = PerDecision {
                ugal_l: (0, threshold.into()),
                par_source: (1, threshold.into()),
                par_second: (2, threshold.into()),
            };
            let contents = SwitchContents {
                switch,
                virtual_channels: VcScheme::Ordered,
                decisions,
                second_min: MinCandidate::Kept,
                sets,
                physical_numbers: Vec::new(),
            };
            encode_switch_image(&fabric, &contents)
        })
        .collect();
    Images { fabric: bytes, switches }
}

/// Images of the paper's arrangement with a whole set, drawn by route.
pub(crate) fn absolute_images(p: u32, a: u32, h: u32, g: u32, set: ShapeSet) -> Images {
    let df = dragonfly(p, a, h, g);
    images(&df, &absolute(&df), SetRule::whole(set))
}

/// The shapes of which two switches have a route.
fn shapes(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> ShapeSet {
    let df = fabric.dragonfly();
    let ((from_group, from), (to_group, to)) = (df.place(from), df.place(to));
    if from_group == to_group {
        return ShapeSet::EMPTY;
    }
    let mut found = ShapeSet::EMPTY;
    for middle in df.groups().filter(|&m| m != from_group && m != to_group) {
        for k in 0..fabric.link_count(from_group, middle) {
            let (x, v) = fabric.link(from_group, middle, k).unwrap();
            for l in 0..fabric.link_count(middle, to_group) {
                let (y, z) = fabric.link(middle, to_group, l).unwrap();
                let index = |port| df.split_port(port).0;
                let head = index(x) != from;
                let tail = index(z) != to;
                let mid = u8::from(index(v) != index(y));
                found = found.or(ShapeSet::only(Shape::of_walk(head, mid, tail)));
                if mid == 1 && df.a() > 2 {
                    found = found.or(ShapeSet::only(Shape::of_walk(head, 2, tail)));
                }
            }
        }
    }
    found
}

/// "Shapes at or below", as in the grammar of sets: three digits each.
pub(crate) fn below(tops: &[&str]) -> ShapeSet {
    ShapeSet::generated_by(&tops.iter().map(|top| shape(top)).collect::<Vec<_>>())
}

pub(crate) fn shape(digits: &str) -> Shape {
    let digit = |n: usize| digits.as_bytes()[n] - b'0';
    Shape::new(digit(0), digit(1), digit(2)).unwrap()
}

/// The paper's choice "a 2-hop leg, then a 3-hop leg": at most 4 hops, and 111 and 021.
pub(crate) fn strategic_2_3() -> ShapeSet {
    let short: ShapeSet = Shape::all().filter(|s| s.hops() <= 4).collect();
    short.or(ShapeSet::only(shape("111"))).or(ShapeSet::only(shape("021")))
}

/// The same shapes, each drawn with the same weight.
pub(crate) fn by_shape(set: ShapeSet) -> SetRule {
    let mut rule = SetRule::whole(set);
    let mut weights = [0; Shape::COUNT];
    for shape in set.iter() {
        weights[shape.number()] = 1;
    }
    rule.draw = DrawRule::ByShape { weights };
    rule
}

fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap()
}

fn byte(n: usize) -> u8 {
    u8::try_from(n).unwrap()
}

/// The palm tree arrangement for g = a·h + 1: port q of a group leads q + 1 groups back, to the port that is
/// its mirror image.
pub(crate) fn palm_tree(df: &Dragonfly) -> Vec<(End, End)> {
    assert_eq!(df.g(), df.ports_per_group() + 1);
    let end = |group: u32, port: u32| End {
        group: GroupId(u16::try_from(group).unwrap()),
        port: GlobalPort(u16::try_from(port).unwrap()),
    };
    let mut cables = Vec::new();
    for group in 0..df.g() {
        for port in 0..df.ports_per_group() {
            let other = (group + df.g() - port - 1) % df.g();
            if group < other {
                cables.push((end(group, port), end(other, df.ports_per_group() - 1 - port)));
            }
        }
    }
    cables
}
