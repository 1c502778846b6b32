"""The results of `kinematics`: what is known of a run that stands on a followed path instead of an integration."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from ...model.events import SOLVED
from ...results.assumptions import Note
from ...results.audit import POWER
from ...results.guard import Worst, of_run
from ...results.lagrangian import LagrangianResult
from ...results.lagrangian_parts import power_balance
from ...results.record import Record
from ...results.result import Result
from ...results.work import typical_acceleration
from ...system.rows import mass_matrix
from ..dynamics.prepared import Prepared
from .path import Path, Point

# rows that contradict each other by some part are all served a little by least squares, and off by some times that part
BLUR = 10.0


@dataclass(eq=False, repr=False)
class Driven(Record):
    """A run at points of a path."""

    points: list[Point] = field(default_factory=list)
    seconds: float = 0.0
    # points and times that are known: the outputs, and those of the last resample, beside which the next one may begin
    _last: Any = field(default=None, init=False)

    @classmethod
    def of(cls, path: Path, points: list[Point], started: float) -> Self:
        """Result at points of a path."""
        n = len(points)
        y = np.array([np.concatenate([p.q, p.v]) for p in points]).reshape(n, -1)
        angles = np.array([p.angles for p in points]).reshape(n, -1)
        t = np.array([p.t for p in points])
        made = cls._at_states(path.prepared, path, t, y, angles, points)
        kept = SimpleNamespace(t=t, y=y, angle=angles, points=points)
        made.trace = SimpleNamespace(kept=kept, segments=())
        made.seconds = time.perf_counter() - started
        return made

    @classmethod
    def _at_states(  # type: ignore[override]
        cls,
        prepared: Prepared,
        problem: Path,
        t: np.ndarray,
        y: np.ndarray,
        angles: np.ndarray,
        points: list[Point] | None = None,
        segments: Any = (),  # all rows are active
    ) -> Self:
        """Accelerations, multipliers and element forces at states of the motion."""
        path, system, work = problem, problem.system, problem.pose.work
        n, nq = len(t), system.nq
        if points is None:
            points = [path.point(float(t[k]), y[k, :nq].copy(), angles[k]) for k in range(n)]
        a, lam = np.array([p.a for p in points]).reshape(n, system.nv), np.zeros((n, system.n_rows))
        force, power = np.zeros((n, len(work.force))), np.zeros((n, len(work.power)))
        path.loads(points, lam, force, power)
        q, v = np.ascontiguousarray(y[:, :nq]), np.ascontiguousarray(y[:, nq:])
        return cls(system, np.array(t), q, v, a, lam, force, power, np.array(angles), prepared, path, points=points)

    driven = True

    def _balance(self) -> float:
        return 0.0

    def _statistics(self) -> dict[str, Any]:
        counts: dict[str, Any] = {x: getattr(self.problem, x) for x in ("steps", "rejected", "evaluations")}
        return counts | {"seconds": self.seconds, "method": "kinematics"}

    def _state(self, t: float, checked: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        p = self._point(t)
        return p.q, p.v, p.angles, self.z[0]

    def _point(self, t: float) -> Point:
        """The motion at a time, followed from the nearest point that is known."""
        return self.problem.follow(self._nearest(t), t)  # type: ignore[no-any-return]

    def _nearest(self, t: float) -> Point:
        """The point that is known nearest to a time."""
        kept = self.trace.kept
        known, times = (kept.points, kept.t) if self._last is None else self._last
        return known[int(np.argmin(np.abs(times - t)))]  # type: ignore[no-any-return]

    def _resampled(self, t: np.ndarray) -> Self:
        kept, points = self.trace.kept, list[Point]()
        for x in map(float, t):
            begin = self._nearest(x)
            # from the time before, where that is nearer
            begin = points[-1] if points and abs(points[-1].t - x) < abs(begin.t - x) else begin
            points.append(self.problem.follow(begin, x))
        self._last = [*kept.points, *points], np.concatenate([kept.t, t])
        return self.of(self.problem, points, time.perf_counter())


@dataclass(repr=False)
class Motion(Driven, Result):
    """Motion of a driven mechanism; everything that a Result has, by the same names."""

    def _first_law(self) -> tuple[float, float]:
        return _power_balance(self), POWER

    def friction_rates(self) -> np.ndarray:
        """Rates of what rubs (time, components): where one changes its sign, power has a corner."""
        rates = [self.measure(slip).rate for one in self.model.frictions for slip in one.slips]
        return np.array(rates).reshape(-1, len(self.t)).T

    def _notes(self) -> tuple[Any, ...]:
        """Also friction that the motion gives no direction: nobody knows what it takes of the load of the drivers."""
        return (*super()._notes(), *(_undecided(self, *told) for told in self.problem.undecided.items()))

    @cached_property
    def residuals(self) -> Worst:
        """Residuals of the equations at all times."""
        return of_run(self, BLUR * self.prepared.disagreement)

    def _residuals(self, looked: np.ndarray | None = None) -> Worst:
        return self.residuals


def _undecided(run: Motion, name: str, told: tuple[float, float]) -> Note:
    t, most = told
    (unit,) = ("N" if one.on.unit == "m" else "N m" for one in run.model.frictions if one.name == name)
    text = f"friction {name!r} sticks at t = {t:.6g} s: what it takes of the load of the drivers is anything up to {most:.6g} {unit}, and was taken as 0"
    return Note("friction sticks", (name,), t, most, unit, True, text)


@dataclass(eq=False, repr=False)
class LagrangianMotion(Driven, LagrangianResult):
    """Motion of a Lagrangian system that its rows determine; everything that a LagrangianResult has, by the same names."""

    def _sizes_at(self, k: int) -> dict[str, float]:
        """As the path found them."""
        sizes = self.problem.sizes.get(float(self.t[k]), ())
        return {one.size_name: float(x) for one, x in zip(self.model.frictions, sizes)}

    @property
    def slipping(self) -> dict[str, np.ndarray]:
        """Forces of friction, as multipliers of the rows that it would have where it sticks."""
        sizes = [self._sizes_at(k) for k in range(len(self.t))]
        return {
            one.name: np.array([x[one.size_name] for x in sizes]) * self._along(one.factor(SOLVED))
            for one in self.model.frictions
        }

    def friction_rates(self) -> np.ndarray:
        """Rates of what rubs (time, elements): where one changes its sign, power has a corner."""
        return np.array([self._along(one.rate) for one in self.model.frictions]).reshape(-1, len(self.t)).T

    def _first_law(self) -> tuple[float, float]:
        return power_balance(self), POWER


def _power_balance(run: Motion) -> float:
    """Imbalance of dT/dt = power of gravity, elements and drivers, relative to the largest of them in the run."""
    if not len(run.t):
        return 0.0
    builder = run.system.builder
    rising = np.einsum("ti,ti->t", run.v, (mass_matrix(run.system) @ run.a.T).T)
    g = builder.gravity
    weight = np.zeros(len(run.t))
    for body in builder.bodies:
        properties = builder.drawing.matter(body)
        weight += properties.mass * (run.kinematics(body).velocity @ g)
    imbalance = rising - weight - run.powers.sum(axis=1)
    # in steady motion only rounding is left: powers below those of accelerations that go with the velocities say nothing
    typical = np.abs(run.v) @ (mass_matrix(run.system) @ typical_acceleration(run))
    size = max(float(np.max(np.abs(x), initial=0.0)) for x in (rising, weight, run.powers, typical))
    return float(np.max(np.abs(imbalance))) / max(size, 1e-300)
