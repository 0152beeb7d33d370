//! Each kind of bad input ends in one clear error, pinned here.
use crate::test_images::{Images, absolute_images};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::NodeId;
use tvlb_schema::ShapeSet;
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, Buffers, Measuring, Run, Settings, Study};
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

fn small() -> Images {
    absolute_images(2, 4, 2, 9, ShapeSet::ALL)
}

#[test]
fn images_that_make_no_network() {
    let error = |images: &Images| {
        BootedFabric::boot(&images.fabric, &images.switches).map(|_| ()).unwrap_err().to_string()
    };
    let mut images = small();
    images.switches.pop();
    assert_eq!(error(&images), "found 35 switch images, but the fabric has 36 switches");

    let mut images = small();
    images.switches.swap(3, 4);
    assert_eq!(error(&images), "switch 3: found the image of switch 4");

    let mut images = small();
    images.switches[7] = absolute_images(2, 4, 2, 8, ShapeSet::ALL).switches.swap_remove(7);
    assert!(
        error(&images).starts_with("switch 7: switch image: fabric identity at byte 8: found ")
    );
    assert!(error(&images).ends_with("; the images are of different fabrics"));

    let mut images = small();
    images.switches[35][30] ^= 1;
    assert!(error(&images).starts_with("switch 35: switch image: checksum at byte "));

    let images = Images { fabric: small().switches.swap_remove(0), ..small() };
    assert_eq!(
        error(&images),
        "fabric image: kind at byte 4: found 0x53, but a fabric image ('F') is needed here"
    );

    let images = absolute_images(200, 10, 48, 2, ShapeSet::EMPTY);
    assert_eq!(error(&images), "a switch has 257 ports, but the simulator holds at most 256");
}

#[test]
fn traffic_that_does_not_fit() {
    let df = crate::test_images::dragonfly(2, 4, 2, 9);
    let error =
        |pattern: Pattern| Traffic::new(&pattern, &df, 1).map(|_| ()).unwrap_err().to_string();
    let named = |name: &str| error(name.parse().unwrap());
    assert_eq!(
        named("shift(9,0)"),
        "traffic shift(9,0): the shift of groups is 9, accepted 0 to 8 on this fabric"
    );
    assert_eq!(
        named("shift(1,4)"),
        "traffic shift(1,4): the shift of switches is 4, accepted 0 to 3 on this fabric"
    );
    assert_eq!(
        named("shift(0,0)"),
        "traffic shift(0,0): it sends nothing anywhere, accepted a shift of groups or switches by at least 1"
    );
    assert_eq!(
        named("mixed(50,40)"),
        "traffic mixed(50,40,1,0): the two shares add up to 90 percent, accepted 100"
    );
    assert_eq!(
        error(Pattern::pairs(&[(NodeId(0), NodeId(5)), (NodeId(72), NodeId(1))])),
        "line 2: there is no node 72; the last node is 71"
    );
    assert_eq!(
        error(Pattern::pairs(&[])),
        "there is no flow in it, accepted at least one, from a source to a destination"
    );
    assert_eq!(named("hotspot(0,10)"), "traffic hotspot(0,10): hot nodes are 0, accepted 1 to 72");
    assert_eq!(
        named("hotspot(4,101)"),
        "traffic hotspot(4,101): 101 percent go to hot nodes, accepted 1 to 100"
    );
    assert_eq!(
        named("incast(36,2)"),
        "traffic incast(36,2): 2 times one receiver and 36 senders, accepted 1 or more of each, and not more than \
         the 72 nodes that there are"
    );
    let unknown = "shift(1)".parse::<Pattern>().unwrap_err().to_string();
    assert!(
        unknown
            .starts_with("\"shift(1)\" is not a traffic pattern (did you mean shift(Δg,Δs)?), accepted uniform, uniform-others, shift(Δg,Δs), ")
    );
}

#[test]
fn settings_that_cannot_be_run() {
    let images = small();
    let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap();
    let error = |settings: &Settings, load| {
        Run::new(&fabric, settings, &traffic, load, 1).map(|_| ()).unwrap_err().to_string()
    };
    let good = Settings::new(Scheme::UgalL, VlbPaths::Custom);
    for load in [0.0, -0.1, 1.01, f64::NAN, f64::INFINITY] {
        assert_eq!(
            error(&good, load),
            format!("load is {load}, accepted above 0 and at most 1 (flits per node and cycle)")
        );
    }
    let few = |scheme, channels| {
        let mut settings = Settings::new(scheme, VlbPaths::Custom);
        settings.virtual_channels = Some(channels);
        error(&settings, 0.1)
    };
    assert_eq!(
        few(Scheme::UgalL, 3),
        "3 virtual channels, but ugal-l needs 4 under \"ordered\": a VLB packet makes up to one \
         local hop in the source group, two in the intermediate and one in the destination group; \
         fewer could deadlock"
    );
    assert_eq!(
        few(Scheme::Par, 4),
        "4 virtual channels, but par needs 5 under \"ordered\": a packet that PAR diverts at \
         the second switch makes up to two local hops in the source group, two in the \
         intermediate and one in the destination group; fewer could deadlock"
    );
    assert_eq!(few(Scheme::Min, 9), "virtual-channels is 9, accepted 1 to 8");
    assert_eq!(
        few(Scheme::Min, 1),
        "1 virtual channels, but min needs 2 under \"ordered\": a MIN packet makes up to one local \
         hop in the source and one in the destination group; fewer could deadlock"
    );
    assert_eq!(
        error(&Settings { buffers: Buffers::all(0), ..good.clone() }, 0.1),
        "buffer is 0, accepted 1 to 30000"
    );
    assert_eq!(
        error(&Settings { speedup: 5, ..good.clone() }, 0.1),
        "speedup is 5, accepted 1 to 4"
    );
    let agreeing = Settings { measuring: Measuring::UntilWindowsAgree, ..good.clone() };
    assert_eq!(
        error(&Settings { warm_up_windows: 8, ..agreeing.clone() }, 0.1),
        "warm-up is 8, accepted 0 to 7 where a run measures until windows agree: it has \
         10 windows at most, and 3 of them have to agree"
    );
    assert_eq!(
        error(&Settings { window_cycles: 100_000_001, ..agreeing }, 0.1),
        "the windows add up to 1000000010 cycles, accepted at most 1000000000"
    );
    let study = Study {
        fabric: &fabric,
        settings: &good,
        pattern: &Pattern::Uniform,
        placement: &PlacementRule::Identity,
        seeds: &[1],
        series: None,
    };
    assert_eq!(
        study.saturation(0.0, &()).unwrap_err().to_string(),
        "resolution is 0, accepted 0.0001 to 0.5"
    );
}
