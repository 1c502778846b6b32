"""Rows that depend on each other, J^T n = 0: sets of parts that are tied together, and how long such a set lasts.

Everything here is dimensionless: residuals are W phi with W = 1/L for lengths, displacements L dr and dtheta, coefficients n / W.  Then
neither units nor the axes of space matter, and bases of null vectors are orthonormal.

The rows that are kept are independent, so near the pose they define a smooth manifold of positions, of the dimension of the free
motions.  The rows left out are functions g on it with g = 0 and dg = 0 at the pose.  If g = 0 all over, the dependence is permanent; else
it holds in this pose only.  A condition on velocities has no value: its g is the rate of a motion that the kept rows leave free there.
"""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels.hold import POSITION, VELOCITY
from ...kernels.operate import EVALUATE
from ...model.joints import PairJoint
from ...system.subspaces import INDEPENDENT, factor, rank, unit_rows
from ...system.system import System
from ...system.tilted import tilted
from ..pose.pose import Pose
from .self_stress import entries, groups, null_by_bodies, null_space

if TYPE_CHECKING:
    from ...model.joints._base import Joint


# distance of the poses that are looked at: lengths of the model, radians
STEP = 5e-3
# residual that a motion over STEP may leave by rounding; a dependence of the pose leaves STEP^2 = 2.5e-5 (STEP^4 = 6e-10 when flat)
LASTING = 1e-11
# what is left of one direction in another where both are known to STEP^2 only
BLURRED = 1e-3
# sets with more dependent rows are not divided into loops
LARGEST_DIVIDED = 300
# rows up to which the choice of the factorization is checked by singular values, see `rank.LARGEST`
LARGEST_FACTORED = 1500
# rows of one loop for which singular values are computed; beyond it the null vectors say the same
LARGEST_DENSE = 600


@dataclass
class Dependence:
    """Parts tied together by dependent rows."""

    parts: list[Any]  # joints and drivers, in the order of the model
    rows: np.ndarray  # all rows of these parts
    null: np.ndarray  # orthonormal columns n with J^T n = 0 (dimensionless), one per dependent row


class Rows:
    """Dimensionless Jacobian and residuals at a pose, and the rows of every part."""

    def __init__(self, pose: Pose) -> None:
        self.pose, self.system = pose, pose.system
        self.scale = pose.scale
        self.phi = self.scale * pose.phi
        self.is_length = np.array([row.unit == "m" for row in pose.rows], dtype=bool)
        self.column_scale = self.system.unit_of_velocity
        self.jac = pose.jac  # width entries per body in each row, zeros too
        self.jac.data *= np.repeat(self.scale, np.diff(self.jac.indptr)) * self.column_scale[self.jac.indices]
        self.q = pose.q.copy()
        self.parts = [self.system.model.owner_of_rows(name) for name in dict.fromkeys(self.system.row_parts)]
        order = {part.name: k for k, part in enumerate(self.system.model.parts())}
        self.parts.sort(key=lambda part: order[part.name])
        self.names = self.system.row_names
        self.body_number = {body.name: k for k, body in enumerate(self.system.builder.bodies)}

    def of(self, parts: list[Any]) -> np.ndarray:
        """Rows of parts, in their order."""
        return np.array([r for part in parts for r in self.system.rows_of(part.name)], dtype=int)

    def entries(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some rows of the Jacobian without its empty columns, and the numbers of the columns left.

        Read from the arrays of the sparse matrix: there are as many small sets as loops, and slicing costs more than the algebra.
        """
        first, count = self.jac.indptr[rows], np.diff(self.jac.indptr)[rows]
        row = np.repeat(np.arange(len(rows)), count)
        place = np.arange(len(row)) + np.repeat(first - np.cumsum(count) + count, count)
        columns, column = np.unique(self.jac.indices[place], return_inverse=True)
        made = np.zeros((len(rows), len(columns)))
        made[row, column] = self.jac.data[place]
        return made, columns

    def dense(self, rows: np.ndarray) -> np.ndarray:
        """Some rows of the Jacobian without its empty columns, lengths relative to the levers of these rows.

        A small loop in a large model is judged by its own size.
        """
        made, columns = self.entries(rows)
        lengths = self.is_length[rows]
        linear = self.system.kinds_of_velocity[columns] == 0
        lever = float(np.max(np.abs(made[np.ix_(lengths, ~linear)]), initial=0.0))
        made[:, linear] *= lever if lever > 1e-9 else 1.0
        return made


# a row that vanishes beside 1, as all others are, says nothing, and is dependent by itself
NOTHING = 1e-12


def rank_of(jac: np.ndarray, independent: float = INDEPENDENT) -> int:
    """Rank of rows."""
    return rank(unit_rows(jac, NOTHING)[0], independent, size=1.0)


def left_null(jac: np.ndarray, independent: float = INDEPENDENT) -> np.ndarray:
    """Orthonormal columns n with J^T n = 0."""
    unit, size = unit_rows(jac, NOTHING)
    return np.linalg.qr(factor(unit, independent, size=1.0).left / size[:, None])[0]


def null_vectors(rows: Rows) -> Any:
    """Sparse columns n with J^T n = 0, dimensionless.

    In long closed chains the factorization decides by pivots that have lost too many digits (measured: it misses one dependency of three
    in a ring of 1000 bodies); elimination body by body keeps them.
    """
    from scipy.sparse import diags

    if rows.system.n_rows <= LARGEST_FACTORED:
        return (diags(1.0 / rows.scale) @ null_space(rows.pose)).tocsc()
    unit = rows.jac.copy()
    size = np.sqrt(np.add.reduceat(unit.data**2, unit.indptr[:-1]))
    size = np.where(size > NOTHING, size, 1.0)
    unit.data /= np.repeat(size, np.diff(unit.indptr))
    return (diags(1.0 / size) @ null_by_bodies(unit, rows.system.builder.width)).tocsc()


def is_closed(system: System) -> bool:
    """Whether joints and drivers close loops: more connections than a tree of the bodies would have."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    builder = system.builder
    ground = len(builder.bodies)
    pairs = []
    for block in builder.blocks:
        # two bodies, or one and the ground; everything else ties more than a tree would
        if len(block.bodies) > 2 or block.composites:
            return True
        pairs.append((block.bodies[0], block.bodies[1] if len(block.bodies) == 2 else ground))
    a, b = np.array(pairs).T
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(ground + 1, ground + 1))
    n_trees, _ = connected_components(graph, directed=False)
    return len(pairs) > ground + 1 - n_trees


def dependences(rows: Rows) -> list[Dependence]:
    """All sets of parts with dependent rows; rows must have been detected at the pose."""
    null = null_vectors(rows)
    number = {part.name: k for k, part in enumerate(rows.parts)}
    part_of_row = np.array([number[name] for name in rows.system.row_parts])
    found = []
    for columns, involved in groups(null, part_of_row, len(rows.parts)):
        parts = [rows.parts[k] for k in involved]
        mine = rows.of(parts)
        basis = entries(null, mine, columns)
        whole = Dependence(parts, mine, np.linalg.qr(basis / np.linalg.norm(basis, axis=0))[0])
        found += loops(rows, whole)
    return sorted(found, key=lambda set_: [number[part.name] for part in set_.parts])


# -- loops ---------------------------------------------------------------------------------------------------------------


def loops(rows: Rows, whole: Dependence) -> list[Dependence]:
    """The set as single loops with dependencies of their own, shortest first, and a set for what goes beyond single loops."""
    count = whole.null.shape[1]
    if count == 1 or count > LARGEST_DIVIDED:
        return [whole]
    place = {int(r): k for k, r in enumerate(whole.rows)}
    cycles: dict[frozenset[str], list[Any]] = {}
    on_body: dict[int, list[Any]] = {}
    for part in whole.parts:
        for body in part.bodies:
            on_body.setdefault(id(body), []).append(part)
    covered: set[str] = set()
    for part in whole.parts:
        if part.name not in covered:
            cycle = shortest_cycle(part, whole.parts, on_body)
            names = frozenset(p.name for p in cycle)
            cycles.setdefault(names, cycle)
            covered |= names
    found: list[Dependence] = []
    span = np.zeros((len(whole.rows), 0))
    for cycle in sorted(cycles.values(), key=len):
        mine = rows.of(cycle)
        if len(cycle) == len(whole.parts) or len(mine) > LARGEST_DENSE:
            continue
        null = left_null(rows.dense(mine), rows.pose.independent)
        full = np.zeros((len(whole.rows), null.shape[1]))
        full[[place[int(r)] for r in mine]] = null
        u, s, _ = np.linalg.svd(full - span @ (span.T @ full), full_matrices=False)
        # a loop that repeats part of others adds nothing that would be its own
        if len(s) and s[-1] > rows.pose.independent:
            span = np.column_stack([span, u])
            found.append(parts_of(rows, cycle, null, 1e-9))
    left = count - span.shape[1]
    if left < 0:
        return [whole]
    if left:
        u, s, _ = np.linalg.svd(whole.null - span @ (span.T @ whole.null), full_matrices=False)
        found.append(parts_of(rows, whole.parts, u[:, :left], 1e-9))
    return found


def shortest_cycle(part: Joint, parts: list[Any], on_body: dict[int, list[Any]]) -> list[Any]:
    """Parts of the shortest closed chain through a part; of a coupling, through all its bodies."""
    bodies = [id(body) for body in part.bodies]
    came: dict[int, tuple[int, Any] | None] = {bodies[0]: None}
    waiting = deque(bodies[:1])
    missing = set(bodies[1:])
    while waiting and missing:
        here = waiting.popleft()
        for other in on_body.get(here, ()):
            for body in other.bodies if other is not part else ():
                if id(body) not in came:
                    came[id(body)] = (here, other)
                    waiting.append(id(body))
                    missing.discard(id(body))
    used = {id(part)}
    for end in bodies[1:]:
        step = came.get(end)
        while step is not None:
            used.add(id(step[1]))
            step = came[step[0]]
    return [other for other in parts if id(other) in used]


# -- how long it lasts ---------------------------------------------------------------------------------------------------


def moved_residuals(rows: Rows, directions: int, released: np.ndarray) -> np.ndarray:
    """Residuals W phi (rows, directions, sign) at poses a small step away, along random free motions of the kept rows.

    Which rows are kept stays as detected at the pose, but for those released (rows of drivers: the mechanism moves, whoever drives it),
    whose residual counts as zero.  The pose is as before afterwards.
    """
    pose, rng = rows.pose, np.random.default_rng(4)
    q, v = pose.q.copy(), pose.v.copy()
    floor = pose.work.floor.copy()
    pose.work.floor[released] = np.inf
    pose.operate(EVALUATE)
    found = []
    loose = np.array([row.rate_only for row in pose.rows], dtype=bool) & pose.dropped & ~released
    for _ in range(directions):
        motion = free_motion(pose, rng.normal(size=pose.system.nv) * rows.column_scale)
        size = float(np.max(np.abs(motion / rows.column_scale), initial=0.0))
        # a random vector has nothing but rounding along the free motions: there are none
        if size < 1e-9:
            break
        probe = rng.normal(size=pose.system.nv) * rows.column_scale if loose.any() else None
        pair = [_residual_after(pose, q, sign * STEP / size * motion, loose, probe) for sign in (1.0, -1.0)]
        if all(residual is not None for residual in pair):
            found.append(np.column_stack(pair))  # type: ignore[arg-type]
    pose.q[:], pose.v[:] = q, v
    pose.work.floor[:] = floor
    pose.operate(EVALUATE)
    if not found:
        return np.zeros((len(rows.scale), 0, 2))
    return np.stack(found, axis=1) * np.where(released, 0.0, rows.scale)[:, None, None]


def free_motion(pose: Pose, w: np.ndarray) -> np.ndarray:
    """What the kept rows leave of a displacement, in the mass metric: half the difference of w and -w, each projected on J v = nu."""
    ends = []
    for sign in (1.0, -1.0):
        pose.v[:] = sign * w
        pose.project(VELOCITY, 1e-14, 12)
        ends.append(pose.v.copy())
    return np.where(pose.system.moves, 0.5 * (ends[0] - ends[1]), 0.0)


def _residual_after(
    pose: Pose, q: np.ndarray, motion: np.ndarray, loose: np.ndarray, probe: np.ndarray | None
) -> np.ndarray | None:
    """Residuals after a step from q and projection on the kept rows; None where that fails.

    For `loose` rows, conditions on velocities that were left out: their rates times STEP, for what the kept rows leave of `probe`.
    """
    pose.q[:] = q
    pose.q[:] = pose.shifted(motion)
    worst = np.inf
    for _ in range(12):
        pose.operate(EVALUATE)  # the factor there, same rows
        worst = pose.project(POSITION, 1e-14, 4)
        if worst <= 1e-14 + pose.rounding:
            break
    residual = pose.phi
    if probe is not None:
        w = free_motion(pose, probe)
        largest = float(np.max(np.abs(w), initial=0.0))
        residual[loose] = STEP * (pose.jac @ w)[loose] / max(largest, 1e-300)
    pose.q[:] = q
    pose.operate(EVALUATE)
    return residual if worst <= 1e-12 + 10.0 * pose.rounding and bool(np.all(np.isfinite(residual))) else None


def allowed_residual(rows: Rows, moved: np.ndarray) -> float:
    """What a lasting dependence may leave in poses nearby: rounding, and the blur of another set that is left meanwhile."""
    allowed = LASTING + 0.1 * float(np.max(np.abs(rows.phi), initial=0.0)) + 10.0 * rows.pose.rounding
    return allowed + BLURRED * float(np.max(np.abs(moved), initial=0.0))


def lasting_and_passing(
    rows: Rows, dependence: Dependence, moved: np.ndarray, allowed: float
) -> tuple[np.ndarray, np.ndarray]:
    """Null vectors of a set that hold near the pose too, and those that do not (orthogonal to the first)."""
    null = dependence.null
    start = null.T @ rows.phi[dependence.rows]
    g = np.einsum("rc,rds->cds", null, moved[dependence.rows]) - start[:, None, None]
    if not g.size or float(np.max(np.abs(g))) <= allowed:
        return null, null[:, :0]
    # the leading term is even in the step for a singular pose of second order, odd for one of third
    even, odd = 0.5 * (g[:, :, 0] + g[:, :, 1]), 0.5 * (g[:, :, 0] - g[:, :, 1])
    leading = even if float(np.max(np.abs(even))) > 0.01 * float(np.max(np.abs(odd))) else odd
    found = factor(leading, BLURRED)
    return null @ found.left, null @ found.u[:, : found.rank]


def parts_of(rows: Rows, parts: list[Any], null: np.ndarray, tolerance: float) -> Dependence:
    """The set of those parts that null vectors really load."""
    mine, k, kept = rows.of(parts), 0, []
    for part in parts:
        n = len(rows.system.rows_of(part.name))
        if float(np.max(np.abs(null[k : k + n]), initial=0.0)) > tolerance:
            kept.append(part)
        k += n
    if len(kept) == len(parts):
        return Dependence(parts, mine, null)
    chosen = rows.of(kept)
    place = {int(r): k for k, r in enumerate(mine)}
    return Dependence(kept, chosen, np.linalg.qr(null[[place[int(r)] for r in chosen]])[0])


# -- tilted axes -----------------------------------------------------------------------------------------------------------


def tilted_residuals(rows: Rows, tilt: float) -> np.ndarray:
    """Change of W phi (rows, axes of rotation) when the frame of every joint on its body i turns by `tilt`.

    Rows see their own joint only, so that all joints are turned at once.  Three rotations in space, about axes of body i; one in the
    plane.
    """
    pose, system = rows.pose, rows.system
    jointed = {part.name for part in rows.parts if isinstance(part, PairJoint)}
    phi, other, changes = pose.phi, copy.copy(pose), []
    for axis in range(1 if system.plane else 3):
        other.system = tilted(system, jointed, tilt, axis)
        changes.append(rows.scale * (other.phi - phi))
    pose.operate(EVALUATE)  # the memory of both
    return np.column_stack(changes)
