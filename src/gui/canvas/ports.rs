//! Ports as arrows into the chip or out of it, with name and value.

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2};

use super::View;
use super::scene::Scene;
use super::theme::Colours;
use crate::results::Results;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, print_quantity};
use stokeslet_cad::chip::SocketUse;
use stokeslet_cad::design::{Design, PortCondition};
use stokeslet_flow::export::readable::Quantity;

/// Length of an arrow, points.
const ARROW: f32 = 24.0;
/// Between the socket and the arrow, points.
const GAP: f32 = 5.0;
/// Values longer than this are rounded, characters.
const LONGEST: usize = 14;

/// Which way the fluid goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Into the chip.
    In,
    /// Out of it.
    Out,
    /// Not known before a solve.
    Either,
}

/// A port, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What holds there, with its unit.
    pub value: String,
    /// Which way the fluid goes.
    pub way: Way,
    /// Its socket, index into the layout's sockets.
    pub socket: usize,
    /// Where the arrow begins, at the socket.
    pub foot: Pos2,
    /// Out of the chip.
    pub out: Vec2,
    /// Where its text is; also where it can be caught.
    pub text: Rect,
}

impl Symbol {
    /// Where the arrow ends.
    pub fn head(&self) -> Pos2 {
        self.foot + self.out * ARROW
    }

    /// Whether a place is on the arrow or the text.
    pub fn is_at(&self, p: Pos2) -> bool {
        let along = (p - self.foot).dot(self.out).clamp(0.0, ARROW);
        let near = (p - (self.foot + self.out * along)).length() <= 7.0;
        near || self.text.expand(2.0).contains(p)
    }
}

/// Which way fluid goes through a port: what the design says, else what the last solve found.
pub fn way(name: &str, condition: &PortCondition, results: &Results) -> Way {
    let given = match condition {
        PortCondition::FlowRate(flow) => flow.0,
        PortCondition::FlowRatePerDepth(flow) => flow.0,
        PortCondition::Pressure(_) | PortCondition::TractionFree => 0.0,
    };
    let solved = || {
        let solved = results.solved.as_ref()?;
        let port = solved.solution.ports.iter().find(|p| p.id == name)?;
        Some(port.flow_rate)
    };
    let flow = if given == 0.0 {
        solved().unwrap_or(0.0)
    } else {
        given
    };
    if flow > 0.0 {
        Way::In
    } else if flow < 0.0 {
        Way::Out
    } else {
        Way::Either
    }
}

/// A condition as a label.
pub fn value(condition: &PortCondition) -> String {
    let (given, dimension, quantity) = match *condition {
        PortCondition::FlowRate(flow) => (flow.0, Dimension::FlowRate, Quantity::FlowRate),
        PortCondition::FlowRatePerDepth(flow) => (
            flow.0,
            Dimension::FlowRatePerDepth,
            Quantity::FlowRatePerDepth,
        ),
        PortCondition::Pressure(pressure) => (pressure.0, Dimension::Pressure, Quantity::Pressure),
        PortCondition::TractionFree => return "free".to_owned(),
    };
    let exact = print_quantity(given, dimension).replace("^2", "²");
    if given == 0.0 || exact.chars().count() > LONGEST {
        quantity.show(given)
    } else {
        exact
    }
}

/// The ports that are seen.
pub fn symbols(
    painter: &Painter,
    view: &View,
    scene: &Scene,
    design: &Design,
    results: &Results,
) -> Vec<Symbol> {
    let sockets = scene.layout.sockets.iter().enumerate();
    let at_ports = sockets.filter_map(|(k, socket)| match socket.used {
        SocketUse::Port(port) if !scene.hides(socket.item) => {
            let port = design.ports.get(port)?;
            let is_hidden = scene.hidden.ports.contains(&port.name.value);
            (!is_hidden).then_some((k, socket, port))
        }
        SocketUse::Port(_) | SocketUse::Free | SocketUse::Connected => None,
    });
    at_ports
        .filter_map(|(k, socket, port)| {
            let direction = Point::unit(socket.geometry.direction);
            let out = vec2(direction.x as f32, -direction.y as f32);
            let middle = view.to_screen(socket.geometry.middle);
            if !view.rect.expand(80.0).contains(middle) {
                return None;
            }
            let name = port.name.value.clone();
            let value = value(&port.condition.value);
            let foot = middle + out * GAP;
            let size = |text: &str, font| {
                painter
                    .layout_no_wrap(text.to_owned(), font, Color32::WHITE)
                    .size()
            };
            let (above, below) = (size(&name, name_font()), size(&value, value_font()));
            let room = vec2(above.x.max(below.x), above.y + below.y);
            // The text goes on where the arrow ends: as far out as its own half size in that direction.
            let reach = ARROW + 5.0 + (out.x * room.x / 2.0).abs() + (out.y * room.y / 2.0).abs();
            Some(Symbol {
                way: way(&name, &port.condition.value, results),
                name,
                value,
                socket: k,
                foot,
                out,
                text: Rect::from_center_size(foot + out * reach, room),
            })
        })
        .collect()
}

fn name_font() -> FontId {
    FontId::proportional(13.0)
}

fn value_font() -> FontId {
    FontId::proportional(12.0)
}

/// Draws a port in `colour`.
pub fn paint(painter: &Painter, symbol: &Symbol, colour: Color32, colours: &Colours) {
    let stroke = Stroke::new(2.0, colour);
    let tip = |at: Pos2, towards: Vec2| {
        let side = towards.rot90() * 5.0;
        let back = at - towards * 9.0;
        painter.add(Shape::convex_polygon(
            vec![at, back + side, back - side],
            colour,
            Stroke::NONE,
        ));
    };
    let (foot, head, out) = (symbol.foot, symbol.head(), symbol.out);
    match symbol.way {
        Way::In => {
            painter.line_segment([head, foot + out * 6.0], stroke);
            tip(foot, -out);
        }
        Way::Out => {
            painter.line_segment([foot, head - out * 6.0], stroke);
            tip(head, out);
        }
        Way::Either => {
            painter.line_segment([foot + out * 6.0, head - out * 6.0], stroke);
            tip(foot, -out);
            tip(head, out);
        }
    }
    painter.rect_filled(symbol.text.expand2(vec2(4.0, 1.0)), 4.0, colours.paper);
    let middle = symbol.text.center_top();
    painter.text(
        middle,
        Align2::CENTER_TOP,
        &symbol.name,
        name_font(),
        colour,
    );
    let middle = symbol.text.center_bottom();
    painter.text(
        middle,
        Align2::CENTER_BOTTOM,
        &symbol.value,
        value_font(),
        colours.ink,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::units::{FlowRate, FlowRatePerDepth, Pascal};

    #[test]
    fn values_have_units_and_flow_says_which_way() {
        let none = Results::default();
        let flow = |x| PortCondition::FlowRate(FlowRate(x));
        assert_eq!(value(&flow(5e-9 / 60.0)), "5 µL/min");
        assert_eq!(value(&PortCondition::Pressure(Pascal(0.0))), "0 Pa");
        assert_eq!(
            value(&PortCondition::Pressure(Pascal(1_234.567_89))),
            "1.23 kPa"
        );
        assert_eq!(way("in", &flow(1e-12), &none), Way::In);
        assert_eq!(way("in", &flow(-1e-12), &none), Way::Out);
        let per_depth = PortCondition::FlowRatePerDepth(FlowRatePerDepth(5e-3));
        assert_eq!(value(&per_depth), "5000 mm²/s");
        let pressure = PortCondition::Pressure(Pascal(1.0));
        assert_eq!(way("in", &pressure, &none), Way::Either);
    }
}
