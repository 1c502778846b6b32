"""Where the parts of F lie, by the table of `kernels/layout.py`."""

from __future__ import annotations

import math

import numpy as np

from ..kernels.layout import COUNTED, PARTS


class Places:
    """Places of the parts of F, found one after the other as their sizes become known."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.of: dict[str, tuple[int, int]] = {}  # name -> (first, last)
        self.size = 0

    def know(self, counts: dict[str, int]) -> None:
        """Take further counts; all parts that can be placed are."""
        self.counts.update(counts)
        for part in PARTS[len(self.of) :]:
            if not all(isinstance(x, int) or x in self.counts for x in part.size):
                break
            size = math.prod(x if isinstance(x, int) else self.counts[x] for x in part.size)
            self.of[part.name] = self.size, self.size + size
            self.size += size

    def write(self, header: np.ndarray) -> None:
        """Where all parts begin, and how many there are of what."""
        for part in PARTS:
            header[part.entry] = self.of[part.name][0]
        for count, entry in COUNTED.items():
            header[entry] = self.counts[count]
