"""Dry friction in small motions: what sticks is held, what slips has laws of its rates and feels the reactions.

Friction that slips has the force  -mu(|u|) N(lam) u/|u|  along its rates u.  At fixed lam it is a law of the rates, with the number N of this state; what is left is
its change with the reactions, which the equations for changes of accelerations and multipliers contain as a whole:

    M da + J^T dlam - sum_k load_k dN_k = (changes at fixed a and lam),    J da = ...,    dN_k = slope_k dlam

load_k is the generalized force of a unit of N_k, slope_k = dN_k/dlam.  The stiffness is no longer symmetric: modes may flutter, as those of squealing brakes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import MethodError, SingularError
from ...model.events import rests
from ...solve.friction import Sliding
from ...system.known import compiled
from ..dynamics.dynamics import Dynamics, view
from ..dynamics.pressure import felt_rows, still
from ..events.grips import decide, sliding

# a load of a pad below this part of the largest multiplier is none: its size has a corner there
NO_LOAD = 1e-9


@dataclass(frozen=True)
class Felt:
    """Friction that slips and feels what presses: N, its derivative by the multipliers, and the generalized forces of a unit of it."""

    size: float
    slope: np.ndarray
    load: np.ndarray


@dataclass(frozen=True)
class Smooth:
    """A model whose friction is decided and has derivatives; `again` is the same at another state of it."""

    here: Any
    felt: tuple[Felt, ...] = ()
    again: Callable[[Any], Smooth] | None = None


def answers(felt: Sequence[Felt], solve: Any, force: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Changes da and dlam of the equations above; `solve` knows those without friction."""
    a, lam = solve(force, second)
    if not felt:
        return a, lam
    loads, slopes = np.column_stack([one.load for one in felt]), np.array([one.slope for one in felt])
    by_a, by_lam = solve(loads, np.zeros((len(lam), len(felt))))
    n = np.linalg.solve(np.eye(len(felt)) - slopes @ by_lam, slopes @ lam)
    return a + by_a @ n, lam + by_lam @ n


def smooth(here: Any, asked: str) -> Smooth:
    """A model at a state, with friction and stops as `simulate` would begin there."""
    found, slips = decide(here, asked)
    if found is here:
        return Smooth(here)
    model, now = here.system.model, found.system.model.situation
    by_name = {one.name: one for one in found.system.model.frictions}
    # what others hold does not move either
    slips = {name: 0 if rests(way) else way for name, way in slips.items()}
    moving = [by_name[name] for name, way in slips.items() if way]
    for one in (one for one in moving if one.together):
        raise MethodError(
            asked, f"friction {one.name!r} slides on {len(one.pressing)} closed gaps in space", "as soon as it turns, each sharing of what presses gives another moment: there is no derivative by the turning",
            "ask at a state in which it sticks, or give the body one point that rubs",
        )  # fmt: skip
    _refuse_turns(asked, found, moving)
    pressed = {x.name: x for x in sliding(moving, found.system) if x.pads}
    sizes = {name: _pressure(x, found.work.lam, asked) for name, x in pressed.items()}
    # what sticks does not move at all: its values are held, where it has some, so that there is no motion of rate 0 left
    stuck = [by_name[name] for name, way in slips.items() if not way]
    stuck = [one for one in stuck if not getattr(one.on, "is_rate", False)]
    held = tuple((one.name, measure, found.measure(measure)[0]) for one in stuck for measure in one.held())
    out = {one.name for one in (*stuck, *moving)}
    situation = replace(now, locked=(*now.locked, *held), slips=tuple(x for x in now.slips if x[0] not in out))
    variant = model._sliding(situation, [(one, slips[one.name], sizes.get(one.name, (1.0,))[0]) for one in moving])
    pose: Any = view(compiled(variant, asked), found.t, found.q, found.v)
    pose.work.angle[:], pose.work.state[:] = found.work.angle, here.work.state
    pose.scales()
    pose.detect(asked)

    def of(one: Any) -> Felt:
        size, own = sizes[one.name]
        slope = np.zeros(pose.system.n_rows)
        slope[felt_rows(one, pose.system)] = own
        u, number = np.array([pose.measure(measure)[2] for measure in one.slips]), pose.system.number
        e = np.array([float(slips[one.name])]) if len(u) == 1 else u / np.linalg.norm(u)
        made = one.factor(slips[one.name])
        mu = (
            one.slipping(number, float(np.linalg.norm(u)))
            if made is None
            else one.kinetic(number) * pose.measure(made)[0]
        )
        load = -mu * sum(x * pose.measure(measure)[1] for x, measure in zip(e, one.slips))
        return Felt(size, slope, np.asarray(load))

    def again(later: Any) -> Smooth:
        return smooth(SimpleNamespace(system=here.system, state=later.state, work=later.work), asked)

    return Smooth(pose, tuple(of(one) for one in moving if one.name in sizes), again)


def _refuse_turns(asked: str, here: Dynamics, moving: list[Any]) -> None:
    """Refuse friction that slips, or will, where its rates are 0: where a slip begins from rest, and where it turns round (at a dead centre, whatever the machine does)."""
    for one in moving:
        rates = [here.measure(measure)[2] for measure in one.slips]
        if float(np.linalg.norm(rates)) <= still(here, one.on):
            raise MethodError(
                asked, f"friction {one.name!r} does not stick, and its rate is 0: it begins to slip, or turns round here (a dead centre)",
                "its force jumps with the direction of the rate, and has no derivative there", "ask at a state in which it slips or sticks, such as run.at(t)",
            )  # fmt: skip


def _pressure(one: Sliding, lam: np.ndarray, asked: str) -> tuple[float, np.ndarray]:
    """N, and its derivative by the multipliers of what presses; refused where it has none."""
    own, largest = lam[list(one.rows)], float(np.max(np.abs(lam), initial=0.0))
    loads = [float(np.linalg.norm(pad @ own)) for pad in one.pads]
    if any(x <= NO_LOAD * largest * float(np.max(np.abs(pad))) for x, pad in zip(loads, one.pads)):
        raise SingularError(
            asked, f"friction {one.name!r} slips, and what presses there is {min(loads):.3g}",
            "friction has the size of what presses, |N|, which has no derivative at N = 0",
            "take a state in which it is pressed one way, or leave this friction out",
        )  # fmt: skip
    size, slope = one.pressure(lam)
    return size, slope[list(one.rows)]
