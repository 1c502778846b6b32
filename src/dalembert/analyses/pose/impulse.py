"""The account of a blow on bodies: impulses of joints and drivers as wrenches at their points, energies; what `strike` and an impulsive start give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError, nearest
from ...model.body import Body
from ...results.in_units import units_of
from ...results.parts import LoadResult, check_body
from ...results.result import Result
from ..dynamics.shock import Blow

if TYPE_CHECKING:
    from .pose import Pose


@dataclass(frozen=True, eq=False)
class ReactionImpulse:
    """Impulse of a joint, driver or measure on one body.

    Attributes
    ----------
    linear
        Integral of the force over the blow [N s], space axes.
    angular
        Integral of the torque [N m s], space axes (a number in the plane), about the joint point; of a measure about the mass centre.
    effort
        Of drivers and measures: impulse along the measure, positive where it increases the measure; None for joints.
    unique
        False where redundant constraints share the load: then it is the smallest that fits.
    body
        Name of the body it acts on: the second one of the joint.
    """

    name: str
    body: str
    linear: np.ndarray
    angular: Any
    effort: float | None
    unique: bool
    _source: Impulses = field(repr=False)

    def on(self, body: Any) -> ReactionImpulse:
        """The impulse on another of its bodies."""
        return self._source.of(self.name, body)

    def __repr__(self) -> str:
        note = "" if self.unique else ", not unique: the smallest that fits"
        effort = "" if self.effort is None else f", along its measure {self.effort:.6g}"
        return f"<impulse of {self.name!r} on {self.body!r}: {_vector(self.linear)} N s, {_vector(self.angular)} N m s{effort}{note}>"


class Impulses(Mapping[str, ReactionImpulse]):
    """Impulses of all joints and drivers, and of the measures that were thrown back, by name."""

    def __init__(self, pose: Pose, lam: np.ndarray, measures: dict[str, tuple[Any, np.ndarray, float]]) -> None:
        system = pose.system
        still = lambda n: np.zeros((1, n))  # noqa: E731
        # the loads of one instant, with impulses in place of forces: everything that reads reactions reads impulses too
        self._run = Result(
            system, np.array([pose.t]), pose.q[None], pose.v[None], still(system.nv), lam[None],
            still(len(pose.work.force)), still(len(pose.work.power)), pose.work.angle[None].copy(),
            prepared=SimpleNamespace(dropped=np.flatnonzero(pose.dropped).tolist()), z=pose.work.state[None].copy(),
        )  # fmt: skip
        self._measures = measures
        self._parts = {part.name: part for kind in ("joint", "driver") for part in self._run.parts(kind)}
        shared = np.max(np.abs(pose.null_vectors()), axis=1, initial=0.0) > 1e-9
        self._shared = {row.part for row, yes in zip(pose.rows, shared) if yes}

    @property
    def multipliers(self) -> np.ndarray:
        """Of all rows of the model."""
        return self._run.basic_lam[0]

    def of(self, name: str, body: Any = None) -> ReactionImpulse:
        """Impulse of a part on one of its bodies; default: the second one."""
        if name in self._measures:
            return self._of_measure(name, body)
        if name not in self._parts:
            known = [*self._parts, *self._measures]
            raise ModelError(
                f"impulse of {name!r}",
                "no such joint, driver or measure here",
                nearest(name, known),
                "use one of these",
            )
        part = self._parts[name]
        load = LoadResult(self._run, part)
        load = load if body is None else load.on(body)
        linear, torque = np.asarray(load.force)[0], np.asarray(load.torque)[0]
        effort = float(np.asarray(load.effort)[0]) if part.kind == "driver" else None
        return ReactionImpulse(name, load.body.name, linear, torque, effort, name not in self._shared, self)

    def _of_measure(self, name: str, body: Any) -> ReactionImpulse:
        measure, row, size = self._measures[name]
        model, system = self._run.model, self._run.system
        bodies = [b for b in system.builder.bodies if np.any(row[self._place(b)])]
        asked = f"impulse of {name!r}"
        found = bodies[-1] if body is None else check_body(asked, model.read_body(asked, body), bodies)
        wrench = size * row[self._place(found)]
        if system.plane:
            return ReactionImpulse(name, found.name, wrench[:2], float(wrench[2]), size, True, self)
        rotation = self._run.kinematics(found).rotation[0]
        return ReactionImpulse(name, found.name, wrench[:3], rotation @ wrench[3:], size, True, self)

    def _place(self, body: Body) -> slice:
        width = self._run.system.builder.width
        b = self._run.system.builder.body_index(body)
        return slice(width * b, width * (b + 1))

    def __getitem__(self, name: Any) -> ReactionImpulse:
        return self.of(getattr(name, "name", name))

    def __iter__(self) -> Iterator[str]:
        yield from self._parts
        yield from (name for name in self._measures if name not in self._parts)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<impulses of {', '.join(self)}>"


@dataclass(frozen=True, eq=False, repr=False)
class Strike(Blow):
    """Account of a blow on bodies.

    `impulse["A"]`: `.linear` [N s] and `.angular` [N m s] of a joint or driver on its second body, at the joint point, in space
    axes; `.on(body)` for another body.  Measures with restitution are listed by their names.
    """

    impulse: Impulses
    plane: bool = True
    length: float = 1.0  # of the model, to tell moments from rounding

    def about(self) -> dict[str, Any]:
        """Plain numbers, for files."""
        told = {
            name: {"body": x.body, "linear": x.linear.tolist(), "angular": np.asarray(x.angular).tolist()}
            for name, x in self.impulse.items()
        }
        return super().about() | {"impulse": told}

    def __str__(self) -> str:
        names = list(self.before.bodies)
        long = max([6, *map(len, names), *map(len, self.impulse)])
        width, linear = (3, 2) if self.plane else (6, 3)
        units = units_of("strike", self.impulse._run)
        (time, seconds), (joule, work) = units.of("s"), units.of("J")
        (speed, fast), (spin, turning) = units.of("m/s"), units.of("rad/s")
        (push, strong), (twist, hard) = units.of("N s"), units.of("N m s")
        factors = np.array([fast] * linear + [turning] * (width - linear))
        lines = [
            f"{self.name} at t = {self.before.t * seconds:g} {time}",
            f"  {'body':{long}}  velocity of the mass centre [{speed}] and spin [{spin}], before -> after",
        ]
        for b, name in enumerate(names):
            v, w = (_velocity(factors * x.v[width * b : width * (b + 1)]) for x in (self.before, self.after))
            lines.append(f"  {name:{long}}  {v}  ->  {w}")
        lines.append(f"  {'joint':{long}}  impulse [{push}] and angular impulse [{twist}] on the body")
        found = dict(self.impulse.items())
        size, arm = max((float(np.max(np.abs(x.linear))) for x in found.values()), default=0.0), self.length
        for name, x in found.items():
            note = "" if x.unique else "  (not unique)"
            force, moment = strong * np.asarray(x.linear), hard * np.asarray(x.angular)
            loads = f"{_vector(force, strong * size)}  {_vector(moment, hard * size * arm)}"
            lines.append(f"  {name:{long}}  {loads}  on {x.body}{note}")
        lines.append(
            f"  kinetic energy {work * self.energy_before:.6g} -> {work * self.energy_after:.6g} {joule}, change {work * self.energy_change:+.6g} {joule}"
        )
        return "\n".join(lines)

    __repr__ = __str__


def _vector(x: Any, size: float = 0.0) -> str:
    """Components with six digits; those that are rounding beside the largest, or beside `size`, are zero."""
    x = np.asarray(x, dtype=float)
    size = max(size, float(np.max(np.abs(x), initial=0.0)))
    shown = [f"{0.0 if abs(c) < 1e-12 * size else float(c):.6g}" for c in np.atleast_1d(x)]
    return f"({', '.join(shown)})" if x.ndim else shown[0]


def _velocity(v: np.ndarray) -> str:
    return f"{_vector(v[:2])} {_vector(v[2])}" if len(v) == 3 else f"{_vector(v[:3])} {_vector(v[3:])}"
