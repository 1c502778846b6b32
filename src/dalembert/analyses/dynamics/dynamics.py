"""What an analysis may ask of a compiled model at one state; the same of bodies with joints and of coordinates with energies.

    phi(q, t) = 0     J v = nu     J a = gamma     M a + J^T lam = Q

`Pose` answers for mechanisms, whose arrays are sparse and whose q is moved along velocities; `Point` for Lagrangian systems, whose arrays are
dense.  `view` is the place that knows which of the two a system needs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ...derived import Derived
from ...errors import MethodError
from ...kernels.hold import POSITION, VELOCITY, project
from ...kernels.operate import EVALUATE, RATES, ROWS
from ...kernels.row_status import OFF
from ...kernels.through import address_of
from ...state import State
from ...system.system import System
from .consistent import TOLERANCE, check_positions, worst_parts
from .shock import Blow, Struck, struck

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ...system.lagrange import LagrangeSystem
    from ...system.lagrange import Work as LagrangeWork
    from ...system.tables import Work


# largest disagreement of redundant dimensions along a motion: what is hidden in the drawing adds up as bodies turn, to no more than the angle
# between dependent rows
MOVED = 1e-5


class Dynamics(Derived):
    """A compiled model at (t, q, v); arrays are computed when asked for and belong to the state of that moment.

    `t`, `q`, `v`: time, configuration and velocity; default: at rest.  `work`: memory of the evaluations; default: memory of its own.
    """

    system: System | LagrangeSystem
    work: Work | LagrangeWork

    def __init__(
        self, system: System | LagrangeSystem, t: float, q: np.ndarray, v: np.ndarray | None = None, work: Any = None
    ) -> None:
        self.system = system
        self.work = system.workspace() if work is None else work
        self.t, self.q = float(t), np.array(q, dtype=float)
        self.v = np.zeros(system.nv) if v is None else np.array(v, dtype=float)
        self._a = np.zeros(system.nv)

    @classmethod
    def of(
        cls,
        model: Mechanism | Lagrangian,
        state: Any = None,
        *,
        asked: str,
        t: float = 0.0,
        extra: Sequence[Any] = (),
        consistent: bool = True,
    ) -> Self:
        """A model of this kind at a state, or as assembled at time t; see `at_state`."""
        from .start import at_state

        made = at_state(model, state, asked, t=t, extra=extra, consistent=consistent)
        assert isinstance(made, cls)
        return made

    def operate(self, mode: int, tolerance: float = 0.0, times: int = 1) -> float:
        """One operation of the compiled kernels at this state; the modes are those of `kernels/operate.py`."""
        s = self.system
        return float(s.entry(mode, s.I, s.P, self.work.F, self.t, self.q, self.v, self._a, tolerance, times))

    def project(self, what: int, tolerance: float, times: int) -> float:
        """Bring q or v (POSITION, VELOCITY) onto the rows kept, with the factor at hand; return the scaled residual that is left."""
        s, state = self.system, (self.t, self.q, self.v, self._a)
        return float(project(address_of(s.entry, s.I), what, s.I, s.P, self.work.F, *state, tolerance, times))

    # -- rows: what is prescribed to positions, velocities and accelerations ---------------------------------------------

    @property
    def phi(self) -> np.ndarray:
        """Residual of every row; zero for rows of rates."""
        self.operate(ROWS)
        return np.array(self.work.y)

    @property
    def w(self) -> np.ndarray:
        """J v - nu of every row: by how much velocities break it."""
        self.operate(RATES)
        return np.array(self.work.y)

    @property
    def jac(self) -> Any:
        """J, the derivative of the rows along velocities (rows, velocities)."""
        raise NotImplementedError

    @property
    def dense_jac(self) -> np.ndarray:
        """J as a dense matrix."""
        jac = self.jac
        return jac if isinstance(jac, np.ndarray) else np.asarray(jac.toarray())

    @property
    def nu(self) -> np.ndarray:
        """Right-hand side of J v = nu."""
        return np.asarray(self.jac @ self.v - self.w)

    @property
    def driven_rates(self) -> np.ndarray:
        """Rates that are prescribed, of every row."""
        return self.nu

    @property
    def gamma(self) -> np.ndarray:
        """Right-hand side of J a = gamma."""
        raise NotImplementedError

    @property
    def scale(self) -> np.ndarray:
        """Factor of every row that makes residuals comparable: 1 / length of a mechanism, 1 / largest entry of a row of a Lagrangian system."""
        return np.array(self.system.row_scales)

    @property
    def dropped(self) -> np.ndarray:
        """Return True for each row that was left out as dependent on the others, by the last `detect`."""
        return np.isinf(self.work.floor)

    @property
    def held(self) -> np.ndarray:
        """Return True for each row that is held by a multiplier of its own: at work, and not dependent on others."""
        return np.asarray(self.work.floor < OFF)

    @property
    def stated(self) -> np.ndarray:
        """Whether each row is an initial condition, held for the start only."""
        return np.zeros(len(self.system.row_parts), dtype=bool)

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the velocities that were given."""
        return tuple(dict.fromkeys(part for part, stated in zip(self.system.row_parts, self.stated) if stated))

    @property
    def driven(self) -> np.ndarray:
        """Whether each row is that of a driver."""
        return np.zeros(len(self.system.row_parts), dtype=bool)

    @property
    def rounding(self) -> float:
        """What the rounding of the coordinates leaves of a scaled row."""
        return float(self.system.rounding(self.q, self.work.angle))

    # -- forces, and what follows from them ------------------------------------------------------------------------------

    @property
    def mass(self) -> Any:
        """M, symmetric (velocities, velocities)."""
        raise NotImplementedError

    @property
    def force(self) -> np.ndarray:
        """Q: all forces but the reactions, and what velocities add to M a."""
        raise NotImplementedError

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers, zero for rows left out; rows must have been detected near here."""
        self.operate(EVALUATE)
        return self._a.copy(), self.work.lam.copy()

    def measure(self, what: Any) -> tuple[float, np.ndarray, float]:
        """Value of a measure, or of an expression of coordinates and time; its row (derivative by displacements) and its rate."""
        raise NotImplementedError

    def bias(self, what: Any) -> float:
        """Second rate of the same without accelerations, at the state of the last `measure`."""
        raise NotImplementedError

    # -- which rows count, and the way onto them -------------------------------------------------------------------------

    def scales(self) -> None:
        """Make residuals of rows comparable here; those of bodies are by their geometry."""

    def detect(self, asked: str = "") -> None:
        """Decide which rows depend on the others here; the factor stays in memory."""
        raise NotImplementedError

    def onto(self, tolerance: float = 1e-14) -> float:
        """Project q onto phi = 0 in the mass metric; return the scaled residual that is left."""
        worst = math.inf
        for _ in range(20):
            self.operate(EVALUATE)
            worst = self.project(POSITION, tolerance, 8)
            if worst <= tolerance:
                break
        return worst

    def velocity_onto(self, tolerance: float = 1e-14) -> float:
        """Project v onto J v = nu in the mass metric; return the scaled residual that is left."""
        self.operate(EVALUATE)
        return self.project(VELOCITY, tolerance, 12)

    def settle(self) -> bool:
        """Bring q and v onto the rows kept, with the factor at hand; whether that worked for positions."""
        worst = math.inf
        for _ in range(2):
            worst = self.project(POSITION, 1e-15, 20)
            self.operate(EVALUATE)  # the factor there, same rows
        self.project(VELOCITY, 1e-15, 20)
        return worst <= TOLERANCE + 10.0 * self.rounding

    # -- the start: positions, then velocities ------------------------------------------------------------------------------

    tolerance: ClassVar[float] = TOLERANCE  # scaled residual of rows that counts as satisfied
    # of positions off the rows: the disagreement of rows left out that is accepted, why more is wrong and what to do; of a drawing (or guesses), of
    # a state that was given, of a run on its way
    off_rows: ClassVar[Mapping[str, tuple[float, str, str]]]

    @classmethod
    def at(cls, system: Any, state: State, asked: str) -> Self:
        """The model at a state, with all that it tells."""
        return cls(system, state.t, state.q, state.v)

    @classmethod
    def assembled(cls, system: Any, t: float, asked: str) -> Self:
        """The model with positions that satisfy all rows and the initial values, near its drawing or guesses."""
        raise NotImplementedError

    def given_velocities(self) -> np.ndarray:
        """Velocities of the initial conditions, whether they fit the rows or not; what is not given rests."""
        raise NotImplementedError

    def solve_velocities(self, asked: str) -> np.ndarray:
        """Velocities that satisfy all rows and the initial conditions; refused where there are none."""
        raise NotImplementedError

    def keep_velocities(self, keep: Any, conditions: bool, asked: str) -> np.ndarray:
        """Velocities that satisfy all rows, with some kept as they are and the initial `conditions`; the rest changes as little as possible."""
        raise MethodError(
            asked, f"velocities = 'solve', keep = {keep!r}", "rates that are not given are always solved for here",
            "give rates with m.start, or velocities='impulsive'",
        )  # fmt: skip

    def check_branch(self, asked: str) -> None:
        """Refuse a state that is put together in another way than drawn, where that can be told."""

    def check_place(self, asked: str) -> None:
        """Refuse positions in which accelerations are not defined."""

    def check_positions(self, asked: str, what: str = "state") -> float:
        """Refuse positions off the rows; return the disagreement of rows left out, scaled.  `what`: "drawing", "state" or "motion"."""
        allowed, *text = self.off_rows[what]
        return check_positions(self, asked, allowed, (text[0], text[1]))

    def mismatch(self) -> tuple[float, str]:
        """Largest residual of the rows left out, in units of the rows, and a text that names them (after `check_positions`)."""
        left = np.where(self.dropped, np.abs(self.work.y), 0.0)
        return float(np.max(left, initial=0.0)), worst_parts(self.system, left)

    def too_far(self) -> tuple[str, str, str] | None:
        """What to say of a model whose coordinates are rounded as much as a different machine would differ; None of all others."""
        return None

    def contradicting(self) -> bool:
        """Whether residuals are those of dimensions that disagree: no displacement removes the larger part of them."""
        return False

    def disagreeing(self, listed: str, worst: int) -> tuple[str, str, str]:
        """What to say of rows left out that the others contradict; `worst` is the number of the one that is off most."""
        why = "it depends on the other rows and contradicts them by this amount"
        return f"rows that depend on each other disagree: {listed}", why, "correct one of them"

    def against(self, solved: bool) -> tuple[str, str]:
        """Why velocities that break rows are wrong, and what to do; `solved`: what is not given was solved for."""
        raise NotImplementedError

    # -- displacements and tangents ----------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state, to start other analyses from."""
        return State(self.t, self.q.copy(), self.v.copy())

    def shifted(self, delta: np.ndarray) -> np.ndarray:
        """Configuration displaced by a velocity-like vector."""
        return self.q + delta

    def follow(self) -> None:
        """Count turns of angles from here, where the configuration does not tell them."""

    def tangents(
        self, wanted: Sequence[tuple[str, str]], state: Mapping[str, Any], memory: np.ndarray | None = None
    ) -> list[np.ndarray] | None:
        """Exact derivatives of the equations, from their graph; None where there are none.

        `wanted`: pairs of what, "force" (M a + J^T lam - Q), "second" (J a - gamma), "rate" (J v - nu), "value" (phi), and by what: "q"
        (displacements), "v", auxiliary states "z"; "" gives the values.  Mechanisms know more: `system/trace/derivatives.py`.  `state`: "t", "q",
        "v", "a" and "lam", the last two held.  `memory`: sides of switches and counted angles; default: those of here.
        """
        raise NotImplementedError

    # -- motion in time ----------------------------------------------------------------------------------------------------

    def for_loop(self) -> dict[str, Any]:
        """What the time loop is told of the model besides its arrays: laws in Python, scales of errors, what to watch, and machine code."""
        raise NotImplementedError

    def drives(self, owner: Any) -> bool:
        """Whether an expression prescribes a motion in time: its rate may then jump, as a blow; other rows have corners."""
        raise NotImplementedError

    def caught(self, name: str) -> Blow:
        """The blow by which the rows catch velocities that do not fit them: M (v+ - v-) + J^T L = 0, J v+ = nu."""
        return self.account(struck(self, np.zeros(self.system.nv), (), name), name)

    def account(self, blow: Struck, name: str) -> Blow:
        """States before and after a blow, impulses by name, energies."""
        before = self.state
        after = replace(before, v=before.v + blow.jump)
        first, last = (0.5 * float(state.v @ (blow.mass @ state.v)) for state in (before, after))
        return self.told_blow(blow, Blow(before, after, {}, first, last, name))

    def told_blow(self, blow: Struck, account: Blow) -> Blow:
        """The account with its impulses, by the names of this kind of model."""
        raise NotImplementedError

    def without_value(self, h: float) -> list[str]:
        """Laws and rows without a finite value or derivative here, or within some steps h after it."""
        raise NotImplementedError

    def told(self) -> str:
        """Where the model is, in a few words; empty where that takes too many."""
        return ""


def kind_of_view(system: System | LagrangeSystem) -> type[Dynamics]:
    """The class of views of a compiled mechanism or Lagrangian system."""
    if isinstance(system, System):
        from ..pose.pose import Pose

        return Pose
    from ..lagrangian.point import Point

    return Point


def view(
    system: System | LagrangeSystem, t: float, q: np.ndarray, v: np.ndarray | None = None, work: Any = None
) -> Dynamics:
    """A compiled mechanism or Lagrangian system at a state."""
    return kind_of_view(system)(system, t, q, v, work=work)
