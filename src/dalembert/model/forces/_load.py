"""What point forces and torques share: a vector of numbers or expressions, fixed in space or in the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Vector
from ..reading import in_body_axes, read_items
from ._base import Force


@dataclass(frozen=True, eq=False, repr=False)
class Load(Force):
    """Vector load on a body; `frame` is "space" or "body"."""

    body: Any = None
    value: Any = None

    vector = True

    def read_frame(self, frame: Any) -> Any:
        """The body that carries the components, or None for space."""
        return self.body if in_body_axes(self.asked, frame) else None

    def read_laws(self, value: Any, n: int) -> list[Any]:
        """Components as expressions or Python functions of t."""
        why, do = f"{n} components are needed", f"give value with {n} numbers or expressions"
        return [self.model.read_load(self.asked, x) for x in read_items(self.asked, "value", value, n, why, do)]


AXES: tuple[tuple[str, Vector], ...] = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))
