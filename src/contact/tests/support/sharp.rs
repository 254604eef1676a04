//! Settings for what stands near a threshold.

use stokeslet_contact::Settings;
use stokeslet_contact::newton::NewtonSettings;

/// Settings that tell a hundredth of a threshold.
pub fn sharp(friction: f64) -> Settings {
    Settings {
        friction: Some(friction),
        newton: NewtonSettings {
            tolerance_factor: 1e-5,
            ..NewtonSettings::default()
        },
        ..Settings::default()
    }
}
