"""What presses on dry friction at a state of either kind of model: by forces, or in a blow by impulses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ...kernels.operate import ROWS
from ...model.events import SOLVED
from ...model.forces._soft_rub import SoftRub
from ...solve.contact_problem import Element
from ...system.rows import weights_in_load
from ...system.subspaces import INDEPENDENT, factor, unit_rows

if TYPE_CHECKING:
    from ...kernels.watch import Watch
    from ...state import State
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System
    from .dynamics import Dynamics
    from .prepared import Prepared

# part of a load in a combination of loads without effect above which the combination changes it
SHARED = 1e-7
# rates that are none: this part of the model's length (or radians) in a second
STILL = 1e-10


def still(here: Dynamics, measure: Any) -> float:
    """A rate of a measure that is none."""
    # expressions of a Lagrangian system have units of their own
    unit = here.system.length if getattr(measure, "unit", "") == "m" else 1.0
    return float(STILL * unit * max(1.0, float(np.max(np.abs(here.v), initial=0.0))))


def felt_rows(one: Any, system: System | LagrangeSystem) -> list[int]:
    """Rows whose multipliers press."""
    return [system.rows_of(part)[k] for part, k in one.felt(system.plane)]


def pads_of(one: Any, system: System | LagrangeSystem) -> tuple[np.ndarray, ...]:
    """Of each surface that presses the components as rows of a matrix on the multipliers of `felt_rows`."""
    width = len(one.felt(system.plane))
    return tuple(_matrix(pad, width) for pad in one.pads(system.number))


def pressure_at(one: Any, here: Dynamics, lam: np.ndarray, rows: list[int], way: Any = 0) -> float:
    """N of an element at a state by the multipliers that it feels, which stand in these rows, or by its gaps, with its factor; 1 of what feels nothing."""
    if isinstance(one, SoftRub):
        return one.pressed(here.system.number, [here.measure(gap)[::2] for gap in one.gaps])
    made = one.factor(way)
    factor = 1.0 if made is None else float(here.measure(made)[0])
    if one.mu is None:
        return factor
    return float(factor * sum(np.linalg.norm(pad @ lam[rows]) for pad in pads_of(one, here.system)))


def coefficients(one: Any, here: Dynamics, speed: float, rests: bool) -> tuple[float, float]:
    """Coefficients at a state, slipping with a speed, and holding: where it slips it holds with that of slipping."""
    one.check_at(0 if rests else SOLVED, here)
    value, made = here.system.number, one.factor(SOLVED)
    mu = one.slipping(value, speed) if made is None else one.kinetic(value) * float(here.measure(made)[0])
    if not rests:
        return mu, mu
    held = one.factor(0)
    return mu, one.holding(value) * (1.0 if held is None else float(here.measure(held)[0]))


def in_a_blow(here: Dynamics, asked: str) -> tuple[list[Element], np.ndarray, np.ndarray]:
    """Friction of joints and rows that feels what presses and is let go, for the contact problem; rows and rates of what slips there."""
    model, absent = here.system.model, here.system.model.situation.absent
    found: list[Element] = []
    rows, rates = list[np.ndarray](), list[float]()
    some = [one for one in model.frictions if one.kind != "rub" and one.mu is not None]
    some = [one for one in some if one.name not in absent and not absent & set(one.pressed_by)]
    refuse_shared(asked, some, here)
    for one in (one for one in some if not here.system.rows_of(one.name)):
        measured = [here.measure(measure)[1:] for measure in one.slips]
        speed = float(np.linalg.norm([rate for _, rate in measured]))
        mu, static = coefficients(one, here, speed, speed <= still(here, one.on))
        places = tuple(range(len(rows), len(rows) + len(measured)))
        pads, felt = pads_of(one, here.system), tuple(felt_rows(one, here.system))
        found.append(Element(None, places, mu, static, pads=pads, felt=felt, name=one.name))
        rows += [row for row, _ in measured]
        rates += [rate for _, rate in measured]
    return found, np.array(rows).reshape(len(rows), here.system.nv), np.array(rates)


def _sharing(here: Dynamics) -> tuple[np.ndarray, np.ndarray, str]:
    """Combinations of multipliers without effect (columns), lengths of the rows, and the parts that take part in them."""
    unit, size = unit_rows(here.dense_jac)
    free = factor(unit, INDEPENDENT).left / size[:, None]
    taking = np.max(np.abs(free) * size[:, None], axis=1, initial=0.0) > SHARED
    names = dict.fromkeys(part for part, x in zip(here.system.row_parts, taking) if x)
    return free, size, ", ".join(map(repr, names))


def refuse_shared(asked: str, elements: list[Any], here: Dynamics) -> None:
    """Refuse friction that feels a reaction which the equations do not determine: lam + N c for every c, J^T N = 0."""
    feeling = [one for one in elements if one.mu is not None]
    if not feeling or not here.dropped.any():
        return
    free, size, parts = _sharing(here)
    for one in feeling:
        rows = felt_rows(one, here.system)
        weights = np.vstack(pads_of(one, here.system))
        if np.max(np.abs(weights @ free[rows]), initial=0.0) > SHARED * np.max(np.abs(weights) / size[rows]):
            raise ModelError(
                asked, f"friction {one.name!r} feels the load of {', '.join(map(repr, one.pressed_by))}, which is not unique: rows of {parts} depend on each other",
                "they share the load in any proportion, and friction would be another with each",
                "leave out what holds twice (a spherical joint, a cylindrical one), let a joint yield (a bushing), or give force= for a constant size",
            )  # fmt: skip


def refuse_not_unique(asked: str, event: str, prepared: Prepared, state: State, w: Watch, felt: list[int]) -> None:
    """Refuse an event on a load that rows which depend on each other share in any proportion."""
    if not prepared.dropped:
        return
    view: Any = prepared.at(state.t, state.q, state.v)
    view.operate(ROWS)
    free, size, parts = _sharing(view)
    for k in felt:
        weights = weights_in_load(view.system, view.work, w, k)
        if np.max(np.abs(weights @ free), initial=0.0) > SHARED * np.max(np.abs(weights) / size, initial=1e-300):
            raise ModelError(
                asked, f"event {event!r} watches a load that is not unique: rows of {parts} depend on each other",
                "they share the load in any proportion, and the event would happen at another time with each",
                "leave out what holds twice (a spherical joint, a cylindrical one), let a joint yield (a bushing), or watch what is unique",
            )  # fmt: skip


def _matrix(pad: Any, width: int) -> np.ndarray:
    found = np.zeros((len(pad.components), width))
    for n, component in enumerate(pad.components):
        for c, k in component:
            found[n, k] += c
    return found
