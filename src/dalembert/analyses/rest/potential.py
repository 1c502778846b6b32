"""Total potential energy of a mechanism at rest.

Gravity, -m g . r; laws of a measure's own value, the integral of f ds; constant forces with directions fixed in space, -F . r; constant
couples in the plane, -T phi; a steady turn, -1/2 omega^2 I.  Dampers and friction give no force at rest.  Where there are others, which depend on
other measures, turn with a body, or are couples in space, dQ/dq has to be symmetric (`closed.py`), and the energy is minus the work of all forces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...model.forces import Law
from ...model.measure import COMPOSITE, Measure
from ...system.system import compile
from ..pose.pose import Pose
from .bodies import Bodies
from .closed import unsymmetric, work_from

if TYPE_CHECKING:
    from ...model.frame import Marker


class Energy(Protocol):
    """Energy of a model where its statics is now."""

    reason: str  # why there is none; "" where there is one
    smooth: bool  # no force jumps anywhere
    costly: bool  # not for every step of a search

    def guilty(self) -> list[tuple[str, str]]:
        """Forces without a potential, by name, and why."""

    def smooth_here(self) -> bool:
        """Whether no force jumps about here."""

    def __call__(self) -> float:
        """Energy [J]."""


class Potential:
    """Potential energy as a function of where the statics is now (after its `evaluate`).

    `guilty()` names the elements that have no potential, each with the reason.
    """

    def __init__(self, statics: Bodies) -> None:
        self.statics = statics
        self._by_rates: list[tuple[str, str]] = []
        self._terms: list[Callable[[], float]] = []
        self.smooth = True  # no law jumps anywhere: springs between points do where their length is zero
        self._open: list[str] = []  # forces without an energy in closed form
        self._springs: list[int] | None = []  # values of springs between points; None if other laws may jump
        self.costly = False  # laws that must be integrated: their energy is for results, not for every step of a search
        builder = statics.system.builder
        self._gravity = builder.gravity
        self._masses = np.array([builder.drawing.matter(body).mass for body in builder.bodies])
        for force in builder.model.parts("force"):
            laws = [law for law in builder.laws if law.part == force.name]
            for (measure, law), compiled in zip(force.elements(), laws):
                row = statics.n_rows + compiled.row
                term, known = self._term(measure, law, compiled.numbers, row)
                if not _is_smooth(measure, law, compiled.numbers):
                    self.smooth = False
                    between = measure.kind == "distance" and law.kind == "linear" and self._springs is not None
                    self._springs = [*(self._springs or ()), row] if between else None
                rates = law.expression is not None and sorted(
                    x for x in law.expression.names if x.startswith("rate(") and x != f"rate({measure.name})"
                )
                if rates:
                    self._by_rates.append((force.asked, f"it depends on {', '.join(rates)}"))
                elif not known and force.name not in self._open:
                    self._open.append(force.name)
                elif term is not None:
                    self._terms.append(term)
        self.reason = self._by_rates[0][1] if self._by_rates else ""
        if self._open and not self.reason:
            self.costly, self.smooth, self._springs = True, False, None
            self._start, self._first = statics.place, self._in_closed_form()
            self.reason = unsymmetric(statics)

    def smooth_here(self) -> bool:
        """Whether no law jumps about here: springs between points are far from the length zero."""
        if self._springs is None:
            return False
        lengths = self.statics.pose.work.value[self._springs]
        return bool(np.all(lengths > 0.01 * self.statics.system.length))

    def guilty(self) -> list[tuple[str, str]]:
        """Elements that depend on rates, or else those for each of which dQ/dq is not symmetric, with the pair of motions for which it is not."""
        if self._by_rates or not self.reason:
            return self._by_rates
        s, model = self.statics, self.statics.system.builder.model
        names, found = {force.name for force in model.parts("force")}, {}
        for name in self._open:
            absent = model.situation.absent | (names - {name})
            alone = compile(model.varied(replace(model.situation, absent=absent)))
            found[name] = unsymmetric(Bodies(Pose(alone, s.pose.t, s.pose.q, None, None), s.spin))
        listed = [name for name in self._open if found[name]] or self._open
        return [(model[name].asked, found[name] or self.reason) for name in listed]

    def __call__(self) -> float:
        """Energy [J]."""
        if self._open:
            return self._first - work_from(self.statics, self._start, lambda: self.statics.force)
        return self._in_closed_form()

    def _in_closed_form(self) -> float:
        """Energy of what has one in closed form [J]."""
        pose = self.statics.pose
        width = 3 if pose.system.plane else 7
        place = pose.q.reshape(-1, width)[:, : 2 if pose.system.plane else 3]
        total = -float(self._masses @ (place @ self._gravity[: place.shape[1]]))
        if self.statics.spin is not None:
            total -= 0.5 * float(pose.v @ self.statics.mass @ pose.v)
        return total + sum(term() for term in self._terms)

    def _term(
        self, measure: Measure, law: Law, numbers: tuple[float, ...], row: int
    ) -> tuple[Callable[[], float] | None, bool]:
        """Energy of one law, if there is one in closed form, and whether that is all: laws without a force at rest have none."""
        values, t = self.statics.pose.work.value, self.statics.pose.t
        if law.kind in ("friction", "slip"):
            return None, True
        if measure.is_rate:
            return self._load(measure, law, numbers)
        if law.elastic:
            f0 = numbers[3] if law.kind == "linear" else 0.0
            return lambda: float(law.stored(float(values[row]), numbers)) + f0 * float(values[row]), True
        if law.kind == "callable":
            function = law.function
            assert function is not None
            return self._integral(row, lambda s: function(s, 0.0, t)), True
        assert law.expression is not None
        parameters = self.statics.system.builder.drawing.values
        own, expression = {measure.name, f"rate({measure.name})"}, law.expression
        if expression.names - own - set(parameters) - {"t"}:
            return None, False
        known = {**parameters, "t": t, f"rate({measure.name})": 0.0}
        return self._integral(row, lambda s: expression.evaluate({**known, measure.name: s})), True

    def _integral(self, row: int, law: Callable[[float], float]) -> Callable[[], float]:
        """Integral of a law from the value at the first evaluation."""
        values = self.statics.pose.work.value
        first, self.costly = float(values[row]), True

        def energy() -> float:
            from scipy.integrate import quad

            s = float(values[row])
            return 0.0 if s == first else float(quad(law, first, s, limit=200)[0])

        return energy

    def _load(self, measure: Measure, law: Law, numbers: tuple[float, ...]) -> tuple[Callable[[], float] | None, bool]:
        """Energy of a load component: constant, along a direction fixed in space."""
        pose, parameters = self.statics.pose, self.statics.system.builder.drawing.values
        if law.kind == "linear":
            f = numbers[3]
        elif law.kind == "callable":
            assert law.function is not None
            f = law.function(0.0, 0.0, pose.t)
        else:
            assert law.expression is not None
            if law.expression.names - set(parameters) - {"t"}:
                return None, False
            f = law.expression.evaluate({**parameters, "t": pose.t})
        if f == 0.0:
            return None, True
        turns = measure.frame is not None or measure.kind == "spin"
        if turns and not (pose.system.plane and measure.kind == "spin"):
            return None, False
        sides = [self._coordinate(marker, measure) for marker in (measure.i, measure.j)]
        # Q = -J^T f, so the energy is f times the coordinate
        return lambda: f * (sides[1]() - sides[0]()), True

    def _coordinate(self, marker: Marker | None, measure: Measure) -> Callable[[], float]:
        """Angle of a planar body, or coordinate of a point along the direction of the measure."""
        pose, builder = self.statics.pose, self.statics.system.builder
        assert marker is not None
        if marker.body.is_ground:
            return lambda: 0.0
        if measure.kind == "spin":
            b = builder.body_index(marker.body)
            return lambda: float(pose.q[3 * b + 2])
        arm = builder.drawing.place(marker.body, marker.at)
        direction = np.array(measure.direction, dtype=float)

        def along() -> float:
            centre, rotation = pose.system.place(pose.q, marker.body)
            return float(direction @ (centre + rotation @ arm))

        return along


def _is_smooth(measure: Measure, law: Law, numbers: tuple[float, ...]) -> bool:
    """Whether the force of a law cannot jump, as far as its formula shows."""
    if measure.is_rate or law.kind == "friction":
        return True
    if measure.kind == "distance" or measure.kind in COMPOSITE:
        # the direction of a spring between two points is not defined at length zero: its force must vanish there
        return law.kind == "linear" and measure.kind == "distance" and numbers[3] == numbers[0] * numbers[1]
    jumps = ("sign(", "if_(", "floor(", "/", "log", "sqrt(")
    return law.elastic or (law.kind == "expression" and not any(x in str(law.expression) for x in jumps))
