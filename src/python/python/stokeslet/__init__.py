"""Designs microfluidic chips and solves the real Stokes flow of the whole chip.

>>> import stokeslet as sk
>>> d = sk.Design(width="100 um", depth="50 um", viscosity="1 mPa s", model="planar")
>>> p = d.add("pipe", name="p", length="1 mm")
>>> d.port("inlet", p["a"], pressure="1 mbar")
>>> d.port("outlet", p["b"], pressure="0 Pa")
>>> r = d.solve()
>>> round(r.ports_dict["flow_rate"][0] * 1e12, 3)      # w^3 d dp / (12 mu L) = 0.4167 uL/s
416.667
>>> [round(row.flow_rate["inlet"] * 1e12, 2) for row in sk.sweep(
...     sk.loads(d.text.replace('"1 mm"', '"=l"').replace("[fluid]", "[variables]\\nl = \\"1 mm\\"\\n[fluid]")),
...     l=["1 mm", "2 mm"])]
[416.67, 208.33]

Lengths are metres, pressures Pa, flow rates m^3/s (m^2/s in a chip without a depth), wherever they are numbers.
"""

from __future__ import annotations

import itertools
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence

import numpy as np

from . import _core
from ._core import DesignError, SolveError, __version__, linspace

__all__ = [
    "Component",
    "Design",
    "DesignError",
    "Diagnostic",
    "Fitted",
    "Point",
    "Result",
    "Sensitivity",
    "Session",
    "SolveError",
    "components",
    "import_file",
    "import_parchmint",
    "linspace",
    "load",
    "loads",
    "points",
    "sweep",
]

_FORMATS = {".dxf": "dxf", ".gds": "gds", ".stl": "stl", ".svg": "mask", ".json": "parchmint"}


@dataclass(frozen=True)
class Diagnostic:
    """A mistake in a design: what is wrong, where, and what to do."""

    code: str
    severity: str
    message: str
    help: str | None
    component: str | None
    line: int | None


def _toml(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    raise TypeError(f"a design can't hold a {type(value).__name__}")


def _key(key: Any) -> str:
    """A key in TOML: as it is, or in quotes where it isn't bare."""
    text = str(key)
    return text if re.fullmatch("[A-Za-z0-9_-]+", text) else _toml(text)


def _setting(value: Any) -> str:
    """A variable's value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    return str(value)


@dataclass(frozen=True)
class Component:
    """A component of a design that is being made; ``component["socket"]`` names its socket."""

    name: str

    def __getitem__(self, socket: str) -> str:
        return f"{self.name}.{socket}"


class Design:
    """A design: made from nothing, or read by :func:`load` and :func:`loads`.

    >>> d = Design(width="100 um", viscosity="1 mPa s")
    >>> tee = d.add("tee", name="t")
    >>> tee["left"]
    't.left'
    >>> d.check()[0].severity
    'error'
    """

    def __init__(
        self,
        *,
        width: str = "100 um",
        depth: str | None = None,
        viscosity: str = "1 mPa s",
        model: str = "planar",
        resolution: int | None = None,
        title: str | None = None,
        name: str = "design",
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        chip: dict[str, Any] = {"model": model, "width": width}
        if depth is not None:
            chip["depth"] = depth
        if resolution is not None:
            chip["resolution"] = resolution
        self.name = name
        self._title = title
        self._sections: dict[str, dict[str, Any]] = {
            "variables": dict(variables or {}),
            "fluid": {"viscosity": viscosity},
            "chip": chip,
            "components": {},
            "channels": {},
            "ports": {},
        }
        self._text: str | None = None
        self._set: dict[str, str] = {}

    @classmethod
    def _of_text(cls, text: str, name: str) -> Design:
        design = cls(name=name)
        design._text = text
        _core.canonical(text, name, {})
        return design

    @property
    def text(self) -> str:
        """The design file."""
        if self._text is not None:
            return self._text
        lines = ["format = 1"]
        if self._title is not None:
            lines.append(f"title = {_toml(self._title)}")
        for section, entries in self._sections.items():
            if entries:
                lines.append(f"\n[{section}]")
                lines += [f"{_key(key)} = {_toml(value)}" for key, value in entries.items()]
        return "\n".join(lines) + "\n"

    def _entries(self, section: str) -> dict[str, Any]:
        if self._text is not None:
            raise TypeError("a design that was read from text is changed in its text, or by its variables")
        return self._sections[section]

    def add(
        self,
        kind: str,
        *,
        name: str | None = None,
        at: Sequence[str] | None = None,
        rotation: str | None = None,
        mirror: bool = False,
        attach: str | None = None,
        to: str | None = None,
        repeat: Any = None,
        **parameters: Any,
    ) -> Component:
        """Adds a component: at a place (the origin unless said), or attached by its socket ``attach`` to the socket ``to``."""
        entries = self._entries("components")
        if name is None:
            name = next(f"{kind}{k}" for k in itertools.count(1) if f"{kind}{k}" not in entries)
        if name in entries:
            raise ValueError(f"there is a component {name!r} already")
        entry: dict[str, Any] = {"kind": kind}
        if attach is not None or to is not None:
            entry |= {"attach": attach or "", "to": to or ""}
        else:
            entry["at"] = list(at) if at is not None else ["0 mm", "0 mm"]
        if rotation is not None:
            entry["rotation"] = rotation
        if mirror:
            entry["mirror"] = True
        if parameters:
            entry["parameters"] = parameters
        if repeat is not None:
            entry["repeat"] = repeat
        entries[name] = entry
        return Component(name)

    def channel(self, name: str, start: str, to: str | None = None, **keys: Any) -> Component:
        """Adds a channel from a socket to another, through way-points ``via``; see the README of designs for ``bend`` and ``radius``."""
        entry: dict[str, Any] = {"from": start}
        if to is not None:
            entry["to"] = to
        self._entries("channels")[name] = entry | keys
        return Component(name)

    def port(self, name: str, at: str, **condition: Any) -> None:
        """Opens a socket: ``pressure="1 mbar"``, ``flow_rate="5 uL/min"`` or ``traction_free=True``."""
        self._entries("ports")[name] = {"at": at, **condition}

    def set(self, **variables: Any) -> Design:
        """Sets variables: quantities such as ``"80 um"``, numbers or expressions. The design itself, for chaining."""
        self._set |= {name: _setting(value) for name, value in variables.items()}
        return self

    @property
    def variables(self) -> dict[str, str]:
        """Variables and what they are, as TOML; those that were set, as they were set."""
        return dict(_core.variables(self.text, self.name)) | self._set

    def check(self, *, process: str | os.PathLike[str] | None = None) -> list[Diagnostic]:
        """All mistakes and warnings; with a process (`pdms`, or a file) also what it can't make."""
        rules = None
        if process is not None:
            name = os.fspath(process)
            rules = Path(name).read_text(encoding="utf-8") if name.endswith(".toml") else _core.process(name)
        return [Diagnostic(**one) for one in _core.check(self.text, self.name, self._set, rules)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the design file, with variables as they are set."""
        text = _core.canonical(self.text, self.name, self._set) if self._set else self.text
        Path(path).write_text(text, encoding="utf-8")

    def export(self, *paths: str | os.PathLike[str]) -> None:
        """Writes outlines; endings tell the formats: .dxf, .gds, .stl, .svg (mask), .json (ParchMint)."""
        for path in map(Path, paths):
            kind = _FORMATS.get(path.suffix)
            if kind is None:
                raise ValueError(f"no format ends in {path.suffix!r}: there are {', '.join(_FORMATS)}")
            path.write_bytes(bytes(_core.outlines(self.text, self.name, self._set, kind)))

    def session(
        self,
        *,
        resolution: int | None = None,
        model: str | None = None,
        fields: bool = True,
        threads: int | None = None,
    ) -> Session:
        """A chip that keeps its elimination, for many values at its ports."""
        return Session(_core.Session(self.text, self.name, self._set, resolution, model, fields, threads))

    def solve(
        self,
        *,
        resolution: int | None = None,
        model: str | None = None,
        fields: bool = True,
        threads: int | None = None,
    ) -> Result:
        """Solves the chip. Ctrl-C stops it."""
        core = _core.Session(self.text, self.name, self._set, resolution, model, fields, threads)
        return Result(core.solve_once())

    def sensitivity(self, *of: str, resolution: int | None = None) -> Sensitivity:
        """Derivatives of results to every width, length, depth, viscosity, port value and variable of the design.

        Results are formulas such as "ports.a.flow_rate / ports.b.flow_rate", "wall_shear.max", "floor_shear.max" or
        "species.dye.out.mixing";
        without any, flows and pressures at the ports that aren't given there.
        """
        names, values, rows = _core.sensitivity(self.text, self.name, self._set, list(of), resolution)
        return Sensitivity(
            outputs=tuple(names),
            values=tuple(values),
            parameters={name: value for name, value, _, _ in rows},
            derivatives={name: tuple(row) for name, _, row, _ in rows if row is not None},
            unmoved={name: why for name, _, _, why in rows if why is not None},
        )

    def fit(
        self,
        *goals: str,
        vary: Sequence[str] | Mapping[str, tuple[str, str] | None],
        resolution: int | None = None,
    ) -> Fitted:
        """Values of variables that meet goals: "a = b", "a <= b", "minimise a", "maximise a" of results.

        `vary` names variables, perhaps with bounds: {"l": ("1 mm", "9 mm")}; else from a tenth to ten times their values.
        """
        bounds: dict[str, tuple[str, str] | None] = (
            dict(vary) if isinstance(vary, Mapping) else dict.fromkeys(vary)
        )
        values, misses, is_met = _core.fit(self.text, self.name, self._set, bounds, list(goals), resolution)
        design = Design._of_text(self.text, self.name)
        design._set = self._set | values
        return Fitted(design=design, values=values, misses=tuple(misses), is_met=is_met)

    def _repr_svg_(self) -> str:
        return bytes(_core.outlines(self.text, self.name, self._set, "mask")).decode()


class Session:
    """A chip that was eliminated once and can be asked again."""

    def __init__(self, core: _core.Session) -> None:
        self._core = core

    def set_port(self, name: str, *, pressure: str | None = None, flow_rate: str | None = None) -> None:
        """Sets what holds at a port; another kind of condition than before costs an elimination."""
        values = [value for value in (pressure, flow_rate) if value is not None]
        if len(values) != 1:
            raise TypeError("give one of pressure and flow_rate")
        self._core.set_port(name, values[0])

    def solve(self) -> Result:
        """Solves; only the first time eliminates."""
        return Result(self._core.solve())


class Result:
    """A solved chip. Arrays are read-only and made once; their memory is numpy's."""

    def __init__(self, core: _core.Result) -> None:
        self._core = core

    @property
    def ports_dict(self) -> dict[str, list[Any]]:
        """Columns: port, kind, flow_rate (into the chip), pressure (given, or what does the work), mean_pressure (of the field)."""
        rows = self._core.port_rows
        names = ("port", "kind", "flow_rate", "pressure", "mean_pressure")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    @property
    def ports(self) -> Any:
        """The ports as a pandas.DataFrame where pandas is there, else :attr:`ports_dict`."""
        try:
            import pandas
        except ImportError:
            return self.ports_dict
        return pandas.DataFrame(self.ports_dict)

    @property
    def flow_rate(self) -> dict[str, float]:
        """By port, into the chip."""
        return {row[0]: row[2] for row in self._core.port_rows}

    @property
    def flow_unit(self) -> str:
        """m^3/s, or m^2/s of a chip without a depth."""
        return self._core.flow_unit

    @property
    def conductance(self) -> np.ndarray:
        """Flow into each port for unit pressure at each, (n, n)."""
        return self._core.conductance

    @property
    def points(self) -> np.ndarray:
        """Nodes of the mesh, (N, 2)."""
        return self._core.points

    @property
    def triangles(self) -> np.ndarray:
        """Quadratic triangles, (M, 6): three vertices, then the middles of edges 01, 12, 20."""
        return self._core.triangles

    @property
    def velocity(self) -> np.ndarray:
        """At the nodes, (N, 2)."""
        return self._core.velocity

    @property
    def pressure(self) -> np.ndarray:
        """At the nodes, (N,)."""
        return self._core.pressure

    def quantity(self, name: str) -> np.ndarray:
        """A quantity at the nodes, (N,): speed, pressure, shear_rate (1/s)."""
        return self._core.quantity(name)

    @property
    def species(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """What is dissolved, by species and port: mean concentration, mixing index, estimated error of the mean. Needs fields."""
        found: dict[str, dict[str, dict[str, float | None]]] = {}
        for name, port, mean, mixing, error in self._core.species():
            found.setdefault(name, {})[port] = {"mean": mean, "mixing": mixing, "error": error}
        return found

    @property
    def report(self) -> dict[str, Any]:
        """Residual, unknowns, seconds, peak speed, shear of walls, and of floor and ceiling (`shallow`; else None)."""
        return self._core.report

    @property
    def wall_shear(self) -> dict[str, float]:
        """Least, mean and greatest wall shear stress, Pa: in `shallow` chips of side walls, see `floor_shear`."""
        report = self.report
        return {key: report[f"wall_shear_{key}"] for key in ("min", "mean", "max")}

    @property
    def floor_shear(self) -> dict[str, float] | None:
        """Mean and greatest shear stress of floor and ceiling of a `shallow` chip, Pa; None in other models."""
        report = self.report
        if report["floor_shear_max"] is None:
            return None
        return {key: report[f"floor_shear_{key}"] for key in ("mean", "max")}

    def sample(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Velocity (n, 2) and pressure (n,) at points (n, 2); not a number outside the flow."""
        points = np.asarray(points, dtype=float).reshape(-1, 2)
        return self._core.sample(points.tolist())

    def line(self, start: Sequence[float], stop: Sequence[float], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points from one place to another, with velocity and pressure there."""
        points = self._core.line_points(list(start), list(stop), n)
        return (points, *self.sample(points))

    def to_meshio(self) -> Any:
        """A meshio.Mesh of quadratic triangles."""
        import meshio

        zeros = np.zeros((len(self.points), 1))
        return meshio.Mesh(
            np.hstack([self.points, zeros]),
            [("triangle6", self.triangles)],
            point_data={"velocity": np.hstack([self.velocity, zeros]), "pressure": self.pressure},
        )

    def to_pyvista(self) -> Any:
        """A pyvista.UnstructuredGrid."""
        import pyvista

        return pyvista.from_meshio(self.to_meshio())

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the nodes, with the triangles beside them."""
        import xarray

        def units(values: Any, unit: str, *dims: str) -> Any:
            return xarray.Variable(dims, values, {"units": unit})

        return xarray.Dataset(
            {
                "velocity": units(self.velocity, "m/s", "node", "axis"),
                "pressure": units(self.pressure, "Pa", "node"),
                "shear_rate": units(self.quantity("shear_rate"), "1/s", "node"),
                "triangles": (("cell", "corner"), self.triangles),
            },
            coords={
                "x": units(self.points[:, 0], "m", "node"),
                "y": units(self.points[:, 1], "m", "node"),
                "axis": ["x", "y"],
            },
            attrs=self.report,
        )

    def _repr_svg_(self) -> str:
        """Speed, as a picture for notebooks: each triangle in the colour of its middle."""
        points, triangles = self.points, self.triangles
        if len(points) == 0:
            return "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>"
        speed = np.linalg.norm(self.velocity, axis=1)[triangles[:, 3:]].mean(axis=1)
        shade = (255 - 215 * speed / max(float(speed.max()), 1e-300)).astype(int)
        low, high = points.min(axis=0), points.max(axis=0)
        scale = 600 / max(float((high - low).max()), 1e-300)
        corners = (points[triangles[:, :3]] - [low[0], high[1]]) * [scale, -scale]
        size = (high - low) * scale
        body = "".join(
            "<polygon points='{}' fill='rgb({},{},255)'/>".format(" ".join(f"{x:.1f},{y:.1f}" for x, y in c), s, s)
            for c, s in zip(corners, shade)
        )
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{size[0]:.0f}' height='{size[1]:.0f}' "
            f"viewBox='0 0 {size[0]:.1f} {size[1]:.1f}'>{body}</svg>"
        )


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of results, SI."""

    outputs: tuple[str, ...]
    values: tuple[float | None, ...]
    #: What results are derived to, with its value.
    parameters: dict[str, float]
    #: By parameter, one a result; nothing where a result has none.
    derivatives: dict[str, tuple[float | None, ...]]
    #: Parameters without derivatives, and why.
    unmoved: dict[str, str]

    def percent(self) -> dict[str, tuple[float | None, ...]]:
        """Per cent that each result changes by where a parameter grows by 1 %."""

        def one(slope: float | None, parameter: float, value: float | None) -> float | None:
            return slope * parameter / value if slope is not None and value else None

        return {
            name: tuple(one(slope, self.parameters[name], value) for slope, value in zip(row, self.values))
            for name, row in self.derivatives.items()
        }


@dataclass(frozen=True)
class Fitted:
    """A design whose variables meet goals as well as they can."""

    design: Design
    values: dict[str, str]
    #: What is left of each equation, relative; nothing for what was minimised.
    misses: tuple[float | None, ...]
    is_met: bool


@dataclass(frozen=True)
class Point:
    """A point of a sweep: the values of its variables, and its result or why there is none."""

    index: int
    variables: dict[str, Any]
    result: Result | None = field(default=None, compare=False)
    error: Exception | None = field(default=None, compare=False)

    @property
    def flow_rate(self) -> dict[str, float]:
        """By port; empty where there is no result."""
        return self.result.flow_rate if self.result is not None else {}


def points(**ranges: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Every value of each variable with every other, the last one changing fastest.

    >>> list(points(w=["1 mm", "2 mm"], n=[3]))
    [{'w': '1 mm', 'n': 3}, {'w': '2 mm', 'n': 3}]
    """
    for values in itertools.product(*ranges.values()):
        yield dict(zip(ranges, values))


def sweep(
    design: Design,
    *,
    workers: int | None = None,
    fields: bool = False,
    resolution: int | None = None,
    at: Iterable[Mapping[str, Any]] | None = None,
    **ranges: Iterable[Any],
) -> Iterator[Point]:
    """Solves a design at every combination of values (or at those of ``at``), side by side; points come in their order.

    A point that can't be solved has an ``error`` and no result.
    """
    core = _core.Sampler(design.text, design.name, resolution, fields)

    def one(index: int, variables: dict[str, Any]) -> Point:
        set_here = design._set | {name: _setting(value) for name, value in variables.items()}
        try:
            return Point(index, variables, Result(core.solve(set_here)))
        except (DesignError, SolveError) as error:
            return Point(index, variables, error=error)

    workers = workers or os.cpu_count() or 1
    chosen = enumerate(dict(v) for v in (points(**ranges) if at is None else at))
    with ThreadPoolExecutor(workers) as pool:
        # A few ahead of the reader, not all: results hold memory.
        waiting = [pool.submit(one, *next_one) for next_one in itertools.islice(chosen, 2 * workers)]
        while waiting:
            point = waiting.pop(0).result()
            waiting += [pool.submit(one, *next_one) for next_one in itertools.islice(chosen, 1)]
            yield point


def load(path: str | os.PathLike[str]) -> Design:
    """Reads a design file."""
    path = Path(path)
    return Design._of_text(path.read_text(encoding="utf-8"), path.stem)


def loads(text: str, name: str = "design") -> Design:
    """Reads a design from its text.

    >>> loads("format = 1")
    Traceback (most recent call last):
    ...
    stokeslet.DesignError: error[D005]: the design has no `fluid` (add the section:
    [fluid]
    viscosity = "0.89 mPa s")
    error[D005]: the design has no `chip` (add the section:
    [chip]
    width = "100 um")
    """
    return Design._of_text(text, name)


def import_file(path: str | os.PathLike[str]) -> Design:
    """A design from another program's file: ParchMint, a drawing of 3DuF, a network of MMFT, a plain network."""
    path = Path(path)
    text, _ = _core.import_text(path.read_text(encoding="utf-8"), path.stem)
    return Design._of_text(text, path.stem)


import_parchmint = import_file


def components() -> dict[str, tuple[str, str]]:
    """The component library: family and one line of each.

    >>> components()["tee"][0]
    'junctions'
    """
    return {name: (family, doc) for name, family, doc in _core.components()}
