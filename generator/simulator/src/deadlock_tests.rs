//! Deadlock: a cyclic rule for virtual channels is caught and named, the real one never closes.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::Scheme;
use crate::setting_values::Buffers;
use crate::test_images::{Images, absolute_images};
use crate::{BootedFabric, Deadlock, Run, RunError, Settings};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::ShapeSet;
use tvlb_traffic::{Pattern, Traffic};

/// Runs a network with small buffers at full load, its virtual channels renamed.
fn run(scheme: Scheme, pattern: &Pattern, channel_map: [u8; 8]) -> Result<u64, RunError> {
    let Images { fabric, switches } = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let mut settings = Settings::new(scheme, VlbPaths::Conventional);
    (settings.buffers, settings.patience_cycles) = (Buffers::all(4), 1000);
    let traffic = Traffic::new(pattern, fabric.dragonfly(), 1).unwrap();
    let mut run = Run::new(&fabric, &settings, &traffic, 1.0, 1).unwrap();
    run.network.channel_map = channel_map;
    for _ in 0..20 {
        run.advance(1000)?;
        run.inspect()?;
    }
    Ok(run.flit_hops())
}

#[test]
fn one_channel_for_all_hops_deadlocks_and_the_cycle_is_named() {
    let shift = Pattern::Shift { groups: 1, switches: 0 };
    for scheme in [Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
        let error = run(scheme, &shift, [0; 8]).unwrap_err();
        let RunError::Deadlock(Deadlock { channels, .. }) = &error else { panic!("{error}") };
        assert!(channels.len() > 1);
        // A cycle of buffers that are full needs at least two links.
        assert!(channels.iter().filter(|c| c.for_credit).count() > 1);
        assert!(channels.iter().any(|c| c.link.starts_with("global link from group ")));
        assert!(channels.iter().all(|c| c.channel == 0));
        let text = error.to_string();
        assert!(text.starts_with("deadlock: at cycle "), "{text}");
        assert!(text.ends_with("\n  the first of them"), "{text}");
    }
}

#[test]
fn raising_the_channel_with_global_hops_alone_deadlocks() {
    // Under `ordered` VC 0 and 1 serve the source and, without detours, the intermediate group;
    // folding 1 into 0 and 3 into 2 makes local hops of either group share a channel.
    let error =
        run(Scheme::Vlb, &Pattern::Shift { groups: 1, switches: 0 }, [0, 0, 0, 1, 1, 1, 1, 1]);
    assert!(matches!(error, Err(RunError::Deadlock(_))));
}

#[test]
fn the_ordered_channels_never_deadlock() {
    let patterns = [
        Pattern::Uniform,
        Pattern::Shift { groups: 1, switches: 0 },
        Pattern::NextGroup { groups: 1 },
        Pattern::HotSwitch,
    ];
    for pattern in &patterns {
        for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par, Scheme::UgalG] {
            let moved = run(scheme, pattern, [0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
            assert!(moved > 50_000, "{scheme:?}, {pattern}: {moved}");
        }
    }
}
