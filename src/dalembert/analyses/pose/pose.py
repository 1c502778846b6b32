"""A mechanism at one state: its rows, forces and solution as arrays, and how to move from there.  What all analyses stand on.

    phi(q, t)   residual of the rows        J a = gamma,  J v = nu        M a + J^T lam = Q

q is moved by velocity-like vectors (`shifted`), so that rotations in space need no special care: J is the derivative of phi along
such a displacement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ...errors import ModelError, SingularError
from ...kernels.bodies import move
from ...kernels.hold import POSITION, VELOCITY
from ...kernels.operate import EVALUATE, FORCES, INPUTS, ROWS, SOLVE, WATCH
from ...kernels.row_status import OFF
from ...model.measure import Measure
from ...state import State
from ...system.collected import Row
from ...system.rows import mass_matrix, scaled_to_true, unscaled_jacobian
from ...system.system import System
from ...system.tables import Work, singular_bodies
from ...system.trace.derivatives import Tangents, tangents
from ...system.trace.slopes import slopes_of
from ...system.watch import fresh
from ..assembly.senses import check_senses
from ..assembly.turns import guess_angles
from ..dynamics.consistent import DISAGREEMENT
from ..dynamics.dynamics import MOVED, Dynamics
from ..dynamics.shock import Blow, Struck
from .impulse import Impulses, Strike
from .rank import INDEPENDENT, LARGEST, detect, scaled_rows

# how `system.build` calls the rows of initial conditions, and `assemble` those of coordinates that the user holds
START, FIXED = "start of ", "fixed "


class Pose(Dynamics):
    """A mechanism at one state.

    `t`, `q`, `v`: time, configuration and velocity.  `angles`: counted angles of joints in space; default: those nearest to the drawing.  `work`:
    memory, whose angles count; default: memory of its own.
    """

    system: System
    work: Work

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

    # -- the start -------------------------------------------------------------------------------------------------------

    off_rows: ClassVar[Mapping[str, tuple[float, str, str]]] = {
        "drawing": (
            DISAGREEMENT,
            "no configuration near the drawing satisfies all constraints, or the drawing is too far from one",
            "check the lengths and points of the joints named, or draw the bodies closer to where they belong (at=, angle=)",
        ),
        "state": (
            MOVED,
            "the bodies of the state given do not meet at these joints",
            "use a state of a run, run.at(t), or bring this one onto the joints: da.assemble(m, start=state).state",
        ),
        "motion": (
            MOVED,
            "near a singular position the motion does not come back onto all constraints: its velocity belongs to none of the "
            "motions that meet there, or a driver locks up",
            "look at the pose with da.mobility(m), give the rates of all joints of the loop so that they fit one motion, or start "
            "from another pose",
        ),
    }

    @classmethod
    def at(cls, system: System, state: State, asked: str) -> Self:
        """The mechanism at a state, with its auxiliary states and counted angles."""
        _check_bodies(system, asked)
        work = system.workspace()
        work.put_states(asked, state.z)
        guess_angles(system, work, state.t, state.angles, state.q)
        return cls(system, state.t, state.q, state.v, work=work)

    @classmethod
    def assembled(cls, system: System, t: float, asked: str) -> Self:
        """The drawing, assembled."""
        from .initial import assemble

        _check_bodies(system, asked)
        return cls(system, t, assemble(system.model, system, t))

    def given_velocities(self) -> np.ndarray:
        """Those of bodies and of `m.start`."""
        from .velocities import given_velocities

        return given_velocities(self)

    def solve_velocities(self, asked: str) -> np.ndarray:
        """The smallest kinetic energy among all velocities with J v = nu and the conditions."""
        from .velocities import solve_velocities

        return solve_velocities(self)

    def keep_velocities(self, keep: Any, conditions: bool, asked: str) -> np.ndarray:
        """Some bodies and measures keep the velocities that they have."""
        from .velocities import kept

        return kept(self, keep, conditions, asked)

    def check_branch(self, asked: str) -> None:
        """Refuse joints in space put together the other way round than drawn."""
        check_senses(self.system, self.q, asked)

    def check_place(self, asked: str) -> None:
        """Refuse bodies that can move without inertia: no acceleration is defined there."""
        system, work = self.system, self.work
        massless = [system.builder.bodies[k].name for k in singular_bodies(system.builder)]
        if not massless:
            return
        moves, unknowns = system.moves, system.saddle_unknowns
        # a pivot that is round-off of the terms it is the sum of
        bad = [d == 0.0 or 1e-13 * d * size > 1.0 for d, size in zip(work.sad_d, work.sad_size)]
        lost = [x for x, yes in zip(unknowns, bad) if yes and x < system.nv and moves[x]]
        if lost:
            names = sorted({system.builder.bodies[x // system.builder.width].name for x in lost})
            raise SingularError(
                f"equations of motion of {system.model.name!r}",
                f"{', '.join(map(repr, names[:4]))} can move without inertia (without mass or inertia: {', '.join(map(repr, massless[:6]))})",
                "the kinetic energy is not positive for all velocities that the joints allow, so accelerations are not defined",
                "give the body mass and inertia (a rod in space needs radius=), or hold the free motion by a joint",
            )

    def too_far(self) -> tuple[str, str, str] | None:
        """Bodies too far from the origin, or turned too often."""
        if not 10.0 * self.rounding > DISAGREEMENT:
            return None
        system = self.system
        bodies, linear = np.abs(self.q).reshape(len(system.builder.bodies), -1), 2 if system.plane else 3
        k = int(np.argmax(np.max(bodies[:, :linear], axis=1)))
        far = float(np.max(bodies[k, :linear]))
        if far < system.length:  # many turns
            found, near = "angles that turned too often", "start again with angles near zero"
        else:
            found = f"body {system.body_names[k]!r} is {far:.3g} m from the origin, where numbers are rounded to {np.spacing(far):.2g} m"
            near = "draw the machine near the origin: subtract the same point from all coordinates"
        return (
            f"{found}; the model measures {system.length:.3g} m",
            "coordinates are kept with 16 digits, and what is left of them does not suffice to join the bodies",
            near,
        )

    def contradicting(self) -> bool:
        """Whether residuals (in y, rows current) are those of dimensions that disagree.

        Such a state was brought onto another choice among the dependent rows, by a run or an assembly.
        """
        if not self.dropped.any() or self.system.n_rows > LARGEST:
            return False
        rows = scaled_rows(self.system, self.work)
        values, vectors = np.linalg.eigh(rows @ rows.T)
        off = np.array(self.work.y) * self.scale
        return bool(np.linalg.norm(vectors[:, values < INDEPENDENT**2].T @ off) > 0.1 * np.linalg.norm(off))

    def disagreeing(self, listed: str, worst: int) -> tuple[str, str, str]:
        """Initial values, drivers, or dimensions of a loop."""
        many = "than degrees of freedom, or they depend on each other, and contradict each other by this amount"
        if any(part.startswith((START, FIXED)) for part in self.system.row_parts):
            found, why = f"the initial values disagree: {listed}", f"there are more initial conditions {many}"
            return found, why, "leave out or correct the conditions named (m.start, fixed=)"
        too_many = self._too_many_drivers()
        if too_many is not None:
            return f"joints and drivers disagree: {listed}", *too_many
        if self.system.row_parts[worst] in {driver.name for driver in self.system.model.parts("driver")}:
            found, why = f"the drivers disagree: {listed}", f"there are more drivers {many}"
            return found, why, "leave out or correct one of the drivers (m.drive)"
        return (
            f"the redundant dimensions disagree: {listed}",
            "the loop is overconstrained and its given dimensions contradict each other by this amount",
            "correct the lengths, axes or points of the joints named, or use joints with more freedom",
        )

    def against(self, solved: bool) -> tuple[str, str]:
        """Velocities that were given, drivers that lock up, or a state."""
        why = "bodies joined together cannot have these velocities at the same time"
        choice = "simulate(..., velocities='solve'), or accept a blow: velocities='impulsive'"
        if self.stated.any():
            do = f"give fewer velocities (what is not given is solved for), correct the ones named, or say which to keep: {choice}"
        elif solved and (too_many := self._too_many_drivers()) is not None:
            why, do = too_many
        elif solved:
            why = "no velocities satisfy joints and drivers in this pose: a driver locks up, or drivers contradict each other"
            do = "look at the pose with da.mobility(m), and change the driver named, or the pose"
        else:
            do = f"use a state whose velocities fit the joints, such as run.at(t), or say which to keep: {choice}"
        return why, do

    def _too_many_drivers(self) -> tuple[str, str] | None:
        from ..dependence.freedoms import too_many_drivers

        return too_many_drivers(self.system.model)

    # -- rows ----------------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[Row]:
        """Constraint rows: name, part, unit."""
        return self.system.numbering.rows[: self.system.n_rows]

    @property
    def stated(self) -> np.ndarray:
        """Whether each row is an initial condition."""
        return np.array([row.stated for row in self.rows], dtype=bool)

    @property
    def driven(self) -> np.ndarray:
        """Whether each row is that of a driver."""
        return np.array([row.drive is not None for row in self.rows], dtype=bool)

    @property
    def driven_rates(self) -> np.ndarray:
        """Rates of the drivers; rows must be current."""
        return np.array(self.work.drive[1::3])

    @property
    def jac(self) -> Any:
        """Jacobian as a sparse matrix (rows, velocities)."""
        self.operate(ROWS)
        return unscaled_jacobian(self.system, self.work)

    @property
    def nu(self) -> np.ndarray:
        """Right-hand side of J v = nu."""
        self.operate(ROWS)
        return self._at_work(self.work.drive[1::3] - self.work.partial[: self.system.n_rows])

    @property
    def gamma(self) -> np.ndarray:
        """Right-hand side of J a = gamma."""
        self.operate(ROWS)
        return self._at_work(self.work.drive[2::3] - self.work.bias[: self.system.n_rows])

    def _at_work(self, x: np.ndarray) -> np.ndarray:
        """Numbers of the rows, zero for rows that are off."""
        return np.where(self.work.floor == OFF, 0.0, x)

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
        kept = np.flatnonzero(self.held)
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

    def call_laws(self) -> None:
        """Values of laws given as Python functions into the memory of the kernels."""
        system, work = self.system, self.work
        laws = [(k, law) for k, law in enumerate(system.builder.laws) if law.law.function is not None]
        if laws:
            self.operate(INPUTS)
        for k, law in laws:
            row = system.n_rows + law.row
            assert law.law.function is not None
            work.called[k] = law.law.function(float(work.value[row]), float(work.rate[row]), self.t)

    @property
    def force(self) -> np.ndarray:
        """Generalized force Q: gravity, force elements, gyroscopic moments."""
        self.call_laws()
        self.operate(FORCES)
        return scaled_to_true(self.system, self.work.acc[: self.system.nv])

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers by theory (3), zero for rows left out; rows must have been detected near here."""
        self.call_laws()
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

    def bias(self, measure: Measure) -> float:
        """Second rate of a measure without accelerations; the state is that of the last `measure`."""
        free = self.system.builder.free_row(f"measure {measure.name!r}", measure)
        return float(self.work.bias[self.system.n_rows + free])

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
                worst = self.project(POSITION, tolerance, 8)
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
        return self.project(VELOCITY, tolerance, 12)

    def for_loop(self) -> dict[str, Any]:
        """Python laws, scales of states and turns, what to watch, and machine code; found once for a system."""
        from ...system.machine.native import counted, native_code

        system = self.system
        if "watch" not in system.known:
            laws = {k: law.law.function for k, law in enumerate(system.builder.laws) if law.law.function is not None}
            system.known["watch"] = {
                "watch": system.watch(), "conservative": system.conservative(), "z_scale": system.builder.state_scales,
                "laws": laws, "native": None if system.builder.loads else native_code(system.numbering), "arms": system.arms, "owners": system.numbering.owners,
            }  # fmt: skip
        known = system.known["watch"]
        code = known["native"] and counted(known["native"])
        return known | {"watch": fresh(known["watch"]), "slopes": self.slopes, "native": code}

    def slopes(self, exact: bool) -> Any:
        """Derivatives of the equations, for implicit methods: of laws, or of all forces; found once for a system."""
        known, key = self.system.known, f"slopes, exact: {exact}"
        if key not in known:
            known[key] = slopes_of(self.system, exact)
        return known[key]

    def drives(self, owner: Any) -> bool:
        """Drivers prescribe motions; joints have corners."""
        return bool(owner.role == "driver")

    def told_blow(self, blow: Struck, account: Blow) -> Strike:
        """Impulses of joints as wrenches at their points; see `impulse.py`."""
        impulses = Impulses(self, blow.lam, {x.name: (x.source, x.row, p) for x, p in blow.thrown})
        return Strike(**vars(account) | {"impulse": impulses}, plane=self.system.plane, length=self.system.length)

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


def _check_bodies(system: System, asked: str) -> None:
    if not system.builder.bodies:
        raise ModelError(asked, "no moving body", "there is nothing to move", "add a body with m.body(...)")
