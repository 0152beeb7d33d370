//! Microseconds to write a fault image of 64 dead cables, and for a switch to take it, on a fabric of 702 and one of
//! 5,600 switches.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{FabricImage, FaultSet, encode_fabric_image, encode_fault_image};

const DEAD: usize = 64;

fn fault_images(criterion: &mut Criterion) {
    for name in ["dfly-13-26-13-27.toml", "machines/aurora-like.toml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables").join(name);
        let fabric = Fabric::load(&path).expect("the fabrics that we ship load");
        let cables: Vec<_> =
            fabric.topology.cables().iter().map(|cable| (cable.low, cable.high)).collect();
        let bytes = encode_fabric_image(fabric.topology.dragonfly(), &cables);
        let plan = FabricImage::decode(&bytes).expect("it was just written");
        let step = cables.len() / DEAD;
        let dead = cables.iter().step_by(step).take(DEAD).map(|&(low, _)| low);
        let faults = FaultSet { cables: dead.collect(), ..FaultSet::default() };
        let image = encode_fault_image(&plan, 1, &faults);
        let mut group = criterion.benchmark_group(format!("fault-image/{name}"));
        group.bench_function("write", |bencher| {
            bencher.iter(|| encode_fault_image(black_box(&plan), 1, black_box(&faults)));
        });
        group.bench_function("take", |bencher| {
            bencher.iter(|| {
                let mut fabric = plan;
                fabric.install_faults(black_box(&image)).map(|()| fabric.epoch())
            });
        });
        group.finish();
    }
}

criterion_group!(benches, fault_images);
criterion_main!(benches);
