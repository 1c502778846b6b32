"""first_variation: Hamilton's principle along a run, in numbers: the integral of δT - δV + δW is zero for variations that keep the ends.

    Lagrangian system   (dL/dq + Q - dD/dq' - J^T lam).δq + p.δq'
    mechanism           m v.δr' + J'w'.(δπ'˙ + w' x δπ') + F.δr + N'.δπ'          summed over the bodies

F and N' are all loads on a body, those of the joints among them, so that the variations need not obey the joints.  The integral is taken by
Gauss' rule over the steps of the run, at states of the motion itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, nearest, shown
from ..kernels.operate import INPUTS, operate
from ..model.expression import as_expression
from ..model.expression.derivative import derivative
from ..model.measure import Measure
from ..options.call import verb
from ..results.lagrangian import LagrangianResult
from ..results.record import Record
from ..results.result import Result
from ..system.rows import mass_matrix, unscaled_jacobian
from ..system.subspaces import factor

WAVES = 4  # half waves of random variations
POINTS = 8  # of Gauss' rule in each panel
PANELS = 16  # at least, so that variations are resolved in runs of few steps
HELD = 1e-8  # by how much a displacement may miss that of a measure or of the joints: rounding times their condition
KEPT = 1e-9  # part of its largest value that a variation may have at the ends


@dataclass(frozen=True, eq=False, repr=False)
class FirstVariation:
    """First variation of the action along a run.

    Attributes
    ----------
    values
        The integral of δT - δV + δW for each variation [J s].
    scale
        The same with the size of every term: what the zeros are to be compared with [J s].
    action
        Integral of T - V [J s].
    between
        First and last time [s].
    """

    name: str
    values: np.ndarray
    scale: np.ndarray
    action: float
    between: tuple[float, float]

    @property
    def relative(self) -> float:
        """Largest value relative to its scale."""
        return float(np.max(np.abs(self.values) / np.maximum(self.scale, np.finfo(float).tiny)))

    def __str__(self) -> str:
        many = f"{len(self.values)} variation{'s' if len(self.values) != 1 else ''} that keep{'s' if len(self.values) == 1 else ''} the ends"
        return (
            f"first variation of the action of {self.name!r}, t = {self.between[0]:g} … {self.between[1]:g} s: {many}\n"
            f"  largest      {np.max(np.abs(self.values)):.1e} J s, {self.relative:.1e} of the sum of its terms\n"
            f"  action       {self.action:.6g} J s, the integral of T - V"
        )

    __repr__ = __str__


@verb
def first_variation(
    run: Record,
    variation: Mapping[str, Any] | None = None,
    *,
    between: tuple[float, float] | None = None,
    count: int = 5,
    seed: int = 1,
) -> FirstVariation:
    """First variation of the action along a run: zero for every variation that keeps the ends (Hamilton's principle).

    Parameters
    ----------
    run
        A run of `simulate`, of a mechanism or a Lagrangian system.
    variation
        δq as expressions of t, by coordinate: {"theta": "sin(pi*t)"}; zero at both ends, and for coordinates not named.  Of a mechanism
        the names are those of the velocities, `run.velocity_names`, or measures ("O.angle"): then the bodies move as the joints allow, and what
        is still free as little as possible.  Default: random sums of sines for all coordinates.
    between
        First and last time [s]; default: the whole run.
    count, seed
        Number of random variations, and their seed.

    Returns
    -------
    FirstVariation
        `.values`, `.scale`, `.relative`, `.action`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
    ...                   parameters={"m": 1.0, "l": 0.5, "g": 9.81}, name="pendulum")
    >>> m.start("theta", 1.2)
    >>> run = da.simulate(m, until=2.0)
    >>> da.first_variation(run).relative < 1e-8
    True
    >>> da.first_variation(run, {"theta": "sin(pi*t/2)**2"}).relative < 1e-8
    True
    """
    asked = "first_variation"
    if not isinstance(run, Result | LagrangianResult) or run.trace is None:
        found = f"run = {shown(run, 60)}"
        raise MethodError(
            asked, found, "a run of simulate is needed, which knows its steps", "give da.simulate(model, …)"
        )
    asked = f"first_variation of {run.model.name!r}"
    t1, t2 = _window(asked, run, between)
    t, weights = _points(run, t1, t2)
    names = [*run.model.q] if isinstance(run, LagrangianResult) else list(run.velocity_names)
    measures = _measures(asked, run, names, variation)
    if variation is None:
        varied = _random(names, t, t1, t2, count, seed)
    else:
        varied = [_given(asked, run, [*names, *measures], variation, t, t1, t2)]
    with compiling(), np.errstate(all="ignore"):
        there = run.resample(t)
        if isinstance(there, Result) and measures:
            varied = [_by_joints(asked, there, [*measures.values()], weights, *varied[0])]
        momenta, forces = _of_system(there) if isinstance(there, LagrangianResult) else _of_bodies(there)
        action = float(weights @ np.asarray(there.energy.kinetic - there.energy.potential))
    values, scale = [], []
    for d, rate in varied:
        terms = momenta * rate, forces * d
        values.append(float(weights @ np.sum(terms[0] + terms[1], axis=1)))
        scale.append(float(weights @ np.sum(np.abs(terms[0]) + np.abs(terms[1]), axis=1)))
    return FirstVariation(run.model.name, np.array(values), np.array(scale), action, (t1, t2))


# -- momenta and forces: what multiplies δq' and δq ------------------------------------------------------------------------


def _of_system(run: LagrangianResult) -> tuple[np.ndarray, np.ndarray]:
    """Momenta, and dL/dq + Q - dD/dq' - J^T lam of a Lagrangian system at all times."""
    system, n = run.system, run.system.n
    graph, nodes = system.graph, system.nodes
    q = list(run.model.q)
    places = [graph.sub(a, b) for a, b in zip(graph.reverse(nodes.kinetic, q), graph.reverse(nodes.potential, q))]
    x = run.along([*nodes.momenta, *places, *nodes.applied, *nodes.dissipated, *(e for row in nodes.jac for e in row)])
    momenta, place, applied, lost = (x[:, n * k : n * k + n] for k in range(4))
    jac = x[:, 4 * n :].reshape(len(x), system.n_rows, n)
    return momenta, place + applied + lost - np.einsum("trn,tr->tn", jac, run.lam)


def _of_bodies(run: Result) -> tuple[np.ndarray, np.ndarray]:
    """M v and all loads, with J'w' x w' of the turning frame, of the bodies of a mechanism at all times."""
    system = run.system
    width, linear = system.builder.width, 2 if system.plane else 3
    momenta = run.v @ mass_matrix(system).toarray()
    forces = np.zeros_like(momenta)
    gravity = system.builder.gravity
    mass = mass_matrix(system).diagonal()
    parts, none = [part for kind in ("joint", "driver", "force") for part in run.parts(kind)], np.zeros((len(run.t), 6))
    for b, body in enumerate(system.builder.bodies):
        own = slice(width * b, width * b + width)
        load = sum((run._body_wrenches(part).get(b, none) for part in parts), none)
        force = load[:, :linear] + mass[width * b] * gravity[:linear]
        if system.plane:
            turning = load[:, 5:]
        else:
            A = run.kinematics(body).rotation
            spin, spun = run.v[:, own][:, 3:], momenta[:, own][:, 3:]
            # J'w'.(w' x δπ') = (J'w' x w').δπ'
            turning = np.einsum("tji,tj->ti", A, load[:, 3:]) + np.cross(spun, spin)
        forces[:, own] = np.hstack([force, turning])
    return momenta, forces


# -- times and variations ----------------------------------------------------------------------------------------------------


def _window(asked: str, run: Record, between: Any) -> tuple[float, float]:
    first, last = sorted((float(run.trace.kept.t[0]), float(run.trace.kept.t[-1])))
    if between is not None:
        try:
            first_asked, last_asked = (float(x) for x in between)
        except (TypeError, ValueError):
            do = "give between=(0.2, 0.8)"
            raise MethodError(asked, f"between = {shown(between)}", "two times are needed", do) from None
        if not first <= first_asked < last_asked <= last:
            why = f"the run covers {first:g} … {last:g} s"
            raise MethodError(
                asked, f"between = {shown(between)}", why, "give two times of the run, the first before the last"
            )
        first, last = first_asked, last_asked
    if not last > first:
        raise MethodError(asked, f"t = {first:g} s only", "there is no motion to vary", "simulate for a while")
    # an instant is known to some units in the last place
    near = 16.0 * math.ulp(max(abs(first), abs(last)))
    blows = [when for when, _ in run.prepared.jumps if first + near < when < last - near]
    if blows:
        raise MethodError(
            asked, f"a blow at t = {blows[0]:g} s", "momenta jump there, and the principle holds between blows",
            f"give between=({first:g}, {blows[0]:g})",
        )  # fmt: skip
    return first, last


def _points(run: Record, t1: float, t2: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and weights of Gauss' rule between the steps of the run, where laws change as well."""
    steps = np.sort(run.trace.kept.t)
    edges = np.unique([t1, *steps[(steps > t1) & (steps < t2)], t2])
    parts = -(-PANELS // (len(edges) - 1))
    edges = np.unique(np.concatenate([np.linspace(a, b, parts + 1) for a, b in zip(edges, edges[1:])]))
    x, w = np.polynomial.legendre.leggauss(POINTS)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()


Varied = tuple[np.ndarray, np.ndarray]


def _measures(asked: str, run: Record, names: list[str], given: Any) -> dict[str, Measure]:
    """Measures of a mechanism that are varied, by the names that they were given."""
    if not isinstance(run, Result) or not isinstance(given, Mapping):
        return {}
    found = {x: run.model.find_measure(x) for x in given if x not in names and isinstance(x, str)}
    for name, measure in found.items():
        if measure is not None and measure.is_rate:
            why = "a rate is no position that could be displaced"
            raise MethodError(asked, f"variation of {name!r}", why, "name what it is the rate of")
    return {name: measure for name, measure in found.items() if measure is not None}


def _by_joints(
    asked: str, there: Result, measures: list[Measure], weights: np.ndarray, d: np.ndarray, rate: np.ndarray
) -> Varied:
    """Variations of bodies with those of measures behind them as variations of bodies alone: δq = N δs with J N = 0 and G N = 1."""
    system, many = there.system, len(measures)
    own, s, ds = d.shape[1] - many, d[:, -many:], rate[:, -many:]
    observer, angles, rows = there._observer(measures)
    n, work, memory = observer.numbering, observer.workspace(), system.workspace()
    units, N = system.unit_of_velocity, np.zeros((len(there.t), own, many))
    for k, t in enumerate(there.t):
        work.angle[:], work.angle_time[0] = angles[k], t
        operate(INPUTS, n.I, n.P, work.F, float(t), there.q[k], there.v[k], np.zeros(own), 0.0, 1)
        G = np.vstack([unscaled_jacobian(observer, work, r, r + 1).toarray() for r in rows])
        J = there.point(k, memory).dense_jac
        A, wanted = np.vstack([J, G]) * units, np.vstack([np.zeros((len(J), many)), np.eye(many)])
        made = factor(A)
        N[k] = units[:, None] * np.column_stack([made.solve(x) for x in wanted.T])
        if np.max(np.abs(A @ (N[k] / units[:, None]) - wanted)) > HELD:
            raise MethodError(
                asked, f"variation of {', '.join(repr(m.name) for m in measures)} at t = {t:g} s",
                "joints and drivers hold it, or each other's values follow from it", "vary what can move, one measure for each freedom",
            )  # fmt: skip
    # rates of N, which is as smooth as the motion: those of the polynomials through the points of each panel
    x, w = np.polynomial.legendre.leggauss(POINTS)
    half = weights.reshape(-1, POINTS)[:, :1] / w[0]
    rates = np.einsum("ij,pjvm->pivm", _slopes(x), N.reshape(-1, POINTS, own, many)) / half[:, :, None, None]
    moved = rates.reshape(N.shape)
    return (
        d[:, :own] + np.einsum("tvm,tm->tv", N, s),
        rate[:, :own] + np.einsum("tvm,tm->tv", N, ds) + np.einsum("tvm,tm->tv", moved, s),
    )


def _slopes(x: np.ndarray) -> np.ndarray:
    """Matrix from values at some places to the slopes there of the polynomial through them."""
    powers = np.vander(x, increasing=True)
    derived = np.hstack([np.zeros((len(x), 1)), powers[:, :-1] * np.arange(1, len(x))])
    return np.asarray(np.linalg.solve(powers.T, derived.T).T)


def _random(names: list[str], t: np.ndarray, t1: float, t2: float, count: int, seed: int) -> list[Varied]:
    """Sums of sines that vanish at both ends, with random amplitudes, and their rates."""
    rng = np.random.default_rng(seed)
    k = np.arange(1, WAVES + 1) * np.pi / (t2 - t1)
    sines, cosines = np.sin(np.outer(t - t1, k)), np.cos(np.outer(t - t1, k)) * k
    made = []
    for _ in range(count):
        c = rng.normal(size=(WAVES, len(names)))
        made.append((sines @ c, cosines @ c))
    return made


def _given(asked: str, run: Record, names: list[str], given: Any, t: np.ndarray, t1: float, t2: float) -> Varied:
    """A variation in numbers; it must be zero at both ends."""
    if not isinstance(given, Mapping) or not given:
        found = f"variation = {shown(given)}"
        raise MethodError(asked, found, "expressions of t by coordinate are needed", "give {'theta': 'sin(pi*t)'}")
    d, rate = np.zeros((len(t), len(names))), np.zeros((len(t), len(names)))
    parameters = run.parameters
    for name, text in given.items():
        if name not in names:
            joints = run.model.parts("joint") if isinstance(run, Result) else ()
            measures = [m.name for joint in joints for m in joint.coordinates().values()]
            why = "it is no measure of a position" if isinstance(run, Result) else "it is no coordinate"
            raise MethodError(asked, f"variation of {shown(name)}", why, nearest(name, [*measures, *names]))
        what = f"variation of {name!r}"
        made = as_expression(text, [*parameters, "t"], asked=what)
        slope = derivative(made, "t")
        k = names.index(name)
        d[:, k] = [made.evaluate({**parameters, "t": float(x)}) for x in t]
        rate[:, k] = [slope.evaluate({**parameters, "t": float(x)}) for x in t]
        ends = [made.evaluate({**parameters, "t": x}) for x in (t1, t2)]
        if max(map(abs, ends)) > KEPT * float(np.max(np.abs(d[:, k]))):
            raise MethodError(
                asked, f"δ{name} = {made} is {ends[0]:.3g} at t = {t1:g} s and {ends[1]:.3g} at t = {t2:g} s",
                "Hamilton's principle is for variations that keep both ends", f"multiply by sin(pi*(t - {t1:g})/{t2 - t1:g})",
            )  # fmt: skip
    return d, rate
