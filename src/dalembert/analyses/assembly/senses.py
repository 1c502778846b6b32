"""Which way round a joint in space is put together.

Rows that keep axes parallel (x_i . z_j = y_i . z_j = 0) hold for opposite axes as well, and with x_i . y_j = 0 for three half turns besides.
These poses are apart from the true one, so that no motion leads from one to the other, but assembly may fall into them; nobody can turn
a hinge pin round in its hinge.  The drawing says which way round is meant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import AssemblyError
from ...system.system import System

# a drawing with axes less parallel than this is rough: axes that end up parallel, not opposite, are then always as meant
ROUGH = 0.99


def cosines(system: System, q: np.ndarray) -> list[tuple[Any, str, float]]:
    """Joint, axis and cosine between its directions on both bodies, for every axis that rows only keep parallel."""
    if system.plane:
        return []
    found = []
    for joint in system.model.parts("joint"):
        kinds = [row.kind for row in joint.rows()]
        if "parallel" not in kinds:
            continue
        i, j = system.builder.drawing.attach(joint.markers[0], joint.markers[-1])
        a, b = system.place(q, i.body)[1] @ i.axes, system.place(q, j.body)[1] @ j.axes
        found.append((joint, "axis", float(a[:, 2] @ b[:, 2])))
        if "dot" in kinds:
            found.append((joint, "x axis", float(a[:, 0] @ b[:, 0])))
    return found


def senses(system: System, q: np.ndarray) -> list[bool]:
    """Whether the axes of each joint in space point the same way on both bodies."""
    return [cosine > 0.0 for *_, cosine in cosines(system, q)]


def check_senses(system: System, q: np.ndarray, asked: str) -> None:
    """Refuse a pose with a joint put together the other way round than it is drawn."""
    if system.plane or np.array_equal(q, system.q0):
        return
    for (joint, axis, now), (*_, drawn) in zip(cosines(system, q), cosines(system, system.q0)):
        if (now > 0.0) != (drawn >= 0.0) and not (now > 0.0 and abs(drawn) < ROUGH):
            one, two = (body.name for body in joint.bodies)
            raise AssemblyError(
                asked,
                f"{joint.name!r} is the wrong way round: its {axis} on {one!r} and on {two!r} have the cosine {now:.6g}, drawn {drawn:.6g}",
                "rows that keep axes parallel hold for opposite axes as well, but the joint cannot be turned round",
                "draw the bodies closer to where they belong (rotation=), or start from a state of this mechanism",
            )
