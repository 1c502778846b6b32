"""Dependent rows in the words of a joint, and joints with more freedom that would end the dependence.

Null vectors are loads that the joints of a set can put on each other without any effect on the motion.  At each joint they are wrenches
(force, torque / L) at its point, in its own frame: z along the axis in space, x along the line in the plane.  A joint with more freedom
cannot carry some of these wrenches; if a choice of such joints can carry none of them, and gives up as many rows as are dependent, then the
dependence is gone and no freedom was added.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from ...model.joints import PairJoint
from ...system.subspaces import null_space, span
from .sets import BLURRED, LARGEST_DENSE, Dependence, Rows, rank_of

if TYPE_CHECKING:
    from ...model.body import Body
    from ...model.driver import Driver
    from ...model.joints._base import Joint


# sets with more joints are searched for single joints only, and these up to a number
LARGEST_SEARCHED, MOST_SINGLE = 12, 100
# a wrench component below this part of the largest is not there: round-off, or the blur of sets that hold in this pose only
ABSENT, ABSENT_IF_BLURRED = 1e-6, 10.0 * BLURRED
# smallest relative singular value with which a relaxation counts as taking hold of all dependencies
FIRM = 1e-4


@dataclass
class Place:
    """A joint where it is now: point, frame (columns) in space, wrenches of unit coefficients (6 or 3, rows)."""

    part: PairJoint
    point: np.ndarray
    frame: np.ndarray
    wrenches: np.ndarray
    body: Body
    body_axes: np.ndarray


@dataclass
class Change:
    """A joint with more freedom in the place of one: what to do, and the combinations of its rows that are given up."""

    part: Joint | Driver
    text: str
    lost: np.ndarray


def place_of(rows: Rows, part: Joint | Driver) -> Place | None:
    """Where a joint of two bodies is; None for everything else."""
    if not isinstance(part, PairJoint):
        return None
    system = rows.system
    i, j = system.builder.drawing.attach(part.markers[0], part.markers[-1])
    n = 2 if system.plane else 3
    (place_i, axes_i), (place_j, axes_j) = (
        (x[:n], A[:n, :n]) for x, A in (system.place(rows.q, b) for b in part.bodies)
    )
    frame = axes_i @ i.axes[:n, :n]
    body, at_body, axes, attached = (part.j, place_j, axes_j, j)
    if part.j.is_ground:
        body, at_body, axes, attached = (part.i, place_i, axes_i, i)
    arm = axes @ attached.point[:n]
    first = system.builder.width * rows.body_number[body.name]
    mine = system.rows_of(part.name)
    # J row = (force, moment about the mass centre), of unit multipliers; back from dimensionless columns to forces and torques / L
    entries, columns = rows.entries(np.array(mine))
    k = int(np.searchsorted(columns, first))
    block = entries[:, k : k + system.builder.width].T.copy()
    force, torque = block[:n], block[n:]
    if system.plane:
        about = torque - (arm[0] * force[1] - arm[1] * force[0]) / system.length
    else:
        about = frame.T @ (axes @ torque - np.cross(arm[:, None], force, axis=0) / system.length)
    return Place(part, at_body + arm, frame, np.vstack([frame.T @ force, about]), body, axes)


# -- words ---------------------------------------------------------------------------------------------------------------


class Words:
    """The parts of one set: where they are, and how their share of the dependence is called."""

    def __init__(self, rows: Rows, dependence: Dependence, blurred: bool = False) -> None:
        self.absent = ABSENT_IF_BLURRED if blurred else ABSENT
        self.rows, self.dependence = rows, dependence
        self.plane = rows.system.plane
        self.places = {part.name: place_of(rows, part) for part in dependence.parts}
        self.located = [name for name, place in self.places.items() if place is not None]
        self.points = np.array([place.point for place in self.places.values() if place is not None])
        self.size = float(np.max(np.ptp(self.points, axis=0))) if self.located else 0.0
        # this set is measured by its own size, not by that of the whole model: lengths, and so forces beside torques
        self.zoom = rows.system.length / self.size if self.size > BLURRED**2 * rows.system.length else 1.0
        lengths = rows.is_length[dependence.rows]
        null = np.linalg.qr(np.where(lengths[:, None], dependence.null / self.zoom, dependence.null))[0]
        self.share: dict[str, np.ndarray] = {}  # coefficients of each part (rows of the part, dependencies)
        k = 0
        for part in dependence.parts:
            mine = slice(k, k + len(rows.system.rows_of(part.name)))
            k = mine.stop
            self.share[part.name] = null[mine]
            place = self.places[part.name]
            if place is not None:
                place.wrenches[2 if self.plane else 3 :, lengths[mine]] *= self.zoom

    def directions(self, part: Joint | Driver) -> tuple[str, ...]:
        """Forces and moments of a part that take part in the dependence."""
        place = self.places[part.name]
        if place is None:
            return (part.load_is,)
        basis = span(place.wrenches @ self.share[part.name], self.absent)
        texts, found = [], 0
        for label, plural, coordinates in self._kinds(place.part.axis_is):
            inside = _inside(basis, coordinates, self.absent)
            if inside.shape[1]:
                found += inside.shape[1]
                text = label if inside.shape[1] == 1 else plural
                if inside.shape[1] == 1 and "{}" in text:
                    text = text.format(self._pointing(place, inside[:, 0]))
                elif inside.shape[1] == 1 and text.startswith("force across"):
                    text += self._towards(place, inside[:, 0])
                elif inside.shape[1] == 2 and text == "forces":
                    text += f" across the direction {self._pointing(place, _normal(inside))}"
                texts.append(text)
        rest = basis.shape[1] - found
        if rest:
            texts.append(f"{rest} combination{'s' if rest > 1 else ''} of force and moment")
        return tuple(texts)

    def _kinds(self, word: str) -> list[tuple[str, str, list[int]]]:
        """Names of forces and moments along and across, one or several, and their coordinates."""
        if self.plane:
            if word == "line":
                return [("force along its line", "", [0]), ("force across its line", "", [1]), ("moment", "", [2])]
            return [("force {}", "all forces", [0, 1]), ("moment", "", [2])]
        if word:
            return [
                (f"force along its {word}", "", [2]),
                (f"force across its {word}", f"forces across its {word}", [0, 1]),
                (f"moment about its {word}", "", [5]),
                (f"moment across its {word}", f"moments across its {word}", [3, 4]),
            ]
        return [("force {}", "forces", [0, 1, 2]), ("moment", "moments", [3, 4, 5])]

    def _towards(self, place: Place, wrench: np.ndarray) -> str:
        """Another joint of the set in the direction of a force: " towards 'B'", or nothing."""
        n = 2 if self.plane else 3
        force = place.frame @ wrench[:n]
        force = force / np.linalg.norm(force)
        lines = self.points - place.point
        far = np.linalg.norm(lines, axis=1)
        there = (far > BLURRED * self.size) & (np.abs(lines @ force) > (1.0 - max(self.absent**2, 1e-10)) * far)
        return f" towards {self.located[int(np.argmax(there))]!r}" if there.any() else ""

    def _pointing(self, place: Place, wrench: np.ndarray) -> str:
        """Direction of a force in the words of the model: towards another joint, or in axes of a body."""
        n = 2 if self.plane else 3
        inside = place.body_axes.T @ place.frame @ wrench[:n]
        inside = inside / np.linalg.norm(inside)
        inside = inside * np.sign(inside[np.argmax(np.abs(inside) > 0.01)])
        along = f"along ({', '.join(f'{x + 0.0:.3g}' for x in np.round(inside, 3))}) of {place.body.name!r}"
        return self._towards(place, wrench).strip() or along

    # -- joints with more freedom --------------------------------------------------------------------------------------------

    def changes(self, part: Joint | Driver) -> list[Change]:
        """Joints with more freedom that could take the place of one of the set."""
        place, share = self.places[part.name], self.share[part.name]
        n_rows = share.shape[0]
        found = []
        if place is not None:
            for text, functionals in self._options(place):
                lost = span((functionals @ place.wrenches).T, ABSENT).T
                if 0 < len(lost) < n_rows:
                    found.append(Change(part, text, lost))
        return [*found, Change(part, f"leave out {part.name}", np.eye(n_rows))]

    def _options(self, place: Place) -> list[tuple[str, np.ndarray]]:
        part = place.part
        basis = span(place.wrenches @ self.share[part.name], self.absent)
        components = ("fx", "fy", "mz") if self.plane else ("fx", "fy", "fz", "mx", "my", "mz")
        found = []
        for one in part.relaxations:
            chosen = [components.index(c) for c in one.gives_up.split()]
            lost = np.eye(len(components))[chosen]
            if one.count is not None:
                inside = _inside(basis, chosen, self.absent)
                if inside.shape[1] != one.count:
                    continue
                lost = inside.T
            way = self._pointing(place, lost[0] if len(lost) == 1 else _normal(lost.T)) if "{}" in one.text else ""
            found.append((f"make {part.name} {one.text.format(way)}", lost))
        return found

    def proposals(self) -> tuple[str, ...]:
        """The fewest changes that end the dependence without adding freedom, each checked by the rank of the changed rows."""
        parts, count = self.dependence.parts, self.dependence.null.shape[1]
        options = {part.name: self.changes(part) for part in parts[:MOST_SINGLE]}
        found: list[str] = []
        searched = parts if len(parts) <= LARGEST_SEARCHED else []
        for several in (1, 2, 3):
            # three changes are worth mentioning only where fewer do not help
            if several == 3 and found:
                break
            for chosen in combinations(parts[:MOST_SINGLE] if several == 1 else searched, several):
                for choice in product(*(options[part.name] for part in chosen)):
                    if sum(len(x.lost) for x in choice) == count and self._ends(choice) and self._checked(choice):
                        found.append(_together([x.text for x in choice]))
        return tuple(found)

    def _ends(self, choice: tuple[Change, ...]) -> bool:
        """Whether no dependency is left: every null vector needs something that is given up."""
        given_up = np.vstack([x.lost @ self.share[x.part.name] for x in choice])
        s = np.linalg.svd(given_up, compute_uv=False)
        return bool(s[-1] > FIRM * max(float(s[0]), FIRM))

    @cached_property
    def _jac(self) -> tuple[np.ndarray, int]:
        """Rows of the set, measured by its own size, and their rank."""
        jac = self.rows.dense(self.dependence.rows)
        jac[self.rows.is_length[self.dependence.rows]] *= self.zoom
        return jac, rank_of(jac, self.rows.pose.independent)

    def _checked(self, choice: tuple[Change, ...]) -> bool:
        """Whether the rows of the set have the rank they had when some are given up, as many as were dependent."""
        if len(self.dependence.rows) > LARGEST_DENSE:
            return True  # as many rows are given up as dependencies end, and the rank is the difference
        lost = {x.part.name: x.lost for x in choice}
        (jac, rank), kept, k = self._jac, [], 0
        for part in self.dependence.parts:
            n = len(self.share[part.name])
            block = jac[k : k + n]
            k += n
            if part.name in lost:
                block = null_space(lost[part.name]).T @ block
            kept.append(block)
        changed = np.vstack(kept)
        fewer = len(jac) - len(changed) == self.dependence.null.shape[1]
        # rows of a contradictory set are dependent in the pose of their compromise only roughly
        return fewer and rank_of(changed, self.rows.pose.independent) == min(rank, len(changed))


def _together(texts: list[str]) -> str:
    """One sentence: "make C spherical and D cylindrical"."""
    first, *rest = texts
    return " and ".join([first, *(t.removeprefix("make ") if first.startswith("make ") else t for t in rest)])


def _normal(forces: np.ndarray) -> np.ndarray:
    return np.append(np.cross(forces[:3, 0], forces[:3, 1]), np.zeros(3))


def _inside(basis: np.ndarray, coordinates: list[int], absent: float) -> np.ndarray:
    """Vectors of a subspace (orthonormal basis) that have these coordinates only."""
    if not basis.shape[1]:
        return basis
    others = np.ones(len(basis), dtype=bool)
    others[coordinates] = False
    return np.asarray(basis @ null_space(basis[others], absent, size=1.0))
