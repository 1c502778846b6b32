"""free_body: every load on one body at one state, their resultants, and the sheet with table and picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import ModelError, ResidualError, nearest, shown
from ..kernels.outputs import TERMS
from ..model.driver import Driver
from ..model.kinds import read_mechanism
from ..model.wrench import Wrench, reduce
from ..options.call import verb
from ..results.in_units import units_of
from ..state import State
from .events.grips import decided
from .pose.pose import Pose
from .reactions import Reactions, reactions_at
from .sheets.load import PLANE, Load, added_stress, moved, read_about
from .sheets.text import table

if TYPE_CHECKING:
    from ..model.body import Body
    from ..model.mechanism import Mechanism
    from ..model.part import Part
    from ..results.result import Result

KINDS = ("weight", "joint", "driver", "force", "inertia")


@verb
def free_body(
    model: Mechanism, body: Any, state: State | None = None, *, about: Any = None, inertia: bool = False
) -> FreeBody:
    """Free-body sheet: all loads on a body, with moments about a point; their sum is the rate of its momentum.

    Parameters
    ----------
    model
        The mechanism.
    body
        The body, or its name; "ground" gives what the mechanism puts on its foundation.
    state
        The state, as `run.at(t)` gives it; default: the drawing, assembled, with the initial conditions.
    about
        Point for moments: coordinates in space, `body.point(...)`, or a joint of the body; default: the mass centre.
    inertia
        Add the inertia force -m a and couple as one more load (d'Alembert): then all loads are in balance.

    Returns
    -------
    FreeBody
        `sheet["A"]` is one load; `sheet.resultant("A", "B")` the resultant of some; `print(sheet)` a table; `sheet.plot()` a picture.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> sheet = da.free_body(m, bar, about="A")
    >>> round(float(sheet["weight"].moment), 6)
    -9.81
    >>> [round(float(x), 6) for x in sheet.resultant().force]  # m a: the mass centre falls with 3/4 g
    [0.0, -14.715]
    """
    asked = f"free_body({shown(getattr(model, 'name', model), 40)}, {shown(getattr(body, 'name', body), 40)})"
    with compiling(), np.errstate(all="ignore"):
        chosen = read_mechanism(asked, model).read_body(asked, body)
        found_reactions = reactions_at(decided(Pose.of(model, state, asked=asked), asked, all_held=True), asked)
        return _sheet(asked, found_reactions, chosen, about, inertia)


@dataclass(frozen=True, eq=False, repr=False)
class BodyLoad(Load):
    """One load on the body: `.force`, `.torque` at `.point`, `.moment` about the point of the sheet, `.kind`, `.unique`."""

    kind: str = field(kw_only=True)
    about: np.ndarray = field(kw_only=True)
    # numbers of the self-stresses
    _columns: np.ndarray = field(kw_only=True)

    @property
    def moment(self) -> Any:
        """Moment about the point of the sheet [N m]; a number in the plane."""
        moment = moved(self._wrench, self.point - self.about)[3:]
        return float(moment[2]) if self.plane else moment


@dataclass(frozen=True, eq=False)
class FreeBody:
    """All loads on a body.

    Attributes
    ----------
    loads
        Weight, joints, drivers, force elements and, if asked for, inertia.
    about
        Point for moments [m].
    motion
        Rate of momentum m a, and of angular momentum about `about`, which the sum of the loads must equal; zero for the ground.
    """

    model: Mechanism = field(repr=False)
    body: Body
    t: float
    loads: tuple[BodyLoad, ...]
    about: np.ndarray
    about_name: str
    motion: Wrench
    run: Result = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the loads."""
        return tuple(load.name for load in self.loads)

    def __getitem__(self, name: Any) -> BodyLoad:
        name = name if isinstance(name, str) else getattr(name, "name", name)
        for load in self.loads:
            if isinstance(name, str) and load.name == name:
                return load
        asked = f"load {shown(name)} on {self.body.name!r}"
        raise ModelError(asked, "no such load", nearest(name, self.names), "use one of the known names")

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.loads)

    def resultant(self, *names: Any, about: Any = None) -> Load:
        """Resultant of some loads, as one force and one torque at a point.

        Parameters
        ----------
        names
            Loads by name, or all of a kind: "weight", "joint", "driver", "force", "inertia".  Nothing: all of the sheet.
        about
            Another point than that of the sheet.

        Returns
        -------
        Load
            `.force`, `.torque`, `.unique`; `.wrench.central_axis()` is the line on which only the couple along the force is left.
        """
        asked = f"resultant on {self.body.name!r}"
        taken = self._taken(asked, names)
        point = self.about if about is None else read_about(asked, self.run, self.body, about)[0]
        sum_ = reduce([(load._wrench[:3], load.point) for load in taken], [load._wrench[3:] for load in taken], point)
        stress = added_stress([(moved(load._stress, load.point - point), load._columns) for load in taken])
        title = " + ".join(load.name for load in taken) or "nothing"
        wrench = np.concatenate([sum_.force, sum_.moment])
        return Load(title, self.body.name, point, self.run.plane, float(self.run.system.length), wrench, stress)

    def _taken(self, asked: str, names: tuple[Any, ...]) -> list[BodyLoad]:
        """Loads by names and kinds, each once, in the order of the sheet."""
        wanted = [name if isinstance(name, str) else getattr(name, "name", name) for name in names]
        for name in wanted:
            if not isinstance(name, str) or name not in (*self.names, *KINDS):
                known = nearest(name, (*self.names, *KINDS))
                raise ModelError(asked, f"no load is called {shown(name)}", known, "use names of loads, or a kind")
        if not wanted:
            return list(self.loads)
        # a name that is also a kind means the load of that name
        kinds = {name for name in wanted if name not in self.names}
        return [load for load in self.loads if load.name in wanted or load.kind in kinds]

    @cached_property
    def imbalance(self) -> np.ndarray:
        """What the sum of the loads lacks to the rate of momentum (zero with inertia), force [N] and moment [N m]: round-off only."""
        total = self.resultant()._wrench
        if not self.balanced:
            total = total - np.concatenate([self.motion.force, self.motion.moment])
        return total[PLANE] if self.run.plane else total

    @property
    def balanced(self) -> bool:
        """Whether the loads include inertia, so that their sum is zero."""
        return any(load.kind == "inertia" for load in self.loads)

    def table(self, units: Any = None) -> str:
        """Text table of all loads, their sum and the rate of momentum; `units="mm, kN"`, default those of the model."""
        return table(self, units_of("free body", self.run, units))

    def plot(self, *, path: Any = None, units: Any = None) -> Any:
        """Picture of the body with all loads, and the table beside it.

        Parameters
        ----------
        path
            File to write (.png, .pdf, .svg); without it the picture belongs to `matplotlib.pyplot`.
        units
            Units of all numbers: "mm, kN"; default: those of the model.

        Returns
        -------
        matplotlib.figure.Figure
            The picture.
        """
        from ..pictures.free_body import picture

        return picture(self, path, units)

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__


# -- making ------------------------------------------------------------------------------------------------------------


def _sheet(asked: str, found: Reactions, body: Body, about: Any, inertia: bool) -> FreeBody:
    run = found.run
    point, called = read_about(asked, run, body, about)
    none = np.zeros((6, 0)), np.zeros(0, dtype=int)
    taken: set[str] = {
        part.name for kind in ("joint", "driver", "force") for part in run.parts(kind) if body in part.bodies
    }

    def load(name: str, kind: str, at: np.ndarray, wrench: np.ndarray, stress: Any = none) -> BodyLoad:
        free, columns = stress
        args = (name, body.name, at, run.plane, float(run.system.length), wrench, free)
        return BodyLoad(*args, kind=kind, about=point, _columns=columns)

    loads = []
    motion = run.kinematics(body)
    centre = motion.position[0]
    momentum = np.zeros(6)
    if not body.is_ground:
        drawing = run.system.builder.drawing
        properties = drawing.matter(body)
        weight = properties.mass * run.system.builder.gravity
        if np.any(weight):
            loads.append(load(_own_name("weight", taken), "weight", centre, np.concatenate([weight, np.zeros(3)])))
        momentum = _momentum_rate(run, body)
    for name in found.names:
        part = run.model[name]
        if body in part.bodies:
            one = found[name].on(body)
            at = _point(run, part, body) if part.kind == "driver" else one.point
            wrench, stress = moved(one._wrench, one.point - at), moved(one._stress, one.point - at)
            kind = "joint" if part.kind == "impact" else part.kind
            loads.append(load(name, kind, at, wrench, (stress, one._columns)))
    for part in (part for part in run.parts("force") if part.name not in found.names):
        # a force has no partner: nothing of the mechanism pushes it off the ground
        if body in part.bodies and not (body.is_ground and part.external):
            force, torque = (x[0] for x in run.load(part, body))
            loads.append(load(part.name, "force", _point(run, part, body), np.concatenate([force, torque])))
    if inertia and not body.is_ground:
        loads.append(load(_own_name("inertia", taken), "inertia", centre, -momentum))
    about_point = moved(momentum, centre - point)
    rate = Wrench(about_point[:3], about_point[3:], point)
    sheet = FreeBody(run.model, body, float(run.t[0]), tuple(loads), point, called, rate, run)
    if not body.is_ground:
        _check_sum(asked, sheet)
    return sheet


def _check_sum(asked: str, sheet: FreeBody) -> None:
    """Refuse a sheet whose loads do not add up to the rate of momentum."""
    rate = np.concatenate([sheet.motion.force, sheet.motion.moment])
    wrenches = np.array([*(load._wrench for load in sheet.loads), np.zeros(6) if sheet.balanced else -rate])
    arms = np.array([*(load.point - sheet.about for load in sheet.loads), np.zeros(3)])
    wrenches[:, 3:] += np.cross(arms, wrenches[:, :3])
    largest, left = np.max(np.abs(wrenches), axis=0), np.abs(wrenches.sum(axis=0))
    force = float(np.max(largest[:3]))
    sizes = force, max(float(np.max(largest[3:])), force * float(sheet.run.system.length))
    for off, terms, unit in zip((np.max(left[:3]), np.max(left[3:])), sizes, ("N", "N m")):
        if not off <= TERMS * terms:
            raise ResidualError(
                asked,
                f"the loads on {sheet.body.name!r} miss the rate of its momentum by {off:.3g} {unit} of {terms:.3g} {unit}",
                "all loads on a body add up to the rate of its momentum: a load of this sheet would be wrong",
                "if the model is sound this is a fault of the program: please report it with the model",
            )


def _own_name(name: str, taken: set[str]) -> str:
    """Name of weight or inertia, unless a part is called like that."""
    return f"{name} of the body" if name in taken else name


def _point(run: Result, part: Part | Driver, body: Body) -> np.ndarray:
    """Point of a part on the body in space; a driver acts where the markers of its measure are."""
    attached: Any = part
    if isinstance(part, Driver):
        attached = SimpleNamespace(markers=tuple(m for m in (part.measure.i, part.measure.j) if m is not None))
    motion, place = run.kinematics(body), run.marker(attached, body)
    return np.asarray(motion.position[0] + motion.rotation[0] @ place.point)


def _momentum_rate(run: Result, body: Body) -> np.ndarray:
    matter = run.matter[run.system.builder.body_index(body)]
    return np.concatenate([matter.mass * matter.acceleration[0], matter.spin_momentum[1][0]])
