"""PARDISO of Intel's library, called directly. Symmetric indefinite (mtype -2) with scaling and matching: without them its static
pivots give wrong fields on saddle points."""

import ctypes

import numpy as np

MTYPE = -2
# iparm(2)
ORDERINGS = {"mindegree": 0, "metis": 2, "metis-parallel": 3}


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Solver:
    """One factorisation. Methods are the stages that are timed; `options`: ordering, matching and
    bunch_kaufman (0 or 1)."""

    def __init__(self, library, lower, options):
        self.library = ctypes.CDLL(library)
        # The upper triangle by rows is the lower one by columns. Pressures need a stored diagonal.
        n = lower.shape[0]
        rows = np.concatenate([lower.col, np.arange(n)])
        columns = np.concatenate([lower.row, np.arange(n)])
        values = np.concatenate([lower.data, np.zeros(n)])
        from scipy.sparse import coo_matrix

        upper = coo_matrix((values, (rows, columns)), shape=(n, n)).tocsr()
        upper.sort_indices()
        self.n = n
        self.start = (upper.indptr + 1).astype(np.int32)
        self.columns = (upper.indices + 1).astype(np.int32)
        self.values = upper.data.astype(np.float64)
        self.handle = np.zeros(64, dtype=np.int64)
        self.iparm = np.zeros(64, dtype=np.int32)
        self.iparm[0] = 1  # values below, not defaults
        self.iparm[1] = ORDERINGS[options["ordering"]]
        self.iparm[7] = 2  # iparm(8): refinements inside the solve
        self.iparm[9] = 8  # iparm(10): pivots below 1e-8 are perturbed
        self.iparm[10] = options["matching"]  # iparm(11): scaling
        self.iparm[12] = options["matching"]  # iparm(13): matching
        self.iparm[17] = -1  # iparm(18): count the factor's entries
        self.iparm[20] = options["bunch_kaufman"]  # iparm(21): pairs of pivots
        self.empty = np.zeros(1)

    def _phase(self, phase, rhs=None, x=None):
        error = ctypes.c_int(0)
        whole = [ctypes.c_int(v) for v in (1, 1, MTYPE, phase, self.n, 1, 0)]
        maxfct, mnum, mtype, phase_, n, nrhs, silent = (ctypes.byref(v) for v in whole)
        permutation = np.zeros(self.n, dtype=np.int32)
        self.library.pardiso(
            _pointer(self.handle), maxfct, mnum, mtype, phase_, n, _pointer(self.values), _pointer(self.start),
            _pointer(self.columns), _pointer(permutation), nrhs, _pointer(self.iparm), silent,
            _pointer(self.empty if rhs is None else rhs), _pointer(self.empty if x is None else x), ctypes.byref(error),
        )
        if error.value:
            raise RuntimeError(f"PARDISO phase {phase}: error {error.value}")

    def analyse(self):
        self._phase(11)

    def factor(self):
        self._phase(22)

    def solve(self, rhs):
        rhs, x = np.array(rhs, dtype=np.float64), np.zeros(self.n)
        self._phase(33, rhs, x)
        return x

    def factor_entries(self):
        return int(self.iparm[17])

    def close(self):
        self._phase(-1)
