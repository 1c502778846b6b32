"""Field: a force or a couple spread over bodies, as an expression of place and time (SPATIAL, F^m and n^m; LAGRANGE 1.3)."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError, shown
from ..reading import listed, read_choice
from ._spread import MOST, Spread

PER = ("mass", "length", "area", "volume")


@dataclass(frozen=True, eq=False, repr=False)
class Field(Spread, tag="field"):
    """Force per unit mass on all bodies, or on those named: an expression of place and time.

    The components of `value` are expressions of the place `x`, `y`, `z` and of its velocity `vx`, `vy`, `vz`, of `t`, measures and parameters:
    `m.field("tide", ("-w**2*x", "2*w**2*y"))`.  They are integrated over the matter of each body: exactly where they are polynomials of the place
    (a linear field takes as few points as have the mass, centre and inertia of the body), and with Gauss points over its shape otherwise.
    A body given by mass and inertia alone counts as few points with these.

    Parameters
    ----------
    value
        Components of the force per unit mass [N/kg]; or of the load that `per` says.
    on
        Body or bodies, by object or name; default: all bodies, also those that are added later.
    moment
        Couple per unit mass [N m/kg] besides the force or instead of it: a number in the plane, three components in space.
    per
        "mass", or what else the load is spread over: "length" of rods [N/m], "area" of flat shapes [N/m²], "volume" [N/m³].
    frame
        "space", or "body" for components along the axes of the body.
    place
        "space", or "body" where x, y, z are coordinates on the body: the load of a beam as a function of where it acts.
    points
        Gauss points per direction; default: as many as a polynomial needs, 3 otherwise.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("swing", plane=True)
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> g = m.field("gravity", (0, "-9.81*(1 + 0.1*sin(3*t))"))
    >>> wind = m.field("wind", ("40*(x + 0.5)", 0), on=bar, per="length", place="body")
    """

    glyph = "field"
    fields_are = {
        "value": ("number", None), "moment": ("number", None), "on": ("body", None), "per": ("text", None), "place": ("text", None),
        "points": ("count", None),
    }  # fmt: skip
    law_names = dict.fromkeys(("value", "moment"), ("x", "vx", "y", "vy", "z", "vz"))

    def __post_init__(self) -> None:
        n = 2 if self.model.plane else 3
        if self.value is None and self.moment is None:
            raise ModelError(self.asked, "neither value nor moment", "a field has one of them", "give value=(fx, fy)")
        for name, known in (("per", PER), ("frame", ("space", "body")), ("place", ("space", "body"))):
            read_choice(self.asked, name, getattr(self, name), known, "choose one of these")
        if self.points is not None and (
            isinstance(self.points, bool) or not isinstance(self.points, int) or not 1 <= self.points <= MOST
        ):
            why = "Gauss points per direction are counted"
            raise ModelError(self.asked, f"points = {shown(self.points)}", why, f"give points=1 … {MOST}")
        force = [] if self.value is None else self.read_components("value", self.value, n)
        turning = [self.moment] if self.model.plane and listed(self.moment) is None else self.moment
        moment = [] if self.moment is None else self.read_components("moment", turning, 1 if self.model.plane else 3)
        self.set(value=force, moment=moment, on=self.read_bodies(), _made=None)
        self.elements()
