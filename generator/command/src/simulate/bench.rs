//! The simulator's own speed: cycles and flit-hops per second, of processor time on one thread, of elapsed time on
//! several.

use crate::failure::{Failure, Outcome};
use crate::output::print;
use std::time::Instant;
use tvlb_simulator::{Run, Study};
use tvlb_traffic::Traffic;

/// Cycles before the clock starts, until the network has filled up.
const FILL: u32 = 2000;

/// Measures each load with the first seed, one after the other.
pub(super) fn run(study: &Study<'_>, loads: &[f64], cycles: u32) -> Outcome {
    print(&format_args!(
        "{:>8} {:>10} {:>12} {:>14} {:>14}\n",
        "load", "seconds", "cycles/s", "flit-hops/s", "bytes/switch"
    ))?;
    let seed = study.seeds.first().copied().unwrap_or(1);
    let nodes = study.fabric.nodes();
    let placement = study.placement.on(nodes, seed).map_err(Failure::of)?;
    let traffic = Traffic::new(study.pattern, nodes, seed).map_err(Failure::of)?.placed(&placement);
    for &load in loads {
        let mut run =
            Run::new(study.fabric, study.settings, &traffic, load, seed).map_err(Failure::of)?;
        run.advance(FILL).map_err(Failure::of)?;
        let (begin, hops) = (Clock::now(), run.flit_hops());
        run.advance(cycles).map_err(Failure::of)?;
        let seconds = begin.elapsed();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let hops = (run.flit_hops() - hops) as f64;
        print(&format_args!(
            "{load:>8} {seconds:>10.3} {:>12.0} {:>14.0} {:>14}\n",
            f64::from(cycles) / seconds,
            hops / seconds,
            run.bytes_per_switch()
        ))?;
    }
    Ok(())
}

/// The processor time of this thread if the system reports it and a run has no other thread, else the elapsed time.
struct Clock {
    processor: Option<u64>,
    wall: Instant,
}

impl Clock {
    fn now() -> Self {
        let is_alone = rayon::current_num_threads() == 1;
        let processor = if is_alone { processor_nanoseconds() } else { None };
        Self { processor, wall: Instant::now() }
    }

    fn elapsed(&self) -> f64 {
        match (self.processor, processor_nanoseconds()) {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            (Some(then), Some(now)) if now > then => (now - then) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// On Linux the first number of schedstat is the time spent on a processor.
fn processor_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
