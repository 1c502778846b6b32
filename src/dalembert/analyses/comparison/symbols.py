"""Written equations of a mechanism, in absolute coordinates and in joint coordinates of a spanning tree, against its other formulations.

`compare_equations` compares them with the arrays of the compiled system at random states; for `verify` they are two more ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...compilation import compiling
from ...errors import DalembertError, MethodError, shown
from ...model.auxiliary import refuse_states
from ...model.kinds import read_mechanism
from ...model.mechanism import Mechanism
from ...options.call import refuse_one_sided, verb
from ...symbolic.mechanism.convert import ABSOLUTE, Conversion, converted
from ...symbolic.mechanism.forms import MechanismEquations, mechanism_equations
from ...symbolic.mechanism.written import Written
from ...system.subspaces import INDEPENDENT, factor, unit_rows
from ..lagrangian.of_mechanism import InCoordinates, numbers_of
from ..pose.pose import Pose
from .formulations import Scaled
from .plain import Arrays

TOLERANCE = 1e-10  # relative; both sides are sums of a few products


@dataclass(frozen=True, eq=False)
class Agreement:
    """Largest difference of each matrix, relative to its largest entry (at least 1), over all states."""

    model: str
    form: str
    states: int
    differences: dict[str, float]
    tolerance: float = TOLERANCE
    equations: MechanismEquations | None = field(default=None, repr=False)

    @property
    def agree(self) -> bool:
        """Whether all differences are within the tolerance."""
        return all(x <= self.tolerance for x in self.differences.values())

    def __str__(self) -> str:
        verdict = "agree" if self.agree else "DISAGREE"
        head = f"written equations of {self.model!r} ({self.form}) and the compiled system {verdict} at {self.states} random states"
        cells = "  ".join(f"{name} {x:.1e}" for name, x in self.differences.items())
        return f"{head}\n  {cells}"

    __repr__ = __str__


@verb
def compare_equations(model: Mechanism, form: str = ABSOLUTE, *, states: int = 4, seed: int = 1) -> Agreement:
    """Compare the written equations of a mechanism with the arrays of the compiled system at random states.

    In absolute coordinates M, Phi, J, nu, gamma and Q are compared entry by entry.  In joint coordinates the arrays of the bodies are
    carried over, M = S^T M S, Q = S^T (Q - M sigma), J = J S, gamma = gamma - J sigma with the velocities v = S q' of the bodies, and the
    rows of the tree must vanish.

    Parameters
    ----------
    model
        The mechanism.
    form
        "absolute" or "minimal".
    states
        Number of random states; they need not satisfy the constraints.
    seed
        Seed of the random states.

    Returns
    -------
    Agreement
        Largest relative differences by matrix.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> da.compare_equations(m, "minimal").agree
    True
    """
    asked = f"compare_equations({shown(getattr(model, 'name', model), 40)})"
    read_mechanism(asked, model)
    refuse_one_sided("compare_equations", model)
    if form != ABSOLUTE and not all(state.is_input for state in model.parts("state")):
        refuse_states(
            asked, model, "in joint coordinates they are coordinates with rows, which the compiled system does not have",
            "compare a model with numbers in their place",
        )  # fmt: skip
    with compiling(), np.errstate(all="ignore"):
        pose = Pose.of(model, asked=asked)
        equations = mechanism_equations(model, form, asked, readable=False)
        rng = np.random.default_rng(seed)
        compare = _absolute if form == ABSOLUTE else _minimal
        found = compare(equations, pose, states, rng, asked)
    return Agreement(model.name, form, states, found, equations=equations)


def _note(largest: dict[str, float], name: str, one: np.ndarray, two: np.ndarray) -> None:
    """Keep the largest relative difference by name."""
    gap = np.max(np.abs(one - two), initial=0.0) / max(1.0, float(np.max(np.abs(two), initial=0.0)))
    largest[name] = max(largest.get(name, 0.0), np.inf if np.isnan(gap) else float(gap))


def row_order(pose: Pose, rows: list[tuple[str, str]]) -> np.ndarray:
    """Numbers of rows (part, name) in the compiled system."""
    known = {(row.part, row.name): r for r, row in enumerate(pose.rows)}
    return np.array([known[row] for row in rows], dtype=int)


def _absolute(
    equations: MechanismEquations, pose: Pose, states: int, rng: np.random.Generator, asked: str
) -> dict[str, float]:
    source = equations.source
    assert isinstance(source, Written)
    # rows of drivers have the names of their measures in the compiled system
    driven = {driver.name: driver.measure.name for driver in equations.model.parts("driver")}
    names = [(part, driven.get(part, name)) for part, name in zip(source.parts, equations.row_names)]
    order = row_order(pose, names)
    largest: dict[str, float] = {}
    start = pose.q.copy()
    v_at = source.v_at
    for _ in range(states):
        _displace(pose, start, rng)
        found = equations.numbers(pose.t, pose.q[source.q_at], pose.v[v_at])
        _note(largest, "M", found["M"], pose.mass.toarray()[np.ix_(v_at, v_at)])
        # an angle may differ by whole turns
        gap = found["phi"] - pose.phi[order]
        turns = np.array([row.unit == "rad" for row in pose.rows])[order]
        gap = np.where(turns, gap - 2.0 * np.pi * np.round(gap / (2.0 * np.pi)), gap)
        _note(largest, "Phi", gap, np.zeros(len(gap)))
        _note(largest, "J", found["J"], pose.jac.toarray()[order][:, v_at])
        _note(largest, "nu", found["nu"], pose.nu[order])
        _note(largest, "gamma", found["gamma"], pose.gamma[order])
        _note(largest, "Q", found["Q"], pose.force[v_at])
    return largest


def _displace(pose: Pose, start: np.ndarray, rng: np.random.Generator) -> None:
    """A random state near the start; the constraints need not hold."""
    system, size = pose.system, pose.system.unit_of_velocity
    pose.q = start.copy()
    pose.q = pose.shifted(0.3 * size * rng.uniform(-1.0, 1.0, system.nv))
    pose.v = np.where(system.moves, size * rng.uniform(-1.0, 1.0, system.nv), 0.0)
    pose.follow()


def _minimal(
    equations: MechanismEquations, pose: Pose, states: int, rng: np.random.Generator, asked: str
) -> dict[str, float]:
    source = equations.source
    assert isinstance(source, Conversion)
    carried = InCoordinates(source, asked)
    start = source.coordinates.read(numbers_of(pose))
    rows = closing_rows(equations)
    order = row_order(pose, [row for row, _ in rows])
    mine = [k for _, k in rows]
    tree = np.setdiff1d(np.arange(len(pose.rows)), order)
    own = set(range(len(equations.row_names))) - set(mine)
    largest: dict[str, float] = {}
    for _ in range(states):
        q = start + 0.3 * rng.uniform(-1.0, 1.0, len(start))
        rate = rng.uniform(-1.0, 1.0, len(start))
        carried.put(pose, q, rate)
        found = equations.numbers(pose.t, q, rate)
        S, sigma = carried("S", pose.t, q, rate), carried("sigma", pose.t, q, rate)
        M, J = pose.mass.toarray(), pose.jac.toarray()
        _note(largest, "M", found["M"], S.T @ M @ S)
        _note(largest, "Phi of the tree", pose.phi[tree], np.zeros(len(tree)))
        _note(largest, "J of the tree", J[tree] @ S, np.zeros((len(tree), len(q))))
        _note(largest, "gamma of the tree", (pose.gamma - J @ sigma)[tree], np.zeros(len(tree)))
        if own:
            continue  # angles with coordinates of their own: their forces and rows reach the bodies through multipliers
        _note(largest, "Phi", found["phi"][mine], pose.phi[order])
        _note(largest, "J", found["J"][mine], J[order] @ S)
        _note(largest, "nu", found["nu"][mine], pose.nu[order])
        _note(largest, "gamma", found["gamma"][mine], (pose.gamma - J @ sigma)[order])
        _note(largest, "Q", found["Q"], S.T @ (pose.force - M @ sigma))
    return largest


def closing_rows(equations: MechanismEquations) -> list[tuple[tuple[str, str], int]]:
    """Rows of the mechanism that are rows in joint coordinates as well: (part, name) and the number of the row there."""
    assert isinstance(equations.source, Conversion)
    places = {name: k for k, name in enumerate(equations.row_names)}
    named = [(row, row.label if row.driven else row.label.replace(".", " ")) for row in equations.source.rows]
    return [((row.part, row.name), places[name]) for row, name in named if name in places]


SYMBOLS, JOINTS = "symbols", "joint coordinates"

# SymPy takes a tenth of a second per thousand operations written out; code for joint coordinates grows with bodies times coordinates
LARGEST_SYMBOLS = 5_000
LARGEST_TREE = 3_000


class WrittenWays:
    """The two ways, as far as the model allows; `notes` say why one is left out.

    `asked`: who asks, for messages.
    """

    def __init__(self, model: Mechanism, asked: str) -> None:
        self.notes: list[str] = []
        self.symbols: MechanismEquations | None = None
        self.joints: InCoordinates | None = None
        try:
            self.symbols = mechanism_equations(model, ABSOLUTE, asked, readable=False)
            if self.symbols.size > LARGEST_SYMBOLS:
                self._leave_out(SYMBOLS, f"{self.symbols.size:.3g} operations are too many for SymPy here")
                self.symbols = None
        except DalembertError as error:
            self._leave_out(SYMBOLS, _told(error))
        try:
            made = converted(model)
            size = len(made.lagrangian.q) * len(model.bodies) * (3 if model.plane else 6)
            if size > LARGEST_TREE:
                self._leave_out(
                    JOINTS, f"{len(made.lagrangian.q)} coordinates of {len(model.bodies)} bodies are too many here"
                )
            else:
                self.joints = InCoordinates(made, asked)
        except DalembertError as error:
            self._leave_out(JOINTS, _told(error))

    def _leave_out(self, way: str, why: str) -> None:
        self.notes.append(f"{way} left out: {why}")

    @property
    def names(self) -> list[str]:
        """Ways that there are."""
        return [name for name, way in ((SYMBOLS, self.symbols), (JOINTS, self.joints)) if way is not None]

    def arrays(self, pose: Pose, compiled: Arrays) -> Arrays | None:
        """The matrices of SymPy in numbers, in the order of the plain assembly; None where an angle has turned too far."""
        if self.symbols is None or _turned_far(pose):
            return None
        source = self.symbols.source
        assert isinstance(source, Written)
        x = self.symbols.numbers(pose.t, pose.q[source.q_at], pose.v[source.v_at])
        n, at = pose.system.nv, source.v_at

        def wide(rows: np.ndarray) -> np.ndarray:
            found = np.zeros((len(rows), n))
            found[:, at] = rows
            return found

        M, Q = np.zeros((n, n)), np.zeros(n)
        M[np.ix_(at, at)], Q[at] = x["M"], x["Q"]
        # a driven angle in space is compared as a direction: it tells no whole turns
        driven = {
            d.name for d in pose.system.model.parts("driver") if d.measure.kind == "angle" and not pose.system.plane
        }
        turns = 2.0 * np.pi * np.round((compiled.phi - x["phi"]) / (2.0 * np.pi))
        phi = x["phi"] + np.where([part in driven for part in source.parts], turns, 0.0)
        return Arrays(phi, wide(x["J"]), x["nu"], x["gamma"], M, Q, x["law"], wide(x["law_rows"]))

    def solve(self, pose: Pose, plain: Arrays, x: Scaled) -> tuple[np.ndarray, np.ndarray] | None:
        """Accelerations by joint coordinates, a = S q'' + sigma, and what reactions they need; None where the coordinates are singular."""
        if self.joints is None:
            return None
        call, t = self.joints, pose.t
        q, rate = call.coordinates(pose)
        S, sigma, V = call("S", t, q, rate), call("sigma", t, q, rate), call("V", t, q, rate)
        v = np.where(pose.system.moves, pose.v, 0.0)
        if not np.max(np.abs(V - v)) <= 1e-9 * max(1.0, float(np.max(np.abs(v)))):
            return None
        M, J, f, gamma = (call(name, t, q, rate) for name in ("M", "J", "f", "gamma"))
        # coordinates of one size: lengths in those of the model
        made = call.conversion.coordinates
        size = np.array([made.drawing.numbers.extent if name in made.lengths else 1.0 for name in made.names])
        a = S @ (size * _accelerations(M * size * size[:, None], J * size, f * size, gamma)) + sigma
        # J^T lam = Q - M a in scaled numbers
        rest = ((plain.Q - plain.M @ a) * x.columns)[x.live] / x.mass
        lam = np.linalg.lstsq(x.J.T, rest, rcond=1e-10)[0] if x.J.size else np.zeros(len(x.J))
        return a, lam * x.mass / x.rows


def _told(error: DalembertError) -> str:
    """What an error says, in one line."""
    return f"{error.asked}: {error.found}" if not isinstance(error, MethodError) else error.found


def _turned_far(pose: Pose) -> bool:
    """Whether a counted angle is half a turn or more away from its drawn value."""
    drawing, bodies = pose.system.builder.drawing, [*pose.system.model.bodies, pose.system.model.ground]
    for (i, j, axes), k in pose.system.builder.angles.items():
        x, y, arm = np.array(axes).reshape(3, 3)
        A, B = (drawing.poses[bodies[b]].rotation for b in (i, j))
        drawn = np.arctan2((A @ y) @ (B @ arm), (A @ x) @ (B @ arm))
        if abs(float(pose.work.angle[k]) - float(drawn)) > 3.1:
            return True
    return False


def _accelerations(M: np.ndarray, J: np.ndarray, f: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """The q'' of M q'' + J^T lam = f, J q'' = gamma, along the free directions of the rows."""
    if not J.size:
        return np.asarray(np.linalg.lstsq(M, f, rcond=None)[0])
    unit, size = unit_rows(J)
    rows = factor(unit, INDEPENDENT, size=1.0)
    first, free = rows.solve(gamma / size), rows.null
    if not free.shape[1]:
        return np.asarray(first)
    return np.asarray(first + free @ np.linalg.lstsq(free.T @ M @ free, free.T @ (f - M @ first), rcond=None)[0])
