//! Nanoseconds per source decision and per forward, on images of shipped fabrics.

use criterion::{Criterion, criterion_group, criterion_main};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hint::black_box;
use std::path::Path;
use tvlb_firmware_model::{Scheme, Step, Switch, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::Policy;
use tvlb_generator::tables::{Generated, tables_of};
use tvlb_schema::{NodeId, PerDecision};
use tvlb_table_set::grammar::parse_set;

const SETS: [&str; 4] = ["shapes:011", "strategic-2-3", "strategic-2-3 by shape", "all by shape"];

fn images(fabric: &str, set: &str) -> Generated {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables").join(fabric);
    let fabric = Fabric::load(&path).expect("the fabrics that we ship load");
    let rule = parse_set(set, 1).expect("the sets above are in the grammar");
    let policies = PerDecision::same(Policy::from(rule));
    tables_of(&fabric, &policies, &()).expect("every pair is reachable")
}

fn decisions(criterion: &mut Criterion) {
    for fabric in ["dfly-4-8-4-9.toml", "dfly-13-26-13-27.toml"] {
        let mut group = criterion.benchmark_group(format!("admit/{fabric}"));
        let mut one = |name: String, set: &str, scheme, paths| {
            let generated = images(fabric, set);
            let images = &generated.images;
            let switch = Switch::boot(&images.fabric, &images.switches[3]).expect("it boots");
            let nodes = switch.image().fabric().dragonfly().node_count();
            let credits = vec![1_u32; 64];
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            // Destinations from a cheap sequence, so that the draw itself is what is measured.
            let mut node = 0;
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    node = (node + 1_000_003) % nodes;
                    black_box(switch.admit(
                        NodeId(node),
                        scheme,
                        paths,
                        credits.as_slice(),
                        &mut rng,
                    ))
                });
            });
        };
        one("min".to_owned(), "min", Scheme::Min, VlbPaths::Custom);
        one("ugal-l conventional".to_owned(), "min", Scheme::UgalL, VlbPaths::Conventional);
        for set in SETS {
            one(format!("ugal-l {set}"), set, Scheme::UgalL, VlbPaths::Custom);
        }
    }
}

/// Forwards at a packet's second switch, over a thousand headers that arrive there.
fn forward(criterion: &mut Criterion) {
    let generated = images("dfly-4-8-4-9.toml", "strategic-2-3");
    let images = &generated.images;
    let boot = |n: usize| Switch::boot(&images.fabric, &images.switches[n]).expect("it boots");
    let (source, second) = (boot(3), boot(4));
    let df = *second.image().fabric().dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut headers = Vec::new();
    while headers.len() < 1000 {
        let node = NodeId(rng.next_u32() % df.node_count());
        let admission =
            source.admit(node, Scheme::Vlb, VlbPaths::Custom, [0_u32].as_slice(), &mut rng);
        if let Ok(Step::Send { port, header, .. }) = admission.map(|a| a.step)
            && source.neighbour(port) == Some((second.image().group(), second.image().index()))
        {
            headers.push(header);
        }
    }
    let mut next = 0;
    criterion.bench_function("forward", |bencher| {
        bencher.iter(|| {
            next = (next + 1) % headers.len();
            black_box(second.forward(headers[next]))
        });
    });
}

criterion_group!(benches, decisions, forward);
criterion_main!(benches);
