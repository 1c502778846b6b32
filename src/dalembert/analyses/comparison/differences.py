"""Differences between formulations, part by part, relative to the size of such quantities in the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .formulations import unique
from .plain import Arrays
from .ways import IN_SPACE, PLAIN, Record, Ways

Pair = tuple[Any, Any]  # numbers or arrays by two ways


@dataclass(frozen=True)
class Difference:
    """What two ways give for one part.

    Attributes
    ----------
    part
        Name of the body, joint, driver or force element.
    where
        The same in words: "revolute 'A'", "revolute 'A' on 'crank'".
    what
        What differs: "mass", "row", "acceleration", "reaction", ...
    ways
        The two formulations.
    values
        What they give, largest component of the difference.
    unit
        Unit of the values.
    size
        Difference relative to the largest such quantity of the model.
    state
        Number of the state, 0 for the start.
    """

    part: str
    where: str
    what: str
    ways: tuple[str, str]
    values: tuple[float, float]
    unit: str
    size: float
    state: int

    @classmethod
    def of(
        cls, part: str, where: str, what: str, ways: tuple[str, str], pair: Pair, scale: float, unit: str, state: int
    ) -> Difference:
        """Of a pair of numbers or arrays, by the component that differs most; without a value it differs without bound."""
        one, two = (np.atleast_1d(x).ravel() for x in pair)
        gap = np.abs(one - two)
        gap[np.isnan(gap)] = np.inf
        k = int(np.argmax(gap))
        size = float(gap[k] / scale) if gap[k] > 0.0 else 0.0
        return cls(part, where, what, ways, (float(one[k]), float(two[k])), unit, size, state)

    def __str__(self) -> str:
        (one, two), (x, y) = self.ways, self.values
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.what} of {self.where}: {x:.9g}{unit} by {one}, {y:.9g}{unit} by {two} ({self.size:.1e} of its scale, state {self.state})"


class Comparison:
    """All ways of a mechanism against the compiled one.

    `ways`: the mechanism in all formulations, evaluated.
    """

    def __init__(self, ways: Ways) -> None:
        self.ways, self.model, self.plain, self.records = ways, ways.model, ways.plain, ways.records
        self.width, self.linear, self.length, self.columns = ways.width, ways.linear, ways.length, ways.columns
        self.found: dict[tuple[str, str, str], Difference] = {}
        self.compiled, self.way, self.state = ways.compiled, "", 0
        # sizes of accelerations [1/s²] and of loads [N m] of the whole model; nothing moves or loads a model without either
        self.hurry = max(r.hurry for r in self.records) or 1.0
        loads = [np.abs(r.arrays[self.compiled].Q * self.columns) for r in self.records]
        masses = np.abs(self.records[0].arrays[self.compiled].M * self.columns * self.columns[:, None])
        self.load = max(float(np.max(loads)), float(np.max(masses)) * self.hurry)

    def differences(self) -> list[Difference]:
        """Largest difference of every quantity of every part, for every way, over all states."""
        for way in self.ways.names[1:]:
            self.way = way
            for record in self.records:
                self.state = record.number
                if self.way in record.arrays:
                    one, two = record.arrays[self.compiled], record.arrays[self.way]
                    self._compare_rows(one, two)
                    self._compare_laws(one, two)
                    self._compare_bodies(one, two)
                if self.way in record.solved:
                    self._compare_accelerations(record)
                    self._compare_reactions(record)
        return list(self.found.values())

    def _note(self, part: str, where: str, what: str, pair: Pair, scale: float, unit: str) -> None:
        """Keep the difference of a pair of numbers or arrays if it is the largest of its kind."""
        if not np.size(pair[0]):
            return
        made = Difference.of(part, where, what, (self.compiled, self.way), pair, scale, unit, self.state)
        key = (what, where, self.way)
        if key not in self.found or made.size > self.found[key].size:
            self.found[key] = made

    # -- what the equations are made of ----------------------------------------------------------------------------------

    def _compare_rows(self, one: Arrays, two: Arrays) -> None:
        """Residual, row and right-hand sides of every joint and driver, relative to the length of the row."""
        rows = self.ways.system.numbering.rows
        for r, part in enumerate(self.ways.parts):
            where, unit = self.model[part].asked, rows[self.ways.order[r]].unit
            unit = unit if unit in ("m", "rad") else "1"
            pair = one.jac[r] * self.columns, two.jac[r] * self.columns
            length = float(np.linalg.norm(pair[0])) or 1.0
            self._note(part, where, "residual", (one.phi[r], two.phi[r]), length, unit.replace("1", ""))
            self._note(part, where, "row", pair, length, "")
            hurry = length * self.hurry
            self._note(part, where, "velocity side", (one.nu[r], two.nu[r]), length * self.hurry**0.5, f"{unit}/s")
            self._note(part, where, "acceleration side", (one.gamma[r], two.gamma[r]), hurry, f"{unit}/s²")

    def _compare_laws(self, one: Arrays, two: Arrays) -> None:
        """Value and row of every force law."""
        for k, load in enumerate(self.plain.loaded):
            where = self.model[load.part].asked
            pair = one.law_rows[k] * self.columns, two.law_rows[k] * self.columns
            length = float(np.linalg.norm(pair[0])) or 1.0
            self._note(load.part, where, "force law", (one.law[k], two.law[k]), self._law_scale(k, length), "")
            self._note(load.part, where, "lever", pair, length, "")

    def _law_scale(self, k: int, length: float) -> float:
        """Size of a force law: its largest value, that of the terms it is the difference of, or a thousandth of all forces.

        A damper on a rate that the joints keep at zero gives nothing but rounding.
        """
        load = self.plain.loaded[k]
        sizes = [abs(float(r.arrays[self.compiled].law[k])) for r in self.records] + [1e-3 * self.load / length]
        if load.law.kind == "linear":
            stiffness, s0, damping, f0 = (abs(self.plain.drawing.number(x)) for x in load.law.numbers)
            one = 1.0 if load.measure.unit in ("rad", "1") else self.length
            sizes += [stiffness * max(s0, one), damping * one, f0]
        return max(sizes)

    def _compare_bodies(self, one: Arrays, two: Arrays) -> None:
        """Mass, inertia, and what loads a body besides force elements: weight and gyroscopic moment."""
        own = [(x.Q + x.law_rows.T @ x.law) * self.columns for x in (one, two)]
        for b, body in enumerate(self.model.bodies):
            where = f"body {body.name!r}"
            line, turn = self._places(b)
            for what, at, unit in (("mass", line, "kg"), ("inertia", turn, "kg m²")):
                pair = one.M[at, at], two.M[at, at]
                self._note(body.name, where, what, pair, float(np.max(np.abs(pair[0]), initial=0.0)) or 1.0, unit)
            for at in (line, turn):
                self._note(body.name, where, "own load", (own[0][at], own[1][at]), self.load, "N m")

    def _places(self, b: int) -> tuple[slice, slice]:
        """Where the velocity of the mass centre and the angular velocity of a body are; a particle has only the first."""
        o = self.width * b
        end = o + self.linear if self.model.bodies[b].particle else o + self.width
        return slice(o, o + self.linear), slice(o + self.linear, end)

    # -- what comes out of them ------------------------------------------------------------------------------------------

    def _scale(self, record: Record) -> float:
        """Size of accelerations at a state [1/s²]."""
        return max(record.hurry, 1e-3 * self.hurry)

    def _compare_accelerations(self, record: Record) -> None:
        a, b, scale = record.solved[self.compiled][0], record.solved[self.way][0], self._scale(record)
        for k, body in enumerate(self.model.bodies):
            where = f"body {body.name!r}"
            line, turn = self._places(k)
            self._note(body.name, where, "acceleration", (a[line], b[line]), scale * self.length, "m/s²")
            self._note(body.name, where, "acceleration", (a[turn], b[turn]), scale, "rad/s²")
            if self.way == IN_SPACE and record.lifted is not None:
                out = record.lifted[3 * k : 3 * k + 3] / (self.length, 1.0, 1.0)
                self._note(body.name, where, "acceleration", (np.zeros(3), out), scale, "1/s² out of the plane")

    def _compare_reactions(self, record: Record) -> None:
        """Loads -J^T lam of every joint and driver on every body, as far as they are unique."""
        one, two = record.arrays[self.compiled], record.arrays.get(self.way, record.arrays[PLAIN])
        lam, mu = record.solved[self.compiled][1], record.solved[self.way][1]
        parts = np.array(self.ways.parts)
        loads = []
        for part in dict.fromkeys(self.ways.parts):
            rows = np.flatnonzero(parts == part)
            pair = [-(x.jac[rows].T @ y[rows]) * self.columns for x, y in ((one, lam), (two, mu))]
            touched = np.any(one.jac[rows].reshape(len(rows), -1, self.width) != 0.0, axis=(0, 2))
            for k in np.flatnonzero(touched).tolist():
                s = slice(self.width * k, self.width * (k + 1))
                levers, left = one.jac[rows, s] * self.columns[s], record.left[rows]
                loads.append((part, k, [unique(x[s], levers, left) for x in pair]))
        inertia = float(np.max(np.abs(one.M * self.columns * self.columns[:, None])))
        sizes = [float(np.max(np.abs(pair[0]))) for _, _, pair in loads]
        scale = max([float(np.max(np.abs(one.Q * self.columns))), inertia * self._scale(record), *sizes])
        for part, k, (x, y) in loads:
            where = f"{self.model[part].asked} on {self.model.bodies[k].name!r}"
            n = self.linear
            self._note(part, where, "reaction", (x[:n] / self.length, y[:n] / self.length), scale / self.length, "N")
            self._note(part, where, "reaction", (x[n:], y[n:]), scale, "N m")
