//! Fabrics of leaves, which have nodes, and spines, which have global links: what is said of their pairs is held
//! against walks that are listed here by definition, from cables alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_firmware_model::{DefaultRng, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::checked_fabric::{CheckedFabric, fabric_image};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::FabricFile;
use tvlb_generator::faults::{UpdatedTables, update, write_update};
use tvlb_generator::image::Images;
use tvlb_generator::pipeline::{self, GenerateSettings};
use tvlb_generator::policy::{Policies, Policy};
use tvlb_generator::tables::tables_of;
use tvlb_schema::{
    Dragonfly, FabricImage, FaultSet, LocalLink, Nodes, Onward, PerDecision, SwitchId, SwitchImage,
    VcScheme,
};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::{Existing, TableSet};
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::expected::fabric_mean;
use tvlb_verify::{VerifySettings, verify_tables};

/// A Dragonfly+ as its cables say it, switches by number.
#[derive(Clone)]
struct Plus {
    leaves: usize,
    spines: usize,
    groups: usize,
    spines_first: bool,
    /// Links within groups, each once.
    local: Vec<[usize; 2]>,
    /// Global links: a switch and its slot at either end.
    global: Vec<[(usize, usize); 2]>,
}

impl Plus {
    /// Groups of leaves that are all linked to all spines by `links` each; `cables` between every two groups go round the spines.
    fn new([leaves, spines, groups, cables, links]: [usize; 5], spines_first: bool) -> Self {
        let (local, global) = (Vec::new(), Vec::new());
        let mut plus = Self { leaves, spines, groups, spines_first, local, global };
        for group in 0..groups {
            for leaf in 0..leaves {
                for spine in 0..spines {
                    let link = [plus.leaf(group, leaf), plus.spine(group, spine)];
                    plus.local.extend((0..links).map(|_| link));
                }
            }
        }
        let mut laid = vec![0; groups];
        for _ in 0..cables {
            for low in 0..groups {
                for high in low + 1..groups {
                    let ends = [low, high].map(|group| {
                        let number = laid[group];
                        laid[group] += 1;
                        (plus.spine(group, number % spines), number / spines)
                    });
                    plus.global.push(ends);
                }
            }
        }
        plus
    }

    /// The small shapes: spines last and first, one link and two, one cable and two.
    fn small() -> [Self; 5] {
        [
            Self::new([2, 2, 5, 1, 1], false),
            Self::new([3, 2, 4, 1, 1], true),
            Self::new([2, 2, 4, 2, 2], true),
            Self::new([3, 3, 4, 2, 1], false),
            Self::new([2, 3, 5, 1, 2], false),
        ]
    }

    fn size(&self) -> usize {
        self.leaves + self.spines
    }

    fn leaf(&self, group: usize, leaf: usize) -> usize {
        group * self.size() + leaf + if self.spines_first { self.spines } else { 0 }
    }

    fn spine(&self, group: usize, spine: usize) -> usize {
        group * self.size() + spine + if self.spines_first { 0 } else { self.leaves }
    }

    fn all_leaves(&self) -> Vec<usize> {
        let of_group = |group| (0..self.leaves).map(move |leaf| self.leaf(group, leaf));
        (0..self.groups).flat_map(of_group).collect()
    }

    /// All ordered pairs of leaves.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let leaves = self.all_leaves();
        let all = leaves.iter().flat_map(|&from| leaves.iter().map(move |&to| [from, to]));
        all.filter(|[from, to]| from != to).collect()
    }

    fn group(&self, switch: usize) -> usize {
        switch / self.size()
    }

    fn is_linked(&self, one: usize, other: usize) -> bool {
        self.local.contains(&[one, other]) || self.local.contains(&[other, one])
    }

    /// The switches over which packets get from one switch of a group to another: none, one or two hops.
    fn ways(&self, from: usize, to: usize) -> Vec<Vec<usize>> {
        if from == to {
            return vec![vec![]];
        }
        if self.is_linked(from, to) {
            return vec![vec![to]];
        }
        let thirds = (0..self.groups * self.size())
            .filter(|&third| self.is_linked(from, third) && self.is_linked(third, to));
        thirds.map(|third| vec![third, to]).collect()
    }

    /// The global links from one group to another, as (leaves, arrives).
    fn links(&self, from: usize, to: usize) -> Vec<[usize; 2]> {
        let both =
            self.global.iter().flat_map(|&[(one, _), (other, _)]| [[one, other], [other, one]]);
        both.filter(|&[one, other]| self.group(one) == from && self.group(other) == to).collect()
    }

    /// The MIN paths between leaves of different groups, as switches after the first.
    fn minimal(&self, [from, to]: [usize; 2]) -> Vec<Vec<usize>> {
        let (own, there) = (self.group(from), self.group(to));
        if own == there {
            return self.ways(from, to);
        }
        let mut paths = Vec::new();
        for [leaves, arrives] in self.links(own, there) {
            for head in self.ways(from, leaves) {
                for tail in self.ways(arrives, to) {
                    paths.push([head.clone(), vec![arrives], tail].concat());
                }
            }
        }
        let direct = |path: &&Vec<usize>| path.len() <= 3;
        let few: Vec<Vec<usize>> = paths.iter().filter(direct).cloned().collect();
        if few.is_empty() { paths } else { few }
    }

    /// The VLB paths that visit no switch twice, each as often as there are links for it, with the local hops in the
    /// intermediate group.
    fn detours(&self, [from, to]: [usize; 2]) -> Vec<(Vec<usize>, usize)> {
        let mut paths = Vec::new();
        for middle in (0..self.groups).filter(|&k| k != self.group(from) && k != self.group(to)) {
            for [u, v] in self
                .links(self.group(from), middle)
                .into_iter()
                .filter(|&[u, _]| self.is_linked(from, u))
            {
                for [w, z] in self.links(middle, self.group(to)) {
                    if self.is_linked(z, to) {
                        for way in self.ways(v, w) {
                            let mid = way.len();
                            paths.push(([vec![u, v], way, vec![z, to]].concat(), mid));
                        }
                    }
                }
            }
        }
        paths
    }

    /// How many walks conventional VLB has: also those that go from where both links end to another switch, and back.
    fn conventional(&self, [from, to]: [usize; 2]) -> usize {
        if self.group(from) == self.group(to) {
            return self.ways(from, to).len();
        }
        let near =
            |switch| (0..self.groups * self.size()).filter(move |&one| self.is_linked(switch, one));
        let back =
            |(path, mid): &(Vec<usize>, usize)| if *mid == 0 { near(path[1]).count() } else { 0 };
        self.detours([from, to]).iter().map(|detour| 1 + back(detour)).sum()
    }

    /// Whether no packet gets from one leaf to another.
    fn is_cut(&self, pair: [usize; 2]) -> bool {
        self.minimal(pair).is_empty() && self.detours(pair).is_empty()
    }

    /// The fabric file, its cables and the list of nodes that are not there.
    fn fabric(&self) -> Fabric {
        let home = tempfile::tempdir().unwrap();
        let h = 1 + self.global.iter().flatten().map(|end| end.1).max().unwrap();
        let place = |switch: usize| (switch / self.size(), switch % self.size());
        let mut cables = "from_group,from_switch,from_port,to_group,to_switch,to_port\n".to_owned();
        for &[one, other] in &self.local {
            let ((g, i), (_, j)) = (place(one), place(other));
            writeln!(cables, "{g},{i},local,{g},{j},local").unwrap();
        }
        for &[one, other] in &self.global {
            let ((g, i), (k, j)) = (place(one.0), place(other.0));
            writeln!(cables, "{g},{i},{},{k},{j},{}", one.1, other.1).unwrap();
        }
        let mut names = "group,switch,port,name,physical\n".to_owned();
        let leaves = self.all_leaves();
        for spine in (0..self.groups * self.size()).filter(|switch| !leaves.contains(switch)) {
            let (group, index) = place(spine);
            writeln!(names, "{group},{index},node 0,,\n{group},{index},node 1,,").unwrap();
        }
        let (a, g) = (self.size(), self.groups);
        let file = format!(
            "name = \"plus\"\n[dragonfly]\np = 2\na = {a}\nh = {h}\ng = {g}\ncables = \"cables.csv\"\nnames = \"names.csv\"\n"
        );
        for (name, text) in [("fabric.toml", &file), ("cables.csv", &cables), ("names.csv", &names)]
        {
            fs::write(home.path().join(name), text).unwrap();
        }
        Fabric::load(&home.path().join("fabric.toml")).unwrap()
    }

    /// The same where a leaf-spine link, or a global link, or a spine is not there.
    fn without(&self, dead: &FaultSet) -> Self {
        let mut left = self.clone();
        let size = self.size();
        let lives =
            |switch: usize| !dead.switches.contains(&SwitchId(u16::try_from(switch).unwrap()));
        left.local.retain(|&[one, other]| lives(one) && lives(other));
        for link in &dead.local_links {
            let low = usize::from(link.low.0);
            let pair = BTreeSet::from([low, low / size * size + usize::from(link.high.0)]);
            let dead = left.local.iter().position(|&ends| BTreeSet::from(ends) == pair);
            dead.map(|place| left.local.remove(place));
        }
        let h = 1 + self.global.iter().flatten().map(|end| end.1).max().unwrap();
        left.global.retain(|ends| {
            ends.iter().all(|&(switch, slot)| {
                let is_dead = |end: &tvlb_schema::End| {
                    let port = usize::from(end.port.0);
                    usize::from(end.group.0) * size + port / h == switch && port % h == slot
                };
                lives(switch) && !dead.cables.iter().any(is_dead)
            })
        });
        left
    }
}

fn policies(set: &str) -> GenerateSettings {
    let policy = Policy::from(parse_set(set, 1).unwrap());
    let policies = Some(Policies::Given(PerDecision::same(policy)));
    GenerateSettings { policies, ..GenerateSettings::default() }
}

/// The images of a fabric whose sets have every route.
fn images_of(fabric: &Fabric) -> Images {
    let all = PerDecision::same(Policy::from(parse_set("all", 1).unwrap()));
    tables_of(fabric, &all, &()).unwrap().images
}

/// The switches that boot from images.
fn booted<'i>(image: &FabricImage<'i>, images: &'i Images) -> Vec<Switch<'i>> {
    images.switches.iter().map(|bytes| Switch::boot_in(image, bytes).unwrap()).collect()
}

/// Numbers that look random.
fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap() % below
}

fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

#[test]
fn sets_are_counted_over_pairs_of_leaves() {
    for plus in Plus::small() {
        let fabric = plus.fabric();
        let counter = RouteCounter::new(&fabric.topology);
        for (set, mids) in
            [("only:101", vec![0]), ("only:121", vec![2]), ("6-hop by shape", vec![0, 2])]
        {
            let (mut routes, mut hops, mut pairs, mut drawing) = (0, 0.0, 0, 0);
            for pair in plus.pairs().into_iter().filter(|&[s, d]| plus.group(s) != plus.group(d)) {
                let mut found = BTreeMap::<usize, usize>::new();
                for (path, mid) in plus.detours(pair).iter().filter(|(_, mid)| mids.contains(mid)) {
                    let visited: BTreeSet<&usize> = path.iter().collect();
                    assert_eq!((visited.len(), path.len()), (path.len(), 4 + mid));
                    *found.entry(path.len()).or_default() += 1;
                }
                pairs += 1;
                routes += found.values().sum::<usize>();
                if !found.is_empty() {
                    // By shape each is drawn alike; the others have one.
                    drawing += 1;
                    hops += real(found.keys().sum()) / real(found.len());
                }
            }
            let mean = fabric_mean(&counter, &parse_set(set, 1).unwrap(), &()).unwrap();
            assert_eq!((mean.pairs, mean.pairs - mean.empty_pairs), (pairs, drawing), "{set}");
            let expected = real(routes) / real(usize::try_from(pairs).unwrap());
            assert!((mean.routes - expected).abs() < 1e-9, "{set}: {} {expected}", mean.routes);
            let expected = hops / real(usize::try_from(drawing).unwrap());
            assert!(mean.hops.is_none_or(|hops| (hops - expected).abs() < 1e-9), "{set}");
            assert_eq!(mean.hops.is_some(), drawing > 0);
        }
    }
}

/// The arrangement is the machine that a cable list and a list of nodes that are not there describe, and has its
/// images.
#[test]
fn the_arrangement_is_the_machine_of_its_lists() {
    for [leaves, spines, h, groups, links] in
        [[2, 2, 2, 5, 1], [3, 3, 2, 4, 1], [2, 3, 1, 4, 2], [4, 2, 4, 5, 1], [1, 1, 3, 4, 1]]
    {
        let mut plus = Plus::new([leaves, spines, groups, 0, links], false);
        let mut laid = vec![0; groups];
        for low in 0..groups {
            for high in low + 1..groups {
                for _ in 0..spines * h / (groups - 1) {
                    let ends = [low, high].map(|group| {
                        laid[group] += 1;
                        let turn = laid[group] - 1;
                        (plus.spine(group, turn % spines), turn / spines)
                    });
                    plus.global.push(ends);
                }
            }
        }
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("fabric.toml");
        let text = format!(
            "name = \"plus\"\n[dragonfly]\narrangement = \"dragonfly-plus\"\np = 2\nleaves = {leaves}\n\
             spines = {spines}\nh = {h}\ng = {groups}\nlocal-links = {links}\n"
        );
        fs::write(&file, text).unwrap();
        let (listed, arranged) = (plus.fabric(), Fabric::load(&file).unwrap());
        assert_eq!(arranged.topology, listed.topology);
        assert_eq!(arranged.names, listed.names);
        let made = FabricFile::parse(&arranged.file.to_string(), "").unwrap();
        assert_eq!(made, arranged.file);
        let images = |fabric: &Fabric, name: &str| {
            let target = home.path().join(name);
            pipeline::run(fabric, &policies("6-hop by shape"), &target, Existing::Refuse, &())
                .unwrap();
            let set = TableSet::open(&target).unwrap();
            let switches = set.switch_images(fabric.topology.dragonfly().switches()).unwrap();
            (set.fabric_image().unwrap(), switches)
        };
        assert_eq!(images(&arranged, "arranged"), images(&listed, "listed"));
    }
}

/// Tables are made, verified, and answer for pairs of leaves alone.
#[test]
fn tables_are_verified_over_pairs_of_leaves() {
    for (plus, set) in Plus::small().into_iter().zip([
        "all",
        "6-hop by shape",
        "only:121",
        "switches:2-3",
        "50% 6-hop by shape",
    ]) {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("tables");
        let fabric = plus.fabric();
        let (_, certificate) =
            pipeline::run(&fabric, &policies(set), &target, Existing::Refuse, &()).unwrap();
        let pairs = plus.pairs();
        assert_eq!(certificate.pairs, pairs.len() as u64, "{set}");
        assert_eq!(certificate.answers.min, pairs.len() as u64, "{set}");
        let min: usize = pairs.iter().map(|&pair| plus.minimal(pair).len()).sum();
        assert_eq!(certificate.min_walks, min as u64, "{set}");
        let vlb: usize = pairs.iter().map(|&pair| plus.conventional(pair)).sum();
        assert_eq!(certificate.vlb_walks, vlb as u64, "{set}");
        assert_eq!(certificate.answers.without_conventional, 0, "{set}");
        let walked = |scheme| {
            let all = &certificate.channels_by_scheme;
            all.iter().find(|channels| channels.scheme == scheme).unwrap().walked
        };
        assert_eq!((walked("MIN"), walked("VALn")), ([1, 1], [2, 2]));
        let needed = |scheme| {
            let all = &certificate.channels_by_scheme;
            all.iter().find(|channels| channels.scheme == scheme).unwrap().needed
        };
        assert_eq!((needed("MIN"), needed("PAR")), ([1, 1], [2, 2]));
    }
}

/// If packets go on by the cheapest link, two spines of which no leaf is linked to both included.
#[test]
fn tables_that_look_onward_are_verified() {
    let whole = Plus::new([3, 3, 4, 2, 1], false);
    let kept = |&[leaf, spine]: &[usize; 2]| leaf != 0 || spine == 3;
    let lacking = Plus { local: whole.local.iter().copied().filter(kept).collect(), ..whole };
    let lonely = Plus {
        local: lacking
            .local
            .iter()
            .copied()
            .filter(|&[leaf, spine]| spine != 5 || leaf == 2)
            .collect(),
        ..lacking.clone()
    };
    for plus in Plus::small().into_iter().chain([lacking, lonely]) {
        let cut = plus.pairs().into_iter().any(|pair| plus.is_cut(pair));
        let mut policy = Policy::from(parse_set("all by shape", 1).unwrap());
        policy.weighing.onward = Onward::Cheapest;
        let policies = Some(Policies::Given(PerDecision::same(policy)));
        let settings = GenerateSettings { policies, ..GenerateSettings::default() };
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("tables");
        let made = pipeline::run(&plus.fabric(), &settings, &target, Existing::Refuse, &());
        assert_eq!(made.is_err(), cut, "{:?}", made.err());
    }
}

impl Plus {
    /// The virtual channels of a path: one more after each turn from down to up, and from one global link to another.
    fn channels(&self, path: &[usize]) -> Vec<u8> {
        let is_leaf = |switch: usize| self.all_leaves().contains(&switch);
        let mut all = vec![0];
        for turn in path.windows(3) {
            let [from, at, to] = [turn[0], turn[1], turn[2]];
            let is_across = self.group(from) != self.group(at) && self.group(at) != self.group(to);
            let is_upward = is_leaf(at) && !is_leaf(to);
            all.push(all.last().unwrap() + u8::from(is_across || is_upward));
        }
        all
    }
}

/// The channels of all paths by definition form no cycle, by MIN one is enough, and the switches take them.
#[test]
fn up_and_down_need_two_channels() {
    for plus in Plus::small() {
        let fabric = plus.fabric();
        assert_eq!(fabric.virtual_channels(), VcScheme::UpDown);
        let images = images_of(&fabric);
        let image = FabricImage::decode(&images.fabric).unwrap();
        assert!(image.has_two_tiers());
        let switches = booted(&image, &images);
        let mut waits = BTreeSet::new();
        for pair @ [from, _] in plus.pairs() {
            let first = std::iter::once(from);
            let minimal = plus.minimal(pair).into_iter().map(|path| (path, 1));
            let detours = plus.detours(pair).into_iter().map(|(path, _)| (path, 2));
            for (path, most) in minimal.chain(detours) {
                let path: Vec<usize> = first.clone().chain(path).collect();
                let channels = plus.channels(&path);
                assert!(channels.iter().all(|&channel| channel < most), "{path:?}");
                let links: Vec<_> = path
                    .windows(2)
                    .zip(&channels)
                    .map(|(ends, &vc)| (ends[0], ends[1], vc))
                    .collect();
                waits.extend(links.windows(2).map(|two| (two[0], two[1])));
            }
            for (scheme, seed) in [(Scheme::Min, 1), (Scheme::Vlb, 1), (Scheme::Vlb, 2)] {
                let (path, taken) = sent(&switches, pair, scheme, seed);
                // A walk that comes back to a spine turns as any other.
                assert_eq!(taken, plus.channels(&path), "{path:?}");
            }
        }
        assert!(is_without_circle(waits));
    }
    // If groups do not consist of leaves and spines, as where nodes are at a spine, channels are ordered.
    let arranged =
        Fabric::new("flat", Dragonfly::new(1, 4, 2, 5).unwrap(), Arrangement::default(), 1);
    assert_eq!(arranged.unwrap().virtual_channels(), VcScheme::Ordered);
    let mut fabric = Plus::small()[0].fabric();
    fabric.topology = fabric.topology.with_ends(Nodes::from(&fabric.file.dragonfly).ends());
    assert_eq!(fabric.virtual_channels(), VcScheme::Ordered);
}

/// MIN paths are drawn alike, whether groups are known to be of two tiers or a link is missing.
#[test]
fn minimal_paths_are_drawn_alike() {
    let [.., whole, twice] = Plus::small();
    let lacking = Plus { local: whole.local[1..].to_vec(), ..whole.clone() };
    for plus in [whole, twice, lacking] {
        let images = images_of(&plus.fabric());
        let image = FabricImage::decode(&images.fabric).unwrap();
        let switches = booted(&image, &images);
        let last = *plus.all_leaves().last().unwrap();
        let pairs = plus.pairs().into_iter().filter(|&[from, to]| from == 0 || to == last);
        // Without a MIN path packets go by VLB.
        for pair in pairs.filter(|&pair| !plus.minimal(pair).is_empty()) {
            let mut drawn = BTreeMap::<Vec<usize>, u32>::new();
            for seed in 0..400 {
                *drawn
                    .entry(sent(&switches, pair, Scheme::Min, seed).0[1..].to_vec())
                    .or_default() += 1;
            }
            let minimal = plus.minimal(pair);
            let each = 400.0 / real(minimal.len());
            for (path, count) in &drawn {
                let expected = each * real(minimal.iter().filter(|one| *one == path).count());
                // Five standard deviations.
                let most = 5.0 * expected.sqrt();
                assert!((f64::from(*count) - expected).abs() < most, "{pair:?} {path:?}: {count}");
            }
            assert_eq!(drawn.keys().collect::<BTreeSet<_>>(), minimal.iter().collect());
        }
    }
}

/// So are conventional VLB paths, each of a triple of two links and a switch.
#[test]
fn conventional_paths_are_drawn_alike() {
    let [first, _, _, whole, twice] = Plus::small();
    let lacking = Plus { local: whole.local[1..].to_vec(), ..whole.clone() };
    for plus in [first, whole, twice, lacking] {
        let images = images_of(&plus.fabric());
        let image = FabricImage::decode(&images.fabric).unwrap();
        let switches = booted(&image, &images);
        let other = |&[from, to]: &[usize; 2]| plus.group(from) != plus.group(to);
        for pair @ [from, _] in plus.pairs().into_iter().filter(other).step_by(17) {
            let mut triples = BTreeMap::<Vec<usize>, u32>::new();
            for (path, mid) in plus.detours(pair) {
                // Over no leaf, there and back to each leaf, or over one.
                let [u, v] = [path[0], path[1]];
                *triples.entry(path.clone()).or_default() += 1;
                let near = plus.all_leaves().into_iter().filter(|&leaf| plus.is_linked(v, leaf));
                for leaf in near.filter(|_| mid == 0) {
                    *triples.entry([&[u, v, leaf, v], &path[2..]].concat()).or_default() += 1;
                }
            }
            let (draws, mut drawn) = (6000, BTreeMap::<Vec<usize>, u32>::new());
            for seed in 0..draws {
                *drawn
                    .entry(sent(&switches, pair, Scheme::Vlb, seed).0[1..].to_vec())
                    .or_default() += 1;
            }
            let each =
                f64::from(u32::try_from(draws).unwrap()) / f64::from(triples.values().sum::<u32>());
            for (path, &count) in &triples {
                let (expected, found) = (each * f64::from(count), drawn.remove(path).unwrap_or(0));
                let most = 5.0 * expected.sqrt();
                assert!(
                    (f64::from(found) - expected).abs() < most,
                    "{from} {path:?}: {found}, {expected}"
                );
            }
            assert!(drawn.is_empty(), "{pair:?} {drawn:?}");
        }
    }
}

/// In other wirings `up-down` is refused, by verification too if images contain it nevertheless.
#[test]
fn up_and_down_are_refused_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("flat.toml");
    let text = "name = \"flat\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n";
    fs::write(&file, format!("{text}[routing]\nvirtual-channels = \"up-down\"\n")).unwrap();
    let refused = Fabric::load(&file).unwrap_err().to_string();
    let rest = refused.strip_prefix(&file.display().to_string()).unwrap();
    assert_eq!(
        rest,
        ": routing.virtual-channels = \"up-down\", but that needs groups of leaves and spines: nodes at \
         switches without cables to other groups, and links within groups only between those and switches \
         without nodes; accepted here are ordered, per-hop and positional"
    );
    fs::write(&file, text).unwrap();
    let mut fabric = Fabric::load(&file).unwrap();
    fabric.file.virtual_channels = Some(VcScheme::UpDown);
    let target = home.path().join("tables");
    let found = pipeline::run(&fabric, &policies("all"), &target, Existing::Refuse, &());
    let found = found.unwrap_err().to_string();
    assert!(found.contains("virtual channel"), "{found}");
    assert!(!target.exists());
}

/// The switches that a packet visits, and the virtual channels of its hops.
fn sent(
    switches: &[Switch<'_>],
    [from, to]: [usize; 2],
    scheme: Scheme,
    seed: u64,
) -> (Vec<usize>, Vec<u8>) {
    let df = *switches[0].image().fabric().dragonfly();
    let node = df.node(SwitchId(u16::try_from(to).unwrap()), 0);
    let idle = vec![0_u32; df.radix() as usize];
    let mut rng = DefaultRng::seed_from_u64(seed + 7 * from as u64 + 1000 * to as u64);
    let paths = VlbPaths::Conventional;
    let mut step = switches[from].admit(node, scheme, paths, &idle[..], &mut rng).unwrap().step;
    let (mut path, mut channels) = (vec![from], Vec::new());
    while let Step::Send { port, virtual_channel, header } = step {
        let (group, index) = switches[*path.last().unwrap()].neighbour(port).unwrap();
        let next = df.switch(group, index).as_usize();
        path.push(next);
        channels.push(virtual_channel);
        step = switches[next].forward(header).unwrap();
    }
    assert_eq!(*path.last().unwrap(), to);
    (path, channels)
}

/// Whether what waits for each other can be put into an order.
fn is_without_circle<T: Copy + Ord>(mut waits: BTreeSet<(T, T)>) -> bool {
    loop {
        let held: BTreeSet<T> = waits.iter().map(|&(held, _)| held).collect();
        let before = waits.len();
        waits.retain(|(_, next)| held.contains(next));
        if waits.len() == before {
            return waits.is_empty();
        }
    }
}

/// Some parts die, and what is cut off, and whether anything is, are as by definition.
#[test]
fn faults_cut_pairs_of_leaves_alone() {
    let mut state = 1;
    for plus in Plus::small() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("tables");
        let fabric = plus.fabric();
        pipeline::run(&fabric, &policies("6-hop by shape"), &target, Existing::Refuse, &())
            .unwrap();
        let set = TableSet::open(&target).unwrap();
        let bytes = set.fabric_image().unwrap();
        let image = FabricImage::decode(&bytes).unwrap();
        let df = *image.dragonfly();
        let images = set.switch_images(df.switches()).unwrap();
        let images: Vec<_> =
            images.iter().map(|bytes| SwitchImage::decode(bytes, &image).unwrap()).collect();
        for number in 0..24 {
            let mut dead = FaultSet::default();
            for _ in 0..=random(&mut state, 5) {
                match random(&mut state, 5) {
                    0 => {
                        let spine = plus.spine(
                            random(&mut state, plus.groups),
                            random(&mut state, plus.spines),
                        );
                        dead.switches.insert(SwitchId(u16::try_from(spine).unwrap()));
                    }
                    1 | 2 => {
                        let cables = fabric.topology.cables();
                        dead.cables.insert(cables[random(&mut state, cables.len())].low);
                    }
                    _ => {
                        let [one, other] = plus.local[random(&mut state, plus.local.len())];
                        let [low, high] = [one.min(other), one.max(other)]
                            .map(|s| SwitchId(u16::try_from(s).unwrap()));
                        let number = u16::try_from(
                            dead.local_links
                                .iter()
                                .filter(|link| (link.low, link.high) == (low, df.place(high).1))
                                .count(),
                        )
                        .unwrap();
                        let (group, index) = df.place(low);
                        if u32::from(number)
                            < fabric.topology.links_within(group, index, df.place(high).1)
                        {
                            dead.local_links.insert(LocalLink {
                                low,
                                high: df.place(high).1,
                                number,
                            });
                        }
                    }
                }
            }
            let left = plus.without(&dead);
            let cut = plus.pairs().into_iter().filter(|&pair| left.is_cut(pair)).count() as u64;
            let nodes = fabric.nodes();
            let made = update((&image, &nodes), &images, (1, &dead), &()).unwrap();
            assert_eq!(made.loss.cut.count, cut, "{dead:?}");
            assert!(cut > 0 || made.loss.mend.is_none(), "{dead:?}");
            let lost = plus.pairs().into_iter().filter(|&pair| left.minimal(pair).is_empty());
            assert_eq!(made.loss.min.count, lost.count() as u64, "{dead:?}");
            let without = plus.pairs().into_iter().filter(|&[s, d]| plus.group(s) != plus.group(d));
            let without = without.filter(|&pair| left.detours(pair).is_empty()).count() as u64;
            assert_eq!(made.loss.sets.ugal_l.count, without, "{dead:?}");
            let tables =
                UpdatedTables { set: &set, plan: &image, names: &fabric.names, restored: &[] };
            let output = home.path().join(format!("update-{number}"));
            write_update(&output, &tables, (1, &dead), &made, &()).unwrap();
            let with = tvlb_verify::With { update: Some(&output), ..tvlb_verify::With::default() };
            let settings = VerifySettings { most_walks: 1 << 30, seed: 1 };
            let certificate = tvlb_verify::verify(&target, with, settings, &()).unwrap();
            assert_eq!(certificate.pairs, plus.pairs().len() as u64);
        }
    }
}

/// A leaf and a spine need neither a link nor a third switch; two leaves need a way.
#[test]
fn a_leaf_may_lack_a_spine() {
    let whole = Plus::new([3, 3, 4, 2, 1], false);
    // One cable is missing, and by design each leaf lacks a spine.
    let one = Plus { local: whole.local[1..].to_vec(), ..whole.clone() };
    let is_kept = |&&[leaf, spine]: &&[usize; 2]| leaf % 6 != spine % 6 - 3;
    let each =
        Plus { local: whole.local.iter().filter(is_kept).copied().collect(), ..whole.clone() };
    for plus in [one, each] {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("tables");
        let fabric = plus.fabric();
        assert!(plus.pairs().into_iter().all(|pair| !plus.is_cut(pair)));
        let (_, certificate) =
            pipeline::run(&fabric, &policies("all"), &target, Existing::Refuse, &()).unwrap();
        assert_eq!(certificate.pairs, plus.pairs().len() as u64);
        let settings = VerifySettings { most_walks: 1 << 30, seed: 1 };
        assert_eq!(verify_tables(&target, settings, &()).unwrap().pairs, certificate.pairs);
    }
    // The first leaf of a group keeps one spine alone, whose cables do not lead to every group.
    let far = |&&[leaf, spine]: &&[usize; 2]| leaf != 0 || spine == 3;
    let lonely = Plus { local: whole.local.iter().filter(far).copied().collect(), ..whole };
    let fabric = lonely.fabric();
    let image = fabric_image(&fabric.topology);
    let is_cut = lonely.pairs().into_iter().any(|pair| lonely.is_cut(pair));
    assert_eq!(CheckedFabric::new(&fabric, &image).is_err(), is_cut);
}
