"""Free-body sheets of the page: for every body its weight, the loads of all parts at their places, and the rate of its momentum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..results.result import Result
from ..results.series import Series
from ..system.rows import mass_matrix

Index = dict[tuple[str, str], int]
KINDS = ("joint", "driver", "force")
# bodies beyond which a page has no sheets: nobody reads a thousand of them
MOST = 60


def has_sheets(run: Any) -> bool:
    """Whether sheets are made for a result."""
    return isinstance(run, Result) and len(run.system.body_names) <= MOST


def sheet_quantities(run: Any) -> Iterator[tuple[tuple[str, str], Series]]:
    """What the sheets need besides the quantities of the page: loads on the other bodies of parts, rates of angular momentum in space."""
    for part in (part for kind in KINDS for part in run.parts(kind)):
        load = run[part.name]
        for body in part.bodies:
            if body is not load.body:
                for what in ("force", "torque"):
                    yield (part.name, f"{what} on {body.name}"), getattr(load.on(body), what)
    if not run.plane:
        for body in run.system.builder.bodies:
            yield (
                (body.name, "momentum_rate"),
                Series(_momentum_rate(run, body), f"{body.name}.momentum_rate", "N m", ("x", "y", "z"), run.t),
            )


def sheets(run: Any, index: Index) -> list[dict[str, Any]]:
    """One sheet for every moving body, and one for the ground; numbers of quantities, places in body axes."""
    drawing, builder = run.system.builder.drawing, run.system.builder
    n = 2 if run.plane else 3
    made = []
    for k, body in enumerate([*builder.bodies, run.model.ground]):
        sheet: dict[str, Any] = {"name": body.name, "body": -1, "loads": _loads(run, body, k, index)}
        if not body.is_ground:
            properties = drawing.poses[id(body)].properties
            sheet["body"], sheet["mass"] = k, float(properties.mass)
            sheet["weight"] = (properties.mass * run.system.builder.gravity)[:n]
            if run.plane:
                sheet["inertia"] = 0.0 if body.particle else float(_block(run, body)[2, 2])
            else:
                sheet["momentum"] = index[body.name, "momentum_rate"]
        elif not sheet["loads"]:
            continue
        made.append(sheet)
    return made


def _loads(run: Any, body: Any, number: int, index: Index) -> list[dict[str, Any]]:
    found = []
    for part in (part for kind in KINDS for part in run.parts(kind)):
        # a force has no partner: nothing of the mechanism pushes it off the ground
        if body not in part.bodies or (body.is_ground and part.external):
            continue
        own = run[part.name].body is body
        point = run.marker(part, body).point
        if not body.is_ground:
            point = point + run.system.builder.drawing.poses[id(body)].center
        found.append({
            "name": part.name, "kind": part.kind, "type": part.tag.replace("_", " "),
            "place": [-1 if body.is_ground else number, point[: 2 if run.plane else 3]],
            **{what: index[part.name, what if own else f"{what} on {body.name}"] for what in ("force", "torque")},
        })  # fmt: skip
    return found


def _block(run: Any, body: Any) -> np.ndarray:
    """Mass matrix of one body."""
    b, width = run.system.builder.body_index(body), run.system.builder.width
    return np.asarray(mass_matrix(run.system)[width * b : width * b + width, width * b : width * b + width].toarray())


def _momentum_rate(run: Any, body: Any) -> np.ndarray:
    """Rate of angular momentum about the mass centre, J w' + w x J w in body axes, turned to space axes (time, 3)."""
    b = run.system.builder.body_index(body)
    inertia = _block(run, body)[3:, 3:]
    w, e = run.v[:, 6 * b + 3 : 6 * b + 6], run.a[:, 6 * b + 3 : 6 * b + 6]
    rate = e @ inertia.T + np.cross(w, w @ inertia.T)
    return np.asarray(np.einsum("tij,tj->ti", run.kinematics(body).rotation, rate))
