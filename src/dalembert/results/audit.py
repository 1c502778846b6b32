"""The audit of a run: constraints, first law, residuals of the equations, rank, steps, uniqueness of reactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analyses.equations import unscaled_jacobian
from ..kernels import layout as at
from ..kernels.operate import ROWS, operate
from ..system.subspaces import INDEPENDENT, factor, unit_rows
from .assumptions import Note, notes
from .balance import DIFFERENCE, matter, sampled
from .momentum import momentum_error

# scaled residuals of positions and velocities at outputs: round-off of the model's own size
CONSTRAINTS = 1e-12
# what Lobatto's rule may leave of the work in steps as long as the tolerance allows
QUADRATURE = 1e-6


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
    notes
        What the equations do not tell: contacts that pull, moments across the plane (`results/assumptions.py`).
    balance
        Difference of the rates of momentum and angular momentum of all bodies from what acts on them, about a moving point (`results/balance.py`),
        relative to the sizes of the terms.
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
    notes: tuple[Note, ...] = ()
    rounding: float = 0.0
    balance: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.failures

    def __str__(self) -> str:
        lines = [
            f"audit: {'passed' if self.passed else 'FAILED: ' + '; '.join(self.failures)}",
            f"  constraints  position {self.position:.1e}, velocity {self.velocity:.1e} (scaled)"
            + (f"; rounding of coordinates {self.rounding:.1e}" if self.rounding > 0.1 * CONSTRAINTS else "")
            + (f"; redundant dimensions disagree: {self.disagreeing}" if self.disagreement > CONSTRAINTS else ""),
            f"  energy       first law closed to {self.energy:.1e} (tolerance {self.energy_tolerance:.0e})",
            f"  momentum     velocities explained by accelerations to {self.momentum:.1e}"
            + (f", balanced with the loads to {self.balance:.1e}" if self.balance > 0.0 else ""),
            f"  equations    residual {self.residual:.1e}",
            f"  freedom      {_counted(self.degrees_of_freedom, 'degree')}, {_counted(len(self.redundant_rows), 'redundant row')}"
            + (
                f" ({', '.join(self.redundant_rows[:4])}{', …' if len(self.redundant_rows) > 4 else ''})"
                if self.redundant_rows
                else ""
            ),
            f"  reactions    {'all unique' if not self.not_unique else 'not unique: ' + ', '.join(self.not_unique[:8])}",
            f"  steps        {self.steps} accepted, {self.rejected} rejected, {self.evaluations} evaluations,"
            f" {1e3 * self.seconds:.3g} ms ({self.method})",
        ]
        return "\n".join(
            [*lines, *(f"  {'WARNING ' if note.doubtful else 'note    '}     {note}" for note in self.notes)]
        )

    __repr__ = __str__


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" + ("" if n == 1 else "s")


def audit(run: Any) -> Audit:
    """Check a run."""
    from ..analyses.pose.guard import look, of_run

    system, found = run.system, look(run)
    speed = speeds(run)
    position, velocity = (_largest(x) for x in constraint_errors(run, found, speed))
    energy, allowed = first_law(run)
    worst = of_run(run, found=found)
    residual = worst.relative
    dropped = list(run.prepared.dropped)
    rounding = system.rounding(run.q, run.angles)
    balance = sampled(run)
    failures = failed(position, velocity, energy, allowed, worst, rounding) + unexplained(run)
    if not balance <= DIFFERENCE:
        failures.append(f"momentum of all bodies changes otherwise than by what acts on them, by {balance:.1e} of it")
    if not np.isfinite(run.q).all() or not np.isfinite(run.basic_lam).all():
        failures.append("numbers that are not finite")
    return Audit(
        position=position,
        velocity=velocity,
        disagreement=float(run.prepared.mismatch[0]),
        disagreeing=run.prepared.mismatch[1],
        energy=energy,
        energy_tolerance=allowed,
        residual=residual,
        degrees_of_freedom=_freedom(system) - (system.n_rows - len(dropped)),
        redundant_rows=tuple(system.numbering.rows[r].name for r in dropped),
        not_unique=tuple(_not_unique(run, dropped)),
        failures=tuple(failures),
        notes=notes(run),
        rounding=rounding,
        balance=balance,
        **statistics(run, float(speed.max(initial=1.0))),
    )


def unexplained(run: Any) -> list[str]:
    """Velocities that the accelerations of the run do not explain, in words."""
    part, name = momentum_error(run)
    return [f"{name} changes by {part:.1e} of the largest velocity without acceleration"] if part > 0.0 else []


def failed(
    position: float, velocity: float, energy: float, allowed: float, residual: Any, rounding: float = 0.0
) -> list[str]:
    """What was found wrong, in words; `rounding`: what that of the coordinates leaves of a constraint."""
    found = []
    if not position <= CONSTRAINTS + 10.0 * rounding:
        found.append(f"positions off the constraints by {position:.1e}")
    if not velocity <= CONSTRAINTS:
        found.append(f"velocities off the constraints by {velocity:.1e}")
    if not energy <= allowed:
        found.append(f"energy imbalance {energy:.1e} above {allowed:.0e}")
    if not residual.worst <= 1.0:
        found.append(f"equations not satisfied {residual.told(when=True)}")
    return found


def statistics(run: Any, fastest: float | None = None) -> dict[str, Any]:
    """Steps, rejected steps, evaluations, seconds and method of a run; `fastest`: its largest speed."""
    trace = run.trace
    found: dict[str, Any] = {name: getattr(trace.step, name) for name in ("steps", "rejected", "evaluations")}
    scale = _largest(run.v) if fastest is None else fastest
    found |= {"momentum": trace.step.worst_unbalanced / max(scale, 1.0)}
    found |= {"defect": trace.step.worst_defect, "switches": trace.step.switches}
    return found | {"seconds": trace.seconds, "method": run.problem.method.name}


def _freedom(system: Any) -> int:
    """Velocities that can move: particles do not turn."""
    turns = 1 if system.plane else 3
    return int(system.nv - turns * sum(body.particle for body in system.builder.bodies))


def _constraints(run: Any) -> tuple[float, float]:
    """Largest scaled residuals over all outputs."""
    position, velocity = constraint_errors(run)
    return _largest(position), _largest(velocity)


def constraint_errors(
    run: Any, found: np.ndarray | None = None, speed: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Largest scaled residual of positions and of velocities at every output; `found` by the compiled pass and `speed`, where they are known.

    Rows that were left out as redundant follow from the others, whose rounding they magnify; they count a tenth (measured: up to
    14 times the projection tolerance of 1e-13).  Where the given dimensions contradict each other they do not count, because no
    configuration can satisfy them.
    """
    from ..analyses.pose.guard import look

    found = look(run) if found is None else found
    weight = 0.0 if run.prepared.disagreement > CONSTRAINTS else 0.1
    position, velocity = (np.maximum(found[:, k], weight * found[:, k + 1]) for k in (0, 2))
    return position, velocity / (speeds(run) if speed is None else speed)


def speeds(run: Any) -> np.ndarray:
    """Size of velocities at every output, in lengths or radians per second, against which residuals are judged; at least 1."""
    return np.asarray((np.abs(run.v) / run.unit_of_velocity).max(axis=1, initial=1.0))


def first_law(run: Any) -> tuple[float, float]:
    """Imbalance of T + V - work over the accepted steps, and what may be expected.

    V is exact: gravity, springs and stops by their potentials.  Work of all else is integrated by Lobatto's rule of order 8 over forces computed
    anew inside the steps; the expectation is the tolerance times the number of steps, with a margin of ten, and what the rule may leave.
    """
    kept = run.trace.kept
    if len(kept.t) < 2:
        return 0.0, 1.0
    return _largest(energy_errors(run)), expected(run.problem, run.trace.step.steps)


def energy_errors(run: Any) -> np.ndarray:
    """Imbalance of the first law at every accepted step, relative to the energy that moved in the run."""
    kept, system = run.trace.kept, run.system
    mass, tensor = matter(system)
    q, v, _ = system.parts_of(kept.y)
    linear = 2 if run.plane else 3
    v = v.reshape(len(v), len(mass), -1)
    kinetic = 0.5 * np.einsum("tbi,tbi,b->t", v[:, :, :linear], v[:, :, :linear], mass[:, 0])
    spin, turning = v[:, :, linear:], tensor[:, 2:, 2:] if run.plane else tensor
    kinetic += 0.5 * np.einsum("tbi,bij,tbj->t", spin, turning, spin)
    builder = system.builder
    g = builder.gravity
    r = q.reshape(len(q), len(mass), -1)[:, :, :linear]
    gravity = ((r - r[0]) @ g[:linear]) @ mass[:, 0]
    # forces without potential by their work, blows (rates of drivers that jump) by the energy they change
    work = kept.work.sum(axis=1) + jumped(run)
    stored = kept.stored - kept.stored[0]
    imbalance = np.abs(kinetic - kinetic[0] - gravity + stored - (work - work[0]))
    p = run.problem
    # in equilibrium only round-off moves: energies below the work of the forces over tolerated displacements say nothing
    idle = p.atol / (p.rtol + p.atol) * _forces_times_length(run)
    scale = max(_largest(kinetic), _largest(gravity), _largest(stored), _largest(kept.work), idle, 1e-300)
    return np.asarray(imbalance / scale)


def jumped(run: Any) -> np.ndarray:
    """Energy that blows have added up to every kept step."""
    t = run.trace.kept.t
    forward = 1.0 if t[-1] >= t[0] else -1.0
    total = np.zeros(len(t))
    for at_time, strike in run.prepared.jumps:
        # of the two states at that time the second one is after the blow
        total[max(int(np.searchsorted(forward * t, forward * at_time, side="right")) - 1, 0) :] += strike.energy_change
    return total


def expected(problem: Any, steps: int) -> float:
    """Imbalance that the tolerances let expect: they add up over the steps, with a margin of ten; however many, a percent is too much."""
    each = float(problem.rtol + problem.atol)
    return min(10.0 * each * max(steps, 10), max(0.01, 100.0 * each)) + QUADRATURE


def _forces_times_length(run: Any) -> float:
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


def _typical_acceleration(run: Any) -> np.ndarray:
    """Square of the largest rate of the run [1/s], times the model's length for linear velocities."""
    system, width, linear = run.system, run.system.builder.width, 2 if run.plane else 3
    length = float(system.length)
    v = np.abs(run.v).reshape(-1, width)
    rate = max(_largest(v[:, :linear]) / length, _largest(v[:, linear:]))
    return rate**2 * np.tile([length] * linear + [1.0] * (width - linear), system.nv // width)


def _largest(x: Any) -> float:
    return float(np.abs(x).max(initial=0.0))


def _not_unique(run: Any, dropped: list[int]) -> list[str]:
    """Parts with rows in a dependency: null vectors of J^T."""
    if not dropped:
        return []
    system = run.system
    if system.n_rows > 1500:
        return sorted({system.row_parts[r] for r in dropped})
    n, work = system.numbering, system.workspace()
    run._set_angles(work, -1)
    operate(ROWS, n.I, n.P, work.F, float(run.t[-1]), run.q[-1], run.v[-1], np.zeros(system.nv), 0.0, 1)
    unit, _ = unit_rows(unscaled_jacobian(system, work).toarray())
    involved = np.max(np.abs(factor(unit, INDEPENDENT).left), axis=1, initial=0.0) > 1e-7
    parts = system.row_parts
    return sorted({parts[r] for r in range(system.n_rows) if involved[r]})


__all__ = ["Audit", "audit", "at", "first_law"]
