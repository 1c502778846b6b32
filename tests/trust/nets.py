"""Mechanisms with many loops: nets of bars, ladders, wheels, and nets whose bars have no mass."""

import math

import numpy as np

import dalembert as da


def net(rows, columns, plane=True, massless=False, seed=0):
    """Bars between the nodes of a crumpled grid, pinned together at the nodes and to the ground at the upper corners (a ladder: one).

    With `massless` the bars have neither mass nor inertia, and a particle sits at every node; in space a small body, on which
    one end of each bar is a universal joint across it, so that no bar can spin about itself.
    """
    rng = np.random.default_rng(seed)
    n = 2 if plane else 3
    m = da.Mechanism("net", plane=plane, gravity=(1.0, -9.81) if plane else (1.0, 0.5, -9.81))
    at = {
        (i, k): np.array([k, -i, 0.0])[:n] + rng.uniform(-0.2, 0.2, n)
        for i in range(rows + 1)
        for k in range(columns + 1)
    }
    meeting, across = {node: [] for node in at}, {}
    for (i, k), p in at.items():
        for node in ((i, k + 1), (i + 1, k)):
            if node in at:
                d = at[node] - p
                length = float(np.linalg.norm(d))
                mass = 0.0 if massless else rng.uniform(0.5, 2.0)
                j = mass * length**2 / 12
                bar = m.body(
                    f"bar {i} {k} {node[0]} {node[1]}",
                    mass=mass,
                    inertia=j if plane else (j, j, j),
                    at=(p + at[node]) / 2,
                )
                across[bar.name] = np.linalg.svd(np.atleast_2d(d))[2][1:]
                meeting[i, k].append(bar)
                meeting[node].append(bar)
    join = m.revolute if plane else m.spherical
    begun = set()
    for (i, k), bars in meeting.items():
        first = bars[0]
        if massless:
            mass = rng.uniform(0.5, 2.0)
            if plane:
                first = m.particle(f"node {i} {k}", mass=mass, at=at[i, k])
            else:
                first = m.body(f"node {i} {k}", mass=mass, inertia=(0.02, 0.03, 0.04), at=at[i, k])
            bars = [first, *bars]
        for c, bar in enumerate(bars[1:]):
            if massless and not plane and bar.name not in begun:
                begun.add(bar.name)
                m.universal(f"pin {i} {k} {c}", first, bar, at=at[i, k], axes=tuple(map(tuple, across[bar.name])))
            else:
                join(f"pin {i} {k} {c}", first, bar, at=at[i, k])
        if i == 0 and k in ((0, columns) if columns > 1 else (0,)):
            join(f"wall {k}", m.ground, first, at=at[i, k])
    return m


def ladder(n, plane=True):
    """Two rails of n bars with rungs between them, hanging from two pins."""
    return net(n, 1, plane)


def wheel(spokes, plane=True):
    """A hub and a rim, both moving, and bars with two joints between them: every spoke closes a loop through two bodies with many joints."""
    m = da.Mechanism("wheel", plane=plane, gravity=(0.0, -9.81) if plane else (0.3, -9.81, 1.0))
    flat = (lambda x, y: (x, y)) if plane else (lambda x, y: (x, y, 0.05 * math.sin(7 * x)))
    hub = m.body("hub", mass=5.0, inertia=2.0 if plane else (1.0, 1.5, 2.0), at=flat(0.1, 0.0))
    m.spring(
        "hang", m.ground.point(flat(0.0, 2.0)), hub.point((0.1, 0.0) if plane else (0.1, 0.0, 0.0)), stiffness=100.0
    )
    ends = []
    for k in range(spokes):
        angle = 2 * math.pi * k / spokes
        c, s = math.cos(angle), math.sin(angle)
        turn = angle + 0.8
        x, y = c + 0.5 * math.cos(turn), s + 0.5 * math.sin(turn)
        arm = m.body(f"arm {k}", mass=0.3 + 0.1 * (k % 3), inertia=0.02 if plane else (0.02, 0.02, 0.02), at=flat(x, y))
        if plane:
            m.revolute(f"inner {k}", hub, arm, at=flat(c, s))
        else:
            m.spherical(f"inner {k}", hub, arm, at=flat(c, s))
        far = flat(c + math.cos(turn), s + math.sin(turn))
        # each arm reaches its neighbour's: a loop of arm, rod, arm and hub
        ends.append(arm.point(local(far, (x, y), plane)))
        if k:
            m.distance(f"rod {k}", *ends[-2:])
    return m


def local(p, at, plane):
    """Point of an unrotated body drawn at `at`, in its axes."""
    return (p[0] - at[0], p[1] - at[1]) if plane else (p[0] - at[0], p[1] - at[1], p[2] - 0.05 * math.sin(7 * at[0]))


def dense(e):
    """Accelerations and multipliers of [M J^T; J 0] by SuperLU with pivoting on the sparse matrices, refined to round-off."""
    from scipy.sparse import bmat
    from scipy.sparse.linalg import splu

    M, J = e.mass_matrix(), e.jacobian()
    still = [k for k in range(M.shape[0]) if M[[k]].count_nonzero() == 0 and J[:, [k]].count_nonzero() == 0]
    M = M.tolil()
    for k in still:  # rotations of particles do not exist
        M[k, k] = 1.0
    K = bmat([[M, J.T], [J, None]], format="csc")
    right = np.concatenate([e.Q, e.gamma])
    lu = splu(K, permc_spec="COLAMD", diag_pivot_thresh=1.0)
    x = lu.solve(right)
    for _ in range(2):
        x += lu.solve(right - K @ x)
    return x[: M.shape[0]], x[M.shape[0] :]
