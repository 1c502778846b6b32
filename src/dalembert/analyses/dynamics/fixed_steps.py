"""Methods with loops of their own, the variational and the partitioned one: what they ask of a model, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError
from ...solve.leap import PARTS
from ...solve.moreau import NAME as MANY_CONTACTS
from ...solve.partitioned import Constraints, Rows
from .prepared import Prepared

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism


PARTITIONED = "partitioned"


def constraints_of(prepared: Prepared) -> Constraints:
    """What the partitioned method asks of the constraints of a model."""
    system = prepared.system

    def rows(t: float, q: np.ndarray, v: np.ndarray) -> Rows:
        here = prepared.at(t, q, v)
        kept, scale, rates = ~here.dropped, here.scale, here.w
        jac = here.dense_jac * scale[:, None]
        return Rows((here.phi * scale)[kept], jac[kept], (jac @ v - rates * scale)[kept])

    def follow(t: float, q: np.ndarray, v: np.ndarray) -> None:
        here = prepared.at(t, q, v)
        if len(prepared.work.angle):
            here.follow()

    return Constraints(rows, follow, np.asarray(system.unit_of_velocity), list(system.velocity_names))


def check_fixed(asked: str, model: Mechanism | Lagrangian, prepared: Prepared, method: Any, step: float | None) -> None:
    """Refuse steps of one length by other methods, variational methods without one, and models that they do not serve."""
    name = method.name
    if name not in (*PARTS, MANY_CONTACTS) and step is not None:
        raise MethodError(
            asked, f"step = {step:g} with method = {name!r}", "this method chooses its own steps",
            f"leave step out (max_step limits them), or give method='variational' (for many contacts 'moreau'); Runge-Kutta with steps of one length is da.Stepper(model, step={step:g}, method={method.order if method.order in (5, 8) else 4})",
        )  # fmt: skip
    if name not in (*PARTS, PARTITIONED):
        return
    asked = f"{asked}, method = {name!r}"
    if name in PARTS and step is None:
        raise MethodError(
            asked, "no step", "the method has steps of one length, and no error control", "give step=0.001"
        )
    system = prepared.system
    rolling = [name for name, rate in zip(system.row_parts, system.rows_on_rates) if rate]
    if rolling and name == PARTITIONED:
        why = "conditions on velocities leave more coordinates independent than velocities"
        raise MethodError(
            asked, f"conditions on velocities: {', '.join(sorted(set(rolling))[:6])}", why, "use another method"
        )
    if name == PARTITIONED:
        if model.events or model.impacts or model.frictions or model.soft_rubs or len(prepared.work.state):
            raise MethodError(
                asked, "events, impacts, dry friction or auxiliary states", "its steps end nowhere else and know no other states", "use another method",
            )  # fmt: skip
        return
    system.check_momenta(asked)
