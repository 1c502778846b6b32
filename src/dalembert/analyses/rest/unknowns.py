"""What is unknown in `holding_load`, as it is given: loads, drivers or rows, and what a load acts along; and whether the pose is at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, nearest, shown
from ...model.body import Body
from ...model.driver import Driver
from ...model.expression import Expr, as_expression
from ...model.forces import Force
from ...model.joints import Joint
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Load
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...model.reading import listed
from ..driven.path import scaled_columns
from ..pose.pose import Pose
from .balance import Unknown, drivers_of

# speeds (1/s, in lengths of the model, or units of the coordinates) below which a pose is at rest
REST = 1e-9
ACCEPTED = "an unknown load is a force, a driver or a measure along which it acts: its name or the part itself, or a list of them"


def read_unknowns(asked: str, model: Mechanism | Lagrangian, unknown: Any) -> list[Unknown]:
    """Everything unknown, from what a user may give: names, parts, measures, expressions."""
    items = (
        [unknown]
        if isinstance(unknown, str | Measure | Driver | Force | Joint | Body | Expr | Load)
        else listed(unknown)
    )
    if isinstance(model, Lagrangian) and items is None:
        items = [unknown]  # told one by one what is accepted
    if not isinstance(items, list | tuple):
        raise MethodError(asked, f"unknown = {shown(unknown)}", ACCEPTED, _example(model))
    if not items:
        raise MethodError(asked, f"unknown = {shown(unknown)}", "there is nothing to find", _example(model))
    if isinstance(model, Lagrangian):
        found = [_of_coordinates(asked, model, item) for item in items]
    else:
        found = [_of_bodies(asked, model, item) for item in items]
    names = [u.name for u in found]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise MethodError(asked, f"{twice[0]!r} twice", "it is one unknown", "name each unknown once")
    return found


def _example(model: Mechanism | Lagrangian) -> str:
    """What to do: names that this model has."""
    if isinstance(model, Lagrangian):
        return f"name a coordinate: {', '.join(map(repr, model.q[:4]))}"
    names = [part.name for part in (*model.parts("driver"), *(f for f in model.parts("force") if f.elements()))]
    names += [f"{joint.name}.{name}" for joint in model.parts("joint") for name in joint.coordinates()]
    return f"name one of them: {', '.join(map(repr, names[:4]))}" if names else "add a force or a driver, and name it"


def _of_bodies(asked: str, model: Mechanism, item: Any) -> Unknown:
    part = item
    if isinstance(item, str):
        part = model[item] if item in model else model.find_measure(item)
        if part is None and any(sign in item for sign in "+-*/("):
            return Unknown(item, None, [model.read_coordinate(asked, item)])
        if part is None:
            known = [
                p.name
                for kind in ("force", "driver", "measure")
                for p in model.parts(kind)
                if kind != "force" or p.elements()
            ]
            joints = [f"{p.name}.{c}" for p in model.parts("joint") for c in p.coordinates()]
            raise ModelError(
                asked,
                f"unknown {shown(item)}",
                f"no force, driver or measure is called so; {nearest(item, [*known, *joints])}",
                "use one of the known names",
            )
    if not isinstance(part, Measure | Driver | Force | Joint | Body | Expr):
        raise MethodError(asked, f"unknown {shown(item)} of type {type(item).__name__}", ACCEPTED, _example(model))
    if getattr(part, "model", model) is not model:
        raise ModelError(asked, f"{part!r}", "it belongs to another mechanism", "use parts of one mechanism")
    if isinstance(part, Driver):
        return Unknown(part.name, part, [part.measure])
    if isinstance(part, Force):
        measures = [measure for measure, _ in part.elements()]
        if not measures:
            why = "what a rigid contact or dry friction carries follows from the pose and the loads: it is a range, not a load to choose"
            do = f"{_example(model)}; da.equilibrium and da.reactions give pressures"
            raise ModelError(asked, f"unknown {part.name!r}, {part.tag} without a law of its own", why, do)
        if len(measures) > 1 and not part.vector:
            raise ModelError(
                asked,
                f"unknown {part.name!r}, {part.tag} with {len(measures)} components",
                "its load is not a single number",
                "name one of its measures, or a force or actuator of its own",
            )
        return Unknown(part.name, part, measures)
    measure = model.read_coordinate(asked, part)
    return Unknown(measure.name, measure, [measure])


def _of_coordinates(asked: str, model: Lagrangian, item: Any) -> Unknown:
    """A load, a holonomic row, a parameter of forces, a coordinate or an expression of coordinates and t."""
    name = item.name if isinstance(item, Load) else item
    if isinstance(name, str) and name in model.loads:
        return Unknown(name, model.loads[name], [])
    if isinstance(name, str) and name in model.holonomic:
        return Unknown(name, None, [model.holonomic[name]])
    if isinstance(name, str) and name in model.parameters:
        return Unknown(name, None, [])
    if not isinstance(name, str | Expr):
        why = "an unknown load is a load, a holonomic row, a coordinate or an expression of coordinates"
        raise MethodError(asked, f"unknown {shown(item)} of type {type(item).__name__}", why, f"name {model.q[0]!r}")
    made = as_expression(name, [*model.q, "t", *model.parameters], tables=model.tables, asked=asked)
    if not made.names & set(model.q) or any(x.startswith("rate(") for x in made.names):
        why = "a load acts along a coordinate or an expression of coordinates, without rates"
        raise MethodError(asked, f"unknown {shown(item)}", why, f"name a coordinate, for example {model.q[0]!r}")
    return Unknown(str(name), None, [made])


def check_rest(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    """Refuse a pose that moves, or that rows which stay would set in motion, at once or by their second rate."""
    (_check_bodies if isinstance(pose, Pose) else _check_coordinates)(asked, pose, wanted)


def _check_bodies(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    active, columns = scaled_columns(pose.system)
    speed = np.zeros(pose.system.nv)
    speed[active] = np.abs(pose.v[active]) / columns
    moved = bool(np.max(speed, initial=0.0) > REST)
    unknown = drivers_of(wanted) if not moved else set()
    rates = [(row, x, "/s") for row, x in zip(pose.rows, pose.nu) if abs(x) > REST and row.part not in unknown]
    if not moved and not rates:
        # at rest the second rates of rows are those of drivers
        second = zip(pose.rows, pose.gamma)
        rates = [(row, x, "/s^2") for row, x in second if abs(x) > REST and row.part not in unknown]
    if not moved and not rates:
        return
    bodies = speed.reshape(-1, pose.system.builder.width).max(axis=1)
    moving = [name for name, x in zip(pose.system.body_names, bodies) if x > REST]
    found = (
        [f"{', '.join(map(repr, moving[:4]))} move{'s' if len(moving) == 1 else ''} at t = {pose.t:g} s"]
        if moving
        else []
    )
    found += [f"driver {row.part!r} at {x:.4g} {row.unit}{per}" for row, x, per in rates[:4] if row.drive is not None]
    raise _moves(
        asked, "; ".join(found) or f"rows with a rate at t = {pose.t:g} s", "pose", "a pose without velocities (constant drivers, state=da.State(t, q, 0 * v))"
    )  # fmt: skip


def _check_coordinates(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    model, unknown = pose.system.model, {u.name for u in wanted}
    found = [f"rate({name}) = {x:.4g}" for name, x in zip(model.q, pose.v) if abs(x) > REST]
    if not found:
        moves = np.maximum(np.abs(pose.nu), np.abs(pose.gamma)) / pose.size
        rows = [name for name, x in zip(pose.system.row_names, moves) if x > REST and name not in unknown]
        found = [f"row {name!r} moves" for name in rows]
    if found:
        at, do = (
            f"{', '.join(found[:4])} at t = {pose.t:g} s",
            "a state without rates (state=da.State(t, q, 0 * v)) and rows at rest",
        )
        raise _moves(asked, at, "state", do)


def _moves(asked: str, found: str, what: str, do: str) -> MethodError:
    why = f"a holding load belongs to a {what} at rest; in motion inertia takes part"
    return MethodError(asked, found, why, f"give {do}, or use da.inverse_dynamics for the motion")
