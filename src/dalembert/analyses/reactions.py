"""reactions: force and torque of every joint and driver at one state, and which of them the equations determine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, ModelError, SingularError, nearest, shown
from ..model.joints._rolling import Rolling
from ..model.kinds import named
from ..model.shapes.reading import is_plain
from ..options.call import verb
from ..results.assumptions import notes
from ..results.guard import check
from ..results.in_units import units_of
from ..results.parts import SPACE, Axes, read_axes
from ..results.reactions import unit_load
from ..results.record import Record, kind_of
from ..results.result import Result
from ..results.touching import ContactResult
from ..state import State
from .dependence.self_stress import self_stress
from .dynamics.prepared import Prepared
from .dynamics.start import at_state
from .events.grips import decided
from .pose.leaving import Crossing
from .pose.pose import Pose
from .rest.static_forces import smallest_above
from .sheets.load import UNIQUE, Load, added_stress, describe, moved, read_about
from .sheets.text import report

if TYPE_CHECKING:
    from ..model.body import Body
    from ..model.driver import Driver
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..model.part import Part
    from .dependence.self_stress import SelfStress
    from .dynamics.dynamics import Dynamics
    from .lagrangian.reactions import RowReactions

# lines of the printed table
LINES = 40
# rows up to which a position at rest is examined for motions that branch there (dense linear algebra)
FEW = 300


@overload
def reactions(model: Mechanism, state: State | None = None) -> Reactions: ...
@overload
def reactions(model: Lagrangian, state: State | None = None) -> RowReactions: ...
@verb
def reactions(model: Mechanism | Lagrangian, state: State | None = None) -> Reactions | RowReactions:
    """Reactions of joints and drivers, each component marked as unique or not.

    Where rows depend on each other, multipliers lam + N c satisfy M a + J^T lam = Q for every c, with J^T N = 0.  A component of a
    load is unique exactly if N does not change it.  Components that are not unique are those of the smallest loads that fit
    (least sum of `|F|^2 + |T|^2 / L^2` over all joints, L the length of the model); `free` holds what can be added to them.

    Parameters
    ----------
    model
        The mechanism, or a Lagrangian: its rows react on the coordinates.
    state
        The state, as `run.at(t)` gives it; default: the drawing, assembled, with the initial conditions.

    Returns
    -------
    Reactions
        `reactions(m)["A"]` has `.force`, `.torque`, `.unique`, `.free`, `.rows`, `.on(body)`, `.frame("joint")`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    >>> leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=(0.5, 0, 1))
    >>> low = m.spherical("low", m.ground, leaf, at=(0, 0, 0))
    >>> high = m.spherical("high", m.ground, leaf, at=(0, 0, 2))
    >>> found = da.reactions(m)
    >>> found["low"].unique[:3].tolist()
    [True, True, False]
    >>> found["low"].free.tolist()
    [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]
    """
    asked = named("reactions", model)
    with compiling(), np.errstate(all="ignore"):
        return reactions_of(decided(at_state(model.beginning(), state, asked), asked, all_held=True), asked)


def reactions_of(here: Dynamics, asked: str) -> Reactions | RowReactions:
    """Reactions of a model at a state: of joints and drivers, or of rows."""
    if isinstance(here, Pose):
        return reactions_at(here, asked)
    from .lagrangian.point import Point  # a mechanism does not wait for it
    from .lagrangian.reactions import row_reactions

    assert isinstance(here, Point)
    return row_reactions(here, asked)


def reactions_at(pose: Pose, asked: str) -> Reactions:
    """Reactions at a pose."""
    run = instant(pose, asked)
    stress, least = self_stress(pose, run, run.basic_lam[0])
    if stress.count:
        least = _pressing(pose, stress, least)
        misfit = float(np.max(np.abs(pose.phi) * pose.scale, initial=0.0))
        check(pose, run.a[0], least, asked, misfit)
    run.basic_lam[0] = least
    return Reactions(run, stress)


def _pressing(pose: Pose, stress: SelfStress, lam: np.ndarray) -> np.ndarray:
    """The smallest loads among those with which no contact pulls: a multiplier of a gap is minus what presses."""
    rows = [pose.system.rows_of(name)[0] for name in sorted(pose.system.model.situation.closed)]
    if not rows or np.all(lam[rows] <= 0.0):
        return lam
    basis = stress.vectors.toarray()
    more = smallest_above(-basis[rows], lam[rows])
    return lam if more is None else lam + basis @ more


def instant(pose: Pose, asked: str) -> Result:
    """The result at one instant; refused where accelerations and reactions are not defined."""
    run = at_instant(pose, asked)
    assert isinstance(run, Result)
    if pose.dropped.any() and not pose.v.any() and pose.system.n_rows <= FEW:
        _check_departure(pose, run.a[0], asked)
    return run


def at_instant(here: Dynamics, asked: str) -> Record:
    """A result with one output: accelerations, multipliers and forces of a model at a state, checked."""
    a, lam = here.solve()
    work = here.work
    one = lambda x: np.array(x, dtype=float)[None]  # noqa: E731
    made = kind_of(here.system)(
        here.system, np.array([here.t]), one(here.q), one(here.v), one(a), one(lam), one(work.force), one(work.power),
        one(work.angle), z=one(work.state),
    )  # fmt: skip
    made._guard.check(here, a, lam, asked)
    return made


def _check_departure(pose: Pose, a: np.ndarray, asked: str) -> None:
    """At rest where motions branch, the acceleration must belong to one of them; rows left out in this pose only do not say so by themselves."""
    disagreement = float(np.max(np.abs(pose.phi) * pose.scale, initial=0.0))
    crossing = Crossing(Prepared(pose.system, pose.work, pose.state, [], disagreement))
    if crossing.speed(a) > 1e-9 and crossing.branches() and crossing.bent(a):
        raise SingularError(
            asked,
            "the position is singular, and the forces push along none of the motions that meet in it",
            "from rest the mechanism could leave along any of them; accelerations and reactions depend on which",
            "ask in a pose beside it, or give the state a velocity along one of the motions",
        )


@dataclass(frozen=True, eq=False)
class Reacting:
    """Reactions at one state by name; `run` is the result of that one instant."""

    run: Record = field(repr=False)

    @property
    def state(self) -> State:
        """The state they belong to."""
        run = self.run
        return State(float(run.t[0]), run.q[0], run.v[0], run.angles[0], tuple(run.system.body_names), run.z[0])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what reacts."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: Any) -> Any:
        raise NotImplementedError

    @cached_property
    def not_unique(self) -> tuple[str, ...]:
        """Those with a component that the equations do not determine."""
        return tuple(name for name in self.names if not np.all(self[name].unique))


@dataclass(frozen=True, eq=False)
class Reactions(Reacting):
    """Reactions at one state, by name of joint or driver; printing gives a table.

    `names` are the joints and drivers; `not_unique` those with components that the equations do not determine; `dependent` counts the
    independent self-stresses.  `net(body)` is the sum of all reactions on a body.
    """

    run: Result = field(repr=False)
    _stress: SelfStress = field(repr=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Joints, drivers, then contacts and stops that are closed, in the order of the model."""
        held = [part for kind in ("joint", "driver") for part in self.run.parts(kind)]
        touching = [part for part in self.run.parts("force") if part.stops and self.run.system.rows_of(part.name)]
        return tuple(part.name for part in (*held, *touching, *self.run.parts("impact")))

    @property
    def dependent(self) -> int:
        """Number of independent self-stresses (dependent rows)."""
        return self._stress.count

    @cached_property
    def warnings(self) -> tuple[Any, ...]:
        """Assumptions of the model that do not hold at this state: contacts that pull, bodies that would leave the plane."""
        return tuple(note for note in notes(self.run) if note.doubtful)

    def __getitem__(self, key: Any) -> Reaction:
        name = key if isinstance(key, str) else getattr(key, "name", key)
        if not isinstance(name, str) or name not in self.names:
            asked, model = f"reaction of {shown(name)}", self.run.model
            kind = getattr(model[name], "kind", "body") if name in model else ""
            if kind == "force":
                why = "its load is given by its law; reactions are those of joints and drivers"
                raise ModelError(asked, f"{name!r} is a force element", why, "use da.free_body(m, body), or run[name]")
            found = f"{name!r} is not a joint or driver" if name in model else "no such joint or driver"
            raise ModelError(asked, found, nearest(name, self.names), "use one of the known names")
        part = self.run.model[name]
        return (ContactReaction if isinstance(part, Rolling) else Reaction).of(self, part)

    def net(self, body: Any, about: Any = None) -> Load:
        """Sum of all reactions on a body: force, and torque about a point (default: the mass centre).

        Parameters
        ----------
        body
            The body, or its name.
        about
            Point in space, point of a body, or joint of the body.
        """
        asked = f"net reaction on {shown(getattr(body, 'name', body))}"
        found = self.run.model.read_body(asked, body)
        point, _ = read_about(asked, self.run, found, about)
        wrench, stress = np.zeros(6), []
        for name in self.names:
            part = self.run.model[name]
            if found in part.bodies:
                one = self[name].on(found)
                wrench = wrench + moved(one._wrench, one.point - point)
                stress.append((moved(one._stress, one.point - point), one._columns))
        return Load(
            "reactions", found.name, point, self.run.plane, self.run.system.length, wrench, added_stress(stress)
        )

    def table(self, rows: int = LINES, units: Any = None) -> str:
        """Text table: loads on the second body at the joint point in space axes; a star marks what is not unique.

        `units="kN, N mm"`; default: those of the model.
        """
        from .sheets.text import reactions_table

        if not is_plain(rows) or rows != int(rows) or rows < 1:
            why = "the number of rows is a whole number, 1 or more"
            raise MethodError("table of reactions", f"rows = {shown(rows)}", why, f"give rows={LINES}")
        return reactions_table(self, int(rows), units_of("table of reactions", self.run, units))

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class RowReaction:
    """Load of a single constraint row: force and torque as in the reaction it belongs to."""

    name: str
    multiplier: float
    force: np.ndarray
    torque: Any
    unique: bool

    def __repr__(self) -> str:
        mark = "" if self.unique else ", not unique"
        return f"<row {self.name!r}: multiplier {self.multiplier:.6g}{mark}>"


@dataclass(frozen=True, eq=False, repr=False)
class Reaction(Load):
    """Reaction of a joint or driver on one of its bodies, at the joint point.

    `.force`, `.torque`, `.unique`, `.free`; `.on(body)` and `.frame("space" | "body" | "joint")` choose body and axes; `.rows` are the
    loads of its single rows; `.carried` says which components it can carry at all (the others are zero, and unique).
    """

    reactions: Reactions = field(kw_only=True)
    part: Part | Driver = field(kw_only=True)
    body: Body = field(kw_only=True)
    frame_name: Axes = field(kw_only=True)
    # load of unit multipliers in space axes (6, rows); coefficients of the rows in self-stress, and the numbers of these
    _unit: np.ndarray = field(kw_only=True)
    _null: np.ndarray = field(kw_only=True)
    _columns: np.ndarray = field(kw_only=True)

    @classmethod
    def of(cls, all_of: Reactions, part: Part | Driver, body: Body | None = None, frame: Axes = SPACE) -> Reaction:
        """Reaction of a part on a body (default: its last one)."""
        run = all_of.run
        body = part.bodies[-1] if body is None else body
        unit = -unit_load(run, part, body)[0]
        rows = run.system.rows_of(part.name)
        null, columns = all_of._stress.of(rows)
        motion, place = run.kinematics(body), run.marker(part, body)
        rotation = motion.rotation[0]
        axes = frame.matrices(rotation, place.axes)
        return cls(
            part.name,
            body.name,
            motion.position[0] + rotation @ place.point,
            run.plane,
            float(run.system.length),
            # what slides at a contact belongs to its load
            np.concatenate([x[0] for x in run.load(part, body)]) if part.kind == "force" else unit @ run.lam[0, rows],
            unit @ null,
            axes,
            reactions=all_of,
            part=part,
            body=body,
            frame_name=frame,
            _unit=unit,
            _null=null,
            _columns=columns,
        )

    def on(self, body: Any) -> Reaction:
        """The reaction on another of its bodies."""
        asked = f"reaction of {self.name!r}"
        found = self.reactions.run.model.read_body(asked, body)
        if found not in self.part.bodies:
            names = [b.name for b in self.part.bodies]
            asked = f"{asked} on {found.name!r}"
            raise ModelError(asked, f"it acts on {', '.join(names)}", nearest(found.name, names), "choose one of them")
        return type(self).of(self.reactions, self.part, found, self.frame_name)

    def frame(self, frame: Any, of: str = "body") -> Reaction:
        """The reaction in other axes: "space", "body", "joint" (the marker on the body), or turned by an angle or matrix against those of `of`."""
        made = read_axes(f"reaction of {self.name!r}", frame, of, self.plane)
        return type(self).of(self.reactions, self.part, self.body, made)

    @cached_property
    def carried(self) -> np.ndarray:
        """For each component whether the joint can carry it in this position (array of booleans)."""
        size = np.linalg.norm(self._turned(self._unit), axis=1) / self._lengths()
        # friction that slips at a contact has no row
        load = np.abs(self.values) / self._lengths() * (self.part.kind == "force")
        return np.asarray((size > 1e-12 * np.max(size, initial=0.0)) | (load > 1e-12 * np.max(load, initial=0.0)))

    @cached_property
    def rows(self) -> dict[str, RowReaction]:
        """Load of each single row, by the name of the row: F = -Phi_r^T lam and so on."""
        run, found = self.reactions.run, {}
        scaled = self._unit / np.repeat((1.0, self.length), 3)[:, None]
        for k, r in enumerate(run.system.rows_of(self.name)):
            lam = float(run.lam[0, r])
            load = self._turned(self._unit[:, k] * lam)
            linear = 2 if self.plane else 3
            torque = float(load[2]) if self.plane else load[3:]
            # what a unit of self-stress changes in the load of this row
            change = float(np.linalg.norm(scaled[:, k]) * np.linalg.norm(self._null[k]))
            name = run.system.row_names[r]
            found[name] = RowReaction(name, lam, load[:linear], torque, change <= UNIQUE)
        return found

    def __str__(self) -> str:
        return report(self, units_of("reaction", self.reactions.run))

    def __repr__(self) -> str:
        return f"<reaction of {self.part!r} on {self.body_name!r}: {describe(self)}>"


class ContactReaction(Reaction):
    """Reaction of a roller, with `.contact`, the point where it touches [m], `.normal` and `.friction`, the parts of the force [N]."""

    @property
    def _contact(self) -> Any:
        return ContactResult(self.reactions.run, self.part, self.body)

    @property
    def contact(self) -> np.ndarray:
        """Contact point in space [m]."""
        return np.asarray(self._contact.contact[0])

    @property
    def normal(self) -> float:
        """Normal force [N], positive where it presses."""
        return float(self._contact.normal[0])

    @property
    def friction(self) -> np.ndarray:
        """Friction force on the body [N], along the plane, in space axes."""
        return np.asarray(self._contact.friction[0])
