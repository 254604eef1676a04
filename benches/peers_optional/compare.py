"""All solvers that could be installed on all exported systems, beside what the bench measured: a table, and a CSV.

compare.py SYSTEMS RESULTS [--all] [--record] [CASE ...]; libraries come from the environment: MUMPS_LIBRARY, MKL_LIBRARY (empty where
missing). The table goes to RESULTS/peers_optional.csv; with --record each solver's fastest run also becomes columns of
RESULTS/peers.csv, beside what the bench recorded in the same run."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HEADINGS = [
    "case", "unknowns", "solver", "options", "threads", "analyse s", "factor s", "solve s", "total s", "processor s", "runs",
    "refinements", "residual", "difference", "factor MiB", "added MiB", "solver / ours",
]
REPETITIONS = 3
SOLVERS = ("MUMPS", "PARDISO")
PEER_NOTE = "MUMPS, PARDISO: the fastest of their orderings, one and all threads, whose residual is at most 1e-10"


def mumps_options(everything):
    """Orderings with and without compression; those that never won only when asked for."""
    good = [("amd", 1, 0.01), ("amf", 1, 0.01), ("amd", 2, 0.01), ("amf", 2, 0.01)]
    rest = [("qamd", 2, 0.01), ("pord", 2, 0.01), ("metis", 1, 0.01), ("amd", 1, 1e-4), ("amf", 2, 1e-4)]
    return [
        {"ordering": o, "compressed": c, "threshold": t} for o, c, t in good + (rest if everything else [])
    ]


def pardiso_options(_everything):
    """With Bunch-Kaufman pivots the factor of `voronoi-s4` is wrong (residual above 1, one pressure too many); single pivots hold."""
    options = [("mindegree", 0), ("metis", 0), ("mindegree", 1)]
    return [{"ordering": o, "matching": 1, "bunch_kaufman": b} for o, b in options]


def variants(everything):
    """(solver, its library, options, name of the BLAS, library that is loaded first)."""
    mumps, mkl = os.environ.get("MUMPS_LIBRARY", ""), os.environ.get("MKL_LIBRARY", "")
    if mumps:
        # Loaded first, MKL's products take the place of those of the wheel.
        blas = [("mkl", mkl)] if mkl else []
        blas += [("own blas", "")] if everything or not mkl else []
        for name, preload in blas:
            yield from (("MUMPS", mumps, o, name, preload) for o in mumps_options(everything))
    if mkl:
        yield from (("PARDISO", mkl, o, "mkl", "") for o in pardiso_options(everything))


def one(folder, variant, threads):
    """Runs a variant in a process of its own; what it measured, or why it failed."""
    solver, library, options, _, preload = variant
    environment = {
        **os.environ, "MKL_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads),
        "MKL_INTERFACE_LAYER": "LP64", "MKL_THREADING_LAYER": "INTEL" if threads > 1 else "SEQUENTIAL", "LD_PRELOAD": preload,
    }
    command = [sys.executable, str(HERE / "one.py"), str(folder), solver, library, json.dumps(options), str(REPETITIONS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1]), None


def describe(variant):
    options, blas = variant[2], variant[3]
    return " ".join(f"{k} {v}" for k, v in options.items()) + f" {blas}"


def row_of(case, variant, threads, m, ours):
    times = [f"{m[key]:.3f}" for key in ("analyse", "factor", "solve", "total", "processor")]
    return [
        case, m["unknowns"], variant[0], describe(variant), threads, *times, m["runs"], m["refinements"], f"{m['residual']:.1e}",
        f"{m['difference']:.1e}", f"{m['entries'] * 8 / 2**20:.0f}", f"{m['added']:.0f}", f"{m['total'] / ours:.1f}",
    ]


def measured_rows(case, folder):
    """Stokeslet and faer, as `cargo bench --bench peers` measured them on the same system; and our seconds."""
    with open(folder / "measured.csv", newline="") as file:
        m = next(csv.DictReader(file))
    ours = float(m["ours s"])
    stokeslet = [
        case, m["unknowns"], "Stokeslet", "", m["threads"], m["plan s"], m["eliminate s"],
        f"{float(m['back substitute s']) + float(m['results s']):.3f}", m["ours s"], m.get("processor s", ""), m["runs"], "", m["residual"], "", "",
        m["peak MiB"], "1.0",
    ]
    total = sum(float(m[f"peer {stage} s"]) for stage in ("analyse", "factor", "solve"))
    faer = [
        case, m["unknowns"], "faer LDLT", "ordering amd", m["peer threads"], m["peer analyse s"], m["peer factor s"],
        m["peer solve s"], f"{total:.3f}", m.get("peer processor s", ""), m["peer runs"], m["peer refinements"], m["peer residual"], m["difference"],
        m["peer factor MiB"], "", f"{total / ours:.1f}",
    ]
    return [stokeslet, faer], ours


def case_rows(folder, ours, candidates):
    """All variants with one thread, then each solver's fastest one with all threads: more threads choose no other ordering.

    Returns rows, and what failed in words."""
    rows, failures, fastest = [], [], {}

    def add(variant, threads):
        measured, failure = one(folder, variant, threads)
        if failure:
            failures.append(f"{folder.name}, {variant[0]} {describe(variant)}; {threads} threads: {failure}")
            print(failures[-1], file=sys.stderr)
            return
        rows.append(row_of(folder.name, variant, threads, measured, ours))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
        if measured["residual"] <= 1e-10:
            # By processor time: with one thread it is the clock's on a machine that does nothing else.
            found = (measured["processor"], variant)
            fastest[variant[0]] = min(fastest.get(variant[0], found), found, key=lambda f: f[0])

    for variant in candidates:
        add(variant, 1)
    processors = os.cpu_count() or 1
    if processors > 1:
        for _, variant in list(fastest.values()):
            add(variant, processors)
    return rows, failures


def fastest_of(rows):
    """The row with the least total time among those that hold the tolerance."""
    right = [r for r in rows if float(r[12]) <= 1e-10]
    return min(right, key=lambda r: float(r[8]), default=None)


def record(path, systems, found):
    """Adds columns to the table that the bench recorded, `found` being the rows of each case.

    Only beside a row that was measured in the run that exported the system: a ratio of two runs says nothing."""
    with open(path, newline="") as file:
        lines = file.read().splitlines()
    notes = [line for line in lines if line.startswith("#") and PEER_NOTE not in line]
    headings, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    added = [f"{solver} {column}" for solver in SOLVERS for column in ("s", "options", "threads", "/ ours")]
    n = headings.index(added[0]) if added[0] in headings else len(headings)
    stale = []
    for row in rows:
        case = row[0]
        if case in found:
            with open(systems / case / "measured.csv", newline="") as file:
                if list(csv.reader(file))[1] != row[:n]:
                    stale.append(case)
                    continue
            row[n:] = []
            for solver in SOLVERS:
                fastest = fastest_of([r for r in found[case] if r[2] == solver])
                row += [fastest[8], fastest[3], fastest[4], fastest[16]] if fastest else ["", "", "", ""]
        row += [""] * (n + len(added) - len(row))
    with open(path, "w", newline="") as file:
        file.writelines(f"{note}\n" for note in [*notes, f"# {PEER_NOTE}"])
        csv.writer(file, lineterminator="\n").writerows([headings[:n] + added, *rows])
    missing = sorted(set(found) - {row[0] for row in rows})
    if stale or missing:
        sys.exit(f"{path} is of another run, and isn't added to: {' '.join(stale + missing)}")


def main():
    everything = "--all" in sys.argv
    systems, results, *cases = [a for a in sys.argv[1:] if not a.startswith("--")]
    rows, notes, best, rows_of = [], [], [], {}
    if not any(Path(systems).glob("*/measured.csv")):
        sys.exit("no system was exported; run without --exported first")
    for folder in sorted(Path(systems).iterdir()):
        asked = not cases or folder.name in cases or folder.name.split("@")[0] in cases
        if not asked or not (folder / "measured.csv").exists():
            continue
        of_case, ours = measured_rows(folder.name, folder)
        found, failures = case_rows(folder, ours, list(variants(everything)))
        rows_of[folder.name] = found
        of_case += found
        notes += failures
        rows += of_case
        fastest = fastest_of(of_case[1:])
        if fastest:
            best.append(f"{folder.name}: fastest general solver {fastest[2]} ({fastest[3]}; {fastest[4]} threads) {fastest[8]} s "
                        f"(processors {fastest[9]} s); ours {of_case[0][8]} s (processors {of_case[0][9]} s); {fastest[16]} times")
    missing = os.environ.get("NOT_INSTALLED", "")
    machine = [f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f} at the end; total s is the clock's, processor s tells more "
               "where the machine does other work; added MiB is what the solver added to a process that held the system"]
    notes = machine + ([f"not installed: {missing}"] if missing else []) + best + notes
    with open(Path(results) / "peers_optional.csv", "w", newline="") as file:
        file.writelines(f"# {note}\n" for note in notes)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([HEADINGS, *rows])
    print("\n".join(notes))
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    if "--record" in sys.argv:
        record(Path(results) / "peers.csv", Path(systems), rows_of)


if __name__ == "__main__":
    main()
