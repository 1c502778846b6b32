"""What contacts and cams carry: the force that presses, and when they are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError, nearest
from ..model.joints import Joint
from .parts import LoadResult
from .series import Series

if TYPE_CHECKING:
    from ..model.forces.contact import Contact
    from ..model.joints.cam import Cam


class TouchResult(LoadResult):
    """Load of a contact or cam, with `.normal`, what presses along the gaps, `.closed`, whether it touches, and `.of(label)`, the load of one gap."""

    part: Cam | Contact
    _stored: tuple[str, ...] = ("normal", "closed")

    def pressing(self) -> np.ndarray:
        """Forces along the gaps (time, gap), positive where they push apart."""
        run, part = self._run, self.part
        if part.stops:
            return run.gap_forces(part.stops)
        if isinstance(part, Joint):
            return np.asarray(-run.lam[:, run.system.rows_of(part.name)])
        # friction of its own has laws beside those of the gaps
        every = enumerate(run.system.builder.laws)
        laws = [k for k, law in every if law.part == part.name and law.law.kind != "slip"]
        return np.asarray(-run.forces[:, laws])

    @property
    def normal(self) -> Series:
        """Force along the gaps [N], positive where it presses; the sum where there are several."""
        turns = all(gap.unit == "rad" for gap in self.part.gaps.values())
        return self._series("normal", self.pressing().sum(axis=1), "N m" if turns else "N")

    @property
    def closed(self) -> Series:
        """1 where it presses, 0 where it is open."""
        return self._series("closed", (self.pressing() > 0.0).any(axis=1).astype(float), "1")

    def of(self, label: str) -> LoadResult:
        """Load of one gap of a rigid contact, by its label."""
        stops = dict(zip(self.part.gaps, self.part.stops))
        if label not in stops:
            found = f"no rigid gap is called {label!r}"
            raise ModelError(f"load of {self.name!r}", found, nearest(label, stops), "use one of its labels")
        return LoadResult(self._run, stops[label])

    def __repr__(self) -> str:
        return (
            f"<load of {self.part!r} on {self.body.name!r}: force, torque, normal, closed, {', '.join(self.part.gaps)}>"
        )
