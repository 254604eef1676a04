//! What to do about a problem, for whoever draws: the advice of the command line speaks of the file's text.

use crate::context::ViewContext;
use crate::words::quoted;
use stokeslet_base::diagnostic::Diagnostic;

/// What to do about a problem with the mouse, by its code; what the file's reader says where there is nothing else to do.
pub fn advice(diagnostic: &Diagnostic) -> Option<String> {
    let drawn = match diagnostic.code {
        "D207" => "select nothing, then give the chip a depth in the inspector",
        "D226" => "drag one of them away and back on to the other's end: that joins them",
        "D230" => {
            "move them apart; channels that are drawn across each other are joined by a cross"
        }
        "D231" => {
            "join it with something, open it to the outside with the port tool (O), or leave it closed"
        }
        "D232" => {
            "join them with the rest of the chip, or open a free end of theirs with the port tool (O)"
        }
        "D234" => "take the port tool (O) and click a free end: it opens to the outside",
        "D407" => "a higher resolution has cells that are small enough",
        "D408" => {
            "flow at bends, steps and junctions differs from about 1 on, pressures in long straight channels don't; the fluid is water unless the file has a density"
        }
        "D411" => {
            "the models shallow and full have floor and ceiling: select nothing, then choose one in the inspector"
        }
        "D406" => {
            "the model full solves the depth, and shallow is right to 0.4 % from as wide as deep on: select nothing, then choose one in the inspector"
        }
        "D235" => {
            "with the model full the depth is solved too: select nothing, then choose it in the inspector"
        }
        "D236" => {
            "give a port a flow rate, or choose another model of the depth: select nothing, then the inspector"
        }
        "D238" => {
            "take its own depth away in the inspector, or choose the model shallow for the chip"
        }
        _ => {
            let help = diagnostic.help.as_deref()?;
            return Some(match help.starts_with("`stokeslet components`") {
                true => "the library beside the canvas has what there is".to_owned(),
                false => quoted(help),
            });
        }
    };
    Some(drawn.to_owned())
}

/// Whether nothing is drawn yet: a new chip is no mistake.
pub fn is_blank(context: &ViewContext<'_>) -> bool {
    let blank = context.document.design.as_ref().is_some_and(|design| {
        let is_flow = design.components.is_empty() && design.channels.is_empty();
        is_flow && design.links.is_empty() && design.overlays.is_empty()
    });
    let all = &context.document.diagnostics;
    blank && all.iter().all(|d| d.code == "D234")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::EMPTY;
    use crate::panels::problems::summary;
    use crate::panels::testing::opened;

    #[test]
    fn a_new_chip_is_no_mistake_and_nobody_is_told_to_write_toml() {
        let empty = opened(EMPTY);
        assert!(is_blank(&empty.context()));
        assert_eq!(summary(&empty.context()), None);
        let noted =
            format!("{EMPTY}[notes]\nn = {{ text = \"here\", at = [\"0 mm\", \"0 mm\"] }}\n");
        assert!(!is_blank(&opened(&noted).context()), "a note is something");
        let text = format!(
            "{EMPTY}[components]\na = {{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }}\nb = {{ kind = \"pipe\", attach = \"a\", to = \"a.b\" }}\n\
             c = {{ kind = \"chamber\", at = [\"0.2 mm\", \"0 mm\"] }}\n"
        );
        let state = opened(&text);
        assert!(!is_blank(&state.context()));
        let all = &state.document.diagnostics;
        let codes: Vec<&str> = all.iter().map(|d| d.code).collect();
        for code in ["D230", "D231", "D234"] {
            assert!(codes.contains(&code), "{codes:?}");
        }
        for diagnostic in all {
            let told = advice(diagnostic).unwrap_or_default();
            let is_code = ['`', '=', '[', '{', '_'].iter().any(|c| told.contains(*c));
            assert!(!is_code, "{}: {told}", diagnostic.code);
        }
    }
}
