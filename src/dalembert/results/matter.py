"""Momentum and angular momentum of a run: of the whole machine, or of some of its bodies (LAGRANGE 1.3-1.4, PRINCIPLES).

    p   = sum m v                                   v of the mass centres
    M_A = sum (r - r_A) x m v + J omega             about any point A, at rest or moving; velocities are those in space
    dM_A/dt = m v_G x v_A + m_A                     m_A the moment of what acts from outside, G the mass centre

Mechanisms and Lagrangian systems give the same record of every body (`Matter`), and this file does the sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import MethodError, checked_call, nearest, shown
from ..model.arguments import is_part
from ..model.body import Body
from ..model.expression import Expr
from ..model.expression.checks import plain_number
from ..model.frame import Point
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.reading import listed
from .integrals import Integrals
from .moving import Kinematics, Moving, MovingPoint, cut_to_plane
from .series import Series

if TYPE_CHECKING:
    from .record import Record
    from .work import Works


@dataclass(frozen=True, eq=False, kw_only=True)
class Matter(Kinematics):
    """One body in motion, and what it needs to turn; `inertia` in body axes, zero for particles."""

    name: str
    mass: float
    inertia: np.ndarray

    @cached_property
    def spin_momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """J omega and its rate J alpha + omega x J omega, J = A J' A^T."""
        j = self.rotation @ self.inertia @ np.swapaxes(self.rotation, 1, 2)
        h = np.einsum("tij,tj->ti", j, self.omega)
        return h, np.einsum("tij,tj->ti", j, self.alpha) + np.cross(self.omega, h)


@dataclass(frozen=True, eq=False)
class Place:
    """A point over time, about which moments are taken: position and velocity (time, 3), and how it is called."""

    position: np.ndarray
    velocity: np.ndarray
    name: str


class Group:
    """Some bodies of a run together: `.mass`, `.center`, `.momentum`, `.angular_momentum(about=...)`.

    `run.group("crank", "rod")` makes one; `run.center`, `run.momentum` and `run.angular_momentum(...)` are those of all bodies.
    """

    def __init__(self, run: Record, matter: list[Matter], label: str) -> None:
        self._run, self._matter, self._label = run, matter, label
        self.names = tuple(x.name for x in matter)

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(sum(x.mass for x in self._matter))

    def _again(self, run: Record) -> Group:
        return run.group(*self.names)

    def _summed(self, what: str) -> np.ndarray:
        total = np.zeros((len(self._run.t), 3))
        for x in self._matter:
            total += x.mass * getattr(x, what)
        return total

    def _series(self, values: np.ndarray, what: str, unit: str, source: Any, turning: bool = False) -> Series:
        """A vector as the results of this run give it: in the plane two components, or the one about z."""
        values, labels = cut_to_plane(values, self._run.plane, turning)
        return Series(values, f"{self._label}.{what}" if self._label else what, unit, labels, self._run.t, source)

    def _check_mass(self) -> float:
        mass = self.mass
        if not mass > 0.0:
            raise MethodError(
                f"mass centre of {', '.join(map(repr, self.names)) or 'nothing'}", f"mass = {mass:g} kg",
                "a mass centre needs mass", "name a body with mass, or leave out massless ones",
            )  # fmt: skip
        return mass

    @property
    def center(self) -> Series:
        """Mass centre [m]; `.rate` its velocity [m/s]."""
        mass = self._check_mass()
        made = self._series(self._summed("position") / mass, "center", "m", lambda r: self._again(r).center)
        made.rate = self._series(
            self._summed("velocity") / mass, "rate(center)", "m/s", lambda r: self._again(r).center.rate
        )
        return made

    @property
    def momentum(self) -> Series:
        """Momentum, the sum of m v [kg m/s]; `.rate` is the sum of m a [N]."""
        made = self._series(self._summed("velocity"), "momentum", "kg m/s", lambda r: self._again(r).momentum)
        made.rate = self._series(
            self._summed("acceleration"), "rate(momentum)", "N", lambda r: self._again(r).momentum.rate
        )
        return made

    @checked_call
    def angular_momentum(self, about: Any = None) -> Series:
        """Angular momentum about a point [kg m²/s]; `.rate` is its rate [N m], the motion of the point included.

        Parameters
        ----------
        about
            The point: coordinates of a fixed one (default: the origin), expressions of time and measures (or of coordinates and rates
            of a Lagrangian system) of one that moves as it likes, a point of a body (`bar.end`, `run["bar"].point(0.1, 0)`), the name of
            a body (the origin of its frame) or of a joint, or "center", the mass centre of these bodies.
        """
        place = self.place(about)
        total, rate = self.moment_of_momentum(place)
        again = lambda r: self._again(r).angular_momentum(about)  # noqa: E731
        made = self._series(total, "angular momentum", "kg m²/s", again, True)
        made.rate = self._series(rate, "rate(angular momentum)", "N m", lambda r: again(r).rate, True)
        return made

    def moment_of_momentum(self, place: Place) -> tuple[np.ndarray, np.ndarray]:
        """M_A and dM_A/dt as (time, 3)."""
        total, rate = np.zeros((2, len(self._run.t), 3))
        for x in self._matter:
            arm, (h, turning) = x.position - place.position, x.spin_momentum
            total += x.mass * np.cross(arm, x.velocity) + h
            # d/dt (arm x m v) = arm x m a - v_A x m v
            rate += x.mass * (np.cross(arm, x.acceleration) - np.cross(place.velocity, x.velocity)) + turning
        return total, rate

    def place(self, about: Any) -> Place:
        """The point that moments are taken about."""
        if isinstance(about, str) and about == "center" and not named(self._run, "center"):
            mass = self._check_mass()
            return Place(self._summed("position") / mass, self._summed("velocity") / mass, "the mass centre")
        return place_of(self._run, about)

    def __repr__(self) -> str:
        return f"<{', '.join(self.names)} together, {self.mass:.6g} kg: center, momentum, angular_momentum(about=...)>"


def grouped(run: Record, names: tuple[Any, ...]) -> Group:
    """Bodies of a run by their names; none: all of them."""
    known = {x.name: x for x in run.matter}
    wanted: list[Matter] = []
    for name in names:
        text = getattr(name, "name", name)
        if not isinstance(text, str) or text not in known:
            raise MethodError(
                f"bodies of {run.model.name!r} together", f"{shown(name)}", nearest(text, list(known)),
                "name moving bodies: run.group('crank', 'rod')",
            )  # fmt: skip
        if known[text] in wanted:
            raise MethodError(
                f"bodies of {run.model.name!r} together", f"{text!r} twice", "a body counts once", "name it once"
            )
        wanted.append(known[text])
    return Group(run, wanted or list(known.values()), " + ".join(x.name for x in wanted))


def named(run: Record, name: str) -> bool:
    """Whether the model has a part of this name."""
    return name in (run.model if isinstance(run.model, Mechanism) else run.model.parts)


def place_of(run: Record, about: Any) -> Place:
    """A point over time from what a user gives; see `Group.angular_momentum`."""
    n, asked = len(run.t), f"a point of {run.model.name!r} for moments"
    plane, label = run.plane, f"the moving point {about!r}"
    if about is None:
        return Place(np.zeros((n, 3)), np.zeros((n, 3)), "the origin")
    if isinstance(about, Point):
        about = (
            run[about.body.name].point(about) if not about.body.is_ground else [*about.coordinates][: 2 if plane else 3]
        )
    elif isinstance(about, str | Body) or is_part(about):
        about = run.point_named(asked, about)
    elif isinstance(about, Moving | MovingPoint):
        about = about.again(run)
    if isinstance(about, Moving | MovingPoint | SimpleNamespace):
        position, velocity = (np.asarray(getattr(about, what), dtype=float) for what in ("position", "velocity"))
        if position.shape[:1] != (n,) or velocity.shape != position.shape:
            found = f"a point with {len(position)} outputs for a run with {n}"
            raise MethodError(asked, found, "the point must belong to this run", "take it from the run itself")
        return Place(_full(position), _full(velocity), label)
    items = listed(about)
    if items is None or len(items) not in ((2,) if plane else (2, 3)):
        raise MethodError(
            asked, f"about = {shown(about)}", "a point is given by its coordinates, or is one of the machine",
            "give about=(x, y) with numbers or expressions, about=bar.end, about='bar' or about='center'",
        )  # fmt: skip
    position, velocity = np.zeros((2, n, 3))
    for k, item in enumerate(items):
        position[:, k], velocity[:, k] = moving_number(run, asked, item)
    moves = any(isinstance(x, str | Expr) for x in items)
    return Place(position, velocity, f"({', '.join(map(str, items))})" + (", moving" if moves else ""))


def moving_number(run: Record, asked: str, x: Any) -> tuple[Any, Any]:
    """A number or an expression (of a mechanism also a measure) over time: values and rates."""
    number = plain_number(x)
    if number is not None:
        return number, 0.0
    if not isinstance(x, str | Expr | Measure):
        why = "a coordinate is a number or an expression"
        raise MethodError(asked, f"{shown(x)}", why, "give for example '0.5*sin(t)'")
    return run.over_time(asked, x)  # type: ignore[no-any-return]


def _full(x: np.ndarray) -> np.ndarray:
    return x if x.shape[1] == 3 else np.column_stack([x, np.zeros(len(x))])


class Together:
    """What results of both kinds have: `center`, `momentum`, `angular_momentum`, `group`."""

    @cached_property
    def matter(self) -> list[Matter]:
        """Every moving body over time, with its mass and inertia."""
        return list(self._each_matter())

    def _each_matter(self) -> Iterator[Matter]:
        raise NotImplementedError

    @cached_property
    def integrals(self) -> Integrals:
        """Integrals over time along this run, by its own steps."""
        return Integrals(cast("Record", self))

    @cached_property
    def work(self) -> Works:
        """Work of everything that acts, by name, since the first output [J]: it adds up to T - T0.

        `run.work["spring"]`, `.conservative` (what has a potential, V0 - V), `.nonconservative`, `.total`, `.error`; printing shows a table.
        Of mechanisms the names are "gravity", forces and drivers, of Lagrangian systems "potential", loads, "dissipation", "constraints", ….
        """
        return self._works()

    def _works(self) -> Works:
        raise NotImplementedError

    @checked_call
    def group(self, *bodies: Any) -> Group:
        """Some bodies together: `run.group("crank", "rod").momentum`, `.center`, `.angular_momentum(about=...)`, `.mass`."""
        return grouped(cast("Record", self), bodies)

    @property
    def center(self) -> Series:
        """Mass centre of all bodies [m]; `.rate` its velocity."""
        return self.group().center

    @property
    def momentum(self) -> Series:
        """Momentum of all bodies [kg m/s]; `.rate` the sum of m a [N]."""
        return self.group().momentum

    @checked_call
    def angular_momentum(self, about: Any = None) -> Series:
        """Angular momentum of all bodies about a point at rest or moving [kg m²/s]; `.rate` its rate [N m].

        `about`: coordinates, expressions of time and measures, a point of a body, the name of a body or joint, or "center"; default: the origin.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
        >>> bar = m.body("bar", da.rod(length=1.0, mass=3.0), at=(0.5, 0))
        >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
        >>> run = da.simulate(m, until=1.0)
        >>> bool(abs(run.angular_momentum(about="A") - run["bar"].spin).max() < 1e-12)  # m l^2/3 times the spin
        True
        """
        return self.group().angular_momentum(about)
