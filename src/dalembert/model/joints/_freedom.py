"""What a joint leaves free, and what would leave more free: how joints state it."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError, shown

# turns one after the other, about axes of the frame on i: aligned frames, a hinge, a cross, all rotations
TURNS = ((), ("turn_z",), ("turn_z", "turn_x"), ("turn_x", "turn_y", "turn_z"))


@dataclass(frozen=True)
class Relaxation:
    """A joint with more freedom, and what it cannot carry that the one in its place could."""

    # its name, with what else must be said: "cylindrical"; `{}` stands for the direction of the force given up (of two: across both)
    text: str
    gives_up: str  # components of the load in the frame of the joint: "fx fy fz" forces, "mx my mz" moments
    # None: all of them are given up; else it takes the place only where so many combinations of them are involved, and gives up these
    count: int | None = None


def moves_of(freedom: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(c for c in freedom if not c.startswith("turn_"))


def turns_of(freedom: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(c for c in freedom if c.startswith("turn_"))


def check_freedom(asked: str, freedom: tuple[str, ...] | None, plane: bool) -> None:
    """Refuse coordinates that no pose follows from."""
    if freedom is None:
        return
    axes, turns, moves = ("xy" if plane else "xyz"), (TURNS[:2] if plane else TURNS), moves_of(freedom)
    if turns_of(freedom) not in turns or len(set(moves)) < len(moves) or not set(moves) <= set(axes):
        raise ModelError(
            asked, f"freedom = {shown(freedom)}", f"displacements are {', '.join(axes)}, each once, and turns one of {', '.join(map(str, turns))}",
            "state these, or None: then the joint is rows",
        )  # fmt: skip
