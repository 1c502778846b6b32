"""The result of steps of one length for many contacts (`solve/stepping/moreau.py`).

Forces are means over a step, impulses divided by its length, and so are accelerations and reactions at outputs: those of the step that ends there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import MethodError, ResidualError
from ..kernels.contact_points import FRICTION, MEASURE
from .result import Result
from .series import Series

if TYPE_CHECKING:
    from ..analyses.dynamics.prepared import Prepared
    from ..model.driver import Driver
    from ..model.events import Impact
    from ..model.part import Part
    from ..solve.problem import Problem
    from ..solve.run import Trace

# overlap of gaps that fails the audit [m]
DEEPEST = 1e-6


@dataclass(frozen=True)
class Overlap:
    """What stands in the place of the residuals of the equations: the largest overlap of a gap, in units of what is allowed."""

    deepest: float

    @property
    def worst(self) -> float:
        """In units of what is allowed."""
        return self.deepest / DEEPEST

    @property
    def relative(self) -> float:
        """Means over steps have no residual."""
        return 0.0

    def told(self, when: bool = False) -> str:
        """In words."""
        return f"gaps overlap by {self.deepest:.1e} m"

    def refuse(self, asked: str, when: bool = False) -> None:
        """Raise where gaps overlap."""
        if not self.worst <= 1.0:
            raise ResidualError(asked, self.told(), "contacts do not overlap", "give a smaller step")


@dataclass(repr=False)
class SteppedResult(Result):
    """Result of `simulate(..., method="moreau")`; contacts have `.force`, `.normal`, `.closed` like others, as means over the last step."""

    @classmethod
    def from_trace(cls, prepared: Prepared, problem: Problem, trace: Trace) -> Self:
        """Result of a run; friction of joints has its mean forces in the place of laws."""
        made = super().from_trace(prepared, problem, trace)
        laws = {
            (law.measure.name, law.part): k for k, law in enumerate(made.system.builder.laws) if law.law.kind == "slip"
        }
        for k in np.flatnonzero(problem.points.kind == FRICTION):
            one, (output, load) = problem.touching[k], made._loads(int(k))
            for i, measure in enumerate(one.slips):
                law = laws.get((measure.name, one.owner.name if one.kind == "rub" else one.name))
                if law is not None:
                    made.forces[output, law] = -load[:, 6 + i]
        return made

    # -- contacts --------------------------------------------------------------------------------------------------------

    def _loads(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Outputs at which contact point k carries something, and what: force on j, its point, forces along its rows."""
        found = self.trace.contacts
        mine = (found.load_of[:, 1] == k) & (found.load_of[:, 0] < len(self.t))
        return found.load_of[mine, 0], found.load[mine]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {one.name: k for k, one in enumerate(self.problem.touching) if one.kind == "impact"}

    @cached_property
    def _part_names(self) -> set[str]:
        touching = {stop.part for stop in self.problem.touching if stop.kind == "impact"}
        return Result._part_names.func(self) | touching | set(self._numbers)  # type: ignore[attr-defined,no-any-return]

    def gap_forces(self, stops: tuple[Impact, ...]) -> np.ndarray:
        """Forces along gaps (time, gap), positive where they push apart."""
        force = np.zeros((len(self.t), len(stops)))
        for i, stop in enumerate(stops):
            output, load = self._loads(self._numbers[stop.name])
            force[output, i] = load[:, 6]
        return force

    def _body_wrenches(self, part: Part | Driver) -> dict[int, np.ndarray]:
        stops = getattr(part, "stops", ()) or ((part,) if part.name in self._numbers else ())
        found = dict(super()._body_wrenches(part))
        for stop in stops:
            self._add_wrenches(self._numbers[stop.name], found)
        return found

    def _add_wrenches(self, k: int, found: dict[int, np.ndarray]) -> None:
        """Wrenches of a contact point on its bodies, about their mass centres."""
        points, system, (output, load) = self.problem.points, self.system, self._loads(k)
        if points.kind[k] == MEASURE:
            for i, row in enumerate(points.rows[k, : 1 + points.tangents[k]]):
                for s in self._slots.of(int(row)):
                    b = int(self._slots.body[s])
                    if b < len(system.builder.bodies):
                        found.setdefault(b, np.zeros((len(self.t), 6)))[output] += (
                            load[:, 6 + i, None] * self._row_wrenches[output, s]
                        )
            return
        for sign, b in zip((-1.0, 1.0), points.body[k]):
            if b < len(system.builder.bodies):
                wrench = found.setdefault(int(b), np.zeros((len(self.t), 6)))
                centre = self.kinematics(system.builder.bodies[b]).position[output]
                force = sign * load[:, :3]
                wrench[output] += np.hstack([force, np.cross(load[:, 3:6] - centre, force)])

    @property
    def _slots(self) -> Any:
        from ..system.rows import slots_of

        return slots_of(self.system)

    @property
    def dissipated(self) -> Series:
        """Energy that contacts and friction have taken since the start [J]."""
        kept = self.trace.kept
        return Series(
            -np.interp(self.t, kept.t, kept.work[:, -1]), "dissipated", "J", (), self.t, lambda r: r.dissipated
        )

    @property
    def work(self) -> Any:
        """None: forces are known as means over the steps that end at outputs."""
        raise self._means_only()

    @property
    def integrals(self) -> Any:
        """None, likewise."""
        raise self._means_only()

    def _means_only(self) -> MethodError:
        return MethodError(
            f"work and impulses of {self.model.name!r}", "a run by method='moreau'", "its forces are means over steps, which are kept at outputs only",
            "ask for run.dissipated and run.energy, or give output='steps' and add up",
        )  # fmt: skip

    # -- audit -----------------------------------------------------------------------------------------------------------

    def _residuals(self, looked: np.ndarray | None = None) -> Any:
        return Overlap(self.trace.contacts.deepest)

    def check_equations(self, asked: str) -> None:
        """Means over steps have no residual."""

    def _balance(self) -> float:
        return 0.0

    def _explained(self) -> list[str]:
        """Steps with impulses change velocities by more than accelerations."""
        return []

    def _statistics(self) -> dict[str, Any]:
        return super()._statistics() | {"contacts": str(self.trace.contacts), "lost": float(self.trace.contacts.lost)}

    # -- other times -----------------------------------------------------------------------------------------------------

    def _state(self, t: float, checked: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return super()._state(t, False)

    def _resampled(self, t: np.ndarray) -> Self:
        """The run at other times, each by a step from the kept one before it."""
        kept, parts = self.trace.kept, []
        for x in map(float, t):
            k = max(self._step_before(x) - (kept.t[self._step_before(x)] == x), 0)
            end = x if x > kept.t[0] else x + self.problem.step
            trace = self._onward(int(k), end, np.array([x]))
            parts.append(type(self).from_trace(self.prepared, self.problem, trace))
        one: Any = {
            name: np.concatenate([getattr(p, name) for p in parts])
            for name in ("t", "q", "v", "a", "basic_lam", "forces", "powers", "angles", "sides", "z")
        }
        made = type(self)(self.system, prepared=self.prepared, problem=self.problem, **one)
        loads = [(p.trace.contacts.load_of + [n, 0], p.trace.contacts.load) for n, p in enumerate(parts)]
        load_of, load = (np.concatenate(x) for x in zip(*loads))
        made.trace = replace(self.trace, contacts=replace(self.trace.contacts, load_of=load_of, load=load))
        return made
