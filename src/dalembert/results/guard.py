"""Residuals of the equations of bodies, by a slow twin that knows bodies, laws and rows, and no solver (`kernels/residual.py`).

What they may be is said in `residuals.py`; forces [N] and torques [N m] of a body are compared apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, ResidualError
from ..kernels.operate import RESIDUAL, operate
from ..kernels.outputs import FOUND, ROUNDING, TERMS
from ..kernels.row_status import OFF
from ..solve.segments import segment_at
from ..system.outputs import Pass
from ..system.rows import mass_records
from ..system.system import System
from ..system.tables import Work
from .passed import filled
from .residuals import DEPENDENT, DO, IMPULSE, WHY, Residuals, check_left_out, worst_part

if TYPE_CHECKING:
    from ..analyses.dynamics.shock import Shock
    from ..analyses.pose.pose import Pose
    from ..solve.stepping.records import Output
    from .result import Result

# part of the largest mass or inertia below which a body counts as massless: the solvers then put weights of that size in its place
NOTHING = 1e-13


def inverse_roots(system: System) -> np.ndarray:
    """1 / sqrt of the inertia that answers each velocity, the root of the diagonal of M^-1; of massless bodies that of the largest."""
    found = system.known.get("inverse roots")
    if found is None:
        found = system.known["inverse roots"] = _inverse_roots(system)
    return found


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


class Guard:
    """The twin of a system, with memory for one state at a time.

    `work`: memory whose floors say which rows are left out, and with counted angles and values of Python laws of the state; its body records, rows,
    forces and multipliers are written anew.
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
        self, t: np.ndarray, v: np.ndarray, a: np.ndarray, found: np.ndarray, kept: np.ndarray | bool = True, **options: Any
    ) -> Residuals:  # fmt: skip
        """What was found at one or several instants (time, numbers) against what is allowed; options as in `Residuals.judged`."""
        force, size, row, terms, norm = self.parts(found)
        parts = (force, self._by_part(size), row, terms, norm)
        return Residuals.judged(self.system, t, parts, self.unit, self.energy(v, a, size), kept, **options)

    def refuse(
        self, t: float, v: np.ndarray, a: np.ndarray, found: np.ndarray, kept: np.ndarray, asked: str, blur: float = 0.0,
        misfit: float = 0.0,
    ) -> None:  # fmt: skip
        """Raise if what was found at one instant is not small; `kept`, `blur` and `misfit` as in `judge`."""
        if not self.sound(found, kept):
            self.judge(np.array([t]), v[None], a[None], found[None], kept, blur=blur, misfit=misfit).refuse(asked)

    def energy(self, v: np.ndarray, a: np.ndarray, size: np.ndarray) -> np.ndarray:
        """E of every instant (time, 1): forces, accelerations, and the accelerations that go with velocities, as roots of energies per second."""
        width, linear, unit = self.system.builder.width, 2 if self.system.plane else 3, self.unit
        shape = (len(v), -1, width)
        speed = np.abs(v).reshape(shape)
        spin = np.max(speed[:, :, linear:], axis=(1, 2), initial=0.0)
        rate = np.maximum(np.max(speed[:, :, :linear], axis=(1, 2), initial=0.0) / float(self.system.length), spin)
        terms = (size * unit + (np.abs(a) + rate[:, None] * np.abs(v)) / unit).reshape(shape)
        # in units of the largest: squares of forces below 1e-162 are zero
        largest = np.max(terms, axis=(1, 2), initial=np.finfo(float).tiny)
        square = np.sum((terms / largest[:, None, None]) ** 2, axis=2)
        return (largest * np.sqrt(np.max(square, axis=1, initial=0.0)))[:, None]

    def _by_part(self, size: np.ndarray) -> np.ndarray:
        """Largest size among the components of the force on a body, and among those of its torque."""
        width, linear = self.system.builder.width, 2 if self.system.plane else 3
        bodies = size.reshape(len(size), -1, width)
        made = np.empty_like(bodies)
        for part in (slice(0, linear), slice(linear, width)):
            made[:, :, part] = bodies[:, :, part].max(axis=2, keepdims=True)
        return made.reshape(size.shape)


def check(here: Pose, a: np.ndarray, lam: np.ndarray, asked: str, misfit: float = 0.0) -> None:
    """Refuse accelerations and multipliers of a pose that do not satisfy the equations, rows left out included.

    Its memory must hold the floors of the rows, counted angles and values of Python laws that they were solved with; `misfit` as in `judged`.
    """
    _refuse_infinite(here.system, here.work, here.t, a, lam, asked)
    guard, left = Guard(here.system, here.work), here.dropped
    found = guard.twin(here.t, here.q, here.v, a, lam)
    guard.refuse(here.t, here.v, a, found, ~left, asked, misfit=misfit)
    if left.any():
        _, size, row, _, norm = guard.parts(found[None])
        # accelerations are differences of M^-1 J^T lam, which may be large where they are not: its rounding is no contradiction
        rounding = ROUNDING * norm * guard.energy(here.v[None], a[None], size)
        check_left_out(here, here.scale, a, np.maximum(np.abs(row) - rounding, 0.0)[0], asked)


def check_impulse(here: Pose, shock: Shock, impulse: np.ndarray, jump: np.ndarray, lam: np.ndarray, asked: str) -> None:
    """Refuse a jump and row impulses that do not satisfy M dv + J^T L = P and J (v + dv) = nu."""
    guard, v, jac = Guard(here.system, here.work), here.v, shock.jac
    moved, large = np.abs(v) + np.abs(jump), abs(jac)
    inertia, size = shock.mass @ jump, large @ moved + np.abs(shock.nu)
    terms = np.abs(inertia) + np.abs(impulse) + large.T @ np.abs(lam)
    norm = np.sqrt(jac.multiply(jac) @ guard.unit**2)
    found = [inertia + jac.T @ lam - impulse, terms, jac @ (v + jump) - shock.nu, size, norm]
    together, kept = np.concatenate(found), here.held
    if not guard.sound(together, kept):
        t, still = np.array([here.t]), np.zeros((1, len(v)))
        guard.judge(t, still, moved[None], together[None], kept, units=IMPULSE).refuse(asked)


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


def check_output(run: Result, t: float, out: Output) -> None:
    """Refuse the only output of a step that was made from a run, the state at t, if it does not satisfy the equations."""
    left = run.prepared.ever_dropped
    known = run._cache.get("guard")
    if known is None or known[1] != left:
        known = run._cache["guard"] = _pass_of(run.system, left), set(left)
    if run._has_modes:
        status = np.where(segment_at(run.trace.segments, t, True).floor == OFF, OFF, 0.0)
        status[sorted(left)] = np.where(status[sorted(left)] == OFF, OFF, np.inf)
        known[0].work.floor[:] = status
    worst = known[0].worst(t, out, DEPENDENT if left else 0.0)
    if not worst <= 1.0:
        guard = Guard(run.system, known[0].work)
        guard.work.side[:], guard.work.frozen[0] = out.side[0], 1.0
        guard.work.angle[:], guard.work.angle_rate[:], guard.work.angle_time[0] = out.angle[0], 0.0, t
        found = guard.twin(t, out.q[0], out.v[0], out.a[0], out.lam[0])
        kept = guard.work.floor < OFF
        made = guard.judge(np.array([t]), out.v[:1], out.a[:1], found[None], kept, blur=DEPENDENT if left else 0.0)
        raise ResidualError(f"state of {run.model.name!r} at t = {t:g} s", made.told(), WHY, DO)


def _pass_of(system: System, left: set[int]) -> Pass:
    """The compiled pass over outputs, with the rows that were left out at any time."""
    work = system.workspace()
    work.floor[sorted(left)] = np.inf
    return Pass(system, work, inverse_roots(system))


def _status(run: Result, left: set[int], k: int) -> np.ndarray:
    """Status of the rows at output k: off as they were then, and left out where they ever were."""
    found, some = run.status_of(k), sorted(left)
    found[some] = np.where(found[some] == OFF, OFF, np.inf)
    return found


def statuses(run: Result) -> list[tuple[np.ndarray, np.ndarray]]:
    """Statuses of the rows of a run, each with the outputs at which they held."""
    left = run.prepared.ever_dropped
    if not run._has_modes:
        return [(np.zeros(0), np.arange(len(run.t)))]
    found: dict[bytes, tuple[np.ndarray, list[int]]] = {}
    for k in range(len(run.t)):
        status = _status(run, left, k)
        found.setdefault(status.tobytes(), (status, []))[1].append(k)
    return [(status, np.array(picks)) for status, picks in found.values()]


def look(run: Result, blur: float = 0.0) -> np.ndarray:
    """What the compiled pass finds at all outputs of a run: see `kernels/outputs.py`."""
    given = (run.angles, run.z, run.sides, run.forces, run.basic_lam, run.a)
    made, blur = _pass_of(run.system, run.prepared.ever_dropped), _blur(run, blur)
    listed = statuses(run)
    if not len(listed[0][0]):
        return made(run.t, run.q, run.v, given, blur)[0]
    found = np.zeros((len(run.t), FOUND))
    for status, picks in listed:
        made.work.floor[:] = status
        some = tuple(None if x is None else x[picks] for x in given)
        found[picks] = made(run.t[picks], run.q[picks], run.v[picks], some, blur)[0]
    return found


def _blur(run: Result, blur: float) -> float:
    """Rows kept may have become dependent on others since the choice was made, and then hold to DEPENDENT."""
    return max(blur, DEPENDENT) if run.prepared.ever_dropped else blur


@dataclass(frozen=True)
class Worst:
    """The worst residual of a run in units of what is allowed; which equation it is, is found out when somebody asks."""

    run: Result
    blur: float
    worst: float

    @property
    def relative(self) -> float:
        """The same as a part of the terms, as audits print it."""
        return (TERMS + _blur(self.run, self.blur)) * self.worst

    @property
    def force_terms(self) -> np.ndarray:
        """Sizes of the terms of M a + J^T lam = Q, (time, velocities), in the part of the run in which the worst residual is."""
        return residuals(self.run, self.blur).force_terms

    def told(self, when: bool = False) -> str:
        """The worst equation in words, with its joint or body, numbers and units."""
        return residuals(self.run, self.blur).told(when)

    def refuse(self, asked: str, when: bool = False) -> None:
        """Raise where an equation is not satisfied."""
        if not self.worst <= 1.0:
            raise ResidualError(asked, self.told(when), WHY, DO)


def of_run(run: Result, blur: float = 0.0, found: np.ndarray | None = None) -> Worst:
    """The worst residual at all outputs of a run, by the compiled pass (`found`, where that was made already)."""
    found = look(run, blur) if found is None else found
    return Worst(run, blur, float(np.max(found[~filled(run.prepared, run.t), 4:6], initial=0.0)))


def residuals(run: Result, blur: float = 0.0) -> Residuals:
    """Residuals at all outputs of a run: those of the part of it in which the worst one is.

    Rows that were left out at any time hold as well as the given dimensions agree, which is reported on its own.  Values of Python laws are
    those recorded.
    """
    system, blur = run.system, _blur(run, blur)
    guard = Guard(system, system.workspace())
    kept = np.ones(system.n_rows, dtype=bool)
    kept[sorted(run.prepared.ever_dropped)] = False
    called = [k for k, law in enumerate(system.builder.laws) if law.law.kind in ("callable", "slip")]
    taken = np.flatnonzero(~filled(run.prepared, run.t))

    def judge(part: slice) -> Residuals:
        picks = taken[part]
        memory = guard.memories(run.a[picks])
        for k, x in zip(picks, memory):
            if run._remembers:
                run._set_angles(guard.work, k)
            if called:
                guard.work.called[called] = run.forces[k, called]
            if run._has_modes:
                guard.work.floor[:] = _status(run, run.prepared.ever_dropped, int(k))
            guard.perform(run.t[k], run.q[k], run.v[k], x, run.basic_lam[k])
        return guard.judge(run.t[picks], run.v[picks], run.a[picks], memory[:, 2 * system.nv :], kept, blur=blur)

    return worst_part(len(taken), judge)
