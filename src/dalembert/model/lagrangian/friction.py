"""Dry friction of a constant size on a coordinate of a Lagrangian system, or on an expression of coordinates.

slips:   Q = -+ F ds/dq,   against the sign of ds/dt        sticks:   the rate row ds/dt = 0, as long as its multiplier is at most the static force
"""

from __future__ import annotations

import math
from typing import Any

from ...errors import ModelError, shown
from ..expression import Expr
from ..expression.derivative import ZERO, derivative
from ..forces._dry import Dry


class CoordinateFriction(Dry):
    """Friction against the rate of `what`; `rate` is ds/dt as an expression of coordinates, rates and time."""

    kind = "friction"
    mu = joint = None  # it feels no reaction

    def __init__(self, model: Any, name: str, what: Expr, rate: Expr, force: Expr, static_force: Expr | None) -> None:
        self.model, self.name, self.what, self.rate = model, name, what, rate
        self.force, self.static_force = force, static_force
        self.slips: Any = (what,)
        self.asked = f"friction {name!r} of Lagrangian {model.name!r}"

    @property
    def on(self) -> Expr:
        """What slips."""
        return self.what

    def slip_watch(self, way: Any, slow: float) -> tuple[Expr, int]:
        """The rate, which changes its sign."""
        return self.rate, 0

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """Nothing presses."""
        return []

    def kinetic(self, value: Any) -> float:
        """Size of the force, which is none below zero whatever its parameters are."""
        size = float(value(self.force))
        if not 0.0 <= size < math.inf:
            why = "friction acts against the motion: its size is a finite number, 0 or more"
            raise ModelError(self.asked, f"force = {size:g}", why, "correct the force or its parameters")
        return size

    def against(self, way: int) -> dict[str, Expr]:
        """Generalized forces by coordinate while it slips one way."""
        slopes = ((x, derivative(self.what, x)) for x in self.model.q)
        return {x: -way * self.force * slope for x, slope in slopes if slope != ZERO}


def read_friction(model: Any, name: str, what: Any, rate_along: Any, sizes: dict[str, Any]) -> CoordinateFriction:
    """Friction of a system, checked."""
    asked = f"friction {name!r}"
    if sizes["mu"] is not None:
        raise ModelError(
            f"{asked} of {model._asked}", f"mu = {shown(sizes['mu'])}", "a coefficient needs what presses; coordinates and energies do not tell the pressure",
            "build a Mechanism, where m.friction(name, joint, mu=...) feels the reaction of a joint; or give force= for a constant size",
        )  # fmt: skip
    if sizes["force"] is None:
        raise ModelError(f"{asked} of {model._asked}", "no force", "friction has a size", "give force=2.0")
    made = model._gap(asked, name, what)
    if all(derivative(made, x) == ZERO for x in model.q):
        why = "it contains no coordinate: nothing slips"
        raise ModelError(f"{asked} of {model._asked}", f"what = {shown(str(made))}", why, f"give {model.q[0]!r}, say")
    read: dict[str, Any] = {}
    for key in ("force", "static_force"):
        x = read[key] = None if sizes[key] is None else model._read(f"{asked}: {key}", sizes[key])
        moving = sorted(x.names & {"t", "v", *model.q, *(f"rate({q})" for q in model.q)} if x is not None else ())
        if moving:
            raise ModelError(
                f"{asked} of {model._asked}", f"{key} = {shown(str(x))}, with {moving[0]}", "the size is constant here: a number, or an expression of parameters",
                "build a Mechanism, where the force may depend on v, the size of the rate; or give its parameters another value with m.event(..., set=...)",
            )  # fmt: skip
    return CoordinateFriction(model, name, made, rate_along(made, model.q), read["force"], read["static_force"])
