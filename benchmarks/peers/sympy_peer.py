"""SymPy: the pendulum on a cart by Kane's method, made callable with `lambdify` and common subexpressions."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

from benchmarks.timing import Repeat

VERSION = f"SymPy {sp.__version__}"


def pendulum(n: int, joint_angles: bool = True) -> tuple[Repeat, np.ndarray]:
    """Accelerations of `benchmarks.lagrangian.pendulum_model`: one evaluation repeated, and its result."""
    from benchmarks.lagrangian import state

    q, u = dynamicsymbols(f"q:{n + 1}"), dynamicsymbols(f"u:{n + 1}")
    mass, length, g, t = *sp.symbols("m l g"), dynamicsymbols._t
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", q[0] * frame.x)
    point.set_vel(frame, u[0] * frame.x)
    bodies, loads = [Particle("cart", point, mass)], []
    x, y, vx, vy, angle, spin = q[0], 0, u[0], 0, 0, 0
    for k in range(1, n + 1):
        angle, spin = (angle + q[k], spin + u[k]) if joint_angles else (q[k], u[k])
        x, y = x + length * sp.sin(angle), y - length * sp.cos(angle)
        vx, vy = vx + length * sp.cos(angle) * spin, vy + length * sp.sin(angle) * spin
        point = origin.locatenew(f"P{k}", x * frame.x + y * frame.y)
        point.set_vel(frame, vx * frame.x + vy * frame.y)
        bodies.append(Particle(f"b{k}", point, mass))
        loads.append((point, -mass * g * frame.y))
    kane = KanesMethod(frame, q_ind=list(q), u_ind=list(u), kd_eqs=[a.diff(t) - b for a, b in zip(q, u)])
    kane.kanes_equations(bodies, loads)
    names = [*sp.symbols(f"a:{n + 1}"), *sp.symbols(f"b:{n + 1}")]
    plain = dict(zip([*q, *u], names))
    numbers = {mass: 1.0, length: 1.0, g: 9.81}
    matrices = [sp.Matrix(x).subs(numbers).xreplace(plain) for x in (kane.mass_matrix, kane.forcing)]
    function = sp.lambdify(names, matrices, cse=True)
    at = np.concatenate(state(n))

    def evaluate() -> np.ndarray:
        m, f = function(*at)
        return np.linalg.solve(m, f)[:, 0]

    def repeat(times: int) -> None:
        for _ in range(times):
            evaluate()

    return repeat, evaluate()
