"""What happened during a run: events, impacts, contacts that close and open, each with its time, its states and its energies."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ModelError, nearest, shown
from ..state import State

# what may happen
CROSSED, IMPACT, CONTACT, RELEASE, REST = "event", "impact", "contact", "release", "rest"
STICK, SLIP = "stick", "slip"
KINDS = (CROSSED, IMPACT, CONTACT, RELEASE, REST, STICK, SLIP)


@dataclass(frozen=True, eq=False)
class Happening:
    """Something that happened at an instant of a run.

    Attributes
    ----------
    t, name
        Time [s], and the event or stop.
    what
        "event", "impact", "contact" (a stop closes without a blow), "release" (a stop opens), "rest" (bounces that accumulate have ended),
        "stick" and "slip" of dry friction.
    text
        What it did, in words.
    before, after
        States just before and just after.
    energy_before, energy_after
        Kinetic energies [J].
    impulse
        Impulses of the stops that took part, by name [N s or N m s], positive where they open the gap.
    dissipated
        Of an impact: the energy that the stops took, -1/2 p (u+ + u-) with the rates u of the gaps [J]; with stops or drivers that move, these do work besides.
    speed, force
        Of compliant stops and contacts: rate of the gap [m/s or rad/s]; of their release also the largest force since they touched [N or N m].
    note
        Of an impact: what another hypothesis about it would change.
    accumulates
        Of a rest: the time at which infinitely many bounces would have ended.
    """

    t: float
    name: str
    what: str
    text: str
    before: State = field(repr=False)
    after: State = field(repr=False)
    energy_before: float = 0.0
    energy_after: float = 0.0
    impulse: dict[str, float] = field(default_factory=dict)
    accumulates: float | None = None
    note: str = ""
    dissipated: float = 0.0
    speed: float | None = None
    force: float | None = None
    made_up: Callable[[], tuple[Any, ...]] = field(repr=False, default=tuple)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "accounts": self.accounts, "made_up": tuple}

    @cached_property
    def accounts(self) -> tuple[Any, ...]:
        """Accounts of its blows, as `da.strike` gives them: impulses of all joints and stops by name."""
        return self.made_up()

    @property
    def jump(self) -> np.ndarray:
        """By what velocities changed."""
        return self.after.v - self.before.v

    @property
    def jumps(self) -> bool:
        """Return True if velocities changed."""
        return self.what == IMPACT or (
            self.before is not self.after and not np.array_equal(self.before.v, self.after.v)
        )

    @property
    def energy_change(self) -> float:
        """Kinetic energy after minus before [J]."""
        return self.energy_after - self.energy_before

    @property
    def energy_lost(self) -> float:
        """Kinetic energy before minus after [J]."""
        return self.energy_before - self.energy_after

    @property
    def state(self) -> State:
        """The state just after."""
        return self.after

    def about(self) -> dict[str, Any]:
        """Plain numbers, for files."""
        found = {
            key: getattr(self, key)
            for key in (
                "t",
                "name",
                "what",
                "text",
                "energy_before",
                "energy_after",
                "impulse",
                "accumulates",
                "dissipated",
                "speed",
                "force",
            )
        }
        return found | {"before": self.before.v.tolist(), "after": self.after.v.tolist()}

    def __str__(self) -> str:
        return f"t = {self.t:.9g} s  {self.name}: {self.text}"

    def __repr__(self) -> str:
        return f"<{self}>"


def _belongs(name: str, to: str) -> bool:
    """Whether a name is that of a gap of a contact, floor.bottom_left of floor; its friction has a name of its own."""
    return name.startswith(f"{to}.") and not name.startswith(f"{to}.friction")


class Happenings(list[Happening]):
    """What happened, in order of time; `run.events["hit"]` are those of one name, of a contact those of all its gaps.

    `known` are names of what could have happened; None: any.
    """

    known: Collection[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        found = Happenings(x for x in self if x.name == key or _belongs(x.name, key))
        if not found and self.known is not None and not any(x == key or _belongs(x, key) for x in self.known):
            why = f"nothing of that name can happen; {nearest(key, self.known)}"
            raise ModelError(f"events[{shown(key)}]", "no event, stop, contact or friction", why, "use one of these")
        return found

    def of(self, *what: str) -> Happenings:
        """Those of some kinds: "event", "impact", "contact", "release", "rest", "stick", "slip"."""
        for one in what:
            if one not in KINDS:
                raise ModelError(f"events.of({shown(one)})", "no such kind", nearest(one, KINDS), "use one of these")
        return Happenings(x for x in self if x.what in what)

    @property
    def times(self) -> list[float]:
        """Their times [s]."""
        return [x.t for x in self]

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "nothing happened"

    __repr__ = __str__
