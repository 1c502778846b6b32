"""Rigid stops at an instant: the blow where gaps close, and which of them stay closed.

Impact.  With u the rates of the gaps that touch, A their mobility and p >= 0 their impulses, u+ = u- + A p and (see `solve/contact_problem.py`)

    Newton     u+ + e u- >= 0,                                   p (u+ + e u-) = 0
    Poisson    compression:  uc = u- + A pc >= 0,                pc uc = 0
               expansion:    pe >= e pc,   u+ = uc + A pe >= 0,  (pe - e pc) u+ = 0

In Newton's a gap that opens already (u- > 0) has e = 0.  With friction, what slides at a stop belongs to u, and its impulses are in the cone of mu p, against what
slides after the blow (of Poisson's hypothesis: after each of its two parts).  Friction of joints feels the impulses that these have in the blow and changes those of the stops:
both are one problem.

The kinetic energy changes by 1/2 p (u+ + u-); it must not grow.  Without rebound (e = 0) it cannot: p u+ <= 0, so that the change is p u+ - 1/2 p A p <= 0.  Newton's
hypothesis ensures that where all smooth gaps that are struck close, Poisson's for equal coefficients; it is checked for all.  With friction Newton's hypothesis may create
energy (Kane and Levinson's rod).  The impulse is then p = p0 + x (p - p0), p0 that without rebound, with the largest x at which it does not: both lie in the cones,
which are convex, so that p does, and the energy is a quadratic function of x that is not positive at 0.

Rest.  Of the gaps that touch and do not move, those are held whose forces f >= 0 keep them from closing:  s'' = s''0 + A f >= 0,  f s'' = 0; with friction in its cones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, DalembertError, ModelError, SingularError
from ...model.events import NEWTON
from ...solve.contact_problem import Contacts, Element, solve
from ..dynamics.pressure import coefficients, in_a_blow, still
from ..rest.static_forces import DEPENDENT, Combination, combination
from .surfaces import Response, Surfaces

if TYPE_CHECKING:
    from ..dynamics.dynamics import Dynamics
    from .decision import Decision


# part of the energy that may appear by rounding
ROUNDING = 1e-10
# what a pressure may change by, as a part of the largest, where it is unique
SHARED = 1e-6


@dataclass
class Blow:
    """What an impact does: velocities after, impulses by stop, kinetic energies, and what the stops have taken of them."""

    v: np.ndarray
    impulse: dict[str, float] = field(default_factory=dict)
    energy_before: float = 0.0
    energy_after: float = 0.0
    dissipated: float = 0.0
    struck: Any = None
    kept: float = 1.0  # part of the rebound that creates no energy
    note: str = ""  # what another hypothesis would change


def impact(here: Dynamics, values: Any, s: Surfaces, response: Response, v: np.ndarray, asked: str) -> Blow:
    """The blow of stops that touch; at least one of them closes.  `values` are parameters that have changed."""
    n, s = len(s), s.with_joints(*in_a_blow(here, asked))
    jumps, A = response.mobility(s.rows)
    before = s.rate
    system = here.system
    stops = [system.model.impacts[name] for name in s.names]
    e = np.array([stop.coefficient(values) for stop in stops])
    touches = [_struck(s, k, here) for k in range(n)]
    if all(stop.hypothesis == NEWTON for stop in stops):
        b = before.copy()
        b[:n] *= 1.0 + np.where(before[:n] < 0.0, e, 0.0)
        p = _phase(A, b, s, touches, asked, L=response.lams)
    else:
        p = _phase(A, before, s, touches, asked, L=response.lams)
        back = [replace(c, least=float(e[k] * max(p[k], 0.0))) for k, c in enumerate(touches)]
        p = p + _phase(A, before + A @ p, s, back, asked, L=response.lams)
    kept = 1.0
    if any(s.rubs):
        kept = _kept(p, before, A)
        if kept < 1.0 and not p[s.of_stops :].any():
            plastic = _phase(A, before, s, touches, asked, L=response.lams)
            p, kept = _without_gain(p, plastic, before, A)
    after = v + jumps @ p
    note = _hypothetical(s, stops, A, p, e, kept)
    made = Blow(after, _named(s, p), response.kinetic(v), response.kinetic(after), kept=kept, note=note)
    _check_energy(s, response, p, e, made, v, asked)
    made.struck = response.struck(s, p, e, jumps @ p, asked)
    return made


def _hypothetical(s: Surfaces, stops: list[Any], A: np.ndarray, p: np.ndarray, e: np.ndarray, kept: float) -> str:
    """What the answer of a rebound owes to a hypothesis: Newton's with friction, and blows of several stops at one instant."""
    pressed = [k for k in range(len(s)) if p[k] > ROUNDING * float(np.max(p[: len(s)])) and e[k] > 0.0]
    if kept < 1.0:
        return "Newton's rebound is lowered to the largest that creates no energy with this friction, and none is lost; hypothesis='poisson' loses some"
    unit = np.sqrt(np.maximum(np.diag(A)[: len(s)], 1e-300))
    shared = len(s) > 2 and np.linalg.eigvalsh(A[: len(s), : len(s)] / np.outer(unit, unit))[0] <= DEPENDENT
    if shared and any(rub is not None and len(rub.slips) > 1 for rub in s.rubs):
        return f"{', '.join(map(repr, s.names))} share the impulse in one of many ways; where it is thrown round, each leaves another motion"
    some = {stops[k].part or s.names[k] for k in pressed}
    coupled = any(
        A[j, k] != 0.0
        for j in pressed
        for k in pressed
        if stops[j].part != stops[k].part or not stops[j].part and j != k
    )
    if len(some) > 1 and coupled:
        return f"{', '.join(repr(s.names[k]) for k in pressed)} are struck at one time, and rebound together; one after the other they would leave with other velocities"
    return ""


def _named(s: Surfaces, p: np.ndarray) -> dict[str, float]:
    """Impulses of the stops by name, and of their friction."""
    found = {name: float(x) for name, x in zip(s.names, p)}
    for rub, rows in zip(s.rubs, s.partners):
        if rub is not None:
            found[rub.name] = float(p[rows[0]]) if len(rows) == 1 else float(np.linalg.norm(p[rows]))
    for one in s.joints:
        own = p[s.of_stops :][list(one.T)]
        found[one.name] = float(own[0]) if len(own) == 1 else float(np.linalg.norm(own))
    return found


def _struck(s: Surfaces, k: int, here: Dynamics) -> Element:
    """A stop in a blow: its friction has the coefficient of what slides before it."""
    if s.rubs[k] is None:
        mu = np.inf
    else:
        mu, _ = coefficients(s.rubs[k], here, float(np.linalg.norm(s.rate[s.partners[k]])), False)
    return Element(k, tuple(s.partners[k]), mu, mu)


def _phase(A: np.ndarray, b: np.ndarray, s: Surfaces, touches: list[Element], asked: str, L: np.ndarray) -> np.ndarray:
    """Impulses of all rows: of the stops, and of the friction of joints."""
    n = s.of_stops
    found = solve(
        Contacts(A, b, [*touches, *(replace(one, T=tuple(n + r for r in one.T)) for one in s.joints)], None, L)
    )
    if found is None:
        raise _unsolved(s, "impulses", asked, A, b)
    return found.p


def _alike(s: Surfaces, k: int, rate: np.ndarray, here: Dynamics) -> list[int]:
    """The stops that slide together with a stop: those of its contact, where all of them that touch have one velocity; itself."""
    rub, own = s.rubs[k], rate[s.partners[k]]
    if rub.spin is None:
        return [k]
    group = [j for j in range(len(s)) if s.rubs[j] is not None and s.rubs[j].group is rub.group]
    apart = max(float(np.max(np.abs(rate[s.partners[j]] - own))) for j in group)
    return group if apart <= still(here, rub.on) else [k]


def _refuse_shared(s: Surfaces, A: np.ndarray, p: np.ndarray, here: Dynamics, asked: str) -> None:
    """Refuse friction in space whose pressure other gaps share at will: p + z for every z with A z = 0 that leaves all of them >= 0.

    Gaps of one contact that slide with one velocity give the same motion with each sharing of the same sum and centre of pressure.
    """
    n = len(s)
    if here.system.plane:
        return
    unit = np.sqrt(np.maximum(np.diag(A)[:n], 1e-300))
    values, vectors = np.linalg.eigh(A[:n, :n] / np.outer(unit, unit))
    free = vectors[:, values <= DEPENDENT * values[-1]]
    if not free.shape[1]:
        return
    pressing, scaled = Combination(np.maximum(p[:n], 0.0) * unit, free), s.rows[:n] / unit[:, None]
    for k in (k for k in range(n) if s.rubs[k] is not None):
        alike = _alike(s, k, s.rate, here)
        # the same sum and centre of pressure: the same load along the normal
        if np.abs(free[alike].T @ scaled[alike]).max() <= SHARED * np.abs(scaled).max():
            continue
        low, high = (x / unit[k] for x in pressing.limits(np.eye(n)[k]))
        if low + SHARED * float(np.max(pressing.x)) / unit[k] < high < np.inf:
            others = ", ".join(
                repr(name) for j, name in enumerate(s.names) if j != k and np.abs(free[j]).max() > SHARED
            )
            error = SingularError(
                asked, f"friction {s.rubs[k].name!r} feels what presses at {s.names[k]!r}, which is anything from {low:.6g} to {high:.6g}: {others} share it",
                "rigid bodies do not tell how more points than are needed share what presses, and a body that turns would rub otherwise with each sharing",
                "let it stand on three points at most, make the contacts compliant (stiffness=), or give rough=True",
            )  # fmt: skip
            error.t = here.t
            raise error


def _kept(p: np.ndarray, before: np.ndarray, A: np.ndarray) -> float:
    """1 where impulses create no energy, 0 else."""
    work, size = _work(p, before, A)
    return 1.0 if work <= ROUNDING * size else 0.0


def _work(p: np.ndarray, before: np.ndarray, A: np.ndarray) -> tuple[float, float]:
    """Work of impulses, 1/2 p (u+ + u-), and the size of its terms."""
    after = before + A @ p
    return 0.5 * float(p @ (before + after)), float(np.abs(p) @ (np.abs(before) + np.abs(after)))


def _without_gain(p: np.ndarray, plastic: np.ndarray, before: np.ndarray, A: np.ndarray) -> tuple[np.ndarray, float]:
    """The impulses nearest to p on the way from those without rebound that create no energy, and how much of the way that is.

    On the way p0 + x d the energy changes by  W0 + x d (u- + A p0) + x^2/2 d A d  with W0 <= 0: a parabola that opens upward, with one root between 0 and 1.
    """
    d = p - plastic
    c, b, a = min(_work(plastic, before, A)[0], 0.0), float(d @ (before + A @ plastic)), 0.5 * float(d @ A @ d)
    x = 2.0 * -c / (b + np.sqrt(max(b * b - 4.0 * a * c, 0.0))) if c < 0.0 or b > 0.0 else 0.0
    x = float(min(max(x, 0.0), 1.0))
    return plastic + x * d, x


def _unsolved(s: Surfaces, what: str, asked: str, A: np.ndarray, b: np.ndarray) -> DalembertError:
    """Stops for which there is no solution: by friction, if there is one without it."""
    found = f"no {what} of {', '.join(map(repr, s.names))} keep all gaps from closing"
    n = len(s)
    if solve(Contacts(A[:n, :n], b[:n], [Element(k) for k in range(n)])) is None:
        why = "joints and drivers push gaps together that cannot close, or stops that touch here contradict each other"
        do = "end the driven motion there, let a force act in place of a driver, or make a contact compliant (stiffness=)"
        return ConvergenceError(asked, found, why, do)
    if any(s.rubs) or len(b) > s.of_stops or s.joints:
        why = "friction that raises its own reaction leaves no motion of rigid bodies (Painleve's paradox, jamming); without friction there is one"
        return SingularError(
            asked, found, why, "lower mu, change the geometry, or make the contact compliant (stiffness=)"
        )
    why = "a stop that does not slip at all would have to pull or to close here: with any finite friction it slips, or it jams (Painleve's paradox)"
    return SingularError(asked, found, why, "leave rough= out of the stops that may slip")


def _check_energy(
    s: Surfaces, response: Response, p: np.ndarray, e: np.ndarray, blow: Blow, v: np.ndarray, asked: str
) -> None:
    """Refuse an impact that creates energy, or whose impulses do not explain the change of energy.

    In the rates u of the gaps the stops do the work 1/2 p (u+ + u-), which is never positive.  Gaps and rows that move by themselves do work besides.
    """
    before, after = s.rate, s.rate + s.rows @ (blow.v - v)
    work, size = 0.5 * float(p @ (before + after)), float(np.abs(p) @ (np.abs(before) + np.abs(after)))
    moving = float(np.abs(p) @ np.abs(before - s.rows @ v)) + response.driven
    gained = blow.energy_after - blow.energy_before
    size += max(blow.energy_before, blow.energy_after)
    blow.dissipated = -work
    if moving == 0.0 and abs(gained - work) > 1e-8 * size:
        raise ConvergenceError(
            asked, f"the energy changes by {gained:.6g} J and the impulses do the work {work:.6g} J", "the blow is not solved as it should be",
            "look at the masses: very uneven ones lose digits",
        )  # fmt: skip
    if work > ROUNDING * size:
        listed = ", ".join(f"{name!r} (e = {x:g})" for name, x in zip(s.names, e))
        raise ModelError(
            asked,
            f"the impact of {listed} would create {work:.3g} J",
            "coefficients of restitution that differ do not go together at stops that touch at one time, nor such a rebound with friction in joints that ends its slip there",
            "give them the same restitution, a smaller one, or hypothesis='poisson'",
        )


def pressing(found: Decision, asked: str) -> list[int]:
    """Numbers of the gaps that press, of those that touch and do not move."""
    s, x, here = found.s, found.problem, found.here
    if any(s.rubs):
        _refuse_squeezed(s, x.A, found.response, here, asked)
    if found.answer is None:
        raise _unsolved(s, "forces", asked, x.A, x.b)
    if any(s.rubs):
        _refuse_shared(s, x.A, found.p, here, asked)
    pressed = _smallest(s, found.p)
    least = ROUNDING * float(np.max(np.abs(found.p), initial=0.0))
    return [k for k in range(len(s)) if pressed[k] > least]


def _smallest(s: Surfaces, p: np.ndarray) -> np.ndarray:
    """Forces along the gaps, the smallest >= 0 of those of one contact that share theirs: the time loop watches these (`system/sharing.py`)."""
    found = p[: len(s)].copy()
    groups = {id(rub.group): rub for rub in s.rubs if rub is not None and rub.spin is not None}
    for rub in groups.values():
        some = [k for k in range(len(s)) if s.rubs[k] is not None and s.rubs[k].group is rub.group]
        rows = s.rows[some]
        made = combination(rows.T / np.max(np.abs(rows)), rows.T @ found[some] / np.max(np.abs(rows)), 0.0)
        if len(some) > 2 and made is not None:
            found[some] = made.x
    return found


def _refuse_squeezed(s: Surfaces, A: np.ndarray, response: Response, here: Dynamics, asked: str) -> None:
    """Refuse friction at a gap that no motion opens or closes."""
    unit = here.system.unit_of_velocity
    heaviest = float(np.max(response.mass.diagonal() * unit**2, initial=0.0))
    for k in (k for k in range(len(s)) if s.rubs[k] is not None):
        row = s.rows[k] * unit
        if A[k, k] * heaviest < DEPENDENT * float(row @ row):  # a body moved by it would have to be heavier than all
            jac = here.dense_jac * unit
            off = row - jac.T @ np.linalg.lstsq(jac.T, row, rcond=None)[0] if len(jac) else row
            if float(np.linalg.norm(off)) <= DEPENDENT * float(np.linalg.norm(row)):
                raise squeezed(asked, s.rubs[k].name, s.names[k])


def squeezed(asked: str, friction: str, gap: str) -> ModelError:
    """Friction at a gap that joints alone hold closed: they carry what presses there in any share."""
    return ModelError(
        asked, f"friction {friction!r} feels what presses at {gap!r}, which touches and which no motion opens: joints hold the body there, too",
        "how joints and contact share what presses is not determined, and friction would be another with each share",
        f"leave out the joint, or m.open({gap!r}); or let the contact yield (stiffness=), or rub in the joint itself (m.friction)",
    )  # fmt: skip


def touching(s: Surfaces, k: int, here: Dynamics) -> Element:
    """A stop that may press: it slides already, has been let go, or holds up to its static coefficient."""
    rub, rows = s.rubs[k], tuple(s.partners[k])
    if rub is None:
        return Element(k, rows, np.inf, np.inf)
    rate = s.rate[list(rows)]
    speed = float(np.linalg.norm(rate))
    rests = speed <= still(here, rub.on)
    mu, static = coefficients(rub, here, 0.0 if rests else speed, rests)
    if not rests:
        return Element(k, rows, mu, 0.0, slides=rate / speed)
    return Element(k, rows, mu, static)


def caught(s: Surfaces, response: Response, v: np.ndarray, here: Dynamics) -> Blow:
    """Bounces that have died away: the gaps stay where they are, M dv = R^T p, R (v + dv) = 0; the energy can only fall.

    What slides at them goes on sliding: friction has no part in what is left out of a bounce.
    """
    sliding = {
        row
        for rub, rows in zip(s.rubs, s.partners)
        if rub is not None and float(np.linalg.norm(s.rate[rows])) > still(here, rub.on)
        for row in rows
    }
    held = [k for k in range(len(s.rate)) if k not in sliding]
    jumps, A = response.mobility(s.rows[held])
    p = np.linalg.lstsq(A, -s.rate[held], rcond=1e-12)[0]
    after = v + jumps @ p
    return Blow(after, {name: float(x) for name, x in zip(s.names, p)}, response.kinetic(v), response.kinetic(after))
