"""Drawings of 3DuF, imported and held against their union by shapely: area, islands, ports; then solved.

Usage: python tests/interop/drawings.py PROGRAM        (PROGRAM: the built stokeslet)
Needs: shapely==2.2.0 (tests/interop/audit installs it). Says nothing where the interchange data isn't beside the repository.
"""

import json
import math
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from shapely import affinity
from shapely.geometry import LineString, Point, Polygon, box
from shapely.ops import unary_union

program = sys.argv[1]
folder = Path(tempfile.mkdtemp())
failures = 0
UNITS = {"m": 1.0, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "nm": 1e-9, "pm": 1e-12, "fm": 1e-15}


def expect(holds, *what):
    global failures
    if not holds:
        failures += 1
        print("  FAILED", *what)


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def chords(radius, angle, width):
    """As the import says: a sagitta of a 200th of the width."""
    step = 2 * math.acos(1 - min(width / 200 / radius, 1))
    return min(max(math.ceil(angle / step), 4), 1000)


def arc(centre, radius, begin, angle, n):
    return [
        (centre[0] + radius * math.cos(begin + angle * k / n), centre[1] + radius * math.sin(begin + angle * k / n))
        for k in range(n + 1)
    ]


def rounded(a, b, width):
    r, along = width / 2, math.atan2(b[1] - a[1], b[0] - a[0])
    n = chords(r, math.pi, width)
    return Polygon(arc(b, r, along - math.pi / 2, math.pi, n) + arc(a, r, along + math.pi / 2, math.pi, n))


def mixer(p, is_curved):
    w, long, gap, n = p["channelWidth"], p["bendLength"], p["bendSpacing"], int(p["numberOfBends"])
    pitch, middle = gap + w, w + long / 2
    out = []
    for k in range(2 * n + 1):
        a, b = (w, w + long) if is_curved else (0, long + 2 * w)
        a, b = (middle - w / 2 if k == 2 * n else a), (middle + w / 2 if k == 0 else b)
        out.append(box(a, k * pitch, b, k * pitch + w))
    for k in range(2 * n):
        left, y = k % 2 == 0, k * pitch
        if is_curved:
            centre = (w if left else w + long, y + w / 2 + pitch / 2)
            begin = math.pi / 2 if left else -math.pi / 2
            m = chords(gap / 2 + w, math.pi, w)
            inner, outer = (arc(centre, r, begin, math.pi, m) for r in (gap / 2, gap / 2 + w))
            out.append(Polygon(inner + outer[::-1]))
        else:
            x = 0 if left else w + long
            out.append(box(x, y, x + w, y + pitch + w))
    union = unary_union(out)
    if p.get("orientation") == "H":
        union = affinity.affine_transform(union, [0, 1, -1, 0, 0, long + 2 * w])
    return affinity.translate(union, *p["position"])


def drawing(chip):
    """Shapes of the flow layer, channels and ports, um."""
    board = chip["params"]["width"], chip["params"]["length"]
    shapes, ducts, ports = [], [], []
    for feature in chip["features"][0]["features"].values():
        p, kind = feature.get("params", {}), feature["macro"]
        if kind in ("Channel", "RoundedChannel"):
            a, b, width = p["start"], p["end"], p["channelWidth"]
            on_edge = any(a[k] == b[k] and a[k] in (0, board[k]) for k in (0, 1))
            if a == b or on_edge:
                continue
            ducts.append((a, b, width))
            flat = LineString([a, b]).buffer(width / 2, cap_style="flat")
            shapes.append(flat if kind == "Channel" else rounded(a, b, width))
        elif kind == "Port":
            ports.append((p["position"], p["portRadius"]))
        elif kind == "Transition":
            (x, y), a, b, long = p["position"], p["cw1"] / 2, p["cw2"] / 2, p["length"]
            corners = [(0, -a), (0, a), (long, b), (long, -b)]
            if p["orientation"] != "H":
                corners = [(v, u) for u, v in corners]
            shapes.append(Polygon([(x + u, y + v) for u, v in corners]))
        elif kind == "Chamber":
            (x, y), r = p["position"], p["cornerRadius"]
            u, v = p["width"] / 2 - r, p["length"] / 2 - r
            n = chords(r, math.pi / 2, 2 * r)
            corners = [(u, v), (-u, v), (-u, -v), (u, -v)]
            outline = [arc((x + c[0], y + c[1]), r, k * math.pi / 2, math.pi / 2, n) for k, c in enumerate(corners)]
            shapes.append(Polygon(sum(outline, [])))
        elif kind in ("Mixer", "CurvedMixer"):
            shapes.append(mixer(p, kind == "CurvedMixer"))
            # Its straight pieces are channels for ports too; no port lies on one of the drawn chips.
    return shapes, ducts, ports


def without_ports(union, ducts, ports):
    """The union without holes of ports, and where each port opens: lines across channels."""
    away, openings = [], []
    for k, (centre, radius) in enumerate(ports):
        n = chords(radius, 2 * math.pi, 2 * radius)
        away.append(Polygon(arc(centre, radius, 0, 2 * math.pi, n)))
        for a, b, width in ducts:
            length = math.dist(a, b)
            ax, ay = (b[0] - a[0]) / length, (b[1] - a[1]) / length
            dx, dy = centre[0] - a[0], centre[1] - a[1]
            along, across = ax * dx + ay * dy, ax * dy - ay * dx
            if abs(across) > width / 2 or along + radius <= 0 or along - radius >= length:
                continue
            at = lambda s: (a[0] + ax * s, a[1] + ay * s)
            band = LineString([at(along - radius), at(along + radius)])
            away.append(band.buffer(width / 2 * (1 + 2e-6), cap_style="flat"))
            openings += [(k, Point(at(s))) for s in (along - radius, along + radius) if 0 < s < length]
    rest = union.difference(unary_union(away))
    return list(rest.geoms) if hasattr(rest, "geoms") else [rest], openings


def metres(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def design_area(design):
    area = 0.0
    for component in design["components"].values():
        p = component["parameters"]
        if component["kind"] == "pipe":
            area += metres(p["length"]) * metres(p["width"])
        else:
            area += Polygon([(metres(x), metres(y)) for x, y in p["points"]]).area
    return area * 1e12


data = Path(__file__).parents[2] / "../shared/interop-data/drawn"
for path in sorted(data.glob("*.json")) if data.is_dir() else []:
    toml = folder / (path.stem + ".toml")
    got = run("import", path, "-o", toml)
    expect(got.returncode == 0, path.name, got.stderr)
    if got.returncode:
        continue
    shapes, ducts, ports = drawing(json.loads(path.read_text()))
    union = unary_union(shapes)
    pieces, openings = without_ports(union, ducts, ports)
    near = 1e-3
    kept = [(piece, {k for k, at in openings if piece.distance(at) < near}) for piece in pieces]
    kept = [(piece, own) for piece, own in kept if len(own) > 1]
    area = sum(piece.area for piece, _ in kept)
    design = tomllib.loads(toml.read_text())
    ours = design_area(design)
    expect(abs(ours / area - 1) < 1e-6, path.name, "area", ours, area)
    own_ports = {name.split("_")[0] for name in design["ports"]}
    theirs = set().union(*(own for _, own in kept))
    expect(len(own_ports) == len(theirs), path.name, "ports", own_ports, theirs)
    solved = run("solve", toml, "--resolution", "4", "--ports-only", "--out", folder / "results")
    expect(solved.returncode == 0, path.name, solved.stderr)
    residual = None
    if solved.returncode == 0:
        summary = json.loads((folder / "results" / path.stem / "summary.json").read_text())
        residual = summary.get("relative_residual", summary.get("report", {}).get("relative_residual"))
        expect(residual is not None and residual < 1e-10, path.name, "residual", residual)
    kinds = [c["kind"] for c in design["components"].values()]
    islands = len(list(union.geoms)) if hasattr(union, "geoms") else 1
    print(
        f"{path.stem}: {islands} islands drawn, {len(kept)} with ports {sorted(len(o) for _, o in kept)} after cutting; "
        f"{kinds.count('pipe')} pipes, {kinds.count('polygon')} polygons; area {ours / area - 1:+.1e}; residual {residual}"
    )
print("fine" if not failures else f"{failures} failures")
sys.exit(bool(failures))
