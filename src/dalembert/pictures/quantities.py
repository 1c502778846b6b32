"""Arrows of reactions, velocities and accelerations: where they are, how large, and the scale that the legend states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..model.output_units import OutputUnits
from ..results.result import Result
from ..viewer.cones import SLIPS, Press, presses
from .drawing import Drawing, Pose
from .pen import ACCELERATION, FORCE, SLIP, STICK, VELOCITY
from .solids import axes_along

if TYPE_CHECKING:
    from ..results.record import Record


KINDS = {
    "reactions": ("reaction", "N", FORCE),
    "velocities": ("velocity", "m/s", VELOCITY),
    "accelerations": ("acceleration", "m/s²", ACCELERATION),
}
# length of the longest arrow as a share of the drawing (mean of its sides)
LONGEST = 0.22


@dataclass(frozen=True)
class Cone:
    """Cone of friction at a contact: apex and normal in space, half angle [rad], and whether the contact slips."""

    at: np.ndarray
    normal: np.ndarray
    half: float
    slips: bool

    @property
    def color(self) -> str:
        """That of its phase on pages."""
        return SLIP if self.slips else STICK

    def rays(self) -> np.ndarray:
        """Directions of its edge: in the plane from one side to the other, in space around the rim."""
        n = self.normal
        if len(n) == 2:
            a = np.linspace(-self.half, self.half, 17)[:, None]
            return np.asarray(np.cos(a) * n + np.sin(a) * [-n[1], n[0]])
        x, y, _ = axes_along(n).T
        a = np.linspace(0.0, 2.0 * np.pi, 33)[:, None]
        return np.asarray(np.cos(self.half) * n + np.sin(self.half) * (np.cos(a) * x + np.sin(a) * y))


@dataclass
class Arrows:
    """Arrows of one kind: places in space, vectors, and the vector size that has the longest arrow; of reactions the cones of friction too."""

    kind: str
    at: np.ndarray
    vectors: np.ndarray
    largest: float
    cones: tuple[Cone, ...] = ()

    @property
    def color(self) -> str:
        """Colour of the kind."""
        return KINDS[self.kind][2]

    def sample(self, units: OutputUnits) -> tuple[float, str]:
        """A value for the legend that is round in its unit, and its text."""
        name, si, _ = KINDS[self.kind]
        unit, factor = units.of(si)
        value = round_below(0.6 * self.largest * factor)
        return value / factor, f"{name} {plain(value)} {unit}"


def round_below(x: float) -> float:
    """Largest of 1, 2, 5 × 10^n that is not above x."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(max(f * power for f in (1.0, 2.0, 5.0) if f * power <= x * (1 + 1e-9)))


def plain(x: float) -> str:
    """Number without exponent where that is short."""
    return f"{x:g}" if 1e-4 <= abs(x) < 1e6 else f"{x:.0e}"


def read_kinds(asked: str, arrows: Any) -> dict[str, set[str] | None]:
    """Kinds of arrows and the names they are limited to: "reactions", ["velocities", ...], {"reactions": ["A", "B"]}."""
    items = [arrows] if isinstance(arrows, str) else arrows
    try:
        listed = list(items)
    except TypeError:
        listed = [arrows]
    found: dict[str, set[str] | None] = {}
    for kind in listed:
        if kind not in KINDS if isinstance(kind, str) else True:
            raise MethodError(asked, f"arrows = {shown(arrows)}", nearest(kind, KINDS), "give arrows='reactions'")
        found[kind] = None
        if isinstance(items, dict):
            names = [items[kind]] if isinstance(items[kind], str) else items[kind]
            if not isinstance(names, list | tuple | set) or not all(isinstance(name, str) for name in names):
                why = "a kind of arrows is limited to a name, or a list of names"
                raise MethodError(asked, f"arrows of {kind!r}: {shown(names)}", why, f"give {{{kind!r}: ['A', 'B']}}")
            found[kind] = set(names)
    return found


def gather(asked: str, subject: Drawing, pose: Pose, kinds: dict[str, set[str] | None]) -> list[Arrows]:
    """Arrows at one pose."""
    found = [
        _reactions(asked, subject, pose, names) if kind == "reactions" else _rates(asked, subject, pose, kind, names)
        for kind, names in kinds.items()
    ]
    return [arrows for arrows in found if arrows is not None]


def _reactions(asked: str, subject: Drawing, pose: Pose, names: set[str] | None) -> Arrows | None:
    pressing = {one.name: one for one in presses(pose.run)} if isinstance(pose.run, Result) else {}
    # friction of contacts is part of what these carry
    shown_there = {name for one in pressing.values() for name in one.owners} - set(pressing)
    joints = [m for m in subject.scene["marks"] if m["name"] in pressing or _reacts(m) and m["name"] not in shown_there]
    _check(asked, names, [m["name"] for m in joints])
    n = 2 if subject.plane else 3
    at, vectors, sizes, cones = [], [], [], []
    for m in joints:
        if names is not None and m["name"] not in names:
            continue
        over_time, here = (_load(run, pressing.get(m["name"]), m["name"]) for run in (subject.run, pose.run))
        place = next((p for p in reversed(m["places"]) if p[0] >= 0), m["places"][-1])
        where, force = pose.at(place), here[pose.k]
        if one := pressing.get(m["name"]):
            where = one.at[pose.k, :n]
            if not np.isfinite(where).all():
                continue
            if one.way[pose.k]:
                cones.append(Cone(where, one.normal[pose.k, :n], float(one.half[pose.k]), one.way[pose.k] == SLIPS))
        at.append(where)
        vectors.append(force[:n])
        # peaks may be much larger than the rest: the scale is that of the mean over time, and of this pose
        sizes.append(max(1.5 * float(np.mean(np.linalg.norm(over_time, axis=1))), float(np.linalg.norm(force))))
    return _made("reactions", at, vectors, sizes, cones)


def _reacts(mark: dict[str, Any]) -> bool:
    """Whether a mark carries a reaction at its place: joints, cams, friction in joints."""
    return mark["kind"] == "joint" or mark["glyph"] in ("touch", "friction")


def _load(run: Record, press: Press | None, name: str) -> np.ndarray:
    return press.force(run) if press is not None else np.asarray(run[name].force, dtype=float)


def _rates(asked: str, subject: Drawing, pose: Pose, kind: str, names: set[str] | None) -> Arrows | None:
    points = [p for p in subject.scene["points"] if p["place"][0] >= 0]
    short = lambda p: p["name"].removesuffix(" (mass centre)").removeprefix("end of ")  # noqa: E731
    _check(asked, names, [name for p in points for name in (p["name"], short(p))])
    if names is not None:
        points = [p for p in points if p["name"] in names or short(p) in names]
    elif any(not p["name"].endswith("(mass centre)") for p in points):
        points = [p for p in points if not p["name"].endswith("(mass centre)")]
    at, vectors, n = [], [], 2 if subject.plane else 3
    for p in points:
        motion = pose.run.motion(subject.scene["bodies"][p["place"][0]]["name"])
        here, arm, k = pose.at(p["place"]), np.zeros(3), pose.k
        arm[:n] = here[:n] - motion.position[k][:n]
        v = np.cross(motion.omega[k], arm)
        if kind == "velocities":
            v = motion.velocity[k] + v
        else:
            v = motion.acceleration[k] + np.cross(motion.alpha[k], arm) + np.cross(motion.omega[k], v)
        at.append(here)
        vectors.append(v[:n])
    return _made(kind, at, vectors, [float(np.linalg.norm(v)) for v in vectors])


def _check(asked: str, names: set[str] | None, known: list[str]) -> None:
    for name in names or ():
        if name not in known:
            raise MethodError(asked, f"arrows for {shown(name)}", nearest(name, known), "use one of the known names")


def _made(
    kind: str, at: list[Any], vectors: list[Any], sizes: list[float], cones: Sequence[Cone] = ()
) -> Arrows | None:
    largest = max(sizes, default=0.0)
    if not largest > 1e-12:
        return None
    return Arrows(kind, np.array(at), np.array(vectors), largest, tuple(cones))
