//! The golden images are what `generate` writes today.

use tvlb_tests::{images, shipped};

#[test]
fn golden_images_are_generated_to_the_byte() {
    let generated = images(&shipped("dfly-2-4-2-9.toml"));
    let fabric = include_bytes!("../../schema/golden/v3/fabric.tvlb");
    let switch = include_bytes!("../../schema/golden/v3/switch-00005.tvlb");
    assert_eq!(generated.images.fabric, fabric);
    assert_eq!(generated.images.switches[5], switch);
}
