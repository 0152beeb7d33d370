//! The throughput model against figures that do not come from this code: exact optima of an
//! independent implementation, and closed forms.

use serde::Deserialize;
use tvlb_schema::Dragonfly;
use tvlb_throughput::solve::Warm;
use tvlb_throughput::{Counting, Model, PathSet};
use tvlb_topology::Topology;
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_traffic::Flows;

#[expect(clippy::unwrap_used, reason = "sizes of tests are in range")]
fn absolute(p: u32, a: u32, h: u32, g: u32) -> Topology {
    arrange(Dragonfly::new(p, a, h, g).unwrap(), Arrangement::Absolute, 0).unwrap()
}

#[derive(Deserialize)]
struct Reference {
    values: Vec<ReferenceValue>,
}

#[derive(Deserialize)]
struct ReferenceValue {
    dg: u32,
    ds: u32,
    point: String,
    paths: String,
    x: f64,
}

#[test]
fn all_352_reference_values_are_met() {
    let text = include_str!("reference-2-4-2-9.json");
    let reference: Reference = serde_json::from_str(text).unwrap();
    assert_eq!(reference.values.len(), 352);
    let topology = absolute(2, 4, 2, 9);
    let mut by_triples = Model::new(&topology, Counting::Triples);
    let mut by_routes = Model::new(&topology, Counting::Routes);
    for value in reference.values {
        let model = match value.paths.as_str() {
            "triples" => &mut by_triples,
            "routes" => &mut by_routes,
            other => panic!("{other}"),
        };
        let set = match value.point.as_str() {
            "min" => "min",
            "3hop" => "3-hop",
            "4hop" => "4-hop",
            "5hop" => "5-hop",
            "all" => "all",
            "strategic23" => "strategic-2-3",
            "strategic32" => "strategic-3-2",
            other => panic!("{other}"),
        };
        let pattern = Flows::shift(topology.dragonfly(), value.dg, value.ds);
        let modelled = model
            .throughput(&pattern, &PathSet::parse(set, 0).unwrap(), &mut Warm::default())
            .unwrap();
        let found = modelled.solved.certified.value(1e-6).expect("certified to 1e-6");
        assert!(
            (found - value.x).abs() <= 1e-6,
            "{pattern}, {set}, {}: found {found}, reference {}",
            value.paths,
            value.x
        );
    }
}
