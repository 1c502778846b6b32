"""Parts of the memory of any compiled model by name, for those who have its arrays and nothing else (see `layout.py`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import layout as at


class Sizes(NamedTuple):
    """How many there are of what a run keeps."""

    rows: int
    laws: int
    powers: int  # of laws, then of drivers
    angles: int
    sides: int
    states: int


def sizes(I: np.ndarray) -> Sizes:
    """Sizes of a model."""
    rows, laws, drivers, angles, states, side, frozen = (
        int(I[k]) for k in (at.N_ROWS, at.N_LAWS, at.N_DRIVERS, at.N_ANGLES, at.N_STATES, at.SIDE, at.FROZEN)
    )
    # the flag that holds the sides stands behind them
    return Sizes(rows, laws, laws + drivers, angles, frozen - side, states)


def states(I: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Auxiliary states."""
    return F[I[at.STATE_AT] :][: I[at.N_STATES]]


def sides(I: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Sides of the switches, as they are."""
    return F[I[at.SIDE] : I[at.FROZEN]]


def multipliers(I: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Multipliers of the constraint rows."""
    return F[I[at.LAM] :][: I[at.N_ROWS]]


def floors(I: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Smallest pivot taken of each constraint row; infinity for rows left out."""
    return F[I[at.FLOOR] :][: I[at.N_ROWS]]


def driven_rows(I: np.ndarray) -> np.ndarray:
    """Constraint row of each driver, in the order of their powers, which follow those of the laws."""
    return I[I[at.DRIVER] :][: I[at.N_DRIVERS]]


def angles(I: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Counted angles."""
    return F[I[at.ANGLE_AT] :][: I[at.N_ANGLES]]


def count_from(I: np.ndarray, F: np.ndarray, t: float, at_angles: np.ndarray) -> None:
    """Counted angles at a time, from which the next ones are predicted."""
    angles(I, F)[:], F[I[at.ANGLE_TIME]] = at_angles, t
    F[I[at.ANGLE_RATE] :][: I[at.N_ANGLES]] = 0.0


def hold_sides(I: np.ndarray, F: np.ndarray, held: bool) -> None:
    """Hold the sides of the switches as they are, or take them from the state."""
    F[I[at.FROZEN]] = float(held)


def law_numbers(I: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Numbers k, s0, c, f0 of all laws, a row each; see `laws.py`."""
    return P[I[at.LAW_NUMBERS] :][: at.LAW_SIZE * I[at.N_LAWS]].reshape(-1, at.LAW_SIZE)


def law_inputs(I: np.ndarray, F: np.ndarray, law: int) -> tuple[float, float]:
    """Value and rate of the row that a law acts on."""
    row = I[I[at.LAW] + at.LAW_RECORD * law + 1]
    return float(F[I[at.VALUE] + row]), float(F[I[at.RATE] + row])


def put_called(I: np.ndarray, F: np.ndarray, law: int, force: float) -> None:
    """Value of a law that is a Python function."""
    F[I[at.CALLED] + law] = force


def called(I: np.ndarray, F: np.ndarray, law: int) -> float:
    """The same, as it was put."""
    return float(F[I[at.CALLED] + law])


def no_tables() -> np.ndarray:
    """Integers of a model without anything."""
    return np.zeros(at.HEADER, dtype=np.int64)
