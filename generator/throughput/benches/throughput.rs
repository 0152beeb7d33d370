//! One pattern of the throughput model: building and solving an all-VLB program, which an even
//! split settles, and one that needs the interior-point method.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use tvlb_schema::Dragonfly;
use tvlb_throughput::solve::Warm;
use tvlb_throughput::{Counting, Model, PathSet};
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_traffic::Flows;

fn one_pattern(criterion: &mut Criterion) {
    for [p, a, h, g] in [[4, 8, 4, 9], [4, 8, 4, 17], [4, 8, 4, 33], [13, 26, 13, 27]] {
        let df = Dragonfly::new(p, a, h, g).expect("the sizes are in range");
        let topology = arrange(df, Arrangement::Absolute, 0).expect("the cables can be laid");
        let pattern = Flows::shift(&df, 2, 1);
        for text in ["all", "4-hop", "strategic-2-3"] {
            let set = PathSet::parse(text, 1).expect("the text is in the grammar");
            let mut model = Model::new(&topology, Counting::Triples);
            criterion.bench_function(&format!("dfly({p},{a},{h},{g}) {text}"), |bencher| {
                bencher.iter(|| {
                    let modelled = model.throughput(&pattern, &set, &mut Warm::default());
                    black_box(modelled.expect("every pair has a path"))
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = one_pattern
}
criterion_main!(benches);
