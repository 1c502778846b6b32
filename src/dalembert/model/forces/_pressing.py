"""Where friction feels the reaction of a joint: what slips there, and what presses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError, shown
from ..expression import Call, Expr, Name, Number, as_expression
from ..measure import Measure
from ..touching import Touching


@dataclass(frozen=True)
class Pad:
    """A surface that presses: the size of a vector whose components are combinations of multipliers of the joint, by number of its row."""

    components: tuple[tuple[tuple[float, int], ...], ...]


def refuse_together(friction: Any) -> None:
    """Refuse what does not make one friction: neither or both of force and mu, options that have no meaning beside them."""
    given = [name for name in ("force", "mu") if getattr(friction, name) is not None]
    if len(given) != 1:
        found, why = (
            "force and mu" if given else "neither force nor mu",
            "friction has a constant size, or feels the reaction of a joint",
        )
        raise ModelError(friction.asked, found, why, "give force= or mu=")
    other = {"force": ("static", "radius", "length", "along"), "mu": ("static_force", "speed")}
    one = "force" if friction.mu is None else "mu"
    wrong = [name for name in other[one] if getattr(friction, name) is not None]
    if friction.speed is not None and friction.static_force is not None:
        wrong.append("static_force")
    if wrong:
        raise ModelError(
            friction.asked, f"{wrong[0]} = {shown(getattr(friction, wrong[0]))} with {one}", "it has no meaning there",
            "leave it out" if wrong[0] != "speed" else "leave it out: friction that feels the reaction is exact",
        )  # fmt: skip


def read_size(friction: Any, name: str, x: Any) -> Any:
    """A size: a number, or an expression of v."""
    if isinstance(x, str | Expr):
        made = as_expression(x, {*friction.model.parameter_names, "v"}, asked=friction.asked)
        if "v" in made.names:
            return made
    return friction.model.read_number(friction.asked, name, x, "nonnegative")


def refuse_at_stops(friction: Any) -> None:
    """Refuse what has a meaning in joints only."""
    wrong = next((name for name in ("radius", "length") if getattr(friction, name) is not None), None)
    if wrong is not None:
        found = f"{wrong} = {shown(getattr(friction, wrong))} at a contact"
        raise ModelError(friction.asked, found, "a contact presses at a point", "leave it out")


def read_joint(friction: Any) -> Any:
    """The joint whose reaction is felt."""
    part = friction.model._parts.get(friction.on) if isinstance(friction.on, str) else friction.on
    if getattr(part, "kind", "") not in ("joint", "impact") and not isinstance(part, Touching):
        raise ModelError(
            friction.asked, f"{shown(friction.on)} with mu", "a coefficient of friction goes with the reaction of a joint or rigid contact",
            "name the joint or contact, or give force= for a constant size",
        )  # fmt: skip
    return part


def slipping(friction: Any, joint: Any) -> Measure:
    """What slips in the joint: along the thread of a screw; else its angle where a radius is given, its slide else."""
    if friction.along is not None:
        return friction.model.read_coordinate(friction.asked, friction.along)
    made = joint.coordinates() if joint.kind == "joint" else {}
    wanted = [x for x in made.values() if (x.unit == "rad") == (friction.radius is not None)]
    if getattr(joint, "pitch", None) is not None and friction.radius is not None:
        lead = lead_angle(friction, joint)
        terms = (
            (math.sin(lead), joint.slide_measure()),
            (friction.model.value(friction.radius) * math.cos(lead), joint.angle_measure()),
        )
        return Measure(
            f"{friction.name}.thread",
            "combination",
            joint.slide_measure().i,
            joint.slide_measure().j,
            terms=terms,
            unit="m",
        )
    if len(wanted) != 1:
        found = f"{joint!r} with the coordinates {', '.join(made) or 'none'}"
        why = "friction in a pin needs its radius" if friction.radius is None and made else "one coordinate must slip"
        raise ModelError(
            friction.asked, found, why, "give radius= for a pin; other joints take force= on a measure of theirs"
        )
    return wanted[0]


def lead_angle(friction: Any, joint: Any) -> float:
    """Lead angle of a thread at the radius: tan a = pitch/(2 pi r)."""
    return math.atan2(friction.model.value(joint.pitch), 2.0 * math.pi * friction.model.value(friction.radius))


def pressing(friction: Any, joint: Any, value: Any) -> list[Pad]:
    """What presses in a joint, in units of the friction along its measure; `value` reads numbers."""
    rows = [unit for measure in joint.rows() for unit in _rows_of(measure, friction.model.plane)]
    forces = [k for k, unit in enumerate(rows) if unit == "m"]
    moments = [k for k, unit in enumerate(rows) if unit != "m"]
    arm = 1.0
    if getattr(joint, "pitch", None) is not None and friction.radius is not None:
        # the thread carries lam along the axis, N = lam/cos(a) across itself
        return [Pad((((1.0 / math.cos(lead_angle(friction, joint)), len(rows) - 1),),))]
    if friction.radius is not None:
        arm = float(value(friction.radius))
    if friction.length is None or not moments:
        return [Pad(tuple(((arm, k),) for k in forces))]
    half = float(value(friction.length))
    if len(forces) == len(moments) == 1:
        ends = [((0.5 * arm, forces[0]), (side * arm / half, moments[0])) for side in (1.0, -1.0)]
        return [Pad((end,)) for end in ends]
    return [Pad(tuple(((arm, k),) for k in forces)), Pad(tuple(((2.0 * arm / half, k),) for k in moments))]


def left_before_slip(friction: Any, value: Any, own: str, names: list[str]) -> Expr:
    """What is left before it slips, static N - |lam|: an expression of its multiplier and of those of the joint, by name."""
    limit: Expr = Number(friction.holding(value))
    if friction.mu is not None:
        total: Expr = Number(0.0)
        for pad in friction.pads(value):
            parts = [sum((c * Name(names[k]) for c, k in component), Number(0.0)) for component in pad.components]
            size: Expr = Call("abs", (parts[0],))
            for x in parts[1:]:
                size = Call("hypot", (size, x))
            total = total + size
        limit = limit * total
    return limit - Call("abs", (Name(own),))


def rows_in(joint: Any, plane: bool) -> int:
    """How many rows a joint holds."""
    return sum(len(_rows_of(measure, plane)) for measure in joint.rows())


def _rows_of(measure: Measure, plane: bool) -> list[str]:
    """Units of the rows of a measure that is held."""
    if measure.kind in ("gap", "parallel"):
        return ["m"] * (2 if plane else 3) if measure.kind == "gap" else ["1"] * 2
    return ["1" if measure.kind in ("dot", "twist") else measure.unit]
