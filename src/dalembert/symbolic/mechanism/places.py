"""Points of bodies of a mechanism by what a user calls them: a point, coordinates in body axes, a name of the shape, a joint."""

from __future__ import annotations

from typing import Any

from ...errors import MethodError, nearest, shown
from ...model.body import Body
from ...model.frame import Point
from ...model.mechanism import Mechanism
from ...model.reading import listed


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
