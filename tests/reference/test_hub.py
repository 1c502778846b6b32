"""A hub with many spokes: the range-space matrix S = J M^-1 J^T would be full, so the saddle-point solver is chosen, with the same answers.

Source: dense solution of [M J^T; J 0][a; lam] = [Q; gamma] by NumPy (LU with pivoting), and the symmetry of the device.

Tolerance: rounding of two direct solvers, 1e-11 times the size of the accelerations.
"""

import math

import numpy as np
import pytest

import dalembert as da


def hub(spokes, plane=True):
    """Disk on an axle with spokes hinged to its rim, hanging in gravity and held by torsion springs."""
    m = da.Mechanism("hub", plane=plane, gravity=(0, -9.81) if plane else (0, -9.81, 0))
    flat = (lambda x, y: (x, y)) if plane else (lambda x, y: (x, y, 0.0))
    axis = {} if plane else {"axis": (0, 0, 1)}
    disk = m.body("disk", mass=5.0, inertia=2.0 if plane else (1.0, 1.0, 2.0))
    m.revolute("axle", m.ground, disk, at=flat(0, 0), **axis)
    for k in range(spokes):
        angle = 2 * math.pi * k / spokes
        c, s = math.cos(angle), math.sin(angle)
        turn = {"angle": angle} if plane else {"rotation": ((0, 0, 1), angle)}
        spoke = m.body(
            f"spoke {k}",
            mass=0.1 + 0.01 * (k % 3),
            inertia=0.01 if plane else (0.002, 0.01, 0.01),
            at=flat(1.3 * c, 1.3 * s),
            **turn,
        )
        m.revolute(f"hinge {k}", disk, spoke, at=flat(c, s), **axis)
        # zero of the hinge: bodies parallel in the plane, as drawn in space
        free = angle if plane else 0.0
        m.torsion_spring(f"spring {k}", m[f"hinge {k}"], stiffness=2.0, damping=0.01, free_angle=free)
        m.start(m[f"hinge {k}"].angle, rate=0.5 * math.sin(3 * k))
    m.start(m["axle"].angle, rate=2.0)
    return m


def dense(eq):
    n, rows = len(eq.a), len(eq.lam)
    full = np.block([[eq.M, eq.jac.T], [eq.jac, np.zeros((rows, rows))]])
    x = np.linalg.solve(full, np.concatenate([eq.Q, eq.gamma]))
    return x[:n], x[n:]


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("spokes, solver", [(6, "range space"), (60, "saddle point")])
def test_accelerations_and_multipliers(spokes, solver, plane):
    eq = da.equations(hub(spokes, plane))
    assert solver in repr(eq.system)
    a, lam = dense(eq)
    assert eq.a == pytest.approx(a, abs=1e-11 * np.abs(a).max())
    assert eq.lam == pytest.approx(lam, abs=1e-11 * np.abs(lam).max())


def test_motion_of_many_spokes_in_space_is_planar():
    """The same hub in the plane and in space, gravity in its plane: same motion, by the saddle-point solver in both."""
    n = 45
    flat, deep = hub(n), hub(n, plane=False)
    runs = [da.simulate(m, until=0.5, rtol=1e-11, atol=1e-12, output=[0.0, 0.5]) for m in (flat, deep)]
    for run in runs:
        assert "saddle point" in repr(run.system)
        assert run.audit.degrees_of_freedom == n + 1
        assert run.status == "ok"
    for joint in ("axle", "hinge 0", "hinge 17"):
        start = runs[0][joint].angle[0]
        assert runs[1][joint].angle[-1] == pytest.approx(runs[0][joint].angle[-1] - start, abs=1e-9)
        assert runs[1][joint].force[-1, :2] == pytest.approx(runs[0][joint].force[-1], abs=1e-7)


def test_saddle_point_and_range_space_give_the_same_motion():
    """A hub of 6 beside the hub of 60 whose other 54 spokes are massless points of the disk: welded on, they change nothing."""
    small = da.simulate(hub(6), until=0.5, rtol=1e-11, atol=1e-12, output=[0.0, 0.5])
    m = hub(6)
    for k in range(54):
        angle = 2 * math.pi * k / 54
        # without mass or inertia and welded to the disk
        speck = m.body(f"speck {k}", mass=0.0, inertia=0.0, at=(0.5 * math.cos(angle), 0.5 * math.sin(angle)))
        m.fixed(f"weld {k}", m["disk"], speck, at=(0.5 * math.cos(angle), 0.5 * math.sin(angle)))
    large = da.simulate(m, until=0.5, rtol=1e-11, atol=1e-12, output=[0.0, 0.5])
    assert "range space" in repr(small.system)
    assert "saddle point" in repr(large.system)
    for joint in ("axle", "hinge 0", "hinge 5"):
        assert large[joint].angle[-1] == pytest.approx(small[joint].angle[-1], abs=1e-9)
        assert large[joint].force[-1] == pytest.approx(small[joint].force[-1], abs=1e-7)
    assert large["weld 3"].force[-1] == pytest.approx([0, 0], abs=1e-9)
