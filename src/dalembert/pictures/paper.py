"""Paper: the figure, where its drawings lie, and the file it is written to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MethodError, shown
from ..results import plot
from ..results.files import whole_file

ENDINGS = ("png", "svg", "pdf")
# inches: one drawing, and one of several
WIDTH, PANEL = 6.4, 3.4
# points: room around the mechanism for symbols and names, strip for scale and legend, strip for a title
MARGIN, STRIP, TITLE = 34.0, 24.0, 20.0
# identifiers inside SVG are made from this, so that the same drawing gives the same file
SALT = "dalembert"


def check_ending(asked: str, target: Path) -> str:
    """Refuse formats that pictures are not written in."""
    return plot.check_ending(asked, target, ENDINGS, "use .svg, .pdf or .png; film() makes .gif and .mp4")


def write(figure: Any, target: Path, asked: str, look: Any) -> None:
    """Write the figure, whole or not at all; no date inside, fixed identifiers, text as text."""
    import matplotlib

    ending = target.suffix[1:].lower()
    metadata = {"pdf": {"CreationDate": None, "Producer": None, "Creator": None}, "svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[ending]  # fmt: skip
    settings = {"svg.fonttype": "none", "svg.hashsalt": SALT, "path.simplify": True, "pdf.fonttype": 42}
    face = "none" if look.transparent else "white"
    with matplotlib.rc_context(settings), whole_file(target, asked) as file:
        figure.savefig(
            file, format=ending, metadata=metadata, dpi=look.dpi, facecolor=face, transparent=look.transparent
        )


class Sheet:
    """Where drawings lie on a figure: `n` panels of one scale.

    `box`: lowest and highest coordinates of what is drawn, in metres on paper; `n`: number of panels; `strip`, `titled`: whether room for a scale and
    for titles is needed; `ax`: axes to fill instead of a new figure; `below`: inches left free below the drawing.
    """

    def __init__(
        self, box: np.ndarray, n: int, look: Any, strip: bool, titled: bool, ax: Any = None, below: float = 0.0
    ) -> None:
        wide, tall = (float(x) for x in np.asarray(box)[1] - np.asarray(box)[0])
        wide, tall = max(wide, 1e-9 * tall), max(tall, 1e-9 * wide)
        if not max(wide, tall) > 0.0:
            wide = tall = 1.0
        bottom, top = (STRIP if strip else 0.0), (TITLE if titled else 0.0)
        self.given = ax
        if ax is not None:
            if n > 1:
                found, do = f"{n} drawings for one ax", "leave ax out, or draw one pose"
                raise MethodError(look.asked, found, "each needs its own axes", do)
            if not hasattr(ax, "get_window_extent") or not hasattr(ax, "figure"):
                found, do = f"ax = {shown(ax)}", "give ax=plt.gca(), or leave it out"
                raise MethodError(look.asked, found, "axes of Matplotlib are needed", do)
            extent = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
            width, height = 72.0 * extent.width, 72.0 * extent.height
            self.columns = self.rows = 1
        else:
            self.columns = 1 if n == 1 else min(n, 2 if n in (2, 4) else 3)
            self.rows = -(-n // self.columns)
            given: tuple[float, ...] = look.size or (WIDTH if n == 1 else PANEL * self.columns,)
            width = 72.0 * given[0] / self.columns
            if len(given) == 2:
                height = 72.0 * max(given[1] - below, 0.3 * given[1]) / self.rows
            else:
                height = (width - 2 * MARGIN) * tall / wide + 2 * MARGIN + bottom + top
                lowest, highest = 0.3 * width, (1.0 if n == 1 else 1.25) * width
                height = float(np.clip(height, lowest, highest))
        # axes of others are small beside a page of one's own
        margin = min(MARGIN, (0.14 if ax is None else 0.1) * min(width, height))
        room = np.array([width - 2 * margin, height - 2 * margin - bottom - top])
        self.u = float(max(wide / room[0], tall / room[1]))
        if ax is None and look.size is None and not below:
            # no empty paper beside a slender machine
            # but room for the legend, about 100 points for a kind of arrow
            width = float(np.clip(wide / self.u + 2 * margin, min(width, 190.0 + 100.0 * len(look.kinds)), width))
        self.panel = (width, height)
        middle = 0.5 * (np.asarray(box)[0] + np.asarray(box)[1])
        self.low = middle - 0.5 * self.u * np.array([width, height - bottom - top]) - np.array([0.0, bottom * self.u])
        self.room = room
        self.top, self.bottom = top, bottom
        self.share = self.rows * height / (self.rows * height + 72.0 * below)
        size = (self.columns * width / 72, self.rows * height / 72 + below)
        face = "none" if look.transparent else "white"
        # pyplot knows it where somebody works with pyplot: else figures would only pile up in its memory
        known = "matplotlib.pyplot" in sys.modules
        self.figure = ax.figure if ax is not None else plot.empty_figure(known, figsize=size, facecolor=face)

    def axes(self, k: int) -> Any:
        """Axes of panel k: the whole cell, without frame."""
        if self.given is not None:
            self.given.set_axis_off()
            return self.given
        column, row = k % self.columns, k // self.columns
        tall = self.share / self.rows
        made = self.figure.add_axes((column / self.columns, 1.0 - (row + 1) * tall, 1.0 / self.columns, tall))
        made.set_axis_off()
        return made

    def title(self, pen: Any, text: str) -> None:
        """Title above a panel."""
        at = pen.low + pen.u * np.array([0.5 * self.panel[0], self.panel[1] - 0.5 * self.top - 1.0])
        pen.z = 10.0
        pen.text(at, text, "#22262b", 10.0, fontweight="bold")
