"""What friction does at an instant, and which closed gaps press: the contact problem of second rates (`solve/contact_problem.py`).

Where friction acts on more rates than can move, those at rest hold in one of many shares that are inside the cones.  A share that the contact problem found is then followed along: as many
elements hold, by rows, as are independent of each other, those first that have most left; each of the others keeps the part of its limit that it carries (`Shared`).  As the
load grows one that holds reaches its limit, stays there, and another one holds in its place: until none is left, and motion begins.  Under a load that grows that is once for each element.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.events import Shared
from ...model.forces._soft_rub import SoftRub
from ...model.mechanism import Mechanism
from ...solve.contact_problem import OPEN, SLIP, STICK, Contacts, Element, solve
from ...system.lagrange import LagrangeSystem
from ..dynamics.pressure import coefficients, felt_rows, pads_of, pressure_at
from .contact import touching
from .surfaces import Response, surfaces

if TYPE_CHECKING:
    from ...state import State
    from ..dynamics.dynamics import Dynamics
    from .grips import Grips

# part of its own mobility that a rate keeps which others do not hold
FREE = 1e-9
# by how much limits are lower where one has been reached: what slips then moves
BARELY = 1e-6
# part of the largest term that is rounding; rounds in which the direction of gaps that slide together is found
ROUNDING, ROUNDS = 1e-12, 60


class Decision:
    """All friction at work, and gaps that touch and do not move, at a state; `rates` are the ways of what slips, 0 of what is at rest."""

    def __init__(
        self, grips: Grips, state: State, rates: dict[str, Any], barely: dict[str, Any] | None = None, closed: frozenset[str] | None = None, solved: bool = True
    ) -> None:  # fmt: skip
        course, self.rates, self.active = grips.course, rates, grips.active
        now = course.situation
        closed = now.closed if closed is None else closed
        at_stops = {rub.name for rub in grips.rubs}
        self.own = [one for name, one in self.active.items() if name not in at_stops]
        # forces of a constant size stand in the equations of coordinates, along the way that they have there
        by_sign = not isinstance(course.model, Mechanism)
        signs = {one.name: rates[one.name] if by_sign and rates[one.name] else 1 for one in self.own}
        here = grips.let_go(state, signs)
        every = surfaces(here, here.system.model)
        s = self.s = every.some([k for k, name in enumerate(every.names) if name in closed])
        a, lam = here.solve()
        rows, biases = [*s.rows], [*s.bias]
        friction, included = list[Element](), np.zeros(len(rows) + sum(len(one.slips) for one in self.own))
        for one in self.own:
            T = tuple(range(len(rows), len(rows) + len(one.slips)))
            u = []
            for measure in one.slips:
                _, row, rate = here.measure(measure)
                rows.append(row)
                biases.append(here.bias(measure))
                u.append(rate)
            element = self._element(one, here, T, np.array(u))
            friction.append(element)
            if one.mu is None and isinstance(here.system, LagrangeSystem):
                included[T[0]] = -signs[one.name] * element.force
        R = np.array(rows).reshape(len(rows), here.system.nv)
        response = Response(here)
        jumps, A = response.mobility(R)
        a, lam = a - jumps @ included, lam - response.lams @ included
        self.a, self.jumps, self.response = a, jumps, response
        b = R @ a + np.array(biases)
        # where forces balance, what is left is rounding of what each of them alone would give
        mass, force = here.mass.diagonal(), np.abs(here.dense_jac).T @ np.abs(lam)
        terms = np.abs(a) + np.divide(force, mass, out=np.zeros(len(mass)), where=mass > 0.0)
        b[np.abs(b) < ROUNDING * (np.abs(R) @ terms + np.abs(biases))] = 0.0
        self.here, self.elements = here, [*(touching(s, k, here) for k in range(len(s))), *friction]
        for name in (name for name in rates if name in at_stops):
            for k in self._of(name):
                self.elements[k] = self._at_gap(k, s.rubs[k], rates[name], s.rate[s.partners[k]])
        self.freedom = response.freedom(R)
        self.A = A
        # gaps that hold together slide together, the way that they are pulled at first
        pulled = {name: e for name, e in (barely or {}).items() if e is not None}
        if barely:
            names = [*s.names, *(one.name for one in self.own)]
            at_limit = {x for name in barely for x in (name, *self._stops(name))}
            self.elements = [self._lowered(c, name in at_limit) for c, name in zip(self.elements, names)]
        for _ in range(ROUNDS if pulled else 1):
            for name, e in pulled.items():
                for k in self._of(name):
                    self.elements[k] = replace(
                        self.elements[k], slides=e, mu=coefficients(s.rubs[k], here, 0.0, True)[0]
                    )
            self.problem = Contacts(A, b, self.elements, lam, response.lams)
            self.answer = solve(self.problem) if solved else None
            turned, answer = 0.0, self.answer
            for name, e in pulled.items():
                if answer is None:
                    break
                w = answer.w[list(self.elements[self._of(name)[0]].T)]
                if float(np.linalg.norm(w)) > 1e-9 * float(np.max(self.problem.terms(answer.p))):
                    pulled[name] = w / float(np.linalg.norm(w))
                    turned = max(turned, float(np.linalg.norm(pulled[name] - e)))
            if turned <= ROUNDING:
                break
        self.p = np.zeros(len(b)) if self.answer is None else self.answer.p
        self.limits: dict[str, float] = {}

    def _element(self, one: Any, here: Dynamics, T: tuple[int, ...], u: np.ndarray) -> Element:
        """Friction of a joint, a row, or a compliant contact."""
        way, speed = self.rates[one.name], float(np.linalg.norm(u))
        mu, static = coefficients(one, here, 0.0 if not way else speed, not way)
        slides = None
        if way:
            slides = np.array(way) if isinstance(way, tuple) else np.array([float(way)]) if len(u) == 1 else u / speed
        if isinstance(one, SoftRub):
            press = pressure_at(one, here, np.zeros(0), [])
            return Element(None, T, slides=slides, force=mu * press, holds=static * press, name=one.name)
        if one.mu is None:
            return Element(None, T, slides=slides, force=mu, holds=static, name=one.name)
        pads, felt = pads_of(one, here.system), tuple(felt_rows(one, here.system))
        return Element(None, T, mu, static, slides=slides, pads=pads, felt=felt, name=one.name)

    def _at_gap(self, k: int, rub: Any, way: Any, u: np.ndarray) -> Element:
        """A gap with friction that does what was found by rates, in the direction that is kept where these are small."""
        T, speed = tuple(self.s.partners[k]), float(np.linalg.norm(u))
        mu, static = coefficients(rub, self.here, speed if way else 0.0, not way)
        if not way:
            return Element(k, T, mu, static)
        return Element(k, T, mu, 0.0, slides=np.array(way) if isinstance(way, tuple) else u / speed)

    @staticmethod
    def _lowered(c: Element, reached: bool) -> Element:
        """An element with a limit that is a little lower; with that of slipping where the limit was reached."""
        if c.slides is not None or not c.T or c.static == np.inf:
            return c
        mu, force = (c.mu, c.force) if reached else (c.static, c.holds)
        less = 1.0 - BARELY
        return replace(
            c, static=less * mu, holds=less * force, mu=min(c.mu, less * mu), force=min(c.force, less * force)
        )

    def _of(self, name: str) -> list[int]:
        """Numbers of the elements that are one friction: gaps that slide together."""
        found = [k for k, stop in enumerate(self.s.names) if stop in self._stops(name)]
        return found or [len(self.s) + [x.name for x in self.own].index(name)]

    def _stops(self, name: str) -> set[str]:
        """Stops at which friction acts, of gaps that slide together."""
        one = self.active.get(name)
        return {stop.name for stop in getattr(one, "pressing", ()) or getattr(one, "group", ())}

    @property
    def accelerations(self) -> np.ndarray:
        """Second rates of all coordinates, with the forces that were found."""
        return np.asarray(self.a + self.jumps @ self.p)

    def ways(self) -> dict[str, Any]:
        """What every element does."""
        assert self.answer is not None
        found = dict(self.rates)
        for name in (name for name, way in self.rates.items() if not way):
            some = self._of(name)
            slipping = [k for k in some if self.answer.modes[k] == SLIP]
            for k in slipping[:1]:
                # with the rate of its own rows, where it moves
                own = [self.answer.w[list(self.elements[j].T)] for j in (some[0], k)]
                w = own[0] if np.any(own[0]) else own[1]
                moves = np.linalg.norm(w) > 1e-9 * float(np.max(self.problem.terms(self.p)))
                e = w / float(np.linalg.norm(w)) if moves and self.elements[k].slides is None else self.answer.ways[k]
                found[name] = (1 if e[0] > 0.0 else -1) if len(e) == 1 else tuple(map(float, e))
            if not slipping and all(self.answer.modes[k] == OPEN for k in some):
                # closed without a load: nothing holds it
                w = self.answer.w[list(self.elements[some[0]].T)]
                if np.linalg.norm(w) > 1e-9 * float(np.max(self.problem.terms(self.p))):
                    e = w / float(np.linalg.norm(w))
                    found[name] = (1 if e[0] > 0.0 else -1) if len(e) == 1 else tuple(map(float, e))
        return found

    def take(self, here: Dynamics, lam: np.ndarray, ways: dict[str, Any]) -> None:
        """The forces of a run at this state in the place of the answer of the contact problem."""
        for name, one in self.active.items():
            rows, T = here.system.rows_of(name), self.elements[self._of(name)[0]].T
            limit = limit_at(one, here, lam)
            self.limits[name] = limit
            if ways[name] == 0:
                self.p[list(T)] = -lam[rows][: len(T)]
            elif isinstance(ways[name], Shared):
                self.p[list(T)] = -float(ways[name]) * limit

    def slack(self, name: str) -> tuple[float, float, float]:
        """The part of its limit that an element has left, what that can change rates by, and the part that it carries, with the sign of the way in which it would slip."""
        some = self._of(name)
        force, r = np.sum([self.p[list(self.elements[k].T)] for k in some], axis=0), self.elements[some[0]].T[0]
        limit = self.limits.get(name) or sum(self.problem.limit(k, self.p) for k in some)
        part = min(float(np.linalg.norm(force)) / limit if limit > 0.0 else 1.0, 1.0)
        return (
            1.0 - part,
            (1.0 - part) * limit * float(np.sqrt(self.A[r, r])),
            -float(np.sign(force[0])) * part * (limit > 0.0),
        )

    def shared(self, ways: dict[str, Any]) -> dict[str, Any]:
        """The same where of what holds only independent rates are held; the least that one of these has left is in `least_slack`."""
        resting = [name for name, way in ways.items() if not way]
        one_way = {name: self.slack(name) for name in resting if len(self.active[name].slips) == 1}
        order = [name for name in resting if name not in one_way]
        order += sorted(one_way, key=lambda name: -one_way[name][1])
        modes = [STICK] * len(self.s) if self.answer is None else self.answer.modes
        held = [c.n for c, mode in zip(self.elements, modes) if c.n is not None and mode != OPEN]
        # what does not slip at all
        held += [r for c, mode in zip(self.elements, modes) if c.static == np.inf and mode != OPEN for r in c.T]
        found, self.least_slack = dict(ways), 1.0
        for name in order:
            T = list(self.elements[self._of(name)[0]].T)
            own = self.A[np.ix_(T, T)]
            # at a dead centre joints alone hold it
            moves = np.diag(own) > FREE * self.freedom[T]
            if held and moves.any():
                across = self.A[np.ix_(held, T)]
                own = own - across.T @ np.linalg.lstsq(self.A[np.ix_(held, held)], across, rcond=1e-12)[0]
            if name in one_way and moves.all() and not np.diag(own)[0] > FREE * self.A[T[0], T[0]]:
                found[name] = Shared(one_way[name][2])
                continue
            if moves.all():
                held += T
            if name in one_way:
                self.least_slack = min(self.least_slack, one_way[name][0])
        return found


def limit_at(one: Any, here: Dynamics, lam: np.ndarray) -> float:
    """What friction may hold at a state, by multipliers."""
    made = one.factor(0)
    held = one.holding(here.system.number) * (1.0 if made is None else float(here.measure(made)[0]))
    if isinstance(one, SoftRub):
        return float(held * pressure_at(one, here, lam, []))
    if one.mu is None:
        return float(held)
    return float(
        held * sum(np.linalg.norm(pad @ lam[felt_rows(one, here.system)]) for pad in pads_of(one, here.system))
    )
