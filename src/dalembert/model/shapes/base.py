"""What every shape can do, and how a shape made of one formula is written.

A shape is *what a body is made of*: dimensions, and from them mass properties, named points and an outline. It knows
nothing of bodies, mechanisms or solvers.

To add a shape, subclass `Primitive` (or `Lamina`, `Revolved` in their files): dimensions as fields whose metadata say
which numbers are allowed, and

1. `_volume(d)`: volume (m³); not called when a mass is given;
2. `_center(d)`: mass centre (3,), if it is not the origin of the frame;
3. `_inertia_per_mass(d)`: inertia tensor about the mass centre divided by the mass (m²), diagonal (3,) or full (3, 3);
4. `_named_points()` and `_items(d)`: points by name, and the outline;
5. `_rule(n)`: points with shares of the matter for integrals over the shape (`quadrature.py`); without it, a few points with the right inertia.

`d` has the dimensions as attributes, all of them floats. `_volume` and `_center` are also called with the shape itself,
whose dimensions may be expressions: write them with + − * / ** only.
"""

from __future__ import annotations

import inspect
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

import numpy as np

from ...errors import ModelError, nearest, shown, wrong_arguments
from .outline import Outline
from .properties import MassProperties
from .quadrature import Nodes, equimomental
from .reading import (
    NONNEGATIVE,
    RULES,
    Array,
    Number,
    Point,
    Value,
    evaluate,
    is_expression,
    read_axis,
    read_number,
    times,
    total,
)

SHAPES: dict[str, Callable[..., Shape]] = {}
"""Shapes that files may name, as {"rod": rod, …}; filled as the classes are defined."""


class UnknownPointError(ModelError, AttributeError):
    """A shape has no point of that name. Also an AttributeError, as `hasattr` and copying expect."""


class _ShapeType(ABCMeta):
    """Type of all shapes: arguments that do not fit are told like all other mistakes."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        try:
            return super().__call__(*args, **options)
        except TypeError:
            signature = inspect.signature(cls.__init__)  # type: ignore[misc]
            try:
                signature.bind(None, *args, **options)
            except TypeError as mismatch:
                kind = getattr(cls, "kind", cls.__name__)
                asked = f"{kind}({', '.join(shown(x, 40) for x in args[:2])})"
                raise wrong_arguments(asked, kind, signature, str(mismatch), options) from None
            raise


class Shape(metaclass=_ShapeType):
    """Geometry and matter of a body, in a frame of its own; frozen.

    Made by `rod(...)`, `disk(...)`, `composite(...)` and so on.

    Attributes
    ----------
    kind : str
        Public name of the shape ("rod").
    planar : bool
        Whether it lies in the xy plane of its frame. Then points are (x, y), otherwise (x, y, z); a missing z is zero.
    """

    kind: ClassVar[str] = "shape"

    @property
    def planar(self) -> bool:
        """Whether the shape lies in the xy plane of its frame."""
        return False

    @property
    @abstractmethod
    def total_mass(self) -> Number:
        """Mass (kg) as a number, or as an expression where dimensions are expressions."""

    @abstractmethod
    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia in the frame of the shape.

        Parameters
        ----------
        value
            Function that returns the number of an expression; called for dimensions that are not plain numbers.
        """

    @abstractmethod
    def outline(self, value: Value = float) -> Outline:
        """Return what to draw, as plain data in the frame of the shape (see `dalembert.model.shapes.outline`)."""

    @property
    @abstractmethod
    def points(self) -> Mapping[str, Point]:
        """Named points of the frame of the shape (m), each also an attribute: `rod.points["end"]` is `rod.end`."""

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points (3,) of the frame of the shape (m) with masses (kg), for integrals over its matter.

        Exact for polynomials up to degree 2n − 1, as far as the geometry is known; always for mass, centre and (n ≥ 2) inertia.  Points and
        masses are numbers, or expressions where dimensions are expressions.

        Parameters
        ----------
        n
            Gauss points per direction; 1 is the mass centre alone.
        value
            Function that returns the number of an expression, where axes of inertia must be found.
        """
        p = self.mass_properties(value)
        found = equimomental(p.mass, p.inertia.tolist())
        center = (*self.points["center"], 0.0)[:3]
        return [(tuple(total(c, x) for c, x in zip(center, at)), times(share, p.mass)) for at, share in found]

    def spread(self, per: str, n: int = 2) -> Nodes:
        """Points (3,) of the frame of the shape (m) with lengths (m), areas (m²) or volumes (m³), for loads spread over it.

        Parameters
        ----------
        per
            "length" of rods and thin rings, "area" of flat shapes, "volume" of shapes with a thickness or a section.
        n
            Gauss points per direction.
        """
        raise ModelError(
            f"{per} of {self.label}", "a shape without a geometry of its own",
            "nothing is known of it but mass and inertia", "give the load per mass, or the body a shape such as rod, rectangle or box",
        )  # fmt: skip

    @property
    def label(self) -> str:
        """Short text for messages."""
        return self.kind

    def __getattr__(self, name: str) -> Point:
        # called only for what is not an ordinary attribute. Private names, properties and fields must not reach
        # `points`, which needs them itself: copying and unpickling ask for them before they exist
        if name.startswith("_") or hasattr(type(self), name) or name in getattr(type(self), "__dataclass_fields__", ()):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        points = self.points
        if name in points:
            return points[name]
        raise UnknownPointError(
            f"point {name!r} of {self.label}", "no such point", nearest(name, points), "use one of these names"
        )

    def at(
        self,
        x: Number,
        y: Number,
        z: Number = 0.0,
        *,
        angle: Number | None = None,
        rotation: Any = None,
        name: str = "",
    ) -> Shape:
        """Return the same shape placed in an outer frame.

        Parameters
        ----------
        x, y, z
            Where the origin of this shape comes to lie (m).
        angle
            Turn about z (rad, counterclockwise).
        rotation : (3, 3)
            Matrix whose columns are the axes of this shape in the outer frame; instead of `angle`.
        name
            In a composite, the points of a named part are its points too: `name="hub"` gives `hub_center` and so on.
        """
        from .composite import Placed  # composite.py builds on this file

        return Placed(self, (x, y, z), angle, rotation, name)

    def __add__(self, other: Shape) -> Shape:
        from .composite import added

        return added(self, other) if isinstance(other, Shape) else NotImplemented

    def __sub__(self, other: Shape) -> Shape:
        from .composite import added, void

        return added(self, void(other)) if isinstance(other, Shape) else NotImplemented


@dataclass(frozen=True, repr=False)
class Primitive(Shape):
    """Shape with formulas of its own and a uniform density, given by `mass` (kg) or by `density` (kg/m³)."""

    mass: Number | None = field(default=None, kw_only=True, metadata=NONNEGATIVE)
    density: Number | None = field(default=None, kw_only=True, metadata=NONNEGATIVE)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in vars(cls):
            SHAPES[cls.kind] = cls

    def __post_init__(self) -> None:
        owner = repr(self)
        for f in fields(self):
            object.__setattr__(self, f.name, _read_field(owner, f.name, getattr(self, f.name), f))
        given = {
            name: x for name in ("mass", "density", "area_density") if (x := getattr(self, name, None)) is not None
        }
        if len(given) != 1:
            raise ModelError(
                owner,
                " and ".join(f"{name} = {x!r}" for name, x in given.items()) or "neither mass nor density",
                "one of them follows from the other" if given else "a body needs mass",
                f"give {self.kind}(..., mass=) in kg or {self.kind}(..., density=) in kg/m³, not both",
            )
        self._check_given()
        if not any(is_expression(x) for x in self._dimensions().values()):
            self.mass_properties()

    @property
    def total_mass(self) -> Number:
        """Mass (kg) as a number, or as an expression where dimensions are expressions."""
        return self._mass(self)

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia in the frame of the shape; see `Shape.mass_properties`."""
        d = self._evaluate(value)
        try:
            # products of Python floats overflow to inf in silence; numpy's are told to raise as powers do
            with np.errstate(over="raise", invalid="raise"):
                mass = np.float64(self._mass(d))
                j = np.asarray(self._inertia_per_mass(d), dtype=float)
                inertia = mass * (np.diag(j) if j.ndim == 1 else j)
        except (OverflowError, FloatingPointError):
            self._refuse("a mass or inertia beyond 1e308", "it cannot be computed with", "give the sizes in SI units")
        return MassProperties(float(mass), np.array(self._center(d)), inertia)

    def _mass(self, d: Any) -> Any:
        return d.mass if d.mass is not None else d.density * self._volume(d)

    def outline(self, value: Value = float) -> Outline:
        """Return what to draw, as plain data in the frame of the shape."""
        return self._items(self._evaluate(value))

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points and masses for integrals over the matter; see `Shape.nodes`."""
        rule = self._rule(n)
        if rule is None:
            return super().nodes(n, value)
        return [((*at, 0.0)[:3], times(share, self.total_mass)) for at, share in rule]

    def spread(self, per: str, n: int = 2) -> Nodes:
        """Points with lengths, areas or volumes; see `Shape.spread`."""
        amounts = self._amounts()
        rule = self._rule(n)
        if rule is None or per not in amounts:
            known = ", ".join(amounts) if rule is not None else ""
            self._refuse(
                f"a load per {per}",
                f"a {self.kind} has {known or 'no geometry for integrals'}",
                "give the load per mass",
            )
        return [((*at, 0.0)[:3], times(share, amounts[per])) for at, share in rule]

    def _amounts(self) -> dict[str, Number]:
        return {"volume": self._volume(self)}

    @property
    def points(self) -> Mapping[str, Point]:
        """Named points of the frame of the shape (m)."""
        size = 2 if self.planar else 3
        named = {"origin": (0.0, 0.0, 0.0), "center": self._center(self), **self._named_points()}
        return {name: point[:size] for name, point in named.items()}

    # -- what a subclass supplies ------------------------------------------------------------------------------------

    def _check_given(self) -> None:
        """Refuse combinations of options that are wrong whatever the numbers are."""

    def _check_related(self, d: Any) -> None:
        """Refuse numbers that do not fit together."""

    @abstractmethod
    def _volume(self, d: Any) -> Number: ...

    def _center(self, d: Any) -> Point:
        return 0.0, 0.0, 0.0

    @abstractmethod
    def _inertia_per_mass(self, d: Any) -> tuple[float, float, float] | Array: ...

    @abstractmethod
    def _named_points(self) -> dict[str, Point]: ...

    @abstractmethod
    def _items(self, d: Any) -> Outline: ...

    def _rule(self, n: int) -> Nodes | None:
        """Points and shares of the matter, exact up to degree 2n − 1; None where only mass and inertia are known."""
        return None

    # -- numbers -----------------------------------------------------------------------------------------------------

    def _dimensions(self) -> dict[str, Number]:
        """All numbers of the shape by name, pairs spread out."""
        numbers: dict[str, Number] = {}
        for f in fields(self):
            numbers.update(_spread_out(f.name, getattr(self, f.name)))
        return numbers

    def _evaluate(self, value: Value) -> SimpleNamespace:
        """Dimensions as floats, checked one by one and together."""
        d = SimpleNamespace()
        for f in fields(self):
            x, rule = getattr(self, f.name), f.metadata["rule"]
            setattr(d, f.name, x if rule == "axis" else _evaluated(self, f.name, x, rule, value))
        self._check_related(d)
        return d

    def _refuse(self, found: str, why: str, do: str) -> NoReturn:
        raise ModelError(repr(self), found, why, do)

    def __repr__(self) -> str:
        """Text that makes the shape again, except that axes are shown as vectors."""
        ordered = sorted(fields(self), key=lambda f: (f.kw_only, f.name in ("mass", "density", "area_density")))
        given = [(f.name, getattr(self, f.name, None)) for f in ordered]
        return f"{self.kind}({', '.join(f'{name}={_text(x)}' for name, x in given if x is not None)})"


def _spread_out(name: str, x: Any) -> dict[str, Number]:
    if not isinstance(x, tuple):
        return {} if x is None else {name: x}
    return {key: v for k, part in enumerate(x) for key, v in _spread_out(f"{name}[{k}]", part).items()}


def _evaluated(owner: Any, name: str, x: Any, rule: str, value: Value) -> Any:
    """A dimension as floats, tuples kept."""
    if isinstance(x, tuple):
        return tuple(_evaluated(owner, f"{name}[{k}]", part, rule, value) for k, part in enumerate(x))
    return None if x is None else evaluate(owner, name, x, rule if rule in RULES else "finite", value)


def _text(x: Any) -> str:
    """Text of a dimension; expressions as they read, not as Python objects."""
    if isinstance(x, tuple):
        return f"({', '.join(_text(item) for item in x)})"
    return str(x) if is_expression(x) else shown(x)


def _read_field(owner: str, name: str, x: Any, f: Any) -> Any:
    """Value of a dataclass field as numbers, expressions, or None where that is the default."""
    if x is None and f.default is None:
        return None
    if f.metadata["rule"] == "axis":
        return read_axis(owner, name, x)
    if f.metadata["rule"] in ("corners", "loops"):
        from .region import read_corners, read_loops  # region.py builds on quadrature and expressions

        return (read_corners if f.metadata["rule"] == "corners" else read_loops)(owner, name, x)
    if "size" not in f.metadata:
        return read_number(owner, name, x, f.metadata["rule"])
    size = f.metadata["size"]
    if isinstance(x, str) or not hasattr(x, "__len__") or len(x) != size:
        raise ModelError(
            owner, f"{name} = {shown(x)}", f"{name} is made of {size} numbers", f"give {name}=(b, h) in metres"
        )
    return tuple(read_number(owner, f"{name}[{k}]", item, f.metadata["rule"]) for k, item in enumerate(x))
