"""Ours: n point pendulums on a cart, as a Lagrangian system in joint or absolute angles."""

from __future__ import annotations

import numpy as np

import dalembert as da
from benchmarks.ours import peak_memory
from benchmarks.timing import Repeat


def pendulum_model(n: int, joint_angles: bool = True) -> da.Lagrangian:
    """Masses of 1 kg on rods of 1 m, a cart of 1 kg; angles from the hanging position, of each rod to the one before or to the vertical."""
    m = da.Lagrangian(["x", *(f"p{k}" for k in range(n))], gravity=(0, "-g"), parameters={"g": 9.81})
    mass, length = m.parameter("m", 1.0), m.parameter("l", 1.0)
    cart, *angles = m.coordinates
    m.particle("cart", mass, (cart, 0))
    x, y, angle = cart, 0, None
    for k, p in enumerate(angles):
        angle = p if angle is None or not joint_angles else angle + p
        x, y = x + length * da.functions.sin(angle), y - length * da.functions.cos(angle)
        m.particle(f"mass {k}", mass, (x, y))
    return m


def state(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Where accelerations are compared and timed."""
    rng = np.random.default_rng(1)
    return 0.5 * rng.normal(size=n + 1), rng.normal(size=n + 1)


def pendulum(n: int, joint_angles: bool = True) -> tuple[Repeat, np.ndarray]:
    """One evaluation of the accelerations, repeated, and its result; everything from the description on."""
    from dalembert.analyses.lagrangian.point import Point
    from dalembert.kernels.operate import EVALUATE
    from dalembert.system.lagrange import compile_lagrangian

    point = Point(compile_lagrangian(pendulum_model(n, joint_angles)), 0.0, *state(n))
    found, _ = point.solve()

    def repeat(times: int) -> None:
        point.operate(EVALUATE, times=times)

    return repeat, found


def memory(n: int) -> int:
    """Peak memory of a process that derives and evaluates the pendulum of n links [bytes]."""
    return peak_memory(f"from benchmarks.lagrangian import pendulum; pendulum({n})")
