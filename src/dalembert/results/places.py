"""Bodies and points of a run of a mechanism, as sums of momenta and moments need them (`matter.py`)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..model.arguments import is_part
from ..model.body import Body
from ..model.expression import Expr, Number, as_expression
from ..model.expression.checks import plain_number
from ..model.measure import Measure
from .matter import Matter

if TYPE_CHECKING:
    from .result import Result


def matter_of(run: Result) -> list[Matter]:
    """Every moving body with its mass and inertia."""
    builder, found = run.system.builder, []
    for body in builder.bodies:
        k, p = run.kinematics(body), builder.drawing.matter(body)
        inertia = np.zeros((3, 3)) if body.particle else np.asarray(p.inertia, dtype=float)
        if run.plane:
            # what products of inertia need across the plane, the plane carries (BASICS 8.5)
            inertia = np.diag([0.0, 0.0, inertia[2, 2]])
        found.append(Matter(**vars(k), name=body.name, mass=float(p.mass), inertia=inertia))
    return found


def point_named(run: Result, asked: str, x: Any) -> Any:
    """Motion of the origin of a body's frame, or of the point of a joint, driver or force on its last moving body."""
    model = run.model
    part = model[x] if isinstance(x, str) and x in model else x
    if isinstance(part, Body):
        n = len(run.t)
        return (
            SimpleNamespace(position=np.zeros((n, 3)), velocity=np.zeros((n, 3))) if part.is_ground else run[part.name]
        )
    if not is_part(part):
        known = [*run.system.body_names, *(j.name for j in run.parts("joint")), "center"]
        raise MethodError(
            asked, f"about = {shown(x)}", nearest(x, known), "name a body, a joint or 'center', or give coordinates"
        )
    if not getattr(part, "markers", ()):
        raise MethodError(asked, f"about = {part!r}", "it acts at no single point", "give the coordinates of a point")
    body = [b for b in run.bodies_of(part) if not b.is_ground][-1]
    k, arm = run.kinematics(body), run.marker(part, body).point
    u = k.rotation @ arm
    return SimpleNamespace(position=k.position + u, velocity=k.velocity + np.cross(k.omega, u))


def moving_number(run: Result, asked: str, x: Any) -> tuple[Any, Any]:
    """A number, an expression of time and measures, or a measure, over time: values and rates."""
    number = plain_number(x)
    if number is not None:
        return number, 0.0
    if isinstance(x, Measure):
        found = run.measure(x)
        return np.asarray(found), np.asarray(found.rate)
    if not isinstance(x, str | Expr):
        raise MethodError(
            asked, f"{shown(x)}", "a coordinate is a number or an expression", "give for example 'O.angle'"
        )
    made = as_expression(x, asked=asked)
    values = run.parameters
    if made.names <= {*values, "t"}:
        own = made.substitute({name: Number(v) for name, v in values.items() if name in made.names})
        value, rate = (np.array([e.evaluate({"t": float(t)}) for t in run.t]) for e in (own, own.diff("t")))
        return value, rate
    found = run.measure(run.model.read_coordinate(asked, x))
    return np.asarray(found), np.asarray(found.rate)
