"""How the parts of a Lagrangian system hang together, read off its equations: pins, rods, guides.

A Lagrangian system states positions p(q, t) and rotations R(q, t) of its parts and says nothing of joints.  But what is a joint holds at every
configuration, so configurations taken at random show it:

    pin     p_i + R_i u = p_j + R_j w      a point u of one body is a point w of another, or of the ground: linear in u and w
    rod     |y - c| = l                    a particle keeps its distance from a point c of the frame it is seen from: linear in c and l² - c²
    guide   y = c + s e                    it stays on a line

with y the place of the particle as seen from the ground or a body.  What holds to ROUNDING at all of them is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.lagrangian.parts import RigidBody
from ..system.lagrange import Function

if TYPE_CHECKING:
    from ..results.lagrangian import LagrangianResult


# configurations at each of several times, and how near a relation must hold, as a part of the size of the machine
COUNT, TIMES, ROUNDING = 40, 3, 1e-8
# spreads of the configurations that are tried: expressions may end somewhere
SPREADS = (1.0, 0.3, 0.1, 0.03)
# parts beyond which pairs are not compared
MOST = 40


@dataclass
class Part:
    """A particle or body at the configurations: positions (n, 3) and rotations (n, 3, 3)."""

    name: str
    body: bool
    p: np.ndarray
    R: np.ndarray

    def seen_from(self, other: Part | None) -> np.ndarray:
        """Its positions as seen from the axes of a body, or from the ground."""
        return self.p if other is None else np.einsum("kji,kj->ki", other.R, self.p - other.p)


@dataclass
class Joint:
    """A relation of two parts: their numbers (-1 the ground, -2 a support that moves), and points in their axes."""

    kind: str  # pin, rod, guide, fixed
    i: int
    j: int
    u: np.ndarray
    w: np.ndarray
    axis: np.ndarray | None = None  # of a hinge in space, or of a guide, in the axes of j
    axis_i: np.ndarray | None = None


@dataclass
class Linkage:
    """What was found: joints, and the paths (time, 3) of supports that move, by number of the part that they carry."""

    joints: list[Joint] = field(default_factory=list)
    supports: dict[int, np.ndarray] = field(default_factory=dict)

    def points_of(self, i: int) -> list[np.ndarray]:
        """Points of a body at which something is attached, in its axes."""
        found = [x.u for x in self.joints if x.i == i and x.kind == "pin"]
        found += [x.w for x in self.joints if x.j == i and x.kind in ("pin", "fixed", "rod")]
        return found


def linkage(run: LagrangianResult) -> Linkage:
    """Joints of the parts of a result."""
    made = Linkage()
    names = list(run.model.parts)
    if not names or len(names) > MOST:
        return made
    sets = _configurations(run)
    if not sets:
        return made
    parts, first = _parts(run, np.concatenate(sets)), _parts(run, sets[0])
    size = max(float(np.max(np.ptp(x.p, axis=0))) for x in parts) or 1.0
    bodies = [k for k, x in enumerate(parts) if x.body]
    for i in bodies:
        _pins(made, parts, i, bodies, size)
    for i, part in enumerate(parts):
        if not part.body or not made.points_of(i):
            _rods(made, parts, i, bodies, size)
    for i, part in enumerate(parts):
        if not part.body and not any(i in (x.i, x.j) for x in made.joints):
            _moving_support(made, run, first, i, size)
    return made


# -- configurations ----------------------------------------------------------------------------------------------------


def _configurations(run: LagrangianResult) -> list[np.ndarray]:
    """For some times of the run: configurations (n, 1 + coordinates) as t and q, on the constraints; random around the motion."""
    times = np.unique(np.linspace(0, len(run.t) - 1, TIMES).round().astype(int))
    spread = np.maximum(np.ptp(run.q, axis=0), 1.0)
    values = Function(run.system, _nodes(run))
    onto = _Onto(run)
    for part in SPREADS:
        # always the same ones: a drawing does not depend on chance
        rng = np.random.default_rng(1)
        sets = []
        for at in times:
            rows = []
            for _ in range(2 * COUNT):
                base = run.q[int(rng.integers(len(run.q)))]
                q = onto(float(run.t[at]), base + part * spread * rng.standard_normal(len(base)))
                if q is not None and np.isfinite(values(float(run.t[at]), q, np.zeros_like(q))).all():
                    rows.append(np.array([run.t[at], *q]))
                if len(rows) == COUNT:
                    break
            sets.append(rows)
        if all(len(rows) >= COUNT // 2 for rows in sets):
            return [np.array(rows) for rows in sets]
    return []


class _Onto:
    """Brings configurations onto the holonomic constraints: q - J^+ phi, again and again."""

    def __init__(self, run: LagrangianResult) -> None:
        nodes, self.m, self.n = run.system.nodes, len(run.system.nodes.phi), run.system.n
        rows = [node for row in nodes.jac[: self.m] for node in row]
        self.values = Function(run.system, [*nodes.phi, *rows]) if self.m else None

    def __call__(self, t: float, q: np.ndarray) -> np.ndarray | None:
        if self.values is None:
            return q
        for _ in range(30):
            found = self.values(t, q, np.zeros_like(q))
            phi, jac = found[: self.m], found[self.m :].reshape(self.m, self.n)
            if not np.isfinite(found).all():
                return None
            step = np.linalg.lstsq(jac, phi, rcond=1e-10)[0]
            q = q - step
            if float(np.max(np.abs(step))) <= 1e-13 * (1.0 + float(np.max(np.abs(q)))):
                return q
        return None


def _nodes(run: LagrangianResult) -> list[int]:
    graph, found = run.system.graph, []
    for part in run.model.parts.values():
        rows = part.rotation if isinstance(part, RigidBody) else ()
        found += [graph.add_expression(x) for x in (*part.position, *(x for row in rows for x in row))]
    return found


def _parts(run: LagrangianResult, rows: np.ndarray) -> list[Part]:
    function = Function(run.system, _nodes(run))
    zero = np.zeros(run.system.n)
    values, made, at = np.array([function(float(row[0]), row[1:].copy(), zero) for row in rows]), [], 0
    for name, part in run.model.parts.items():
        body = isinstance(part, RigidBody)
        position, at = values[:, at : at + 3], at + 3
        turn = np.broadcast_to(np.eye(3), (len(rows), 3, 3))
        if body:
            turn, at = values[:, at : at + 9].reshape(-1, 3, 3), at + 9
        made.append(Part(name, body, position, turn))
    return made


# -- relations ---------------------------------------------------------------------------------------------------------


def _pins(made: Linkage, parts: list[Part], i: int, bodies: list[int], size: float) -> None:
    """Pins of a body to the ground and to the bodies before it."""
    for j in [-1, *(k for k in bodies if k < i)]:
        found = pin_of(parts[i], parts[j] if j >= 0 else None, size)
        # three bodies on one pin have two joints
        if found is not None and not any(_near(found[0], u, size) for u in made.points_of(i)):
            u, w, axes = found
            made.joints.append(Joint("pin", i, j, u, w, *(axes or (None, None))))


def pin_of(part: Part, other: Part | None, size: float) -> Any:
    """Points u, w with p_i + R_i u = p_j + R_j w at all configurations, and the axis of a hinge in the axes of both; None if there are none."""
    y = part.seen_from(other)
    turn = part.R if other is None else np.einsum("kji,kjl->kil", other.R, part.R)
    if float(np.max(np.abs(turn - turn[0]))) < 1e-6:
        return None  # they do not turn against each other
    n = len(y)
    rows = np.concatenate([turn, np.broadcast_to(-np.eye(3), (n, 3, 3))], axis=2).reshape(3 * n, 6)
    x, _, rank, _ = np.linalg.lstsq(rows, -y.ravel(), rcond=1e-9)
    if float(np.max(np.abs(rows @ x + y.ravel()))) > ROUNDING * size:
        return None
    u, w, axes = x[:3], x[3:], None
    if rank == 5:
        # along the axis of a hinge any point will do: the one nearest to the mass centre
        along = np.linalg.svd(rows)[2][-1]
        along = along / np.linalg.norm(along[:3])
        x = x - (x[:3] @ along[:3]) * along
        u, w, axes = x[:3], x[3:], (along[3:] / np.linalg.norm(along[3:]), along[:3])
    return u, w, axes


def _rods(made: Linkage, parts: list[Part], i: int, bodies: list[int], size: float) -> None:
    """What holds a particle (or a body that has no pin): a body that it sits on, a guide, rods."""
    for j in bodies:
        y = parts[i].seen_from(parts[j])
        if j != i and float(np.max(np.ptp(y, axis=0))) <= ROUNDING * size:
            made.joints.append(Joint("fixed", i, j, np.zeros(3), y[0]))
            break
    ends: list[np.ndarray] = []
    held = {x.j for x in made.joints if x.i == i and x.kind == "fixed"}
    for j in [-1, *(k for k in bodies if k != i and k not in held)]:
        other = parts[j] if j >= 0 else None
        y = parts[i].seen_from(other)
        line, sphere = line_of(y, size), sphere_of(y, size)
        turns = parts[i].body and float(np.max(np.abs(parts[i].R - parts[i].R[0]))) > 1e-6
        if line is not None and not turns:
            made.joints.append(Joint("guide", i, j, np.zeros(3), line[0], line[1]))
        elif sphere is not None:
            place = _placed(sphere, other, len(y))
            if not any(_near(place, end, size) for end in ends):
                ends.append(place)
                made.joints.append(Joint("rod", i, j, np.zeros(3), sphere))
    for j in range(i):
        gap = np.linalg.norm(parts[i].p - parts[j].p, axis=1)
        same = held & {x.j for x in made.joints if x.i == j and x.kind == "fixed"}
        if parts[j].body or same or float(np.ptp(gap)) > ROUNDING * size or not float(gap[0]) > ROUNDING * size:
            continue
        made.joints.append(Joint("rod", i, j, np.zeros(3), np.zeros(3)))


def line_of(y: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Point and direction of the line that places lie on; None if they do not, or do not move."""
    middle = y.mean(axis=0)
    _, spread, axes = np.linalg.svd(y - middle, full_matrices=False)
    scale = float(spread[0]) / np.sqrt(len(y))
    if not scale > 1e-6 * size or float(np.max(np.abs((y - middle) @ axes[1:].T))) > ROUNDING * size:
        return None
    # the point of the line nearest to the origin
    return middle - (middle @ axes[0]) * axes[0], axes[0]


def sphere_of(y: np.ndarray, size: float) -> np.ndarray | None:
    """Centre of the circle or sphere that places lie on; None if they lie on none, or on a line.

    |y|² = 2 y.c + (l² - c²) is linear in c and l² - c²; on a circle c is sought in its plane.
    """
    middle = y.mean(axis=0)
    _, spread, axes = np.linalg.svd(y - middle, full_matrices=False)
    rank = int(np.sum(spread > 1e-7 * np.sqrt(len(y)) * size))
    if rank < 2:
        return None
    flat = (y - middle) @ axes[:rank].T
    rows = np.column_stack([2.0 * flat, np.ones(len(y))])
    x = np.linalg.lstsq(rows, np.sum(flat * flat, axis=1), rcond=None)[0]
    center = middle + x[:rank] @ axes[:rank]
    distance = np.linalg.norm(y - center, axis=1)
    if float(np.ptp(distance)) > ROUNDING * size or float(distance[0]) > 1e3 * size:
        return None
    return np.asarray(center)


def _moving_support(made: Linkage, run: LagrangianResult, first: list[Part], i: int, size: float) -> None:
    """A rod to a point that only time moves: its centre at every output."""
    if sphere_of(first[i].p, size) is None or len(run.t) > 2000:
        return
    shifts = _configurations(run)[0][:, 1:]
    path = []
    for t in run.t:
        rows = np.column_stack([np.full(len(shifts), t), shifts])
        center = sphere_of(_parts(run, rows)[i].p, size)
        if center is None:
            return
        path.append(center)
    made.supports[i] = np.array(path)
    made.joints.append(Joint("rod", i, -2, np.zeros(3), np.zeros(3)))


def _placed(point: np.ndarray, other: Part | None, n: int) -> np.ndarray:
    return np.broadcast_to(point, (n, 3)) if other is None else other.p + other.R @ point


def _near(a: np.ndarray, b: np.ndarray, size: float) -> bool:
    return float(np.max(np.abs(a - b))) <= 10 * ROUNDING * size
