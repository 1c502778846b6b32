"""Parts of the theory to read: where points are and how they move, generalized forces of applied loads and of inertia, inertia in space axes.

r + A s'      r' + A (w' x s')      r'' + A (w'' x s' + w' x (w' x s'))      points of a body     PLANAR 6.1.10, BASICS 8.19
dv/dq', dw'/dq'                     of points (space axes) and bodies (body axes)                          LAGRANGE 1.5.9-10
phi = sum (dv/dq')^T f + (dw/dq')^T l          phi* = -(d/dt dT/dq' - dT/dq)          phi + phi* = J^T lam     1.5.11-18
J = A J' A^T          J' of it is w~ J - J w~                                                            BASICS 8.29
b = w' x J'w'                                                                                            BASICS 8.38

Points of bodies of a mechanism go by what a user calls them: a point, coordinates in body axes, a name of the shape, a joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import MethodError, ModelError, nearest, shown
from ..model.body import Body
from ..model.expression import as_expression
from ..model.frame import Point
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import RigidBody
from ..model.mechanism import Mechanism
from ..model.reading import in_body_axes, listed
from . import sp
from .simplify import tidied, tidy
from .symbols import Symbols, slope


@dataclass(frozen=True, eq=False)
class Moving:
    """A particle (no rotation) or body: mass centre and its velocity, rotation A, angular velocity and inertia in body axes."""

    position: Any
    velocity: Any
    rotation: Any = None
    spin: Any = None
    inertia: Any = None


def moving_parts(model: Lagrangian, s: Symbols) -> dict[str, Moving]:
    """Particles and bodies of a Lagrangian system in SymPy."""
    found = {}
    for name, part in model.parts.items():
        position, velocity = (sp.Matrix([s.of(x) for x in vector]) for vector in (part.position, part.velocity))
        if isinstance(part, RigidBody):
            spin = sp.Matrix([s.of(x) for x in part.spin])
            found[name] = Moving(position, velocity, s.matrix(part.rotation), spin, s.matrix(part.inertia))
        else:
            found[name] = Moving(position, velocity)
    return found


class TheoryParts:
    """Named parts of the theory; who inherits says what moves, with which velocities, and how a mechanism is drawn."""

    if TYPE_CHECKING:

        @property
        def model(self) -> Any:
            """The model."""

        @property
        def _drawing(self) -> Any:
            """Poses as drawn of the mechanism whose equations these are, or None."""

    def _moving(self) -> Mapping[str, Moving]:
        raise NotImplementedError

    def _speeds(self) -> Sequence[Any]:
        """Velocities by which partial derivatives are taken."""
        raise NotImplementedError

    def _rate(self, x: Any) -> Any:
        """d/dt of velocities, with accelerations."""
        raise NotImplementedError

    def _arm(self, asked: str, part: Any, at: Any) -> tuple[Any, list[Any] | None]:
        """A part, and its point from the mass centre in body axes; None for the mass centre."""
        if self._drawing is not None:
            return arm_of(self._drawing, asked, part, at)
        items = None if at is None else listed(at)
        if at is not None and (items is None or len(items) not in (2, 3)):
            why = "a point is two or three numbers or expressions"
            raise MethodError(asked, f"at = {shown(at)}", why, "give at=(x, y), from the mass centre in body axes")
        return part, items

    def position(self, part: Any, at: Any = None, frame: str = "space") -> Any:
        """Position of a particle, of the mass centre of a body, or of its point `at`, in space axes or in `frame="body"`.

        The point is in body axes, from the mass centre; of the forms of a mechanism from the origin of the body, a name of its shape or a joint.
        There `part` may be a point, `bar.end`.
        """
        found, arm = self._point(f"position of {shown(part)}", part, at, frame)
        return self._shown(found, frame, found.position, arm)

    def velocity(self, part: Any, at: Any = None, frame: str = "space") -> Any:
        """Velocity of a particle, of the mass centre of a body, or of its point `at`; see `position`."""
        found, arm = self._point(f"velocity of {shown(part)}", part, at, frame)
        return self._shown(found, frame, found.velocity, None if arm is None else found.spin.cross(arm))

    def acceleration(self, part: Any, at: Any = None, frame: str = "space") -> Any:
        """Acceleration of a particle, of the mass centre of a body, or of its point `at`; see `position`."""
        found, arm = self._point(f"acceleration of {shown(part)}", part, at, frame)
        turning = None
        if arm is not None:
            w = found.spin
            turning = self._rate(w).cross(arm) + w.cross(w.cross(arm))
        return self._shown(found, frame, self._rate(found.velocity), turning)

    def rotation(self, body: Body | RigidBody | str) -> Any:
        """Rotation matrix A of a body, s = A s'."""
        return tidied(self._part(body, True).rotation)

    def spin(self, body: Body | RigidBody | str, frame: str = "body") -> Any:
        """Angular velocity of a body, in body axes or in `frame="space"`."""
        return self._turning(f"spin of {shown(body)}", body, frame, lambda w: w)

    def spin_rate(self, body: Body | RigidBody | str, frame: str = "body") -> Any:
        """Angular acceleration of a body, in body axes or in `frame="space"`."""
        return self._turning(f"spin rate of {shown(body)}", body, frame, self._rate)

    def _turning(self, asked: str, body: Body | RigidBody | str, frame: str, of: Callable[[Any], Any]) -> Any:
        """A vector of the rotation of a body, given in body axes; the rate of w' is that of w, as w x w = 0."""
        own_axes, found = in_body_axes(asked, frame), self._part(body, True)
        own = of(found.spin)
        return tidied(own if own_axes else found.rotation * own)

    def _point(self, asked: str, part: Any, at: Any, frame: str) -> tuple[Moving, Any]:
        """The part of a point, and the arm to the point from the mass centre in body axes; None where it is the mass centre."""
        own_axes = in_body_axes(asked, frame)
        part, arm = self._arm(asked, part, at)
        found = self._part(part, arm is not None or own_axes)
        if arm is None:
            return found, None
        s = Symbols(())
        numbers = [s.of(as_expression(x, asked=asked)) for x in arm]
        numbers += [sp.S.Zero] * (3 - len(numbers))
        made = sp.Matrix(numbers)
        moving = sorted({x.name for x in made.free_symbols} - {*self.model.parameters})
        if moving:
            why = f"{moving[0]} is no parameter, and a point of a body is fixed in it"
            raise MethodError(asked, f"at = {shown(at)}", why, "give numbers or parameters, or state a particle there")
        return found, made

    @staticmethod
    def _shown(found: Moving, frame: str, center: Any, arm: Any) -> Any:
        """A vector of the mass centre in space axes, and what a point adds to it in body axes, in the axes that are asked for."""
        if frame == "body":
            own = found.rotation.T * center
            return tidied(own if arm is None else own + arm)
        return tidied(center if arm is None else center + found.rotation * arm)

    def partial_velocity(self, part: Any, at: Any = None) -> Any:
        """dv/dq' of a particle, of the mass centre of a body, or of its point `at`, in space axes; see `position`."""
        return self._slopes(self.velocity(part, at))

    def partial_spin(self, body: Body | RigidBody | str) -> Any:
        """dw'/dq' of a body, in body axes."""
        return self._slopes(self.spin(body))

    def inertia(self, body: Body | RigidBody | str) -> Any:
        """Inertia of a body about its mass centre in space axes, J = A J' A^T."""
        found = self._part(body, True)
        return tidied(found.rotation * found.inertia * found.rotation.T)

    def inertia_rate(self, body: Body | RigidBody | str) -> Any:
        """Rate of the inertia in space axes, w~ J - J w~ (BASICS 8.29)."""
        found = self._part(body, True)
        tilde = found.spin.hat()
        # w~ = A w'~ A^T, so that the difference is shorter in body axes
        own = tidied(tilde * found.inertia - found.inertia * tilde)
        return tidied(found.rotation * own * found.rotation.T)

    def gyroscopic(self, body: Body | RigidBody | str) -> Any:
        """Vector b = w' x J'w' of a body, in body axes (BASICS 8.38)."""
        found = self._part(body, True)
        return tidied(found.spin.cross(found.inertia * found.spin))

    def _slopes(self, x: Any) -> Any:
        speeds = self._speeds()
        return sp.Matrix(x.rows, len(speeds), lambda i, j: tidy(slope(x[i], speeds[j])))

    def _part(self, part: Any, turning: bool) -> Moving:
        """A part by its name or itself; one that turns, where that is needed."""
        name = part if isinstance(part, str) else getattr(part, "name", part)
        parts = self._moving()
        asked = f"part {shown(name)} of {self.model.name!r}"
        if not isinstance(name, str) or name not in parts:
            why = nearest(name, parts) if parts else "the system is given by its energies, without particles or bodies"
            raise ModelError(asked, "no such particle or body", why, "use the name of a particle or body")
        if turning and parts[name].rotation is None:
            raise ModelError(asked, "a particle", "it has one point and does not turn", "name a body")
        return parts[name]


def point_of(model: Mechanism, asked: str, body: Body, x: Any, option: str) -> tuple[Any, str]:
    """A point of a body, or a location in space as drawn, with words for it: `bar.end`, (x, y) in its axes, "end", or a joint."""
    if isinstance(x, Point):
        if x.body is not body:
            why = f"the point lies on {x.body.name!r}"
            raise MethodError(asked, f"{option} = {shown(x)} of {body.name!r}", why, "give a point of that body")
        return x, str(x)
    if listed(x) is not None:
        point = body.point(*listed(x))  # type: ignore[misc]
        return point, str(point)
    named = {} if body.shape is None else body.shape.points
    if isinstance(x, str) and x in named and x not in model:
        return getattr(body, x), f"its point {x!r}"
    joint = joint_of(model, asked, x, option)
    marker = next((marker for marker in joint.markers if marker.body is body), None)
    if marker is None:
        why = f"{joint.name!r} does not hold {body.name!r}"
        raise MethodError(asked, f"{option} = {shown(x)}", why, "give a joint of the body, or body.point(x, y)")
    return marker.at, f"joint {joint.name!r}"


def arm_of(drawing: Any, asked: str, part: Any, at: Any) -> tuple[Any, list[Any] | None]:
    """A body, and its point from the mass centre in body axes, as a drawing has them; None for the mass centre."""
    model = drawing.model
    if isinstance(part, Point):
        if at is not None:
            raise MethodError(asked, f"at = {shown(at)}", "the point has its place", "leave at= out, or name the body")
        model.own(asked, part.body)
        part, at = part.body, part
    if at is None:
        return part, None
    body = model.read_body(asked, part)
    return body, list(drawing.place(body, point_of(model, asked, body, at, "at")[0]))


def joint_of(model: Mechanism, asked: str, x: Any, option: str) -> Any:
    """A joint of the model, given as object or name."""
    name = x if isinstance(x, str) else getattr(x, "name", None)
    joints = {joint.name: joint for joint in model.parts("joint")}
    if isinstance(name, str) and name in joints:
        return joints[name]
    raise MethodError(
        asked, f"{option} = {shown(x)}", f"it is no joint and no point of a body; {nearest(name, joints)}",
        f"give {option}='A', {option}=bar.end, or (x, y) in axes of the body",
    )  # fmt: skip
