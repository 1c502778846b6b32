"""Every answer checks itself: residuals of the equations by a slow twin, scaled, and a typed error where they are not small.

    M a + J^T lam = Q            of every body, forces [N] and torques [N m] apart
    J a = gamma                  of every row that is kept

The twin (`kernels/residual.py`) knows bodies, laws and rows, and no solver.  A residual may be

    TERMS of the sum of the sizes of the terms of that equation: what "satisfied" means;
    ROUNDING of E, the largest term anywhere in the metric of kinetic energy, per unit of the equation in that metric.

The second part is what rounding leaves.  Eliminations of symmetric positive definite matrices (J M^-1 J^T here) solve a system whose entries
are off by a few eps sqrt(s_rr s_kk) (Higham, Accuracy and Stability, theorem 10.3): a row r then misses its right side by some eps
sqrt(s_rr) times the largest sqrt(s_kk) |lam_k| of the rows coupled with it, however ill conditioned the system is.  Close to a singular
position multipliers grow, and E with them; answers lose digits there, residuals against their terms do not.  At rest, where nothing is
left to compare with, E is the size of the forces that balance; in steady motion that of the accelerations that go with the velocities.
ROUNDING is 4500 eps, some eps for each of the rows that take part in a long elimination.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ModelError, ResidualError, SingularError
from ...kernels import layout as at
from ...kernels.operate import RESIDUAL, operate
from ...kernels.outputs import ROUNDING, TERMS
from ...solve.over import filled
from ...system.outputs import Pass, mass_records
from ...system.system import System
from ...system.tables import Work

# part of the largest mass or inertia below which a body counts as massless: the solvers then put weights of that size in its place
NOTHING = 1e-13
# outputs that are judged together, so that memory stays small
TOGETHER = 256
# rows left out as dependent must hold to this part of the accelerations, beside what the given dimensions disagree by
DEPENDENT = 1e-8

# units of the equations: of rows by the unit of their measure, of forces and torques
UNITS = {
    "m": "m/s²", "rad": "rad/s²", "m/s": "m/s²", "rad/s": "rad/s²", "": "1/s²", "force": "N", "torque": "N m",
    "row": "J a = gamma", "body": "M a + J^T lam = Q",
}  # fmt: skip
IMPULSE = {
    "m": "m/s", "rad": "rad/s", "m/s": "m/s", "rad/s": "rad/s", "": "1/s", "force": "N s", "torque": "N m s",
    "row": "J v = nu after the blow", "body": "M dv + J^T L = P",
}  # fmt: skip
WHY = "what was solved for does not satisfy the equations that it was solved from: the answer would be wrong"
DO = (
    "look for extreme ratios of masses or lengths, and take a pose beside this one; if the model is sound this is a fault of the solver:"
    " please report it with the model"
)


def inverse_roots(system: System) -> np.ndarray:
    """1 / sqrt of the inertia that answers each velocity, the root of the diagonal of M^-1; of massless bodies that of the largest."""
    found = system.known.get("inverse roots")
    if found is None:
        found = system.known["inverse roots"] = _inverse_roots(system)
    return found  # type: ignore[no-any-return]


def _inverse_roots(system: System) -> np.ndarray:
    bodies, length, records = len(system.builder.bodies), float(system.length), mass_records(system)
    mass = records[:, 5] if system.plane else records[:, 21]
    largest = float(np.max(mass, initial=0.0)) or 1.0
    mass = np.where(mass > NOTHING * largest, mass, largest)
    most = largest * length**2
    if system.plane:
        moments = np.where(records[:, 6] > NOTHING * most, records[:, 6], most)
        return 1.0 / np.sqrt(np.column_stack([mass, mass, moments]).ravel())
    xx, xy, xz, yy, yz, zz = records[:, 3:9].T
    tensors = np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), 2, 0)
    values, axes = np.linalg.eigh(tensors.reshape(bodies, 3, 3))
    values = np.where(values > NOTHING * most, values, most)
    inverse = np.einsum("bij,bj->bi", axes**2, 1.0 / values)
    return np.hstack([np.repeat(1.0 / mass[:, None], 3, axis=1), inverse]).ravel() ** 0.5


@dataclass(frozen=True)
class Residuals:
    """Residuals at some instants, with what they may be: (time, velocities) and (time, rows)."""

    system: Any
    t: np.ndarray
    force: np.ndarray
    force_terms: np.ndarray
    force_allowed: np.ndarray
    row: np.ndarray
    row_terms: np.ndarray
    row_allowed: np.ndarray
    units: dict[str, str] = field(default_factory=lambda: UNITS)
    part: float = TERMS  # of the terms that is allowed

    @cached_property
    def force_ratio(self) -> np.ndarray:
        """|M a + J^T lam - Q| in units of what is allowed; a NaN counts as infinite."""
        return _ratio(self.force, self.force_allowed)

    @cached_property
    def row_ratio(self) -> np.ndarray:
        """|J a - gamma| in units of what is allowed."""
        return _ratio(self.row, self.row_allowed)

    @property
    def worst(self) -> float:
        """Largest residual in units of what is allowed: the answer is good if it is at most 1."""
        return max(float(np.max(x, initial=0.0)) for x in (self.force_ratio, self.row_ratio))

    @property
    def relative(self) -> float:
        """The same as a part of the terms, as audits print it."""
        return self.part * self.worst

    def told(self, when: bool = False) -> str:
        """The worst equation in words, with its joint or body, numbers and units."""
        forces, rows = (float(np.max(x, initial=0.0)) for x in (self.force_ratio, self.row_ratio))
        if rows >= forces and self.row.size:
            k, c = np.unravel_index(int(np.argmax(self.row_ratio)), self.row.shape)
            what, unit = self.of_row(int(c))
            off, size = self.row[k, c], self.row_terms[k, c]
        else:
            k, c = np.unravel_index(int(np.argmax(self.force_ratio)), self.force.shape)
            what, unit = self.of_velocity(int(c))
            off, size = self.force[k, c], self.force_terms[k, c]
        text = f"{what} is missed by {abs(off):.3g}{unit}, its terms are {size:.3g}{unit}"
        return f"at t = {self.t[k]:.9g} s: {text}" if when else text

    def of_row(self, r: int) -> tuple[str, str]:
        """Name of an equation J a = gamma, and its unit."""
        row = self.system.numbering.rows[r]
        unit = self.units.get(row.unit, self.units[""])
        return f"{self.units['row']} of row {row.name!r} of {row.part!r}", f" {unit}"

    def of_velocity(self, c: int) -> tuple[str, str]:
        """Name of an equation M a + J^T lam = Q, and its unit."""
        width, linear = self.system.builder.width, 2 if self.system.plane else 3
        unit = self.units["force" if c % width < linear else "torque"]
        name, axis = self.system.body_names[c // width], self.system.velocity_names[c]
        return f"{self.units['body']} of body {name!r} (along {axis})", f" {unit}"

    def refuse(self, asked: str, when: bool = False) -> None:
        """Raise where an equation is not satisfied."""
        if not self.worst <= 1.0:
            raise ResidualError(asked, self.told(when), WHY, DO)


def _ratio(x: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    ratio = np.abs(x) / np.maximum(allowed, 1e-300)
    return np.where(np.isnan(ratio), np.inf, ratio)


class Guard:
    """The twin of a system, with memory for one state at a time.

    Parameters
    ----------
    system
        The compiled mechanism.
    work
        Memory whose floors say which rows are left out, and with counted angles and values of Python laws of the state; its body records,
        rows, forces and multipliers are written anew.
    """

    def __init__(self, system: System, work: Work) -> None:
        self.system, self.work = system, work
        nv = system.nv
        self._memory = np.zeros(4 * nv + 3 * system.n_rows)
        self._memory[nv : 2 * nv] = self.unit = inverse_roots(system)
        # looked up once: this is done at every output of every run
        self._I, self._P, self._F, self._lam = system.numbering.I, system.numbering.P, work.F, work.lam

    def twin(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """Residuals, sizes and rows' sizes as the kernel leaves them behind a and the units; see `kernels/residual.py`."""
        x = self._memory
        x[: self.system.nv] = a
        self.perform(t, q, v, x, lam)
        return x[2 * self.system.nv :]

    def memories(self, a: np.ndarray) -> np.ndarray:
        """Memory for `perform` with accelerations and units, one row for each of several states."""
        nv, x = self.system.nv, np.zeros((len(a), len(self._memory)))
        x[:, :nv], x[:, nv : 2 * nv] = a, self.unit
        return x

    def perform(self, t: float, q: np.ndarray, v: np.ndarray, x: np.ndarray, lam: np.ndarray) -> None:
        """Residuals of one state into its memory x."""
        self._lam[:] = lam
        operate(RESIDUAL, self._I, self._P, self._F, float(t), q, v, x, 0.0, 1)

    def parts(self, found: np.ndarray) -> tuple[np.ndarray, ...]:
        """Residuals and sizes of M a + J^T lam = Q, then of J a = gamma, and sizes of the rows."""
        nv, m = self.system.nv, self.system.n_rows
        places = (0, nv, 2 * nv, 2 * nv + m, 2 * nv + 2 * m, 2 * nv + 3 * m)
        return tuple(found[..., first:last] for first, last in zip(places, places[1:]))

    def sound(self, found: np.ndarray, kept: np.ndarray) -> bool:
        """Whether all is far below what is allowed, by a lower bound of that with few operations: what almost every answer passes."""
        force, size, row, terms, norm = self.parts(found)
        size = size * self.unit
        energy = ROUNDING * float(size.max(initial=0.0))
        good = (np.abs(force) * self.unit <= TERMS * size + energy).all()
        return bool(good and ((np.abs(row) <= TERMS * terms + energy * norm) | ~kept).all())

    def judge(
        self,
        t: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        found: np.ndarray,
        kept: np.ndarray | None = None,
        blur: Any = 0.0,
        units: dict[str, str] | None = None,
        misfit: float = 0.0,
    ) -> Residuals:
        """What was found at one or several instants (time, numbers) against what is allowed; `kept` are the rows that count.

        `blur`: relative error of the rows themselves, where given dimensions disagree and all rows are served a little.  `misfit`: by how much
        joints that share loads disagree in their dimensions; loads that cancel among them cancel to that part only.
        """
        system = self.system
        force, size, row, terms, norm = self.parts(found)
        energy = self._largest(v, a, size)
        by_part = self._by_part(size)
        allowed = (TERMS + 10.0 * misfit) * by_part + ROUNDING * energy / self.unit
        row_allowed = (TERMS + blur) * terms + (ROUNDING + blur) * norm * energy
        if kept is not None:
            row, row_allowed = np.where(kept, row, 0.0), np.where(kept, row_allowed, np.inf)
        return Residuals(
            system, t, force, by_part, allowed, row, terms, row_allowed, units or UNITS, TERMS + float(np.max(blur))
        )

    def refuse(
        self, t: float, v: np.ndarray, a: np.ndarray, found: np.ndarray, kept: np.ndarray, asked: str, blur: float = 0.0,
        misfit: float = 0.0,
    ) -> None:  # fmt: skip
        """Raise if what was found at one instant is not small; `kept`, `blur` and `misfit` as in `judge`."""
        if not self.sound(found, kept):
            self.judge(np.array([t]), v[None], a[None], found[None], kept, blur, misfit=misfit).refuse(asked)

    def _largest(self, v: np.ndarray, a: np.ndarray, size: np.ndarray) -> np.ndarray:
        """E of every instant (time, 1): forces, accelerations, and the accelerations that go with velocities, as roots of energies per second."""
        width, linear, unit = self.system.builder.width, 2 if self.system.plane else 3, self.unit
        shape = (len(v), -1, width)
        speed = np.abs(v).reshape(shape)
        spin = np.max(speed[:, :, linear:], axis=(1, 2), initial=0.0)
        rate = np.maximum(np.max(speed[:, :, :linear], axis=(1, 2), initial=0.0) / float(self.system.length), spin)
        terms = size * unit + (np.abs(a) + rate[:, None] * np.abs(v)) / unit
        return np.sqrt(np.max(np.sum(terms.reshape(shape) ** 2, axis=2), axis=1, initial=0.0))[:, None]

    def _by_part(self, size: np.ndarray) -> np.ndarray:
        """Largest size among the components of the force on a body, and among those of its torque."""
        width, linear = self.system.builder.width, 2 if self.system.plane else 3
        bodies = size.reshape(len(size), -1, width)
        made = np.empty_like(bodies)
        for part in (slice(0, linear), slice(linear, width)):
            made[:, :, part] = bodies[:, :, part].max(axis=2, keepdims=True)
        return made.reshape(size.shape)


def check(
    system: System, work: Work, state: Any, a: np.ndarray, lam: np.ndarray, asked: str, misfit: float = 0.0
) -> None:
    """Refuse accelerations and multipliers at a state (or pose) that do not satisfy the equations, rows left out included.

    The memory must hold the floors of the rows, counted angles and values of Python laws that they were solved with; `misfit` as in `judge`.
    """
    _refuse_infinite(system, work, state.t, a, lam, asked)
    guard, left = Guard(system, work), np.isinf(work.floor)
    found = guard.twin(state.t, state.q, state.v, a, lam)
    guard.refuse(state.t, state.v, a, found, ~left, asked, misfit=misfit)
    if left.any():
        _check_left_out(guard, state, a, found, left, asked)


def _refuse_infinite(system: System, work: Work, t: float, a: np.ndarray, lam: np.ndarray, asked: str) -> None:
    """Refuse an answer without numbers, with the laws and drivers that have none."""
    if np.isfinite(a).all() and np.isfinite(lam).all():
        return
    laws = [law.part for law, f in zip(system.builder.laws, work.force) if not np.isfinite(f)]
    rows = zip(system.numbering.rows, work.drive.reshape(-1, 3))
    drives = [row.part for row, c in rows if not np.isfinite(c).all()]
    names = ", ".join(repr(name) for name in dict.fromkeys([*laws, *drives]))
    found = f"no finite acceleration at t = {t:g} s" + (f"; without a finite value: {names}" if names else "")
    why = "forces and reactions follow from finite laws and motions only"
    raise ModelError(asked, found, why, "check the expressions of forces and drivers at this state, and the masses")


def _check_left_out(guard: Guard, state: Any, a: np.ndarray, found: np.ndarray, left: np.ndarray, asked: str) -> None:
    """Rows that were left out must hold as well: in a singular position that the motion passes, no acceleration satisfies all."""
    work, n, m = guard.work, guard.system.numbering, guard.system.n_rows
    _, size, row, _, norm = guard.parts(found[None])
    scale = n.P[n.I[at.SCALE] :][:m]
    gamma = work.drive[2::3] - work.bias[:m]
    on_positions = n.I[n.I[at.ROW_RATE] :][:m] == 0
    phi = np.where(on_positions, work.value[:m] - n.P[n.I[at.OFFSET] :][:m] - work.drive[0::3], 0.0)
    # accelerations are differences of M^-1 J^T lam, which may be large where they are not: its rounding is no contradiction
    rounding = ROUNDING * norm * guard._largest(state.v[None], a[None], size)
    error = np.maximum(np.abs(row) - rounding, 0.0)[0]
    largest = max(1.0, *(float(np.max(x, initial=0.0)) for x in (np.abs(gamma) * scale, state.v**2, np.abs(a))))
    disagreement = float(np.max(np.abs(phi) * scale))
    if not np.all((error * scale)[left] <= (DEPENDENT + 10.0 * disagreement) * largest):
        worst = int(np.argmax(np.where(left, error * scale, 0.0)))
        name, unit = n.rows[worst].name, UNITS.get(n.rows[worst].unit, UNITS[""])
        raise SingularError(
            asked,
            f"rows that depend on others contradict them: {name!r} by {error[worst]:.6g} {unit}",
            "the mechanism moves through a singular position, where no acceleration satisfies all constraints",
            "ask a little before or after it, or use joints with more freedom",
        )


def check_output(run: Any, t: float, out: Any) -> None:
    """Refuse the only output of a step that was made from a run, the state at t, if it does not satisfy the equations."""
    left = run.prepared.ever_dropped
    known = run._cache.get("guard")
    if known is None or known[1] != left:
        known = run._cache["guard"] = _pass_of(run.system, left), set(left)
    worst = known[0].worst(t, out, DEPENDENT if left else 0.0)
    if not worst <= 1.0:
        guard = Guard(run.system, known[0].work)
        guard.work.side[:], guard.work.frozen[0] = out.side[0], 1.0
        guard.work.angle[:], guard.work.angle_rate[:], guard.work.angle_time[0] = out.angle[0], 0.0, t
        found = guard.twin(t, out.q[0], out.v[0], out.a[0], out.lam[0])
        kept = np.isfinite(guard.work.floor)
        made = guard.judge(np.array([t]), out.v[:1], out.a[:1], found[None], kept, DEPENDENT if left else 0.0)
        raise ResidualError(f"state of {run.model.name!r} at t = {t:g} s", made.told(), WHY, DO)


def _pass_of(system: System, left: set[int]) -> Pass:
    """The compiled pass over outputs, with the rows that were left out at any time."""
    work = system.workspace()
    work.floor[sorted(left)] = np.inf
    return Pass(system, work, inverse_roots(system))


def look(run: Any, blur: float = 0.0) -> np.ndarray:
    """What the compiled pass finds at all outputs of a run: see `kernels/outputs.py`."""
    given = (run.angles, run.z, run.sides, run.forces, run.basic_lam, run.a)
    return _pass_of(run.system, run.prepared.ever_dropped)(run.t, run.q, run.v, given, _blur(run, blur))[0]


def _blur(run: Any, blur: float) -> float:
    """Rows kept may have become dependent on others since the choice was made, and then hold to DEPENDENT."""
    return max(blur, DEPENDENT) if run.prepared.ever_dropped else blur


@dataclass(frozen=True)
class Worst:
    """The worst residual of a run in units of what is allowed; which equation it is, is found out when somebody asks."""

    run: Any
    blur: float
    worst: float

    @property
    def relative(self) -> float:
        """The same as a part of the terms, as audits print it."""
        return (TERMS + _blur(self.run, self.blur)) * self.worst

    def told(self, when: bool = False) -> str:
        """The worst equation in words, with its joint or body, numbers and units."""
        return residuals(self.run, self.blur).told(when)

    def refuse(self, asked: str, when: bool = False) -> None:
        """Raise where an equation is not satisfied."""
        if not self.worst <= 1.0:
            raise ResidualError(asked, self.told(when), WHY, DO)


def of_run(run: Any, blur: float = 0.0, found: np.ndarray | None = None) -> Worst:
    """The worst residual at all outputs of a run, by the compiled pass (`found`, where that was made already)."""
    found = look(run, blur) if found is None else found
    return Worst(run, blur, float(np.max(found[~filled(run.prepared, run.t), 4:6], initial=0.0)))


def residuals(run: Any, blur: float = 0.0) -> Residuals:
    """Residuals at all outputs of a run: those of the part of it in which the worst one is.

    Rows that were left out at any time hold as well as the given dimensions agree, which is reported on its own.  Values of Python laws are
    those recorded.
    """
    system = run.system
    blur = _blur(run, blur)
    guard = Guard(system, system.workspace())
    kept = np.ones(system.n_rows, dtype=bool)
    kept[sorted(run.prepared.ever_dropped)] = False
    called = [k for k, law in enumerate(system.builder.laws) if law.law.function is not None]
    worst: Residuals | None = None
    picked = np.flatnonzero(~filled(run.prepared, run.t))
    for first in range(0, max(len(picked), 1), TOGETHER):
        part = picks = picked[first : first + TOGETHER]
        memory = guard.memories(run.a[part])
        for k, x in zip(picks, memory):
            if run._remembers:
                run._set_angles(guard.work, k)
            if called:
                guard.work.called[called] = run.forces[k, called]
            guard.perform(run.t[k], run.q[k], run.v[k], x, run.basic_lam[k])
        found = memory[:, 2 * system.nv :]
        made = guard.judge(run.t[part], run.v[part], run.a[part], found, kept, blur)
        worst = made if worst is None or made.worst > worst.worst else worst
    assert worst is not None
    return worst
