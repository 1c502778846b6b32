"""The contract of a force element: a measure and a law.

1. Fields are what the user gives; `model` and `name` come first, the rest in the order of the call.
2. `__post_init__` reads them and refuses everything wrong, with the element named.
3. `elements()` returns pairs (measure, law).  A law f(s, s', t) gives the generalized force -J^T f: a positive f pulls the value
   of the measure down (a tensile spring), virtual work -f ds.
4. `coordinates()` names the measures of the element for plots and expressions.
5. `bodies` are the bodies it acts on; its load acts on the last of them unless asked otherwise.
6. `glyph` names the symbol that pictures draw; `symbol` and `drawn_at` say more where it needs more than two places.
7. `example` gives values of arguments that have no default and that the contract tests cannot guess from their names.
8. `external` is True where the load comes from outside (a force on a point), so that no other body has the opposite one.
9. `law_names` tells by which names laws in its fields call their own quantities, `fields_are` what other fields hold in files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import ModelError, shown
from ..body import Body
from ..expression import Call, CheckedFunction, Expr, Number, is_function
from ..frame import Marker, read_direction
from ..joints._coupling import bodies_of
from ..measure import Measure
from ..measures_given import along_direction
from ..part import Part
from ..registry import FORCES, register

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@dataclass(frozen=True)
class Law:
    """Scalar law f of a measure s, its rate and time.

    kind "linear": k (s - s0) + c s' + f0 with numbers (k, s0, c, f0); "stop": one-sided (k, c, limit, side);
    "friction": (F0, v0); "slip": dry friction, known to the time loop; "expression": `expression` of names of measures, their rates and t;
    "callable": `function(s, rate, t)` in Python, on the slow path.
    """

    kind: str
    numbers: tuple[Any, ...] = ()
    expression: Expr | None = None
    function: Callable[[float, float, float], float] | None = None

    @property
    def elastic(self) -> bool:
        return self.kind in ("linear", "stop")

    def stored(self, s: Any, numbers: Sequence[float]) -> Any:
        """Energy of an elastic law at s: 1/2 k (s - s0)^2, without that of f0; of a stop that is pressed in by x 1/2 k x^2."""
        if self.kind == "linear":
            return 0.5 * numbers[0] * (s - numbers[1]) ** 2
        k, _, limit, side = numbers
        return 0.5 * k * np.maximum(side * (s - limit), 0.0) ** 2


@dataclass(frozen=True, eq=False)
class Force(Part):
    """Base of all force elements; see the numbered rules above."""

    model: Mechanism = field(repr=False)
    name: str

    kind: ClassVar[str] = "force"
    measures_are: ClassVar[tuple[str, str]] = ("measure", "a force element has the measures that it acts on")
    glyph = "arrow"
    # whether its laws are the components of one vector, so that it can be an unknown load
    vector: ClassVar[bool] = False
    example: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, tag: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if tag:
            register(FORCES, tag, cls)
            cls.tag = tag

    # -- what a force file supplies ----------------------------------------------------------------------------------

    def elements(self) -> list[tuple[Measure, Law]]:
        """Measures and their laws."""
        raise NotImplementedError

    def coordinates(self) -> dict[str, Measure]:
        return {}

    @property
    def sticks(self) -> bool:
        """Whether it holds its measure at rest, as dry friction does."""
        return False

    @property
    def bodies(self) -> tuple[Body, ...]:
        return bodies_of(self.model, [measure for measure, _ in self.elements()])

    @property
    def markers(self) -> tuple[Marker, ...]:
        measure = self.elements()[0][0]
        return tuple(m for m in (measure.i, measure.j) if m is not None)

    # -- what all force elements share -------------------------------------------------------------------------------

    def measure(self, name: str, kind: str, i: Marker, j: Marker, **options: Any) -> Measure:
        return Measure(f"{self.name}.{name}", kind, i, j, **options)

    def law(self, measure: Measure, text: Any, value: str, rate: str, linear: tuple[Any, ...] = (0.0, 0.0, 0.0)) -> Law:
        """Law k (s - s0) + c s' + `text`, in which `value` and `rate` name s and s'.

        A number gives a linear law, an expression a program, a Python function the slow path.
        """
        k, s0, c = linear
        if is_function(text):
            return law_of(
                CheckedFunction(self.asked, text, (value, rate, "t")), 1.0, partial(_linear, self.model, *linear)
            )
        extra = self.model.read_law(self.asked, text, (value, rate))
        if isinstance(extra, Number) or not (extra.names - set(self.model.parameter_names)):
            return Law("linear", (k, s0, c, self.model.read_number(self.asked, "force", extra)))
        s, v = measure.symbol, Call("rate", (measure.symbol,))
        extra = extra.substitute({value: s, rate: v})
        return Law("expression", expression=k * (s - s0) + c * v + extra)

    def __repr__(self) -> str:
        return f"<{self.tag} {self.name!r}>"


@dataclass(frozen=True, eq=False, repr=False)
class TwoPointForce(Force):
    """Element along the line of two points, each given as (body, point) or body.point(...), or on a given measure.

    With one argument, `a` is a joint with one coordinate or a measure; with two, the distance of the points is the measure.  For points that
    stay on a line, `along` is its direction (in space as drawn, or an axis of one of the bodies): the length is then the way from a to b along it, with a sign,
    and goes through zero where the points pass each other (PLANAR 6.2.7).
    """

    a: Any = None
    b: Any = None
    along: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.b is None and self.a is not None and self.model.is_coordinate(self.a):
            if self.along is not None:
                why = "a measure has its own direction; along= is that of two points"
                raise ModelError(self.asked, f"along = {shown(self.along)}", why, "leave it out, or give two points")
            self.set(a=self.model.read_coordinate(self.asked, self.a), b=None)
        else:
            a, b = self.model.read_ends(self.asked, self.a, self.b)
            self.set(a=a, b=b)
            if self.along is not None:
                self.set(along=read_direction(self.model, self.asked, "along", self.along))
                self.length_measure()

    @property
    def bodies(self) -> tuple[Body, ...]:
        return super().bodies if self.along is None else (self.a.body, self.b.body)

    @property
    def located(self) -> bool:
        return self.b is not None

    @property
    def markers(self) -> tuple[Marker, ...]:
        return super().markers if self.along is None else (Marker(self.a.body, self.a), Marker(self.b.body, self.b))

    def length_measure(self) -> Measure:
        """The distance of the points, the way from one to the other along a direction, or the measure given."""
        if self.b is None:
            return self.a  # type: ignore[no-any-return]
        if self.along is not None:
            return along_direction(self.asked, f"{self.name}.length", self.a, self.b, self.along)
        return self.measure("length", "distance", Marker(self.a.body, self.a), Marker(self.b.body, self.b), unit="m")

    def coordinates(self) -> dict[str, Measure]:
        return {"length": self.length_measure()}


@dataclass(frozen=True, eq=False, repr=False)
class MeasureForce(Force):
    """Element on one measure: `on` is a joint with one coordinate, a measure, or an expression of measures."""

    on: Any = None

    def __post_init__(self) -> None:
        self.set(on=self.model.read_coordinate(self.asked, self.on))

    def coordinates(self) -> dict[str, Measure]:
        return {"value": self.on}


def law_of(function: CheckedFunction, sign: float = -1.0, linear: Callable[[float, float], float] | None = None) -> Law:
    """Law whose f is a function with a sign (a driving force is positive, f tensile), and what is linear in (s, s') besides."""
    return Law("callable", function=partial(_called, function, sign, linear))


def _called(
    function: CheckedFunction, sign: float, linear: Callable[[float, float], float] | None, s: float, v: float, t: float
) -> float:
    own = sign * function(*(s, v, t)[-len(function.arguments) :])
    return own if linear is None else linear(s, v) + own


def _linear(model: Mechanism, k: Any, s0: Any, c: Any, s: float, v: float) -> float:
    return model.value(k) * (s - model.value(s0)) + model.value(c) * v
