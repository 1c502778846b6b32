"""One picture of a mechanism in space."""

from __future__ import annotations

from typing import Any

from ..results.sketch import sketch_space
from .draw import Look
from .paper import new_figure
from .subject import Subject


def compose(subject: Subject, look: Look, traces: Any, ax: Any = None) -> Any:
    """Figure of a subject in space."""
    figure = new_figure(6.4, 5.0, look)
    sketch_space(figure.add_subplot(projection="3d") if ax is None else ax, subject.run)
    return figure
