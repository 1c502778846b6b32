"""Two more ways for `verify`: the equations written out with SymPy in absolute coordinates, and joint coordinates of a spanning tree."""

from __future__ import annotations

import numpy as np

from ...errors import DalembertError, MethodError
from ...model.mechanism import Mechanism
from ...symbolic.mechanism.convert import ABSOLUTE, converted
from ...symbolic.mechanism.forms import MechanismEquations, mechanism_equations
from ...symbolic.mechanism.written import Written
from ...system.subspaces import INDEPENDENT, factor, unit_rows
from ..lagrangian.of_mechanism import InCoordinates
from ..pose.pose import Pose
from .formulations import Scaled
from .plain import Arrays

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
