"""Energies, and work of everything that acts in a run: the first law by names (PRINCIPLES: W = W_c + W_nc; LAGRANGE 1.3).

T - T_0 = sum of W        W = integral of the power of each part and of gravity
W_c = V_0 - V             of what has a potential: gravity, springs, stops, constant forces
W_nc = E - E_0            the rest: dampers, friction, motors; E = T + V
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResidualError
from ..kernels.operate import FORCES
from ..system.closed import curl, open_pair
from ..system.rows import mass_matrix, unscaled_jacobian
from ..system.subspaces import null_space
from .balance import matter
from .integrals import tolerances
from .record import is_whole
from .series import Series

if TYPE_CHECKING:
    from ..analyses.pose.impulse import Strike
    from ..model.driver import Driver
    from ..model.part import Part
    from ..system.collected import LawRow
    from .record import Record
    from .result import Result


def energies(run: Result) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and potential energy at the output times; of a run through events with the numbers of its parts."""
    if is_whole(run):
        found = [energies(p) for p in run.pieces]
        return np.concatenate([x for x, _ in found]), np.concatenate([x for _, x in found])
    mass = mass_matrix(run.system)
    kinetic = 0.5 * np.einsum("ti,ti->t", run.v, (mass @ run.v.T).T)
    return kinetic, gravity_potential(run) + element_potential(run)


def gravity_potential(run: Result) -> np.ndarray:
    """-m g . r over all bodies."""
    builder = run.system.builder
    g = builder.gravity
    total = np.zeros(len(run.t))
    for body in builder.bodies:
        m = builder.drawing.matter(body).mass
        total -= m * (run.kinematics(body).position @ g)
    return total


def element_potential(run: Result) -> np.ndarray:
    """1/2 k (s - s0)^2 of linear laws and 1/2 k x^2 of stops; other laws have no potential here and are seen in the work audit."""
    total, builder = np.zeros(len(run.t)), run.system.builder
    for row in builder.laws:  # the rate of a state is no elastic one
        if row.law.elastic and row.numbers[0] != 0.0:
            total = total + row.law.stored(np.asarray(run.measure(row.measure)), row.numbers)
    return total


def energy_gained(run: Result) -> tuple[np.ndarray, float, float]:
    """T + V since the start at every accepted step, the size of what it is made of, and that of energies where nothing moves."""
    kept, system = run.trace.kept, run.system
    mass, tensor = matter(system)
    q, v, _ = system.parts_of(kept.y)
    linear = 2 if run.plane else 3
    v = v.reshape(len(v), len(mass), -1)
    kinetic = 0.5 * np.einsum("tbi,tbi,b->t", v[:, :, :linear], v[:, :, :linear], mass[:, 0])
    spin, turning = v[:, :, linear:], tensor[:, 2:, 2:] if run.plane else tensor
    kinetic += 0.5 * np.einsum("tbi,bij,tbj->t", spin, turning, spin)
    r = q.reshape(len(q), len(mass), -1)[:, :, :linear]
    gravity = ((r - r[0]) @ system.builder.gravity[:linear]) @ mass[:, 0]
    stored = kept.stored - kept.stored[0]
    size = max(_largest(x) for x in (kinetic, gravity, stored))
    return kinetic - kinetic[0] - gravity + stored, size, forces_times_length(run)


def forces_times_length(run: Result) -> float:
    """Weights and element forces times the model's length (torques times a radian): the size of energies here."""
    system, builder = run.system, run.system.builder
    g = builder.gravity
    weight = float(matter(system)[0].sum()) * float(np.sqrt(g @ g))
    elements = 0.0
    for k, law in enumerate(builder.laws):
        if k < len(builder.states):
            continue  # the rate of a state is no force
        arm = 1.0 if builder.free[law.row].row.unit.startswith("rad") else system.length
        elements += arm * _largest(run.forces[:, k])
    return weight * float(system.length) + elements


def typical_acceleration(run: Result) -> np.ndarray:
    """Square of the largest rate of the run [1/s], times the model's length for linear velocities."""
    unit = run.system.unit_of_velocity
    return np.asarray(_largest(run.v / unit) ** 2 * unit)


def _largest(x: Any) -> float:
    return float(np.abs(x).max(initial=0.0))


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
    flags, conserves = run.system.conservative(), _potential(run, part.name)
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
        elif conserves:
            total += run.integrals(_power_of(k))
    return total


def _power_of(k: int) -> Callable[[Result], np.ndarray]:
    return lambda r: r.powers[:, k]


def _potential(run: Result, part: str) -> bool:
    """Whether the laws of an element that are no springs, dampers and stops have a potential on the motions that joints allow (LAGRANGE 2.1.9).

    Q = -sum of f_k(s_1, s_2, …) ds_k, along measures whose rates are those of functions of positions: C is the sum of df_k ^ ds_k.  Drivers may move
    what they hold.  Looked at at outputs, and, where nothing is held, at random positions beside them.
    """
    system, flags = run.system, run.system.conservative()
    held = np.setdiff1d(np.flatnonzero(~system.rows_on_rates), system.driven_rows)
    own = [row for k, row in enumerate(system.builder.laws) if row.part == part and _is_open(run, row, bool(flags[k]))]
    free, slopes, unvalued = system.n_rows, [], False
    for row in own:
        formula = row.expression is not None and "t" not in row.expression.names and not any(x for _, x in row.inputs)
        if not (formula or (row.law.kind == "linear" and row.numbers[2] == 0.0)):
            return False
        unvalued = unvalued or not all(system.valued(r) for r in (row.row, *(r for r, _ in row.inputs)))
        if row.expression is not None:
            slopes += [(row, k, row.expression.diff(name)) for k, name in enumerate(row.names[1:])]
    random, work = np.random.default_rng(0), system.workspace()
    for k in np.unique(np.linspace(0, len(run.t) - 1, 8).astype(int)) if slopes or unvalued else ():
        here = run.point(int(k), work)
        if not len(held):
            here.q = here.shifted(0.2 * system.unit_of_velocity * random.standard_normal(system.nv))
        here.operate(FORCES)
        J = unscaled_jacobian(system, work, 0, free + system.n_free).toarray()
        z, value = null_space(np.vstack([J[held], np.diag(~system.moves)[~system.moves]])), work.value[free:]
        if z.shape[1] < 2:
            continue
        if unvalued:
            return False  # forces that turn with a body: only along a single motion are they sure to have a potential
        by = np.zeros((system.nv, system.nv))
        for row, i, slope in slopes:
            f = slope.evaluate({name: float(value[r]) for name, (r, _) in zip(row.names[1:], row.inputs)})
            by += f * np.outer(J[free + row.row], J[free + row.inputs[i][0]])
        if open_pair(*curl(by, z)) is not None:
            return False
    return True


def _is_open(run: Result, row: LawRow, stored: bool) -> bool:
    """Whether the work of a law is not known from what it stores."""
    return row.law.kind != "stop" and not (row.law.kind == "linear" and stored and not row.measure.is_rate)


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
