"""Work of everything that acts in a run: the first law by names (PRINCIPLES: W = W_c + W_nc; LAGRANGE 1.3).

T - T_0 = sum of W        W = integral of the power of each part and of gravity
W_c = V_0 - V             of what has a potential: gravity, springs, stops, constant forces
W_nc = E - E_0            the rest: dampers, friction, motors; E = T + V
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResidualError
from .energy import forces_times_length, gravity_potential
from .integrals import tolerances
from .series import Series

if TYPE_CHECKING:
    from ..analyses.pose.impulse import Strike
    from ..model.driver import Driver
    from ..model.forces._base import Law
    from ..model.measure import Measure
    from ..model.part import Part
    from ..system.collected import LawRow
    from .record import Record
    from .result import Result


class Works(dict[str, Series]):
    """Work of every part since the first output [J], by name, "gravity" and "blows" among them.

    Attributes
    ----------
    conservative, nonconservative
        Sums of what has a potential, V_0 - V, and of the rest.
    total
        Sum of all.
    kinetic
        T - T_0: what the total must be.
    error
        Largest difference of the two, relative to the largest energy that moved.
    """

    conservative: Series
    nonconservative: Series
    total: Series
    kinetic: Series
    error: float

    @classmethod
    def made(
        cls, t: Any, works: dict[str, np.ndarray], conservative: np.ndarray, gained: np.ndarray, scale: float
    ) -> Works:
        """Works with their sums."""
        series = lambda x, name: Series(x, f"work of {name}", "J", (), t)  # noqa: E731
        found = cls({name: series(x, name) for name, x in works.items()})
        total = sum(works.values(), np.zeros(len(t)))
        found.total, found.conservative = series(total, "all"), series(conservative, "conservative forces")
        found.nonconservative = series(total - conservative, "nonconservative forces")
        found.kinetic = Series(gained, "T - T0", "J", (), t)
        largest = max([scale, *(float(np.max(np.abs(x), initial=0.0)) for x in (gained, *works.values()))])
        found.error = float(np.max(np.abs(gained - total), initial=0.0)) / max(largest, 1e-300)
        return found

    def __str__(self) -> str:
        if not len(self.total):
            return "no outputs"
        rows = [*self.items(), ("all", self.total), ("  conservative", self.conservative)]
        rows += [("  nonconservative", self.nonconservative), ("T - T0", self.kinetic)]
        long = max(len(name) for name, _ in rows)
        lines = [f"{'work [J]':{long}}  {'at the end':>14}  {'largest':>14}"]
        lines += [f"{name:{long}}  {float(x[-1]):14.6g}  {float(np.max(np.abs(x))):14.6g}" for name, x in rows]
        return "\n".join([*lines, f"closed to {self.error:.1e}"])

    __repr__ = __str__


def works(run: Result) -> Works:
    """Work of all parts of a mechanism."""
    found = {"gravity": -_since(gravity_potential(run))}
    if not np.any(found["gravity"]):
        del found["gravity"]
    stored = found.get("gravity", np.zeros(len(run.t))).copy()
    for part in moving_parts(run):
        found[_free(part.name, found)] = work_of(run, part)
        if part.kind == "force":
            stored += conservative_work(run, part)
    for happening in run.happened:
        # impacts, blows of events, and joints that caught bodies
        blows = np.where(run.integrals.after(happening.t, happening), happening.energy_change, 0.0)
        if happening.energy_change != 0.0:
            found["blows"] = found.get("blows", 0.0) + blows
    kinetic = np.asarray(run.energy.kinetic)
    made = Works.made(run.t, found, stored, kinetic - kinetic[0], _size(run))
    check(run, made)
    return made


def check(run: Record, made: Works) -> None:
    """Refuse works that do not add up to the change of kinetic energy as well as the audit asks of the run."""
    allowed = max(float(run.audit.energy_tolerance), 1e-8)
    if not made.error <= allowed:
        raise ResidualError(
            f"work of the parts of {run.model.name!r}",
            f"they add up to T - T0 but for {made.error:.1e} of the energy that moved; {allowed:.0e} may be expected",
            "the first law does not close, so that single works would be wrong",
            "look at run.audit; simulate with smaller rtol, or max_step, where forces change fast",
        )


def moving_parts(run: Result) -> list[Any]:
    """Parts that may do work: forces, drivers, joints that depend on time."""
    with_power = {law.part for law in run.system.builder.laws}
    with_power.update(run.system.row_parts[r] for r in run.system.driven_rows)
    return [part for kind in ("joint", "driver", "force") for part in run.parts(kind) if part.name in with_power]


def work_of(run: Result, part: Part | Driver) -> np.ndarray:
    """Work of a part on all its bodies, blows included."""
    total = run.integrals(lambda r: r.power(part))
    for t, blow in () if run.pieces else run.jumps:
        total = total + np.where(run.integrals.after(t, blow), _blow_work(blow, part), 0.0)
    return np.asarray(total)


def _blow_work(blow: Strike, part: Part | Driver) -> float:
    """Impulse of a part times the mean of the velocities before and after, on every body."""
    source = blow.impulse._run
    if not source.has(part) or part.kind == "force":
        return 0.0
    system, width = source.system, source.system.builder.width
    total = 0.0
    for b, w in source._body_wrenches(part).items():
        mean = 0.5 * (blow.before.v + blow.after.v)[width * b : width * (b + 1)]
        if system.plane:
            total += float(w[0, :2] @ mean[:2] + w[0, 5] * mean[2])
        else:
            turned = source.kinematics(system.builder.bodies[b]).rotation[0] @ mean[3:]
            total += float(w[0, :3] @ mean[:3] + w[0, 3:] @ turned)
    return total


def conservative_work(run: Result, part: Part | Driver) -> np.ndarray:
    """Work of the part of an element that has a potential, U_0 - U."""
    total = np.zeros(len(run.t))
    if part.kind != "force":
        return total
    flags = run.system.conservative()
    for k, row in enumerate(run.system.builder.laws):
        if row.part != part.name:
            continue
        measure, law, numbers, kind = row.measure, row.law, row.numbers, row.law.kind
        if kind == "linear" and flags[k] and not measure.is_rate:
            # U = 1/2 k (s - s0)^2 + f0 (s - s0); the damper has none
            s = np.asarray(run.measure(measure))
            total -= _since(law.stored(s, numbers) + numbers[3] * (s - numbers[1]))
        elif kind == "stop":
            total -= _since(law.stored(np.asarray(run.measure(measure)), numbers))
        elif _constant(run, measure, law, numbers) or _of_value(run, row):
            total += run.integrals(_power_of(k))
    return total


def _power_of(k: int) -> Callable[[Result], np.ndarray]:
    """Power of a law over time, in whatever result."""
    return lambda r: r.powers[:, k]


def _constant(run: Result, measure: Measure, law: Law, numbers: Any) -> bool:
    """A constant force along a direction fixed in space has the potential -F r (PLANAR 6.5.5), and in the plane a constant couple -n phi."""
    fixed = measure.kind == "velocity" or (measure.kind == "spin" and run.plane)
    return bool(law.kind == "linear" and fixed and measure.frame is None and numbers[2] == 0.0)


def _of_value(run: Result, row: LawRow) -> bool:
    """A law f(s) of its own measure alone has the potential that is its integral over s."""
    free = run.system.builder.free[row.row]
    still = (free.composite is None or free.composite.expression is None) and not free.row.rate_only
    return bool(
        row.expression is not None and still and row.inputs == [(row.row, False)] and "t" not in row.expression.names
    )


def _since(x: Any) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    return x - x[:1]


def _size(run: Result) -> float:
    """What counts as rounding of energies: work of the forces over tolerated displacements, as in the audit."""
    rtol, atol = tolerances(run.problem)
    return max(atol / (rtol + atol) * forces_times_length(run), float(np.max(np.abs(run.energy.kinetic), initial=0.0)))


def _free(name: str, taken: dict[str, Any]) -> str:
    """A name that is not taken: a part may be called "gravity"."""
    return name if name not in taken else f"{name} (part)"
