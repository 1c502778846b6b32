"""What a compiled mechanism has in memory: one table, from which places, views by name and `docs/memory.md` follow.

`kernels/layout.py` names the entries of the header and says what they hold; here stands how many there are of each, in the order in which
they lie in memory.  Sizes are products of counts by name, whose meaning is below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels import layout as at

COUNTS = {
    "bodies": "moving bodies",
    "bodies and ground": "moving bodies, and the ground as the last",
    "record": "numbers of a body: PLANE_BODY or SPACE_BODY",
    "velocities": "velocities of a body: 3 in the plane, 6 in space",
    "rows": "constraint rows",
    "free": "free rows: inputs of laws and expressions",
    "all rows": "constraint rows, free rows, watched rows",
    "wrenches": "bodies of all rows, and six to write to for the ground",
    "diagonal": "entries of the diagonal blocks",
    "off": "entries of the off-diagonal blocks",
    "blocks": "joints and drivers",
    "composites": "rows that are made of free rows",
    "parts": "free rows that composites are made of",
    "laws": "force laws, those of auxiliary states first",
    "drivers": "driven rows",
    "powers": "laws and drivers",
    "angles": "angles in space whose turns are counted",
    "unknowns": "unknowns of the saddle-point system, 0 where it is not used",
    "entries": "entries below its diagonal",
    "nodes": "its bodies, copies included",
    "welds": "rows that hold copies together",
    "saddle velocities": "velocities, if the saddle-point system is used",
    "saddle rows": "rows, if the saddle-point system is used",
    "switches": "switches of expressions and stops",
    "states": "auxiliary states",
    "registers": "registers of the longest program",
}  # fmt: skip


class Part(NamedTuple):
    """A part of F: its name as a view, its entry of the header, and its size as factors."""

    name: str
    entry: int
    size: tuple[str | int, ...]


MEMORY = (
    Part("body", at.BODY, ("bodies and ground", "record")),
    Part("vhat", at.VHAT, ("bodies and ground", "velocities")),
    Part("acc", at.ACC, ("bodies and ground", "velocities")),
    Part("value", at.VALUE, ("all rows",)),
    Part("bias", at.BIAS, ("all rows",)),
    Part("partial", at.PARTIAL, ("all rows",)),
    Part("rate", at.RATE, ("all rows",)),
    Part("drive", at.DRIVE, (3, "rows")),
    Part("jac", at.JAC, ("wrenches", "velocities")),
    Part("floor", at.FLOOR, ("rows",)),
    Part("diag", at.DIAG, ("diagonal",)),
    Part("lower", at.LOWER, ("off",)),
    Part("y", at.Y, ("rows",)),
    Part("lam", at.LAM, ("rows",)),
    Part("force", at.FORCE, ("laws",)),
    Part("power", at.POWER, ("powers",)),
    Part("called", at.CALLED, ("laws",)),
    Part("angle", at.ANGLE_AT, ("angles",)),
    Part("angle_rate", at.ANGLE_RATE, ("angles",)),
    Part("angle_time", at.ANGLE_TIME, (1,)),
    Part("sad", at.SAD, ("entries",)),
    Part("sad_d", at.SAD_D, ("unknowns",)),
    Part("sad_size", at.SAD_SIZE, ("unknowns",)),
    Part("sad_x", at.SAD_X, ("unknowns",)),
    Part("sad_force", at.SAD_FORCE, (2, "saddle velocities")),
    Part("sad_rest", at.SAD_REST, ("saddle rows",)),
    Part("time", at.TIME, (1,)),
    Part("slope", at.SLOPE, ("parts",)),
    Part("side", at.SIDE, ("switches",)),
    Part("frozen", at.FROZEN, (1,)),
    Part("state", at.STATE_AT, ("states",)),
    Part("register", at.REGISTER, ("registers",)),
)

# counts that stand in the header
HEADER = {
    at.N_BODIES: "bodies", at.N_ROWS: "rows", at.N_FREE: "free", at.N_BLOCKS: "blocks", at.N_COMPOSITES: "composites",
    at.N_LAWS: "laws", at.N_DRIVERS: "drivers", at.N_ANGLES: "angles", at.N_UNKNOWNS: "unknowns", at.N_ENTRIES: "entries",
    at.N_NODES: "nodes", at.N_WELDS: "welds", at.N_STATES: "states",
}  # fmt: skip


class Places:
    """Places of the parts of F, found one after the other as their sizes become known."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.of: dict[str, tuple[int, int]] = {}  # name -> (first, last)
        self.size = 0

    def know(self, counts: dict[str, int]) -> None:
        """Take further counts; all parts that can be placed are."""
        self.counts.update(counts)
        for part in MEMORY[len(self.of) :]:
            if not all(isinstance(x, int) or x in self.counts for x in part.size):
                break
            size = 1
            for x in part.size:
                size *= x if isinstance(x, int) else self.counts[x]
            self.of[part.name] = self.size, self.size + size
            self.size += size

    def write(self, header: np.ndarray) -> None:
        """Where all parts begin, and how many there are of what."""
        for part in MEMORY:
            header[part.entry] = self.of[part.name][0]
        for entry, count in HEADER.items():
            header[entry] = self.counts[count]
