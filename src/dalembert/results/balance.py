"""Balance of momentum of a run of a mechanism: what bodies gain against what acts on them from outside.

    dp/dt   = F                        F     gravity, and the loads of all parts on the bodies
    dM_A/dt = m v_G x v_A + m_A        m_A   their moments about A, which may move; the first term is that of its motion (PRINCIPLES)

Loads between bodies that count together cancel, action and reaction: they are part of the sum, and found to vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import layout as at
from .matter import Group, Place
from .series import Series

# part of the sizes of all terms that may be missing: what "satisfied" means for the equations of motion, too
TERMS = 1e-9
# outputs that the audit looks at, times between which it takes differences as a part of those in which the motion changes, and what
# such differences may be off by: the square of that part
SAMPLES, STRIDE, DIFFERENCE = 3, 1e-4, 1e-7


@dataclass(frozen=True, eq=False)
class Balance:
    """Both sides of the theorems of momentum over time.

    Attributes
    ----------
    force, moment
        Resultant of what acts from outside, and its moment about the point [N, N m].
    momentum_rate, angular_rate
        Rates of the momentum and of the angular momentum about the point, by the accelerations of the run.
    moving
        The term of a moving point, m v_G x v_A [N m]; zero for one at rest, for the mass centre, and where the two velocities are parallel.
    loads
        Force and moment of every part that acts from outside, by name; "gravity" among them.
    error
        Largest difference of the two sides, relative to the sizes of their terms.
    about
        The point.
    """

    force: Series
    moment: Series
    momentum_rate: Series
    angular_rate: Series
    moving: Series
    loads: dict[str, tuple[Series, Series]]
    error: float
    about: str

    def __str__(self) -> str:
        lines = [f"balance of momentum, moments about {self.about}: closed to {self.error:.1e}", "  largest values"]
        rows = [
            ("dp/dt", "N", self.momentum_rate),
            ("dM/dt", "N m", self.angular_rate),
            ("m v_G x v_A", "N m", self.moving),
        ]
        for name, (force, moment) in self.loads.items():
            rows += [(f"force of {name}", "N", force), (f"moment of {name}", "N m", moment)]
        long = max(len(name) for name, *_ in rows)
        return "\n".join([*lines, *(f"  {name:{long}}  {_largest(x):12.6g} {unit}" for name, unit, x in rows)])

    __repr__ = __str__


def _largest(x: Any) -> float:
    return float(np.max(np.abs(x), initial=0.0))


def balance(run: Any, about: Any, of: Any) -> Balance:
    """Balance of some bodies of a run about a point."""
    names = () if of is None else tuple(of) if isinstance(of, list | tuple) else (of,)
    together = run.group(*names)
    place = together.place(about)
    loads, scale = outside(run, together, place)
    force, moment = (sum((x[side] for x in loads.values()), np.zeros((len(run.t), 3))) for side in (0, 1))
    rate = together._summed("acceleration")
    _, turning = together.moment_of_momentum(place)
    # m v_G x v_A, with m v_G the momentum
    moving = np.cross(together._summed("velocity"), place.velocity)
    error = max(
        _largest((rate - force) / np.maximum(scale[:, :1], 1e-300)),
        _largest((turning - moving - moment) / np.maximum(scale[:, 1:], 1e-300)),
    )
    made = lambda x, what, unit, turn=False: together._series(x, what, unit, None, turn)  # noqa: E731
    told = {
        name: (made(f, f"force of {name}", "N"), made(m, f"moment of {name}", "N m", True))
        for name, (f, m) in loads.items()
        if _largest(f) > TERMS * _largest(scale[:, 0]) or _largest(m) > TERMS * _largest(scale[:, 1])
    }
    return Balance(
        made(force, "force", "N"), made(moment, "moment", "N m", True), made(rate, "momentum rate", "N"),
        made(turning, "angular rate", "N m", True), made(moving, "moving", "N m", True), told, error, place.name,
    )  # fmt: skip


def outside(run: Any, together: Group, place: Place) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Force and moment about a point of every part on the bodies, and the sizes of all their terms (time, 2)."""
    builder = run.system.builder
    g = builder.drawing.vector(builder.model.gravity)
    matter = {builder.body_index(run.model[x.name]): x for x in together._matter}
    n = len(run.t)
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    scale = np.zeros((n, 2))

    def add(name: str, b: int, force: np.ndarray, couple: np.ndarray | float = 0.0) -> None:
        old = found.get(name, (np.zeros((n, 3)), np.zeros((n, 3))))
        arm = matter[b].position - place.position
        found[name] = old[0] + force, old[1] + np.cross(arm, force) + couple
        size = np.linalg.norm(force, axis=1)
        scale[:, 0] += size
        scale[:, 1] += size * np.linalg.norm(arm, axis=1) + np.linalg.norm(np.broadcast_to(couple, (n, 3)), axis=1)

    for b, x in matter.items():
        add("gravity", b, np.broadcast_to(x.mass * g, (n, 3)))
        # inertia counts among the sizes: a free body has no other
        arm, (_, turning) = x.position - place.position, x.spin_momentum
        size = x.mass * np.linalg.norm(x.acceleration, axis=1)
        scale[:, 0] += size
        scale[:, 1] += size * np.linalg.norm(arm, axis=1) + np.linalg.norm(turning, axis=1)
        scale[:, 1] += x.mass * np.linalg.norm(np.cross(place.velocity, x.velocity), axis=1)
    for part in (part for kind in ("joint", "driver", "force") for part in run.parts(kind)):
        for b, w in run._body_wrenches(part).items():
            if b in matter:
                add(part.name, b, w[:, :3], w[:, 3:])
    return found, scale


def sampled(run: Any) -> float:
    """Error of the balance of all bodies at some outputs, about a point that moves with the first body.

    The loads are summed over all rows and laws at once, since audits must be cheap.  The rate of the angular momentum is a difference
    quotient of M_A between states a little before and after: what it is made of does not matter, the term of the moving point included.
    """
    from .result import Result

    if not len(run.t) or not np.isfinite(run.a).all() or not np.isfinite(run.basic_lam).all():
        return 0.0
    system, builder = run.system, run.system.builder
    picks = np.unique(np.linspace(0, len(run.t) - 1, SAMPLES).astype(int))
    columns = (run.t, run.q, run.v, run.a, run.basic_lam, run.forces, run.powers, run.angles)
    some = Result(system, *(x[picks] for x in columns))
    some.z = run.z[picks]
    some.prepared, some.sides = run.prepared, None if run.sides is None else run.sides[picks]
    names = ("position", "velocity", "acceleration", "omega", "alpha")
    position, velocity, acceleration, omega, alpha = (
        np.stack([getattr(x, what) for x in some.matter], axis=1) for what in names
    )  # (time, body, 3)
    rotation = np.stack([x.rotation for x in some.matter], axis=1)
    tensor, mass = np.array([x.inertia for x in some.matter]), np.array([[x.mass] for x in some.matter])
    apart = position - position[:, :1]
    reach, length = np.array([float(system.length), 0.0, 0.0]), float(system.length)

    def moment_of_momentum(h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """M_A, |M_A| term by term, arms from A, and the velocity of A, a time h later."""
        turned = small_turn(h * omega + 0.5 * h * h * alpha) @ rotation
        # relative to the first body: far from the origin small changes of positions would drown in rounding
        r = apart + h * (velocity - velocity[:, :1]) + 0.5 * h * h * (acceleration - acceleration[:, :1])
        v, w = velocity + h * acceleration, omega + h * alpha
        u = turned[:, :1] @ reach
        arm, of_point = r - u, v[:, :1] + cross(w[:, :1], u)
        spun = (turned @ (tensor @ (np.swapaxes(turned, -1, -2) @ w[..., None])))[..., 0]
        terms = np.concatenate([mass * cross(arm, v), spun], axis=1)
        return np.sum(terms, axis=1), np.sum(np.linalg.norm(terms, axis=2), axis=1), arm, of_point

    rate = max(
        _largest(velocity) / length, _largest(omega), (_largest(acceleration) / length) ** 0.5, _largest(alpha) ** 0.5
    )
    h = STRIDE / rate if rate > 0.0 else 1.0
    _, size, arm, speed = moment_of_momentum(0.0)
    gained = (moment_of_momentum(h)[0] - moment_of_momentum(-h)[0]) / (2.0 * h)
    # loads of rows and laws on each body; the free row of a law comes after the rows that are held
    load = np.zeros((len(picks), system.n_rows + len(builder.free)))
    load[:, : system.n_rows] = some.basic_lam
    for k, law in enumerate(builder.laws):
        load[:, system.n_rows + law.row] += some.forces[:, k]
    rows, bodies = slots(system)
    wrench = -load[:, rows, None] * some._row_wrenches
    weight = np.broadcast_to(mass * np.asarray(builder.drawing.vector(builder.model.gravity)), acceleration.shape)
    force = np.concatenate([wrench[:, :, :3], weight], axis=1)
    moment = np.concatenate([cross(arm[:, bodies], wrench[:, :, :3]) + wrench[:, :, 3:], cross(arm, weight)], axis=1)
    # m v_G x v_A, the term of the moving point
    moving = cross(mass * velocity, speed)
    turning = np.sum(moment, axis=1) + np.sum(moving, axis=1) - gained
    pushing = np.sum(force, axis=1) - np.sum(mass * acceleration, axis=1)
    terms = np.sum(np.linalg.norm(force, axis=2), axis=1) + np.sum(
        mass * np.linalg.norm(acceleration, axis=2, keepdims=True), axis=(1, 2)
    )
    arms = np.sum(np.linalg.norm(moment, axis=2), axis=1) + np.sum(np.linalg.norm(moving, axis=2), axis=1) + rate * size
    # at rest without any load there is nothing but rounding: accelerations below the tolerance say nothing
    idle = float(np.sum(mass)) * length * (getattr(run.problem, "atol", None) or 1e-10)
    # where all forces pass through the point, moments are the rounding of those about a point beside it
    terms, arms = terms + max(idle, 1e-300), arms + max(idle * length, 1e-3 * length * float(np.max(terms)), 1e-300)
    return max(_largest(left / x[:, None]) for left, x in ((pushing, terms), (turning, arms)))


def small_turn(turn: np.ndarray) -> np.ndarray:
    """Rotation matrices of small rotation vectors, to the third order."""
    x, y, z = np.moveaxis(turn, -1, 0)
    none = np.zeros_like(x)
    s = np.stack([none, -z, y, z, none, -x, -y, x, none], axis=-1).reshape(*x.shape, 3, 3)
    square = s @ s
    return np.eye(3) + s + square / 2.0 + square @ s / 6.0


def slots(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """Row and body of every wrench of `Result._row_wrenches`."""
    i, width = system.numbering.I, system.builder.width
    rows, bodies = [], []
    for r in range(system.n_rows + len(system.builder.free)):
        o = i[at.ROW] + at.ROW_SIZE * r
        for s in range(i[o + 2], i[o + 2 + at.ROW_SIZE]):
            rows.append(r)
            bodies.append(int(i[s] // width))
    return np.array(rows, dtype=int), np.array(bodies, dtype=int)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product over the last axis; np.cross takes several times as long on short arrays."""
    (x, y, z), (u, v, w) = (np.moveaxis(c, -1, 0) for c in (a, b))
    return np.stack(np.broadcast_arrays(y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


__all__ = ["DIFFERENCE", "TERMS", "Balance", "Place", "balance", "sampled"]
