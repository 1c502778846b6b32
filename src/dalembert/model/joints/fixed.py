"""Fixed joint: a weld."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import PairJoint, Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(PairJoint, tag="fixed"):
    """Weld: the bodies keep the relative pose in which they are drawn."""

    glyph = "weld"
    holds = ("gap", "orientation")
    freedom = ()
    placed_by = "moving"

    @property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """A hinge, a slider, a cross, a ball."""
        if self.model.plane:
            return Relaxation("revolute", "mz"), Relaxation("prismatic {}", "fx fy", 1)
        return (
            Relaxation("revolute", "mx my mz", 1), Relaxation("prismatic {}", "fx fy fz", 1),
            Relaxation("universal", "mx my mz", 2), Relaxation("spherical", "mx my mz"),
        )  # fmt: skip
