//! A small fabric whose sizes, cables, sets and thresholds come from the fuzzer's input.

use crate::mended;
use arbitrary::Arbitrary;
use tvlb_firmware_model::Switch;
use tvlb_schema::{
    Candidates, Decision, Dragonfly, DrawRule, End, FabricImage, Gate, GlobalPort, GroupId,
    GroupKind, Keep, LegHops, Level, MinCandidate, Onward, PerDecision, Queue, SetContents,
    SetRule, Shape, ShapeSet, SwitchContents, SwitchId, VcScheme, Weighing, encode_fabric_image,
    encode_switch_image,
};

/// What a fabric and its tables are made of. Every value makes some fabric.
#[derive(Arbitrary, Debug)]
pub struct Plan {
    sizes: [u8; 4],
    /// Decides which ports cables use, which levels thin, and whether some groups are of another kind.
    seed: u64,
    /// Two groups and how many cables join them, as long as they have ports.
    cables: Vec<(u8, u8, u8)>,
    /// By decision the set, T, candidates and gate.
    decisions: [(u8, i16, u8, u8); 3],
    sets: Vec<Set>,
    virtual_channels: u8,
    second_min: u8,
}

#[derive(Arbitrary, Debug)]
struct Set {
    /// By shape, in parts of 65 536.
    keep: [u16; Shape::COUNT],
    /// By shape; none for a set that is drawn by route.
    weights: Option<[u16; Shape::COUNT]>,
    /// Bits of leg hops, and whether walks come back, for a set of intermediate switches.
    switches: Option<(u8, u8)>,
    seed: u64,
    /// The lowest level, for a set that is thinned.
    level: Option<u8>,
    /// The image says of every pair that it has every shape.
    lies: bool,
}

impl Set {
    fn rule(&self) -> SetRule {
        if let Some((legs, returns)) = self.switches
            && let Some(legs) = LegHops::from_bits(u16::from(legs) | u16::from(returns & 2) << 7)
        {
            return SetRule { seed: self.seed, ..SetRule::by_switch(legs, returns & 1 == 1) };
        }
        let keep = self.keep.map(|parts| {
            // One shape in some is left out; the rest keep anything from a hundredth to all.
            let parts = (u32::from(parts) * 13_000 >> 16) as u16;
            Keep::new(parts.min(10_000)).unwrap_or(Keep::NONE)
        });
        let weighted = |weights: &[u16; Shape::COUNT]| {
            let mut weights = *weights;
            for (weight, keep) in weights.iter_mut().zip(keep) {
                *weight = if keep == Keep::NONE { 0 } else { (*weight).max(1) };
            }
            DrawRule::ByShape { weights }
        };
        let draw = self.weights.as_ref().map_or(DrawRule::ByRoute, weighted);
        SetRule { keep, draw, seed: self.seed }
    }

    fn levels(&self, df: &Dragonfly, seed: u64) -> Vec<Level> {
        // A set of intermediate switches cannot be thinned.
        let by_switch = matches!(self.rule().draw, DrawRule::BySwitch { .. });
        let Some(least) = self.level.filter(|_| !by_switch) else { return Vec::new() };
        let least = 3 + u64::from(least) % 13;
        let ports = df.global_ports().map(|port| {
            let level = least + mixed(seed ^ u64::from(port.0)) % (16 - least);
            Level::new(level as u8).expect("it is 3 to 15")
        });
        ports.collect()
    }
}

/// `SplitMix64`'s finaliser (Steele, Lea and Flood, 2014).
fn mixed(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A fabric with its image; switch images are written when they are asked for.
#[derive(Debug)]
pub struct Own {
    plan: Plan,
    pub dragonfly: Dragonfly,
    pub image: Vec<u8>,
    pub virtual_channels: VcScheme,
    /// By pair of groups, whether a cable joins them.
    joined: Vec<Vec<bool>>,
}

impl Own {
    pub fn new(plan: Plan) -> Self {
        let [p, a, h, g] = plan.sizes.map(u32::from);
        let (p, a, h) = (1 + p % 3, 1 + a % 5, 1 + h % 5);
        let g = 2 + g % 6.min(a * h);
        let equal = Dragonfly::new(p, a, h, g).expect("the sizes are in range");
        let dragonfly = Self::of_two_kinds(plan.seed, &equal).unwrap_or(equal);
        let g = dragonfly.g();

        let mut free: Vec<Vec<GlobalPort>> = dragonfly
            .group_numbers()
            .map(|group| {
                let has = |port: &_| dragonfly.has_global_port_of(group, *port);
                let mut ports: Vec<GlobalPort> = dragonfly.global_ports().filter(has).collect();
                ports.sort_by_key(|p| mixed(plan.seed ^ u64::from(group.0) << 16 ^ u64::from(p.0)));
                ports
            })
            .collect();
        let mut joined = vec![vec![false; g as usize]; g as usize];
        let mut cables = Vec::new();
        for &(one, other, count) in &plan.cables {
            let (one, other) = (usize::from(one) % g as usize, usize::from(other) % g as usize);
            for _ in 0..=count % 8 {
                if one == other || free[one].is_empty() || free[other].is_empty() {
                    break;
                }
                let mut end = |group: usize| End {
                    group: GroupId(group as u16),
                    port: free[group].pop().expect("it has free ports"),
                };
                cables.push((end(one), end(other)));
                joined[one][other] = true;
                joined[other][one] = true;
            }
        }
        let image = encode_fabric_image(&dragonfly, &cables);
        let virtual_channels = VcScheme::ALL[usize::from(plan.virtual_channels) % VcScheme::ALL.len()];
        Self { plan, dragonfly, image, virtual_channels, joined }
    }

    /// The same with one to three groups more of another kind, or before the others, for every other
    /// seed; none where that is more than a fabric may have.
    fn of_two_kinds(seed: u64, equal: &Dragonfly) -> Option<Dragonfly> {
        let drawn = mixed(seed ^ 0x6b69_6e64);
        if drawn & 1 == 0 {
            return None;
        }
        let size = |shift: u64, least: u64, count: u64| (least + (drawn >> shift) % count) as u16;
        let g = size(32, 1, 3);
        let other = match size(16, 0, 6) {
            0 => GroupKind::absent(g),
            a => GroupKind::new(size(8, 0, 4), a, size(24, 1, 5), g),
        };
        let own = equal.kinds().next()?;
        let kinds = if drawn & 2 == 0 { [own, other] } else { [other, own] };
        Dragonfly::of_kinds(&kinds).ok()
    }

    /// Whether there is any path between two switches.
    pub fn reaches(&self, from: SwitchId, to: SwitchId) -> bool {
        let group = |switch| usize::from(self.dragonfly.place(switch).0.0);
        let (from, to) = (group(from), group(to));
        let joined = &self.joined;
        from == to
            || joined[from][to]
            || (0..joined.len()).any(|third| joined[from][third] && joined[third][to])
    }

    /// The image of a switch, with some bytes changed by exclusive or, and with a checksum that
    /// holds.
    pub fn switch_image(&self, switch: SwitchId, damage: &[(u16, u8)]) -> Vec<u8> {
        let mut image = self.undamaged(switch);
        let payload = 20..image.len() - 4;
        for &(at, bits) in damage {
            image[payload.start + usize::from(at) % payload.len()] ^= bits;
        }
        mended(&mut image);
        image
    }

    fn undamaged(&self, switch: SwitchId) -> Vec<u8> {
        let df = &self.dragonfly;
        let fabric = FabricImage::decode(&self.image).expect("it was encoded");
        let by_default = [Set {
            keep: [u16::MAX; Shape::COUNT],
            weights: None,
            switches: None,
            seed: 0,
            level: None,
            lies: false,
        }];
        let given = if self.plan.sets.is_empty() { &by_default } else { &self.plan.sets[..] };
        let given = &given[..given.len().min(3)];
        let contents_of = |set: &Set| {
            let seed = mixed(self.plan.seed ^ u64::from(switch.0) << 40);
            let (rule, levels) = (set.rule(), set.levels(df, seed));
            let shapes_to = match rule.draw {
                DrawRule::ByRoute | DrawRule::BySwitch { .. } | DrawRule::ByTriple => Vec::new(),
                DrawRule::ByShape { .. } if set.lies => {
                    vec![rule.shapes(); df.switch_numbers() as usize]
                }
                DrawRule::ByShape { .. } => self.shapes_to(&fabric, switch, rule, &levels),
            };
            SetContents { rule, levels, shapes_to }
        };
        let sets: Vec<SetContents> = given.iter().map(contents_of).collect();
        let decisions = self.plan.decisions.map(|(set, threshold, candidates, sixteenths)| {
            let candidates = Candidates::new(1 + (candidates >> 3 & 7), 1 + (candidates & 7));
            let candidates = candidates.expect("both numbers are 1 to 8");
            let gate = Gate::of_sixteenths(sixteenths);
            let queue = Queue::ALL[usize::from(set >> 7)];
            let onward = Onward::ALL[usize::from(set >> 6 & 1)];
            (set % sets.len() as u8, Weighing { threshold, candidates, gate, queue, onward })
        });
        let [ugal_l, par_source, par_second] = decisions;
        let contents = SwitchContents {
            switch,
            virtual_channels: self.virtual_channels,
            decisions: PerDecision { ugal_l, par_source, par_second },
            second_min: MinCandidate::ALL[usize::from(self.plan.second_min) % 3],
            sets,
            physical_numbers: Vec::new(),
        };
        encode_switch_image(&fabric, &contents)
    }

    /// Of which shapes each destination has a kept route, by listing the routes of the same rule
    /// drawn by route.
    fn shapes_to(
        &self,
        fabric: &FabricImage<'_>,
        switch: SwitchId,
        rule: SetRule,
        levels: &[Level],
    ) -> Vec<ShapeSet> {
        let rule = SetRule { draw: DrawRule::ByRoute, ..rule };
        let set = SetContents { rule, levels: levels.to_vec(), shapes_to: Vec::new() };
        let contents = SwitchContents {
            switch,
            virtual_channels: self.virtual_channels,
            decisions: PerDecision::same((0, Weighing::default())),
            second_min: MinCandidate::Kept,
            sets: vec![set],
            physical_numbers: Vec::new(),
        };
        let image = encode_switch_image(fabric, &contents);
        let switch = Switch::boot_in(fabric, &image).expect("it was encoded");
        let df = &self.dragonfly;
        let numbers = (0..df.switch_numbers()).map(|number| SwitchId(number as u16));
        let shapes = numbers.map(|destination| {
            let mut shapes = ShapeSet::EMPTY;
            if !df.has_switch(destination) {
                return shapes;
            }
            switch.for_each_route(Decision::UgalL, destination, |_, shape| {
                shapes = shapes.or(ShapeSet::only(shape));
            });
            shapes
        });
        shapes.collect()
    }
}
