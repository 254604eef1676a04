//! Rebuilds when a component changes: the library embeds the folder, and cargo does not watch it by itself.

fn main() {
    println!("cargo:rerun-if-changed=../../components");
}
