"""The package as its users meet it; numbers against the command line, where its program is (STOKESLET)."""

import csv
import doctest
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import stokeslet as sk

ROOT = Path(__file__).resolve().parents[3]
DESIGNS = ROOT / "designs"
ALL = sorted(path.stem for path in DESIGNS.glob("*.toml"))


def tee() -> sk.Design:
    text = (DESIGNS / "tee.toml").read_text().replace("[fluid]", '[variables]\nl = "4 mm"\nn = 1\n[fluid]', 1)
    return sk.loads(text.replace('length = "4 mm"', 'length = "=l * n"'), "tee")


@pytest.mark.parametrize("name", ALL)
def test_numbers_are_those_of_the_command_line(name, tmp_path):
    program = os.environ.get("STOKESLET")
    if not program:
        pytest.skip("set STOKESLET to the program")
    path = DESIGNS / f"{name}.toml"
    command = [program, "solve", path, "--resolution", "4", "--out", tmp_path, "--format", "csv", "--ports-only", "--threads", "1"]
    subprocess.run(command, check=True, capture_output=True)
    with open(tmp_path / name / "ports.csv") as file:
        rows = list(csv.reader(file))[1:]
    for threads in (1, 2):
        ports = sk.load(path).solve(resolution=4, threads=threads).ports_dict
        for k, row in enumerate(rows):
            assert row[0] == ports["port"][k]
            numbers = [float(cell) for cell in row[2:4]]
            assert numbers == [ports["flow_rate"][k], ports["pressure"][k]], row


def test_a_design_made_in_python_is_that_of_its_text(tmp_path):
    d = sk.Design(width="100 um", depth="50 um", viscosity="0.89 mPa s", model="shallow", title='a "title"')
    y = d.add("y", name="y", angle="90 deg")
    mixer = d.add("serpentine_round", name="mixer", attach="in", to=y["out"], legs=6)
    d.port("a", y["a"], flow_rate="2 uL/min")
    d.port("b", y["b"], flow_rate="2 uL/min")
    d.port("out", mixer["out"], pressure="0 Pa")
    assert [m for m in d.check() if m.severity == "error"] == []
    d.save(tmp_path / "y.toml")
    one, two = d.solve(resolution=4, fields=False), sk.load(tmp_path / "y.toml").solve(resolution=4, fields=False)
    assert one.ports_dict == two.ports_dict
    assert abs(sum(one.flow_rate.values())) < 1e-9 * 4e-9 / 60
    d.export(tmp_path / "y.gds", tmp_path / "y.stl")
    assert (tmp_path / "y.gds").stat().st_size > 500
    assert "<svg" in d._repr_svg_() and "<svg" in d.solve(resolution=2)._repr_svg_()
    with pytest.raises(ValueError):
        d.export(tmp_path / "y.png")


def test_mistakes_carry_their_places():
    d = sk.Design()
    d.add("teee", name="t")
    with pytest.raises(sk.DesignError) as caught:
        d.solve()
    codes = {m["code"] for m in caught.value.diagnostics}
    assert "D101" in codes
    assert any(m.component == "t" and m.line is not None for m in d.check())
    with pytest.raises(sk.DesignError):
        tee().set(l="3 Pa").solve()
    with pytest.raises(sk.DesignError):
        tee().set(v="3 Pa").solve()


def test_variables_are_set_and_saved(tmp_path):
    d = tee().set(l="8 mm")
    assert d.variables == {"l": "8 mm", "n": "1"}
    r = d.solve(fields=False)
    left, right = r.flow_rate["left"], r.flow_rate["right"]
    assert left == pytest.approx(right, rel=1e-3)
    d.save(tmp_path / "x.toml")
    assert 'length = "=l * n"' in (tmp_path / "x.toml").read_text()
    assert sk.load(tmp_path / "x.toml").solve(fields=False).flow_rate["left"] == left


def test_arrays_are_numpys_own_and_made_once():
    r = sk.load(DESIGNS / "straight.toml").solve(resolution=4)
    for name in ("points", "triangles", "velocity", "pressure"):
        one, two = getattr(r, name), getattr(r, name)
        assert one.base is not None and not one.flags.writeable and not one.flags.owndata
        assert one.ctypes.data == two.ctypes.data
    n = len(r.points)
    assert r.points.shape == r.velocity.shape == (n, 2) and r.pressure.shape == (n,)
    assert r.triangles.dtype == np.int32 and r.triangles.shape[1] == 6 and r.triangles.max() == n - 1
    velocity, pressure = r.sample(r.points[r.triangles[:, 0]])
    assert np.allclose(velocity, r.velocity[r.triangles[:, 0]], rtol=1e-9, atol=1e-12)
    points, velocity, _ = r.line((-1.0, 0.0), (1.0, 0.0), 11)
    assert points.shape == (11, 2) and np.isnan(velocity[0]).all()
    g = r.conductance
    assert np.allclose(g, g.T, rtol=1e-8) and np.allclose(g.sum(axis=0), 0, atol=1e-9 * abs(g).max())
    assert r.wall_shear["max"] >= r.wall_shear["mean"] > 0
    kept = r.velocity
    del r
    gc.collect()
    assert np.isfinite(kept).all()


def test_ports_are_a_table():
    pandas = pytest.importorskip("pandas")
    table = tee().solve(fields=False).ports
    assert isinstance(table, pandas.DataFrame) and list(table.columns) == ["port", "kind", "flow_rate", "pressure", "mean_pressure"]


def test_a_session_keeps_its_elimination():
    s = sk.load(DESIGNS / "y-mixer.toml").session(fields=False, resolution=4)
    first = s.solve()
    s.set_port("dye", flow_rate="4 uL/min")
    s.set_port("water", flow_rate="4 uL/min")
    second = s.solve()
    assert second.flow_rate["outlet"] == pytest.approx(2 * first.flow_rate["outlet"], rel=1e-9)
    with pytest.raises(ValueError):
        s.set_port("dye", pressure="4 mm")
    with pytest.raises(ValueError):
        s.set_port("nobody", pressure="4 Pa")
    s.set_port("dye", pressure="10 mbar")
    assert s.solve().ports_dict["kind"][0] == "pressure"


def test_sweeps_are_iterators_in_order():
    d = tee()
    lengths = sk.linspace("3 mm", "5 mm", 5)
    rows = list(sk.sweep(d, workers=2, l=lengths, n=[1, 2]))
    assert [row.index for row in rows] == list(range(10))
    assert rows[3].variables == {"l": lengths[1], "n": 2}
    alone = d.set(l=lengths[1], n=2).solve(fields=False)
    assert rows[3].flow_rate == alone.flow_rate
    bad = list(sk.sweep(tee(), l=["4 mm", "-1 mm"]))
    assert bad[0].error is None and isinstance(bad[1].error, sk.DesignError)
    endless = sk.sweep(tee(), workers=1, at=({"n": 1} for _ in iter(int, 1)))
    assert next(endless).result is not None


def test_two_threads_solve_at_once():
    results = {}

    def work(k):
        results[k] = sk.load(DESIGNS / "tee.toml").solve(resolution=4, fields=False).flow_rate

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == results[1] and len(results) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_a_solve():
    d = sk.load(DESIGNS / "grid20.toml")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        d.solve(resolution=16)
        time.sleep(5)  # a solve that was faster than the timer proves nothing
        pytest.skip("the solve was done before Ctrl-C")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_memory_is_flat_over_many_solves():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1])

    d = sk.load(DESIGNS / "straight.toml")
    for _ in range(100):
        d.solve(resolution=2)
    before = resident()
    for _ in range(900):
        d.solve(resolution=2)
    assert resident() < 1.05 * before


def test_a_mesh_for_meshio():
    pytest.importorskip("meshio")
    r = tee().solve(resolution=4)
    mesh = r.to_meshio()
    assert mesh.cells[0].type == "triangle6" and len(mesh.points) == len(r.points)


def test_the_docs_run():
    failures, count = doctest.testmod(sk)
    assert count >= 5 and failures == 0


def test_points_are_mapped_over_a_dask_cluster():
    distributed = pytest.importorskip("distributed")
    text = (DESIGNS / "straight.toml").read_text()

    def inflow(value):
        import stokeslet

        design = stokeslet.loads(text.replace("[components]", f'[variables]\nscale = {value}\n[components]'))
        return design.solve(fields=False, resolution=4).ports_dict["flow_rate"][0]

    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        found = client.gather(client.map(inflow, [1.0, 2.0]))
    assert found == [inflow(1.0), inflow(2.0)]


MIXED = """format = 1
variables = { q = "1 uL/min" }
fluid = { viscosity = "1 mPa s" }
chip = { width = "100 um", depth = "100 um", resolution = 4 }
[components]
tee = { kind = "tee", at = ["0 mm", "0 mm"] }
mix = { kind = "pipe", attach = "a", to = "tee.up", parameters = { length = "4 mm" } }
[ports]
dye = { at = "tee.left", flow_rate = "=q" }
water = { at = "tee.right", flow_rate = "=q" }
out = { at = "mix.b", pressure = "0 Pa" }
[species]
dye = { diffusivity = "1e-9 m^2/s", inlets = { dye = 1 } }
"""


def test_what_is_dissolved_and_quantities_at_nodes():
    r = sk.loads(MIXED).solve()
    out = r.species["dye"]["out"]
    assert out["mean"] == pytest.approx(0.5, abs=1e-3) and 0.0 < out["mixing"] < 1.0
    slower = sk.loads(MIXED).set(q="0.25 uL/min").solve().species["dye"]["out"]
    assert slower["mixing"] > out["mixing"]
    assert r.quantity("shear_rate").shape == r.pressure.shape and (r.quantity("shear_rate") >= 0).all()
    assert np.allclose(r.quantity("speed"), np.linalg.norm(r.velocity, axis=1))
    with pytest.raises(ValueError, match="shear_rate"):
        r.quantity("shear")
    with pytest.raises(sk.SolveError, match="everywhere"):
        sk.loads(MIXED).solve(fields=False).species


def test_derivatives_and_fits():
    d = tee()
    s = d.sensitivity("ports.inlet.pressure")
    assert s.outputs == ("ports.inlet.pressure",) and not s.unmoved
    assert s.percent()["viscosity"][0] == pytest.approx(1.0, abs=1e-6)
    assert "chip.width" in s.derivatives, "a round width, too"
    goal = "ports.left.flow_rate = 3 * ports.right.flow_rate"
    found = d.fit(goal, vary={"l": ("1 mm", "8 mm")})
    assert found.is_met and abs(found.misses[0]) < 1e-4
    flow = found.design.solve(fields=False).flow_rate
    assert flow["left"] == pytest.approx(3 * flow["right"], rel=1e-3)
    with pytest.raises(ValueError, match="did you mean"):
        d.fit("ports.lefft.flow_rate = 1 uL/min", vary=["l"])


def test_rules_of_a_process_and_files_of_others(tmp_path):
    d = sk.Design(width="5 um", depth="50 um", viscosity="1 mPa s")
    p = d.add("pipe", name="p", length="1 mm")
    d.port("inlet", p["a"], pressure="1 mbar")
    d.port("outlet", p["b"], pressure="0 Pa")
    assert any(one.code == "D338" for one in d.check(process="pdms"))
    assert not any(one.code == "D338" for one in d.check())
    d.export(tmp_path / "chip.json")
    again = sk.import_parchmint(tmp_path / "chip.json")
    assert again.solve(fields=False, resolution=4).flow_rate


def test_a_dataset_for_xarray():
    xarray = pytest.importorskip("xarray")
    r = tee().solve(resolution=4)
    data = r.to_xarray()
    assert isinstance(data, xarray.Dataset) and data.sizes["node"] == len(r.points)
    assert data.pressure.units == "Pa" and float(data.x.max()) == r.points[:, 0].max()


def test_a_grid_for_pyvista():
    pytest.importorskip("pyvista")
    pytest.importorskip("meshio")
    r = tee().solve(resolution=4)
    assert r.to_pyvista().n_points == len(r.points)


def test_floors_of_shallow_chips_are_sheared():
    r = sk.load(DESIGNS / "y-mixer.toml").solve(resolution=4)
    assert r.floor_shear["max"] > r.floor_shear["mean"] > 0
    assert sk.load(DESIGNS / "tee.toml").solve(resolution=4).floor_shear is None


def test_names_of_any_letters_are_written_as_toml_has_them():
    d = sk.Design(width="100 um", depth="100 um", viscosity="1 mPa s")
    pipe = d.add("pipe", name="rohr_1", length="1 mm")
    d.port("入", pipe["a"], pressure="1 kPa")
    d.port("出", pipe["b"], pressure="0 Pa")
    assert '"入" = ' in d.text
    assert set(d.solve(resolution=4, fields=False).flow_rate) == {"入", "出"}
    # Tags of languages, which nobody sees.
    odd = sk.Design(width="100 um", viscosity="1 mPa s", title="a\U000e0001b")
    assert r'"a\U000E0001b"' in odd.text


def test_a_sweep_knows_the_resolution_of_its_design():
    text = (DESIGNS / "tee.toml").read_text().replace("[chip]", "[chip]\nresolution = 4", 1)
    sampler = sk._core.Sampler(text, "tee")
    assert sampler.solve({}).report["resolution"] == 4
    with pytest.raises(ValueError, match="from 2 to 512"):
        sk._core.Sampler(text, "tee", resolution=1)
