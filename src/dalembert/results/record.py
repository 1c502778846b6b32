"""What results of mechanisms and of Lagrangian systems have in common: audit and status, states at other times, files, pictures."""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..derived import Derived
from ..errors import ConvergenceError, MethodError, UnknownAttributeError, checked_call, shown, unknown_attribute
from ..kernels.row_status import OFF
from ..kernels.watch import without_events
from ..solve.changes import method_at
from ..solve.problem import Problem
from ..solve.run import evaluate_at, integrate
from ..solve.segments import rows_of, segment_at
from ..solve.status import DONE, MESSAGES
from ..solve.stepping.impacts import no_stops
from ..solve.stepping.modes import no_modes
from ..state import State
from ..system.system import System
from . import coordinate_guard, guard
from .audit import audit, first_law, statistics, unexplained
from .crossings import crossings
from .events import Happening, Happenings
from .instant import Instant
from .matter import Together
from .passed import passed, shared, squeezed
from .series import Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analyses.dynamics.dynamics import Dynamics
    from ..analyses.dynamics.prepared import Prepared
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..solve.run import Trace
    from ..solve.segments import Segment
    from ..solve.stepping.records import Output
    from ..system.lagrange import LagrangeSystem
    from .audit import Audit
    from .guard import Worst
    from .residuals import Residuals


# steps that the motion from an accepted step may take, besides as many as the run took in all
FEW = 100


class AuditWarning(UserWarning):
    """A run finished but failed its audit, or breaks an assumption of the model."""


class Energy:
    """Energies over time [J]: kinetic, potential, their sum, and of a Lagrangian system q' dL/dq' - L."""

    kinetic: Series
    potential: Series
    total: Series
    jacobi: Series

    def __init__(self, run: Record, values: dict[str, np.ndarray]) -> None:
        for name, x in {**values, "total": values["kinetic"] + values["potential"]}.items():
            setattr(self, name, Series(x, name, "J", (), run.t, attrgetter(f"energy.{name}")))

    def __repr__(self) -> str:
        return f"<energy [J]: {', '.join(vars(self))}; total from {self.total[0]:.9g} to {self.total[-1]:.9g}>"


def kind_of(system: System | LagrangeSystem) -> type[Record]:
    """The class of results of a compiled mechanism or Lagrangian system."""
    if isinstance(system, System):
        from .result import Result

        return Result
    from .lagrangian import LagrangianResult

    return LagrangianResult


def guard_of(system: System | LagrangeSystem) -> Any:
    """The module that judges residuals of a compiled mechanism or Lagrangian system."""
    if isinstance(system, System):
        return guard
    return coordinate_guard


def is_whole(run: Record) -> bool:
    """Whether the outputs of a run through events are those of its parts, one after the other."""
    return bool(run.pieces) and sum(len(piece.t) for piece in run.pieces) == len(run.t)


@dataclass(eq=False, repr=False)
class Record(Together, Derived):
    """What is known of a run: states, accelerations, multipliers, forces of elements and powers at the outputs, and how it was computed.

    Subclasses give it by the names of their models, and say how it is audited.
    """

    system: System | LagrangeSystem = field(repr=False)
    t: np.ndarray = field(repr=False)
    q: np.ndarray = field(repr=False)
    v: np.ndarray = field(repr=False)
    a: np.ndarray = field(repr=False)
    basic_lam: np.ndarray = field(repr=False)  # those of rows left out are zero
    forces: np.ndarray = field(repr=False)
    powers: np.ndarray = field(repr=False)
    angles: np.ndarray = field(repr=False)
    prepared: Any = field(repr=False, default=None)
    problem: Any = field(repr=False, default=None)
    trace: Any = field(repr=False, default=None)
    complete: bool = True
    sides: np.ndarray | None = field(repr=False, default=None)  # of switches at the outputs; None: by the state
    z: np.ndarray = field(repr=False, default=None)  # type: ignore[arg-type]  # auxiliary states; None: the initial ones
    # of a run through events: a result for every part, see `pieces.py`
    pieces: tuple[Any, ...] = field(repr=False, default=())
    happened: Any = field(repr=False, default=())  # what happened between them, and on the way
    situation: Any = field(repr=False, default=None)  # of a part: that at its begin
    # of every output, whether its mode is the one that begins at its time; None: of all the one before
    onward: Any = field(repr=False, default=None)
    _audit: Any = field(repr=False, default=None)
    _cache: dict[Any, Any] = field(repr=False, default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_cache": {}}

    @property
    def slipping(self) -> dict[str, np.ndarray]:
        """Forces of friction that slips which belong among the multipliers; those of a mechanism are laws."""
        return {}

    def __post_init__(self) -> None:
        if self.z is None:
            self.z = np.tile(self.system.starts, (len(self.t), 1))

    # -- making ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_trace(cls, prepared: Prepared, problem: Problem, trace: Trace) -> Self:
        """Result of a run of the time loop."""
        if problem.keep_all:
            kept = trace.kept
            again = np.append(False, kept.t[1:] == kept.t[:-1])
            made = cls._at_states(prepared, problem, kept.t, kept.y, kept.angle, kept.side, trace.segments, again)
        else:
            n, out = trace.n_out, trace.out
            if trace.interrupted:
                # outputs inside a step that was not accepted any more are not part of the run
                n = int(np.sum(np.abs(out.t[:n] - trace.kept.t[0]) <= abs(trace.kept.t[-1] - trace.kept.t[0])))
            t, q, v, a, lam, force, power, angle, side, z = (x[:n] for x in out[1:])
            made = cls(prepared.system, t, q, v, a, lam, force, power, angle, prepared, problem, sides=side, z=z)
        made.trace, made.complete = trace, not trace.interrupted and trace.status == 0
        return made

    @classmethod
    def _at_states(
        cls,
        prepared: Prepared,
        problem: Problem,
        t: np.ndarray,
        y: np.ndarray,
        angles: np.ndarray,
        sides: np.ndarray | None = None,
        segments: Sequence[Segment] = (),
        onward: np.ndarray | None = None,
    ) -> Self:
        """Everything at given states, with the modes of their times (`onward`: with those that begin there); sides of switches as given, or by the state.

        Where laws have no value with the sides that are given (see `solve/stepping/equations.py`), they are those of the state.
        """
        system, work, n = prepared.system, prepared.work, len(t)
        sides = None if sides is None else sides.copy()
        q, v, z = (np.ascontiguousarray(x) for x in system.parts_of(y))
        a = np.zeros((n, system.nv))
        lam, force, power = (np.zeros((n, len(x))) for x in (work.lam, work.force, work.power))
        for k in range(n):
            work.angle[:], work.angle_rate[:], work.angle_time[0] = angles[k], 0.0, t[k]
            work.state[:] = z[k]
            if sides is not None:
                work.side[:], work.frozen[0] = sides[k], 1.0
            with rows_of(problem, segments, float(t[k]), onward is not None and bool(onward[k])):
                evaluate_at(problem, float(t[k]), q[k], v[k], a[k])
                if sides is not None and sides.shape[1] and not np.isfinite([*a[k], *work.force]).all():
                    work.frozen[0] = 0.0
                    evaluate_at(problem, float(t[k]), q[k], v[k], a[k])
                    sides[k] = work.side
            lam[k], force[k], power[k] = work.lam, work.force, work.power
        work.frozen[0] = 0.0
        return cls(
            system, np.array(t), q, v, a, lam, force, power, np.array(angles), prepared, problem, sides=sides, z=z,
            onward=onward,
        )  # fmt: skip

    def _set_angles(self, work: Any, k: int) -> None:
        """Into the memory of an evaluation at output k: turns that are counted, states, sides of switches."""
        if self.angles.shape[1]:
            work.angle[:], work.angle_rate[:], work.angle_time[0] = self.angles[k], 0.0, self.t[k]
        work.state[:] = self.z[k]
        if self.sides is not None and self.sides.shape[1]:
            work.side[:], work.frozen[0] = self.sides[k], 1.0

    def point(self, k: int, work: Any = None) -> Dynamics:
        """The model at output k, with the sides of its switches there."""
        work = self.system.workspace() if work is None else work
        if self._has_modes:
            redundant = np.isinf(work.floor)
            work.floor[:] = np.where(redundant, np.inf, self.status_of(k))
        self._set_angles(work, k)
        return self.prepared.at(self.t[k], self.q[k], self.v[k], work)

    # -- access ------------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Mechanism | Lagrangian:
        """The mechanism or the Lagrangian system."""
        return self.system.model

    @property
    def velocity_names(self) -> list[str]:
        """Names of the columns of v."""
        return self.system.velocity_names

    def __getitem__(self, key: Any) -> Any:
        """Result of a part, a measure, a coordinate, by its name or by itself."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if self.trace is None and name in dir(type(self)) and not name.startswith("_"):
            raise UnknownAttributeError(
                f"{name!r} of {self.model.name!r} at t = {self.t[0]:g} s", "the result of a single instant", "it belongs to a run over time", "use da.simulate",
            )  # fmt: skip
        raise unknown_attribute(self, "a result", name, "use one of these, or run[name] for parts and measures")

    @property
    def audit(self) -> Audit:
        """The audit of the run."""
        if self._audit is None:
            from .pieces import audit_of

            self._audit = audit_of(self) if self.pieces else audit(self)
        return self._audit

    @property
    def status(self) -> str:
        """How the run ended: "ok", "incomplete", "audit failed", or "doubtful": an assumption of the model does not hold (`warnings`).  An instant has no audit."""
        if not self.complete:
            return "incomplete"
        if self.trace is not None and not self.audit.passed:
            return "audit failed"
        return "doubtful" if self.warnings else "ok"

    @property
    def warnings(self) -> tuple[Any, ...]:
        """Assumptions of the model that the run breaks: contacts that pull, bodies that would leave the plane; each with `.parts`, `.t`, `.value`."""
        found = self._notes() if self.trace is None else getattr(self.audit, "notes", ())
        return tuple(note for note in found if note.doubtful)

    def check(self) -> None:
        """Warn loudly if the audit fails or an assumption of the model is broken."""
        if self.complete and not self.audit.passed:
            warnings.warn(f"the audit of this run failed:\n{self.audit}", AuditWarning, stacklevel=4)
        elif self.complete:
            for note in self.warnings:
                warnings.warn(f"this run is doubtful: {note}", AuditWarning, stacklevel=4)

    @property
    def impulse(self) -> Any:
        """Account of an impulsive start (`simulate(..., velocities="impulsive")`): before, after, impulses, energy; else None."""
        return getattr(self.prepared, "impulse", None)

    @property
    def impulses(self) -> tuple[Any, ...]:
        """Accounts of the blows of the run, in order: an impulsive start, drivers whose rate jumped on the way, impacts and blows of events."""
        start = () if self.impulse is None else (self.impulse,)
        if self.pieces:
            # impacts are among what happened
            blows = [(t, blow) for piece in self.pieces for t, blow in piece.jumps if not isinstance(blow, Happening)]
            blows += [(x.t, blow) for x in self.happened for blow in x.accounts]
            return (*start, *(blow for _, blow in sorted(blows, key=lambda one: one[0])))
        return (*start, *(blow for _, blow in self.jumps))

    @property
    def jumps(self) -> list[tuple[float, Any]]:
        """(time, account) of velocities that jumped on the way; none at a single instant."""
        return getattr(self.prepared, "jumps", [])

    @cached_property
    def energy(self) -> Energy:
        """Energies at the output times [J]: `kinetic`, `potential`, `total`; of Lagrangian systems also `jacobi`."""
        return Energy(self, self._energies())

    def _energies(self) -> dict[str, np.ndarray]:
        """Kinetic and potential energy at the outputs, and others by name."""
        raise NotImplementedError

    @property
    def events(self) -> Happenings:
        """What happened, in order of time: events and impacts with time, name, states, energies; `run.events["hit"]` are those of one name."""
        found, model = Happenings(sorted((*self.happened, *self._compliant), key=lambda x: x.t)), self.model
        rubbing = [rub.name for rub in (*model.rubs, *model.soft_rubs, *getattr(model, "frictions", ()))]
        parts = (
            [part.name for kind in ("joint", "force") for part in self.parts(kind)] if hasattr(self, "parts") else []
        )
        found.known = [*model.events, *model.impacts, *rubbing, *parts]
        return found

    @cached_property
    def _compliant(self) -> tuple[Any, ...]:
        """Contacts and releases of compliant stops and contacts: of mechanisms."""
        return ()

    @property
    def switches(self) -> list[tuple[float, str]]:
        """Times at which laws changed, with the names of the parts: `if_`, `step`, tables, corners, contacts of stops; the first 10,000."""
        parts = self.pieces or (self,)
        found = [(t, piece.prepared.owners[k].part) for piece in parts for t, k in piece.trace.switches]
        for one, two in itertools.pairwise(parts):
            # a law may change just where something else ends a part: the next one begins on its other side
            before, after = one._sides(-1), two._sides(0)
            changed = (name for name, side in before.items() if after.get(name, side) != side)
            found += [(float(two.trace.kept.t[0]), name) for name in changed]
        return sorted(found)

    def _sides(self, k: int) -> dict[str, list[float]]:
        """Sides of the switches of every part of the model at a kept step."""
        sides, found = self.trace.kept.side[k], dict[str, list[float]]()
        for owner in self.prepared.owners:
            if owner.numbers and owner.role != "event":
                found.setdefault(owner.part, []).extend(sides[owner.numbers].tolist())
        return found

    @cached_property
    def _has_modes(self) -> bool:
        """Return True if some rows are off at times."""
        return any((segment.floor == OFF).any() for segment in getattr(self.trace, "segments", ()))

    def status_of(self, k: int) -> np.ndarray:
        """Status of the rows at output k: off as they were then, and zero."""
        onward = self.onward is not None and bool(self.onward[k])
        return np.where(segment_at(self.trace.segments, float(self.t[k]), onward).floor == OFF, OFF, 0.0)

    @property
    def modes(self) -> list[tuple[float, Any]]:
        """Situations of the model and when they begin: gaps that are closed, friction that sticks or slips."""
        found = []
        for piece in [piece for piece in self.pieces if piece.trace is not None] or [self]:
            begun = float(piece.t[0]) if piece.trace is None else float(piece.trace.kept.t[0])
            found.append((begun, piece.situation or piece.system.model.situation))
            segments = () if piece.trace is None else piece.trace.segments
            found += [(float(one.t), one.situation) for one in segments if one.situation is not None]
        return found

    @property
    def _rows_off(self) -> int:
        """How many rows were off where the run began."""
        segments = getattr(self.trace, "segments", ())
        return int(np.count_nonzero(segments[0].floor == OFF)) if segments else 0

    # -- what audits ask ---------------------------------------------------------------------------------------------

    driven: ClassVar[bool] = False  # rows determine the motion: it was followed, not integrated

    @property
    def _guard(self) -> Any:
        """The module that judges residuals of this kind of model."""
        return guard_of(self.system)

    def _looked(self) -> np.ndarray:
        """Largest scaled residuals at every output: of positions, of rows left out among them, and both of velocities."""
        if is_whole(self):
            return np.concatenate([piece._looked() for piece in self.pieces if len(piece.t)])
        return self._guard.look(self)  # type: ignore[no-any-return]

    def _residuals(self, looked: np.ndarray | None = None) -> Residuals | Worst:
        """What is left of the equations at all outputs, in units of what is allowed; `looked`: by `_looked`, where that is known."""
        return self._guard.of_run(self, found=looked)

    def _energy_gained(self) -> tuple[np.ndarray, float, float]:
        """Energy since the start at every accepted step, the size of what it is made of, and that of energies where nothing moves."""
        raise NotImplementedError

    def _first_law(self) -> tuple[float, float]:
        """Imbalance of energy and work, and what may be expected."""
        return first_law(self)

    def _explained(self) -> list[str]:
        """Velocities that accelerations do not explain, in words."""
        return unexplained(self)

    def _balance(self) -> float:
        """Imbalance of momentum and loads, where there are bodies that carry them."""
        return 0.0

    def _notes(self) -> tuple[Any, ...]:
        """Assumptions of the model, where they can be broken, and singular positions."""
        return (*passed(self), *squeezed(self), *shared(self))

    def _statistics(self) -> dict[str, Any]:
        """What the computation took."""
        return statistics(self)

    def check_equations(self, asked: str) -> None:
        """Refuse a result whose accelerations and multipliers do not satisfy the equations of motion at all outputs."""
        for piece in self.pieces or (self,):
            piece._residuals().refuse(asked, when=True)

    @property
    def methods(self) -> list[Any]:
        """Methods that made the steps, as (t, method, why): from a time on, and why it was taken."""
        return list(self.trace.methods)

    # -- other times -------------------------------------------------------------------------------------------------

    def _check_time(self, t: Any) -> float:
        first, last = sorted((float(self.trace.kept.t[0]), float(self.trace.kept.t[-1])))
        if isinstance(t, bool) or not isinstance(t, int | float | np.floating | np.integer) or not first <= t <= last:
            found = f"the run covers {first:g} … {last:g} s"
            raise MethodError(f"state at t = {shown(t)}", found, "there is nothing outside it", "choose a time inside")
        return float(t)

    def _step_before(self, t: float) -> int:
        """Number of the last accepted step at or before a time, in the direction of the run."""
        kept = self.trace.kept
        forward = kept.t[-1] >= kept.t[0]
        k = int(np.searchsorted(kept.t if forward else -kept.t, t if forward else -t, side="right")) - 1
        return min(max(k, 0), len(kept.t) - 1)

    def _one_step(self, k: int, t: float) -> Output:
        """Output at a time by a step of the method from the accepted step k."""
        return self._onward(k, t).out

    def _onward(self, k: int, t: float, times: np.ndarray | None = None) -> Trace:
        """Trace of the motion from the accepted step k to a time, all of the way; outputs at `times`, by default there."""
        made = self.tried_onward(k, t, times)
        if made.error is not None:
            raise made.error
        if made.status != DONE:
            raise self._not_reached(float(self.trace.kept.t[k]), t, made)
        return made

    def tried_onward(self, k: int, t: float, times: np.ndarray | None = None) -> Trace:
        """Trace of the motion from the accepted step k to a time, by one step of the method if its error allows it, or as far as there is a motion."""
        p, kept, work = self.problem, self.trace.kept, self.prepared.work
        begin = float(kept.t[k])
        # events lie between the steps that were accepted, and change nothing that is integrated
        # steps for many contacts are made by themselves, one of this length
        many = {"step": abs(t - begin), "steps_from": begin} if p.points is not None else {"step": None}
        once = replace(
            p, h_first=abs(t - begin), method=method_at(self.trace, p.method, begin), **many, constraints=None,
            watch=without_events(p.watch), stops=no_stops(), modes=no_modes(), most=FEW + self.trace.step.steps,
        )  # fmt: skip
        q, v, z = (x.copy() for x in self.system.parts_of(kept.y[k]))
        work.angle[:], work.angle_rate[:], work.angle_time[0] = kept.angle[k], 0.0, begin
        with rows_of(once, self.trace.segments, begin, onward=True):
            out = np.array([t]) if times is None else times
            made = integrate(once, begin, q, v, t, out, None, lambda *_: math.inf, sides=kept.side[k], z0=z)
        if made.interrupted:
            raise KeyboardInterrupt
        return made

    def _not_reached(self, begin: float, t: float, made: Trace) -> ConvergenceError:
        """The error of a motion that does not come from an accepted step to a time after it."""
        now = made.step
        return ConvergenceError(
            f"motion of {self.model.name!r} at t = {t:.17g} s", f"from the accepted step at t = {begin:.17g} s on {MESSAGES[made.status]} at t = {now.t:.17g} s, "
            f"after {now.steps} steps, {now.rejected} rejected attempts and {now.switches} switches of laws",
            "the run came over this part of its way, and from its steps the state in between cannot be made again: a law jumps, or forces are not known well enough there",
            "ask for output at the times that are needed (output=) in the run itself, or give it a smaller rtol",
        )  # fmt: skip

    def _state(self, t: float, checked: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Configuration, velocities, counted angles and auxiliary states at a time; at an instant of change those after it."""
        if self.pieces:
            from .pieces import part_at

            return part_at(self, t)._state(t, checked)
        kept, k = self.trace.kept, self._step_before(t)
        if kept.t[k] == t:
            q, v, z = (x.copy() for x in self.system.parts_of(kept.y[k]))
            return q, v, kept.angle[k].copy(), z
        out = self._one_step(k, t)
        if checked:
            self._guard.check_output(self, t, out)
        return out.q[0].copy(), out.v[0].copy(), out.angle[0].copy(), out.z[0].copy()

    @checked_call
    def at(self, t: float) -> State:
        """State at any time of the run: a step of the method from the last accepted step before it, projected."""
        q, v, angles, z = self._state(self._check_time(t))
        return State(float(t), q, v, angles, tuple(self.system.body_names), z)

    @checked_call
    def resample(self, times: Any) -> Self:
        """The same run at other times."""
        t = np.array([self._check_time(x) for x in np.atleast_1d(np.asarray(times, dtype=object)).ravel()])
        if not len(t):
            raise MethodError("resample", "no times", "there is nothing to compute", "give a time or a list of times")
        if self.pieces:
            from .pieces import resampled

            made = resampled(self, t)
            made.trace, made.complete = self.trace, self.complete
            return made  # type: ignore[return-value]
        made = self._resampled(t)
        made.trace, made.complete = self.trace, self.complete
        made.check_equations(f"resample of {self.model.name!r}")
        return made

    def _resampled(self, t: np.ndarray) -> Self:
        """The states at some times, with all that belongs to them; they are checked together afterwards."""
        states = [self._state(float(x), checked=False) for x in t]
        y = np.array([np.concatenate([q, v, z]) for q, v, _, z in states])
        angles = np.array([angles for _, _, angles, _ in states]).reshape(len(t), -1)
        onward = np.ones(len(t), dtype=bool)
        return type(self)._at_states(
            self.prepared, self.problem, t, y, angles, segments=self.trace.segments, onward=onward
        )

    @checked_call
    def crossings(self, quantity: Any, value: float = 0.0, direction: int = 0) -> np.ndarray:
        """Times at which a quantity crosses a value, located on the motion itself.

        `quantity` is a measure (of a Lagrangian system a coordinate or a row), its name, an expression, of rates too, a column of a result
        (`run["A"].force[:, 0]`), or a function of a result that returns an array over time.  `direction` +1 or -1 keeps upward or downward
        crossings only.
        """
        return crossings(self, quantity, value, direction)

    @checked_call
    def instant(self, t: float) -> Instant:
        """Parts, points and measures at any time of the run, with rates and second rates; see `instant`."""
        return Instant(self.resample(t))

    def part_named(self, name: Any) -> Any:
        """Result of a part by its name; None for what has a value."""
        raise NotImplementedError

    def rates_of(self, asked: str, what: Any, second: bool) -> tuple[float, float, float]:
        """Value, rate and (where asked for) second rate of a measure, coordinate or expression at the first output."""
        raise NotImplementedError

    # -- files and pictures ------------------------------------------------------------------------------------------

    @checked_call
    def save(self, path: Any) -> None:
        """Write all results to a file (.npz, no pickle); read it with `dalembert.load`."""
        from .files import save

        save(self, path)

    @checked_call
    def to_csv(
        self, path: Any, units: Any = None, *, columns: Any = None, decimal: str = ".", bom: bool = False
    ) -> None:
        """Write columns over time as text (.csv), names and units in the first line; `units="mm, kN, deg"`, default those of the model.

        `columns=["A.angle", "crank.position", "motor"]` are names of columns, or what they begin with; default: all.  `decimal=","` puts
        semicolons between columns; `bom=True` begins the file with the mark by which Excel knows UTF-8.
        """
        from .files import to_csv

        to_csv(self, path, units, columns, decimal, bom)

    @checked_call
    def to_pandas(self, units: Any = "SI") -> Any:
        """All columns over time as a pandas DataFrame, in SI units like the arrays or in those given."""
        from .files import to_pandas

        return to_pandas(self, units)

    def to_xarray(self) -> Any:
        """All arrays as an xarray Dataset."""
        from .files import to_xarray

        return to_xarray(self)

    @checked_call
    def plot(self, *what: Any, path: Any = None, units: Any = None) -> Any:
        """Pictures: see `dalembert.plot`."""
        from .plot import plot

        return plot(self, *what, path=path, units=units)

    @checked_call
    def draw(self, path: Any = None, **options: Any) -> Any:
        """Drawing of the machine as in a textbook: see `dalembert.draw`."""
        from ..pictures.draw import draw

        return draw(self, path, **options)

    @checked_call
    def film(self, path: Any, **options: Any) -> Any:
        """Moving picture (.gif, .mp4): see `dalembert.film`."""
        from ..pictures.film import film

        return film(self, path, **options)

    @checked_call
    def show(self, path: Any = None, open: bool = True, units: Any = None) -> Any:  # noqa: A002
        """Page with the machine moving, plots and reports: see `dalembert.show`."""
        from ..viewer.show import show

        return show(self, path, open, units=units)

    def _repr_html_(self) -> str | None:
        """The page inside a notebook."""
        from ..viewer.page import framed

        return framed(self) if len(self.t) else None

    def __repr__(self) -> str:
        if not len(self.t):
            return f"<Result of {self.model.name!r}: empty>"
        return f"<Result of {self.model.name!r}: {len(self.t)} outputs, t = {self.t[0]:g} … {self.t[-1]:g} s, {self.status}>"
