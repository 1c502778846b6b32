"""What acts at a pose at rest beside the given forces: contacts that touch, friction of joints, of contacts and of known sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, ModelError
from ...model.events import AT_REST
from ...model.lagrangian import Lagrangian
from ...system.subspaces import INDEPENDENT, RANK, factor, unit_rows
from ..dynamics.pressure import coefficients, felt_rows, pads_of, pressure_at, refuse_shared
from ..events.contact import squeezed
from ..events.grips import leading
from ..events.stops import TOUCHING, scales
from ..events.surfaces import Surfaces, surfaces
from .static_forces import Grip, StaticForces

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism
    from ..dynamics.dynamics import Dynamics


def touching_at(asked: str, here: Dynamics, model: Mechanism | Lagrangian) -> tuple[Surfaces, list[int]]:
    """The stops of a model at a pose, and the numbers of those that touch; refused where bodies overlap."""
    s = surfaces(here, model)
    near = TOUCHING * scales(here, s)
    for name, gap, least in zip(s.names, s.value, near):
        if gap < -least:
            unit = model.impacts[name].unit
            raise MethodError(
                asked, f"the gap of {name!r} is {gap:.6g} {unit}".rstrip(), "bodies do not overlap: a gap is at least 0",
                "give a pose in which all gaps are open or closed, or m.open what does not belong to it",
            )  # fmt: skip
    return s, [k for k in range(len(s)) if s.value[k] <= near[k]]


def soft(model: Mechanism | Lagrangian) -> list[Any]:
    """Friction of compliant contacts at work, whether they touch or not."""
    return [one for one in model.soft_rubs if not one.absent(model.situation)]


def limited(model: Mechanism | Lagrangian) -> list[Any]:
    """Friction of a known limit, whether it touches or not: of compliant contacts, and of a constant size."""
    return soft(model) + [one for one in model.frictions if one.mu is None and one.kind != "rub"]


def at_rest(model: Mechanism | Lagrangian) -> Any:
    """The model as it is asked for friction: that of coordinates is told to be at rest."""
    if not isinstance(model, Lagrangian):
        return model
    slips = tuple((one.name, AT_REST) for one in model.frictions if one.kind != "rub")
    return model.varied(replace(model.situation, slips=slips))


def forces_at(
    asked: str, here: Dynamics, loads: np.ndarray | None = None, s: Surfaces | None = None, touch: Sequence[int] = (),
    force: np.ndarray | None = None, kept: Sequence[int] | None = None, rank: float = RANK,
) -> StaticForces:  # fmt: skip
    """All that may balance a pose of a model that was made by `at_rest`: loads (columns), gaps of `s` that touch, friction; `kept`: rows that hold, by default all."""
    model = here.system.model
    kept = list(range(here.system.n_rows)) if kept is None else list(kept)
    pushes, grips = [], list[Grip]()
    for k in touch:
        rub, slips = s.rubs[k], s.rows[s.partners[k]]  # type: ignore[union-attr]
        pushes.append(s.rows[k])  # type: ignore[union-attr]
        if rub is not None:
            grips.append(Grip(rub.name, slips, contact=len(pushes) - 1, mu=coefficients(rub, here, 0.0, True)[1]))
        elif len(slips):
            grips.append(Grip(s.names[k], slips, known=np.inf))  # type: ignore[union-attr]
    elements = [one for one in model.frictions if one.kind != "rub"]
    share = _smallest(asked, here, elements, kept)
    for one in leading([*soft(model), *elements], here):
        rows = np.array([here.measure(measure)[1] for measure in one.slips])
        if one not in elements:
            limit = one.holding(here.system.number) * pressure_at(one, here, here.work.lam, [])
            grips.append(Grip(one.name, rows, known=limit))
            continue
        static, felt = coefficients(one, here, 0.0, True)[1], felt_rows(one, here.system)
        pads = []
        for pad in pads_of(one, here.system):
            every = np.zeros((len(pad), here.system.n_rows))
            every[:, felt] = static * pad
            pads.append(every[:, kept])
        grips.append(Grip(one.name, rows, known=static if one.mu is None else 0.0, pads=tuple(pads)))
    made = StaticForces(
        here.force if force is None else force, here.dense_jac[kept], here.system.unit_of_velocity, loads, np.array(pushes).reshape(len(pushes), here.system.nv), grips, rank, share
    )  # fmt: skip
    for one in grips:
        if one.contact >= 0 and one.contact in made.idle:
            raise squeezed(asked, one.name, s.names[touch[one.contact]])  # type: ignore[union-attr]
    return made


def _smallest(asked: str, here: Dynamics, elements: list[Any], kept: list[int]) -> np.ndarray | None:
    """Makes the multipliers of the smallest loads from any: lam - N (U N)^+ U lam, J^T N = 0, U lam the loads of joints; None where friction feels none that are shared."""
    try:
        refuse_shared(asked, elements, here)
        return None
    except ModelError:
        if isinstance(here.system.model, Lagrangian):
            raise  # rows of coordinates have no common unit
    from scipy.linalg import block_diag

    from ...results.reactions import scaled_load
    from ..reactions import at_instant

    unit_loads: Any = at_instant(here, asked)
    loads = np.zeros((0, 0))
    for part in dict.fromkeys(here.system.row_parts):
        loads = block_diag(loads, scaled_load(unit_loads, unit_loads.model.owner_of_rows(part))[0])
    order = [r for part in dict.fromkeys(here.system.row_parts) for r in here.system.rows_of(part)]
    loads = loads[:, np.argsort(order)][:, kept]
    unit, size = unit_rows(here.dense_jac[kept])
    null = factor(unit, INDEPENDENT).left / size[:, None]
    return np.eye(len(kept)) - null @ np.linalg.pinv(loads @ null) @ loads
