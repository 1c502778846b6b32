"""Scene of a Lagrangian system: its parts as bodies, with the joints that its equations show (linkage.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.lagrangian.parts import RigidBody
from ..model.shapes.outline import item, with_z_along
from ..results.series import Series
from ..system.lagrange import Function
from .drawn import Index, Listed, SceneMaker, Shown, box_of
from .fittings import fittings
from .linkage import Joint, linkage
from .solids import solids_of

if TYPE_CHECKING:
    from ..results.lagrangian import LagrangianResult


# names of hidden quantities: no part of a model has such a name
TURN, SPIN, SUPPORT = " turn", " spin", " support of "
FLAT = 1e-12


class PathScene(SceneMaker):
    """A result of a Lagrangian system on its way to a scene."""

    run: LagrangianResult
    motion = {"position": "position", "velocity": "velocity", "spin": SPIN}

    def __init__(self, run: LagrangianResult) -> None:
        self.run, self.names = run, list(run.model.parts)
        self.position = [np.asarray(run[name].position) for name in self.names]
        self.rotation = [np.asarray(run.motion(name).rotation) for name in self.names]
        self.found = linkage(run)
        every = np.vstack([*self.position, *self.found.supports.values()])
        size = float(np.max(np.abs(every), initial=0.0)) or 1.0
        upright = all(bool(np.all(np.abs(R[:, 2, 2] - 1.0) < 1e-9)) for R in self.rotation)
        self.plane = upright and bool(np.all(np.abs(every[:, 2]) <= FLAT * size))
        self.motion = {**self.motion, "angle" if self.plane else "quaternion": TURN}
        self.shown = [self._shown(k) for k in range(len(self.names))]
        still = np.broadcast_to(np.eye(3), (len(run.t), 3, 3))
        self.supports = [
            Shown(f"{SUPPORT}{self.names[k]}", path, still, [], np.zeros(3)) for k, path in self.found.supports.items()
        ]

    def _at_start(self, expressions: Any) -> np.ndarray:
        run = self.run
        nodes = [run.system.graph.add_expression(x) for x in expressions]
        return np.asarray(Function(run.system, nodes)(float(run.t[0]), run.q[0], run.v[0]))

    # -- motion --------------------------------------------------------------------------------------------------------

    def quantities(self) -> Listed:
        """What the drawing needs besides the quantities of the page: how bodies are turned and spin, and where moving supports are."""
        run = self.run
        for name in filter(self._is_body, self.names):
            body = run[name]
            turn, spin = (body.angle, body.spin[:, 2]) if self.plane else (body.quaternion, body.spin)
            for what, x, unit in ((TURN, turn, "rad" if self.plane else ""), (SPIN, spin, "rad/s")):
                axes = () if self.plane else ("0", "1", "2", "3") if what == TURN else ("x", "y", "z")
                yield (name, what), Series(np.asarray(x), f"{name}{what}", unit, axes, run.t)
        for one in self.supports:
            yield (one.name, "position"), Series(one.origin, "support", "m", ("x", "y", "z"), run.t)

    def scene(self, index: Index) -> dict[str, Any]:
        """The scene; `index` gives the numbers of quantities by (part, what)."""
        shown = self.shown
        marks = [mark for joint in self.found.joints if joint.kind != "fixed" for mark in self._marks(joint)]
        fixed = [place[1] for mark in marks for place in mark["places"] if place[0] == -1]
        paths = [self.cut(p) for path in self.found.supports.values() for p in path[:: max(1, len(path) // 60)]]
        box, single = box_of(shown, self.plane, [*fixed, *paths], {})
        single = max(single, self._single(fixed))
        bodies = self.bodies(index, box)
        if not self.plane:
            for body, drawn in zip(shown, bodies):
                drawn["solids"] = solids_of(body, body.joints, [])
        for one in self.supports:
            motion = {"position": index[one.name, "position"]} if (one.name, "position") in index else {}
            support = {"name": one.name.strip(), "motion": motion, "center": self.cut(one.center), "items": []}
            bodies.append({**support, **({} if self.plane else {"solids": []})})
        points = [{"name": body.name, "place": [k, self.cut(body.center)]} for k, body in enumerate(shown)]
        bound = [self._is_body(body.name) for body in shown]
        ends = self.free_ends()
        traced = [k for k, body in enumerate(bound) if not body]
        traced += range(len(points), len(points) + len(ends))
        traced += [k for k, body in enumerate(bound) if body and not shown[k].joints]
        points += ends
        gravity = self._at_start(self.run.model.gravity)
        made = self.assembled(box, single, gravity, bodies=bodies, marks=marks, points=points, traced=traced[:4])
        if not self.plane:
            for mark in marks:
                mark["fittings"] = fittings(mark, made["unit"], made["up"])
        return made

    def _single(self, fixed: list[list[float]]) -> float:
        """Size of a pose with what it hangs on."""
        n = 2 if self.plane else 3
        still = np.array(fixed, dtype=float).reshape(-1, n)
        picks = np.unique(np.linspace(0, len(self.run.t) - 1, 60).round().astype(int))
        poses = [np.vstack([*(p[k : k + 1, :n] for p in self.position), still]) for k in picks]
        return max(float(np.max(np.ptp(x, axis=0))) for x in poses)

    # -- bodies --------------------------------------------------------------------------------------------------------

    def _is_body(self, name: str) -> bool:
        return isinstance(self.run.model.parts[name], RigidBody)

    def _shown(self, k: int) -> Shown:
        """A part with the shape that its mass and inertia stand for."""
        part = self.run.model.parts[self.names[k]]
        joints = self.found.points_of(k) if isinstance(part, RigidBody) else []
        outline = [item("point")]
        if isinstance(part, RigidBody):
            values = self._at_start([part.mass, *(x for row in part.inertia for x in row)])
            mass, inertia = float(values[0]), values[1:].reshape(3, 3)
            if mass > 0.0 and np.isfinite(values).all():
                outline = flat_shape(mass, inertia[2, 2], joints) if self.plane else space_shape(mass, inertia, joints)
        return Shown(self.names[k], self.position[k], self.rotation[k], outline, np.zeros(3), joints)

    # -- joints --------------------------------------------------------------------------------------------------------

    def _marks(self, joint: Joint) -> Iterator[dict[str, Any]]:
        mark = self._mark(joint)
        yield mark
        if not self.plane and joint.kind == "rod" and joint.j == -1:
            # what a rod in space hangs on
            place = mark["places"][0]
            yield {
                **mark,
                "name": f"support of {self.names[joint.i]}",
                "type": "support",
                "glyph": "ball",
                "places": [place, place],
            }

    def _mark(self, joint: Joint) -> dict[str, Any]:
        number = len(self.names) + list(self.found.supports).index(joint.i) if joint.j == -2 else joint.j
        name = {-1: "ground", -2: "support"}.get(joint.j) or self.names[joint.j]
        mark: dict[str, Any] = {
            "name": f"{name} – {self.names[joint.i]}",
            "named": False,
            "kind": "joint",
            "type": {"pin": "pin", "rod": "rod", "guide": "guide"}[joint.kind],
            "glyph": {"pin": "pin", "rod": "link", "guide": "slider"}[joint.kind],
            "bodies": [name, self.names[joint.i]],
            "on": self.names[joint.i],
            "places": [[number, self.cut(joint.w)], [joint.i, self.cut(joint.u)]],
        }
        if joint.kind == "guide":
            mark.update(self._guide(joint))
        if self.plane:
            return mark
        axes = (joint.axis, joint.axis_i if joint.axis_i is not None else joint.axis)
        mark["frames"] = [np.eye(3) if axis is None else np.array(_with_z(axis)) for axis in axes]
        if joint.kind == "pin":
            mark["glyph"] = "ball" if joint.axis is None else "pin"
            mark |= {} if joint.axis is None else {"hinge": joint.axis}
        return mark

    def _guide(self, joint: Joint) -> dict[str, Any]:
        """Line of a guide as far as it is used; on a body a slot."""
        assert joint.axis is not None
        p = self.position[joint.i]
        if joint.j >= 0:
            p = np.einsum("kji,kj->ki", self.rotation[joint.j], p - self.position[joint.j])
        travel = (p - joint.w) @ joint.axis
        reach = [float(travel.min()), float(travel.max())]
        if not self.plane:
            low, high = (np.array([0.0, 0.0, s]) for s in reach)
            return {"glyph": "slider" if joint.j < 0 else "bead", "travel": [low, high], "shaped": False}
        return {
            "glyph": "slider" if joint.j < 0 else "slot", "carrier": 0, "axis": self.cut(joint.axis), "reach": reach, "half": 0.0,
        }  # fmt: skip


def flat_shape(mass: float, inertia: float, joints: list[np.ndarray]) -> list[dict[str, Any]]:
    """Shape in the plane: between its joints a link, else the uniform rod or disk of the same mass and inertia.

    A rod of half length h has the inertia m h²/3, a disk m r²/2.  A rod goes through its pin; where it would not reach it, the body is a disk at
    the end of an arm.
    """
    away = [u for u in joints if float(np.linalg.norm(u)) > FLAT]
    if len(away) > 1:
        return [item("point")]
    half, radius = float(np.sqrt(max(3.0 * inertia / mass, 0.0))), float(np.sqrt(max(2.0 * inertia / mass, 0.0)))
    disk = [item("circle", radius=radius, inner=0.0, thickness=0.0)] if radius > 0.0 else [item("point")]
    if not away:
        return disk
    arm = float(np.linalg.norm(away[0]))
    if half < 0.75 * arm:
        return [item("line", points=[away[0].tolist(), [0.0, 0.0, 0.0]]), *disk]
    end = max(arm, half) / arm * away[0]
    return [item("line", points=[end.tolist(), (-half / arm * away[0]).tolist()])]


def space_shape(mass: float, inertia: np.ndarray, joints: list[np.ndarray]) -> list[dict[str, Any]]:
    """Shape in space: the uniform rod, ball, cylinder or box of the same mass and inertia.

    With principal moments J: rod l² = 12 J/m, ball r² = 5 J/(2 m), cylinder r² = 2 J_3/m and l² = 12 J_1/m - 3 r², box a_1² = 6 (J_2 + J_3 - J_1)/m.
    """
    moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
    if not moments[2] > 0.0 or moments[0] < -1e-9 * moments[2]:
        return [item("point")]
    away = [u for u in joints if float(np.linalg.norm(u)) > FLAT]
    arms = [item("line", points=[u.tolist(), [0.0, 0.0, 0.0]]) for u in away]
    if moments[0] < 0.02 * moments[2]:
        half = float(np.sqrt(3.0 * moments[2] / mass)) * axes[:, 0]
        return [item("line", points=[half.tolist(), (-half).tolist()])]
    low, high = (abs(float(moments[k + 1] - moments[k])) < 1e-6 * moments[2] for k in (0, 1))
    if low and high:
        return [*arms, item("sphere", radius=float(np.sqrt(2.5 * moments[0] / mass)))]
    if low or high:
        own, other = (2, 0) if low else (0, 2)
        radius = float(np.sqrt(2.0 * moments[own] / mass))
        length = float(np.sqrt(max(12.0 * moments[other] / mass - 3.0 * radius**2, 0.0)))
        turn = _with_z(axes[:, own])
        return [*arms, item("cylinder", turn, radius=radius, inner=0.0, length=length)]
    size = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return [*arms, item("box", axes.tolist(), size=size.tolist())]


def _with_z(axis: np.ndarray) -> list[list[float]]:
    """Rotation whose third column is an axis."""
    return with_z_along([float(x) for x in axis])
