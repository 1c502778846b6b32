"""draw: a mechanism as in a textbook."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MethodError, checked_call, nearest, shown
from ..model.expression.checks import plain_number
from ..model.frame import Point
from ..model.output_units import read_units
from ..results.files import optional, with_ending
from ..results.result import Result
from . import board, paper, quantities
from .drawing import Drawing, Pose, read

GROUPS = ("joints", "bodies", "drivers", "forces")


@checked_call
def draw(
    x: Any,
    path: Any = None,
    *,
    at: Any = None,
    ghosts: int = 0,
    traces: Any = (),
    arrows: Any = (),
    names: Any = True,
    ax: Any = None,
    size: Any = None,
    view: Any = None,
    scale: bool = True,
    title: str | None = None,
    transparent: bool = False,
    dpi: float = 160,
    units: Any = None,
) -> Any:
    """Draw a mechanism as in a textbook: links with pins, supports on hatched ground, sliders, slots, springs, gears; shaded solids in space.

    Parameters
    ----------
    x
        A mechanism (as assembled), a run, an assembly (with its alternatives), one or several equilibria, a mode or a linearization (extreme
        poses dashed).
    path
        File to write; the ending decides the format (.png, .pdf, .svg).  In SVG names stay text, and the same drawing gives the same file.
    at
        Time of the pose in a run, "start", "end" (default), or a list of times, one drawing for each; for a mechanism a time or a state.
    ghosts
        Number of further poses of the run in light grey, spread over its motion.
    traces
        Points whose paths are drawn: names of joints, names of bodies (their free end or mass centre), or points such as
        `rod.point(0.1, 0.2)`.  True: those that the page shows.
    arrows
        "reactions", "velocities", "accelerations", a list of them, or a dictionary with names: `{"reactions": ["A", "B"]}`.  The legend
        states the scale.
    names
        Whether names are written (in crowded drawings those of bodies only); or a list of names and of "joints", "bodies", "drivers", "forces".
    ax
        Axes of matplotlib to draw into, as they are on their figure; default: a new figure.
    size
        Width of the figure, or (width, height), in inches.
    view
        In space the direction to look from: (azimuth, elevation) in degrees.
    scale
        Whether a length to compare with (in space: the axes) is drawn, and the time of one pose of a run.
    title
        Text above the drawing.
    transparent
        Leave the paper transparent instead of white.
    dpi
        Dots per inch of .png files.
    units
        Units of scale, legend and times: "mm, kN, ms"; default: those of the model.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; with `ax` the axes.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> figure = da.draw(m)
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid()]
    ['A', 'bar', '0.2 m']
    """
    asked = f"draw({shown(getattr(getattr(x, 'model', x), 'name', x), 40)})"
    optional("matplotlib", "draw", "plot")
    target = None if path is None else with_ending(f"draw(path={shown(path)})", path, ".png")
    if target is not None:
        paper.check_ending(f"draw(path={shown(path)})", target)
    if ax is not None and path is not None:
        raise MethodError(asked, "ax and path together", "the file would hold the whole figure", "save the figure itself: figure.savefig(...)")  # fmt: skip
    if ax is not None and size is not None:
        do = "leave size out, or size the figure of ax"
        raise MethodError(asked, "ax and size together", "axes have a size of their own", do)
    look = Look(asked, ghosts, arrows, names, size, view, scale, title, transparent, dpi)
    subject = read(asked, x, at, units)
    look.units = subject.units
    look.read_names(subject)
    lines = read_traces(asked, subject, traces)
    figure = board.compose(subject, look, lines, ghost_poses(subject, look.ghosts), ax)
    if target is not None:
        paper.write(figure, target, f"draw(path={shown(path)})", look)
    return figure if ax is None else ax


class Look:
    """Options of a drawing, read and checked."""

    def __init__(
        self, asked: str, ghosts: Any, arrows: Any, names: Any, size: Any, view: Any, scale: Any, title: Any,
        transparent: Any, dpi: Any,
    ) -> None:  # fmt: skip
        self.asked = asked
        if isinstance(ghosts, bool) or not isinstance(ghosts, int | np.integer) or not 0 <= ghosts <= 100:
            raise MethodError(asked, f"ghosts = {shown(ghosts)}", "it is a number of poses, 0 to 100", "give ghosts=5")
        for what, flag in (("scale", scale), ("transparent", transparent)):
            if not isinstance(flag, bool | np.bool_):
                raise MethodError(asked, f"{what} = {shown(flag)}", "it is True or False", f"give {what}=False")
        if title is not None and not isinstance(title, str):
            raise MethodError(asked, f"title = {shown(title)}", "a title is a text", "give title='...'")
        self.units = read_units(asked, None)
        self.ghosts, self.scale, self.title, self.transparent = int(ghosts), bool(scale), title, bool(transparent)
        self.kinds = quantities.read_kinds(asked, arrows)
        self.names = names
        self.size = self._pair("size", size, 0.5, 60.0, "a width, or (width, height), in inches", alone=True)
        self.view = self._pair("view", view, -360.0, 360.0, "(azimuth, elevation) in degrees")
        self.dpi = plain_number(dpi)
        if self.dpi is None or not 20.0 <= self.dpi <= 1200.0:
            raise MethodError(asked, f"dpi = {shown(dpi)}", "it is a number from 20 to 1200", "give dpi=160")

    def _pair(self, name: str, x: Any, low: float, high: float, what: str, alone: bool = False) -> Any:
        if x is None:
            return None
        one = plain_number(x)
        given = (
            [one] if one is not None and alone else list(map(plain_number, x)) if isinstance(x, list | tuple) else []
        )
        if len(given) not in ((1, 2) if alone else (2,)) or not all(v is not None and low <= v <= high for v in given):
            do = "give numbers like that, or leave it out"
            raise MethodError(self.asked, f"{name} = {shown(x)}", f"it is {what}", do)
        return tuple(float(v) for v in given if v is not None)

    def read_names(self, subject: Drawing) -> None:
        """Check the names that are to be written."""
        if isinstance(self.names, bool):
            return
        listed = [self.names] if isinstance(self.names, str) else self.names
        known = [*GROUPS, *(m["name"] for m in subject.scene["marks"]), *(b["name"] for b in subject.scene["bodies"])]
        if not isinstance(listed, list | tuple | set):
            listed = [listed]
        for name in listed:
            if not isinstance(name, str) or name not in known:
                raise MethodError(self.asked, f"names = {shown(self.names)}", nearest(name, known), "give names=True, or names of parts")  # fmt: skip
        self.names = set(listed)


# -- traces --------------------------------------------------------------------------------------------------------------


def read_traces(asked: str, subject: Drawing, traces: Any) -> list[tuple[str, int, Any]]:
    """Points to trace: name, body, place."""
    points = subject.scene["points"]
    if isinstance(traces, bool):
        chosen = [points[k] for k in subject.scene["traced"]] if traces else []
        return [(p["name"], p["place"][0], p["place"]) for p in chosen]
    items = traces if isinstance(traces, list | tuple | set) else [traces]
    found = []
    for item in items:
        place = _point(subject, item)
        if place is None:
            known = [p["name"] for p in points] + [b["name"] for b in subject.scene["bodies"]]
            raise MethodError(asked, f"traces: {shown(item)}", nearest(item, known), "name a joint or a body, or give body.point(x, y)")  # fmt: skip
        found.append(place)
    return found


def _point(subject: Drawing, item: Any) -> tuple[str, int, Any] | None:
    points, bodies = subject.scene["points"], [b["name"] for b in subject.scene["bodies"]]
    if isinstance(item, Point):
        if item.body.name not in bodies or not isinstance(subject.run, Result):
            return None
        k, local = bodies.index(item.body.name), subject.run.system.builder.drawing.vector(item.coordinates)
        return f"point of {item.body.name}", k, [k, local[: 2 if subject.plane else 3].tolist()]
    name = item if isinstance(item, str) else getattr(item, "name", None)
    if not isinstance(name, str):
        return None
    for wanted in (name, f"end of {name}", f"{name} (mass centre)"):
        for p in points:
            if p["name"] == wanted:
                return wanted, p["place"][0], p["place"]
    return None


def ghost_outputs(subject: Drawing, count: int) -> list[int]:
    """Outputs that lie as far from each other as they can, farthest first."""
    if not count or len(subject) < 2:
        return []
    n = len(subject)
    size = float(np.max(np.ptp(np.asarray(subject.scene["box"], dtype=float), axis=0))) or 1.0
    where = np.column_stack([subject.origin.reshape(n, -1), size / 4 * subject.rotation.reshape(n, -1)])
    taken = {int(panel.pose.k) for panel in subject.panels if panel.pose.run is subject.run}
    picks: list[int] = []
    gap = np.full(n, np.inf)
    for k in taken or {n - 1}:
        gap = np.minimum(gap, np.linalg.norm(where - where[k], axis=1))
    while len(picks) < count:
        k = int(np.argmax(gap))
        if not gap[k] > 0.02 * size:
            break
        picks.append(k)
        gap = np.minimum(gap, np.linalg.norm(where - where[k], axis=1))
    return sorted(picks)


def ghost_poses(subject: Drawing, count: int) -> list[Pose]:
    """The poses of `ghost_outputs`."""
    return [subject.output(k) for k in ghost_outputs(subject, count)]
