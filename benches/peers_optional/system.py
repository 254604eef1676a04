"""An exported system: matrix.mtx (lower triangle), rhs.mtx, solution.mtx, unknowns.csv."""

import csv
from pathlib import Path

import numpy as np
from scipy.io import mmread
from scipy.sparse import coo_matrix


class System:
    """`lower` (triplets of the lower triangle), `whole` (rows, for residuals), `rhs`, `ours` (Stokeslet's solution), `is_pressure`.

    Files are read once; later runs find them beside, in numpy's form."""

    def __init__(self, folder):
        folder = Path(folder)
        cache = folder / "system.npz"
        if not cache.exists() or cache.stat().st_mtime < (folder / "unknowns.csv").stat().st_mtime:
            _read(folder, cache)
        stored = np.load(cache)
        n = len(stored["rhs"])
        self.lower = coo_matrix((stored["values"], (stored["rows"], stored["columns"])), shape=(n, n))
        below = stored["rows"] != stored["columns"]
        self.whole = (self.lower + coo_matrix(
            (stored["values"][below], (stored["columns"][below], stored["rows"][below])), shape=(n, n))).tocsr()
        self.rhs, self.ours, self.is_pressure = stored["rhs"], stored["solution"], stored["is_pressure"]

    def residual(self, x):
        return self.rhs - self.whole @ x

    def relative(self, residual):
        """The larger of the momentum and the continuity rows' norms over the right-hand side's, as in the bench."""
        pressure = self.is_pressure
        return max(np.linalg.norm(residual[pressure]), np.linalg.norm(residual[~pressure])) / np.linalg.norm(self.rhs)

    def difference(self, x):
        """Greatest difference to Stokeslet's solution over its greatest value, of velocities."""
        velocity = ~self.is_pressure
        return np.abs(x - self.ours)[velocity].max() / np.abs(self.ours[velocity]).max()


def _read(folder, cache):
    matrix = mmread(folder / "matrix.mtx").tocoo()
    # Readers make the symmetric matrix whole; the solvers want its lower triangle.
    keep = matrix.row >= matrix.col
    with open(folder / "unknowns.csv", newline="") as file:
        reader = csv.reader(file)
        kind = next(reader).index("kind")
        is_pressure = np.array([row[kind] == "pressure" for row in reader])
    np.savez(
        cache, rows=matrix.row[keep].astype(np.int32), columns=matrix.col[keep].astype(np.int32), values=matrix.data[keep],
        rhs=np.asarray(mmread(folder / "rhs.mtx")).ravel(), solution=np.asarray(mmread(folder / "solution.mtx")).ravel(),
        is_pressure=is_pressure,
    )
