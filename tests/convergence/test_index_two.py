"""Radau IIA on the stabilized equations of index 2 (C. W. Gear, B. Leimkuhler, G. K. Gupta 1985), as a slow twin of ours: accelerations solve the constraints, and states are projected.

The twin has multipliers and the impulses mu that keep positions as unknowns of every stage, and equations of its own in plain numpy (those of `test_index_three.py`):

    q' = v + J^T mu,   M v' + J^T lam = Q,   Phi(q) = 0,   J v = 0

Its last stage is the end of the step.  Positions and velocities of both are of order 2s - 1 and come to the same motion.  The multipliers of the twin are of
order s only (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, VII.4); ours are those of the equations at the end of a step and have the order of the state, as have those of the twin when
they are computed there.
"""

from math import sqrt

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da

from .test_index_three import SliderCrank, Top
from .test_order_implicit import LOOSE, first, slope  # noqa: F401  (Newton's method that leaves nothing)

# E. Hairer, G. Wanner, tables IV.5.5 and IV.5.6
R = sqrt(6.0)
RADAU = {
    3: np.array([[5 / 12, -1 / 12], [3 / 4, 1 / 4]]),
    5: np.array(
        [
            [(88 - 7 * R) / 360, (296 - 169 * R) / 1800, (-2 + 3 * R) / 225],
            [(296 + 169 * R) / 1800, (88 + 7 * R) / 360, (-2 - 3 * R) / 225],
            [(16 - R) / 36, (16 + R) / 36, 1 / 9],
        ]
    ),
}
UNTIL = 0.5
COUNTS = {3: (80, 112, 160), 5: (40, 56, 80)}


class Plane(SliderCrank):
    """Positions as they are."""

    def flat(self, q):
        return q

    def pose(self, y):
        return y

    def rate(self, y, u):
        return u


class Space(Top):
    """Rotations by quaternions, scalar last: p' = 1/2 p * (omega', 0).  Their length has no meaning."""

    def flat(self, q):
        return np.concatenate([q[0], q[1].as_quat()])

    def pose(self, y):
        return y[:3], Rotation.from_quat(y[3:])

    def rate(self, y, u):
        p, w = y[3:], u[3:]
        return np.concatenate([u[:3], 0.5 * (p[3] * w + np.cross(p[:3], w)), [-0.5 * p[:3] @ w]])


def residual(system, inner, h, y, v, unknown):
    """What is left of the equations of all stages; unknown: rates of y, accelerations, lam and mu of each."""
    stages, n, m = len(inner), len(y), len(v)
    u = unknown.reshape(stages, -1)
    places, speeds = y + h * inner @ u[:, :n], v + h * inner @ u[:, n : n + m]
    left = []
    for i in range(stages):
        lam, mu = np.split(u[i, n + m :], 2)
        q = system.pose(places[i])
        jac = system.jac(q)
        balance = system.mass @ u[i, n : n + m] + jac.T @ lam - system.force(q, speeds[i])
        moved = u[i, :n] - system.rate(places[i], speeds[i] + jac.T @ mu)
        # over the step: of the size of rates
        left += [moved, balance, system.phi(q) / h, jac @ speeds[i] / h]
    return np.concatenate(left)


def derivative(of, at):
    """Matrix of differences."""
    e, here = 1e-7, of(at)
    return np.array([(of(at + e * k) - here) / e for k in np.eye(len(at))]).T


def twin(system, inner, h):
    """(v, lam of the method, lam of the equations, residuals of Phi and J v) at the end of equal steps."""
    q, v = system.start
    y, stages = system.flat(q), len(inner)
    a, lam = system.saddle(q, v)
    unknown = np.tile(np.concatenate([system.rate(y, v), a, lam, 0 * lam]), stages)
    for _ in range(round(UNTIL / h)):
        # the matrix of the start of a step; rounding of positions over the step is 1e-14, which lam feels over the step once more
        matrix = derivative(lambda x, y=y, v=v: residual(system, inner, h, y, v, x), unknown)
        for _ in range(60):
            change = np.linalg.solve(matrix, -residual(system, inner, h, y, v, unknown))
            unknown = unknown + change
            if np.abs(change).max() < 1e-9 * (1 + np.abs(unknown).max()):
                break
        else:
            raise AssertionError("the twin did not converge")
        u = unknown.reshape(stages, -1)
        y = y + h * inner[-1] @ u[:, : len(y)]
        v = v + h * inner[-1] @ u[:, len(y) : len(y) + len(v)]
    q, lam = system.pose(y), u[-1, len(y) + len(v) :][: len(lam)]
    off = max(np.abs(system.phi(q)).max(), np.abs(system.jac(q) @ v).max())
    return v, lam, system.saddle(q, v)[1], off


@pytest.mark.parametrize("order", RADAU)
@pytest.mark.parametrize("system", [Plane(), Space()], ids=["slider-crank", "top"])
def test_order_and_reactions_of_both(system, order, first):  # noqa: F811
    exact = da.simulate(system.model(), until=UNTIL, rtol=1e-13, atol=1e-14, method=8, output=[UNTIL])
    force = exact[system.name].force[-1]
    steps, ours, its = UNTIL / np.array(COUNTS[order]), [], []
    for h in steps:
        first.append(h)
        run = da.simulate(
            system.model(),
            until=UNTIL,
            max_step=h * (1 + 1e-12),
            method=f"radau{order}",
            output=[UNTIL],
            **LOOSE,
        )
        assert run.audit.rejected == 0
        ours.append([np.abs(run.v[-1] - exact.v[-1]).max(), np.abs(run[system.name].force[-1] - force).max()])
        v, lam, after, off = twin(system, RADAU[order], h)
        assert off < 1e-8
        its.append([np.abs(v - exact.v[-1]).max(), *(np.abs(system.reaction(x) - force).max() for x in (after, lam))])
    for column in (*np.transpose(ours), *np.transpose(its)[:2]):
        assert slope(steps, column) == pytest.approx(order, abs=0.35)
    ours, its = np.array(ours), np.array(its)
    # measured: 0.60 to 1.30 of its velocities, 0.89 to 1.75 of its reactions computed from them
    assert np.all(ours < 2.0 * its[:, :2]) and np.all(its[:, :2] < 2.0 * ours)
    # its own multipliers are less exact: of the crank the terms of both orders are still as large
    assert ours[-1, 1] < 0.6 * its[-1, 2] and slope(steps, its[:, 2]) < order - 0.4
    if isinstance(system, Space):
        assert slope(steps, its[:, 2]) == pytest.approx(len(RADAU[order]), abs=0.35)
