"""Where friction feels the reaction of a joint: what slips there, and what presses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError, shown
from ..expression import Call, Expr, Name, Number, as_expression
from ..measure import Measure
from ..touching import Touching

# of involute teeth, where none is given: 20 degrees
PRESSURE = math.radians(20.0)


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
    other = {"force": ("static", "radius", "length", "along", "pressure_angle"), "mu": ("static_force", "speed")}
    one = "force" if friction.mu is None else "mu"
    wrong = [name for name in other[one] if getattr(friction, name) is not None]
    if friction.speed is not None and friction.static_force is not None:
        wrong.append("static_force")
    if friction.speed is not None and len(friction.slips) > 1:
        found, why = f"speed with {len(friction.slips)} measures", "regularised friction acts along one measure"
        raise ModelError(friction.asked, found, why, "leave speed= out, or give each measure its own")
    if wrong:
        raise ModelError(
            friction.asked, f"{wrong[0]} = {shown(getattr(friction, wrong[0]))} with {one}", "it has no meaning there",
            "leave it out" if wrong[0] != "speed" else "leave it out: friction that feels the reaction is exact",
        )  # fmt: skip


def read_size(friction: Any, name: str, x: Any) -> Any:
    """A size: a number, or an expression of v."""
    if isinstance(x, str | Expr):
        made = as_expression(x, {*friction.model.parameter_names, "v"}, friction.model._tables, friction.asked)
        if "v" in made.names:
            return made
    return friction.model.read_number(friction.asked, name, x, "nonnegative")


def read_sizes(friction: Any) -> None:
    """Read coefficients, forces and lengths."""
    if friction.speed is not None:
        rules = {"force": "nonnegative", "speed": "positive"}
    else:
        kinetic = "force" if friction.mu is None else "mu"
        friction.set(**{kinetic: read_size(friction, kinetic, getattr(friction, kinetic))})
        rules = {"static_force": "nonnegative", "static": "nonnegative", "radius": "positive", "length": "positive"}
        rules |= {"pressure_angle": "nonnegative"}
    for name, rule in rules.items():
        if getattr(friction, name) is not None:
            friction.set(**{name: friction.model.read_number(friction.asked, name, getattr(friction, name), rule)})
    angle = friction.pressure_angle
    if angle is None:
        return
    if friction.joint.mesh is None:
        why = "only teeth have a pressure angle"
        raise ModelError(
            friction.asked, f"pressure_angle with {friction.joint!r}", why, "leave it out, or name the gear"
        )
    if not friction.model.value(angle) < 0.5 * math.pi:
        found, why = (
            f"pressure_angle = {shown(angle)}",
            "angles are in radians, and at a right angle teeth drive nothing",
        )
        raise ModelError(
            friction.asked, found, why, "give an angle below pi/2, such as pressure_angle=math.radians(20)"
        )


def read_joint(friction: Any) -> Any:
    """The joint whose reaction is felt."""
    model, part = friction.model, friction.on
    if isinstance(part, str):
        part = model._parts.get(part) or model.impacts.get(part)
    if getattr(part, "kind", "") not in ("joint", "impact") and not isinstance(part, Touching):
        raise ModelError(
            friction.asked, "mu alone" if friction.on is None else f"{shown(friction.on)} with mu", "a coefficient of friction goes with the reaction of a joint or rigid contact",
            "name the joint or contact, or give force= for a constant size",
        )  # fmt: skip
    return part


def read_several(friction: Any, given: Any) -> tuple[Measure, ...]:
    """One measure, or up to three of one unit that slip together."""
    listed = list(given) if isinstance(given, tuple | list) else [given]
    found = tuple(friction.model.read_coordinate(friction.asked, x) for x in listed)
    if not 1 <= len(found) <= 3 or len({x.unit for x in found}) > 1:
        units = ", ".join(f"{x.name} [{x.unit}]" for x in found) or "none"
        why = "what slips has one to three components, and a direction if they have one unit"
        raise ModelError(friction.asked, f"measures {units}", why, "give measures of one unit, or several frictions")
    return found


def slipping(friction: Any, joint: Any) -> tuple[Measure, ...]:
    """What slips in the joint, by component.

    Along the thread of a screw; the rolling of teeth, at the mean distance `radius` from their pitch point; where a radius is given the angle of a pin, the turning of a ball, sliding and turning of a shaft at its surface; else what slides.
    """
    if friction.along is not None:
        return read_several(friction, friction.along)
    made = joint.coordinates()
    turned = friction.radius is not None
    if turned and joint.freedom == ("turn_x", "turn_y", "turn_z"):
        i, j = joint.markers
        frame = i.body if j.body.is_ground else j.body
        return tuple(
            Measure(f"{friction.name}.turn_{a}", "spin", i, j, direction=a, unit="rad", frame=frame) for a in "xyz"
        )
    if turned and joint.mesh is not None:
        terms, lever = joint.mesh
        if lever is None:
            why = "the force of the teeth is the torque over the pitch radius"
            raise ModelError(
                friction.asked, f"{joint!r} without radii", why, "give the gear radii= in the place of ratio= or teeth="
            )
        first = terms[0][1]
        return (Measure(f"{friction.name}.roll", "combination", first.i, first.j, terms=terms, unit="rad"),)
    if turned and joint.thread is not None:
        lead = lead_angle(friction, joint)
        return (_surface(friction, joint, "thread", math.sin(lead), math.cos(lead)),)
    wanted = [x for x in made.values() if (x.unit == "rad") == turned]
    if turned and len(wanted) == 1 and joint.freedom == ("turn_z", "z"):
        return joint.slide_measure(), _surface(friction, joint, "surface", 0.0, 1.0)
    if not 1 <= len(wanted) <= (1 if turned else 3):
        found = f"{joint!r} with the coordinates {', '.join(made) or 'none'}"
        why = "friction in a pin needs its radius" if friction.radius is None and made else "one coordinate must slip"
        raise ModelError(
            friction.asked, found, why, "give radius= for a pin or a ball, along= what slips, or force= on a measure"
        )
    return tuple(wanted)


def _surface(friction: Any, joint: Any, name: str, slide: float, turn: float) -> Measure:
    """The way of a point at the radius of a shaft, of slide along the axis and of turning about it."""
    sliding, angle = joint.slide_measure(), joint.angle_measure()
    terms = (slide, sliding), (friction.model.value(friction.radius) * turn, angle)
    used = tuple(term for term in terms if term[0] != 0.0)
    return Measure(f"{friction.name}.{name}", "combination", sliding.i, sliding.j, terms=used, unit="m")


def lead_angle(friction: Any, joint: Any) -> float:
    """Lead angle of a thread at the radius: tan a = pitch/(2 pi r)."""
    return math.atan2(friction.model.value(joint.thread), 2.0 * math.pi * friction.model.value(friction.radius))


def pressing(friction: Any, joint: Any, value: Any) -> list[Pad]:
    """What presses in a joint, in units of the friction along its measure; `value` reads numbers."""
    rows = [unit for measure in joint.rows() for unit in _rows_of(measure, friction.model.plane)]
    forces = [k for k, unit in enumerate(rows) if unit == "m"]
    moments = [k for k, unit in enumerate(rows) if unit != "m"]
    arm = 1.0
    if joint.thread is not None and friction.radius is not None:
        # the thread carries lam along the axis, N = lam/cos(a) across itself
        return [Pad((((1.0 / math.cos(lead_angle(friction, joint)), len(rows) - 1),),))]
    if joint.mesh is not None and friction.radius is not None and friction.along is None:
        # N = F_t/cos(pressure angle), at the mean distance of the contact from the pitch point
        angle = PRESSURE if friction.pressure_angle is None else float(value(friction.pressure_angle))
        lever = abs(float(value(joint.mesh[1])))
        return [Pad((((float(value(friction.radius)) / (lever * math.cos(angle)), 0),),))]
    if not forces:
        why = "what presses is a force; this joint carries none of its own"
        raise ModelError(friction.asked, f"mu with {joint!r}", why, "name the joint that presses, or give force=")
    if friction.radius is not None and friction.on.unit == "rad":
        arm = float(value(friction.radius))
    if friction.length is None or not moments:
        return [Pad(tuple(((arm, k),) for k in forces))]
    half = float(value(friction.length))
    if len(forces) == len(moments) == 1:
        ends = [((0.5 * arm, forces[0]), (side * arm / half, moments[0])) for side in (1.0, -1.0)]
        return [Pad((end,)) for end in ends]
    return [Pad(tuple(((arm, k),) for k in forces)), Pad(tuple(((2.0 * arm / half, k),) for k in moments))]


def left_before_slip(friction: Any, value: Any, own: list[str], names: list[str]) -> Expr:
    """What is left before it slips, static N - |lam|: an expression of its multipliers and of those of the joint, by name."""
    limit: Expr = Number(friction.holding(value))
    if friction.mu is not None:
        total: Expr = Number(0.0)
        for pad in friction.pads(value):
            parts = [
                sum((c * Name.of_measure(names[k]) for c, k in component), Number(0.0)) for component in pad.components
            ]
            total = total + length_of(parts)
        limit = limit * total
    factor = friction.factor(0)
    limit = limit if factor is None else limit * factor
    return limit - length_of([Name.of_measure(x) for x in own])


def length_of(parts: Sequence[Expr]) -> Expr:
    """Length of a vector."""
    size: Expr = Call("abs", (parts[0],))
    for x in parts[1:]:
        size = Call("hypot", (size, x))
    return size


def rows_in(joint: Any, plane: bool) -> int:
    """How many rows a joint holds."""
    return sum(len(_rows_of(measure, plane)) for measure in joint.rows())


def _rows_of(measure: Measure, plane: bool) -> list[str]:
    """Units of the rows of a measure that is held."""
    if measure.kind in ("gap", "parallel"):
        return ["m"] * (2 if plane else 3) if measure.kind == "gap" else ["1"] * 2
    return ["1" if measure.kind in ("dot", "twist") else measure.unit]
