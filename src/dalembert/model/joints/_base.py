"""The contract of a joint.

A joint is one file with one class, registered by its tag; `m.<tag>(...)`, the contract tests, the listing and the drawing follow.

1. Fields are what the user gives; `model` and `name` come first, the rest in the order of the call.
2. `__post_init__` reads them (everything wrong is refused there, with the joint named) and calls `super().__post_init__()`.
3. `rows()` returns the table of measures that the joint holds at their offset.  Rows must be independent of each other for
   bodies in general position.  This is the whole mechanics of a joint; kernels never learn about joints.  `holds` names usual ones.
4. `coordinates()` returns the measures that the joint leaves free, by name; they can be driven, sprung, limited, plotted.  Their
   names are not those of fields, and the measure `name` of joint "A" is called "A.name", as `self.measure` does.  `leaves` names usual ones.
5. `bodies` are the bodies it connects; a reaction acts on the last of them at the origin of `markers[-1]` unless asked otherwise.
6. `planes` says where the joint exists: in the plane (True), in space (False), or both.
7. `glyph` names the symbol that pictures draw; `symbol` and `drawn_at` say more where it needs more than two places.
8. `symmetric` is False where exchanging the bodies gives another joint (a slot belongs to one of them).
9. `example` gives values of arguments that have no default and that the contract tests cannot guess from their names.

Everything else has a default that is right for any joint, and says more where a joint can say more:

10. `freedom` names the coordinates from which the pose of j against i follows, so that equations with symbols use them, and loops and
    branches of poses are understood.  Default None: the joint is rows between bodies that have coordinates of their own.
11. `relaxations` are joints with more freedom that could take its place where rows depend on each other.
12. `axis_is` and `load_is` are the words of messages for its axis, and for what it carries where it has no place of its own.
13. `check(drawing)` refuses what the reference configuration and the other joints contradict; it is called when the model is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ...errors import ModelError, shown
from ..body import Body
from ..frame import Axis, Marker, Point, read_direction, read_location
from ..measure import Measure
from ..part import Part
from ..registry import JOINTS, register

if TYPE_CHECKING:
    from ..mechanism import Mechanism


# turns one after the other, about axes of the frame on i: aligned frames, a hinge, a cross, all rotations
TURNS = ((), ("turn_z",), ("turn_z", "turn_x"), ("turn_x", "turn_y", "turn_z"))


@dataclass(frozen=True)
class Relaxation:
    """A joint with more freedom, and what it cannot carry that the one in its place could."""

    # its name, with what else must be said: "cylindrical"; `{}` stands for the direction of the force given up (of two: across both)
    text: str
    gives_up: str  # components of the load in the frame of the joint: "fx fy fz" forces, "mx my mz" moments
    # None: all of them are given up; else it takes the place only where so many combinations of them are involved, and gives up these
    count: int | None = None


def moves_of(freedom: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(c for c in freedom if not c.startswith("turn_"))


def turns_of(freedom: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(c for c in freedom if c.startswith("turn_"))


def check_freedom(asked: str, freedom: tuple[str, ...] | None, plane: bool) -> None:
    """Refuse coordinates that no pose follows from."""
    if freedom is None:
        return
    axes, turns, moves = ("xy" if plane else "xyz"), (TURNS[:2] if plane else TURNS), moves_of(freedom)
    if turns_of(freedom) not in turns or len(set(moves)) < len(moves) or not set(moves) <= set(axes):
        raise ModelError(
            asked, f"freedom = {shown(freedom)}", f"displacements are {', '.join(axes)}, each once, and turns one of {', '.join(map(str, turns))}",
            "state these, or None: then the joint is rows",
        )  # fmt: skip


# rows of two frames: name, kind of measure, what else it is given
ROWS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gap": ("gap", "gap", {}),
    "x": ("across_x", "along_body", {"direction": "x"}),
    "y": ("across_y", "along_body", {"direction": "y"}),
    "lift": ("lift", "along_body", {"direction": "z"}),
    "tilt": ("tilt", "parallel", {"unit": "1"}),
    "turn": ("turn", "dot", {"direction": ("x", "y"), "unit": "1"}),
    "angle": ("turn", "angle", {"unit": "rad", "offset": "drawn"}),
    "square": ("square", "dot", {"direction": ("z", "z"), "unit": "1"}),
    "twist": ("twist", "twist", {"unit": "1"}),
}
# what is held by other rows in the plane than in space: a point on x or z of the frame, no relative rotation (an angle, or three cosines), parallel z
HELD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "line": (("y",), ("x", "y")),
    "orientation": (("angle",), ("tilt", "turn")),
    "tilt": ((), ("tilt",)),
}


@dataclass(frozen=True, eq=False)
class Joint(Part):
    """Base of all joints; see the numbered rules above."""

    model: Mechanism = field(repr=False)
    name: str

    kind: ClassVar[str] = "joint"
    measures_are: ClassVar[tuple[str, str]] = ("coordinate", "a joint has the coordinates that it leaves free")
    planes: ClassVar[tuple[bool, ...]] = (True, False)
    symmetric: ClassVar[bool] = True
    located = True
    axis_is: ClassVar[str] = ""  # "axis", "line" or "normal": what z of its frame is (of a line in the plane x)
    load_is: ClassVar[str] = "its condition"
    example: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, tag: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if tag:
            register(JOINTS, tag, cls)
            cls.tag = tag

    def __post_init__(self) -> None:
        if self.model.plane not in self.planes:
            here, there = ("the plane", "space") if self.model.plane else ("space", "the plane")
            raise ModelError(
                self.asked, f"mechanism {self.model.name!r} is in {here}",
                f"this joint exists in {there} only", "choose another joint",
            )  # fmt: skip
        check_freedom(self.asked, self.freedom, self.model.plane)

    # -- what a joint file supplies ----------------------------------------------------------------------------------

    def rows(self) -> list[Measure]:
        """Measures that the joint holds."""
        raise NotImplementedError

    def coordinates(self) -> dict[str, Measure]:
        return {}

    @property
    def bodies(self) -> tuple[Body, ...]:
        raise NotImplementedError

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Its frames, one per body."""
        return tuple(Marker(body) for body in self.bodies)

    # -- what a joint may state besides ------------------------------------------------------------------------------

    @property
    def freedom(self) -> tuple[str, ...] | None:
        """Coordinates from which the pose of j against i follows, or None.

        "x", "y", "z": displacements along axes of the frame on i; "turn_z": a turn about z; "turn_z", "turn_x": a cross with z of each
        frame along the arm on that body; "turn_x", "turn_y", "turn_z": all rotations.  Without turns the frames stay aligned.
        """
        return None

    @property
    def thread(self) -> Any:
        """Displacement along z per turn about z [m] of a joint with a thread; None for others."""
        return None

    @property
    def mesh(self) -> tuple[tuple[tuple[float, Measure], ...], Any] | None:
        """Of teeth: the angle by which they roll on each other, as terms, and what the multiplier is divided by for the force along the pitch line; None for others."""
        return None

    def turns(self) -> tuple[tuple[float, Measure], ...]:
        """Angle measures of the turns in `freedom`, in its order, each with its sense."""
        return tuple((1.0, m) for m in self.coordinates().values() if m.kind == "angle")[:1]

    @property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """Joints with more freedom that could take its place."""
        return ()

    def check(self, drawing: Any) -> None:
        """Refuse what the reference configuration and the other joints contradict; `drawing` has its markers in numbers."""

    # -- what all joints share ---------------------------------------------------------------------------------------

    def measure(self, name: str, kind: str, **options: Any) -> Measure:
        i, j = self.markers[0], self.markers[-1]
        return Measure(f"{self.name}.{name}", kind, i, j, **options)

    def __repr__(self) -> str:
        return f"<{self.tag} {self.name!r}: {' – '.join(body.name for body in self.bodies)}>"


@dataclass(frozen=True, eq=False, repr=False)
class PairJoint(Joint):
    """Joint between bodies i and j with a common location and a common axis.

    at
        Location in space as drawn, a point of a body, or a pair of points, one on each body.
    on
        Point of i or of j (or both in a list) that replaces `at` there: for drawings that are not assembled yet.
    """

    i: Any = None
    j: Any = None
    at: Any = None
    on: Any = None

    # whose origin is the default of `at`: that of "j", or of the "moving" one; "": `at` is needed
    placed_by: ClassVar[str] = ""

    # what it holds of the two frames: names of ROWS and HELD
    holds: ClassVar[tuple[str, ...]] = ()

    # its coordinates: "angle" about z, "slide" along its line, "x" and "y" of the frame on i
    leaves: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        i, j = self.model.read_body(self.asked, self.i), self.model.read_body(self.asked, self.j)
        if i is j:
            raise ModelError(
                self.asked, f"both bodies are {i.name!r}",
                "a joint connects two different bodies", "name the other body",
            )  # fmt: skip
        self.set(i=i, j=j)
        self.set(at=self._read_places())

    @property
    def bodies(self) -> tuple[Body, ...]:
        return (self.i, self.j)

    def _read_places(self) -> tuple[Any, Any]:
        """Locations on i and on j from `at` and `on`."""
        at = self.at
        if isinstance(at, tuple | list) and len(at) == 2 and all(isinstance(p, Point) for p in at):
            places = self._by_body(at)
        else:
            places = {}
            if at is not None:
                location = read_location(self.model, self.asked, "at", at)
                places = {id(self.i): location, id(self.j): location}
        if self.on is not None:
            places.update(self._by_body([self.on] if isinstance(self.on, Point) else self.on))
        if not places:
            return self._default_place()
        one = next(iter(places.values()))
        return places.get(id(self.i), one), places.get(id(self.j), one)

    def _default_place(self) -> tuple[Any, Any]:
        if not self.placed_by:
            raise ModelError(
                self.asked, "at is missing", "the joint needs a location", "give at=(x, y) or at=body.point(x, y)"
            )
        body = self.i if self.placed_by == "moving" and self.j.is_ground else self.j
        return Point(body, (0.0, 0.0, 0.0)), Point(body, (0.0, 0.0, 0.0))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames at the common point."""
        return Marker(self.i, self.at[0]), Marker(self.j, self.at[1])

    def rows(self) -> list[Measure]:
        """Measures that it holds: those of `holds`."""
        return [row for what in self.holds for row in held_rows(self, what)]

    def coordinates(self) -> dict[str, Measure]:
        own = {"angle": self.angle_measure, "slide": self.slide_measure}
        along = {name: self.measure(name, "along_body", direction=name) for name in self.leaves if name not in own}
        return {name: along[name] if name in along else own[name]() for name in self.leaves}

    def angle_measure(self) -> Measure:
        """Angle of j relative to i."""
        return self.measure("angle", "angle", unit="rad")

    def slide_measure(self) -> Measure:
        """Displacement of j along the line of i: x of the marker in the plane, z in space."""
        return self.measure("slide", "along_body", direction="x" if self.model.plane else "z", unit="m")

    def _by_body(self, points: Any) -> dict[int, Any]:
        found = {}
        for p in points if isinstance(points, tuple | list) else [points]:
            if not isinstance(p, Point) or p.body not in (self.i, self.j):
                raise ModelError(
                    self.asked, f"{shown(p)}",
                    f"a point of {self.i.name!r} or {self.j.name!r} is needed here", "give body.point(x, y) of one of them",
                )  # fmt: skip
            found[id(p.body)] = p
        return found

    def read_axes(self, name: str, axis: Any, needed: bool) -> tuple[Any, Any]:
        """Directions on i and on j from one direction or a pair of axes of the bodies."""
        if axis is None:
            if needed:
                raise ModelError(
                    self.asked, f"{name} is missing", "the joint needs a direction", f"give {name}=(x, y, z)"
                )
            return None, None
        if isinstance(axis, tuple | list) and len(axis) == 2 and (not self.model.plane or isinstance(axis[0], Axis)):
            first, second = (read_direction(self.model, self.asked, name, a) for a in axis)
            if isinstance(first, Axis) and isinstance(second, Axis) and (first.body, second.body) == (self.j, self.i):
                first, second = second, first
            return first, second
        direction = read_direction(self.model, self.asked, name, axis)
        return direction, direction


@dataclass(frozen=True, eq=False, repr=False)
class AxisJoint(PairJoint):
    """Joint with an axis z common to both bodies (in the plane: out of it)."""

    axis: Any = None
    zero: Any = 0.0

    axis_is = "axis"

    def __post_init__(self) -> None:
        super().__post_init__()
        zi, zj = self.read_axes("axis", self.axis, needed=not self.model.plane)
        if self.model.plane:
            zi = zj = None
        self.set(axis=(zi, zj))
        self.read_numbers(zero="finite")

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames with z along the axis."""
        return Marker(self.i, self.at[0], z=self.axis[0]), Marker(self.j, self.at[1], z=self.axis[1])

    def angle_measure(self) -> Measure:
        """Angle of j relative to i, from its zero."""
        return self.measure("angle", "angle", unit="rad", offset=self.zero)


@dataclass(frozen=True, eq=False, repr=False)
class SlideJoint(PairJoint):
    """Joint with a line of sliding fixed on body i: x of the marker in the plane, z in space."""

    along: Any = None

    axis_is = "line"
    placed_by = "moving"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set(along=self.read_axes("along", self.along, needed=True))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames with x (plane) or z (space) along the line."""
        if self.model.plane:
            return Marker(self.i, self.at[0], x=self.along[0]), Marker(self.j, self.at[1], x=self.along[1])
        return Marker(self.i, self.at[0], z=self.along[0]), Marker(self.j, self.at[1], z=self.along[1])


def held_rows(joint: Joint, what: str) -> list[Measure]:
    """Rows by which a joint holds something of ROWS or HELD."""
    names = HELD.get(what, ((what,), (what,)))[0 if joint.model.plane else 1]
    return [joint.measure(name, kind, **options) for name, kind, options in (ROWS[key] for key in names)]


def orientation_rows(joint: Joint) -> list[Measure]:
    """Rows that keep two bodies parallel: an angle in the plane, three cosines in space."""
    return held_rows(joint, "orientation")
