"""instant: everything at one state, without a run: places, rates and second rates of points, bodies, joints and measures, and loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import checked_call
from ..model.kinds import named
from ..results.instant import Instant
from .dynamics.start import at_state
from .events.grips import decided
from .reactions import reactions_of

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism


@checked_call
def instant(model: Mechanism | Lagrangian, state: Any = None) -> Instant:
    """All that belongs to one state: positions, velocities and accelerations of bodies and points, measures with rates and second rates, loads.

    Parameters
    ----------
    model
        A Mechanism or a Lagrangian.
    state
        The state, as `run.at(t)` gives it, or what has one (an equilibrium, an assembly); default: the start.

    Returns
    -------
    Instant
        `x["bar"].position`, `x["bar"].point(0.5, 0).acceleration`, `x["A"].force`, `x["A.angle"]`, `x.rate("A.angle")`,
        `x.second_rate("A.angle")`; of a Lagrangian `x["theta"]`, `x["ball"].position`, `x.second_rate("l*sin(theta)")`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> now = da.instant(m)
    >>> round(now.second_rate("A.angle"), 9), now[bar.end].acceleration.round(9).tolist()
    (-14.715, [0.0, -14.715])
    """
    asked = named("instant", model, "a Mechanism or a Lagrangian is needed", "give the model")
    with compiling(), np.errstate(all="ignore"):
        return Instant(reactions_of(decided(at_state(model.beginning(), state, asked), asked), asked).run)
