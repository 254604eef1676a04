"""Rules of fabrication and imports, checked by other people's programs.

Usage: python tests/interop/check.py PROGRAM        (PROGRAM: the built stokeslet)
Needs: klayout==0.30.12 parchmint==0.2.11 gdstk==1.0.2 (tests/interop/audit installs them)
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import gdstk
import klayout.db as kdb
import klayout.rdb as rdb
import parchmint

program = sys.argv[1]
folder = Path(tempfile.mkdtemp())
failures = 0


def expect(holds, *what):
    global failures
    if not holds:
        failures += 1
        print("  FAILED", *what)


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


HEAD = 'format = 1\nfluid = { viscosity = "1 mPa s" }\nchip = { width = "50 um", depth = "50 um" }\n'


def comb():
    """100 pipes beside each other, widths and gaps 1 nm below and above the limits of 50 and 30 um."""
    components, ports, y = "[components]\n", "[ports]\n", 0
    for k in range(100):
        width, gap = 49_999 if k % 3 == 0 else 50_001, 29_999 if k % 7 == 0 else 30_001
        # Twice the middle, in nm: pipes lie on the grid of 1 nm with both walls.
        middle = (2 * y + width) / 2000
        components += (
            f'p{k} = {{ kind = "pipe", at = ["0 mm", "{middle:.4f} um"], '
            f'parameters = {{ width = "{width / 1000:.3f} um", length = "1 mm" }} }}\n'
        )
        ports += f'a{k} = {{ at = "p{k}.a", pressure = "1 Pa" }}\nb{k} = {{ at = "p{k}.b", pressure = "0 Pa" }}\n'
        y += width + gap
    return HEAD + components + ports


RULES = (
    'format = 1\nname = "limits < here"\n'
    '[[rule]]\nkind = "min_width"\nvalue = "50 um"\nsource = "test"\n'
    '[[rule]]\nkind = "min_gap"\nvalue = "30 um"\nsource = "test"\n'
)
(folder / "comb.toml").write_text(comb())
(folder / "rules.toml").write_text(RULES)
got = run("check", folder / "comb.toml", "--process", folder / "rules.toml", "--out", folder)
expect(got.returncode == 1, "violations are errors", got.stdout, got.stderr)
rows = list(csv.DictReader(open(folder / "comb.violations.csv")))
ours = {kind: sum(row["rule"] == kind for row in rows) for kind in ("min_width", "min_gap")}
expect(json.loads((folder / "comb.violations.json").read_text())["violations"][0]["source"] == "test", "JSON")
report = rdb.ReportDatabase("comb")
report.load(str(folder / "comb.violations.lyrdb"))
markers = {c.name(): c.num_items() for c in report.each_category()}
expect(markers == ours, "KLayout reads the markers", markers, ours)
run("export", folder / "comb.toml", "--format", "gds", "--out", folder)
layout = kdb.Layout()
layout.read(str(folder / "comb.gds"))
region = kdb.Region(layout.top_cell().begin_shapes_rec(layout.layer(1, 0))).merged()
theirs = {
    "min_width": region.width_check(50_000, False, kdb.Region.Projection, None, None, None).count(),
    "min_gap": region.space_check(30_000, False, kdb.Region.Projection, None, None, None).count(),
}
expect(theirs == ours, "KLayout's design rule check", theirs, ours)
print(f"comb: {ours}; KLayout's check {theirs}, its markers {markers}")

# A netlist comes in, goes out, and is read by ParchMint's own library.
data = Path(__file__).parents[2] / "../shared/interop-data/parchmint"
for path in sorted(data.glob("*.json")) if data.is_dir() else []:
    design = folder / (path.stem + ".toml")
    got = run("import", path, "-o", design)
    if got.returncode:
        expect("D3" in got.stderr, path.name, "refused without a code", got.stderr)
        continue
    paths = json.loads(path.read_text())
    solved = run("solve", design, "--resolution", "4", "--ports-only", "--out", folder / "results")
    expect(solved.returncode == 0, path.name, solved.stderr)
    run("export", design, "--format", "parchmint", "--out", folder)
    device = json.loads((folder / (path.stem + ".parchmint.json")).read_text())
    read = parchmint.Device(device)
    expect(len(read.components) == len(device["components"]), path.name, "components")
    print(path.name, "solved;", len(read.components), "components go out again")
print("fine" if not failures else f"{failures} failures")
sys.exit(bool(failures))
