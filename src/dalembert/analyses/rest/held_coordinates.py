"""Where dry friction holds a Lagrangian system with one free motion: ranges of what slips, as of mechanisms (`held.py`).

What slips is held at a place x by a row  s(q) - x = 0,  with all friction at its limits, each with either sign.  The system rests there without that row where its multiplier
may be 0.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, SingularError
from ...model.events import AT_REST
from ...model.expression import Expr, Name
from ...model.lagrangian import Lagrangian
from ...solve.friction import DryFriction
from ...state import State
from ...system.lagrange import compile_lagrangian
from ...system.slip import slip_tables
from ...system.subspaces import INDEPENDENT
from ..dynamics.pressure import refuse_shared
from ..events.grips import sliding
from ..lagrangian.point import Point
from .coordinates import FAR, Coordinates
from .held import HOLDING, PLACES, Held, RestRanges, ranges_of, refuse_many, walked

if TYPE_CHECKING:
    from ..holding_load import HoldingLoads


PLACE = "place of what slips"
# what a row may be off by, in units of the coordinates
OFF = 1e-9


def coordinate_ranges(asked: str, model: Lagrangian, start: State | None, turns: float, t: float) -> RestRanges:
    """Ranges of what slips first in which the system rests by itself."""
    from .of_model import problem_of

    if model.stops_at_work:
        found, why = (
            f"dry friction and the stops {', '.join(map(repr, model.stops_at_work))}",
            "what friction holds is found without stops",
        )
        raise MethodError(asked, found, why, "open them (m.open), or build a Mechanism with rigid contacts")
    _refuse_friction(asked, model)
    statics: Any = problem_of(asked, model.without_friction(), start, "force", None, t).statics
    if statics.dof > 1:
        from .staying import rest_place

        return rest_place(asked, model, start, turns, t)
    what, begin = _moving(model, statics), statics.pose.q.copy()
    held = Holding(asked, model, t, what)
    at = float(held.point_at(begin).measure(what)[0])
    step = _span(statics, what, at, turns) / (PLACES // 2)
    places = walked(held, begin, at, step)
    if not places:
        held.loads(at, begin)  # says what is wrong where it begins
    ranges = tuple(ranges_of(places, held, step))
    return RestRanges(model, str(what), "", ranges, (places[0].x, places[-1].x))


def _moving(model: Lagrangian, statics: Coordinates) -> Expr:
    """Return the first slipping element that moves in the degree of freedom; if none does, the first coordinate that moves."""
    statics.onto()
    motion, here = statics.free_motions(), statics.pose
    on = [one.what for one in model.frictions]
    for what in (*on, *map(Name, model.q)):
        row = here.measure(what)[1]
        if float(np.linalg.norm(row @ motion)) > INDEPENDENT * float(np.linalg.norm(row) * np.linalg.norm(motion)):
            return what
    return on[0]


def coordinate_loads(asked: str, found: HoldingLoads, name: str, what: Expr) -> tuple[float, float]:
    """Smallest and largest load along an expression, or of a row that lets go, by which friction lets a pose be held; `found`: what holds it without friction."""
    model, state = found.model, found.state
    assert isinstance(model, Lagrangian)
    _refuse_friction(asked, model)
    if found.freedoms > 1:
        why = "dry friction is looked at where one load holds the whole system"
        do = "hold the other freedoms by rows, or leave the friction out"
        raise MethodError(asked, f"{found.freedoms} free motions with dry friction", why, do)
    held = Holding(asked, model, state.t, what, name if name in model.holonomic else "")
    loads, q = held.loads(float(held.point_at(state.q).measure(what)[0]), state.q)
    for one in held.elements:
        one.check_at(AT_REST, held.point_at(q))
    return -max(loads), -min(loads)


def _refuse_friction(asked: str, model: Lagrangian) -> None:
    """Friction that holds nothing, and too much of it."""
    moving = [one for one in model.frictions if "t" in one.what.names]
    if moving:
        found = f"friction {moving[0].name!r} on {moving[0].what}, which moves with time"
        why = "at rest it slips all the time: nothing is held by it"
        raise MethodError(asked, found, why, "linearize at the state of steady slip, or leave t out")
    refuse_many(asked, model.frictions)


def _span(statics: Coordinates, what: Expr, at: float, turns: float) -> float:
    """How far it is looked to either side: half a turn times `turns` of an angle, ten sizes of the start otherwise."""
    k = statics.functions.q.index(what.name) if isinstance(what, Name) and what.name in statics.functions.q else None
    if k is not None:
        return math.pi * turns if statics.angle[k] else FAR * float(statics.unit[k]) * turns
    return FAR * turns * (abs(at) or 1.0)


class Holding:
    """A system in which something is held at a place, by a row of its own or by one that it has (`row`); friction is at its limits."""

    def __init__(self, asked: str, model: Lagrangian, t: float, what: Expr, row: str = "") -> None:
        self.asked, self.t, self.what = asked, t, what
        locked = () if row else ((HOLDING, what - Name.of_measure(PLACE), 0.0),)
        slips = tuple((one.name, AT_REST) for one in model.frictions)
        variant = model.varied(
            replace(model.situation, locked=(*model.situation.locked, *locked), slips=slips), {PLACE: 0.0}
        )
        self.system = compile_lagrangian(variant, asked).own()
        self.elements = self.system.model.frictions
        self.row = self.system.rows_of(row or HOLDING)[0]

    def __call__(self, x: float, near: np.ndarray) -> Held | None:
        """Multipliers of the row that friction lets the system be held by at a place, and the coordinates there; None where there are none."""
        try:
            loads, q = self.loads(x, near)
        except SingularError:
            return Held(x, -math.inf, math.inf, near)  # friction that feeds on itself holds any load
        except (DalembertError, np.linalg.LinAlgError):
            return None
        for one in self.elements:
            one.check_at(AT_REST, self.point_at(q))
        return Held(x, min(loads), max(loads), q)

    def point_at(self, q: np.ndarray) -> Point:
        """The system at coordinates, at rest."""
        return Point(self.system, self.t, q, np.zeros_like(q))

    def loads(self, x: float, near: np.ndarray) -> tuple[list[float], np.ndarray]:
        """Multipliers of the row that holds it, for all signs of friction at its limits, and the coordinates."""
        point = self.point_at(near)
        point.work.F[list(self.system.model.parameters).index(PLACE)] = x
        point.scales()
        off = point.onto()
        if not off <= OFF:
            why = "the rows cannot hold there"
            raise MethodError(self.asked, f"{self.what} = {x:g}: rows off by {off:.3g}", why, "give a better start")
        point.detect(self.asked)
        refuse_shared(self.asked, self.elements, point)
        friction = DryFriction(sliding(self.elements, self.system, at_rest=True), self.asked, slip_tables)
        memory, loads = SimpleNamespace(I=self.system.I, F=point.work.F), []
        for signs in itertools.product((1.0, -1.0), repeat=len(self.elements)):
            for one, sign in zip(self.elements, signs):
                friction.turn(one.name, np.array([sign]))
            friction.find(memory, self.t, lambda: point.solve()[1])
            loads.append(float(point.solve()[1][self.row]))
        return loads, point.q.copy()
