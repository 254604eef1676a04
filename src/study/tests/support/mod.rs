//! Designs with variables that the tests of this crate share.

#![allow(dead_code, reason = "each test uses some of it")]

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::design::{Setting, parse_with};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::{Solution, SolveSettings, WantedResults};
use stokeslet_study::sample::Sampler;

/// A tee whose arms have lengths and a width of their own.
pub const TEE: &str = r#"format = 1
[variables]
w = "100 um"
l = "2 mm"
p = "10 mbar"
[fluid]
viscosity = "1 mPa s"
[chip]
model = "shallow"
width = "100 um"
depth = "50 um"
resolution = 4
[components]
tee = { kind = "tee", at = ["0 mm", "0 mm"] }
feed = { kind = "pipe", attach = "b", to = "tee.up", parameters = { length = "1 mm" } }
narrow = { kind = "taper", attach = "a", to = "tee.left", parameters = { length = "200 um", width_end = "=w" } }
short = { kind = "pipe", attach = "a", to = "narrow.b", parameters = { length = "1 mm", width = "=w" } }
long = { kind = "pipe", attach = "a", to = "tee.right", parameters = { length = "=l" } }
[ports]
inlet = { at = "feed.a", pressure = "=p" }
left = { at = "short.b", pressure = "0 Pa" }
right = { at = "long.b", pressure = "0 Pa" }
"#;

/// A network of four outlets whose resistors have lengths of their own.
pub const FOUR: &str = r#"format = 1
[variables]
l1 = "4 mm"
l2 = "4 mm"
l3 = "4 mm"
l4 = "4 mm"
[fluid]
viscosity = "1 mPa s"
[chip]
model = "shallow"
width = "100 um"
depth = "50 um"
resolution = 4
[components]
first = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "500 um" } }
t1 = { kind = "tee", attach = "left", to = "first.b" }
a1 = { kind = "pipe", attach = "a", to = "t1.up", parameters = { length = "=l1" } }
m1 = { kind = "pipe", attach = "a", to = "t1.right", parameters = { length = "300 um" } }
t2 = { kind = "tee", attach = "left", to = "m1.b" }
a2 = { kind = "pipe", attach = "a", to = "t2.up", parameters = { length = "=l2" } }
m2 = { kind = "pipe", attach = "a", to = "t2.right", parameters = { length = "300 um" } }
t3 = { kind = "tee", attach = "left", to = "m2.b" }
a3 = { kind = "pipe", attach = "a", to = "t3.up", parameters = { length = "=l3" } }
a4 = { kind = "pipe", attach = "a", to = "t3.right", parameters = { length = "=l4" } }
[ports]
inlet = { at = "first.a", pressure = "10 mbar" }
out1 = { at = "a1.b", pressure = "0 Pa" }
out2 = { at = "a2.b", pressure = "0 Pa" }
out3 = { at = "a3.b", pressure = "0 Pa" }
out4 = { at = "a4.b", pressure = "0 Pa" }
"#;

pub fn settings() -> SolveSettings {
    SolveSettings {
        wanted: WantedResults::PortsOnly,
        ..SolveSettings::default()
    }
}

/// A solve from nothing, by the plain road.
pub fn solve_alone(text: &str, set: &[(&str, String)]) -> Solution {
    let set: Vec<Setting> = set
        .iter()
        .map(|(name, value)| Setting {
            name: (*name).to_owned(),
            value: value.clone(),
        })
        .collect();
    let (design, mistakes) = parse_with(text, "x", &set);
    let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
    let library = Library::embedded();
    let (chip, mistakes) = stokeslet_cad::chip::place(&design, &library);
    let chip = chip.unwrap_or_else(|| panic!("{mistakes:?}"));
    let settings = SolveSettings {
        resolution: design.resolution.unwrap_or(8),
        ..settings()
    };
    let (table, token) = (Table::default(), CancelToken::new());
    stokeslet_flow::session::solve(&chip, &settings, &table, &|_, _| {}, &token).unwrap()
}

/// A sampler of a text.
pub fn sampler<'a>(text: &'a str, library: &'a Library, table: &'a Table) -> Sampler<'a> {
    Sampler::new((text, "x"), library, settings(), table)
}
