//! Opens a socket to the outside.

use std::collections::BTreeSet;

use super::names::Names;
use super::sockets::Sockets;
use super::{Drawing, Refusal, fresh_port_name};
use crate::chip::SocketUse;
use crate::design::{Edit, Port, PortCondition, Spanned};
use stokeslet_base::units::Pascal;

/// Opens `item.socket`; the first port of a design is an inlet at 1 mbar, all others are outlets at 0 Pa. Returns its name.
///
/// # Errors
/// [`Refusal::NoSocket`], [`Refusal::Connected`], [`Refusal::HasPort`].
pub fn add_port(drawing: &Drawing<'_>, socket: &str) -> Result<(Vec<Edit>, String), Refusal> {
    check_free(drawing, socket)?;
    let (base, pressure) = if drawing.design.ports.is_empty() {
        ("inlet", 100.0)
    } else {
        ("outlet", 0.0)
    };
    let name = fresh_port_name(drawing.design, base);
    let port = port(name.clone(), socket.to_owned(), pressure);
    Ok((vec![Edit::AddPort(port)], name))
}

/// Opens every free socket of what is selected, or of the whole chip where nothing is, as [`add_port`] does one.
///
/// # Errors
/// [`Refusal::NothingFree`].
pub fn open_ends(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
) -> Result<Vec<Edit>, Refusal> {
    let layout = drawing.layout;
    let is_meant = |item: usize| selection.is_empty() || selection.contains(&layout.items[item]);
    let all = layout.sockets.iter();
    let free = all.filter(|s| s.used == SocketUse::Free && is_meant(s.item));
    let mut names = Names::of_ports(drawing.design);
    let mut numbers = 2..;
    let mut drives = drawing.design.ports.is_empty();
    let edits = free.map(|socket| {
        let (name, pressure) = match std::mem::take(&mut drives) {
            true => (names.fresh_or_same("inlet"), 100.0),
            false if !names.has("outlet") => (names.fresh_or_same("outlet"), 0.0),
            // Counted on: chips have thousands of ends.
            false => {
                let numbered = numbers.by_ref().map(|k| format!("outlet{k}"));
                let mut free = numbered.filter(|name| !names.has(name));
                (free.next().unwrap_or_default(), 0.0)
            }
        };
        Edit::AddPort(port(name, layout.full_name(socket), pressure))
    });
    let edits: Vec<Edit> = edits.collect();
    match edits.is_empty() {
        true => Err(Refusal::NothingFree),
        false => Ok(edits),
    }
}

fn port(name: String, at: String, pressure: f64) -> Port {
    Port {
        name: Spanned::nowhere(name),
        at: Spanned::nowhere(at),
        condition: Spanned::nowhere(PortCondition::Pressure(Pascal(pressure))),
    }
}

/// Whether a socket can get a partner or a port.
pub(super) fn check_free(drawing: &Drawing<'_>, socket: &str) -> Result<(), Refusal> {
    let sockets = Sockets::of(drawing.layout);
    let found = sockets.get(socket);
    let found = found.ok_or_else(|| Refusal::NoSocket(socket.to_owned()))?;
    match found.used {
        SocketUse::Free => Ok(()),
        SocketUse::Connected => Err(Refusal::Connected(socket.to_owned())),
        SocketUse::Port(index) => Err(Refusal::HasPort {
            socket: socket.to_owned(),
            port: drawing
                .design
                .ports
                .get(index)
                .map_or_else(String::new, |port| port.name.value.clone()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::lay_out;
    use crate::design::{parse, rewrite};
    use crate::library::Library;

    #[test]
    fn the_first_port_drives_and_the_second_lets_out() {
        let mut text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\np = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n".to_owned();
        let library = Library::embedded();
        let mut names = Vec::new();
        for socket in ["p.left", "p.right", "p.up", "p.up", "p.down"] {
            let design = parse(&text, "x").0.unwrap();
            let layout = lay_out(&design, &library);
            let drawing = Drawing::new(&design, &layout, &library);
            match add_port(&drawing, socket) {
                Ok((edits, name)) => {
                    text = rewrite(&text, &edits).unwrap();
                    names.push(name);
                }
                Err(refusal) => names.push(refusal.to_string()),
            }
        }
        assert_eq!(names[..3], ["inlet", "outlet", "outlet2"]);
        assert!(
            names[3].contains("open to the outside by port `outlet2`"),
            "{}",
            names[3]
        );
        assert!(names[4].contains("no socket `p.down`"), "{}", names[4]);
        let design = parse(&text, "x").0.unwrap();
        assert!(
            lay_out(&design, &library).chip.is_some(),
            "it can be solved"
        );
        // All at once comes to the same; what is selected alone, to what it has.
        let bare = text[..text.find("[ports]").unwrap()].to_owned()
            + "q = { kind = \"pipe\", attach = \"a\", to = \"p.up\" }\n";
        let open = |text: &str, selection: &[&str]| {
            let design = parse(text, "x").0.unwrap();
            let layout = lay_out(&design, &library);
            let drawing = Drawing::new(&design, &layout, &library);
            let selection = selection.iter().map(|name| (*name).to_owned()).collect();
            open_ends(&drawing, &selection).map(|edits| rewrite(text, &edits).unwrap())
        };
        let ports = |text: &str| -> Vec<(String, String)> {
            let design = parse(text, "x").0.unwrap();
            let all = design.ports.iter();
            all.map(|p| (p.name.value.clone(), p.at.value.clone()))
                .collect()
        };
        let one = open(&bare, &["q"]).unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(ports(&one), [pair("inlet", "q.b")]);
        let all = open(&one, &[]).unwrap();
        let want = [
            pair("inlet", "q.b"),
            pair("outlet", "p.left"),
            pair("outlet2", "p.right"),
        ];
        assert_eq!(ports(&all), want);
        assert!(matches!(open(&all, &[]), Err(Refusal::NothingFree)));
    }
}
