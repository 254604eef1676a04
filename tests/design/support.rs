//! A valid design that uses everything.

/// Everything that a design file can say.
pub const FULL: &str = r#"# The question: does the mixer mix?
format = 1
title = "Y with a \"mixer\""            # optional

[fluid]
viscosity = "0.89 mPa s" # water

[chip]
model = "shallow"
depth = "50 um"
width = "100 um"
resolution = 12

# Parts come in the order of the flow.
[components]
# the inlet
y1 = { kind = "y", at = ["0 mm", "-1.5 mm"], rotation = "90 deg", mirror = true, parameters = { angle = "60 deg" } } # turned
t1 = { kind = "tee", attach = "left", to = "y1.out", mirror = true }

# the tree
g = { kind = "gradient", at = ["3 cm", "0 mm"], parameters = { n = 3, ratio = 0.25, ends = [["left", true], [1, "2 um"]], side = "left" } }

[channels]
c1 = { from = "y1.a", to = "t1.up", via = [["1 mm", "0 mm"], ["1 mm", "2 mm"]], bend = "round", radius = "200 um", width = "80 um" }
c2 = { from = "y1.b", via = [["1 mm", "2 mm"]] }

[connections]
pairs = [
    ["y1.out", "t1.left"], # they touch
    ["g.in", "t1.right"],
]

[ports]
inlet = { at = "y1.a", flow_rate = "5 uL/min" }
side = { at = "y1.b", flow_rate = "1e-6 m^2/s" }
waste = { at = "t1.right", pressure = "-20 mbar" } # suction
drain = { at = "c2.end", traction_free = true }
"#;
