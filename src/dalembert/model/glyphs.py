"""Symbols of joints, force elements and drivers as data; pictures, pages and pages in space only know how to draw strokes and solids.

A part names its symbol (`glyph`); the table `GLYPHS` at the end says what it looks like.  A part of one's own may put a symbol into that table; a name that
is not there is drawn as a dot.

Strokes are drawn on paper, in points (1/72 inch) beside places of the mechanism.  A corner is (share, along, across): `share` of the way along the line of the
frame, then so many points along it and to its left.  Frames: "last" and "each" place, the one on the "ground" (axes of the paper); "root" there, along the way
to the other; "between" the first place and the last, where `along` is at most 0.3 of the distance; the "guide" of a slider from end to end, the "rider" on it.

Solids are drawn in space, in units of the size of symbols, in the frame of the joint on one of its two bodies (`end`), z along its axis.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import cos, pi, sin
from typing import Any

Corner = tuple[float, float, float]
Height = tuple[str, float]  # a height of the mark and an addition: ("low", -3.0)


@dataclass(frozen=True)
class Stroke:
    """One stroke.

    `draw` is "line", "area", "disk" (radius `size`), "bar" (a line as wide as `size`, with edges), "hatch" (what it touches is fixed) or "turn" (an arc with a
    head, radius `size`).  `layer`: "under" the bodies, drawn with its "body", "over" the bodies, on "top".  `when` lists what must be true: "joint" (no driver),
    "grounded", "fixed" and "moving" (the place of the frame), "wide" and "narrow" (the rider of a guide), "mass" and "link" (its body).
    """

    draw: str
    frame: str
    points: tuple[Corner, ...] = ((0.0, 0.0, 0.0),)
    size: float = 1.2
    ink: str = "ink"
    fill: str = ""
    layer: str = "over"
    when: tuple[str, ...] = ()
    name: str = ""
    dashed: bool = False


@dataclass(frozen=True)
class Solid:
    """One solid: "cylinder", "box", "ball", "ring", "coil", "cone" (head of a turn), "spiral", "plate" (as large as the travel) or "foot" (on the ground).

    `z` says from where to where it reaches; what stands between two places has `span` instead: shares of the distance, of the shortest one ("barrel": as long
    always) or from a share of that to the second place ("rod").  `when`: "grounded", "free", "fixed" (its end), "plain" (the rider has no shape), "rail" (not
    two shaped bodies), "rod" (a gap between them), "tilted" (ground that is not level).
    """

    kind: str
    size: tuple[float, ...]
    z: tuple[Height, Height] = (("", 0.0), ("", 0.0))
    end: int = 1
    paint: str = "joint"
    when: tuple[str, ...] = ()
    span: tuple[str, float, float] | None = None
    turn: float = 2.0 * pi  # how far a ring goes round, and where on it a cone sits [rad]


@dataclass(frozen=True)
class Glyph:
    """A symbol: strokes on paper, solids in space, and what kind of thing it stands for.

    between
        It is stretched from its first place to its last.
    slides
        In space its second place moves along a line or in a plane of the first.
    pins
        A point of one body stays on a point of the other.
    reached
        Bodies without a shape are drawn so far that they reach it.
    placed
        Its places are places in the drawing, and no origin that something is counted from.
    origin
        Its place on the ground is such an origin.
    wheels
        Its places are the centres of wheels.
    """

    strokes: tuple[Stroke, ...] = ()
    solids: tuple[Solid, ...] = ()
    between: bool = False
    slides: bool = False
    pins: bool = False
    reached: bool = True
    placed: bool = True
    origin: bool = False
    wheels: bool = False

    def data(self) -> dict[str, Any]:
        """What a page needs of it."""
        return {"strokes": [asdict(x) for x in self.strokes], "between": self.between, "wheels": self.wheels}


def _at(*corners: tuple[float, float]) -> tuple[Corner, ...]:
    return tuple((0.0, x, y) for x, y in corners)


# -- on paper ----------------------------------------------------------------------------------------------------------

_WHOLE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
_PIN = Stroke("disk", "last", size=3.5, fill="paper", layer="top", name="pin")
_DOT = Stroke("disk", "last", size=2.3, ink="", fill="ink", layer="top", when=("joint",), name="dot")
_SUPPORT = (
    Stroke("area", "ground", _at((0, 0), (-9.5, -15), (9.5, -15)), 1.1, "ground", "soft", "under", name="support"),
    Stroke("hatch", "ground", _at((-16, -15), (16, -15)), ink="ground", layer="under"),
)
_HELD = (
    Stroke("hatch", "root", _at((0, 9), (0, -9)), ink="ground", layer="under"),
    *(Stroke("disk", "between", ((s, 0.0, 0.0),), 1.8, "", "ink") for s in (0.0, 1.0)),
)
_ZIGZAG = tuple((0.14 + 0.72 * (i + 0.5) / 14, 0.0, 5.5 if i % 2 else -5.5) for i in range(14))
_SPIRAL = tuple((5.0 + 7.5 * i / 60, 5.0 * pi * i / 60) for i in range(61))
_TURN = (Stroke("turn", "last", size=12.5),)
_BLOCK = _at((11, 7), (-11, 7), (-11, -7), (11, -7))

_SPRING = (Stroke("line", "between", (_WHOLE[0], (0.14, 0, 0), *_ZIGZAG, (0.86, 0, 0), _WHOLE[1])), *_HELD)
_DAMPER = (
    Stroke("line", "between", tuple((0.5, x, y) for x, y in ((11, 5.5), (-11, 5.5), (-11, -5.5), (11, -5.5))), 1.3),
    Stroke("line", "between", (_WHOLE[0], (0.5, -11, 0))),
    Stroke("line", "between", ((0.5, 2.2, 0), _WHOLE[1])),
    Stroke("line", "between", ((0.5, 2.2, 4.1), (0.5, 2.2, -4.1)), 2.2),
    *_HELD,
)
_CYLINDER = (
    Stroke("line", "between", ((0.3, 0, 0), _WHOLE[1]), 2.2),
    Stroke("line", "between", (_WHOLE[0], (0.1, 0, 0)), 1.5),
    Stroke("area", "between", ((0.1, 0, 5), (0.58, 0, 5), (0.58, 0, -5), (0.1, 0, -5)), 1.2, fill="soft"),
    *_HELD,
)
_LINK = (
    *_SUPPORT,
    Stroke("bar", "between", _WHOLE, 6.5, fill="soft"),
    # a point mass at the end of a rod is its own pin
    Stroke("disk", "each", size=5.0, fill="body", layer="top", when=("mass",), name="pin"),
    Stroke("disk", "each", size=3.5, fill="paper", layer="top", when=("link",), name="pin"),
)
_GUIDE = (
    Stroke("hatch", "guide", ((0, -11, -8), (1, 11, -8)), ink="ground", layer="under", when=("grounded", "narrow")),
    Stroke("hatch", "guide", ((0, -11, -0.8), (1, 11, -0.8)), ink="ground", layer="under", when=("grounded", "wide")),
    Stroke("hatch", "guide", ((1, 11, 0.8), (0, -11, 0.8)), ink="ground", layer="under", when=("grounded", "wide")),
    Stroke("line", "guide", ((0, -22, 0), (1, 22, 0)), 0.8, "ground", layer="under", dashed=True),
    Stroke("area", "rider", _BLOCK, 1.3, "body", "body", when=("narrow",)),
)
_SLOT = (Stroke("bar", "guide", _WHOLE, 10.5, "body", "paper", "body"), _PIN)
_WELD = (
    Stroke("hatch", "last", _at((-13, -3), (13, -3)), ink="ground", layer="under", when=("grounded",)),
    Stroke("area", "last", _at((3, 3), (-3, 3), (-3, -3), (3, -3)), ink="", fill="ink", layer="top"),
)
_COIL = (Stroke("line", "last", _at(*((r * cos(a), r * sin(a)) for r, a in _SPIRAL)), 1.0),)

# -- in space ----------------------------------------------------------------------------------------------------------


def _z(low: float, high: float, base: str = "", top: str | None = None) -> tuple[Height, Height]:
    return (base, low), (base if top is None else top, high)


def _between(radius: float, how: str, low: float, high: float, paint: str = "joint") -> Solid:
    return Solid("cylinder", (radius,), end=0, paint=paint, span=(how, low, high))


_FOOT = Solid("foot", (1.9, 3.4, 4.6), paint="ground", when=("grounded",))
_TRAVEL = _z(-3.0, 3.0, "low", "high")
_BALL = Solid("ball", (1.25,), paint="steel")
_ENDS = tuple(
    Solid("box", (2.6, 2.6), _z(z - 0.25, z + 0.25, base), 0, "ground", ("fixed", "rail")) for base, z in (("low", -3.0), ("high", 3.0))
)  # fmt: skip
_BALLS = tuple(Solid("ball", (0.75,), end=end, paint="steel") for end in (0, 1))
_RAIL_PAINT = "ground or joint"

_SLEEVE = (Solid("cylinder", (0.6,), _TRAVEL, 0, "ground or steel"), Solid("cylinder", (1.25,), _z(-1.7, 1.7)), *_ENDS)
_BEAD = (Solid("cylinder", (0.45,), _TRAVEL, 0, _RAIL_PAINT), _BALL)


def _telescope(radius: float) -> tuple[Solid, ...]:
    """Barrel from the first point, as long as it is; rod from the second, as long as needed to reach into it."""
    return (
        _between(0.25, "barrel", 0.0, 0.124), _between(radius, "barrel", 0.124, 0.62), _between(0.42, "rod", 0.372, 1.0, "steel"), *_BALLS,
    )  # fmt: skip


def _arms() -> tuple[Solid, ...]:
    return tuple(
        x
        for end in (0, 1)
        for x in (
            Solid("cylinder", (0.62,), _z(-0.6, 0.6, "-half", "half"), end, "steel"),
            Solid("cylinder", (0.75,), _z(-0.95, -0.25, "-half"), end),
            Solid("cylinder", (0.75,), _z(0.25, 0.95, "half"), end),
        )
    )


GLYPHS: dict[str, Glyph] = {
    "pin": Glyph(
        (*_SUPPORT, _PIN),
        (
            Solid("cylinder", (0.72,), _z(-0.7, 0.7, "-half", "half"), paint="steel"),
            Solid("cylinder", (1.2,), _z(-1.3, 1.3), 0),
            _FOOT,
        ),
        pins=True,
    ),
    "ball": Glyph((), (_BALL, Solid("ring", (1.25, 0.3), end=0, when=("free",)), _FOOT), pins=True),
    "cross": Glyph((), (*_arms(), Solid("box", (1.4, 1.4), _z(-0.7, 0.7), paint="steel"), _FOOT), pins=True),
    "slider": Glyph(
        _GUIDE,
        (
            Solid("cylinder", (0.35,), _z(0.0, 0.0, "from", "to"), 0, "steel", ("rod",)),
            Solid("box", (0.9, 0.9), _TRAVEL, 0, _RAIL_PAINT, ("rail",)),
            Solid("box", (2.2, 2.2), _z(-1.7, 1.7), paint="steel", when=("plain", "rail")),
            *_ENDS,
        ),
        slides=True,
    ),
    "slot": Glyph(_SLOT, _BEAD, slides=True),
    "bead": Glyph((_DOT,), _BEAD, slides=True),
    "sleeve": Glyph((), _SLEEVE, slides=True),
    "thread": Glyph((), (*_SLEEVE, Solid("coil", (0.68, 0.14, 0.9), _TRAVEL, 0)), slides=True),
    "plane": Glyph(
        (),
        (Solid("plate", (5.0,), _z(-0.2, 0.0), 0, "glass"), Solid("cylinder", (1.3,), _z(0.0, 0.5), paint="steel")),
        slides=True,
        origin=True,
    ),
    "weld": Glyph(_WELD, (Solid("box", (2.0, 2.0), _z(-1.0, 1.0)), _FOOT)),
    "dot": Glyph((_DOT,), (Solid("ball", (0.8,)),), reached=False, origin=True),
    "link": Glyph(_LINK, (_between(0.5, "share", 0.0, 1.0), *_BALLS), between=True),
    "parallel": Glyph(reached=False),
    "wheel": Glyph((), (Solid("plate", (5.0,), _z(-0.2, 0.0), 0, "glass", ("tilted",)),), reached=False, origin=True),
    "gear": Glyph(reached=False, wheels=True),
    "belt": Glyph(reached=False, wheels=True),
    "rack": Glyph(),
    "spring": Glyph(
        _SPRING,
        (
            Solid("coil", (1.5, 0.22, 2.4), end=0, span=("share", 0.1, 0.9)),
            _between(0.22, "share", 0.0, 0.1),
            _between(0.22, "share", 0.9, 1.0),
            *_BALLS,
        ),
        between=True,
    ),
    "damper": Glyph(_DAMPER, _telescope(1.15), between=True),
    "actuator": Glyph(_CYLINDER, _telescope(0.95), between=True),
    "torsion_spring": Glyph(_COIL, (Solid("spiral", (1.4, 3.0, 0.18), end=0),)),
    "bushing": Glyph((), (Solid("cylinder", (1.5,), _z(-1.2, 1.2)), _FOOT)),
    "stop": Glyph((Stroke("disk", "last", size=2.2, ink="", fill="ink"),)),
    "motor": Glyph(
        _TURN,
        (
            Solid("ring", (2.3, 0.22), _z(1.9, 1.9), 0, "motor", turn=4.4),
            Solid("cone", (0.65, 1.4, 2.3), _z(1.9, 1.9), 0, "motor", turn=4.4),
        ),
        placed=False,
    ),
    "couple": Glyph(_TURN, placed=False),
    "arrow": Glyph(placed=False),
    "field": Glyph(placed=False),
    "friction": Glyph(),
    "push": Glyph(placed=False),
    "touch": Glyph(placed=False),
}


def glyph(name: str) -> Glyph:
    """The symbol of a name; a dot where there is none."""
    return GLYPHS.get(name, GLYPHS["dot"])
