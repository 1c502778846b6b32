"""Results of single parts: bodies, joints, force elements, drivers, by the names used in the model.

Axes in which loads are given: of space, of the body, of the joint, or turned against one of these as the user likes.

PLANAR 6.6.8 gives the reaction on body i as F'' = -C_i^T A_i^T Phi_r^T lam: A_i turns body axes into space, and C_i the axes x''-y'' of the joint, which
the user chooses, into body axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, nearest, shown
from ..model.body import Body
from ..model.expression.checks import plain_number
from ..model.frame import Point
from ..model.reading import listed, read_orientation
from .moving import Moving, MovingPoint, Quantities
from .series import Series

if TYPE_CHECKING:
    from ..model.driver import Driver
    from ..model.part import Part
    from .moving import Kinematics
    from .result import Result


BASES = ("space", "body", "joint")
# the axes of the joint as PLANAR writes them
OF_JOINT = ("x''y''", "x''-y''")


@dataclass(frozen=True)
class Axes:
    """Axes of space, body or joint, or such turned by a matrix C (rows), whose columns are the new axes in the old ones."""

    base: str = "space"
    turned: tuple[tuple[float, ...], ...] | None = None

    @property
    def fixed(self) -> bool:
        """Whether they are those of space, or turned against these."""
        return self.base == "space"

    def matrices(self, rotation: np.ndarray, marker: np.ndarray) -> np.ndarray:
        """Rotation matrices (time, 3, 3) whose columns are the axes in space, from those of the body and the marker of the joint on it."""
        found = {"space": np.broadcast_to(np.eye(3), rotation.shape), "body": rotation, "joint": rotation @ marker}[
            self.base
        ]
        return found if self.turned is None else found @ np.array(self.turned)

    def __str__(self) -> str:
        return self.base if self.turned is None else f"{self.base} (turned)"


SPACE = Axes()


def read_axes(asked: str, frame: Any, of: Any, plane: bool) -> Axes:
    """Axes from a word, an angle, a matrix or (in space) any rotation."""
    if isinstance(frame, Axes):
        return frame
    if isinstance(frame, str):
        if frame in OF_JOINT:
            return Axes("joint")
        if frame not in BASES:
            raise ModelError(
                asked,
                f"frame = {shown(frame)}",
                nearest(frame, BASES),
                "choose one of them, or give an angle or a matrix",
            )
        return Axes(frame)
    if of not in BASES:
        raise ModelError(asked, f"of = {shown(of)}", nearest(of, BASES), "axes are turned against one of these")
    matrix = _matrix(asked, frame, plane)
    return Axes(of, tuple(tuple(float(x) for x in row) for row in matrix))


def _matrix(asked: str, frame: Any, plane: bool) -> np.ndarray:
    number = plain_number(frame)
    if number is not None and plane and np.isfinite(number):
        c, s = np.cos(number), np.sin(number)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    rows = [listed(row) for row in listed(frame) or []]
    if plane and len(rows) == 2 and all(row is not None and len(row) == 2 for row in rows):
        frame = [[*rows[0], 0.0], [*rows[1], 0.0], [0.0, 0.0, 1.0]]  # type: ignore[misc]
    elif number is not None or not rows and not hasattr(frame, "as_matrix"):
        ways = "an angle or a 2 x 2 matrix" if plane else "a 3 x 3 matrix, a quaternion or (axis, angle)"
        raise ModelError(
            asked,
            f"frame = {shown(frame)}",
            f"axes are 'space', 'body', 'joint', or {ways}",
            "give for example .frame('joint')",
        )
    found = read_orientation(asked, frame)
    if not isinstance(found, np.ndarray):
        raise ModelError(
            asked, f"frame = {shown(frame)}", "the axes are needed in numbers", "give numbers, not parameters"
        )
    if plane and abs(found[2, 2] - 1.0) > 1e-9:
        raise ModelError(asked, f"frame = {shown(frame)}", "in the plane axes turn about z", "give an angle")
    return found


def point_of(result: Result, point: Point) -> MovingPoint:
    """Motion of a point of a body or of the ground."""
    arm = result.system.builder.drawing.place(point.body, point)
    return MovingPoint(result, point.body.name, arm, repr(point))


class BodyResult(Moving):
    """Motion of a body: `.position`, `.velocity`, `.acceleration` of the origin of its frame, `.angle` or `.rotation`, `.spin`."""

    _run: Result

    def __init__(self, result: Result, body: Body) -> None:
        super().__init__(result, body.name)
        self.body = body

    @property
    def _own(self) -> MovingPoint:
        return point_of(self._run, Point(self.body, (0.0, 0.0, 0.0)))

    def point(self, *coordinates: Any) -> MovingPoint:
        """Motion of a point of the body, given as a point or as coordinates in the body frame."""
        given = len(coordinates) == 1 and isinstance(coordinates[0], Point)
        point = coordinates[0] if given else self.body.point(*coordinates)
        if point.body is not self.body:
            why = "it lies on another body"
            raise ModelError(f"point of {self.name!r}", f"{point!r}", why, "give a point of this body")
        return point_of(self._run, point)

    def _turning(self, what: str) -> Kinematics:
        asked, plane = f"{what} of body {self.name!r}", self._run.plane
        if what == "angle" and not plane:
            why, do = "orientation is a rotation there", "use .rotation or .quaternion"
            raise ModelError(asked, "the mechanism is in space", why, do)
        if what in ("quaternion", "Euler angles") and plane:
            raise ModelError(asked, "the mechanism is in the plane", "orientation is an angle there", "use .angle")
        return self._run.motion(self.name)

    def __repr__(self) -> str:
        return f"<motion of body {self.name!r}: position, velocity, acceleration, {'angle' if self._run.plane else 'rotation'}, spin>"


def check_body(asked: str, body: Body, bodies: Sequence[Body]) -> Body:
    """A body that something acts on."""
    if body not in bodies:
        names = [b.name for b in bodies]
        raise ModelError(
            f"{asked} on {body.name!r}", f"it acts on {', '.join(names)}", nearest(body.name, names), "choose one of its bodies"
        )  # fmt: skip
    return body


class LoadResult(Quantities):
    """Load that a joint, driver or force element puts on its bodies.

    `.force` and `.torque` act on the second body (the last one), at the joint point, in space axes; `.on(body)` chooses another body,
    `.frame("joint")`, `.frame("body")`, `.frame("space")` other axes.  In the plane `.torque` is a number, counterclockwise.
    """

    _run: Result
    _stored: tuple[str, ...] = ()  # what files hold of it besides loads and coordinates
    _stored_on: tuple[str, ...] = ("force", "torque")  # and of the load on each body

    def __init__(
        self, result: Result, part: Part | Driver, body: Body | None = None, frame: Axes | str = "space"
    ) -> None:
        super().__init__(result, part.name)
        self.part = part
        self._frame = read_axes(f"load of {part.name!r}", frame, "body", result.plane)
        self.body = result.bodies_of(part)[-1] if body is None else body

    def on(self, body: Any) -> LoadResult:
        """The load on another of its bodies."""
        asked = f"load of {self.name!r}"
        found = self._run.system.model.read_body(asked, body)
        check_body(asked, found, self._run.bodies_of(self.part))
        return type(self)(self._run, self.part, found, self._frame)

    def frame(self, frame: Any, of: str = "body") -> LoadResult:
        """The load in other axes.

        Parameters
        ----------
        frame
            "space", "body", or "joint" (the marker on the body; "x''y''" of PLANAR 6.6); or an angle (in the plane) or a matrix C: axes turned
            against those of `of`, its columns the new axes.
        of
            "body" (as C_i of PLANAR 6.6), "space" or "joint".
        """
        made = read_axes(f"load of {self.name!r}", frame, of, self._run.plane)
        return type(self)(self._run, self.part, self.body, made)

    def _axes(self) -> np.ndarray | None:
        """Rotation matrices (time, 3, 3) whose columns are the axes asked for."""
        if self._frame == SPACE:
            return None
        return self._frame.matrices(
            self._run.kinematics(self.body).rotation, self._run.marker(self.part, self.body).axes
        )

    def _vectors(self) -> tuple[np.ndarray, np.ndarray]:
        force, torque = self._run.load(self.part, self.body)
        axes = self._axes()
        if axes is not None:
            force, torque = (np.einsum("tji,tj->ti", axes, x) for x in (force, torque))
        return force, torque

    def _source(self, what: str) -> Callable[[Any], Any]:
        name, body, frame = self.name, self.body.name, self._frame
        return lambda r: getattr(r[name].on(body).frame(frame), what)

    @property
    def force(self) -> Series:
        """Force on the body [N]."""
        return self._vector("force", self._vectors()[0], "N")

    @property
    def torque(self) -> Series:
        """Torque on the body about the joint point [N m]."""
        return self._vector("torque", self._vectors()[1], "N m", True)

    @property
    def power(self) -> Series:
        """Power that the part supplies to the mechanism [W]; zero for joints that do not depend on time."""
        return self._series("power", self._run.power(self.part), "W")

    @property
    def work(self) -> Series:
        """Work on all bodies of the part since the first output [J], the integral of `power`; `run.work` has that of all parts."""
        from .work import work_of

        return self._series("work", work_of(self._run, self.part), "J")

    @property
    def conservative_work(self) -> Series:
        """The part of the work that is the change of a potential, U0 - U: of springs, stops, constant forces [J]."""
        from .work import conservative_work

        return self._series("conservative_work", conservative_work(self._run, self.part), "J")

    @property
    def nonconservative_work(self) -> Series:
        """The rest of the work: of dampers, friction, actuators, motors [J]."""
        return self._series("nonconservative_work", np.asarray(self.work) - np.asarray(self.conservative_work), "J")

    @property
    def impulse(self) -> Series:
        """Impulse on the body since the first output, the integral of the force [N s], in space axes; blows included."""
        return self._vector("impulse", self._summed(None)[0], "N s")

    def angular_impulse(self, about: Any = None) -> Series:
        """Angular impulse on the body about a point since the first output [N m s]: integral of (r_P - r_A) x F + T.

        `about` as for `run.angular_momentum`, at rest or moving; default: the origin.
        """
        name, body = self.name, self.body.name
        again = lambda r: r[name].on(body).angular_impulse(about)  # noqa: E731
        return self._vector("angular_impulse", self._summed(about)[1], "N m s", True, again)

    def _summed(self, about: Any) -> tuple[np.ndarray, np.ndarray]:
        if self._frame != SPACE:
            raise ModelError(
                f"impulse of {self.name!r}", f"axes {self._frame}", "axes that turn are others at every instant, and loads in them do not add up",
                "leave out .frame(...): impulses are in space axes",
            )  # fmt: skip
        run, part, body = self._run, self.part, self.body

        def load(r: Any) -> np.ndarray:
            force, torque = r.load(part, body)
            k = r.kinematics(body)
            arm = k.position + k.rotation @ r.marker(part, body).point - r.group().place(about).position
            return np.hstack([force, np.cross(arm, force) + torque])

        total = run.integrals(load)
        jumps = [(t, blow) for t, one in run.jumps for blow in getattr(one, "accounts", (one,))]
        for t, blow in jumps:
            at_once = None
            if blow.impulse._run.has(part) and part.kind != "force":
                at_once = load(blow.impulse._run)
            elif part.kind == "impact" and part.name in blow.impulse:
                at_once = _of_stop(blow, part.name, body, about)
            if at_once is not None:
                total = total + np.where(run.integrals.after(t, blow)[:, None], at_once, 0.0)
        return total[:, :3], total[:, 3:]

    @property
    def multipliers(self) -> Series:
        """Multipliers of the rows of a joint or driver, in the order of its table."""
        rows = self._run.system.rows_of(self.name)
        labels = tuple(self._run.system.row_names[r] for r in rows)
        return self._series("multipliers", self._run.lam[:, rows], "", labels)

    @property
    def effort(self) -> Series:
        """Generalized force along the measure of a driver or force element, positive upwards: power = effort * rate."""
        return self._series("effort", self._run.effort(self.part), self._effort_unit())

    def _effort_unit(self) -> str:
        laws = [law.measure.unit for law in self._run.system.builder.laws if law.part == self.name]
        unit = self.part.measure.unit if self.part.kind == "driver" else laws[0] if laws else ""
        return {"m": "N", "m/s": "N", "rad": "N m", "rad/s": "N m"}.get(unit, "")

    def _known(self) -> dict[str, Any]:
        return self.part.coordinates()

    def __getattr__(self, name: str) -> Any:
        coordinates = {} if name.startswith("_") or name in ("part", "body", "name") else self._known()
        if name not in coordinates:
            return super().__getattr__(name)
        found = self._run.measure(coordinates[name])
        return found.rate if coordinates[name].is_rate else found

    def __repr__(self) -> str:
        return f"<load of {self.part!r} on {self.body.name!r}: force, torque, power>"


def _of_stop(blow: Any, name: str, body: Body, about: Any) -> np.ndarray:
    """Impulse of a stop on a body in a blow, and its moment about a point."""
    run, on = blow.impulse._run, blow.impulse.of(name, body)
    force, moment = np.zeros((1, 3)), np.zeros((1, 3))
    force[0, : len(on.linear)], moment[0, -np.size(on.angular) :] = on.linear, on.angular
    arm = run.kinematics(body).position - run.group().place(about).position
    return np.hstack([force, np.cross(arm, force) + moment])
