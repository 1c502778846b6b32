"""Written equations of a mechanism against the arrays of the compiled system, at random states."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...compilation import compiling
from ...errors import shown
from ...model.auxiliary import refuse_states
from ...model.kinds import read_mechanism
from ...model.mechanism import Mechanism
from ...options.call import refuse_one_sided, verb
from ...symbolic.mechanism.convert import ABSOLUTE, Conversion
from ...symbolic.mechanism.forms import MechanismEquations, mechanism_equations
from ...symbolic.mechanism.written import Written
from ..lagrangian.of_mechanism import InCoordinates, numbers_of
from ..pose.pose import Pose

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


class _Largest:
    """Largest relative difference by name."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}

    def note(self, name: str, one: np.ndarray, two: np.ndarray) -> None:
        gap = np.max(np.abs(one - two), initial=0.0) / max(1.0, float(np.max(np.abs(two), initial=0.0)))
        self.found[name] = max(self.found.get(name, 0.0), np.inf if np.isnan(gap) else float(gap))


def row_order(pose: Pose, rows: list[tuple[str, str]]) -> np.ndarray:
    """Numbers of rows (part, name) in the compiled system."""
    known = {(row.part, row.name): r for r, row in enumerate(pose.rows)}
    return np.array([known[row] for row in rows], dtype=int)


def symbol_rows(equations: MechanismEquations) -> list[tuple[str, str]]:
    """Part and name, as the compiled system has them, of the rows in absolute coordinates."""
    source, model = equations.source, equations.model
    assert isinstance(source, Written)
    driven = {driver.name: driver.measure.name for driver in model.parts("driver")}
    return [(part, driven.get(part, name)) for part, name in zip(source.parts, equations.row_names)]


def _absolute(
    equations: MechanismEquations, pose: Pose, states: int, rng: np.random.Generator, asked: str
) -> dict[str, float]:
    source = equations.source
    assert isinstance(source, Written)
    order = row_order(pose, symbol_rows(equations))
    largest, start = _Largest(), pose.q.copy()
    v_at = source.v_at
    for _ in range(states):
        _displace(pose, start, rng)
        found = equations.numbers(pose.t, pose.q[source.q_at], pose.v[v_at])
        largest.note("M", found["M"], pose.mass.toarray()[np.ix_(v_at, v_at)])
        # an angle may differ by whole turns
        gap = found["phi"] - pose.phi[order]
        turns = np.array([row.unit == "rad" for row in pose.rows])[order]
        gap = np.where(turns, gap - 2.0 * np.pi * np.round(gap / (2.0 * np.pi)), gap)
        largest.note("Phi", gap, np.zeros(len(gap)))
        largest.note("J", found["J"], pose.jac.toarray()[order][:, v_at])
        largest.note("nu", found["nu"], pose.nu[order])
        largest.note("gamma", found["gamma"], pose.gamma[order])
        largest.note("Q", found["Q"], pose.force[v_at])
    return largest.found


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
    largest = _Largest()
    for _ in range(states):
        q = start + 0.3 * rng.uniform(-1.0, 1.0, len(start))
        rate = rng.uniform(-1.0, 1.0, len(start))
        carried.put(pose, q, rate)
        found = equations.numbers(pose.t, q, rate)
        S, sigma = carried("S", pose.t, q, rate), carried("sigma", pose.t, q, rate)
        M, J = pose.mass.toarray(), pose.jac.toarray()
        largest.note("M", found["M"], S.T @ M @ S)
        largest.note("Phi of the tree", pose.phi[tree], np.zeros(len(tree)))
        largest.note("J of the tree", J[tree] @ S, np.zeros((len(tree), len(q))))
        largest.note("gamma of the tree", (pose.gamma - J @ sigma)[tree], np.zeros(len(tree)))
        if own:
            continue  # angles with coordinates of their own: their forces and rows reach the bodies through multipliers
        largest.note("Phi", found["phi"][mine], pose.phi[order])
        largest.note("J", found["J"][mine], J[order] @ S)
        largest.note("nu", found["nu"][mine], pose.nu[order])
        largest.note("gamma", found["gamma"][mine], (pose.gamma - J @ sigma)[order])
        largest.note("Q", found["Q"], S.T @ (pose.force - M @ sigma))
    return largest.found


def closing_rows(equations: MechanismEquations) -> list[tuple[tuple[str, str], int]]:
    """Rows of the mechanism that are rows in joint coordinates as well: (part, name) and the number of the row there."""
    source, model = equations.source, equations.model
    assert isinstance(source, Conversion)
    drivers = {driver.name for driver in model.parts("driver")}
    names = list(equations.row_names)
    found: list[tuple[tuple[str, str], int]] = []
    for row in source.rows:
        name = row.part if row.part in drivers else row.name.replace(".", " ")
        if name in names:
            found.append(((row.part, row.name), names.index(name)))
    return found
