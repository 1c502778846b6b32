"""Blows on a Lagrangian system: generalized impulses, impulses at parts, restitution (LAGRANGE 1.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, nearest, shown
from ...model.expression import as_expression
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Load, RigidBody
from ...model.lagrangian.vectors import ZERO, Vector, applied, plus
from ...model.reading import listed
from ..dynamics.shock import Thrown
from ..strike import pairs
from .point import Point


class OnCoordinates:
    """What strikes a Lagrangian system: generalized impulses, impulses and couples on parts, expressions that are thrown back."""

    example, measures = "impulse={'theta': 1.0}", ()

    def __init__(self, asked: str, model: Lagrangian, impulse: Any, couple: Any, restitution: Any) -> None:
        self.asked, self.model = asked, model
        self.impulses, self.couples, self.back = (
            pairs(asked, name, x, "'theta': 1.0")
            for name, x in (("impulse", impulse), ("couple", couple), ("restitution", restitution))
        )
        self.given = bool(self.impulses or self.couples or self.back)

    def thrown(self, point: Point) -> list[Thrown]:
        """Expressions that are thrown back."""
        return [_thrown(point, key, e, self.asked) for key, e in self.back]

    def generalized(self, point: Point) -> np.ndarray:
        """Generalized impulse of every blow and couple."""
        model, asked = self.model, self.asked
        pushes = [_generalized(model, point, key, value, asked) for key, value in self.impulses]
        for key, value in self.couples:
            part = model.parts.get(key)
            if not isinstance(part, RigidBody):
                raise ModelError(f"{asked}: couple", shown(key), "it is no body", nearest(key, model.parts))
            vector = _vector(value if listed(value) is not None else (0.0, 0.0, value), asked)
            pushes.append(_values(Load("", key, vector, None, applied(part.rotation, part.spin)), model, point))
        return np.array([sum(push.get(name, 0.0) for push in pushes) for name in model.q])


def _vector(x: Any, asked: str) -> Vector:
    items = listed(x)
    if items is None or len(items) not in (2, 3):
        raise MethodError(
            asked, f"impulse {shown(x)}", "two or three components are needed", "give for example (0, 1.5)"
        )
    made = [as_expression(item, asked=asked) for item in items]
    return made[0], made[1], made[2] if len(made) == 3 else ZERO


def _generalized(model: Lagrangian, point: Point, key: Any, value: Any, asked: str) -> dict[str, float]:
    """Generalized impulse of one entry: on a coordinate, on a part, or at a point of a body."""
    if key in model.q:
        return {key: as_expression(value, asked=asked).evaluate(model.parameters)}
    part = model.parts.get(key)
    if part is None:
        known = [*model.q, *model.parts]
        raise ModelError(f"{asked}: impulse", shown(key), "it is neither a coordinate nor a part", nearest(key, known))
    position, items = part.position, listed(value) or []
    if len(items) == 2 and listed(items[0]) is not None:
        if not isinstance(part, RigidBody):
            raise ModelError(
                f"{asked}: impulse on {key!r}", shown(value), "a particle has no points", "give the impulse alone"
            )
        arm = applied(part.rotation, _vector(items[1], asked))
        position = plus(position[0], arm[0]), plus(position[1], arm[1]), plus(position[2], arm[2])
        value = items[0]
    return _values(Load("", key, _vector(value, asked), position, None), model, point)


def _values(load: Load, model: Lagrangian, point: Point) -> dict[str, float]:
    names = dict(zip(model.q, point.q)) | {f"rate({x})": v for x, v in zip(model.q, point.v)} | model.parameters
    return {name: force.evaluate({**names, "t": point.t}) for name, force in load.generalized(model.q).items()}


def _thrown(point: Point, key: Any, e: Any, asked: str) -> Thrown:
    """An expression that is thrown back, with its coefficient of restitution."""
    system = point.system
    number = as_expression(e, asked=asked).evaluate(system.model.parameters)
    if not 0.0 <= number <= 1.0:
        raise MethodError(
            asked, f"restitution {number:g} of {shown(key)}", "it lies between 0 and 1", "give for example 0.8"
        )
    _, row, rate = point.measure(as_expression(key, system.given_names, asked=asked))
    return Thrown(str(key), row, rate, number)
