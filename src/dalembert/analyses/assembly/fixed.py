"""What stays when a mechanism is assembled: bodies and measures as rows that are held."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ModelError, shown
from ...model.body import Body
from ...model.frame import Axis, Marker
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...model.reading import quaternion_matrix
from ...system.system import compile
from ..pose.initial import Held
from ..pose.pose import FIXED, Pose


def read_fixed(asked: str, model: Mechanism, fixed: Any, t: float, q: np.ndarray) -> tuple[list[Body], Held]:
    """Bodies that stay, and everything that is held: (name, measure, value)."""
    values = fixed if isinstance(fixed, dict) else {}
    items = list(fixed) if isinstance(fixed, dict | list | tuple | set) else [fixed]
    bodies: list[Body] = []
    measures: list[tuple[Measure, float | None]] = []
    for item in items:
        if model.is_body(item):
            body = model.read_body(asked, item)
            if body.is_ground:
                raise ModelError(f"{asked}: fixed", "the ground", "it does not move anyway", "name a moving body")
            if values.get(item) is not None:
                found = f"fixed {body.name!r} = {shown(values[item])}"
                raise ModelError(
                    asked, found, "a body is held where it is drawn", "give a value to a measure, such as 'A.angle'"
                )
            bodies.append(body)
            continue
        measure = model.read_coordinate(f"{asked}: fixed", item)
        if measure.is_rate:
            raise ModelError(
                f"{asked}: fixed", f"{measure!r}", "a rate measure has no value", "hold a measure with a value"
            )
        value = values.get(item)
        number = None if value is None else model.value(model.read_number(asked, f"fixed {measure.name}", value))
        measures.append((measure, number))
    pose = Pose(compile(model, extra=tuple(measure for measure, _ in measures)), t, q)
    held = [entry for body in bodies for entry in _hold_body(pose, model, body)]
    for measure, number in measures:
        held.append((f"{FIXED}{measure.name}", measure, pose.measure(measure)[0] if number is None else number))
    return bodies, tuple(held)


def _hold_body(pose: Pose, model: Mechanism, body: Body) -> list[tuple[str, Measure, float]]:
    """Rows that hold a body where the pose has it."""
    b, name = pose.system.builder.body_index(body), f"{FIXED}{body.name}"
    if model.plane:
        x, y, angle = (float(c) for c in pose.q[3 * b : 3 * b + 3])
        i, j = Marker(model.ground, (x, y, 0.0)), Marker(body)
        turn = [] if body.particle else [Measure(f"{name}.turn", "angle", i, j, unit="rad", offset=angle)]
        rows = [Measure(f"{name}.gap", "gap", i, j), *turn]
    else:
        a = quaternion_matrix(pose.q[7 * b + 3 : 7 * b + 7])
        place, x_axis, z_axis = (tuple(float(c) for c in u) for u in (pose.q[7 * b : 7 * b + 3], a[:, 0], a[:, 2]))
        i = Marker(model.ground, place, z=z_axis, x=x_axis)  # type: ignore[arg-type]
        j = Marker(body, z=Axis(body, (0.0, 0.0, 1.0)), x=Axis(body, (1.0, 0.0, 0.0)))
        rows = [Measure(f"{name}.gap", "gap", i, j)]
        if not body.particle:
            rows += [
                Measure(f"{name}.tilt", "parallel", i, j, unit="1"),
                Measure(f"{name}.turn", "dot", i, j, direction=("x", "y"), unit="1"),
            ]
    return [(name, row, 0.0) for row in rows]
