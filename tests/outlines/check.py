"""Reads exported outlines with other people's programs and compares them with what the chips are.

Usage: OUTLINES=DIR cargo test -p stokeslet-cad --lib outline -- --ignored; python tests/outlines/check.py DIR
Needs: ezdxf==1.4.5 gdstk==1.0.2 klayout==0.30.12 trimesh==5.2.0 shapely svgpathtools networkx scipy parchmint==0.2.11
"""

import csv
import json
import math
import sys
from pathlib import Path

import ezdxf
import gdstk
import klayout.db as kdb
import parchmint
import svgpathtools
import trimesh

folder = Path(sys.argv[1])
failures = 0


def expect(holds, *what):
    global failures
    if not holds:
        failures += 1
        print("  FAILED", *what)


def bulge_area(points):
    """Area of a closed polyline with bulges (x, y, bulge)."""
    area = 0.0
    x0, y0 = points[0][0], points[0][1]
    for (ax, ay, bulge), (bx, by, _) in zip(points, points[1:] + points[:1]):
        area += ((ax - x0) * (by - y0) - (bx - x0) * (ay - y0)) / 2
        if bulge:
            turn = 4 * math.atan(bulge)
            r = math.hypot(bx - ax, by - ay) / 2 / math.sin(turn / 2)
            area += r * r * (turn - math.sin(turn)) / 2
    return area


def entity_area(entity):
    points = [(x, y, b) for x, y, b in entity.get_points("xyb")]
    return bulge_area(points)


for fact in csv.DictReader(open(folder / "facts.csv")):
    name, area = fact["name"], float(fact["area_mm2"])
    islands, holes, parts, ports = (int(fact[k]) for k in ("islands", "holes", "parts", "ports"))
    depth = float(fact["depth_mm"])
    line = [name]
    for ending in (".dxf", ".flat.dxf"):
        drawing = ezdxf.readfile(folder / (name + ending))
        audit = drawing.audit()
        expect(not audit.errors and not audit.fixes, name, ending, audit.errors, audit.fixes)
        got, inserts = 0.0, 0
        for entity in drawing.modelspace():
            if entity.dxftype() == "INSERT":
                inserts += 1
                # Posts of a block are on a layer of their own.
                signed = lambda e: -1 if e.dxf.layer == "FLOW_HOLES" else 1
                got += sum(signed(e) * abs(entity_area(e)) for e in entity.virtual_entities())
            elif entity.dxftype() == "LWPOLYLINE" and entity.dxf.layer.startswith("FLOW"):
                got += entity_area(entity)
        expect(abs(got / area - 1) < 1e-6, name, ending, "area", got, area)
        if ending == ".dxf":
            expect(inserts == parts, name, "inserts", inserts, parts)
        line.append(f"dxf {got / area - 1:.1e}")
        layout = kdb.Layout()
        options = kdb.LoadLayoutOptions()
        # KLayout's own integers end before two chips of the library do at 1 nm.
        x, y = (abs(v) for v in drawing.header["$EXTMAX"][:2])
        options.dxf_dbu, options.dxf_unit = (0.001 if max(x, y) < 1000 else 0.01), 1000.0
        options.dxf_polyline_mode = 3
        layout.read(str(folder / (name + ending)), options)
        expect(layout.top_cells(), name, "KLayout reads", ending)

    library = gdstk.read_gds(folder / (name + ".gds"))
    top = library.top_level()[0]
    got = top.area() / 1e6
    expect(abs(got / area - 1) < 1e-6, name, "gds area", got / area - 1)
    expect(len(top.references) == parts and len(top.labels) == ports, name, "references")
    layout = kdb.Layout()
    layout.read(str(folder / (name + ".gds")))
    region = kdb.Region(layout.top_cell().begin_shapes_rec(layout.layer(1, 0)))
    merged = region.merged()
    expect(merged.count() == islands, name, "merged polygons", merged.count(), islands)
    n_holes = sum(p.holes() for p in merged.each())
    expect(n_holes == holes, name, "holes", n_holes, holes)
    # Growing and shrinking fills gaps. Slanted edges come back rounded: what differs must be thinner than 2 nm.
    closed = merged.sized(1).sized(-1) ^ merged
    expect(closed.sized(-1).is_empty(), name, "gaps", closed.count(), closed.area())
    layout.write(str(folder / (name + ".oas")))
    again = gdstk.read_oas(folder / (name + ".oas")).top_level()[0].area() / 1e6
    expect(abs(again / got - 1) < 1e-9, name, "as OASIS", again / got - 1)
    device = json.loads((folder / (name + ".parchmint.json")).read_text())
    read = parchmint.Device(device)
    counts = [(len(read.components), len(device["components"])), (len(read.connections), len(device["connections"]))]
    expect(all(a == b for a, b in counts), name, "ParchMint", counts)
    line.append(f"gds {got / area - 1:.1e} merged {merged.area() * layout.dbu**2 / 1e6 / area - 1:.1e} cells {len(library.cells) - 1}")

    for ending in (".stl", ".block.stl"):
        solid = trimesh.load(folder / (name + ending))
        expect(solid.is_watertight and solid.is_winding_consistent, name, ending, "not closed")
        if ending == ".stl":
            expect(abs(solid.volume / (area * depth) - 1) < 1e-5, name, "volume", solid.volume / (area * depth) - 1)
            expect(solid.euler_number == 2 * (islands - holes), name, "Euler", solid.euler_number)
            line.append(f"stl {solid.volume / (area * depth) - 1:.1e}")
        else:
            expect(solid.volume > 0, name, "inside out")
    text = (folder / (name + ".patches.stl")).read_text()
    names = [row[6:] for row in text.splitlines() if row.startswith("solid ")]
    expect(len(names) == ports + 1 and len(set(names)) == ports + 1, name, names)

    for ending, sign in ((".mask.svg", -1), (".clear.svg", 1)):
        paths, attributes, page = svgpathtools.svg2paths2(str(folder / (name + ending)))
        width, height = (float(page[k][:-2]) for k in ("width", "height"))
        got = 0.0
        for path in paths[0].continuous_subpaths():
            for piece in path:
                a, b = piece.start, piece.end
                got -= (a.real * b.imag - b.real * a.imag) / 2
                if isinstance(piece, svgpathtools.Arc):
                    turn = math.radians(-piece.delta)
                    got += piece.radius.real**2 * (turn - math.sin(turn)) / 2
        # The page's own rectangle runs the other way from the islands in a dark field.
        got = got if sign > 0 else got + width * height
        expect(abs(got / area - 1) < 1e-6, name, ending, got / area - 1)
    line.append(f"mask {got / area - 1:.1e}")
    print(*line, sep="; ")
print("fine" if not failures else f"{failures} failures")
sys.exit(bool(failures))
