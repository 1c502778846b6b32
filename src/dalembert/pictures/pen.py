"""A pen for one drawing in the plane of the paper: lengths of symbols in points, places in metres; it remembers what is covered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import numpy as np

INK = "#22262b"
GROUND = "#4a515a"
SOFT = "#68707a"
GHOST = "#c3c8cf"
GHOST_FILL = "#f3f4f6"
FORCE, VELOCITY, ACCELERATION = "#c62828", "#1b7f4b", "#7b3fa0"
# cones of contacts that stick and slip, as on pages
STICK, SLIP = "#009e73", "#d55e00"
PAPER = "#ffffff"
# side of the cells in which the pen remembers what is covered, in points
CELL = 2.0


def mixed(color: str, share: float, other: str = PAPER) -> str:
    """A share of a colour in another one (white)."""
    a, b = ([int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in (color, other))
    return "#" + "".join(f"{round(y + share * (x - y)):02x}" for x, y in zip(a, b))


class Frame:
    """Axes along a line a -> b: points at distance s along and n to the left."""

    def __init__(self, a: np.ndarray, b: np.ndarray) -> None:
        d = np.asarray(b, dtype=float) - a
        self.a, self.length = np.asarray(a, dtype=float), float(np.hypot(*d))
        self.e = d / self.length if self.length > 0.0 else np.array([1.0, 0.0])
        self.n = np.array([-self.e[1], self.e[0]])

    def at(self, s: float, n: float = 0.0) -> np.ndarray:
        """Point at (s, n)."""
        return np.asarray(self.a + s * self.e + n * self.n)


class Pen:
    """Draws into axes whose scale is known.

    `axes`: axes of matplotlib; limits are set here.  `low`: lower left corner [m].  `size`: width and height of the paper, in points.  `u`: metres of
    one point.  `k`: size of symbols: 1, less where links are short on paper.
    """

    def __init__(self, axes: Any, low: np.ndarray, size: tuple[float, float], u: float, k: float) -> None:
        self.axes, self.low, self.size, self.u, self.k = axes, np.asarray(low, dtype=float), size, u, k
        self.z = 1.0
        self.memory: dict[str, np.ndarray] = {}  # where names were put, in points from what they name
        self.keeps = True  # whether names keep off what is drawn now
        self.pile: list[tuple[Any, ...]] | None = None  # strokes that will be drawn together
        nx, ny = (max(2, int(np.ceil(x / CELL))) for x in size)
        self.covered = np.zeros((nx, ny))
        axes.set_xlim(self.low[0], self.low[0] + size[0] * u)
        axes.set_ylim(self.low[1], self.low[1] + size[1] * u)
        axes.set_aspect("equal", adjustable="box")

    def pt(self, n: float) -> float:
        """Metres of n points of a symbol."""
        return n * self.k * self.u

    # -- what is covered -----------------------------------------------------------------------------------------------

    def cover(self, points: np.ndarray, half: float = 1.0, weight: float = 1.0) -> None:
        """Remember a line of a half width in points."""
        if not self.keeps or not len(points):
            return
        p = (np.asarray(points, dtype=float) - self.low) / self.u
        p = p[np.isfinite(p).all(axis=1)]
        if not len(p):
            return
        dense = [p[:1]]
        for a, b in zip(p[:-1], p[1:]):
            n = int(min(400, max(1, np.ceil(np.hypot(*(b - a)) / CELL))))
            dense.append(a + (b - a) * (np.arange(1, n + 1) / n)[:, None])
        self._mark(np.vstack(dense), int(half // CELL), weight)

    def cover_points(self, points: np.ndarray) -> None:
        """Remember single points."""
        if self.keeps:
            self._mark((points - self.low) / self.u, 1, 1.0)

    def _mark(self, points: np.ndarray, r: int, weight: float) -> None:
        cells = np.floor(points / CELL).astype(int)
        for dx in range(-r, r + 1):
            for dy in range(-r, r + 1):
                x, y = cells[:, 0] + dx, cells[:, 1] + dy
                inside = (x >= 0) & (y >= 0) & (x < self.covered.shape[0]) & (y < self.covered.shape[1])
                self.covered[x[inside], y[inside]] = np.maximum(self.covered[x[inside], y[inside]], weight)

    # -- strokes ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def together(self, name: str, wanted: bool = True) -> Iterator[None]:
        """Draw all strokes of a block as few collections: thousands of single ones take seconds.  They have no names of their own."""
        if not wanted:
            yield
            return
        from matplotlib.collections import PathCollection

        pile: list[tuple[Any, ...]] = []
        self.pile = pile
        try:
            yield
        finally:
            self.pile = None
        for z, layer in groupby(pile, key=lambda stroke: stroke[0]):
            _, paths, fills, edges, widths, dashes = zip(*layer)
            # Matplotlib takes two styles for one, (offset, dashes); a third that no path uses tells it
            styles = dashes if len(dashes) != 2 else (*dashes, dashes[0])
            made = PathCollection(
                paths, facecolors=fills, edgecolors=edges, linewidths=widths, linestyles=styles, zorder=z,
                capstyle="round", joinstyle="round",
            )  # fmt: skip
            self._add(made, name)

    def _add(self, artist: Any, name: str | None) -> None:
        """Put something on paper; the limits of the axes are known, so that nothing need be measured."""
        if name is not None:
            # becomes the id of the element in SVG, where spaces are not allowed
            artist.set_gid(re.sub(r"\s+", "_", name))
        self.axes.add_artist(artist)

    def _shape(
        self, path: Any, made: Any, fill: str | None, edge: str | None, width: float, dash: Any, name: str | None
    ) -> None:
        """An area on the pile, or as an artist with its style."""
        width, fill, edge = width if edge else 0.0, fill or "none", edge or "none"
        if self.pile is not None:
            self.pile.append((self.z, path, fill, edge, width, dash or "-"))
            return
        made.set(facecolor=fill, edgecolor=edge, linewidth=width, linestyle=dash or "-", zorder=self.z)
        self._add(made, name)

    def line(
        self, points: Any, color: str = INK, width: float = 1.2, dash: Any = None, name: str | None = None, **more: Any
    ) -> None:
        """A line; rows that are nan lift the pen."""
        from matplotlib.lines import Line2D
        from matplotlib.path import Path

        p = np.asarray(points, dtype=float)
        self.cover(p, 0.5 * width)
        if self.pile is not None:
            self.pile.append((self.z, Path(p), "none", color, width, dash or "-"))
            return
        style: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round", "dash_capstyle": "butt", **more}
        made = Line2D(p[:, 0], p[:, 1], color=color, linewidth=width, linestyle=dash or "-", zorder=self.z, **style)
        self._add(made, name)

    def area(
        self,
        points: Any,
        fill: str | None,
        edge: str | None,
        width: float = 1.2,
        name: str | None = None,
        dash: Any = None,
    ) -> None:
        """A closed area."""
        from matplotlib.patches import Polygon
        from matplotlib.path import Path

        p = np.asarray(points, dtype=float)
        ring = np.vstack([p, p[:1]])
        self.cover(ring, 0.5 * width)
        made = Polygon(p, closed=True, joinstyle="round")
        self._shape(Path(ring, closed=True), made, fill, edge, width, dash, name)

    def circle(
        self, p: Any, r: float, fill: str | None, edge: str | None, width: float = 1.3, name: str | None = None,
        dash: Any = None,
    ) -> None:  # fmt: skip
        """A circle of radius r [m]."""
        from matplotlib.patches import Circle
        from matplotlib.path import Path

        if self.keeps:
            turn = np.linspace(0.0, 2.0 * np.pi, 25)
            self.cover(np.asarray(p) + r * np.column_stack([np.cos(turn), np.sin(turn)]), 0.5 * width)
            if r < 8.0 * self.u:
                self.cover(np.asarray(p)[None], r / self.u)
        self._shape(Path.circle(tuple(p), r), Circle(tuple(p), r), fill, edge, width, dash, name)

    def text(self, p: Any, text: str, color: str = INK, size: float = 9.0, **more: Any) -> Any:
        """Text as it is, no formulas."""
        style: dict[str, Any] = {"ha": "center", "va": "center", "zorder": self.z, **more}
        return self.axes.text(float(p[0]), float(p[1]), text, color=color, fontsize=size, parse_math=False, **style)

    # -- symbols ---------------------------------------------------------------------------------------------------------

    def strokes(self, segments: Sequence[Any], color: str, width: float) -> None:
        """Many separate lines as one path."""
        gap = np.full((1, 2), np.nan)
        self.line(np.vstack([row for s in segments for row in (np.asarray(s), gap)]), color, width)

    def hatch(self, a: Any, b: Any, color: str = GROUND) -> None:
        """A line a -> b with short strokes on its right side: what they touch is fixed."""
        f, step = Frame(a, b), self.pt(5.5)
        self.line([a, b], color, 1.3 * max(0.7, self.k))
        n = max(1, int(f.length / step))
        s = (np.arange(n) + 0.75) * f.length / n
        self.strokes([[f.at(x), f.at(x - self.pt(4.0), -self.pt(5.0))] for x in s], color, 0.8)

    def bar(self, points: Any, color: str, fill: str, width: float = 9.0, name: str | None = None) -> None:
        """Link with round ends."""
        wide = max(width * self.k, 2.2)
        self.line(points, color, wide, name=name)
        self.line(points, fill, max(wide - 2.4, 0.6))

    def arrow(self, p: Any, d: Any, color: str, width: float = 1.8, name: str | None = None) -> None:
        """Arrow from p by d [m]; nothing where it is shorter than it is wide."""
        p, d = np.asarray(p, dtype=float), np.asarray(d, dtype=float)
        length = float(np.hypot(*d))
        if not length > 1.5 * self.u:
            return
        f = Frame(p, p + d)
        head = min((7.0 + width) * self.u, 0.6 * length)
        self.line([p, f.at(length - 0.8 * head)], color, width, solid_capstyle="butt", name=name)
        self.area([f.at(length), f.at(length - head, 0.36 * head), f.at(length - head, -0.36 * head)], color, None)
        self.cover(np.array([f.at(length - head), f.at(length)]), 3.0)

    def turn(
        self, p: Any, r: float, start: float, sweep: float, color: str, width: float = 1.4, name: str | None = None
    ) -> None:
        """Arc with a head about p: from `start` over `sweep` radians, counterclockwise positive."""
        a = start + sweep * np.linspace(0.0, 1.0, 41)
        p = np.asarray(p, dtype=float)
        arc = p + r * np.column_stack([np.cos(a), np.sin(a)])
        self.line(arc, color, width, name=name, solid_capstyle="butt")
        s, head = np.sign(sweep), (4.0 + 1.4 * width) * self.u * max(0.7, self.k)
        e = s * np.array([-np.sin(a[-1]), np.cos(a[-1])])
        n = np.array([-e[1], e[0]])
        tip = arc[-1]
        self.area([tip + head * e, tip + 0.5 * head * n, tip - 0.5 * head * n], color, None)
