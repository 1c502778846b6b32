"""Rigid stops and contacts of a driven model: where drivers leave a freedom, those that touch at the start hold it, as long as they press.

Drivers that determine the motion alone push through every stop: where a gap closes there is no such motion, and where one stays closed nobody knows what it takes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError
from ...state import State
from ...system.subspaces import rank, unit_rows
from ..dynamics.start import prepare
from ..events.surfaces import measured
from ..rest.acting_forces import touching_at

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from .motion import Driven


# part of the largest pressure below which one is none
ROUNDING = 1e-9
LEAVE = "m.open({name!r}) leaves it out; da.simulate knows blows, rest and release"


def holding_contacts(asked: str, model: Mechanism | Lagrangian, t: float, start: State | None) -> Any:
    """The model with the contacts closed that touch at the start, if its drivers leave a freedom; refused where bodies overlap there."""
    if not model.stops_at_work:
        return model
    here = prepare(model, t, start, asked, extra=measured(model)).here()
    s, touch = touching_at(asked, here, model)
    columns = here.system.moves
    jac = here.dense_jac[:, columns]
    if not touch or rank(jac) == jac.shape[1]:
        return model
    closed = [s.names[k] for k in touch]
    both, _ = unit_rows(np.vstack([jac, s.rows[touch][:, columns]]))
    if rank(both) < rank(unit_rows(jac)[0]) + len(touch):
        raise MethodError(
            asked, f"{', '.join(map(repr, closed))} touch{'es' if len(touch) == 1 else ''} at t = {t:g} s, and more holds there than is free",
            "what contacts, joints and drivers that hold the same motion take of a load is not determined",
            f"m.open({closed[0]!r}) or another of them; da.simulate shares such loads by the smallest",
        )  # fmt: skip
    held = frozenset(closed)
    rubs = [s.rubs[k] for k in touch if s.rubs[k] is not None]
    if not all(rub.drivable(held, model) for rub in rubs):
        raise MethodError(
            asked, f"friction {rubs[0].name!r} at {closed[0]!r}, which touches at t = {t:g} s and holds a freedom that no driver moves",
            "what rubs there is known of driven mechanisms, in space of contacts that touch with one gap", "leave mu= out, drive the freedom, or use da.simulate",
        )  # fmt: skip
    # what slides is known of a motion that is given, and what presses is found together with the friction
    slips = tuple((rub.name, 1) for rub in rubs if rub.leads(held))
    return model.varied(replace(model.situation, closed=held, slips=slips))


def check_contacts(asked: str, run: Driven) -> None:
    """Refuse a motion in which a gap closes, or one that is held pulls, at the outputs or between them."""
    model = run.model
    held = model.situation.closed
    for name, stop in model.stops_at_work.items():
        rows = run.system.rows_of(name)[:1] if name in held else []
        value = (lambda r, rows=rows: -r.lam[:, rows[0]]) if rows else (lambda r, stop=stop: np.asarray(r[stop.gap]))
        found = np.asarray(value(run))
        length = run.system.length if stop.unit == "m" else 1.0
        none = ROUNDING * float(np.max(np.abs(found), initial=0.0)) if rows else 1e-10 * length
        wrong = [] if len(run.t) < 2 or np.all(np.abs(found) <= none) else run.crossings(value, -none, -1)[:1].tolist()
        wrong = wrong or run.t[np.flatnonzero(found < -none)[:1]].tolist()
        if wrong and rows:
            raise MethodError(
                asked, f"{name!r} would have to pull at t = {wrong[0]:.9g} s", "a contact presses: it opens there, and the drivers no longer determine the motion",
                "ask for earlier times, press harder, or let it lift off in da.simulate",
            )  # fmt: skip
        if wrong:
            raise MethodError(
                asked, f"the gap of {name!r} is negative at t = {wrong[0]:.9g} s", "bodies do not overlap: the drivers push them into each other",
                f"ask for earlier times; {LEAVE.format(name=name)}",
            )  # fmt: skip
        touch = np.flatnonzero(np.abs(found) <= none)
        if len(touch) and not rows:
            raise MethodError(
                asked, f"{name!r} touches at t = {run.t[touch[0]]:.9g} s", "the drivers hold the machine by themselves: what the contact takes of their load is not determined",
                LEAVE.format(name=name),
            )  # fmt: skip
