//! What the program is.

use eframe::egui::{self, Modal};

use super::shortcuts::title;

/// Draws it; `true` when it is done with.
pub fn about_ui(ctx: &egui::Context) -> bool {
    let response = Modal::new(egui::Id::unique("about")).show(ctx, |ui| {
        ui.set_width(420.0);
        let close = title(ui, "Stokeslet");
        ui.weak(format!("Version {}", env!("CARGO_PKG_VERSION")));
        ui.add_space(6.0);
        ui.label("Designs microfluidic chips from a library of channels and junctions, and solves the Stokes flow of the whole chip while you draw.");
        ui.add_space(6.0);
        ui.label(
            "The flow is that of the equations, by finite elements, with a residual below 1e-10: equal parts are eliminated once and shared by all their copies.",
        );
        ui.add_space(6.0);
        ui.weak("After Ding, \"Coupling, Conservation, and Performance in Numerical Simulations\", UC Riverside, 2019, chapter 4.");
        ui.weak(format!("License {}", env!("CARGO_PKG_LICENSE")));
        close
    });
    response.inner || response.should_close()
}
