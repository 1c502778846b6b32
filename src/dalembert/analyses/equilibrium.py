"""equilibrium: where a mechanism or a Lagrangian system can rest, or turn steadily, whether it stays there, and what its joints carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, unknown_attribute
from ..model.auxiliary import Auxiliary
from ..model.body import Body
from ..model.expression import as_expression
from ..model.frame import Point
from ..model.joints._rolling import Rolling
from ..model.kinds import named
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import read_units
from ..options.call import verb
from ..results.paged import Paged
from ..results.table import aligned
from ..state import State
from ..system.system import System, compile
from .dynamics.dynamics import kind_of_view
from .dynamics.start import read_state
from .instant import Instant
from .pose.pose import Pose
from .reactions import reactions_of

if TYPE_CHECKING:
    from ..system.lagrange import LagrangeSystem
    from .rest.continuation import Branches
    from .rest.ranges import RestRanges
    from .rest.seeds import SearchReport
    from .rest.unilateral_contacts import Pressure


@dataclass(frozen=True, eq=False)
class Equilibrium(Paged):
    """One equilibrium.

    Attributes
    ----------
    state
        Where: positions, and velocities of a steady turn.
    verdict
        "stable", "unstable" or "degenerate" (the stiffness along some free motion is zero within its error, and the energy around does
        not decide either).
    reason
        What decided: "stiffness", or what the energy does along motions without stiffness.
    eigenvalues
        Of M^-1 K, in increasing order [1/s²]: squares of natural frequencies where positive.  Of a model with auxiliary states those of the small
        motions with the states, s of exp(s t) [1/s].
    energy
        Potential energy [J], minus 1/2 omega² I of a steady turn; nan where forces have no potential.
    M, K
        Reduced mass and stiffness for the free motions, K with the geometric stiffness of the joints.
    motions
        The free motions: columns like velocities with J Z = 0.
    multipliers
        Of all constraint rows.
    pressures
        Of the rigid stops and contacts that touch, by name of their gaps: `.value`, and `.low` to `.high` where it is not unique.
    """

    state: State
    verdict: str
    eigenvalues: np.ndarray
    energy: float
    M: np.ndarray = field(repr=False)
    K: np.ndarray = field(repr=False)
    motions: np.ndarray = field(repr=False)
    multipliers: np.ndarray = field(repr=False)
    coordinates: dict[str, tuple[float, str]] = field(repr=False)
    _model: Mechanism | Lagrangian = field(repr=False)
    _system: System | LagrangeSystem = field(repr=False)
    _zero: float = field(repr=False)
    reason: str = "stiffness"
    _flat: bool = field(default=False, repr=False)
    pressures: dict[str, Pressure] = field(default_factory=dict)

    @cached_property
    def reactions(self) -> Any:
        """Loads of the joints (multipliers and generalized forces of rows) at rest or in the steady turn, by name; see `reactions`."""
        asked = f"reactions at an equilibrium of {self._model.name!r}"
        with np.errstate(all="ignore"):
            here = kind_of_view(self._system).at(self._system, self.state, asked)
            here.scales()
            here.detect(asked)
            found = reactions_of(here, asked)
            if not all(x.unique for x in self.pressures.values()):
                # of loads that are not unique the smallest may pull at a contact: those that press instead
                found.run.basic_lam[0] = self.multipliers
            return found

    @cached_property
    def warnings(self) -> tuple[Any, ...]:
        """Contacts that pull here: a roller that only presses would not rest there."""
        rolls = any(isinstance(joint, Rolling) for joint in self._model.joints)
        return self.reactions.warnings if rolls else ()

    @cached_property
    def instant(self) -> Instant:
        """Bodies, points, joints and measures here, with rates and second rates; see `instant`."""
        return Instant(self.reactions.run)

    def __getitem__(self, measure: Any) -> Any:
        """Value of a measure here: `e["A.angle"]`; of a body or a point what it has: `e["bar"].position`, `e[bar.end].position`; of a Lagrangian system any expression."""
        model, system = self._model, cast(Any, self._system)
        if isinstance(model, Lagrangian):
            made = as_expression(measure, system.given_names, asked=f"value at an equilibrium of {model.name!r}")
            return float(
                system.function([system.graph.add_expression(made)])(self.state.t, self.state.q, self.state.v)[0]
            )
        part = model[measure] if isinstance(measure, str) and measure in model else measure
        if isinstance(part, Auxiliary):
            names = [state.name for state in system.builder.states]
            return float(self.state.z[names.index(part.name)])
        if isinstance(part, Body | Point):
            return self.instant[part if isinstance(part, Point) else part.name]
        found = model.read_coordinate(f"value at an equilibrium of {model.name!r}", measure)
        system = compile(model, extra=(found,), values=system.builder.drawing.values)
        pose = Pose(system, self.state.t, self.state.q, self.state.v, self.state.angles)
        return pose.measure(found)[0]

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute(self, "an equilibrium", name, "use one of these, or e[name] for measures and bodies")

    def __str__(self) -> str:
        return "\n".join([f"equilibrium of {self._model.name!r}", _table([self]), *_reasons([self])]) + _warnings(
            [self]
        )

    def __repr__(self) -> str:
        what = (
            f"growth {lowest(self):.9g} 1/s"
            if with_states(self._model)
            else f"smallest eigenvalue {lowest(self):.9g} 1/s²"
        )
        return f"<Equilibrium of {self._model.name!r}: {self.verdict}, {what}>"


class Equilibria(Paged, tuple[Equilibrium, ...]):
    """Equilibria of a mechanism, stable ones first, and of these the nearest to the start first; prints as a table.

    `singular` are further states in which forces balance, but where the mechanism has more free motions than nearby: no stiffness
    decides about them; or where a force jumps.  `search` says how complete the list is.
    """

    name: str
    singular: tuple[State, ...]
    search: SearchReport
    note: str = ""

    @classmethod
    def of(cls, name: str, found: Iterable[Equilibrium], singular: Iterable[State], search: SearchReport) -> Equilibria:
        """The equilibria found for a mechanism of this name."""
        made = cls(found)
        made.name, made.singular, made.search = name, tuple(singular), search
        return made

    @property
    def complete(self) -> bool | None:
        """True: the whole path of one free motion was looked through; False: more must exist; None: not known (see `search`)."""
        return self.search.complete

    @property
    def stable(self) -> tuple[Equilibrium, ...]:
        """The stable ones."""
        return tuple(e for e in self if e.verdict == "stable")

    def __str__(self) -> str:
        lines = [f"equilibria of {self.name!r}", _table(self), *_reasons(self)]
        if self.singular:
            lines.append(f"{len(self.singular)} more in singular positions, or where a force jumps, not judged")
        lines[-1] += _warnings(self)
        return "\n".join([*lines, *([self.note] if self.note else []), str(self.search)])

    def __repr__(self) -> str:
        return str(self)


@verb
def equilibrium(
    model: Mechanism | Lagrangian,
    *,
    start: State | Equilibrium | None = None,
    method: str = "auto",
    spinning: Any = None,
    along: str | None = None,
    between: Any = None,
    starts: int | None = None,
    turns: float = 1.0,
    seed: int = 0,
    t: float = 0.0,
) -> Equilibria | Branches | RestRanges:
    """Equilibria of a mechanism with their stability and reactions.

    A mechanism with one free motion is followed along its whole path and every equilibrium on it is found; with more free motions the
    search begins at many places.  The assembly branch is that of the drawing.  With conditions on velocities (rolling, knife edges)
    equilibria come in families, since these conditions hold bodies wherever they were moved to: what lies nearest to the start is found.

    Parameters
    ----------
    model
        The mechanism, or a Lagrangian system.
    start
        State or equilibrium to begin from; default: the drawing, assembled.
    method
        "energy": minimum of the potential energy and its other stationary points; "force": J^T lam = Q, for forces without a
        potential; "auto": energy where there is one; "settle": integrate with damping until at rest (PLANAR 6.5), which finds the one
        equilibrium at which the machine settles from the start.
    spinning
        Pair (measure, omega): relative equilibria that turn steadily at omega [rad/s] about the axis of this angle.  For a Lagrangian
        system a coordinate that nothing depends on, and its constant rate.
    along, between
        Name of a parameter and the two values between which to follow the equilibria; folds and branch points are marked.
    starts
        Number of starts for several free motions; default: 24, fewer for many of them.  Up to eight times as many begin at equilibria
        that were found, with a part of them turned over.
    turns
        How far to look from the start where springs count turns: 1 is half a turn to either side.
    seed
        Of the random starts.
    t
        Time at which forces and drivers are taken, if there is no start.

    Returns
    -------
    Equilibria or Branches
        A tuple of `Equilibrium`, stable ones first, of these the nearest to the start first, so that `[0]` is where the machine as drawn would rest; or with `along` the branches.  With dry friction that sticks, the ranges of the coordinate of the first friction
        element in which a machine with one free motion rests (`RestRanges`); with several, whether its position stays (`RestPlace`: `.stays`, `.used`, `.forces`).  `.certain` tells rest that must be from rest that is possible.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> [e.verdict for e in da.equilibrium(m)]
    ['stable', 'unstable']
    """
    asked = named("equilibrium", model)
    begin, time = read_state(asked, model, start, "start"), t
    if begin is not None and time not in (0.0, begin.t):
        found = f"t = {time:g} with a start at t = {begin.t:g} s"
        raise MethodError(asked, found, "a start has its own time", "leave t out, or give da.State(t, q, v)")
    if (along is None) != (between is None):
        found = "along without between" if between is None else "between without along"
        raise MethodError(asked, found, "both belong together", "give along='name', between=(first, last)")

    if method == "settle" and along is not None and not with_states(model):
        found, do = "method = 'settle' with along", "leave method out to follow equilibria"
        raise MethodError(asked, found, "what a machine settles to need not change steadily with a parameter", do)

    with compiling(), np.errstate(all="ignore"):
        soft = any(not rub.absent(model.situation) for rub in model.soft_rubs)
        rubbing = soft or any(rub.stop.name in model.stops_at_work for rub in model.rubs)
        if model.frictions or rubbing:
            if method != "auto" or along is not None or spinning is not None:
                found, why = (
                    "dry friction with method, along or spinning",
                    "what friction holds is found as ranges of one coordinate",
                )
                raise MethodError(asked, found, why, "leave them out, or the friction")
            if isinstance(model, Mechanism) and (model.stops_at_work or soft):
                from .rest.friction_on_contacts import ranges_on_contacts

                return ranges_on_contacts(asked, model, begin, turns, time)
            from .rest.friction_limits import rest_ranges

            return rest_ranges(asked, model, begin, turns, time)
        if model.stops_at_work:
            from .rest.unilateral_contacts import rest_on_contacts

            known = {
                "method": (method, ("auto", "energy", "force")),
                "along": (along, (None,)),
                "spinning": (spinning, (None,)),
            }
            return rest_on_contacts(asked, model, begin, known, starts, turns, seed, time)
        if with_states(model):
            from .rest import with_states as joined

            options = {
                "method": (method, ("auto", "force")),
                "spinning": (spinning, (None,)),
                "along": (along, (None,)),
            }
            return joined.rest(asked, model, begin, options, starts, seed, time)
        if method == "settle":
            from .rest.settle import settle

            return settle(asked, model, begin, time if begin is None else begin.t, seed, spinning)
        if along is not None:
            from .rest.continuation import follow

            return follow(asked, model, along, between, method, spinning, begin, starts, turns, seed, time)
        from .rest.problem import Problem

        return Problem(asked, model, begin, method, spinning, time).solve(starts, turns, seed)


# -- printing --------------------------------------------------------------------------------------------------------------


def _warnings(rows: Sequence[Equilibrium]) -> str:
    return "".join(f"\nWARNING: {k}: {note}" for k, e in enumerate(rows) for note in e.warnings)


def with_states(model: Mechanism | Lagrangian) -> bool:
    """Whether a model has auxiliary states: then eigenvalues are rates of growth."""
    return bool(model.state_names)


def lowest(e: Equilibrium) -> float:
    """Smallest eigenvalue; of a model with auxiliary states the fastest growth."""
    values = np.real(e.eigenvalues)
    if not len(values):
        return math.inf  # nothing can move
    return float(np.max(values) if with_states(e._model) else np.min(values))


def _reasons(rows: Sequence[Equilibrium]) -> list[str]:
    """What presses, and what decided where it was not the stiffness."""
    from .rest.unilateral_contacts import told

    found = [f"{k}: {told(e.pressures)}" for k, e in enumerate(rows) if e.pressures]
    named = ((k, e.reason) for k, e in enumerate(rows) if not with_states(e._model))
    return found + [f"{k}: {reason}" for k, reason in named if reason != "stiffness"]


def _digits(x: float, factor: float) -> str:
    """Six decimals of the SI number, as many fewer in a smaller unit."""
    decimals = max(0, 6 - round(math.log10(factor)))
    return f"{round(x, decimals) + 0.0:.{decimals}f}"


def _table(rows: Sequence[Equilibrium]) -> str:
    names = list(rows[0].coordinates) if len(rows) else []
    shown_in = read_units("equilibrium", rows[0]._model.units if len(rows) else None)
    units = {name: shown_in.of(rows[0].coordinates[name][1]) for name in names}
    joule, factor = shown_in.of("J")
    head = [
        "",
        "verdict",
        f"energy [{joule}]",
        "growth [1/s]" if len(rows) and with_states(rows[0]._model) else "lowest [1/s²]",
        *(f"{n} [{u}]" if u else n for n, (u, _) in units.items()),
    ]
    lines = [head]
    largest = max((abs(e.energy) for e in rows if not math.isnan(e.energy)), default=0.0)
    for k, e in enumerate(rows):
        # rounding beside the largest, and beside the stiffness that counts as zero, is shown as zero
        energy = (
            "none" if math.isnan(e.energy) else f"{factor * e.energy if abs(e.energy) > 1e-13 * largest else 0.0:.6g}"
        )
        value = lowest(e) if abs(lowest(e)) > e._zero else 0.0
        lines.append(
            [
                str(k),
                e.verdict,
                energy,
                f"{value:.6g}" if math.isfinite(value) else "no motion",
                *(_digits(e.coordinates[n][0] * units[n][1], units[n][1]) for n in names),
            ]
        )
    return "\n".join(aligned(lines))
