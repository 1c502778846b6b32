"""What a `Builder` collects: items, rows, blocks and laws, by numbers of bodies and of free rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..kernels import layout
from ..model.expression import Expr, Number
from ..model.forces import Law
from ..model.measure import Measure


@dataclass
class Item:
    """One call of a measure kernel: kind, bodies, parameters, number of rows."""

    kind: int
    i: int
    j: int
    f: int
    par: tuple[float, ...]
    rows: int
    angle: int = -1

    @property
    def is_angle(self) -> bool:
        """Whether it measures the angle between two bodies."""
        return self.kind == layout.ANGLE


@dataclass
class Composite:
    """A row made of free rows: linear combination, or expression of their values and t (and of their rates: `on_rates`)."""

    parts: list[int]  # indices of free rows
    coefficients: list[float]
    expression: Expr | None
    inputs: list[str]
    on_rates: bool = False


@dataclass
class Row:
    """A row of the system: where it belongs, its unit, its offset and, if driven, the expression of t."""

    name: str
    part: str
    unit: str
    offset: float = 0.0
    drive: Expr | None = None
    rate_only: bool = False
    stated: bool = False  # an initial condition on velocities


@dataclass
class Block:
    """Rows of one joint or driver."""

    part: str
    rows: list[Row] = field(default_factory=list)
    items: list[tuple[Item, int]] = field(default_factory=list)  # item and its first row in the block
    composites: list[tuple[Composite, int]] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)


@dataclass
class FreeRow:
    """A free row: a single item or a composite; of an auxiliary state, neither."""

    row: Row
    item: Item | None
    composite: Composite | None
    bodies: list[int]


@dataclass
class LawRow:
    """A law on a free row."""

    part: str
    measure: Measure
    row: int
    law: Law
    numbers: tuple[float, ...]
    expression: Expr | None
    inputs: list[tuple[int, bool]]  # free row, rate?
    names: list[str]


def does_work(composite: Composite) -> bool:
    """Whether a held expression moves bodies by itself: it depends on time, or asks for velocities that are not zero."""
    assert composite.expression is not None
    if composite.on_rates:
        still = {name: Number(0.0) for name in composite.expression.names if name.startswith("rate(")}
        return composite.expression.substitute(still).simplify() != Number(0.0)
    return "t" in composite.expression.names
