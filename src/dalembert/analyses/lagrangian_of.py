"""lagrangian_of: a mechanism as a Lagrangian system, in joint coordinates or in absolute ones."""

from __future__ import annotations

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, checked_call, nearest, shown
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..options.call import refuse_friction, refuse_one_sided
from ..state import State


@checked_call
def lagrangian_of(model: Mechanism, form: str = "minimal", *, state: State | None = None) -> Lagrangian:
    """A mechanism as a Lagrangian system: kinetic and potential energy, dissipation, forces, and rows, as expressions.

    Parameters of the mechanism stay symbols.  All verbs and forms for Lagrangian systems then apply.

    minimal
        Joint coordinates of a spanning tree: theta_A is the angle of joint "A", s_A its slide, x_A, y_A displacements, alpha_A, beta_A,
        gamma_A turns about x, y and z one after the other, counted from the drawing.  A body that no joint of the tree reaches has
        x_body, y_body, phi_body of its own.  Joints that close loops, couplings and drivers are rows.
    absolute
        x, y, phi of every body in the plane; x, y, z and Euler parameters e0 … e3 in space, with a row that keeps their length.
        Every joint is rows.

    An angle in space that a force law, coupling or driver needs and that is no joint coordinate becomes a coordinate of its own with a row
    that ties it to the bodies, so that turns are counted.

    Parameters
    ----------
    model
        The mechanism.
    form
        "minimal" or "absolute".
    state
        State to start from; default: the assembled start of the mechanism.

    Returns
    -------
    Lagrangian
        With initial conditions of the mechanism: values and rates of independent coordinates, guesses of the others.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> l = m.parameter("l", 0.5)
    >>> bar = m.body("bar", da.rod(length=2 * l, mass=3.0), at=(l, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> print(da.equations(da.lagrangian_of(m)))
    Lagrange's equations of 'pendulum'
      energies
        T = 2*l**2*theta_A'**2
        V = 29.43*l*sin(theta_A)
      d/dt dL/dq' - dL/dq = Q
        4*l**2*theta_A'' + 29.43*l*cos(theta_A) = 0
    """
    from ..model.kinds import read_mechanism
    from ..symbolic.mechanism.convert import FORMS, converted
    from .lagrangian.of_mechanism import start_like
    from .pose.pose import Pose

    asked = f"lagrangian_of({shown(getattr(model, 'name', model), 40)})"
    read_mechanism(asked, model)
    for which in ("frictions", "soft_rubs"):
        refuse_friction("lagrangian_of", model, which)
    refuse_one_sided("lagrangian_of", model)
    if form not in FORMS:
        raise MethodError(asked, f"form = {shown(form)}", nearest(form, FORMS), "use 'minimal' or 'absolute'")
    with compiling(), np.errstate(all="ignore"):
        made = converted(model, form)
        pose = Pose.of(model, state, asked=asked)
        start_like(made, pose, asked)
    return made.lagrangian
