"""Contact points and dry friction of a mechanism as tables for steps of one length (`kernels/contact_points.py`).

A rigid contact of `m.contact` is looked at by its own geometry; stops of other measures and cams have rows among the free rows of the system, and so has what slips.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import MethodError
from ..kernels import contact_points as at
from ..kernels.contact_points import Points
from ..model.events import Impact
from ..model.expression import Expr
from ..model.forces.contact import Contact
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from .rows import slots_of
from .system import System


def contacts_of(model: Mechanism) -> list[tuple[Impact, Any, Contact | None, str]]:
    """Every rigid stop with its friction (`Rub`), or None; of a contact whose geometry is known this and the label of the gap."""
    rubs = {rub.stop.name: rub for rub in model.rubs if rub.owner.name not in model.situation.absent}
    found = []
    for stop in model.stops_at_work.values():
        part = model._parts.get(stop.part)
        label = next((x for x, gap in part.gaps.items() if gap is stop.gap), "") if isinstance(part, Contact) else ""
        found.append((stop, rubs.get(stop.name), part if label else None, label))
    return found  # type: ignore[return-value]


def frictions_of(model: Mechanism) -> list[Any]:
    """Dry friction of joints and measures, and of compliant contacts."""
    absent = model.situation.absent
    own = [part for part in model.parts("force") if part.sticks and part.name not in absent]
    return [*own, *(rub for rub in model.soft_rubs if not rub.absent(model.situation))]


def along(stop: Impact, rub: Any) -> tuple[Measure, ...]:
    """What slips, or does not, while a stop is closed."""
    return stop.rough if rub is None else rub.slips


def measures_of(model: Mechanism) -> tuple[Measure, ...]:
    """Measures that have rows: gaps and slips without a geometry of their own, and what slips in joints."""
    stops = [x for stop, rub, part, _ in contacts_of(model) if part is None for x in (stop.gap, *along(stop, rub))]
    return (*stops, *(x for one in frictions_of(model) for x in one.slips))


def points_of(system: System, asked: str) -> tuple[Points, list[Any]]:
    """The tables, and for every contact point its stop, or its friction."""
    model, number = system.model, system.number
    stops, frictions = contacts_of(model), frictions_of(model)
    n = len(stops) + len(frictions)
    ground = len(system.builder.bodies)
    kind, body, tangents = np.zeros(n, dtype=np.int64), np.full((n, 2), ground), np.zeros(n, dtype=np.int64)
    numbers, rows, law = np.zeros((n, at.NUMBERS)), np.full((n, 4), -1), np.zeros((5, n))
    restitution, mu, static, force, holding = law
    pads: list[tuple[int, list[list[tuple[float, int]]]]] = []
    pushes: list[tuple[int, int]] = []

    def row(measure: Measure) -> int:
        return system.n_rows + system.builder.free_row(f"measure {measure.name!r}", measure)

    for k, (stop, rub, part, label) in enumerate(stops):
        restitution[k] = stop.coefficient(model.parameters)
        if rub is not None:
            mu[k], static[k] = _sizes(asked, rub, number)
        elif stop.rough:
            mu[k] = static[k] = math.inf
        slips = along(stop, rub)
        tangents[k] = len(slips)
        if part is not None:
            kind[k], body[k], numbers[k] = _geometry(system, part, label)
            continue
        kind[k] = at.MEASURE
        rows[k, : 1 + len(slips)] = [row(x) for x in (stop.gap, *slips)]
    for k, one in enumerate(frictions, start=len(stops)):
        kind[k], tangents[k] = at.FRICTION, len(one.slips)
        rows[k, 1 : 1 + len(one.slips)] = [row(x) for x in one.slips]
        if one.mu is None:
            force[k], holding[k] = _sizes(asked, one, number)
            continue
        mu[k], static[k] = _sizes(asked, one, number)
        if one.kind == "rub":
            gaps = {gap.name for gap in one.gaps}
            pushes += [
                (k, i) for i, x in enumerate(system.builder.laws) if x.part == one.contact and x.measure.name in gaps
            ]
            continue
        held = system.rows_of(one.joint.name)
        pads += [
            (k, [[(w, held[i]) for w, i in component] for component in pad.components]) for pad in one.pads(number)
        ]
    jointed = np.zeros(ground + 1, dtype=np.int64)
    slots = slots_of(system)
    jointed[slots.body[slots.row < system.n_rows]] = 1
    jointed[ground] = 0
    components = [component for _, pad in pads for component in pad]
    entries = [entry for component in components for entry in component]
    points = Points(
        kind, body, numbers, rows, tangents, restitution, mu, static, force, holding,
        np.searchsorted([k for k, _ in pads], np.arange(n + 1)).astype(np.int64),
        _starts([len(pad) for _, pad in pads]), _starts([len(x) for x in components]),
        np.array([r for _, r in entries], dtype=np.int64), np.array([w for w, _ in entries], dtype=float),
        np.searchsorted([k for k, _ in pushes], np.arange(n + 1)).astype(np.int64), np.array([i for _, i in pushes], dtype=np.int64),
        jointed, int(np.any(rows >= 0)),
    )  # fmt: skip
    return points, [*(stop for stop, *_ in stops), *frictions]


def _starts(counts: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _sizes(asked: str, one: Any, number: Any) -> tuple[float, float]:
    """Coefficients or forces of friction that slips and that sticks."""
    size = one.kinetic(number)
    if isinstance(size, Expr):
        raise MethodError(
            f"{asked}, method = 'moreau'", f"{one.asked}: a size that depends on the rate of slipping", "its steps know one size of friction that slips and one of friction that sticks",
            "give numbers mu= and static=, or leave method= out",
        )  # fmt: skip
    return float(size), float(one.holding(number))


def _geometry(system: System, part: Contact, label: str) -> tuple[int, tuple[int, int], np.ndarray]:
    """Kind, bodies and numbers of a gap of a contact."""
    first, second, big, small, inside = part._places[label]  # type: ignore[attr-defined]
    i, j = system.builder.drawing.attach(first, second)
    x = np.zeros(at.NUMBERS)
    x[at.ON_I : at.ON_I + 3], x[at.ON_J : at.ON_J + 3], x[at.R_J] = i.point, j.point, system.number(small)
    bodies = system.builder.body_index(first.body), system.builder.body_index(second.body)
    if big is not None:
        x[at.R_I], x[at.INSIDE] = system.number(big), float(inside)
        return at.BALLS, bodies, x
    x[at.NORMAL : at.NORMAL + 3] = i.axes[:, 0]
    if second.z is None:
        return at.PLANE, bodies, x
    x[at.AXIS : at.AXIS + 3] = j.axes[:, 2]
    return at.RIM, bodies, x
