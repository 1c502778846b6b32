"""Free-body sheets of the page: for every body its weight, the loads of all parts at their places, and the rate of its momentum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..results.result import Result
from ..results.series import Series

if TYPE_CHECKING:
    from ..model.body import Body
    from ..results.record import Record
    from ..results.saved import SavedResult


Index = dict[tuple[str, str], int]
KINDS = ("joint", "driver", "force")
# bodies beyond which a page has no sheets: nobody reads a thousand of them
MOST = 60


def has_sheets(run: Record | SavedResult) -> bool:
    """Whether sheets are made for a result."""
    return isinstance(run, Result) and len(run.system.body_names) <= MOST


def sheet_quantities(run: Result) -> Iterator[tuple[tuple[str, str], Series]]:
    """What the sheets need besides the quantities of the page: loads on the other bodies of parts, rates of angular momentum in space."""
    for part in (part for kind in KINDS for part in run.parts(kind)):
        load = run[part.name]
        for body in part.bodies:
            if body is not load.body:
                for what in ("force", "torque"):
                    yield (part.name, f"{what} on {body.name}"), getattr(load.on(body), what)
    if not run.plane:
        for body in run.matter:
            rate = Series(body.spin_momentum[1], f"{body.name}.momentum_rate", "N m", ("x", "y", "z"), run.t)
            yield (body.name, "momentum_rate"), rate


def sheets(run: Result, index: Index) -> list[dict[str, Any]]:
    """One sheet for every moving body, and one for the ground; numbers of quantities, places in body axes."""
    builder = run.system.builder
    n = 2 if run.plane else 3
    made = []
    for k, body in enumerate([*builder.bodies, run.model.ground]):
        sheet: dict[str, Any] = {"name": body.name, "body": -1, "loads": _loads(run, body, k, index)}
        if not body.is_ground:
            matter = run.matter[k]
            sheet["body"], sheet["mass"] = k, matter.mass
            sheet["weight"] = (matter.mass * builder.gravity)[:n]
            if run.plane:
                sheet["inertia"] = float(matter.inertia[2, 2])
            else:
                sheet["momentum"] = index[body.name, "momentum_rate"]
        elif not sheet["loads"]:
            continue
        made.append(sheet)
    return made


def _loads(run: Result, body: Body, number: int, index: Index) -> list[dict[str, Any]]:
    found = []
    for part in (part for kind in KINDS for part in run.parts(kind)):
        # a force has no partner: nothing of the mechanism pushes it off the ground
        if body not in part.bodies or (body.is_ground and part.external):
            continue
        own = run[part.name].body is body
        point = run.marker(part, body).point
        if not body.is_ground:
            point = point + run.system.builder.drawing.poses[body].center
        found.append({
            "name": part.name, "kind": part.kind, "type": part.tag.replace("_", " "),
            "place": [-1 if body.is_ground else number, point[: 2 if run.plane else 3]],
            **{what: index[part.name, what if own else f"{what} on {body.name}"] for what in ("force", "torque")},
        })  # fmt: skip
    return found
