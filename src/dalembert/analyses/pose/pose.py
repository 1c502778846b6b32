"""A mechanism at one state: its rows, forces and solution as arrays, and how to move from there.  What all analyses stand on.

    phi(q, t)   residual of the rows        J a = gamma,  J v = nu        M a + J^T lam = Q

q is moved by velocity-like vectors (`shifted`), so that rotations in space need no special care: J is the derivative of phi along
such a displacement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, shown
from ...kernels.bodies import move
from ...kernels.hold import POSITION, VELOCITY
from ...kernels.operate import EVALUATE, FORCES, INPUTS, ROWS, SOLVE, WATCH
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...state import State, state_of
from ...system.build import Row
from ...system.known import known_system
from ...system.rows import mass_matrix, scaled_to_true, unscaled_jacobian
from ...system.system import System
from ...system.trace.derivatives import Tangents, tangents
from ...system.watch import fresh
from ..dynamics.dynamics import MOVED, Dynamics
from ..dynamics.shock import Struck
from ..equations import call_laws
from .impulse import Strike, account
from .initial import (
    OF_MOTION,
    OF_STATE,
    check_mass,
    check_positions,
    check_velocities,
    detect,
    disagreement_of,
    guess_angles,
    prepared_again,
)  # fmt: skip
from .rank import INDEPENDENT


def read_mechanism(asked: str, model: Any) -> Mechanism:
    """The mechanism given, or a refusal."""
    if not isinstance(model, Mechanism):
        found = f"{shown(model)} of type {type(model).__name__}"
        raise MethodError(asked, found, "a Mechanism is needed", "give the mechanism")
    return model


class Pose(Dynamics):
    """A mechanism at one state.

    Parameters
    ----------
    system
        The compiled mechanism.
    t, q, v
        Time, configuration and velocity.
    angles
        Counted angles of joints in space; default: those nearest to the drawing.
    work
        Memory, whose angles count; default: memory of its own.
    """

    def __init__(
        self,
        system: System,
        t: float,
        q: np.ndarray,
        v: np.ndarray | None = None,
        angles: np.ndarray | None = None,
        work: Any = None,
    ) -> None:
        super().__init__(system, t, q, v, work)
        self.independent = INDEPENDENT  # smallest singular value of rows that count as independent
        if work is None:
            guess_angles(system, self.work, self.t, angles, self.q)

    @classmethod
    def of(
        cls,
        model: Mechanism,
        state: State | None = None,
        *,
        asked: str,
        t: float = 0.0,
        extra: Sequence[Measure] = (),
        consistent: bool = True,
    ) -> Pose:
        """Pose of a mechanism at a state, or as assembled at time t.

        Parameters
        ----------
        model
            The mechanism.
        state
            The state, or a result that has one (an equilibrium, an assembly); default: the drawing, assembled, with the initial
            conditions.
        asked
            Who asks, for error messages: "mobility('crane')".
        t
            Time of the assembled start; ignored with a state.
        extra
            Measures wanted besides those of the model; see `measure`.
        consistent
            Refuse a state that breaks constraints (positions or velocities).
        """
        read_mechanism(asked, model)
        names = tuple(body.name for body in model.bodies)
        if not names:
            raise ModelError(asked, "no moving body", "there is nothing to analyse", "add a body with m.body(...)")
        system, state = None, state_of(state)
        if state is None:
            prepared = prepared_again(model, t, tuple(extra))
            state, system = prepared.state, prepared.system
        elif not isinstance(state, State):
            do = "give da.State(t, q, v), run.at(t), or one equilibrium of da.equilibrium(m)"
            raise MethodError(asked, f"state = {shown(state)}", "a State is needed", do)
        state.check(asked, model.plane, names)
        system = known_system(model, tuple(extra)) if system is None else system
        angles = state.angles if len(state.angles) == len(system.builder.angles) else None
        pose = cls(system, state.t, state.q, state.v, angles)
        pose.work.put_states(asked, state.z)
        pose.detect()
        if consistent:
            pose.check_positions(asked)
            check_velocities(system, pose.work, pose.t, pose.q, pose.v, asked)
        check_mass(system, pose.work)
        pose.follow()
        return pose

    # -- rows ----------------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[Row]:
        """Constraint rows: name, part, unit."""
        return self.system.numbering.rows[: self.system.n_rows]

    @property
    def jac(self) -> Any:
        """Jacobian as a sparse matrix (rows, velocities)."""
        self.operate(ROWS)
        return unscaled_jacobian(self.system, self.work)

    @property
    def nu(self) -> np.ndarray:
        """Right-hand side of J v = nu."""
        self.operate(ROWS)
        return self.work.drive[1::3] - self.work.partial[: self.system.n_rows]

    @property
    def gamma(self) -> np.ndarray:
        """Right-hand side of J a = gamma."""
        self.operate(ROWS)
        return self.work.drive[2::3] - self.work.bias[: self.system.n_rows]

    def null_vectors(self) -> np.ndarray:
        """Columns n with J^T n = 0, one for each row left out: that row (coefficient 1) minus the kept rows that make it up.

        With the factor of the kept rows, S x = J M^-1 j gives the coefficients of row j in time proportional to the number of rows;
        once more for what is left removes the rounding.  Models that the saddle-point solver serves are solved densely.
        """
        self.detect()
        left = np.flatnonzero(self.dropped)
        found = np.zeros((self.system.n_rows, len(left)))
        if not len(left):
            return found
        self.operate(ROWS)
        saddle = self.system.saddle
        rows = unscaled_jacobian(self.system, self.work, scaled=not saddle)
        kept = np.flatnonzero(~self.dropped)
        for c, r in enumerate(left):
            target = rows[[r]].toarray()[0]
            if saddle:
                found[kept, c] = -np.linalg.lstsq(rows[kept].toarray().T, target, rcond=None)[0]
            else:
                for _ in range(3):
                    self.work.y[:] = rows @ target
                    self.operate(SOLVE)
                    x = np.where(self.dropped, 0.0, self.work.lam)
                    found[:, c] -= x
                    target = target - rows.T @ x
            found[r, c] = 1.0
        return found

    # -- forces and solution ---------------------------------------------------------------------------------------------

    @property
    def mass(self) -> Any:
        """Mass matrix as a sparse matrix."""
        return mass_matrix(self.system)

    @property
    def force(self) -> np.ndarray:
        """Generalized force Q: gravity, force elements, gyroscopic moments."""
        call_laws(self.system, self.work, self.t, self.q, self.v)
        self.operate(FORCES)
        return scaled_to_true(self.system, self.work.acc[: self.system.nv])

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers by theory (3), zero for rows left out; rows must have been detected near here."""
        call_laws(self.system, self.work, self.t, self.q, self.v)
        return super().solve()

    # -- measures --------------------------------------------------------------------------------------------------------

    def measure(self, measure: Measure) -> tuple[float, np.ndarray, float]:
        """Value of a measure, its row (derivative by displacement, velocities) and its rate.

        It must be one that the model's laws use or one of `extra`.
        """
        free = self.system.builder.free_row(f"measure {measure.name!r}", measure)
        r = self.system.n_rows + free
        self.operate(INPUTS)
        row = unscaled_jacobian(self.system, self.work, r, r + 1).toarray()[0]
        return float(self.work.value[r]), row, float(self.work.rate[r])

    # -- motion ----------------------------------------------------------------------------------------------------------

    def shifted(self, delta: np.ndarray) -> np.ndarray:
        """Configuration displaced by a velocity-like vector."""
        q = self.q.copy()
        move(self.system.numbering.I, q, delta)
        return q

    def detect(self, asked: str = "") -> None:
        """Decide which rows depend on the others here; the factor stays in memory."""
        detect(self.system, self.work, self.t, self.q, independent=self.independent)

    def onto(self, tolerance: float = 1e-13, limit: int = 20) -> float:
        """Project q onto the constraints in the mass metric, theory (6); return the scaled residual that is left.

        Rows that were redundant before are no longer dependent off the constraints, and Newton's method with all of them is ill
        conditioned there; so the rows left out so far stay out first, and are looked at again in the end.
        """
        start, worst = self.q.copy(), np.inf
        tolerance += self.rounding
        for same in (True, False) if self.dropped.any() else (False,):
            for _ in range(limit):
                if same:
                    self.operate(EVALUATE)
                else:
                    self.detect()
                worst = self._project(POSITION, tolerance, 8)
                if worst <= tolerance:
                    break
            if same and worst <= tolerance and np.max(np.abs(self.phi * self.scale)) <= 1e-9 + 10.0 * self.rounding:
                self.detect()
                break
            if same:
                self.q = start
        return float(worst)

    def velocity_onto(self, tolerance: float = 1e-13) -> float:
        """Project v onto J v = nu in the mass metric; return the scaled residual that is left."""
        self.detect()
        return self._project(VELOCITY, tolerance, 12)

    def check_positions(self, asked: str, moving: bool = False) -> float:
        """Refuse positions off the joints; return the largest scaled residual of the rows left out."""
        text = OF_MOTION if moving else OF_STATE
        return check_positions(self.system, self.work, self.t, self.q, asked, MOVED, text)

    def mismatch(self) -> tuple[float, str]:
        """Largest residual of the rows left out [m or rad], and the parts with their numbers."""
        return disagreement_of(self.system, self.work)

    def for_loop(self) -> dict[str, Any]:
        """Python laws, scales of states and turns, what to watch, and machine code; found once for a system."""
        from ...system.machine.native import native_code

        system = self.system
        if "watch" not in system.known:
            laws = {k: law.law.function for k, law in enumerate(system.builder.laws) if law.law.function is not None}
            system.known["watch"] = {
                "watch": system.watch(), "conservative": system.conservative(), "z_scale": system.builder.state_scales,
                "laws": laws, "native": native_code(system.numbering), "arms": system.arms, "owners": system.numbering.owners,
            }  # fmt: skip
        known = system.known["watch"]
        return known | {"watch": fresh(known["watch"]), "slopes": self.slopes}

    def slopes(self, exact: bool) -> Any:
        """Derivatives of the equations, for implicit methods: of laws, or of all forces; found once for a system."""
        from ...system.trace.slopes import slopes_of

        known, key = self.system.known, f"slopes, exact: {exact}"
        if key not in known:
            known[key] = slopes_of(self.system, exact)
        return known[key]

    def drives(self, owner: Any) -> bool:
        """Drivers prescribe motions; joints have corners."""
        return bool(owner.role == "driver")

    def account(self, blow: Struck, name: str) -> Strike:
        """Impulses of joints as wrenches at their points; see `impulse.py`."""
        return account(self, blow, name)

    def without_value(self, h: float) -> list[str]:
        """Force elements and drivers without a finite value."""
        names, work = [], self.work
        for t in (self.t, self.t + h, self.t + 100.0 * h):
            Pose(self.system, t, self.q, self.v, work=work).solve()
            names += [law.part for law, f in zip(self.system.builder.laws, work.force) if not np.isfinite(f)]
            targets = work.drive[: 3 * self.system.n_rows].reshape(-1, 3)
            names += [row.part for row, x in zip(self.rows, targets) if not np.isfinite(x).all()]
        return [repr(name) for name in dict.fromkeys(names)]

    def tangents(
        self, wanted: Sequence[tuple[str, str]], state: Mapping[str, Any], memory: np.ndarray | None = None
    ) -> list[np.ndarray] | None:
        """Exact derivatives of the equations of this structure; see `system/trace/derivatives.py`."""
        return self._programs(wanted, self.system.numbering, self.work.F if memory is None else memory, state)

    def beyond(self, gaps: np.ndarray, rates: np.ndarray) -> np.ndarray | None:
        """Memory with the sides that switches take where gaps change at these rates."""
        return self._programs.beyond(self.work.F, gaps, rates)

    @cached_property
    def _programs(self) -> Tangents:
        return tangents(self.system.numbering)

    def follow(self) -> None:
        """Count angles in space from here: afterwards turns are those nearest to the present values."""
        if len(self.work.angle):
            self.operate(ROWS)
            self.operate(WATCH)
            self.work.angle[:] = self.system.counted_angles(self.work)
            self.work.angle_time[0] = self.t

    @property
    def state(self) -> State:
        """The state, to start other analyses from."""
        names, work = tuple(self.system.body_names), self.work
        return State(self.t, self.q.copy(), self.v.copy(), work.angle.copy(), names, work.state.copy())
