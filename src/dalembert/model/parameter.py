"""Named numbers of a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Parameter:
    """A named number that dimensions, laws and drivers may use in expressions."""

    name: str
    value: float
    unit: str = ""

    kind = "parameter"

    def __repr__(self) -> str:
        return f"<parameter {self.name!r} = {self.value:g} {self.unit}>".replace(" >", ">")
