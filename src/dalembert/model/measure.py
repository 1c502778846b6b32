"""Measures: scalars s(q, t) that can be held, loaded, recorded and watched, with rates s' = j v + s_t and s'' = j a + b; theory (2) in docs/theory.md.

A measure is described by its kind, two markers (body i and body j) and a direction.  Which bodies and axes these are in numbers is
decided when the model is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .expression import Call, Expr, Name, Operand
from .frame import Marker

KINDS = {
    "along_space": "difference of two points along a direction fixed in space",
    "along_body": "difference of two points along an axis of body i",
    "distance": "distance of two points",
    "angle": "angle of body j relative to body i about the z axis of the marker on i",
    "dot": "cosine of an axis on i and an axis on j",
    "twist": "twice the z component of the quaternion from i to j (space): 2 sin(half the turn) times its axis along z",
    "velocity": "rate only: relative velocity of two points along a direction",
    "spin": "rate only: relative angular velocity along a direction",
    "gap": "rows only: difference of two points in space axes (2 rows in the plane, 3 in space)",
    "parallel": "rows only: z of j stays perpendicular to x and y of i (2 rows)",
    "combination": "linear combination of measures",
    "expression": "expression of measures and time",
    "rate_expression": "rate only: expression of measures and time, linear in their rates",
    "state": "auxiliary state: a number with a rate of its own, no measure of positions",
}

# kinds with a rate but no value
RATES = ("velocity", "spin", "rate_expression")
# kinds made of other measures
COMPOSITE = ("combination", "expression", "rate_expression")

# kinds that need the orientation of both bodies, which a particle does not have
ROTATIONAL = ("angle", "dot", "twist", "parallel", "spin")


@dataclass(frozen=True, eq=False)
class Measure(Operand):
    """A scalar of the mechanism with a name and a unit.

    Attributes
    ----------
    name
        "part.coordinate", or the name given to `m.measure`.
    kind
        One of `KINDS`.
    i, j
        Markers on the two bodies.
    direction
        For "along_space", "velocity" and "spin": a direction; for "along_body": "x", "y" or "z" of the marker on i;
        for "dot": a pair such as ("x", "z"), axis of i and axis of j.  For "velocity" and "spin" also "x", "y" or "z" of the
        marker on the body `frame`.
    terms
        For "combination": pairs (coefficient, measure).  For expressions: pairs (1, measure) of measures that they use and that may
        be known to their joint only.
    expression
        For "expression": an `Expr` of t, parameters and names of measures; for "rate_expression" also of rates, and linear in these.
    offset
        Subtracted from the value: the reading that counts as zero; "drawn" for the value at the drawn configuration.
    """

    name: str
    kind: str
    i: Marker | None = None
    j: Marker | None = None
    direction: Any = None
    terms: tuple[tuple[Any, Measure], ...] = ()
    expression: Expr | None = None
    unit: str = "m"
    offset: Any = 0.0
    frame: Any = None  # body that carries the direction of a rate measure; None: space

    @property
    def is_rate(self) -> bool:
        """Whether the measure has a rate but no value."""
        return self.kind in RATES

    def term(self, name: str) -> Measure | None:
        """Measure of this name among the terms."""
        return next((measure for _, measure in self.terms if measure.name == name), None)

    @property
    def symbol(self) -> Expr:
        """The measure as a name in expressions."""
        return Name.of_measure(self.name)

    @property
    def rate(self) -> Expr:
        """The rate of the measure, for laws: `-2*A.angle.rate`."""
        return Call("rate", (self.symbol,))

    def __repr__(self) -> str:
        return f"<measure {self.name!r}: {KINDS[self.kind]} [{self.unit}]>"
