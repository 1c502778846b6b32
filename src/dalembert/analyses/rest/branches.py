"""Branches of equilibria along a parameter, with their folds and branch points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...errors import ModelError, nearest, shown
from ...results.paged import Paged
from ..equilibrium import Equilibrium


@dataclass(frozen=True, eq=False)
class Mark:
    """A fold or branch point: its parameter value, the equilibrium there, and the motion that costs nothing."""

    kind: str
    value: float
    equilibrium: Equilibrium = field(repr=False)
    motion: np.ndarray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Branch(Paged):
    """Equilibria along one curve: `values` of the parameter, `equilibria` at them, `marks` on the way.

    `ended` says why it ends: at the end of the "range", at a "branch point" of another branch, "closed" in itself, or "lost" where no
    next point was found.
    """

    parameter: str
    values: np.ndarray
    equilibria: tuple[Equilibrium, ...] = field(repr=False)
    marks: tuple[Mark, ...]
    ended: str = "range"

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Verdict at each point."""
        return tuple(e.verdict for e in self.equilibria)

    def coordinate(self, name: str) -> np.ndarray:
        """A coordinate of the table along the branch."""
        known = self.equilibria[0].coordinates
        if name not in known:
            raise ModelError(
                f"coordinate {shown(name)} of a branch",
                "it is not in the table",
                nearest(name, known),
                "use one of these",
            )
        return np.array([e.coordinates[name][0] for e in self.equilibria])

    def __repr__(self) -> str:
        return f"<Branch of {len(self.values)} equilibria, {self.parameter} from {self.values[0]:.6g} to {self.values[-1]:.6g}>"


class Branches(Paged, tuple[Branch, ...]):
    """Branches of equilibria along a parameter; prints as a table with folds and branch points."""

    def _marks(self, kind: str) -> tuple[Mark, ...]:
        found: list[Mark] = []
        for mark in (m for branch in self for m in branch.marks if m.kind == kind):
            if not any(one(mark, other) for other in found):
                found.append(mark)
        return tuple(found)

    @property
    def folds(self) -> tuple[Mark, ...]:
        """Points where a branch turns back."""
        return self._marks("fold")

    @property
    def branch_points(self) -> tuple[Mark, ...]:
        """Points where branches cross."""
        return self._marks("branch")

    def __str__(self) -> str:
        lines = []
        for k, branch in enumerate(self):
            changes = [branch.verdicts[0]]
            changes += [b for a, b in zip(branch.verdicts, branch.verdicts[1:]) if a != b]
            parts = [v for v in changes if v != "degenerate"] or changes
            values = np.asarray(branch.values, dtype=float)
            steps = np.diff(values)
            back = 1 + np.flatnonzero(
                steps[:-1] * steps[1:] < 0.0
            )  # where the parameter turns back, to the digits of a step
            ends = [f"{values[0]:.6g}", *(f"{value:.3g}" for value in values[back]), f"{values[-1]:.6g}"]
            spans = f"{branch.parameter} {' … '.join(ends)}"
            notes = [f"{m.kind} at {m.value:.9g}" for m in branch.marks]
            marks = ", ".join([*notes, *(["lost there"] if branch.ended == "lost" else [])])
            lines.append(f"branch {k}  {spans}  {len(branch.values)} points  {' → '.join(parts)}  {marks}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def one(a: Mark, b: Mark) -> bool:
    """Whether two marks are one that was met on two branches."""
    near = abs(a.value - b.value) <= 1e-5 * max(abs(a.value), abs(b.value), 1e-300)
    return near and bool(np.allclose(a.equilibrium.state.q, b.equilibrium.state.q, atol=3e-3))
