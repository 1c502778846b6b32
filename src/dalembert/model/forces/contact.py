"""Contact of a body with a plane, or of two balls: rigid or compliant, smooth, rough, or with Coulomb's friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..body import Body
from ..expression import Expr
from ..frame import Marker
from ..measure import Measure
from ..touching import Touching
from ._base import Force, Law
from ._contact import read, several
from ._hertz import compliant_push

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Touching, Force, tag="contact"):
    """Body j touches a plane of i, or a ball touches a ball: rigid, or compliant with a stiffness.

    i, j
        The bodies.  Lists of them are several contacts, and are returned as a list: `m.contact("pile", disks)` of every two disks,
        `m.contact("floor", m.ground, disks)` of each with the ground; their names are "pile_a_b" and "floor_a".
    normal, through
        Normal of the plane towards j (default: up), and a point of it (default: the origin of i; of two balls the centre of that on i).
    points, radius, axis
        What touches: points of j, balls of a `radius` about them (one: a sphere; two: a capsule), with `axis` rims about them.  Default: what the shape of j has.
    radii, inside
        Radii of two balls, on i and on j; whether j is in that of i.  Default for two spheres, or disks in the plane, without a normal: theirs.
    restitution, hypothesis, rough
        Of a rigid contact, as for `m.impact`; rough corners do not slip.
    mu, static
        Friction: it slips with mu times what presses (a number, or an expression of the speed `v`), and sticks up to static (default: mu at rest).
    stiffness, exponent, damping
        Of a compliant one: f = stiffness x^exponent (1 + damping x') at the depth x, never negative.
    young, poisson, speed
        Instead: Hertz' stiffness of balls, of one material or of two; the damping that gives the `restitution` at a speed of arrival.
    """

    i: Any = None
    j: Any = None
    normal: Any = None
    through: Any = None
    points: Any = None
    radius: Any = None
    axis: Any = None
    radii: Any = None
    inside: Any = False
    restitution: Any = None
    hypothesis: Any = "newton"
    rough: Any = False
    mu: Any = None
    static: Any = None
    stiffness: Any = None
    exponent: Any = 1.5
    damping: Any = None
    young: Any = None
    poisson: Any = 0.3
    speed: Any = None

    glyph = "push"
    fields_are = {
        "points": ("point", "m"), "inside": ("flag", None), "restitution": ("number", "1"), "hypothesis": ("text", None), "rough": ("flag", None),
        "stiffness": ("number", None), "exponent": ("number", "1"), "damping": ("number", "s/m"), "young": ("number", "Pa"), "poisson": ("number", "1"), "speed": ("number", "m/s"), "mu": ("number", "1"), "static": ("number", "1"),
    }  # fmt: skip
    law_names, law_units = {"mu": ("v",)}, {"v": "m/s"}
    units_with = {"stiffness": ("exponent", "N/m^{:.6g}")}
    example = {"radius": 30.0, "stiffness": 0.5, "damping": 0.02}

    def __post_init__(self) -> None:
        read(self)

    @classmethod
    def several(cls, model: Mechanism, given: dict[str, Any]) -> list[dict[str, Any]]:
        """Every two bodies of one list, or each of i with each of j."""
        return several(model, given)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The body with the plane, and that which touches it."""
        return self.i, self.j

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The plane (x is its normal) or the centre of the ball on i, and the first point of j that may touch."""
        first = next(iter(self._gaps.values())).terms[0][1]
        return tuple(m for m in (first.i, first.j) if m is not None)

    def elements(self) -> list[tuple[Measure, Law]]:
        """A law for each gap of a compliant contact; none of a rigid one."""
        return [(self._gaps[label], Law("expression", expression=-push)) for label, push in self.pushes().items()]

    def pushes(self) -> dict[str, Expr]:
        """What presses at each gap of a compliant contact."""
        gaps = {} if self._stops else self._gaps
        return {label: compliant_push(gap, self.stiffness, self.exponent, self.damping) for label, gap in gaps.items()}
