"""One solver with one set of options on one system, in a process of its own: prints a line of JSON.

one.py FOLDER SOLVER LIBRARY OPTIONS REPETITIONS, options as JSON"""

import json
import statistics
import sys
import time

import mumps
import pardiso
from system import System

SOLVERS = {"MUMPS": mumps.Solver, "PARDISO": pardiso.Solver}
TOLERANCE = 1e-10  # as Stokeslet's
MAX_REFINEMENTS = 3
ENOUGH = 60.0  # a case is not run again once its runs took this long, s


def status(key):
    """MiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024


def run(system, make):
    solver = make()  # copying the matrix into the solver's form is assembly, and isn't counted
    clock, processor = [time.perf_counter()], time.process_time()
    solver.analyse()
    clock.append(time.perf_counter())
    solver.factor()
    clock.append(time.perf_counter())
    x = solver.solve(system.rhs)
    residual = system.residual(x)
    refinements = 0
    while system.relative(residual) > TOLERANCE and refinements < MAX_REFINEMENTS:
        x += solver.solve(residual)
        residual = system.residual(x)
        refinements += 1
    clock.append(time.perf_counter())
    processor = time.process_time() - processor
    seconds = [b - a for a, b in zip(clock, clock[1:])]
    entries = solver.factor_entries()
    solver.close()
    return {
        "seconds": seconds, "processor": processor, "refinements": refinements, "entries": entries,
        "residual": system.relative(residual), "difference": system.difference(x),
    }


def main():
    folder, name, library, options, repetitions = sys.argv[1:]
    system = System(folder)
    options = json.loads(options)
    before = status("VmRSS:")
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # forgets the greatest memory so far
    except OSError:
        pass
    runs, peak = [], 0.0
    while len(runs) < int(repetitions) and sum(sum(r["seconds"]) for r in runs) < ENOUGH:
        runs.append(run(system, lambda: SOLVERS[name](library, system.lower, options)))
        if len(runs) == 1:
            peak = status("VmHWM:")
    of = lambda value: statistics.median(value(r) for r in runs)
    print(json.dumps({
        "unknowns": len(system.rhs), "runs": len(runs),
        "analyse": of(lambda r: r["seconds"][0]), "factor": of(lambda r: r["seconds"][1]), "solve": of(lambda r: r["seconds"][2]),
        "total": of(lambda r: sum(r["seconds"])), "processor": of(lambda r: r["processor"]),
        "refinements": runs[0]["refinements"], "residual": runs[0]["residual"], "difference": runs[0]["difference"],
        "entries": runs[0]["entries"], "added": peak - before,
    }))


if __name__ == "__main__":
    main()
