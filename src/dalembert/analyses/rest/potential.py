"""Potential energy of a model at rest, and whether its forces have one.

Of a mechanism: gravity, -m g . r; laws of a measure's own value, the integral of f ds; constant forces with directions fixed in space, -F . r; constant
couples in the plane, -T phi; a steady turn, -1/2 omega^2 I.  Dampers and friction give no force at rest.  Of a Lagrangian system: V - T.  Where there are other forces, which
depend on other measures, turn with a body, or are couples in space, dQ/dq has to be symmetric: C of `system/closed.py` is computed here and at random places around, with slopes that are exact where
forces have formulas.  The energy is then minus their work along any way that rows allow, V - V_0 = -integral of Q.dq (LAGRANGE 2.1.2-10).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...model.forces import Law
from ...model.measure import COMPOSITE, Measure
from ...system.closed import open_pair
from ...system.system import compile
from ..pose.pose import Pose
from .statics import Place, Statics

if TYPE_CHECKING:
    from ...model.frame import Marker
    from .bodies import Bodies
    from .coordinates import Coordinates

# random places besides the present one, and how far they lie in lengths of the model and radians at most
PLACES, FAR = 5, 0.5
# error of an integral along a way, as a part of the largest work on it; halvings of its steps
ACCURATE, HALVINGS = 1e-11, 9


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
            found[name] = unsymmetric(type(s)(Pose(alone, s.pose.t, s.pose.q, None, None), s.spin))
        listed = [name for name in self._open if found[name]] or self._open
        return [(model[name].asked, found[name] or self.reason) for name in listed]

    def __call__(self) -> float:
        """Energy [J]."""
        if self._open:
            return self._first - work_from(self.statics, self._start, lambda: self.statics.force)
        return self._in_closed_form()

    def _in_closed_form(self) -> float:
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


class EnergyOfCoordinates:
    """V - T where the statics is now: in a steady motion T is that of the rates held.  Forces that change with the motion do their work from the start."""

    def __init__(self, statics: Coordinates) -> None:
        self._statics, self._functions = statics, statics.functions
        self._start = statics.place
        self.costly = bool(self._functions.open)
        self.smooth = self._functions.smooth_energy and not self.costly
        rates = self._functions.by_rates
        self.reason = next(iter(rates.values()), "") or (unsymmetric(statics) if self.costly else "")

    def guilty(self) -> list[tuple[str, str]]:
        """Forces that change with rates, or else those for each of which dQ/dq is not symmetric, with the pair of coordinates for which it is not."""
        s, rates = self._statics, self._functions.by_rates
        if rates or not self.reason:
            return list(rates.items())
        alone = {x: unsymmetric(s, partial(s.curl, only=x)) for x in self._functions.open}
        return [(x, found) for x, found in alone.items() if found]

    def smooth_here(self) -> bool:
        """Whether no force jumps about here."""
        return self.smooth

    def __call__(self) -> float:
        """Energy, after an evaluation."""
        s = self._statics
        energy = s.values.potential - s.values.kinetic
        return energy - work_from(s, self._start, self._force) if self.costly else energy

    def _force(self) -> np.ndarray:
        p = self._statics.pose
        return np.asarray(self._functions.open_forces(p.t, p.q, self._statics.steady).sum(axis=0))


Energy = Potential | EnergyOfCoordinates


# -- whether there is a potential, and its energy -----------------------------------------------------------------------------


def unsymmetric(s: Statics, curl: Callable[[np.ndarray], tuple[np.ndarray, float]] | None = None) -> str:
    """The pair of motions whose dQ_i/dq_j and dQ_j/dq_i differ most, in words; "" where none do.

    `curl`: C of some forces along displacements and what rounding leaves of it; default: of all forces.
    """
    here, random, found = s.place, np.random.default_rng(0), ""
    _back(s, here)
    for k in range(1 + PLACES):
        if k:
            z = s.displacements()
            delta = z @ random.standard_normal(z.shape[1])
            delta *= FAR * random.uniform(0.2, 1.0) / max(s.reach(delta), 1e-300)
            if not s.retract(delta):
                _back(s, here)
                continue
        z = s.displacements()
        if z.shape[1] < 2:
            break  # of one motion every force that depends on positions has a potential
        z, names = _unit_motions(s, z)
        c, error = (curl or s.curl)(z)
        pair = open_pair(c, error)
        if pair is not None:
            i, j = pair
            a, b = names[i], names[j]
            found = f"d(force along {b})/d({a}) - d(force along {a})/d({b}) = {c[i, j]:.6g}"
            break
        _back(s, here)
    _back(s, here)
    return found


def _unit_motions(s: Statics, z: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The same motions, one for a unit change of each of some independent coordinates, with their names."""
    from scipy.linalg import qr

    chosen = np.sort(qr((z * s.size[:, None]).T, mode="r", pivoting=True)[1][: z.shape[1]])
    names = [s.coordinate_name(int(c)) for c in chosen]
    made: np.ndarray = np.linalg.solve(z[chosen].T, z.T).T
    return made, names


def work_from(s: Statics, start: Place, force: Callable[[], np.ndarray]) -> float:
    """Integral of Q.dq from a place to the present one, along the straight way brought onto the rows; nan where that does not lead here.

    Sums of trapezoids over halved steps have errors in even powers of the steps: Romberg's rule.
    """
    here = s.place
    whole = s.way(start[0], here[0])
    places: dict[float, tuple[np.ndarray, np.ndarray]] = {}

    def at(sigma: float) -> bool:
        s.place = start
        ok = s.retract(sigma * whole) if s.reach(whole) > 0.0 else s.onto()
        places[sigma] = s.pose.q.copy(), force().copy()
        return ok and bool(np.isfinite(places[sigma][1]).all())

    reached = at(0.0) and _followed(s, start, whole, here) and at(1.0)
    rows: list[list[float]] = []
    best, error = math.nan, math.inf
    for level in range(HALVINGS):
        if not reached:
            break
        n = 2**level
        reached = all(at(k / n) for k in range(1, n, 2))
        along = [places[k / n] for k in range(n + 1)]
        total = sum(0.5 * float((p[1] + q[1]) @ s.way(p[0], q[0])) for p, q in zip(along, along[1:]))
        size = sum(float(np.abs(p[1]) @ np.abs(s.way(p[0], q[0]))) for p, q in zip(along, along[1:]))
        row = [total]
        for k, before in enumerate(rows[-1] if rows else []):
            row.append(row[k] + (row[k] - before) / (4.0 ** (k + 1) - 1.0))
        rows.append(row)
        if level > 2:
            best, error = row[-1], abs(row[-1] - rows[-2][-1])
            if error <= ACCURATE * size:
                break
    _back(s, here)
    return best if reached and error <= 1e-7 * max(size, 1e-300) else math.nan


def _followed(s: Statics, start: Place, whole: np.ndarray, here: Place) -> bool:
    """Whether the way from a place leads here, with the same counted angles."""
    s.place = start
    steps = max(8, math.ceil(8.0 * s.reach(whole)))
    for k in range(1, steps + 1):
        before = s.place
        s.place = start[0], before[1]
        if not s.retract(k / steps * whole) or s.reach(s.way(before[0], s.pose.q)) > 1.0:
            return False
    place = s.place
    return s.reach(s.way(place[0], here[0])) < 1e-9 and np.allclose(place[1], here[1], rtol=0.0, atol=1e-6)


def _back(s: Statics, place: Place) -> None:
    """Return to a place that was on the rows."""
    s.place = place
    s.evaluate()
    s.factor()
