//! The simulator's speed: 500 cycles of networks that are already full, for each scheme.
#![allow(clippy::unwrap_used, reason = "a test program")]

#[path = "../src/test_images.rs"]
mod test_images;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use test_images::{Images, absolute_images};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::ShapeSet;
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, Run, Settings};
use tvlb_traffic::Traffic;

const CYCLES: u32 = 500;

fn cycles(criterion: &mut Criterion) {
    let Images { fabric, switches } = absolute_images(4, 8, 4, 33, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut group = criterion.benchmark_group("dfly(4,8,4,33)");
    group.sample_size(10);
    group.throughput(Throughput::Elements(CYCLES.into()));
    for (scheme, pattern, load) in [
        (Scheme::Min, "uniform", 0.1),
        (Scheme::Min, "uniform", 0.3),
        (Scheme::UgalL, "uniform", 0.3),
        (Scheme::UgalL, "shift(2,0)", 0.2),
        (Scheme::Par, "shift(2,0)", 0.2),
        (Scheme::UgalG, "shift(2,0)", 0.2),
    ] {
        let settings = Settings::new(scheme, VlbPaths::Conventional);
        let traffic = Traffic::new(&pattern.parse().unwrap(), fabric.dragonfly(), 1).unwrap();
        let mut run = Run::new(&fabric, &settings, &traffic, load, 1).unwrap();
        run.advance(2000).unwrap();
        group.bench_function(format!("{} {pattern} at {load}", scheme.name()), |bencher| {
            bencher.iter(|| run.advance(CYCLES).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, cycles);
criterion_main!(benches);
