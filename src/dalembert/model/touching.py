"""What contacts and cams share: gaps by label, and the rigid stops that keep them from becoming negative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .events import Impact, read_restitution
from .expression import Expr
from .measure import Measure

if TYPE_CHECKING:
    from .mechanism import Mechanism

# what the one gap of a part is called
GAP = "gap"


class Touching:
    """A part with gaps: `_gaps` by label, and `_stops`, one for each where they are rigid."""

    model: Mechanism
    name: str
    asked: Any
    _gaps: dict[str, Measure]
    _stops: tuple[Impact, ...]

    @property
    def gaps(self) -> dict[str, Measure]:
        """Gaps by label: one called "gap", or one for each point that may touch."""
        return dict(self._gaps)

    @property
    def stops(self) -> tuple[Impact, ...]:
        """A rigid stop for each gap; none where the contact is compliant, or a joint."""
        return self._stops

    def coordinates(self) -> dict[str, Measure]:
        """The gaps."""
        return self.gaps

    def pushes(self) -> dict[str, Expr]:
        """What presses at each gap, as expressions of it, where that is a law; empty where a rigid stop presses."""
        return {}

    def rigid(
        self, restitution: Any, hypothesis: Any, slips: Mapping[str, tuple[Measure, ...]] | None = None
    ) -> tuple[Impact, ...]:
        """Stops for all gaps; `slips` are measures that do not change while one is closed."""
        e = read_restitution(self.asked, restitution, hypothesis)
        alone = list(self._gaps) == [GAP]
        return tuple(
            Impact(
                self.model, self.name if alone else f"{self.name}.{label}", gap, e, hypothesis, (slips or {}).get(label, ()), self.name
            )
            for label, gap in self._gaps.items()
        )  # fmt: skip
