"""Balance of momentum of a run of a mechanism: what bodies gain against what acts on them from outside.

    dp/dt   = F                        F     gravity, and the loads of all parts on the bodies
    dM_A/dt = m v_G x v_A + m_A        m_A   their moments about A, which may move; the first term is that of its motion (PRINCIPLES)

Loads between bodies that count together cancel, action and reaction: they are part of the sum, and found to vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..system.outputs import slots_of
from .matter import Group, Place
from .result import matrices
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
    if not len(run.t) or not np.isfinite(run.a).all() or not np.isfinite(run.basic_lam).all():
        return 0.0
    system, length = run.system, float(run.system.length)
    free, drawing = system.builder.free, system.builder.drawing
    picks = np.unique(np.linspace(0, len(run.t) - 1, SAMPLES).astype(int))
    moving = Moving(system, run.q[picks], run.v[picks], run.a[picks])
    mass, velocity, acceleration = moving.mass, moving.velocity, moving.acceleration
    rate = max(
        _largest(velocity) / length, _largest(moving.omega), (_largest(acceleration) / length) ** 0.5,
        _largest(moving.alpha) ** 0.5,
    )  # fmt: skip
    h = STRIDE / rate if rate > 0.0 else 1.0
    total, size, arm, speed = moving.moment_of_momentum(np.array([0.0, h, -h]))
    gained = (total[1] - total[2]) / (2.0 * h)
    # loads of rows and laws on each body; the free row of a law comes after the rows that are held
    load = np.zeros((len(picks), system.n_rows + len(free)))
    load[:, : system.n_rows] = run.basic_lam[picks]
    for k, law in enumerate(system.builder.laws):
        load[:, system.n_rows + law.row] += run.forces[picks, k]
    rows, bodies, _ = slots_of(system)
    wrench = -load[:, rows, None] * run.wrenches_at(picks)
    weight = np.broadcast_to(mass * drawing.vector(system.model.gravity), acceleration.shape)
    force = np.concatenate([wrench[:, :, :3], weight], axis=1)
    moment = cross(np.concatenate([arm[:, bodies], arm], axis=1), force)
    moment[:, : len(bodies)] += wrench[:, :, 3:]
    # m v_G x v_A, the term of the moving point
    carried, inertia = cross(mass * velocity, speed), mass * acceleration
    turning = np.sum(moment, axis=1) + np.sum(carried, axis=1) - gained
    pushing = np.sum(force, axis=1) - np.sum(inertia, axis=1)
    terms = np.sum(norm(force), axis=1) + np.sum(norm(inertia), axis=1)
    arms = np.sum(norm(moment), axis=1) + np.sum(norm(carried), axis=1) + rate * size
    # at rest without any load there is nothing but rounding: accelerations below the tolerance say nothing
    idle = float(np.sum(mass)) * length * (getattr(run.problem, "atol", None) or 1e-10)
    # where all forces pass through the point, moments are the rounding of those about a point beside it
    terms, arms = terms + max(idle, 1e-300), arms + max(idle * length, 1e-3 * length * float(np.max(terms)), 1e-300)
    return max(_largest(left / x[:, None]) for left, x in ((pushing, terms), (turning, arms)))


class Moving:
    """All bodies at some instants (time, body, 3) in space axes, and a little before and after."""

    def __init__(self, system: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        self.plane, n = system.plane, len(q)
        self.mass, self.tensor = matter(system)
        bodies = len(self.mass)
        q, v, a = (x.reshape(n, bodies, -1) for x in (q, v, a))
        self.reach = np.array([float(system.length), 0.0, 0.0])
        if self.plane:
            every = np.zeros((5, n, bodies, 3))
            for k, x in enumerate((q, v, a)):
                every[k, :, :, :2] = x[:, :, :2]
            every[3, :, :, 2], every[4, :, :, 2] = v[:, :, 2], a[:, :, 2]
            self.position, self.velocity, self.acceleration, self.omega, self.alpha = every
            c, s, none = np.cos(q[:, :1, 2]), np.sin(q[:, :1, 2]), np.zeros((n, 1))
            self.rotation = np.stack([c, -s, none, s, c, none, none, none, none + 1.0], axis=-1).reshape(n, 1, 3, 3)
            return
        self.position, self.velocity, self.acceleration = (x[:, :, :3] for x in (q, v, a))
        self.rotation = matrices(q[:, :, 3:].reshape(-1, 4)).reshape(n, bodies, 3, 3)
        self.omega, self.alpha = ((self.rotation @ x[:, :, 3:, None])[..., 0] for x in (v, a))

    def moment_of_momentum(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """M_A at times after (or before) the instants, (times, time, 3); of the first time |M_A| term by term, arms from A, and the velocity of A.

        A moves with the first body, at the model's length from its mass centre.
        """
        h = times[:, None, None, None]
        v, w = self.velocity + h * self.acceleration, self.omega + h * self.alpha
        # relative to the first body: far from the origin small changes of positions would drown in rounding
        apart, velocity, acceleration = (x - x[:, :1] for x in (self.position, self.velocity, self.acceleration))
        r = apart + h * velocity + 0.5 * h * h * acceleration
        with_it = slice(0, 1) if self.plane else slice(None)
        turned = small_turn(h * self.omega[:, with_it] + 0.5 * h * h * self.alpha[:, with_it]) @ self.rotation
        u = turned[:, :, :1] @ self.reach
        arm, of_point = r - u, v[:, :, :1] + cross(w[:, :, :1], u)
        orbit = self.mass * cross(arm, v)
        if self.plane:
            # about z alone: what products of inertia need across the plane, the plane carries (BASICS 8.5)
            spun = self.tensor[:, 2, 2, None] * w
        else:
            spun = (turned @ (self.tensor @ (np.swapaxes(turned, -1, -2) @ w[..., None])))[..., 0]
        size = np.sum(norm(orbit[0]), axis=1) + np.sum(norm(spun[0]), axis=1)
        return np.sum(orbit, axis=2) + np.sum(spun, axis=2), size, arm[0], of_point[0]


def matter(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """Masses (body, 1) and inertias (body, 3, 3) as drawn, not those of the memory that the equations were solved with."""
    if "matter" not in system.known:
        drawing, bodies = system.builder.drawing, system.builder.bodies
        given = [drawing.poses[id(body)].properties for body in bodies]
        tensor = np.array([np.zeros((3, 3)) if body.particle else p.inertia for body, p in zip(bodies, given)], dtype=float)
        mass = np.array([[p.mass] for p in given], dtype=float).reshape(-1, 1)
        system.known["matter"] = mass, tensor.reshape(-1, 3, 3)
    return system.known["matter"]  # type: ignore[no-any-return]


def small_turn(turn: np.ndarray) -> np.ndarray:
    """Rotation matrices of small rotation vectors, to the third order."""
    x, y, z = turn[..., 0], turn[..., 1], turn[..., 2]
    s = np.zeros((*x.shape, 3, 3))
    s[..., 0, 1], s[..., 0, 2], s[..., 1, 2] = -z, y, -x
    s[..., 1, 0], s[..., 2, 0], s[..., 2, 1] = z, -y, x
    square = s @ s
    return np.eye(3) + s + square / 2.0 + square @ s / 6.0


def norm(x: np.ndarray) -> np.ndarray:
    """Lengths of vectors over the last axis."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", x, x)))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product over the last axis; np.cross takes several times as long on short arrays."""
    x, y, z, u, v, w = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    first = y * w - z * v
    found = np.empty((*first.shape, 3))
    found[..., 0], found[..., 1], found[..., 2] = first, z * u - x * w, x * v - y * u
    return found


__all__ = ["DIFFERENCE", "TERMS", "Balance", "Place", "balance", "matter", "sampled"]
