//! Random designs survive printing and reading to the last bit.

use proptest::prelude::*;
use proptest::{collection::vec, option};
use stokeslet::design::DepthModel;
use stokeslet::design::{
    Attachment, Bend, Channel, Component, Connection, Design, Dimension, Overlay, OverlayLayer,
    OverlayShape, Placement, Port, PortCondition, Spanned, Value, print,
};
use stokeslet::geometry::Point;
use stokeslet::shape::WallKind;
use stokeslet::units::{
    FlowRate, FlowRatePerDepth, KilogramPerCubicMetre, Metre, Pascal, PascalSecond, Radian,
};

use crate::read::{read, without_spans};

fn length() -> impl Strategy<Value = f64> {
    prop_oneof![
        1e-9..1e-1_f64,
        (1..2000_u32).prop_map(|n| f64::from(n) / 1e6)
    ]
}

fn socket() -> impl Strategy<Value = Spanned<String>> {
    "[a-zé_][a-z0-9_-]{0,5}\\.[a-z0-9]{1,4}".prop_map(Spanned::nowhere)
}

fn point() -> impl Strategy<Value = Point> {
    (-1.0..1.0_f64, length()).prop_map(|(x, y)| Point::new(x, y))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (proptest::num::f64::NORMAL, 0..6_usize)
            .prop_map(|(number, kind)| Value::Quantity(number, Dimension::ALL[kind])),
        proptest::num::f64::NORMAL.prop_map(Value::Number),
        (-1000..1000_i32).prop_map(|n| Value::Number(f64::from(n))),
        any::<bool>().prop_map(Value::Bool),
        "[a-hj-m\"\\\\\n\t'µ{}#]{0,8}".prop_map(Value::Text),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| vec(inner, 0..4).prop_map(Value::List))
}

fn placement() -> impl Strategy<Value = Placement> {
    prop_oneof![
        (point(), -7.0..7.0_f64, any::<bool>()).prop_map(|(at, rotation, mirror)| {
            Placement::Absolute {
                at,
                rotation: Radian(rotation),
                mirror,
            }
        }),
        ("[a-z]{1,4}", socket(), any::<bool>()).prop_map(|(socket, to, mirror)| {
            Placement::Attached(Attachment {
                socket: Spanned::nowhere(socket),
                to,
                mirror,
            })
        }),
    ]
}

fn component(k: usize) -> impl Strategy<Value = Component> {
    let parameters = proptest::collection::btree_map("[a-z µ.]{0,5}", value(), 0..4);
    let dimensions = proptest::collection::vec("[a-z µ.]{0,5}", 0..3);
    let all = ("[a-z]{1,8}", placement(), parameters, dimensions);
    all.prop_map(move |(kind, placement, parameters, dimensions)| Component {
        name: Spanned::nowhere(format!("p{k}é")),
        kind: Spanned::nowhere(kind),
        placement,
        parameters: parameters
            .into_iter()
            .map(|(name, value)| (Spanned::nowhere(name), Spanned::nowhere(value)))
            .collect(),
        depth: None,
        dimensions: dimensions.into_iter().map(Spanned::nowhere).collect(),
    })
}

fn channel(k: usize) -> impl Strategy<Value = Channel> {
    (
        socket(),
        option::of(socket()),
        vec(point(), 1..4),
        option::of(length()),
        option::of(length()),
    )
        .prop_map(move |(from, to, via, width, radius)| Channel {
            name: Spanned::nowhere(format!("c{k}")),
            from,
            to,
            via: via.into_iter().map(Spanned::nowhere).collect(),
            width: width.map(Metre),
            bend: radius.map_or(Bend::Mitred, |radius| Bend::Round(Metre(radius))),
            depth: None,
        })
}

fn port(k: usize) -> impl Strategy<Value = Port> {
    let condition = prop_oneof![
        (-1e-6..1e-6_f64).prop_map(|rate| PortCondition::FlowRate(FlowRate(rate))),
        (1..1000_u32).prop_map(|n| PortCondition::FlowRate(FlowRate(f64::from(n) * 1e-9 / 60.0))),
        (-1e-3..1e-3_f64).prop_map(|rate| PortCondition::FlowRatePerDepth(FlowRatePerDepth(rate))),
        (-1e6..1e6_f64).prop_map(|pressure| PortCondition::Pressure(Pascal(pressure))),
        Just(PortCondition::TractionFree),
    ];
    (socket(), condition).prop_map(move |(at, condition)| Port {
        name: Spanned::nowhere(format!("port-{k}")),
        at,
        condition: Spanned::nowhere(condition),
    })
}

fn overlay(k: usize) -> impl Strategy<Value = Overlay> {
    let shape = prop_oneof![
        (vec(point(), 2..5), option::of(length())).prop_map(|(points, width)| OverlayShape::Path {
            points,
            width: width.map(Metre),
        }),
        (point(), point()).prop_map(|(a, b)| OverlayShape::Rectangle([a, b])),
        (point(), length()).prop_map(|(centre, diameter)| OverlayShape::Circle {
            centre,
            diameter: Metre(diameter),
        }),
        (point(), "[a-z\"\\\\\n'µ{}#]{0,8}", option::of(length())).prop_map(|(at, text, size)| {
            OverlayShape::Text {
                at,
                text,
                size: size.map(Metre),
            }
        }),
    ];
    shape.prop_map(move |shape| Overlay {
        name: Spanned::nowhere(format!("o{k}")),
        // Printed by layer.
        layer: OverlayLayer::ALL[k / 2],
        shape,
    })
}

fn design() -> impl Strategy<Value = Design> {
    let head = (
        option::of("[ -~µ\n]{0,20}"),
        1e-6..1e3_f64,
        length(),
        length(),
        option::of(2..=200_u32),
        any::<bool>(),
    );
    let components = (0..5_usize).prop_flat_map(|n| (0..n).map(component).collect::<Vec<_>>());
    let channels = (0..4_usize).prop_flat_map(|n| (0..n).map(channel).collect::<Vec<_>>());
    let connections = vec(
        (socket(), socket()).prop_map(|(a, b)| Connection { a, b }),
        0..3,
    );
    let overlays = (0..4_usize).prop_flat_map(|n| (0..n).map(overlay).collect::<Vec<_>>());
    let ports = (0..4_usize).prop_flat_map(|n| (0..n).map(port).collect::<Vec<_>>());
    (head, components, channels, connections, ports, overlays).prop_map(
        |(head, components, channels, connections, ports, overlays)| Design {
            name: "full".to_owned(),
            title: head.0,
            viscosity: PascalSecond(head.1),
            density: head.4.map(|n| KilogramPerCubicMetre(f64::from(n) * 7.0)),
            model: if head.5 {
                DepthModel::Shallow
            } else {
                DepthModel::Planar
            },
            depth: Some(Metre(head.2)),
            width: Metre(head.3),
            resolution: head.4,
            walls: WallKind::ALL[connections.len() % 2],
            components,
            channels,
            connections,
            links: Vec::new(),
            sheets: Default::default(),
            ports,
            parametric: Default::default(),
            species: Default::default(),
            groups: Vec::new(),
            overlays,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_printed_random_design_reads_back_to_the_last_bit(design in design()) {
        let text = print(&design);
        prop_assert_eq!(without_spans(&read(&text)), without_spans(&design), "{}", text);
    }
}
