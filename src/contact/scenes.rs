//! The scenes that come with the crate, embedded from `scenes/`: those of the paper's table 2.1 and a few of our own.

use crate::scene::Scene;

/// A scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name, also of the file.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(Entry { name: $name, text: include_str!(concat!("scenes/", $name, ".toml")) }),*]
    };
}

static ALL: &[Entry] = embedded![
    "plane_r_slide",
    "plane_d_slide",
    "iplane_m_slide",
    "plane_m_slide",
    "plane_r_stick",
    "plane_d_stick",
    "iplane_m_stick",
    "plane_m_stick",
    "stack",
    "stack_rr",
    "prmd_rr",
    "prmd_rr_slip",
    "prmd_rr_lag",
    "prmd_rr_lagfr",
    "prmd_rd",
    "prmd_rm",
    "prmd_rm_slip",
    "prmd_dd",
    "prmd_dd_lag",
    "prmd_dd_lagfr",
    "wdg_rr",
    "wdg_rr_fall",
    "wdg_dr",
    "wdg_dr_fall",
    "wdg_rm",
    "wdg_rm_fall",
    "plane_sph_roll",
    "plane_sph_slip",
    "torus_dr",
    "cloth",
    "sand_on_sph",
    "goo_on_sph",
    "sandbox_cube",
    "sandbox_sph",
    "bowl",
];

/// All scenes, in the order of the table.
pub fn all() -> &'static [Entry] {
    ALL
}

/// The scene of that name.
pub fn find(name: &str) -> Option<Scene> {
    let entry = ALL.iter().find(|e| e.name == name)?;
    Some(Scene::parse(entry.text).expect("embedded scenes are checked by a test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_sound_and_printed_ones_read_back() {
        for entry in all() {
            let scene = Scene::parse(entry.text).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            assert_eq!(scene.name, entry.name, "a scene is named as its file");
            let again = Scene::parse(&toml::to_string(&scene).unwrap()).unwrap();
            assert_eq!(scene, again, "{}: parse, print, parse", entry.name);
        }
    }
}
