"""What joints and force elements share: a name, how messages call them, and their measures as attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import nearest
from .body import UnknownAttributeError
from .measure import Measure

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Part:
    """Base of joints and force elements."""

    model: Mechanism
    name: str
    tag: ClassVar[str] = ""
    # what its measures are called, and which it has, for messages
    measures_are: ClassVar[tuple[str, str]]

    def coordinates(self) -> dict[str, Measure]:
        """Measures of the part, by name."""
        return {}

    @property
    def asked(self) -> str:
        """How messages call this part."""
        return f"{self.tag} {self.name!r}"

    def set(self, **fields: Any) -> None:
        """Store what was read from the arguments (the class is frozen for everybody else)."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("model", "name"):
            raise AttributeError(name)
        coordinates = self.coordinates()
        if name in coordinates:
            return coordinates[name]
        what, which = self.measures_are
        raise UnknownAttributeError(
            f"{name!r} of {self.asked}",
            f"no such {what}: {nearest(name, coordinates)}",
            which,
            "use one of the names above",
        )
