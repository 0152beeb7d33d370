//! The kinds of damage, by a seeded hand.

use crate::mutation::{Base, FABRIC, Files, MANIFEST, Rng};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;
use tvlb_schema::{
    Candidates, Decision, DrawRule, FabricImage, Gate, LegHops, Level, MinCandidate, SetContents,
    SetRule, Shape, ShapeSet, SwitchContents, SwitchId, SwitchImage, VcScheme, encode_switch_image,
};

/// Damages the files of a table set.
pub(crate) type Mutator = fn(&mut Files, &Base, &mut Rng);

/// What is changed where only a digest, or a search over routes, can tell.
pub(crate) const LEVEL: &str = "a thinning level changed";
pub(crate) const LEVELS: &str = "all thinning levels of a switch changed";
pub(crate) const PRESENCE: &str = "shapes of destinations changed";

pub(crate) const KINDS: [(&str, Mutator); 18] = [
    ("a bit flipped", flip_a_bit),
    ("a byte changed", change_a_byte),
    ("several bits flipped", flip_bits),
    ("a run of zeros", zero_a_run),
    ("bytes taken out", take_out),
    ("bytes put in", put_in),
    ("cut short", cut_short),
    ("images swapped", swap_images),
    ("a part of another image", splice),
    ("an image of another set", from_another_set),
    ("an image of another fabric", from_another_fabric),
    ("a file missing or too many", add_or_remove),
    ("an image that means something else", change_meaning),
    (LEVEL, change_a_level),
    (LEVELS, change_all_levels),
    (PRESENCE, change_presence),
    ("a byte of the manifest changed", change_manifest_text),
    ("a value of the manifest changed", change_manifest_value),
];

/// Any image of a table set; as often the fabric image as one of the switches.
fn any_image(files: &Files, rng: &mut Rng) -> String {
    if rng.random_bool(0.5) { FABRIC.to_owned() } else { any_switch(files, rng) }
}

fn any_switch(files: &Files, rng: &mut Rng) -> String {
    let names: Vec<&String> = files.keys().filter(|name| name.contains('/')).collect();
    (*names.choose(rng).unwrap()).clone()
}

fn edit(files: &mut Files, rng: &mut Rng, change: impl FnOnce(&mut Vec<u8>, &mut Rng)) {
    let name = any_image(files, rng);
    change(files.get_mut(&name).unwrap(), rng);
}

fn flip_a_bit(files: &mut Files, _: &Base, rng: &mut Rng) {
    edit(files, rng, |bytes, rng| {
        let bit = rng.random_range(0..8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
    });
}

fn change_a_byte(files: &mut Files, _: &Base, rng: &mut Rng) {
    edit(files, rng, |bytes, rng| {
        let place = rng.random_range(0..bytes.len());
        bytes[place] ^= rng.random_range(1..=u8::MAX);
    });
}

fn flip_bits(files: &mut Files, base: &Base, rng: &mut Rng) {
    for _ in 0..rng.random_range(2..9) {
        flip_a_bit(files, base, rng);
    }
}

fn zero_a_run(files: &mut Files, _: &Base, rng: &mut Rng) {
    edit(files, rng, |bytes, rng| {
        let from = rng.random_range(0..bytes.len());
        let to = (from + rng.random_range(1..17)).min(bytes.len());
        bytes[from..to].fill(0);
    });
}

fn take_out(files: &mut Files, _: &Base, rng: &mut Rng) {
    edit(files, rng, |bytes, rng| {
        let from = rng.random_range(0..bytes.len());
        let to = (from + rng.random_range(1..9)).min(bytes.len());
        bytes.drain(from..to);
    });
}

fn put_in(files: &mut Files, _: &Base, rng: &mut Rng) {
    edit(files, rng, |bytes, rng| {
        for _ in 0..rng.random_range(1..9) {
            let place = rng.random_range(0..=bytes.len());
            bytes.insert(place, rng.random_range(0..=u8::MAX));
        }
    });
}

fn cut_short(files: &mut Files, _: &Base, rng: &mut Rng) {
    edit(files, rng, |bytes, rng| bytes.truncate(rng.random_range(0..bytes.len())));
}

fn swap_images(files: &mut Files, _: &Base, rng: &mut Rng) {
    let (one, other) = (any_image(files, rng), any_switch(files, rng));
    let bytes = files[&one].clone();
    let bytes = files.insert(other, bytes).unwrap();
    files.insert(one, bytes);
}

fn splice(files: &mut Files, _: &Base, rng: &mut Rng) {
    let (one, other) = (any_switch(files, rng), any_switch(files, rng));
    let other = files[&other].clone();
    let bytes = files.get_mut(&one).unwrap();
    let from = rng.random_range(0..bytes.len().min(other.len()));
    let to = (from + rng.random_range(1..65)).min(bytes.len()).min(other.len());
    bytes[from..to].copy_from_slice(&other[from..to]);
}

fn from_another_set(files: &mut Files, base: &Base, rng: &mut Rng) {
    let name = any_switch(files, rng);
    let bytes = base.another_set[&name].clone();
    files.insert(name, bytes);
}

fn from_another_fabric(files: &mut Files, base: &Base, rng: &mut Rng) {
    let name = any_image(files, rng);
    let bytes = base.another_fabric[&name].clone();
    files.insert(name, bytes);
}

fn add_or_remove(files: &mut Files, _: &Base, rng: &mut Rng) {
    let name = any_image(files, rng);
    if rng.random_bool(0.5) {
        files.remove(&name);
    } else {
        let bytes = files[&name].clone();
        let name = ["fabric.tvlb.orig", "switches/99999.tvlb", "switches/0.tvlb", "core"];
        files.insert((*name.choose(rng).unwrap()).to_owned(), bytes);
    }
}

/// What a switch image says, in the encoder's own terms.
pub(crate) fn contents(image: &SwitchImage<'_>) -> SwitchContents {
    let numbers = Decision::ALL.map(|decision| image.set_number(decision));
    let sets = (0..image.set_count()).map(|number| {
        let user = Decision::ALL.into_iter().zip(numbers).find(|(_, used)| *used == number);
        let set = image.set(user.unwrap().0);
        let df = image.fabric().dragonfly();
        let by_shape = set.rule().is_by_shape();
        SetContents {
            rule: *set.rule(),
            shapes_to: df.switches().filter(|_| by_shape).map(|to| set.shapes_to(to)).collect(),
            levels: df
                .global_ports()
                .filter(|_| set.is_thinned())
                .map(|port| set.level(port))
                .collect(),
        }
    });
    let of = |decision: Decision| {
        (u8::try_from(image.set_number(decision)).unwrap(), *image.weighing(decision))
    };
    SwitchContents {
        switch: image.switch(),
        virtual_channels: image.virtual_channels(),
        decisions: tvlb_schema::PerDecision {
            ugal_l: of(Decision::UgalL),
            par_source: of(Decision::ParSource),
            par_second: of(Decision::ParSecond),
        },
        second_min: image.second_min(),
        sets: sets.collect(),
        physical_numbers: Vec::new(),
    }
}

/// A whole and sound image that says something else.
fn change_meaning(files: &mut Files, _: &Base, rng: &mut Rng) {
    let fabric_bytes = files[FABRIC].clone();
    let fabric = FabricImage::decode(&fabric_bytes).unwrap();
    let name = any_switch(files, rng);
    let mut contents = contents(&SwitchImage::decode(&files[&name], &fabric).unwrap());
    let set = rng.random_range(0..contents.sets.len());
    match rng.random_range(0..10) {
        0 => {
            let number = u32::from(contents.switch.0) + rng.random_range(1..5);
            let number = number % fabric.dragonfly().switch_count();
            contents.switch = SwitchId(u16::try_from(number).unwrap());
        }
        1 => {
            let all = [VcScheme::Ordered, VcScheme::PerHop, VcScheme::Positional];
            contents.virtual_channels = *all.choose(rng).unwrap();
        }
        2 => contents.decisions.par_source.1.threshold = rng.random_range(-9..9),
        3 => contents.sets[set].rule.seed ^= 1 << rng.random_range(0..64),
        4 if !contents.sets[set].shapes_to.is_empty() => {
            // Of sets drawn by shape alone: one shape to one switch more or less.
            let shapes = ShapeSet::only(Shape::from_number(rng.random_range(0..12)).unwrap());
            let kept = contents.sets[set].rule.shapes();
            let count = contents.sets[set].shapes_to.len();
            let to = &mut contents.sets[set].shapes_to[rng.random_range(0..count)];
            let without = to.without(shapes);
            *to = if without == *to { to.or(shapes).and(kept) } else { without };
        }
        5 => contents.second_min = *MinCandidate::ALL.choose(rng).unwrap(),
        6 => {
            let (min, vlb) = (rng.random_range(1..9), rng.random_range(1..9));
            contents.decisions.ugal_l.1.candidates = Candidates::new(min, vlb).unwrap();
        }
        7 => contents.decisions.par_second.1.gate = Gate::of_sixteenths(rng.random()),
        8 => {
            // Conventional VLB has neither levels nor presence.
            let rule = SetRule { seed: contents.sets[set].rule.seed, ..SetRule::conventional() };
            contents.sets[set] = SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() };
        }
        _ => {
            let rule = &mut contents.sets[set].rule;
            let shape = rng.random_range(0..Shape::COUNT);
            if let DrawRule::ByShape { weights } = &mut rule.draw
                && weights[shape] > 0
            {
                weights[shape] = weights[shape] % 100 + 1;
            } else if let DrawRule::BySwitch { legs, returns } = rule.draw {
                let others = [(2, 2), (2, 3), (3, 2), (3, 3)];
                let (first, second) = *others.choose(rng).unwrap();
                let other = LegHops::within(first, second).unwrap();
                let (legs, returns) =
                    if rng.random_bool(0.5) { (other, returns) } else { (legs, !returns) };
                *rule = SetRule { seed: rule.seed, ..SetRule::by_switch(legs, returns) };
            } else {
                rule.seed = rule.seed.wrapping_add(1);
            }
        }
    }
    files.insert(name, encode_switch_image(&fabric, &contents));
}

/// Changes one set of a switch's image.
fn change_set(files: &mut Files, rng: &mut Rng, change: impl FnOnce(&mut SetContents, &mut Rng)) {
    let fabric_bytes = files[FABRIC].clone();
    let fabric = FabricImage::decode(&fabric_bytes).unwrap();
    let name = any_switch(files, rng);
    let mut contents = contents(&SwitchImage::decode(&files[&name], &fabric).unwrap());
    let set = rng.random_range(0..contents.sets.len());
    if !contents.sets[set].rule.is_of_routes() {
        // Such a set has neither levels nor presence.
        return;
    }
    if contents.sets[set].levels.is_empty() {
        let ports = fabric.dragonfly().ports_per_group() as usize;
        contents.sets[set].levels = vec![Level::ALL; ports];
    }
    change(&mut contents.sets[set], rng);
    files.insert(name, encode_switch_image(&fabric, &contents));
}

fn any_level(rng: &mut Rng) -> Level {
    Level::new(rng.random_range(3..=15)).unwrap()
}

fn change_a_level(files: &mut Files, _: &Base, rng: &mut Rng) {
    change_set(files, rng, |set, rng| {
        let port = rng.random_range(0..set.levels.len());
        set.levels[port] = any_level(rng);
    });
}

fn change_all_levels(files: &mut Files, _: &Base, rng: &mut Rng) {
    change_set(files, rng, |set, rng| {
        let alike = any_level(rng);
        let each = rng.random_bool(0.5);
        set.levels.iter_mut().for_each(|level| *level = if each { any_level(rng) } else { alike });
    });
}

/// Of a set drawn by shape: of one destination, or of all, some shape more or less, all or none.
fn change_presence(files: &mut Files, _: &Base, rng: &mut Rng) {
    change_set(files, rng, |set, rng| {
        if set.shapes_to.is_empty() {
            return;
        }
        let kept = set.rule.shapes();
        let one = ShapeSet::only(kept.nth(rng.random_range(0..kept.len())).unwrap());
        let kind = rng.random_range(0..4);
        let changed = |shapes: ShapeSet| match kind {
            0 => ShapeSet::EMPTY,
            1 => kept,
            2 => shapes.without(one),
            _ => shapes.or(one),
        };
        if rng.random_bool(0.5) {
            set.shapes_to.iter_mut().for_each(|shapes| *shapes = changed(*shapes));
        } else {
            let to = rng.random_range(0..set.shapes_to.len());
            set.shapes_to[to] = changed(set.shapes_to[to]);
        }
    });
}

fn change_manifest_text(files: &mut Files, _: &Base, rng: &mut Rng) {
    let bytes = files.get_mut(MANIFEST).unwrap();
    let place = rng.random_range(0..bytes.len());
    match rng.random_range(0..3) {
        0 => bytes[place] = rng.random_range(b' '..=b'~'),
        1 => drop(bytes.remove(place)),
        _ => bytes.truncate(place),
    }
}

/// Every number, text and truth in a value, by its place.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| leaves(value, &format!("{at}/{key}"), found));
        }
        Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.for_each(|(key, value)| leaves(value, &format!("{at}/{key}"), found));
        }
        _ => found.push(at.to_owned()),
    }
}

fn change_manifest_value(files: &mut Files, _: &Base, rng: &mut Rng) {
    let mut manifest: Value = serde_json::from_slice(&files[MANIFEST]).unwrap();
    let mut places = Vec::new();
    leaves(&manifest, "", &mut places);
    let value = manifest.pointer_mut(places.choose(rng).unwrap()).unwrap();
    *value = match value.clone() {
        Value::String(text) => {
            let mut letters: Vec<char> = text.chars().collect();
            let place = rng.random_range(0..letters.len());
            letters[place] = *['0', '1', 'a', 'b', '.', '/'].choose(rng).unwrap();
            Value::String(letters.into_iter().collect())
        }
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Number(number) => match number.as_i64() {
            Some(number) => (number + [-1, 1, 2, 256].choose(rng).unwrap()).into(),
            None => (number.as_f64().unwrap() + 0.001).into(),
        },
        _ => 1.into(),
    };
    files.insert(MANIFEST.to_owned(), serde_json::to_vec_pretty(&manifest).unwrap());
}
