use std::f64::consts::PI;

use super::*;

#[test]
fn quantities_of_every_kind_are_read_to_the_last_bit() {
    use Dimension::*;
    for (text, value, dimension) in [
        ("100 um", 1e-4, Length),
        ("100 µm", 1e-4, Length),
        ("100 μm", 1e-4, Length),
        ("0.1mm", 1e-4, Length),
        ("-1.5e-3 m", -1.5e-3, Length),
        ("1e-4m", 1e-4, Length),
        ("1 inch", 0.0254, Length),
        (".5 mil", 1.27e-5, Length),
        ("0.89 mPa s", 8.9e-4, Viscosity),
        ("0.89 mPa*s", 8.9e-4, Viscosity),
        ("0.89 mPa·s", 8.9e-4, Viscosity),
        ("0.89e-3 N s/m^2", 8.9e-4, Viscosity),
        ("8.9e-4 kg/(m s)", 8.9e-4, Viscosity),
        ("8.9e-4 kg m⁻¹ s^-1", 8.9e-4, Viscosity),
        ("1 cP", 1e-3, Viscosity),
        ("60 uL/min", 1e-9, FlowRate),
        ("3.6 mL/h", 1e-9, FlowRate),
        ("3 nl/s", 3e-12, FlowRate),
        ("2 m3/s", 2.0, FlowRate),
        ("2 m³/s", 2.0, FlowRate),
        ("1e-3 m^2/s", 1e-3, FlowRatePerDepth),
        ("60 uL/min/mm", 1e-6, FlowRatePerDepth),
        ("20 mbar", 2000.0, Pressure),
        ("1 bar", 1e5, Pressure),
        ("1 kPa", 1000.0, Pressure),
        ("1 psi", 6894.757293168361, Pressure),
        ("2 cmH2O", 196.133, Pressure),
        ("10 dyn/cm^2", 1.0, Pressure),
        ("90 deg", PI / 2.0, Angle),
        ("90°", PI / 2.0, Angle),
        ("0.25 rad", 0.25, Angle),
        ("0 um", 0.0, Length),
    ] {
        assert_eq!(parse_quantity(text), Ok((value, dimension)), "{text}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let unknown = |unit: &str, near: Option<&str>| QuantityError::UnknownUnit {
        unit: unit.to_owned(),
        nearest: near.map(str::to_owned),
    };
    for (text, error) in [
        ("", QuantityError::Empty),
        (
            "um",
            QuantityError::NoNumber {
                text: "um".to_owned(),
            },
        ),
        (
            "1,5 mm",
            QuantityError::Comma {
                text: "1,5 mm".to_owned(),
            },
        ),
        (
            "NaN um",
            QuantityError::NotFinite {
                text: "NaN um".to_owned(),
            },
        ),
        (
            "-inf m",
            QuantityError::NotFinite {
                text: "-inf m".to_owned(),
            },
        ),
        (
            "1e400 m",
            QuantityError::NotFinite {
                text: "1e400 m".to_owned(),
            },
        ),
        (
            "1e-400 m",
            QuantityError::NotFinite {
                text: "1e-400 m".to_owned(),
            },
        ),
        (
            "1e99999999999 m",
            QuantityError::NotFinite {
                text: "1e99999999999 m".to_owned(),
            },
        ),
        (
            "5",
            QuantityError::MissingUnit {
                number: "5".to_owned(),
            },
        ),
        ("5 umm", unknown("umm", Some("um"))),
        ("5 PSI", unknown("PSI", Some("psi"))),
        ("1 mPas", unknown("mPas", Some("mPa s"))),
        ("5 parsecs", unknown("parsecs", None)),
        (
            "5 um/",
            QuantityError::MalformedUnit {
                unit: "um/".to_owned(),
            },
        ),
        (
            "5 m^",
            QuantityError::MalformedUnit {
                unit: "m^".to_owned(),
            },
        ),
        (
            "5 m^99",
            QuantityError::MalformedUnit {
                unit: "m^99".to_owned(),
            },
        ),
        (
            "1 000 um",
            QuantityError::MalformedUnit {
                unit: "000 um".to_owned(),
            },
        ),
        (
            "5 kg",
            QuantityError::NoDimension {
                unit: "kg".to_owned(),
            },
        ),
    ] {
        assert_eq!(parse_quantity(text), Err(error), "{text}");
    }
    assert!(matches!(
        parse_quantity_as("5 mbar", Dimension::Length),
        Err(QuantityError::WrongDimension {
            got: Dimension::Pressure,
            ..
        })
    ));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*", unit in "[0-9.e+-]{1,6} ?[a-zµ°²⁻0-9/^*() -]{0,12}") {
        let _ = parse_quantity(&text);
        let _ = parse_quantity(&unit);
    }
}
