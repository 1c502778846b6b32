"""Gaps of the stops of a model at a state: values, rows, rates and second rates; the mobility of the gaps, and what impulses along them do.

s = gap      s' = R v + s_t      s'' = R a + bias
M dv + J^T L = R^T p,   J dv = 0         dv = W p,   A = R W
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels.operate import INPUTS
from ...model.mechanism import Mechanism
from ...results.record import guard_of
from ...system.rows import unscaled_jacobian
from ...system.system import System
from ..dynamics.dynamics import Dynamics
from ..dynamics.shock import Shock, Struck, Thrown
from ..pose.pose import Pose

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian


@dataclass
class Surfaces:
    """Rows of some stops at a state: their gaps first, then what does not slip, or slides, while they are closed.

    Attributes
    ----------
    names
        The stops.
    rubs
        For every stop its friction (`Rub`), or None.
    partners
        For every stop the numbers of its further rows.
    value, rows, rate, bias
        Of every row.
    joints
        Friction of joints and rows (`Element`), whose rows come last, numbered from there.
    """

    names: list[str]
    rubs: list[Any]
    partners: list[list[int]]
    value: np.ndarray
    rows: np.ndarray
    rate: np.ndarray
    bias: np.ndarray
    joints: list[Any] = field(default_factory=list)

    def with_joints(self, joints: list[Any], rows: np.ndarray, rate: np.ndarray) -> Surfaces:
        """The same with friction of joints besides."""
        none, added = np.zeros(len(rate)), ((self.rows, rows), (self.rate, rate))
        value, bias = (np.concatenate([x, none]) for x in (self.value, self.bias))
        every, rates = (np.concatenate(x) for x in added)
        return replace(self, value=value, rows=every, rate=rates, bias=bias, joints=joints)

    @property
    def of_stops(self) -> int:
        """How many rows belong to the stops."""
        return len(self.rate) - sum(len(one.T) for one in self.joints)

    def some(self, picks: list[int]) -> Surfaces:
        """Those of some stops only."""
        rows, partners = list(picks), []
        for k in picks:
            partners.append(list(range(len(rows), len(rows) + len(self.partners[k]))))
            rows += self.partners[k]
        value, every, rate, bias = (x[rows] for x in (self.value, self.rows, self.rate, self.bias))
        names, rubs = [self.names[k] for k in picks], [self.rubs[k] for k in picks]
        return Surfaces(names, rubs, partners, value, every, rate, bias)

    def __len__(self) -> int:
        return len(self.names)


def measured(model: Mechanism | Lagrangian) -> tuple[Any, ...]:
    """Gaps and what does not slip, or slides, of all stops of a model: measures of a mechanism, expressions of a Lagrangian system."""
    return (*(stop.pressed for stop in model.stops_at_work.values()), *(x for _, along in _along(model) for x in along))


def _along(model: Mechanism | Lagrangian) -> list[tuple[Any, tuple[Any, ...]]]:
    """For every stop its friction, or None, and what does not slip, or slides."""
    rubs = {rub.stop.name: rub for rub in model.rubs if rub.owner.name not in model.situation.absent}
    found = [(rubs.get(stop.name), stop.rough) for stop in model.stops_at_work.values()]
    return [(rub, rough if rub is None else rub.slips) for rub, rough in found]


def surfaces(here: Dynamics, model: Mechanism | Lagrangian) -> Surfaces:
    """All stops of a model at a state; `here` is of a system that was compiled with them."""
    names, along = list(model.stops_at_work), _along(model)
    partners, count = [], len(names)
    for _, rows in along:
        partners.append(list(range(count, count + len(rows))))
        count += len(rows)
    value, every, rate, bias = _of_bodies(here, model) if isinstance(here, Pose) else _of_coordinates(here, model)
    return Surfaces(names, [rub for rub, _ in along], partners, value, every, rate, bias)


def free_rows(system: System, model: Mechanism | Lagrangian) -> np.ndarray:
    """Numbers of the free rows of all stops, as `measured` lists them."""
    if "surfaces" not in system.__dict__:
        found = (system.builder.free_row(f"measure {measure.name!r}", measure) for measure in measured(model))
        system.__dict__["surfaces"] = np.array(list(found), dtype=int)
    return np.asarray(system.__dict__["surfaces"])


def _of_bodies(here: Pose, model: Mechanism | Lagrangian) -> tuple[np.ndarray, ...]:
    system, work = here.system, here.work
    here.operate(INPUTS)
    free = free_rows(system, model)
    rows = unscaled_jacobian(system, work, system.n_rows, system.n_rows + system.n_free).toarray()[free]
    value, rate, bias = (np.array(x)[system.n_rows + free] for x in (work.value, work.rate, work.bias))
    return value, rows.reshape(len(free), system.nv), rate, bias


def _of_coordinates(here: Dynamics, model: Mechanism | Lagrangian) -> tuple[np.ndarray, ...]:
    system = here.system
    assert not isinstance(system, System)
    if "surfaces" not in system.__dict__:
        graph, q = system.graph, list(system.model.q)
        flow = {graph.input[x]: graph.input[f"rate({x})"] for x in q} | {graph.input["t"]: graph.one}
        nodes = [graph.add_expression(x) for x in measured(model)]
        rates = graph.forward(nodes, flow)
        slopes = [slope for node in nodes for slope in graph.reverse(node, q)]
        system.__dict__["surfaces"] = system.function([*nodes, *slopes, *rates, *graph.forward(rates, flow)])
    n, k = system.n, len(measured(model))
    found = system.__dict__["surfaces"](here.t, here.q, here.v)
    return found[:k], found[k : k + k * n].reshape(k, n), found[k + k * n : 2 * k + k * n], found[2 * k + k * n :]


class Response:
    """What impulses do to a model at a state, joints and rows holding: the factor of [M J^T; J 0]."""

    def __init__(self, here: Dynamics) -> None:
        self._shock = Shock(here)
        self.mass = self._shock.mass
        # whether rows move by themselves, so that they do work in a blow
        self.driven = float(np.max(np.abs(here.jac @ here.v - here.w), initial=0.0)) if here.system.n_rows else 0.0

    def mobility(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jumps of unit impulses along rows (columns), and A = R W."""
        jumps, self.lams, mobility = self._shock.answers(rows)
        return jumps, mobility

    def freedom(self, rows: np.ndarray) -> np.ndarray:
        """Mobility of each row if all bodies were free."""
        return self._shock.freedom(rows)

    def struck(self, s: Surfaces, p: np.ndarray, e: np.ndarray, jump: np.ndarray, asked: str) -> Struck:
        """The blow of impulses along the rows whose mobility was asked for last; checked: M dv + J^T L = R^T p, J (v + dv) = nu."""
        here, lam = self._shock.here, self.lams @ p
        guard_of(here.system).check_impulse(here, self._shock, s.rows.T @ p, jump, lam, asked)
        stops = zip(s.names, s.rows, s.rate, e, p)
        thrown = tuple((Thrown(name, row, float(u), float(x)), float(size)) for name, row, u, x, size in stops)
        # what does not slip, and friction, strikes besides
        return Struck(s.rows[len(s) :].T @ p[len(s) :], jump, lam, self.mass, thrown)

    def account(self, blow: Struck, name: str) -> Any:
        """States before and after a blow, impulses of all joints and stops by name, energies."""
        return self._shock.here.account(blow, name)

    def kinetic(self, v: np.ndarray) -> float:
        """1/2 v^T M v."""
        return 0.5 * float(v @ (self.mass @ v))
