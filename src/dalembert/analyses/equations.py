"""The equations of motion as arrays with names: M, Q, phi, J, nu, gamma, lambda, a at one state; theory (1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError, nearest, shown
from ..model.body import Body
from ..model.mechanism import Mechanism
from ..model.reading import cross_matrix, in_body_axes
from ..options.call import refuse_friction, refuse_one_sided, verb
from ..results.guard import check
from ..state import State
from ..symbolic.theory_parts import arm_of
from ..system.rows import mass_matrix
from ..system.system import System
from .events.grips import decided
from .pose.pose import Pose


def _first(names: Sequence[str]) -> str:
    return (", ".join(names[:6]) + (", …" if len(names) > 6 else "")) or "none"


@dataclass(frozen=True, eq=False, repr=False)
class Equations:
    """M a + J^T lam = Q, J a = gamma at one state, with the names of rows and velocities.

    `M` and `J` (or `jac`) are dense arrays; `mass_matrix()` and `jacobian()` give them as SciPy sparse matrices.  Parts of the theory:
    `position(bar.end)`, `velocity`, `acceleration`, `rotation("bar")`, `spin`, `spin_rate`, `partial_velocity`, `partial_spin`,
    `active_force`, `inertia_force`, `power`, `N`, `b`, `inertia("bar")`, `inertia_rate`, `gyroscopic`.
    """

    system: System
    state: State
    Q: np.ndarray
    phi: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    lam: np.ndarray
    a: np.ndarray
    row_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    _jac: Any = None

    def __str__(self) -> str:
        n, m = len(self.velocity_names), len(self.row_names)
        return (
            f"equations of {self.system.model.name!r} in numbers at t = {self.state.t:g} s: M a + J^T lam = Q, J a = gamma\n"
            f"  arrays       M {n} x {n}, J {m} x {n}, Q and a {n}, phi, nu, gamma and lam {m}\n"
            f"  velocities   .velocity_names: {_first(self.velocity_names)}\n"
            f"  rows         .row_names: {_first(self.row_names)}\n"
            "  with symbols equations(m, form='absolute') or form='minimal'"
        )

    __repr__ = __str__

    def mass_matrix(self) -> Any:
        """Mass matrix as a SciPy sparse matrix."""
        return mass_matrix(self.system)

    def jacobian(self) -> Any:
        """Jacobian as a SciPy sparse matrix."""
        return self._jac

    @property
    def M(self) -> np.ndarray:
        """Mass matrix, dense."""
        return self.mass_matrix().toarray()  # type: ignore[no-any-return]

    @property
    def jac(self) -> np.ndarray:
        """Jacobian, dense."""
        return self._jac.toarray()  # type: ignore[no-any-return]

    J = jac

    # -- parts of the theory -------------------------------------------------------------------------------------------------

    @property
    def N(self) -> np.ndarray:
        """N(q) of q' = N v: one in the plane; in space p' = G^T w'/2 for the quaternion of every body."""
        from scipy.linalg import block_diag

        if self.system.plane:
            return np.eye(self.system.nv)
        blocks = []
        for b in range(len(self.system.builder.bodies)):
            e0, e1, e2, e3 = self.state.q[7 * b + 3 : 7 * b + 7]
            G = np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
            blocks += [np.eye(3), G.T / 2]
        return np.asarray(block_diag(*blocks))

    @property
    def Phi_r(self) -> np.ndarray:
        """Columns of J of the velocities of all mass centres, one body after the other: Phi_r r'' + Pi w'' = gamma (SPATIAL)."""
        return self.J[:, ~self._turns]

    @property
    def Pi(self) -> np.ndarray:
        """Columns of J of the angular velocities of all bodies in their axes; of their angles in the plane."""
        return self.J[:, self._turns]

    @property
    def Phi_q(self) -> np.ndarray:
        """Jacobian by the coordinates (r, p): J with w' = 2 G p' of the quaternions p (BASICS 8.50); J in the plane.

        Derivatives of Phi by p differ from it by multiples of p^T, as formulas with p^T p = 1 may; along p^T δp = 0 all are the same.
        """
        if self.system.plane:
            return self.J
        # N = G^T/2 there
        return np.asarray(self.J * np.where(self._turns, 4.0, 1.0) @ self.N.T)

    @property
    def _turns(self) -> np.ndarray:
        """Which velocities are angular."""
        return np.arange(self.system.nv) % self.system.builder.width >= self._linear

    @property
    def b(self) -> np.ndarray:
        """Vector b of M a + b = g for free bodies: zero for the mass centres, w' x J'w' for the rotations (BASICS 8.38)."""
        made = np.zeros(self.system.nv)
        for k in range(0 if self.system.plane else len(self.system.builder.bodies)):
            w, J = self.state.v[6 * k + 3 : 6 * k + 6], self._inertia(k)
            made[6 * k + 3 : 6 * k + 6] = np.cross(w, J @ w)
        return made

    @property
    def active_force(self) -> np.ndarray:
        """Generalized active force phi: weights and force laws, without -w' x J'w', which Q contains (LAGRANGE 1.5.11)."""
        return np.asarray(self.Q + self.b)

    @property
    def inertia_force(self) -> np.ndarray:
        """Generalized inertia force phi* = -(M a + b); phi + phi* = J^T lam (LAGRANGE 1.5.16)."""
        return np.asarray(-(self.mass_matrix() @ self.a + self.b))

    @property
    def power(self) -> float:
        """Power phi.v of the generalized active force [W]."""
        return float(self.active_force @ self.state.v)

    def position(self, part: Any, at: Any = None, frame: str = "space") -> np.ndarray:
        """Position of the mass centre of a body, of a point `bar.end`, or of a point `at` of a body [m], in space axes or in `frame="body"`.

        `at` is (x, y) in body axes from the origin of the body, a name of its shape, or a joint.
        """
        asked = f"position of {shown(part)}"
        found, arm = self._place(asked, part, at)
        center, A = self.system.place(self.state.q, found)
        return self._in_axes(asked, found, frame, (center + A @ arm)[: self._linear])

    def velocity(self, part: Any, at: Any = None, frame: str = "space") -> np.ndarray:
        """Velocity of a point [m/s]; see `position`."""
        asked = f"velocity of {shown(part)}"
        found, _ = self._place(asked, part, at)
        return self._in_axes(asked, found, frame, self.partial_velocity(part, at) @ self.state.v)

    def acceleration(self, part: Any, at: Any = None, frame: str = "space") -> np.ndarray:
        """Acceleration of a point [m/s²]: r'' + A (w'' x s' + w' x (w' x s')) (PLANAR 6.1.10); see `position`."""
        asked = f"acceleration of {shown(part)}"
        found, arm = self._place(asked, part, at)
        w = np.zeros(3)
        w[-1 if self.system.plane else slice(None)] = self.spin(found)
        inward = self._turned(found) @ np.cross(w, np.cross(w, arm))
        return self._in_axes(asked, found, frame, self.partial_velocity(part, at) @ self.a + inward[: self._linear])

    def rotation(self, body: Body | str) -> np.ndarray:
        """Rotation matrix A of a body, s = A s'."""
        return self._turned(self._moving_body(f"rotation of {shown(body)}", body))[: self._linear, : self._linear]

    def spin(self, body: Body | str, frame: str = "body") -> Any:
        """Angular velocity of a body [rad/s], in body axes or in `frame="space"`; one number in the plane."""
        return self._turning(f"spin of {shown(body)}", body, frame, self.state.v)

    def spin_rate(self, body: Body | str, frame: str = "body") -> Any:
        """Angular acceleration of a body [rad/s²], in body axes or in `frame="space"`; one number in the plane."""
        return self._turning(f"spin rate of {shown(body)}", body, frame, self.a)

    def partial_velocity(self, part: Any, at: Any = None) -> np.ndarray:
        """Derivative of the velocity of a point by all velocities: [1, -A s'~] of its body (space axes); see `position`."""
        body, arm = self._place(f"partial velocity of {shown(part)}", part, at)
        k, width, linear = self.system.body_index(body.name), self.system.builder.width, self._linear
        made = np.zeros((linear, self.system.nv))
        made[:, width * k : width * k + linear] = np.eye(linear)
        A = self._turned(body)
        if self.system.plane:
            made[:, 3 * k + 2] = (A @ np.cross([0.0, 0.0, 1.0], arm))[:2]
        else:
            made[:, 6 * k + 3 : 6 * k + 6] = -A @ cross_matrix(arm)
        return made

    def partial_spin(self, body: Body | str) -> np.ndarray:
        """Derivative of the angular velocity of a body by all velocities; body axes in space, one row in the plane."""
        found = self._moving_body(f"partial spin of {shown(body)}", body)
        k = self.system.body_index(found.name)
        size = 1 if self.system.plane else 3
        made = np.zeros((size, self.system.nv))
        last = self.system.builder.width * (k + 1)
        made[:, last - size : last] = np.eye(size)
        return made

    def inertia(self, body: Body | str) -> Any:
        """Inertia of a body about its mass centre in space axes, J = A J' A^T; one number in the plane."""
        found = self._moving_body(f"inertia of {shown(body)}", body)
        k = self.system.body_index(found.name)
        if self.system.plane:
            return float(self.mass_matrix()[3 * k + 2, 3 * k + 2])
        A = self._turned(found)
        return A @ self._inertia(k) @ A.T

    def inertia_rate(self, body: Body | str) -> Any:
        """Rate of the inertia in space axes, w~ J - J w~ (BASICS 8.29); zero in the plane."""
        J = self.inertia(body)
        if self.system.plane:
            return 0.0
        tilde = cross_matrix(self.spin(body, frame="space"))
        return tilde @ J - J @ tilde

    def gyroscopic(self, body: Body | str) -> Any:
        """Moment w' x J'w' of a body, in body axes (BASICS 8.38); zero in the plane."""
        found = self._moving_body(f"gyroscopic moment of {shown(body)}", body)
        k = self.system.body_index(found.name)
        return 0.0 if self.system.plane else self.b[6 * k + 3 : 6 * k + 6]

    @property
    def _linear(self) -> int:
        """Components of a vector."""
        return 2 if self.system.plane else 3

    def _place(self, asked: str, part: Any, at: Any) -> tuple[Body, np.ndarray]:
        """Body of a point, and the arm to it from the mass centre, in body axes."""
        body, arm = arm_of(self.system.builder.drawing, asked, part, at)
        return self._moving_body(asked, body), np.zeros(3) if arm is None else np.array(arm)

    def _in_axes(self, asked: str, body: Body | str, frame: str, x: np.ndarray) -> np.ndarray:
        """A vector that is given in space axes."""
        return self.rotation(body).T @ x if in_body_axes(asked, frame) else x

    def _turning(self, asked: str, body: Body | str, frame: str, v: np.ndarray) -> Any:
        """w' or its rate, of velocities or accelerations."""
        found, own_axes = self._moving_body(asked, body), in_body_axes(asked, frame)
        w = self.partial_spin(found) @ v
        if self.system.plane:
            return float(w[0])
        return w if own_axes else self._turned(found) @ w

    def _moving_body(self, asked: str, body: Body | str) -> Body:
        found = self.system.model.read_body(asked, body)
        if found.is_ground:
            raise ModelError(asked, "body = 'ground'", "the ground has no velocities", "name a moving body")
        return found

    def _inertia(self, k: int) -> np.ndarray:
        """J' of body k in space."""
        return np.asarray(self.mass_matrix()[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6].toarray())

    def _turned(self, body: Body) -> np.ndarray:
        """Rotation matrix of a moving body, 3 x 3."""
        return self.system.place(self.state.q, body)[1]

    def reaction(self, row: str, body: Body | str) -> tuple[np.ndarray, np.ndarray]:
        """Force and torque of one constraint row on one body: F = -Phi_r^T lam and n' = -Pi^T lam.

        The force is in space axes; the torque is about the mass centre, in body axes in space and one number in the plane.
        """
        asked = f"reaction of row {shown(row)}"
        if not isinstance(row, str) or row not in self.row_names:
            raise ModelError(asked, "no such row", nearest(row, self.row_names), "use one of the row names")
        found = self.system.model.read_body(asked, body)
        if found.is_ground:
            do = "ask for a moving body, or use run[joint].on('ground')"
            raise ModelError(asked, "body = 'ground'", "the ground has no equations", do)
        r, width = self.row_names.index(row), self.system.builder.width
        first = width * self.system.body_index(found.name)
        load = -self._jac[[r], first : first + width].toarray()[0] * self.lam[r]
        linear = 2 if self.system.plane else 3
        return load[:linear], load[linear:]


@verb
def equations(
    model: Any,
    state: State | None = None,
    *,
    form: str | None = None,
    independent: Sequence[str] | None = None,
    quasi_velocities: Mapping[str, Any] | None = None,
    unknown: str | None = None,
    ignore: Sequence[str] | None = None,
    about: Any = None,
) -> Any:
    """Equations of motion: arrays of a mechanism at a state, or a Lagrangian system in a form one can read.

    Parameters
    ----------
    model
        A mechanism or compiled system, or a Lagrangian system.
    state
        For a mechanism: the state (default: the assembled start); gaps that press there are rows of the arrays.
    form
        For a Lagrangian system: "newton-euler", "dalembert", "virtual-work", "lagrange", "routh", "multipliers", "reduced", "hamilton",
        "hamilton-principle", "variational", "jourdain", "maggi", "kane", "gibbs-appell", "gauss", "udwadia-kalaba", or "all" for all of them with a comparison;
        "lagrange-1" and "lagrange-2" are second names of "multipliers" and "lagrange".  Default: "lagrange", with constraints "multipliers".
        For a mechanism: "absolute" or "minimal", written out as SymPy matrices in absolute coordinates or in joint coordinates; any of the
        forms above is that of its Lagrangian system in joint coordinates (`lagrangian_of`), "lagrange-1" and "variational" in absolute coordinates.  Default: the arrays at the state.
        For both: "noncentroidal", the equations of every body about any point of it, with the coupled mass matrix.
    independent
        Coordinates whose rates are independent, in forms that leave multipliers out, or that are kept ("lagrange").
    quasi_velocities
        With "reduced", "jourdain", "maggi", "kane", "gibbs-appell" and "gauss": velocities by name, linear in the rates: {"u1": "rate(x)*cos(theta) + rate(y)*sin(theta)"}.
    unknown
        With "virtual-work": name of the load that holds the system, to be solved for.
    ignore
        With "routh": coordinates to be eliminated through their momenta.  Default: all that are ignorable.
    about
        With "noncentroidal": points by body, {"bar": (x, y)} in its axes (of a Lagrangian system: from the mass centre); of a mechanism
        also a point `bar.end` or a joint.  Default: any point, as symbols.

    Returns
    -------
    Equations or Form
        Of a mechanism the arrays M, Q, phi, J, nu, gamma, lam, a with names; of a Lagrangian system a form with text, `.latex()`,
        `.equations` of SymPy, matrices, and `.to_html()`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
    ...                   parameters={"m": 1.0, "l": 0.5, "g": 9.81}, name="pendulum")
    >>> print(da.equations(m, form="lagrange"))
    Lagrange's equations of 'pendulum'
      energies
        T = l**2*m/2*theta'**2
        V = -g*l*m*cos(theta)
      d/dt dL/dq' - dL/dq = Q
        l**2*m*theta'' + g*l*m*sin(theta) = 0
    """
    from ..model.lagrangian import Lagrangian

    options = {
        "form": form, "independent": independent, "quasi_velocities": quasi_velocities, "unknown": unknown,
        "ignore": ignore, "about": about,
    }  # fmt: skip
    given: dict[str, Any] = {name: x for name, x in options.items() if x is not None}
    if isinstance(model, Lagrangian):
        if state is not None:
            asked = f"equations({model.name!r}, state={shown(state, 40)})"
            do = "leave it out; numbers at a state: equations(model, form=…).accelerations({'theta': 0.3})"
            raise MethodError(asked, "a state", "the equations of a Lagrangian system are written for all states", do)
        from ..symbolic.forms import written

        refuse_one_sided("equations", model)
        return written(model, **given)
    for which in ("frictions", "soft_rubs"):
        refuse_friction("equations", model, which)
    if given and isinstance(model, Mechanism):
        refuse_one_sided("equations", model)
        return _of_mechanism(model, state, **given)
    if given:
        name, x = next(iter(given.items()))
        raise MethodError(
            f"equations({shown(model, 60)}, {name}={shown(x, 40)})",
            f"an object of type {type(model).__name__}",
            "forms are for mechanisms and for systems in coordinates of one's own choice",
            "give a da.Mechanism or a da.Lagrangian, or leave the option out",
        )  # fmt: skip
    return arrays(model, state)


def _of_mechanism(model: Mechanism, state: State | None, form: Any = None, **given: Any) -> Any:
    """Written equations of a mechanism: in absolute or joint coordinates, or any form of its Lagrangian system in joint coordinates."""
    from ..symbolic.forms import FIRST_KIND, NAMED, NONCENTROIDAL, VARIATIONAL, written
    from ..symbolic.forms import FORMS as LAGRANGIAN
    from ..symbolic.mechanism.convert import ABSOLUTE, FORMS, MINIMAL, converted
    from ..symbolic.one_sided import with_named_stops
    from ..symbolic.symbols import Symbols

    asked = f"equations({model.name!r}, form={shown(form)})"
    if state is not None:
        do = "leave it out, or leave form out to get the arrays at that state"
        raise MethodError(asked, f"state = {shown(state, 40)}", "the equations are written for all states", do)
    if form == VARIATIONAL and not given:
        from ..symbolic.mechanism.forms import mechanism_variational

        return mechanism_variational(model, asked)
    if form in (*LAGRANGIAN, *NAMED, "all") or form is None:
        # multipliers of the first kind belong to joints, which are rows in absolute coordinates only
        conversion = converted(model, ABSOLUTE if form == FIRST_KIND else MINIMAL)
        found = written(conversion.lagrangian, form, **given)
        if form == "all":
            return found
        sheet = with_named_stops(found.sheet, conversion.laws, Symbols(conversion.lagrangian.q))
        return replace(found, sheet=sheet, _drawing=conversion.coordinates.drawing)
    if form not in (*FORMS, NONCENTROIDAL):
        known = (*FORMS, *LAGRANGIAN, *NAMED, NONCENTROIDAL, "all")
        raise MethodError(asked, f"form = {shown(form)}", nearest(form, known), f"use {', '.join(map(repr, known))}")
    wrong = [name for name in given if form in FORMS or name != "about"]
    if wrong:
        raise MethodError(
            asked, f"{wrong[0]}=", "it belongs to other forms",
            "leave it out, or use form='reduced', 'dalembert', 'virtual-work', 'kane', 'routh' or 'noncentroidal'",
        )  # fmt: skip
    if form == NONCENTROIDAL:
        from ..symbolic.noncentroidal import noncentroidal

        return noncentroidal(model, **given)
    from ..symbolic.mechanism.forms import mechanism_equations

    return mechanism_equations(model, form, asked)


def arrays(model: Any, state: State | None = None) -> Equations:
    """Arrays of the equations of motion of a mechanism or system at a state (default: the assembled start)."""
    if isinstance(model, System):
        asked, names = f"equations({model.model.name!r})", tuple(model.body_names)
        state = State(0.0, model.q0.copy(), np.zeros(model.nv), bodies=names) if state is None else state
        state.check(asked, model.plane, names)
        pose = Pose.at(model, state, asked)
        pose.detect()
        pose.check_place(asked)
    else:
        asked = f"equations({shown(getattr(model, 'name', model), 40)})"
        pose = Pose.of(model, state, asked=asked, consistent=False)
        if model.stops_at_work:
            pose = decided(pose, asked)
    system, force = pose.system, pose.force
    a, lam = pose.solve()
    check(pose, a, lam, asked)
    rows, velocities = tuple(system.row_names), tuple(system.velocity_names)
    return Equations(system, pose.state, force, pose.phi, pose.nu, pose.gamma, lam, a, rows, velocities, pose.jac)
