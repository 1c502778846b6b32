"""What the variational methods are made for, and what they refuse."""

from __future__ import annotations

from typing import Any

from ...errors import MethodError
from ...model.mechanism import Mechanism
from ...solve.leap import PARTS


def check_fixed(asked: str, model: Any, prepared: Any, method: Any, step: float | None) -> None:
    """Refuse steps of one length by other methods, variational methods without one, and models that they do not serve."""
    name = method.name
    if name not in PARTS:
        if step is not None:
            raise MethodError(
                asked, f"step = {step:g} with method = {name!r}", "this method chooses its own steps",
                "leave step out (max_step limits them), or give method='variational'",
            )  # fmt: skip
        return
    asked = f"{asked}, method = {name!r}"
    if step is None:
        raise MethodError(
            asked, "no step", "the method has steps of one length, and no error control", "give step=0.001"
        )
    if not isinstance(model, Mechanism):
        raise MethodError(
            asked, "a Lagrangian system", "the discrete principle is written for bodies, whose mass matrix is constant",
            "build it of bodies and joints, or use another method",
        )  # fmt: skip
    system = prepared.system
    rolling = [name for name, rate in zip(system.row_parts, system.rows_on_rates) if rate]
    if rolling:
        raise MethodError(
            asked, f"conditions on velocities: {', '.join(sorted(set(rolling))[:6])}",
            "Hamilton's principle does not hold for motions that roll; their energy is kept by no such method", "use another method",
        )  # fmt: skip
    if model.events or model.impacts or model.frictions or system.builder.states:
        raise MethodError(
            asked, "events, impacts, dry friction or auxiliary states", "steps of one length end nowhere else", "use another method",
        )  # fmt: skip
    light = [b.name for b in model.bodies if system.builder.drawing.poses[id(b)].properties.mass == 0.0]
    if light:
        raise MethodError(
            asked, f"bodies without mass: {', '.join(light[:6])}", "their momenta determine no velocity", "give them masses, or use another method",
        )  # fmt: skip
