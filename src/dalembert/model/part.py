"""What joints, force elements and stops share: a name, how messages call them, and their measures as attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import nearest
from .body import UnknownAttributeError
from .frame import Marker
from .measure import Measure

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Part:
    """Base of joints, force elements and stops."""

    model: Mechanism
    name: str
    tag: ClassVar[str] = ""
    # what its measures are called, and which it has, for messages
    measures_are: ClassVar[tuple[str, str]]
    glyph: ClassVar[str] = "dot"
    external: ClassVar[bool] = False  # whether its load comes from outside, so that nothing of the ground answers it
    # whether its condition on velocities may have a part that does not depend on them
    sets_rate: ClassVar[bool] = False
    # what its fields hold in files, with their SI units, and what its laws call their own quantities; see `io/fields.py`
    fields_are: ClassVar[dict[str, tuple[str, str | None]]] = {}
    law_names: ClassVar[dict[str, tuple[str, ...]]] = {}
    # units of these, where they are not by turns the measure that the part acts on and its rate
    law_units: ClassVar[dict[str, str]] = {}
    _rubs: tuple[Any, ...] = ()

    @classmethod
    def several(cls, model: Mechanism, given: dict[str, Any]) -> list[dict[str, Any]]:
        """Arguments of each of the parts that lists of bodies stand for; none where the arguments are those of one part."""
        return []

    def coordinates(self) -> dict[str, Measure]:
        """Measures of the part, by name."""
        return {}

    @property
    def stops(self) -> tuple[Any, ...]:
        """Rigid stops (`Impact`) that belong to it: gaps that cannot become negative."""
        return ()

    @property
    def rubs(self) -> tuple[Any, ...]:
        """Friction at stops and contacts (`Rub`, `SoftRub`) that belongs to it."""
        return self._rubs

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Its frames on the bodies."""
        return ()

    @property
    def located(self) -> bool:
        """Whether its markers are places of its bodies, which drawings of these must reach."""
        return False

    @property
    def drawn_at(self) -> tuple[tuple[Marker | None, Marker | None], ...]:
        """Frames between which pictures draw the part, in pairs: one pair, two for a pair of wheels, none for what has no place."""
        return ((self.markers[0], self.markers[-1]),) if self.markers else ()

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """What pictures draw: the `glyph`, and numbers that it needs besides places, such as the `radius` of a wheel."""
        return {"glyph": self.glyph}

    @property
    def asked(self) -> str:
        """How messages call this part."""
        return f"{self.tag} {self.name!r}"

    def set(self, **fields: Any) -> None:
        """Store what was read from the arguments (the class is frozen for everybody else)."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def read_numbers(self, **rules: str) -> None:
        """Read fields that are numbers or expressions of parameters, each by its rule; "drawn or positive" lets "drawn" pass as well."""
        for name, rule in rules.items():
            x, drawn = getattr(self, name), rule.startswith("drawn or ")
            if not (drawn and isinstance(x, str) and x == "drawn"):
                self.set(**{name: self.model.read_number(self.asked, name, x, rule.removeprefix("drawn or "))})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("model", "name"):
            raise AttributeError(name)
        coordinates = self.coordinates()
        if name in coordinates:
            return coordinates[name]
        what, which = self.measures_are
        raise UnknownAttributeError(
            f"{name!r} of {self.asked}", f"no such {what}: {nearest(name, coordinates)}",
            which, "use one of the names above",
        )  # fmt: skip
