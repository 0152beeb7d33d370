//! Cable lists of fabrics of several kinds of groups.

use crate::scratch::Scratch;
use std::path::Path;
use tvlb_generator::fabric_file::FabricFile;
use tvlb_schema::GroupId;
use tvlb_topology::cable_list;
use tvlb_topology::in_turn::lay_between;

/// The links that the fabric files of machines state in their comments are those of their cable lists.
#[test]
fn machines_that_we_ship_have_the_links_that_they_state() {
    let machines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tables/machines");
    for name in ["aurora-like", "frontier-like", "lumi-like", "small-lumi-like"] {
        let scratch = Scratch::with_shipped(&format!("machines/{name}.toml"));
        let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
        let links = text.lines().find_map(|line| line.strip_prefix("#   ")).unwrap();
        let list = std::fs::read_to_string(machines.join(name).with_extension("csv")).unwrap();
        assert!(cables_between(&scratch, links) == list, "{name}");
    }
}

/// A cable list for `fabric.toml` with so many links between groups of each two kinds, as in
/// `compute,compute=2 compute,storage=1`.
pub(crate) fn cables_between(scratch: &Scratch, links: &str) -> String {
    let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let file = FabricFile::parse(&text, "fabric.toml").unwrap();
    let (names, kinds) = (&file.kind_names, file.kinds_of_groups());
    let between = |one: GroupId, other: GroupId| -> u32 {
        let [one, other] = [one, other].map(|group| &names[kinds[group.as_usize()]]);
        let pairs = [format!("{one},{other}"), format!("{other},{one}")];
        let mut links = links.split_whitespace().filter_map(|part| part.split_once('='));
        links.find(|(pair, _)| pairs.iter().any(|known| known == pair)).unwrap().1.parse().unwrap()
    };
    cable_list::write(&lay_between(file.dragonfly, between))
}
