//! Whether a design that was made can be placed: what isn't is the import's to say.

use crate::chip::place;
use crate::design::Design;
use crate::library::Library;
use stokeslet_base::diagnostic::{Place, Reporter, Severity};

/// Reports the errors of placing a design, by the names of its components: the text that they could point into isn't the user's.
pub(super) fn report_misplaced(design: &Design, library: &Library, out: &mut Reporter) {
    let (_, diagnostics) = place(design, library);
    for mut fault in diagnostics
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
    {
        fault.place = Place {
            span: None,
            component: fault.place.component.filter(|name| !name.is_empty()),
        };
        out.report(fault);
    }
}
