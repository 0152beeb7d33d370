//! Pictures of a set's paths: for each of the twelve shapes of a VLB path, where its hops are, and how often a draw
//! from the set has it.

use crate::image::Images;
use crate::routes::drawn_routes::{DrawnRoute, drawn_routes};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::fmt::Write;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, EndSwitches, FabricImage, Shape, SwitchId};

/// Up to this many pairs of switches, all are measured.
const MOST_PAIRS: usize = 6000;
/// Of more pairs, a sample of this size.
const SAMPLED_PAIRS: u32 = 600;
/// Separates these random numbers from other uses of the seed.
const STREAM: u64 = 0x7368_6170_6573;

/// How often a draw has each shape, by shape number: the mean over pairs of switches with nodes in different groups
/// that have a route in the set.
pub(super) struct Shares {
    of: [f64; Shape::COUNT],
    /// The size of the sample of pairs, if they were not all measured.
    pub(super) sampled: Option<u32>,
}

impl Shares {
    /// Reads them from the images, as the datapath of each switch draws.
    pub(super) fn of(
        (images, ends): (&Images, &EndSwitches),
        decision: Decision,
        seed: u64,
    ) -> Self {
        const WRITTEN: &str = "the image stage decodes what it writes";
        let fabric = FabricImage::decode(&images.fabric).expect(WRITTEN);
        let df = fabric.dragonfly();
        let bytes = df.switches().zip(&images.switches);
        let bytes: Vec<(SwitchId, &Vec<u8>)> = bytes.filter(|&(from, _)| ends.has(from)).collect();
        let is_pair = |from: SwitchId, to: SwitchId| df.place(from).0 != df.place(to).0;
        let mut sum = [0.0; Shape::COUNT];
        let mut look = |from: &(SwitchId, &Vec<u8>), to: SwitchId| {
            let switch = Switch::boot_in(&fabric, from.1).expect(WRITTEN);
            let shares = shares_of_pair(&switch, decision, to);
            sum.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
        };
        let is_sampled = bytes.len() * bytes.len() > MOST_PAIRS;
        if is_sampled {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ STREAM);
            for _ in 0..SAMPLED_PAIRS {
                let [from, to] = [0, 1].map(|_| rng.random_range(0..bytes.len()));
                if is_pair(bytes[from].0, bytes[to].0) {
                    look(&bytes[from], bytes[to].0);
                }
            }
        } else {
            for from in &bytes {
                for to in ends.outside(df.place(from.0).0) {
                    look(from, to);
                }
            }
        }
        let total: f64 = sum.iter().sum();
        let of = sum.map(|sum| if total > 0.0 { sum / total } else { 0.0 });
        Self { of, sampled: is_sampled.then_some(SAMPLED_PAIRS) }
    }
}

/// How often each shape is drawn for one pair; all 0 where no route is kept.
fn shares_of_pair(switch: &Switch<'_>, decision: Decision, to: SwitchId) -> [f64; Shape::COUNT] {
    let mut shares = [0.0; Shape::COUNT];
    for DrawnRoute { shape, share, .. } in drawn_routes(switch, decision, to) {
        shares[shape.number()] += share;
    }
    shares
}

const COLUMNS: usize = 3;
const CELL: (f64, f64) = (112.0, 92.0);
/// Left edges of the three groups within a cell, and the size of each.
const GROUPS: [f64; 3] = [4.0, 39.0, 74.0];
const GROUP: (f64, f64) = (26.0, 46.0);

/// The twelve shapes; those never drawn are pale.
pub(super) fn picture(shares: &Shares, name: &str) -> String {
    let rows = Shape::COUNT.div_ceil(COLUMNS);
    let real = |count: usize| f64::from(u32::try_from(count).expect("twelve at most"));
    let (width, height) = (CELL.0 * real(COLUMNS), CELL.1 * real(rows));
    let words: Vec<String> = Shape::all()
        .filter(|shape| shares.of[shape.number()] > 0.0)
        .map(|shape| format!("{shape} {:.1}%", 100.0 * shares.of[shape.number()]))
        .collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"the shapes of the paths of {name} with their shares of draws: {}\">\n",
        words.join(", ")
    );
    for shape in Shape::all() {
        let number = shape.number();
        let corner = (CELL.0 * real(number % COLUMNS), CELL.1 * real(number / COLUMNS));
        draw(&mut svg, shape, shares.of[number], corner);
    }
    svg.push_str("</svg>\n");
    svg
}

/// One shape: three groups, the switches on the way as dots, local hops within a group and global
/// ones between two.
fn draw(svg: &mut String, shape: Shape, share: f64, (left, top): (f64, f64)) {
    let class = if share > 0.0 { "" } else { " class=\"pale\"" };
    let _ = writeln!(svg, "<g transform=\"translate({left} {top})\"{class}>");
    let (mut dots, mut hops, mut jumps) = (String::new(), String::new(), String::new());
    let mut before: Option<(f64, f64)> = None;
    for (edge, local) in GROUPS.into_iter().zip([shape.head(), shape.mid(), shape.tail()]) {
        let x = edge + GROUP.0 / 2.0;
        let _ = write!(
            svg,
            "<rect class=\"box\" x=\"{edge}\" y=\"4\" width=\"{}\" height=\"{}\" rx=\"5\"/>",
            GROUP.0, GROUP.1
        );
        for stop in 0..=local {
            // One switch in the middle, two or three spread over the group.
            let spread = f64::from(stop) - f64::from(local) / 2.0;
            let y = 4.0 + GROUP.1 / 2.0 + 15.0 * spread;
            if let Some((from_x, from_y)) = before {
                let path = if stop == 0 { &mut jumps } else { &mut hops };
                let _ = write!(path, "M{from_x} {from_y}L{x} {y}");
            }
            let _ = write!(dots, "<circle class=\"stop\" cx=\"{x}\" cy=\"{y}\" r=\"3.2\"/>");
            before = Some((x, y));
        }
    }
    let _ = writeln!(
        svg,
        "\n<path class=\"jump\" d=\"{jumps}\"/><path class=\"hop\" d=\"{hops}\"/>{dots}"
    );
    let percent = 100.0 * share;
    let _ = writeln!(
        svg,
        "<text x=\"4\" y=\"66\">{shape}</text><text x=\"100\" y=\"66\" class=\"end\">{percent:.1}%</text>\
         <rect class=\"k2\" x=\"4\" y=\"71\" width=\"{:.1}\" height=\"4\"/></g>",
        0.96 * percent
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_drawn_with_its_hops() {
        let mut of = [0.0; Shape::COUNT];
        let all = |head, mid, tail| Shape::new(head, mid, tail).unwrap();
        of[all(1, 2, 1).number()] = 0.75;
        of[all(0, 0, 0).number()] = 0.25;
        let svg = picture(&Shares { of, sampled: None }, "set A");
        assert!(svg.contains("set A with their shares of draws: 000 25.0%, 121 75.0%"));
        assert_eq!(svg.matches("class=\"pale\"").count(), 10);
        // Two global hops for each shape; switches are one more than all hops.
        let jumps = svg.split("class=\"jump\" d=\"").skip(1);
        assert!(
            jumps.clone().all(|path| path.split('"').next().unwrap().matches('M').count() == 2)
        );
        let stops: usize = Shape::all().map(|shape| usize::from(shape.hops()) + 1).sum();
        assert_eq!((jumps.count(), svg.matches("class=\"stop\"").count()), (12, stops));
        assert_eq!(svg.matches("</g>").count(), 12);
    }
}
