"""Accepted steps of a run, in bounded memory."""

from __future__ import annotations

import numpy as np

from .stepping.records import Kept


class KeptSteps:
    """Accepted steps of a run in bounded memory: when they are too many, every second one goes, jumps excepted.

    States at other times are computed from the step before them; with steps left out that takes longer, and is as exact.
    """

    def __init__(self, most: int, thinned: bool) -> None:
        self.most, self.thinned = most, thinned
        self.pieces: list[Kept] = []
        self.size = 0
        self.stays: list[int] = []  # numbers of steps beside a jump
        self.full = False

    def add(self, piece: Kept) -> None:
        """Further steps."""
        # two states at one time: before an impact or a change of mode inside the loop, and after it
        if self.pieces and len(piece.t) and piece.t[0] == self.pieces[-1].t[-1]:
            self.stays += [self.size - 1, self.size]
        for k in np.flatnonzero(piece.t[1:] == piece.t[:-1]).tolist():
            self.stays += [self.size + k, self.size + k + 1]
        self.pieces.append(piece)
        self.size += len(piece.t)
        if self.size > self.most:
            if self.thinned:
                self._thin()
            else:
                self.full = True

    def jump(self) -> None:
        """The last step added is before a jump, and the next one after it."""
        self.stays += [self.size - 1, self.size]

    def _thin(self) -> None:
        every = self.all()
        stay = np.zeros(self.size, dtype=bool)
        stay[::2] = True
        stay[[k for k in self.stays if k < self.size]] = True
        stay[-1] = True
        number = np.cumsum(stay) - 1
        self.stays = [int(number[k]) if k < self.size else int(number[-1]) + 1 for k in self.stays]
        self.pieces = [Kept(*(a[stay] for a in every))]
        self.size = len(self.pieces[0].t)

    def all(self) -> Kept:
        """All that is kept, in one."""
        return (
            self.pieces[0] if len(self.pieces) == 1 else Kept(*(np.concatenate(parts) for parts in zip(*self.pieces)))
        )
