"""MUMPS, sequential, from the shared library inside casadi's wheel, called directly: no binding builds without its sources.

Symmetric indefinite (SYM=2). The structure below is that of `dmumps_c.h` 5.8.2; the version string that MUMPS writes into it
proves the layout."""

import ctypes
from ctypes import POINTER, c_char, c_double, c_int, c_int64

import numpy as np

VERSION = "5.8.2"
I, D, PI, PD = c_int, c_double, POINTER(c_int), POINTER(c_double)


def _fields():
    def each(kind, names):
        return [(name, kind) for name in names.split()]

    return (
        each(I, "sym par job comm_fortran")
        + [("icntl", I * 60), ("keep", I * 500), ("cntl", D * 15), ("dkeep", D * 230), ("keep8", c_int64 * 150)]
        + each(I, "n nblk nz_alloc nz")
        + [("nnz", c_int64), ("irn", PI), ("jcn", PI), ("a", PD)]
        + [("nz_loc", I), ("nnz_loc", c_int64), ("irn_loc", PI), ("jcn_loc", PI), ("a_loc", PD)]
        + [("nelt", I), ("eltptr", PI), ("eltvar", PI), ("a_elt", PD)]
        + each(PI, "blkptr blkvar perm_in sym_perm uns_perm")
        + each(PD, "colsca rowsca")
        + each(I, "colsca_from_mumps rowsca_from_mumps")
        + each(PD, "colsca_loc rowsca_loc")
        + each(PI, "rowind colind")
        + each(PD, "pivots rhs redrhs rhs_sparse sol_loc rhs_loc rhsintr")
        + each(PI, "irhs_sparse irhs_ptr isol_loc irhs_loc glob2loc_rhs glob2loc_sol")
        + each(I, "nrhs lrhs lredrhs nz_rhs lsol_loc nloc_rhs lrhs_loc nsol_loc")
        + each(I, "schur_mloc schur_nloc schur_lld mblock nblock nprow npcol ld_rhsintr")
        + [("info", I * 80), ("infog", I * 80), ("rinfo", D * 40), ("rinfog", D * 40)]
        + [("deficiency", I), ("pivnul_list", PI), ("mapping", PI), ("singular_values", PD)]
        + [("size_schur", I), ("listvar_schur", PI), ("schur", PD), ("wk_user", PD)]
        + [("version_number", c_char * 32), ("ooc_tmpdir", c_char * 1024), ("ooc_prefix", c_char * 256)]
        + [("write_problem", c_char * 1024), ("lwk_user", I), ("save_dir", c_char * 1024)]
        + [("save_prefix", c_char * 256), ("metis_options", I * 40), ("instance_number", I)]
    )


class Structure(ctypes.Structure):
    _fields_ = _fields()


# ICNTL(7)
ORDERINGS = {"amd": 0, "amf": 2, "qamd": 6, "pord": 4, "metis": 5}


class Solver:
    """One factorisation. Methods are the stages that are timed; `options`: ordering, compressed (0, 1 or 2), threshold."""

    def __init__(self, library, lower, options):
        self.call = ctypes.CDLL(library).dmumps_c
        self.id = Structure(sym=2, par=1, comm_fortran=-987654)
        self._job(-1)
        found = self.id.version_number.decode(errors="replace")
        if found != VERSION:
            raise RuntimeError(f"MUMPS {VERSION} is expected and the library says {found!r}")
        self.rows = (lower.row + 1).astype(np.int32)
        self.columns = (lower.col + 1).astype(np.int32)
        self.values = np.ascontiguousarray(lower.data, dtype=np.float64)
        icntl = self.id.icntl
        for unit in range(4):
            icntl[unit] = 0  # no output; errors are raised from info
        icntl[5] = 5 if options["compressed"] == 2 else 7  # ICNTL(6): matching that the compression needs
        icntl[6] = ORDERINGS[options["ordering"]]
        icntl[11] = options["compressed"]  # ICNTL(12): 1 usual ordering, 2 compressed, for saddle points
        icntl[13] = 50  # ICNTL(14): room for delayed pivots, percent
        self.id.cntl[0] = options["threshold"]
        self.id.n, self.id.nnz = lower.shape[0], len(self.values)
        self.id.irn, self.id.jcn = (v.ctypes.data_as(PI) for v in (self.rows, self.columns))
        self.id.a = self.values.ctypes.data_as(PD)

    def _job(self, job):
        self.id.job = job
        self.call(ctypes.byref(self.id))
        if self.id.infog[0] < 0:
            raise RuntimeError(f"MUMPS job {job}: INFOG(1:2) = {self.id.infog[0]}, {self.id.infog[1]}")

    def analyse(self):
        self._job(1)

    def factor(self):
        self._job(2)

    def solve(self, rhs):
        x = np.array(rhs, dtype=np.float64)
        self.id.rhs = x.ctypes.data_as(PD)
        self._job(3)
        return x

    def factor_entries(self):
        """INFOG(29); in millions where it is negative."""
        entries = self.id.infog[28]
        return entries if entries >= 0 else -entries * 1_000_000

    def close(self):
        self._job(-2)
