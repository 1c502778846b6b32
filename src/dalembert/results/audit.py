"""The audit of a run: constraints, first law, residuals of the equations, rank, steps, uniqueness of reactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DalembertError
from ..system.subspaces import INDEPENDENT, factor, unit_rows
from .assumptions import Note
from .balance import DIFFERENCE
from .momentum import momentum_error

if TYPE_CHECKING:
    from ..solve.problem import Problem
    from .guard import Worst
    from .record import Record
    from .residuals import Residuals

# scaled residuals of positions and velocities at outputs: round-off of the model's own size
CONSTRAINTS = 1e-12
# what Lobatto's rule may leave of the work in steps as long as the tolerance allows
QUADRATURE = 1e-6
# imbalance of power at the outputs of a driven motion, where nothing is integrated
POWER = 1e-8


@dataclass(frozen=True)
class Audit:
    """What was checked, with numbers.

    Attributes
    ----------
    position, velocity
        Largest scaled violation of the constraints at all outputs.
    disagreement
        Largest violation of redundant rows that were left out, in m or rad: how far given dimensions contradict each other.
    disagreeing
        The parts of these rows, with their numbers.
    energy
        Imbalance of the first law, theory (7): `|T - T0 - work of all elements|` relative to the energy that moved.
    energy_tolerance
        What the tolerances of the integration let expect.
    residual
        Residual of M a + J^T lam = Q and J a = gamma at all outputs, relative to the size of their terms.
    degrees_of_freedom, redundant_rows
        Velocities minus independent rows; names of the dependent rows that were left out.
    not_unique
        Parts whose single reactions are not unique because their rows take part in a dependency.
    steps, rejected, evaluations, seconds
        Statistics of the integration.
    momentum
        Largest change of velocities in a step that the accelerations inside it do not explain, relative to the largest velocity.
    defect
        Largest difference between the equations and the rate of the solution inside a step, in units of the tolerance.
    switches
        Times that a law changed: ends of `step` and `if_`, contacts, corners; each is the end of a step.
    methods
        Methods that made the steps, as (t, method, why).
    iterations, linearized, unsolved
        Of implicit methods: corrections by Newton's method, times that derivatives were computed, attempts that it did not solve.
    notes
        What the equations do not tell: contacts that pull, moments across the plane (`results/assumptions.py`).
    balance
        Difference of the rates of momentum and angular momentum of all bodies from what acts on them, about a moving point (`results/balance.py`),
        relative to the sizes of the terms.
    events, impacts, lost
        Happenings of the run, impacts among them, and the energy that these took [J].
    contacts
        Of steps of one length for many contacts: overlaps, how well impulses were solved.  Forces are means over steps then: `momentum`, `balance` and
        `residual` do not apply.
    rounding
        What the rounding of the coordinates leaves of a constraint (scaled): far from the origin positions cannot be better.
    """

    position: float
    velocity: float
    disagreement: float
    disagreeing: str
    energy: float
    energy_tolerance: float
    residual: float
    degrees_of_freedom: int
    redundant_rows: tuple[str, ...]
    not_unique: tuple[str, ...]
    steps: int
    rejected: int
    evaluations: int
    seconds: float
    method: str
    failures: tuple[str, ...]
    momentum: float = 0.0
    defect: float = 0.0
    switches: int = 0
    methods: tuple[tuple[float, str, str], ...] = ()
    iterations: int = 0
    linearized: int = 0
    unsolved: int = 0
    notes: tuple[Note, ...] = ()
    rounding: float = 0.0
    balance: float = 0.0
    events: int = 0
    impacts: int = 0
    lost: float = 0.0
    contacts: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.failures

    def __str__(self) -> str:
        verdict = "passed" if self.passed else "FAILED: " + "; ".join(self.failures)
        return "\n".join([f"audit: {verdict}", *(f"  {label:<13}{text}".rstrip() for label, text in self._lines())])

    def _lines(self) -> Iterator[tuple[str, str]]:
        """What was checked, and what was found."""
        text = f"position {self.position:.1e}, velocity {self.velocity:.1e} (scaled)"
        text += f"; rounding of coordinates {self.rounding:.1e}" if self.rounding > 0.1 * CONSTRAINTS else ""
        text += f"; redundant dimensions disagree: {self.disagreeing}" if self.disagreement > CONSTRAINTS else ""
        yield "constraints", text
        yield "energy", f"first law closed to {self.energy:.1e} (tolerance {self.energy_tolerance:.0e})"
        if self.contacts:
            yield "contacts", self.contacts
            yield "not looked at: residuals of the equations and momentum, as forces are means over steps", ""
        else:
            text = f"velocities explained by accelerations to {self.momentum:.1e}"
            yield "momentum", text + (f", balanced with the loads to {self.balance:.1e}" if self.balance > 0.0 else "")
            yield "equations", f"residual {self.residual:.1e}"
        rows = ", ".join(self.redundant_rows[:4]) + (", …" if len(self.redundant_rows) > 4 else "")
        text = f"{_counted(self.degrees_of_freedom, 'degree')}, {_counted(len(self.redundant_rows), 'redundant row')}"
        yield "freedom", text + (f" ({rows})" if rows else "")
        yield "reactions", "not unique: " + ", ".join(self.not_unique[:8]) if self.not_unique else "all unique"
        text = f"{self.steps} accepted, {self.rejected} rejected, {self.evaluations} evaluations,"
        yield "steps", f"{text} {1e3 * self.seconds:.3g} ms ({self.method})"
        yield from (("", f"from t = {t:.6g} s {name}: {why}") for t, name, why in self.methods[1:4])
        if len(self.methods) > 4:
            yield "", f"… {len(self.methods) - 4} more changes of method"
        if self.iterations:
            text = f"{self.iterations} corrections, {self.linearized} times new derivatives"
            yield "newton", f"{text}, {self.unsolved} attempts not solved"
        if self.events:
            impacts = f", {_counted(self.impacts, 'impact')} that took {self.lost:.6g} J" if self.impacts else ""
            yield "events", f"{self.events}{impacts}"
        yield from (("WARNING" if note.doubtful else "note", str(note)) for note in self.notes)

    __repr__ = __str__


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" + ("" if n == 1 else "s")


def audit(run: Record) -> Audit:
    """Check a run, or a motion that rows determine: that has no steps, and a balance of power in place of the first law."""
    system, prepared, looked = run.system, run.prepared, run._looked()
    position, velocity = (_largest(x) for x in constraint_errors(run, looked))
    energy, allowed = run._first_law()
    worst, balance = run._residuals(looked), run._balance()
    dropped, rounding = list(prepared.dropped), system.rounding(run.q, run.angles)
    failures = failed(run, position, velocity, energy, allowed, worst, rounding)
    failures += [] if run.driven else run._explained()
    if not balance <= DIFFERENCE:
        failures.append(f"momentum of all bodies changes otherwise than by what acts on them, by {balance:.1e} of it")
    if not np.isfinite(run.q).all() or not np.isfinite(run.basic_lam).all():
        failures.append("numbers that are not finite")
    return Audit(
        position=position,
        velocity=velocity,
        disagreement=float(prepared.mismatch[0]),
        disagreeing=prepared.mismatch[1],
        energy=energy,
        energy_tolerance=allowed,
        residual=worst.relative,
        degrees_of_freedom=system.freedom - (system.n_rows - len(dropped) - run._rows_off),
        redundant_rows=tuple(system.row_names[r] for r in sorted(dropped)),
        not_unique=tuple(not_unique(run)),
        failures=tuple(failures),
        notes=run._notes(),
        rounding=rounding,
        balance=balance,
        **run._statistics(),
    )


def unexplained(run: Record) -> list[str]:
    """Velocities that the accelerations of the run do not explain, in words."""
    part, name = momentum_error(run)
    return [f"{name} changes by {part:.1e} of the largest velocity without acceleration"] if part > 0.0 else []


def failed(
    run: Record,
    position: float,
    velocity: float,
    energy: float,
    allowed: float,
    residual: Residuals | Worst,
    rounding: float,
) -> list[str]:
    """What was found wrong, in words; `rounding`: what that of the coordinates leaves of a constraint."""
    # rows of a driven motion that contradict each other are all served a little
    served = 10.0 * (run.prepared.disagreement + rounding) if run.driven else 0.0
    # in a singular position that dimensions miss, no place satisfies them better; velocities beside it follow a motion that is off by some of that
    served = max([served, *(10.0 * one.misfit / run.system.length for one in getattr(run.prepared, "crossings", ()))])
    found = []
    if not position <= CONSTRAINTS + max(10.0 * rounding, served):
        found.append(f"positions off the constraints by {position:.1e}")
    if not velocity <= CONSTRAINTS + served:
        found.append(f"velocities off the constraints by {velocity:.1e}")
    if not energy <= allowed:
        above = "power imbalance" if run.driven else "energy imbalance"
        found.append(f"{above} {energy:.1e} above {allowed:.0e}")
    if not residual.worst <= 1.0:
        found.append(f"equations not satisfied {residual.told(when=True)}")
    return found


def statistics(run: Record) -> dict[str, Any]:
    """Steps, rejected steps, evaluations, seconds and method of a run, and what was seen inside its steps."""
    trace, fastest = run.trace, float(speeds(run).max(initial=1.0))
    found: dict[str, Any] = {
        name: getattr(trace.step, name)
        for name in ("steps", "rejected", "evaluations", "iterations", "linearized", "unsolved")
    }
    found |= {"momentum": trace.step.worst_unbalanced / fastest}
    found |= {"defect": trace.step.worst_defect, "switches": trace.step.switches}
    names = dict.fromkeys(one.method for one in trace.methods)
    found |= {"methods": tuple(tuple(one) for one in trace.methods)}
    return found | {"seconds": trace.seconds, "method": ", ".join(names)}


def constraint_errors(run: Record, looked: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Largest scaled residual of positions and of velocities at every output; `looked`: what was seen of the rows there, where that is known.

    Rows that were left out as redundant follow from the others, whose rounding they magnify; they count a tenth (measured: up to
    14 times the projection tolerance of 1e-13).  Where the given dimensions contradict each other they do not count, because no
    configuration can satisfy them.
    """
    found = run._looked() if looked is None else looked
    weight = 0.0 if run.prepared.disagreement > CONSTRAINTS else 0.1
    position, velocity = (np.maximum(found[:, k], weight * found[:, k + 1]) for k in (0, 2))
    return position, velocity / speeds(run)


def speeds(run: Record) -> np.ndarray:
    """Size of velocities at every output, in lengths or radians per second, against which residuals are judged; at least 1."""
    return np.asarray((np.abs(run.v) / run.system.unit_of_velocity).max(axis=1, initial=1.0))


def first_law(run: Record) -> tuple[float, float]:
    """Imbalance of energy and work over the accepted steps, and what may be expected.

    The energy is exact: T + V of gravity, springs and stops, or q' dL/dq' - L.  Work of all else is integrated by Lobatto's rule of order 8 over
    forces computed anew inside the steps; the expectation is the tolerance times the number of steps, with a margin of ten, and what the rule may leave.
    """
    if len(run.trace.kept.t) < 2:
        return 0.0, 1.0
    return _largest(energy_errors(run)), expected(run.problem, run.trace.step.steps)


def energy_errors(run: Record) -> np.ndarray:
    """Imbalance of the first law at every accepted step, relative to the energy that moved in the run."""
    if run.pieces:
        return np.concatenate([energy_errors(piece) for piece in run.pieces])
    kept, p = run.trace.kept, run.problem
    gained, size, still = run._energy_gained()
    # forces without potential by their work, blows (rates that jump) by the energy they change
    work, blows = (kept.work - kept.work[0]).sum(axis=1), jumped(run)
    # in equilibrium only round-off moves: energies below the work of the forces over tolerated displacements say nothing
    scale = max(size, _largest(kept.work), p.atol / (p.rtol + p.atol) * still, 1e-300)
    off = np.abs(gained - work - (blows - blows[0])) / scale
    if _largest(off) > expected(p, run.trace.step.steps) and p.step is None:
        with suppress(DalembertError):
            off = np.abs(gained - sharper_work(run) - (blows - blows[0])) / scale
    return np.asarray(off)


def sharper_work(run: Record) -> np.ndarray:
    """Work since the start at every accepted step along the motion computed anew, where Lobatto's rule over states inside the steps leaves more than the tolerance."""
    kept, forward = run.trace.kept, 1.0 if run.trace.kept.t[-1] >= run.trace.kept.t[0] else -1.0
    times, steps = np.unique(forward * kept.t, return_inverse=True)
    found = run.resample(forward * times).integrals(lambda r: r.powers)[steps]
    stored = np.flatnonzero(run.problem.conservative)
    found[:, stored] = kept.work[:, stored]
    return np.asarray((found - found[0]).sum(axis=1))


def jumped(run: Record) -> np.ndarray:
    """Energy that blows have added up to every kept step."""
    t = run.trace.kept.t
    forward = 1.0 if t[-1] >= t[0] else -1.0
    added = np.zeros(len(t))
    # of the two states at that time the second one is after the blow
    k = np.searchsorted(forward * t, [forward * when for when, _ in run.jumps], side="right") - 1
    np.add.at(added, np.maximum(k, 0), [blow.energy_change for _, blow in run.jumps])
    return np.cumsum(added)


def expected(problem: Problem, steps: int) -> float:
    """Imbalance that the tolerances let expect: they add up over the steps, with a margin of ten; however many, a percent is too much."""
    each = float(problem.rtol + problem.atol)
    return min(10.0 * each * max(steps, 10), max(0.01, 100.0 * each)) + QUADRATURE


def _largest(x: Any) -> float:
    return float(np.abs(x).max(initial=0.0))


def not_unique(run: Record) -> list[str]:
    """Parts (rows of a Lagrangian system) with rows in a dependency at the end of a run: null vectors of J^T."""
    system, dropped = run.system, list(run.prepared.dropped)
    parts = system.row_parts
    if not dropped or system.n_rows > 1500:
        return sorted({parts[r] for r in dropped})
    unit, _ = unit_rows(run.point(-1).dense_jac)
    # rows that are off have no part in anything
    at_work = unit.any(axis=1)
    involved = at_work & (np.max(np.abs(factor(unit, INDEPENDENT).left), axis=1, initial=0.0) > 1e-7)
    found = {part for part, x in zip(parts, involved) if x}
    return sorted(found, key=str if system.body_names else parts.index)
