"""Parts of a run of a Lagrangian system: particles and bodies in motion, loads with their power.

A velocity is linear in the rates, v = (dv/dq') q' + dv_t, so that its rate is exact:

    a = (dv/dq') q'' + d/dt v at q'' = 0,       omega'' of a body likewise from omega'
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, shown
from ..model.expression import Expr
from ..model.expression.checks import plain_number
from ..model.expression.derivative import ZERO, derivative, plus, times
from ..model.lagrangian.parts import Particle, RigidBody
from ..model.lagrangian.vectors import dot
from ..model.reading import listed
from ..system.closed import curl, open_pair
from ..system.lagrange import POWERS
from ..system.subspaces import null_space
from .matter import place_of
from .moving import Kinematics, Moving, MovingPoint, Quantities, labels
from .series import Series
from .work import Works, check

if TYPE_CHECKING:
    from .lagrangian import LagrangianResult


def flow_of(run: LagrangianResult) -> dict[int, int]:
    """What moves along a motion with constant rates: coordinates by their rates, and time."""
    graph = run.system.graph
    return {graph.input[x]: graph.input[f"rate({x})"] for x in run.model.q} | {graph.input["t"]: graph.one}


def rates_along(run: LagrangianResult, nodes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Values of nodes and their total rates along the motion, accelerations included."""
    graph, names = run.system.graph, run.model.q
    moved = graph.forward(nodes, flow_of(run))
    slopes = [node for x in names for node in graph.forward(nodes, {graph.input[f"rate({x})"]: graph.one})]
    n, count = len(nodes), len(run.t)
    found = run.along([*nodes, *moved, *slopes])
    by_rates = found[:, 2 * n :].reshape(count, len(names), n)
    return found[:, :n], found[:, n : 2 * n] + np.einsum("tkn,tk->tn", by_rates, run.a)


def motion_of(run: LagrangianResult, part: Particle) -> Kinematics:
    """Motion of a part in space axes; a particle does not turn."""
    add = run.system.graph.add_expression
    body = isinstance(part, RigidBody)
    place = [add(x) for x in part.position]
    speed = [add(x) for x in (*part.velocity, *(part.spin if isinstance(part, RigidBody) else ()))]
    turned = [add(x) for row in part.rotation for x in row] if isinstance(part, RigidBody) else []
    still, n = run.along([*place, *turned]), len(run.t)
    value, rate = rates_along(run, speed)
    position, velocity, acceleration = still[:, :3], value[:, :3], rate[:, :3]
    if not body:
        none = np.zeros((n, 3))
        return Kinematics(position, velocity, acceleration, np.broadcast_to(np.eye(3), (n, 3, 3)), none, none)
    rotation = still[:, 3:].reshape(n, 3, 3)
    # omega = A omega', and alpha = A d/dt omega', since omega x omega = 0
    omega, alpha = (np.einsum("tij,tj->ti", rotation, x[:, 3:]) for x in (value, rate))
    return Kinematics(position, velocity, acceleration, rotation, omega, alpha)


class MovingPart(Moving):
    """A particle or body over time: `.position`, `.velocity`, `.acceleration` of the particle or mass centre, in space axes.

    A body also has `.rotation`, `.spin`, `.spin_rate`, `.euler("zyz")` and `.point(x, y, z)`; both have `.momentum` and `.angular_momentum(about=...)`.
    """

    def __init__(self, run: LagrangianResult, name: str) -> None:
        super().__init__(run, name)
        self.part = run.model.parts[name]

    def _turning(self, what: str) -> Kinematics:
        if not isinstance(self.part, RigidBody):
            why, do = "a particle does not turn: it has no orientation", "ask for a body, or use .position"
            raise ModelError(f"{what} of particle {self.name!r}", "a particle", why, do)
        k: Kinematics = self._run.motion(self.name)
        if what == "angle" and np.max(np.abs(k.rotation[:, 2, 2] - 1.0), initial=0.0) > 1e-9:
            raise ModelError(
                f"angle of {self.name!r}", "it turns about other axes than z", "orientation is a rotation then",
                "use .rotation, .quaternion or .euler('zyz')",
            )  # fmt: skip
        return k

    def point(self, *coordinates: Any) -> MovingPoint:
        """Motion of a point of a body, in body axes from its mass centre."""
        given = coordinates[0] if len(coordinates) == 1 and listed(coordinates[0]) is not None else coordinates
        numbers = [plain_number(x) for x in given]
        if len(numbers) not in (2, 3) or any(x is None for x in numbers):
            why = "two or three numbers in body axes are needed"
            raise ModelError(f"point of {self.name!r}", f"{shown(given)}", why, "give .point(0.1, 0)")
        arm = np.array([*numbers, 0.0][:3], dtype=float)
        if arm.any():
            self._turning("point")
        text = f"{self.name}.point({', '.join(f'{x:g}' for x in arm)})"
        return MovingPoint(self._run, self.name, arm, text)

    def __repr__(self) -> str:
        turning = ", rotation, spin" if isinstance(self.part, RigidBody) else ""
        return f"<motion of {self.part.kind} {self.name!r}: position, velocity, acceleration{turning}>"


class MovingLoad(Quantities):
    """A force or couple of a Lagrangian system over time: `.force` or `.torque`, `.power`, `.work`, `.impulse`, `.angular_impulse(about=...)`."""

    _run: LagrangianResult

    def __init__(self, run: LagrangianResult, name: str) -> None:
        super().__init__(run, name)
        self.load = run.model.loads[name]

    def _values(self, acts: bool = True) -> np.ndarray:
        """Components in space axes; zero of what the load is not."""
        if not acts:
            return np.zeros((len(self._run.t), 3))
        load, add = self.load, self._run.system.graph.add_expression
        found = self._run.along([add(x) for x in load.vector])
        # components of a couple may be those along the axes of its body
        part = self._run.model.parts.get(load.on)
        if load.spin is not None and isinstance(part, RigidBody) and load.spin is part.spin:
            found = np.einsum("tij,tj->ti", self._run.motion(load.on).rotation, found)
        return found

    @property
    def force(self) -> Series:
        """Force in space axes [N]; zero for a couple; of an actuator the force along its expression."""
        if self.load.along:
            return self._series("force", self._values()[:, 0], "N")
        return self._vector("force", self._values(self.load.position is not None), "N")

    @property
    def torque(self) -> Series:
        """Couple in space axes [N m]; zero for a force."""
        return self._vector("torque", self._values(self.load.position is None), "N m", True)

    @property
    def power(self) -> Series:
        """Power of the load [W]: f.v of its point, or l.omega of its body, what the coordinates leave to time included (LAGRANGE 1.5.11)."""
        return self._series("power", load_power(self._run, self.name), "W")

    @property
    def work(self) -> Series:
        """Work since the first output [J]."""
        name = self.name
        return self._series("work", self._run.integrals(lambda r: load_power(r, name)), "J")

    @property
    def impulse(self) -> Series:
        """Integral of the force since the first output [N s]."""
        name, axes = self.name, () if self.load.along else labels(False)
        return self._series("impulse", self._run.integrals(lambda r: r[name].force), "N s", axes)

    def angular_impulse(self, about: Any = None) -> Series:
        """Integral of the moment about a point since the first output [N m s]; `about` as for `run.angular_momentum`, default: the origin."""
        name = self.name
        if self.load.along:
            raise ModelError(
                f"angular impulse of {name!r}", "it acts along an expression of coordinates", "it has no point in space", "state it as a force at a point",
            )  # fmt: skip

        def moment(r: LagrangianResult) -> np.ndarray:
            load, found = r.model.loads[name], np.asarray(r[name].torque)
            if load.position is None:
                return found
            point = r.along([r.system.graph.add_expression(x) for x in load.position])
            return np.cross(point - place_of(r, about).position, np.asarray(r[name].force))

        again = lambda r: r[name].angular_impulse(about)  # noqa: E731
        return self._vector("angular_impulse", self._run.integrals(moment), "N m s", True, again)

    def __repr__(self) -> str:
        return f"<load {self.name!r}: {'torque' if self.load.position is None else 'force'}, power, work, impulse>"


def _load_rates(run: LagrangianResult, name: str) -> list[int]:
    """Velocity of the point of a force, angular velocity of the body of a couple, as nodes."""
    load, graph = run.model.loads[name], run.system.graph
    if load.position is not None:
        return graph.forward([graph.add_expression(x) for x in load.position], flow_of(run))
    assert load.spin is not None
    return [graph.add_expression(x) for x in load.spin]


def load_power(run: LagrangianResult, name: str) -> np.ndarray:
    """f.v of a force, l.omega of a couple (LAGRANGE 1.3.10-12)."""
    vector = [run.system.graph.add_expression(x) for x in run.model.loads[name].vector]
    found = run.along([*_load_rates(run, name), *vector])
    return np.asarray(np.einsum("tk,tk->t", found[:, :3], found[:, 3:]))


def generalized_power(run: LagrangianResult, name: str) -> np.ndarray:
    """Q q' of a load: its power but for what explicit time does."""
    forces = run.model.loads[name].generalized(run.model.q)
    if not forces:
        return np.zeros(len(run.t))
    values = run.along([run.system.graph.add_expression(x) for x in forces.values()])
    return np.einsum("tk,tk->t", values, run.v[:, [run.model.q.index(x) for x in forces]])


def frame_powers(run: LagrangianResult) -> np.ndarray:
    """Power of whatever moves the frame in which the coordinates are taken (psi of LAGRANGE 2.3.5), loads not deducted, and what of -dL/dt it contains.

    With v = (dv/dq') q' + v_t the guides of the frame act along v_t; together with loads and weights they do

        sum m a.v_t + (dH/dt).omega_t = d/dt (2 T - p.q') - dT/dt|_q,q'
    """
    graph, nodes, explicit, weights = run.system.graph, run.system.nodes, *_explicit_time(run)
    linear = graph.add(nodes.kinetic, nodes.kinetic)  # 2 T - p.q': linear in the rates
    for name, momentum in zip(run.model.q, nodes.momenta):
        linear = graph.sub(linear, graph.mul(momentum, graph.input[f"rate({name})"]))
    rate, taken = rates_along(run, [linear])[1][:, 0], run.along([explicit, weights])
    return np.column_stack([rate - taken.sum(axis=1), -taken.sum(axis=1)])


def _explicit_time(run: LagrangianResult) -> tuple[int, int]:
    """dT/dt at fixed q, q', and the power m g.r_t of the weights, as nodes."""
    graph = run.system.graph
    weights: Expr = ZERO
    for part in run.model.parts.values():
        falling = dot(run.model.gravity, [derivative(x, "t") for x in part.position])
        weights = plus(weights, times(part.mass, falling))
    explicit = graph.forward([run.system.nodes.kinetic], {graph.input["t"]: graph.one})[0]
    return explicit, graph.add_expression(weights)


def frame_moves(run: LagrangianResult) -> bool:
    """Whether anything moves where all rates are zero, or T changes by itself; exact zeros where nothing does."""
    system = run.system
    rates = [node for name in run.model.loads for node in _load_rates(run, name)]
    still = system.function([system.nodes.kinetic, *system.nodes.momenta, *rates])
    return _explicit_time(run)[0] != system.graph.zero or any(still(t, q, 0.0 * q).any() for t, q in zip(run.t, run.q))


def slopes_of(run: LagrangianResult, name: str) -> np.ndarray:
    """J of a row (time, coordinates), or of friction that slips: what its force acts along."""
    if name in run.system.row_names:
        return run.along(run.system.nodes.jac[run.system.row_names.index(name)])
    graph = run.system.graph
    one = next(one for one in (*run.model.frictions, *run.model.rubs) if one.name == name)
    return run.along(graph.reverse(graph.add_expression(one.what), list(run.model.q)))


def row_power(run: LagrangianResult, name: str) -> np.ndarray:
    """-lam J q' of a row: what it takes part in of the work of constraints; of friction also while it slips and has none."""
    if name in run.system.row_names:
        lam = run.lam[:, run.system.row_names.index(name)]
    else:
        lam = run.slipping.get(name, np.zeros(len(run.t)))
    return np.asarray(-lam * np.einsum("tk,tk->t", slopes_of(run, name), run.v))


def conservative_forces(run: LagrangianResult) -> set[str]:
    """Loads, and "forces" for those by coordinate, whose work is the change of a potential V(q, t): dQ/dq symmetric, time among the coordinates.

    Q.dq + Q_t dt with Q_t = f.r_t, l.omega_t has to be closed on the motions that rows on positions allow; slopes are exact, at outputs and, without
    such rows, beside them.
    """
    model, graph, zero = run.model, run.system.graph, run.system.graph.zero
    own = {x: graph.add_expression(force) for x, force in model.own_forces.items()}
    forms = {"forces": [*(own.get(x, zero) for x in model.q), zero]} if own else {}
    for name, load in model.loads.items():
        still = {graph.input["t"]: graph.one}
        if load.position is not None:
            drift = graph.forward([graph.add_expression(x) for x in load.position], still)
        else:
            assert load.spin is not None
            none = dict.fromkeys((f"rate({x})" for x in model.q), ZERO)
            drift = [graph.add_expression(x.substitute(none)) for x in load.spin]
        along_time = zero
        for x, f in zip(drift, load.vector):
            along_time = graph.add(along_time, graph.mul(x, graph.add_expression(f)))
        force = load.generalized(model.q)
        forms[name] = [*(graph.add_expression(force[x]) if x in force else zero for x in model.q), along_time]
    rates = [f"rate({x})" for x in model.q]
    forms = {name: form for name, form in forms.items() if not graph.dependent(graph.needed(form), rates) & {*form}}
    found = {name for name, form in forms.items() if _closed(run, form)}
    left = [form for name, form in forms.items() if name not in found]
    if len(left) > 1:
        total = left[0]
        for form in left[1:]:
            total = [graph.add(a, b) for a, b in zip(total, form)]
        found |= {*forms} if _closed(run, total) else set()
    return found


def _closed(run: LagrangianResult, form: list[int]) -> bool:
    """Whether a form in (q, t) is closed on the motions that rows on positions allow."""
    system, n = run.system, run.system.n
    graph, h = system.graph, system.n_holonomic
    names = [*run.model.q, "t"]
    slopes = [x for name in names for x in graph.forward(form, {graph.input[name]: graph.one})]
    rows = [x for name in names for x in graph.forward(system.nodes.phi, {graph.input[name]: graph.one})]
    function, random = system.function([*form, *slopes, *rows]), np.random.default_rng(0)
    extent = np.max(np.abs(run.q), axis=0, initial=0.1)
    for k in np.unique(np.linspace(0, len(run.t) - 1, 8).astype(int)):
        q = run.q[k] if h else run.q[k] + 0.3 * extent * random.uniform(-1.0, 1.0, n)
        x = function(run.t[k], q, run.v[k])
        by = x[n + 1 : (n + 1) * (n + 2)].reshape(n + 1, n + 1)
        z = null_space(x[(n + 1) * (n + 2) :].reshape(n + 1, h).T) if h else np.eye(n + 1)
        if open_pair(*curl(by.T, z, x[: n + 1])) is not None:
            return False
    return True


def works(run: LagrangianResult) -> Works:
    """Work of everything that acts: the potential, loads by name, other forces, dissipation, explicit time, moving constraints and frame, blows."""
    potential, kinetic = np.asarray(run.energy.potential), np.asarray(run.energy.kinetic)
    stored = potential[:1] - potential
    found = {"potential": stored} if np.any(stored) else {}
    powers = run.integrals(lambda r: r.powers)
    kinds = dict(zip(POWERS, powers.T))
    moves = frame_moves(run)
    frame, taken = run.integrals(frame_powers).T if moves else np.zeros((2, len(run.t)))
    kinds["time"] = kinds["time"] - taken
    for name in run.model.loads:
        found[name] = np.asarray(run[name].work)
        generalized = run.integrals(partial(generalized_power, name=name)) if moves else found[name]
        kinds["forces"] = kinds["forces"] - generalized
        frame = frame - (found[name] - generalized)
    frictions = [one.name for one in run.model.frictions]
    if frictions:
        # slipping they are forces, sticking they are constraints: work that is not of the other rows
        rows = run.model.holonomic.items()
        others = [name for name, row in rows if "t" in row.names] + [
            x for x in run.model.nonholonomic if x not in frictions
        ]
        held = run.integrals(lambda r: sum((row_power(r, name) for name in others), np.zeros(len(r.t))))
        kinds["forces"] = kinds["forces"] + kinds["constraints"] - held
        kinds["constraints"] = held
    for name in frictions:
        found[name] = run.integrals(partial(row_power, name=name))
        kinds["forces"] = kinds["forces"] - found[name]
    if not run.model.own_forces:
        del kinds["forces"]
    if all("t" not in x.names for x in (run.model.given_energies["potential"], *run.model.gravity)):
        del kinds["time"]
    for kind, x in kinds.items():
        if np.any(x):
            found[kind if kind not in found else f"{kind} (all others)"] = x
    if moves:
        found["moving frame" if "moving frame" not in found else "moving frame (psi)"] = frame
    energy = run.system.function([run.system.nodes.kinetic])
    for t, blow in run.jumps:
        gained = energy(t, blow.after.q, blow.after.v)[0] - energy(t, blow.before.q, blow.before.v)[0]
        found["blows"] = found.get("blows", 0.0) + np.where(run.integrals.after(t, blow), gained, 0.0)
    for name in conservative_forces(run) & {*found}:
        stored = stored + found[name]
    made = Works.made(run.t, found, stored, kinetic - kinetic[0], float(np.max(np.abs(kinetic), initial=0.0)))
    check(run, made)
    return made


# -- audit ---------------------------------------------------------------------------------------------------------------


def energy_gained(run: LagrangianResult) -> tuple[np.ndarray, float, float]:
    """h = q' dL/dq' - L since the start at every accepted step, the size of what it is made of, and that of energies where nothing moves."""
    kept, nodes = run.trace.kept, run.system.nodes
    q, v, _ = run.system.parts_of(kept.y)
    function = run.system.function([nodes.kinetic, nodes.potential, *nodes.momenta])
    x = np.array([function(*state) for state in zip(kept.t, q, v)])
    moving = np.einsum("ti,ti->t", x[:, 2:], v)
    h = moving - x[:, 0] + x[:, 1]
    size = max(float(np.max(np.abs(y))) for y in (moving, x[:, 0], x[:, 1] - x[0, 1]))
    # the largest generalized force: what tolerated displacements could move in an equilibrium
    force = run.system.function([*nodes.force])
    forces = np.array([force(t, at, 0.0 * v[0]) for t, at in zip(kept.t, q)])
    return h - h[0], size, float(np.max(np.abs(forces), initial=0.0))


def power_balance(run: LagrangianResult) -> float:
    """Imbalance of dh/dt = power, h = q' dL/dq' - L, at all outputs, relative to the largest term: h' = v.(p)' - T' + V' + v.M a."""
    system = run.system
    graph, nodes, n = system.graph, system.nodes, system.n
    x = run.along(graph.forward([*nodes.momenta, nodes.kinetic, nodes.potential], flow_of(run)))
    inertia = np.array([v @ run.point(k).mass @ a for k, (v, a) in enumerate(zip(run.v, run.a))])
    terms = np.column_stack([run.v * x[:, :n], -x[:, n], x[:, n + 1], inertia, -run.powers])
    largest = max(float(np.max(np.abs(terms), initial=0.0)), 1e-300)
    return float(np.max(np.abs(terms.sum(axis=1)), initial=0.0)) / largest
