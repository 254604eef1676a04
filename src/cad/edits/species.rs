//! Adds a dissolved species.

use super::names::Names;
use super::{Drawing, Refusal};
use crate::design::{Concentration, Design, DissolvedSpecies, Edit, Inlet, PortCondition, Spanned};

/// A small molecule in water, m^2/s: fluorescein, the dye of most pictures of mixers.
const SMALL_MOLECULE: f64 = 4.3e-10;

/// Adds a species that enters by one port with concentration 1, and by none of the others: by `port`, or by the one that drives the most. Returns its
/// name.
///
/// # Errors
/// [`Refusal::NoInlet`], [`Refusal::NoPort`], [`Refusal::DrawsOff`].
pub fn add_species(
    drawing: &Drawing<'_>,
    port: Option<&str>,
) -> Result<(Vec<Edit>, String), Refusal> {
    let design = drawing.design;
    let port = match port {
        Some(name) => {
            let found = design.ports.iter().find(|p| p.name.value == name);
            let found = found.ok_or_else(|| Refusal::NoPort(name.to_owned()))?;
            if drives(found.condition.value).is_none() {
                return Err(Refusal::DrawsOff(name.to_owned()));
            }
            name
        }
        None => first_inlet(design).ok_or(Refusal::NoInlet)?,
    };
    let name = Names::of_species(design).fresh_or_same("dye");
    let species = DissolvedSpecies {
        name: Spanned::nowhere(name.clone()),
        diffusivity: Spanned::nowhere(SMALL_MOLECULE),
        inlets: vec![Inlet {
            port: Spanned::nowhere(port.to_owned()),
            steps: vec![(0.0, 1.0)],
            unit: Concentration::Relative,
        }],
    };
    Ok((vec![Edit::AddSpecies(species)], name))
}

/// How much a port pushes liquid in: given flow rates before pressures; `None` where it is drawn off.
fn drives(condition: PortCondition) -> Option<(u8, f64)> {
    match condition {
        PortCondition::FlowRate(q) if q.0 < 0.0 => None,
        PortCondition::FlowRatePerDepth(q) if q.0 < 0.0 => None,
        PortCondition::FlowRate(q) => Some((2, q.0)),
        PortCondition::FlowRatePerDepth(q) => Some((2, q.0)),
        PortCondition::Pressure(p) => Some((1, p.0)),
        PortCondition::TractionFree => Some((0, 0.0)),
    }
}

/// The port that drives the most; of equals the first.
fn first_inlet(design: &Design) -> Option<&str> {
    let mut best: Option<((u8, f64), &str)> = None;
    for port in &design.ports {
        let Some(drive) = drives(port.condition.value) else {
            continue;
        };
        if best.is_none_or(|(most, _)| drive > most) {
            best = Some((drive, &port.name.value));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::lay_out;
    use crate::design::{parse, rewrite};
    use crate::library::Library;

    const TEE: &str = "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nmodel = \"shallow\"\nwidth = \"100 um\" # ours\ndepth = \"50 um\"\n[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n[ports]\nout = { at = \"t.left\", pressure = \"0 Pa\" }\nwaste = { at = \"t.up\", flow_rate = \"-1 uL/min\" }\nfeed = { at = \"t.right\", pressure = \"1 mbar\" }\n";

    fn added(text: &str, port: Option<&str>) -> Result<(String, String), Refusal> {
        let design = parse(text, "x").0.unwrap();
        let library = Library::embedded();
        let layout = lay_out(&design, &library);
        let drawing = Drawing::new(&design, &layout, &library);
        let (edits, name) = add_species(&drawing, port)?;
        Ok((rewrite(text, &edits).unwrap(), name))
    }

    #[test]
    fn a_species_enters_where_liquid_is_driven_in() {
        let (text, name) = added(TEE, None).unwrap();
        assert_eq!(name, "dye");
        let (design, mistakes) = parse(&text, "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let species = &design.unwrap().species.species;
        assert_eq!(species[0].inlets[0].port.value, "feed");
        assert!(text.starts_with(TEE), "nothing else is touched: {text}");
        let (again, name) = added(&text, Some("out")).unwrap();
        assert_eq!(name, "dye2");
        assert!(again.starts_with(&text));
        assert_eq!(
            added(TEE, Some("waste")),
            Err(Refusal::DrawsOff("waste".into()))
        );
        assert_eq!(added(TEE, Some("no")), Err(Refusal::NoPort("no".into())));
        let bare = TEE.split("[ports]").next().unwrap();
        assert_eq!(added(bare, None), Err(Refusal::NoInlet));
    }

    #[test]
    fn values_of_a_species_are_set_where_they_stand() {
        let (text, _) = added(TEE, None).unwrap();
        let text = text.replace("dye =", "# the one that glows\ndye =");
        let inlet = Inlet {
            port: Spanned::nowhere("out".to_owned()),
            steps: vec![(0.0, 0.5)],
            unit: Concentration::Relative,
        };
        let species = "dye".to_owned();
        let edits = [
            Edit::SetDiffusivity {
                species: species.clone(),
                diffusivity: 1e-9,
            },
            Edit::SetInlet {
                species: species.clone(),
                inlet,
            },
        ];
        let text = rewrite(&text, &edits).unwrap();
        let (design, mistakes) = parse(&text, "x");
        assert!(mistakes.is_empty(), "{mistakes:?}\n{text}");
        let found = &design.unwrap().species.species[0];
        assert_eq!(found.diffusivity.value, 1e-9);
        let inlets = found.inlets.iter();
        let inlets: Vec<_> = inlets.map(|i| (&*i.port.value, i.steps[0].1)).collect();
        assert_eq!(inlets, [("feed", 1.0), ("out", 0.5)]);
        assert!(text.contains("# the one that glows"), "{text}");
        let text = rewrite(&text, &[Edit::RemoveSpecies(species)]).unwrap();
        assert!(parse(&text, "x").0.unwrap().species.species.is_empty());
    }
}
