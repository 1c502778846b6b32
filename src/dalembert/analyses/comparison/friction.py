"""Dry friction through independent formulations.

At a state it is decided what sticks and what slips, as `simulate` does, and the friction of what slips is solved for together with the reactions.  Then the mechanism is one
without dry friction: what sticks is a joint that holds its rates, what slips a force of the size mu N with the number N that was found.  All formulations know such a
mechanism.  Each finds accelerations and reactions, and by its own reactions what presses: where that is the same N, the forces that were solved for together are right.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import DalembertError
from ...model.events import rests
from ...model.mechanism import Mechanism
from ...state import State
from ...system.system import compile
from ..dynamics.pressure import felt_rows, pressure_at
from ..events.grips import decide
from ..pose.pose import Pose
from .differences import Comparison, Difference
from .embedding import EmbeddedJoint
from .formulations import unique
from .ways import Ways


class Decided:
    """A mechanism at a state, its friction decided."""

    def __init__(self, model: Mechanism, state: State, asked: str) -> None:
        # stops are open in all formulations
        shut = model.varied(replace(model.situation, absent=model.situation.absent | set(model.impacts)))
        here = Pose(compile(shut), state.t, state.q, state.v, state.angles)
        here.scales()
        here.detect(asked)
        found, self.ways = decide(here, asked)
        self.a, lam = found.solve()
        # sizes of the forces that were solved for together
        laws, forces = found.system.builder.laws, found.work.force
        self.elements = found.system.model.frictions
        self.forces = {}
        for one in self.elements:
            # that of a compliant contact is among its laws, beside those that press
            part, slips = one.owner.name if one.kind == "rub" else one.name, [measure.name for measure in one.slips]
            own = [f for law, f in zip(laws, forces) if (law.part, law.law.kind) == (part, "slip") and law.measure.name in slips]  # fmt: skip
            self.forces[one.name] = float(np.linalg.norm(own))
        self.sizes = {one.name: pressure_at(one, found, lam, felt_rows(one, found.system)) for one in self.elements}
        self.model = model.varied(replace(model.situation, slips=()))
        for one in self.elements:
            way = self.ways[one.name]
            made: Any = EmbeddedJoint(self.model, one.name, one.stick())
            if not rests(way):
                made = one.while_slipping(way, self.sizes[one.name], isinstance(way, tuple))
            self.model._parts[made.name] = made
        self.pose = Pose(compile(self.model), found.t, found.q, found.v, found.work.angle)
        self.pose.scales()


def compare_friction(
    model: Mechanism, states: list[State], asked: str
) -> tuple[list[Difference], list[str], int, float, list[str]]:
    """Differences of all ways at some states; the ways, states left out, rounding to be expected, notes."""
    largest: dict[tuple[str, str, str], Difference] = {}
    names: dict[str, None] = {}
    notes: dict[str, None] = {}
    left_out, rounding = 0, 0.0
    for number, state in enumerate(states):
        try:
            made = Decided(model, state, asked)
            ways = Ways(made.model, made.pose)
            record, clear = ways._evaluate(number)
        except DalembertError:
            if number == 0:
                raise
            left_out += 1
            continue
        if not clear:
            left_out += 1
            continue
        ways.records = [record]
        comparison = Comparison(ways)
        found = [*comparison.differences(), *_of_friction(made, ways, comparison)]
        for one in found:
            key = one.what, one.where, one.ways[1]
            if key not in largest or one.size > largest[key].size:
                largest[key] = one
        names |= dict.fromkeys(ways.names)
        notes |= dict.fromkeys(ways.notes)
        rounding = max(rounding, ways.rounding)
    return list(largest.values()), list(names), left_out, rounding, list(notes)


def _of_friction(made: Decided, ways: Ways, comparison: Comparison) -> list[Difference]:
    """What presses by the reactions of every way, and holding forces beyond their limit, beside the forces that were solved for together."""
    (record,), value = ways.records, made.pose.system.number
    rows: dict[str, list[int]] = {}
    for r, part in enumerate(ways.parts):
        rows.setdefault(part, []).append(r)
    together = f"{ways.compiled} with friction"
    size = max(1e-300, comparison.hurry * ways.length)
    found = [
        Difference.of("", "the whole mechanism", "acceleration", (together, way), (made.a / ways.columns, a / ways.columns), size / ways.length, "", record.number)
        for way, (a, _) in record.solved.items()
    ]  # fmt: skip
    for one in made.elements:
        force = comparison.load / (ways.length if one.on.unit == "m" else 1.0)
        for way, (_, lam) in record.solved.items():
            presses = pressure_at(one, made.pose, lam, [rows[part][k] for part, k in one.felt(ways.model.plane)])
            if not rests(made.ways[one.name]):
                speed = float(np.linalg.norm([made.pose.measure(measure)[2] for measure in one.slips]))
                pair = made.forces[one.name], one.slipping(value, speed) * presses
            else:
                # where joints hold the same, a part of it is not unique
                own = rows[one.name]
                held = float(np.linalg.norm(unique(lam[own], np.eye(len(own)), record.left[own])))
                pair = 0.0, max(0.0, held - one.holding(value) * presses)
            found.append(Difference.of(one.name, one.asked, "reaction", (together, way), pair, force, "N" if one.on.unit == "m" else "N m", record.number))  # fmt: skip
    return found
