"""Virtual work of every load by its name, and its generalized force.

δW = f.δr of a force      n.δπ of a couple      -f δl of a spring          each δ = (motion) δq, Q = (motion)^T f
PLANAR 6.2.1-6.2.4, 6.2.11; SPATIAL (active forces and torques); PRINCIPLES 1.6 (e)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, nearest, shown
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from . import sp
from .derivation import plain
from .sheet import Equation, Section
from .simplify import tidied
from .unevaluated import Unevaluated


@dataclass(frozen=True, eq=False)
class LoadWork(Unevaluated):
    """Virtual work of one load: components of what acts, symbols of the virtual displacements they multiply, and these by δq."""

    name: str
    forces: Any
    moved: tuple[Any, ...]
    motion: Any

    @property
    def generalized(self) -> Any:
        """Generalized force, by the virtual displacements of the coordinates."""
        return tidied(self.motion.T * self.forces)

    @property
    def line(self) -> Equation:
        """δW of the load."""
        return Equation(tuple(self.forces), variation(f"W_{plain(self.name)}"), self.moved, flipped=True)


def variation(name: str) -> Any:
    """Symbol of a variation."""
    return sp.Symbol(f"δ{name}", real=True)


def load_work(name: str, forces: Iterable[Any], moved: Iterable[Any], rows: Iterable[Iterable[Any]]) -> LoadWork | None:
    """Virtual work of a load, without components that are zero; None where all are."""
    kept = [(f, x, list(row)) for f, x, row in zip(tidied(sp.Matrix(list(forces))), moved, rows) if f != 0]
    if not kept:
        return None
    f, x, motion = zip(*kept)
    return LoadWork(name, sp.Matrix(f), x, tidied(sp.Matrix(motion)))


class ByLoads:
    """Results that know the virtual work of every load."""

    if TYPE_CHECKING:
        works: tuple[LoadWork, ...]
        variations: tuple[Any, ...]

        @property
        def model(self) -> Any:
            """The model."""

    @property
    def virtual_work(self) -> dict[str, Any]:
        """δW by the name of the load, in virtual displacements of its own: f.δr, n.δπ, -f δl."""
        return {x.name: x.line.left for x in self.works}

    @property
    def virtual_displacements(self) -> dict[str, Any]:
        """The virtual displacements in `virtual_work` by name ("δr_F_x"), in those of the coordinates."""
        return {x.right.name: x.left for x in self._displacements}

    def generalized(self, load: Any) -> Any:
        """Generalized force of one load, by its name or itself: Q with δW = Q.δq.  Weights are "weight of bar"."""
        name = getattr(load, "name", load)
        found = next((x for x in self.works if x.name == name), None)
        if found is None:
            raise unknown_load(self.model, load, [x.name for x in self.works])
        return found.generalized

    @property
    def _displacements(self) -> list[Equation]:
        known = {x: row for work in self.works for x, row in zip(work.moved, work.motion.tolist())}
        return [
            Equation(tuple(row), x, self.variations, flipped=True)
            for x, row in known.items()
            if x not in self.variations
        ]

    def _load_sections(self) -> tuple[Section, Section]:
        return (
            Section("virtual displacements where loads act", tuple(self._displacements)),
            Section("virtual work of the loads", tuple(x.line for x in self.works)),
        )


def unknown_load(model: Mechanism | Lagrangian, load: Any, known: list[str]) -> ModelError:
    """A load that does no virtual work, or does not exist."""
    return ModelError(
        f"generalized force of {shown(load)} in {model.name!r}", "no load of this name that does virtual work",
        nearest(str(load), known) if known else "no load acts on this model", "give the name of a load, or 'weight of bar' of a body",
    )  # fmt: skip
