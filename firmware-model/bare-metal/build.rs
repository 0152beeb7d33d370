//! Adds this folder, where `memory.x` is, to the linker's search path.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:rustc-link-search={here}");
    println!("cargo:rerun-if-changed=memory.x");
}
