"""Would a coarse space help conjugate gradients among particles?

    python preconditioners.py > tank.toml                                     (a tank of 40 x 80 particles)
    stokeslet particles run tank.toml --steps 600 --every 600 --format vtu
    python preconditioners.py results/particles-tank/tank-0600.vtu           (needs numpy, scipy, meshio)

Rebuilds the constraint matrix of the settled tank from its particles, finds the rows that push by an active set with exact solves, and counts
products of conjugate gradients among them: with the diagonal, with coarse spaces solved exactly, with symmetric Gauss-Seidel.
"""

import sys

import meshio
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from scipy.spatial import cKDTree

TANK = """
name = 'tank'
dimension = 2
spacing = 0.01
step = 0.001
duration = 1.0
gravity = [0.0, -9.80665]
[[tank]]
min = [0.0, 0.0]
size = [0.4, 1.0]
[[fluid]]
boxes = [{ min = [0.0, 0.0], size = [0.4, 0.8] }]
"""

SPACING, STEP, GRAVITY, ALPHA, WIDTH = 0.01, 1e-3, 9.80665, 0.05, 0.4
RADIUS = 2.1 * SPACING
DENSITY = 1.533155  # of the lattice
FLUID = 0
GOALS = (1e-1, 1e-2, 1e-4)


def matrix(points):
    """Rows of fluid particles and of their contacts with walls; what they lack before any impulse; places of the fluid."""
    n = len(points)
    tree = cKDTree(points)
    i, j = tree.query_pairs(RADIUS, output_type="ndarray").T
    between = points[j] - points[i]
    r = np.linalg.norm(between, axis=1)
    slope = -2 / RADIUS * (1 - r / RADIUS)
    v = -SPACING * (slope / r)[:, None] * between
    rows, columns, entries = np.r_[i, j], np.r_[j, i], np.r_[v, -v]
    own = np.zeros((n, 2))
    np.add.at(own, rows, -entries)
    rows, columns = np.r_[rows, np.arange(n)], np.r_[columns, np.arange(n)]
    entries = np.r_[entries, own]
    shape = (n, 2 * n)
    parts = [sp.csr_matrix((entries[:, c], (rows, 2 * columns + c)), shape) for c in (0, 1)]
    xs, ys = (np.arange(-3, 43) + 0.5) * SPACING, (np.arange(-3, 100) + 0.5) * SPACING
    wall = np.array([(x, y) for x in xs for y in ys if x < 0 or x > WIDTH or y < 0])
    walls = cKDTree(wall)
    density = np.zeros(n)
    weight = (1 - r / RADIUS) ** 2
    np.add.at(density, np.r_[i, j], np.r_[weight, weight])
    for k, near in enumerate(tree.query_ball_tree(walls, RADIUS)):
        density[k] += ((1 - np.linalg.norm(wall[near] - points[k], axis=1) / RADIUS) ** 2).sum()
    touching = tree.query_ball_tree(walls, SPACING * (1 + 1e-6))
    contacts = [(k, points[k] - wall[b]) for k, near in enumerate(touching) for b in near]
    normals = np.array([e / np.linalg.norm(e) for _, e in contacts]).reshape(-1, 2)
    places = np.array([(2 * k, 2 * k + 1) for k, _ in contacts]).reshape(-1, 2)
    of_contact = np.repeat(np.arange(len(contacts)), 2)
    walls = sp.csr_matrix((normals.ravel(), (of_contact, places.ravel())), (len(contacts), 2 * n))
    j = sp.vstack([parts[0] + parts[1], walls]).tocsr()
    u = np.zeros((n, 2))
    u[:, 1] = -GRAVITY * STEP
    target = np.r_[SPACING * ALPHA / STEP * (DENSITY - density), np.zeros(len(contacts))]
    return (j @ j.T).tocsr(), j @ u.ravel() + target


def free_rows(k, q):
    """Rows with an impulse in the solution."""
    active = np.ones(len(q), bool)
    for _ in range(60):
        free = np.where(active)[0]
        block = k[free][:, free] + sp.diags(1e-9 * k.diagonal()[free])
        x = np.zeros(len(q))
        x[free] = sl.spsolve(block.tocsc(), -q[free])
        now = np.where(active, x > 0, k @ x + q < 0)
        if (now == active).all():
            break
        active = now
    return np.where(active)[0]


def products(a, b, precondition):
    """Products of conjugate gradients until the largest residual has fallen to each of GOALS."""
    x, r = np.zeros_like(b), b.copy()
    z = precondition(r)
    p, rho, first, out = z.copy(), r @ z, abs(r).max(), []
    for k in range(1, 3000):
        ap = a @ p
        step = rho / (p @ ap)
        x += step * p
        r -= step * ap
        while len(out) < len(GOALS) and abs(r).max() < GOALS[len(out)] * first:
            out.append(k)
        if len(out) == len(GOALS):
            break
        z = precondition(r)
        before, rho = rho, r @ z
        p = z + rho / before * p
    return out


def hats(points, size, n_rows):
    """Bilinear functions on cells of a size; contacts have none."""
    at = (points - points.min(0)) / size + 1
    low = np.floor(at).astype(int)
    part, width = at - low, low[:, 0].max() + 2
    rows, columns, values = [], [], []
    for a in (0, 1):
        for c in (0, 1):
            rows.append(np.arange(len(points)))
            columns.append(low[:, 0] + a + width * (low[:, 1] + c))
            values.append(np.where(a, part[:, 0], 1 - part[:, 0]) * np.where(c, part[:, 1], 1 - part[:, 1]))
    p = sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))))
    p = p[:, np.where(np.asarray(p.multiply(p).sum(0)).ravel() > 1e-8)[0]]
    return sp.vstack([p, sp.csr_matrix((n_rows - len(points), p.shape[1]))]).tocsr()


def main():
    if len(sys.argv) < 2:
        print(TANK.strip())
        return
    mesh = meshio.read(sys.argv[1])
    points = mesh.points[np.asarray(mesh.point_data["kind"]).ravel() == FLUID, :2]
    k, q = matrix(points)
    free = free_rows(k, q)
    a, b = k[free][:, free].tocsr(), -q[free]
    diagonal = a.diagonal()
    fluid = points[free[free < len(points)]]
    print(f"{len(free)} of {len(q)} rows push; products to {GOALS}")
    print("diagonal", products(a, b, lambda r: r / diagonal))
    for cells in (2, 3, 4, 6):
        p = hats(fluid, cells * SPACING, len(free))
        coarse = (p.T @ a @ p).tocsc()
        exact = sl.splu((coarse + 1e-10 * sp.diags(coarse.diagonal())).tocsc())
        print(f"hats on {cells} spacings, added", products(a, b, lambda r: r / diagonal + p @ exact.solve(p.T @ r)))
    lower = (sp.tril(a, -1) + sp.diags(diagonal)).tocsr()
    upper = lower.T.tocsr()

    def symmetric(r):
        y = sl.spsolve_triangular(lower, r)
        return sl.spsolve_triangular(upper, diagonal * y, lower=False)

    print("symmetric Gauss-Seidel", products(a, b, symmetric))


if __name__ == "__main__":
    main()
