"""Balance of momentum of a run of a mechanism: what bodies gain against what acts on them from outside.

    dp/dt   = F                        F     gravity, and the loads of all parts on the bodies
    dM_A/dt = m v_G x v_A + m_A        m_A   their moments about A, which may move; the first term is that of its motion (PRINCIPLES)

Loads between bodies that count together cancel, action and reaction: they are part of the sum, and found to vanish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..system.rows import slots_of
from .matter import Group, Place
from .moving import about_z, matrices
from .series import Series

if TYPE_CHECKING:
    from ..system.system import System
    from .result import Result

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
    return float(np.abs(x).max(initial=0.0))


def balance(run: Result, about: Any, of: Any) -> Balance:
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


def outside(run: Result, together: Group, place: Place) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Force and moment about a point of every part on the bodies, and the sizes of all their terms (time, 2)."""
    builder = run.system.builder
    g = builder.gravity
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


def sampled(run: Result) -> float:
    """Error of the balance of all bodies at some outputs, about a point that moves with the first body.

    The loads are summed over all rows and laws at once, since audits must be cheap.  The rate of the angular momentum is a difference
    quotient of M_A between states a little before and after: what it is made of does not matter, the term of the moving point included.
    """
    if not len(run.t) or not np.isfinite(run.a).all() or not np.isfinite(run.basic_lam).all():
        return 0.0
    system, builder, length = run.system, run.system.builder, float(run.system.length)
    last = len(run.t) - 1
    picks = np.array(sorted({last * k // (SAMPLES - 1) for k in range(SAMPLES)}))
    moving = Bodies(system, run.q[picks], run.v[picks], run.a[picks])
    mass, rate = moving.mass, moving.rate
    h = STRIDE / rate if rate > 0.0 else 1.0
    total, size, arm, speed = moving.moment_of_momentum(np.array([0.0, h, -h]))
    gained = (total[1] - total[2]) / (2.0 * h)
    # loads of rows and laws on each body; the free row of a law comes after the rows that are held
    load = np.zeros((len(picks), system.n_rows + len(builder.free)))
    load[:, : system.n_rows] = run.basic_lam[picks]
    against = np.zeros_like(load)  # what laws of one row take from each other: it counts among the sizes of the terms
    for k, law in enumerate(builder.laws):
        load[:, system.n_rows + law.row] += run.forces[picks, k]
        against[:, system.n_rows + law.row] += np.abs(run.forces[picks, k])
    against[:, system.n_rows :] -= np.abs(load[:, system.n_rows :])
    rows, bodies, *_ = slots_of(system)
    wrenches = run.wrenches_at(picks)
    pushed, twisted = np.split(-load[:, rows, None] * wrenches, 2, axis=2)
    opposed = np.split(against[:, rows, None] * wrenches, 2, axis=2)
    weight = mass * builder.gravity
    force = np.concatenate([pushed, np.broadcast_to(weight, moving.acceleration.shape)], axis=1)
    moment = cross(np.concatenate([arm[:, bodies], arm], axis=1), force)
    moment[:, : len(bodies)] += twisted
    # m v_G x v_A, the term of the moving point
    carried, inertia = cross(mass * moving.velocity, speed), mass * moving.acceleration
    turning = moment.sum(axis=1) + carried.sum(axis=1) - gained
    pushing = force.sum(axis=1) - inertia.sum(axis=1)
    terms = norm(np.concatenate([force, inertia, opposed[0]], axis=1)).sum(axis=1)
    arms = (
        norm(np.concatenate([cross(arm[:, bodies], opposed[0]), opposed[1]], axis=1)).sum(axis=1)
        + norm(np.concatenate([moment, carried], axis=1)).sum(axis=1)
        + rate * size
    )
    # at rest without any load there is nothing but rounding: accelerations below the tolerance say nothing
    idle = float(mass.sum()) * length * (getattr(run.problem, "atol", None) or 1e-10)
    # where all forces pass through the point, moments are the rounding of those about a point beside it
    terms, arms = terms + max(idle, 1e-300), arms + max(idle * length, 1e-3 * length * float(terms.max()), 1e-300)
    return max(_largest(left / x[:, None]) for left, x in ((pushing, terms), (turning, arms)))


class Bodies:
    """All bodies at some instants (time, body, components) in space axes, and a little before and after."""

    def __init__(self, system: System, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        self.mass, self.tensor = matter(system)
        self.length, size = float(system.length), 2 if system.plane else 3
        q, v, a = (x.reshape(len(x), len(self.mass), -1) for x in (q, v, a))
        self.position, self.velocity, self.acceleration = np.zeros((3, *q.shape[:2], 3))
        for x, given in ((self.position, q), (self.velocity, v), (self.acceleration, a)):
            x[:, :, :size] = given[:, :, :size]
        if system.plane:
            # what products of inertia need across the plane, the plane carries (BASICS 8.5)
            self.tensor = self.tensor * np.diag([0.0, 0.0, 1.0])
            self.rotation = about_z(q[:, :, 2])
            self.omega, self.alpha = (x[:, :, 2:] * np.array([0.0, 0.0, 1.0]) for x in (v, a))
        else:
            self.rotation = matrices(q[:, :, 3:].reshape(-1, 4)).reshape(*q.shape[:2], 3, 3)
            self.omega, self.alpha = ((self.rotation @ x[:, :, 3:, None])[..., 0] for x in (v, a))

    @property
    def rate(self) -> float:
        """The fastest change of the motion [1/s]."""
        return max(
            _largest(self.velocity) / self.length, _largest(self.omega),
            (_largest(self.acceleration) / self.length) ** 0.5, _largest(self.alpha) ** 0.5,
        )  # fmt: skip

    def moment_of_momentum(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """M_A at times after (or before) the instants, (times, time, components); of the first time the sizes of its terms, arms from A, and the velocity of A.

        A moves with the first body, at the model's length from its mass centre.
        """
        h = times[:, None, None, None]
        v, w = self.velocity + h * self.acceleration, self.omega + h * self.alpha
        turned = small_turn(h * self.omega + 0.5 * h * h * self.alpha) @ self.rotation
        spun = (turned @ (self.tensor @ (np.swapaxes(turned, -1, -2) @ w[..., None])))[..., 0]
        # relative to the first body: far from the origin small changes of positions would drown in rounding
        apart, velocity, acceleration = (x - x[:, :1] for x in (self.position, self.velocity, self.acceleration))
        u = self.length * turned[:, :, :1, :, 0]
        arm = apart + h * velocity + 0.5 * h * h * acceleration - u
        of_point = v[0, :, :1] + cross(w[0, :, :1], u[0])
        orbit = self.mass * cross(arm, v)
        size = norm(orbit[0]).sum(axis=1) + norm(spun[0]).sum(axis=1)
        return orbit.sum(axis=2) + spun.sum(axis=2), size, arm[0], of_point


def matter(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Masses (body, 1) and inertias (body, 3, 3) as drawn, not those of the memory that the equations were solved with."""
    if "matter" not in system.known:
        drawing, bodies = system.builder.drawing, system.builder.bodies
        given = [drawing.matter(body) for body in bodies]
        tensor = np.array(
            [np.zeros((3, 3)) if body.particle else p.inertia for body, p in zip(bodies, given)], dtype=float
        )
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
    return np.asarray(np.sqrt((x * x).sum(axis=-1)))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product over the last axis; np.cross takes several times as long on short arrays."""
    x, y, z, u, v, w = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    first = y * w - z * v
    found = np.empty((*first.shape, 3))
    found[..., 0], found[..., 1], found[..., 2] = first, z * u - x * w, x * v - y * u
    return found


__all__ = ["DIFFERENCE", "TERMS", "Balance", "Place", "balance", "matter", "sampled"]
