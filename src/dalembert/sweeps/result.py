"""All cases of a sweep: a table, arrays by parameter, failures with their reasons, files."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..model.output_units import read_units
from ..results.files import optional
from ..results.table import TextTable, pick_rows, write_table

WIDTH = 110  # characters in a line of the table
ROWS, REASONS = 24, 5  # cases and reasons that are printed
MISSING = "–"


@dataclass(frozen=True)
class Failure:
    """Why a case failed: the four parts of its error, and what kind it was."""

    kind: str
    asked: str
    found: str
    why: str
    do: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.asked}\n  found: {self.found}\n  why:   {self.why}\n  do:    {self.do}"


@dataclass(frozen=True, eq=False)
class Case:
    """One case: values of the parameters, what was kept, "ok", "doubtful", "audit failed" or "failed", the reason, and how long it took [s]."""

    values: Mapping[str, Any]
    kept: Mapping[str, Any]
    status: str
    failure: Failure | None
    seconds: float

    def __getitem__(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.kept[name]

    @property
    def label(self) -> str:
        """Values of the parameters in one line."""
        return ", ".join(f"{name} = {_cell(x)}" for name, x in self.values.items())


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """Result of `sweep`; printing gives a table.

    Attributes
    ----------
    cases
        All cases that were run, in the order of the sweep: `.values`, `.kept`, `.status`, `.failure`, `.seconds`.
    axes
        Values by parameter of a product; None where the cases were listed.
    units
        Unit of each column, as far as it has one; numbers and arrays are in SI units.
    shown_in
        Units of tables and text files: those of the model, `m.units`.
    complete
        False where the sweep was interrupted: cases are missing then.
    resumed
        How many cases came from the file of an earlier sweep.
    """

    name: str
    ask: str
    cases: tuple[Case, ...]
    axes: Mapping[str, tuple[Any, ...]] | None
    units: Mapping[str, str] = field(default_factory=dict)
    complete: bool = True
    resumed: int = 0
    total: int = 0
    _places: tuple[int, ...] = ()
    shown_in: tuple[str, ...] = ()

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(dict.fromkeys(n for c in self.cases for n in c.values) if self.axes is None else self.axes)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of what was kept."""
        return tuple(dict.fromkeys(name for case in self.cases for name in case.kept))

    @property
    def failures(self) -> tuple[Case, ...]:
        """Cases that failed, each with its `.failure`."""
        return tuple(case for case in self.cases if case.failure is not None)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the arrays: values of each parameter, or the number of cases listed."""
        return (self.total,) if self.axes is None else tuple(len(x) for x in self.axes.values())

    def __len__(self) -> int:
        return len(self.cases)

    def __getitem__(self, name: str) -> np.ndarray:
        """Values of a parameter or of what was kept, by parameter: `sweep["max |A.force|"][i, k]`; nan where a case failed."""
        if name not in (*self.parameters, *self.names):
            known = [*self.parameters, *self.names]
            what = "no such column"
            raise MethodError(f"sweep[{shown(name)}]", what, nearest(name, known, 30), "use one of these names")
        found: list[Any] = [None] * self.total
        for place, case in zip(self._places, self.cases):
            found[place] = case.values.get(name) if name in self.parameters else case.kept.get(name)
        sizes = {np.shape(x) for x in found if x is not None}
        if len(sizes) != 1 or any(isinstance(x, str) for x in found):
            made = np.empty(self.total, dtype=object)
            made[:] = [np.asarray(x) if isinstance(x, list) else x for x in found]
            return made.reshape(self.shape)
        (size,) = sizes
        filled = [np.full(size, np.nan) if x is None else np.asarray(x, dtype=float) for x in found]
        return np.array(filled).reshape((*self.shape, *size))

    # -- text ----------------------------------------------------------------------------------------------------------

    def _shown(self, asked: str, units: Any) -> Sweep:
        """The same with numbers in other units: those given, else those of the model."""
        chosen = read_units(asked, self.shown_in if units is None else units)
        if not any(chosen.factor(unit) != 1.0 for unit in self.units.values()):
            return self

        def of(table: Mapping[str, Any]) -> dict[str, Any]:
            return {name: _times(x, chosen.factor(self.units.get(name, ""))) for name, x in table.items()}

        cases = tuple(replace(case, values=of(case.values), kept=of(case.kept)) for case in self.cases)
        texts = {name: chosen.unit(unit) for name, unit in self.units.items()}
        return replace(self, cases=cases, units=texts, shown_in=())

    def table(self, rows: int = ROWS, units: Any = None) -> str:
        """Text table with `rows` cases, first and last included; columns as far as a line reaches; `units="mm, kN"`, default those of the model."""
        picks = pick_rows("table", rows, len(self.cases))
        if not self.cases:
            return TextTable("(no cases)")
        self = self._shown("table", units)
        cases = [self.cases[k] for k in picks]
        columns = [self._column(name, [case.values.get(name) for case in cases]) for name in self.parameters]
        used, left = sum(len(c[0]) + 2 for c in columns), 0
        notes = [case.failure.kind if case.failure else "" if case.status == "ok" else case.status for case in cases]
        last = ["", "", *notes] if any(notes) else None
        limit = WIDTH - (max(map(len, last)) + 2 if last else 0)
        for name in self.names:
            column = self._column(name, [case.kept.get(name) for case in cases])
            if used + len(column[0]) > limit and len(columns) > len(self.parameters):
                left += 1
                continue
            columns.append(column)
            used += len(column[0]) + 2
        lines = ["  ".join(line).rstrip() for line in zip(*columns)]
        if last:
            lines = [f"{line}  {note}".rstrip() for line, note in zip(lines, last)]
        lines.insert(2, "  ".join("-" * len(column[0]) for column in columns))
        if not lines[1].strip():
            del lines[1]
        if len(cases) < len(self.cases):
            lines.append(f"({len(cases)} of {len(self.cases)} cases shown)")
        if left:
            lines.append(f"({left} more column{'s' * (left > 1)}: to_csv has all)")
        return TextTable("\n".join(lines))

    def _column(self, name: str, values: list[Any]) -> list[str]:
        unit = self.units.get(name, "")
        sizes = [abs(x) for x in values if isinstance(x, float) and math.isfinite(x)]
        # round-off beside numbers shows as zero
        noise = max(1e-12 * max(sizes, default=0.0), 1e-14)
        values = [0.0 if isinstance(x, float) and abs(x) < noise else x for x in values]
        cells = [name, f"[{unit}]" if unit else "", *(MISSING if x is None else _cell(x) for x in values)]
        width = max(map(len, cells))
        return [cell.rjust(width) for cell in cells]

    def __str__(self) -> str:
        failed = self.failures
        head = f"sweep of {self.name!r}, {self.ask}: {len(self.cases)} case{'s' * (len(self.cases) != 1)}"
        if not self.complete:
            head += f" of {self.total}, interrupted"
        head += f", {len(failed)} failed" if failed else ""
        head += f", {self.resumed} from an earlier sweep" if self.resumed else ""
        lines = [head, self.table()]
        shown_as = self._shown("sweep", None)
        for case in shown_as.failures[:REASONS]:
            assert case.failure is not None
            values = [f"{n} = {_cell(x)} {shown_as.units.get(n, '')}".rstrip() for n, x in case.values.items()]
            label = ", ".join(values)
            lines.append(f"failed: {label}: {case.failure.kind}: {case.failure.found.splitlines()[0]}")
        if len(failed) > REASONS:
            lines.append(f"failed: {len(failed) - REASONS} more, see .failures")
        return "\n".join(lines)

    def __repr__(self) -> str:
        state = "" if self.complete else ", interrupted"
        return f"<Sweep of {self.name!r} over {', '.join(self.parameters)}: {len(self.cases)} cases, {len(self.failures)} failed{state}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    # -- files ---------------------------------------------------------------------------------------------------------

    def rows(self) -> tuple[list[str], list[list[Any]]]:
        """Head and rows of a flat table: parameters, what was kept (arrays spread over columns), status, reason."""
        sizes = dict.fromkeys(self.names, -1)
        for name, kept in (item for case in self.cases for item in case.kept.items()):
            sizes[name] = max(sizes[name], np.asarray(kept).size if isinstance(kept, list) else -1)
        head = [self._head(name) for name in self.parameters]
        for name, size in sizes.items():
            head += [self._head(name)] if size < 0 else [self._head(f"{name}[{k}]", name) for k in range(size)]
        body = []
        for case in self.cases:
            row: list[Any] = [case.values.get(name) for name in self.parameters]
            for name, size in sizes.items():
                x = case.kept.get(name)
                flat = [x] if size < 0 else [] if x is None else np.asarray(x, dtype=float).ravel().tolist()
                row += [*flat, *[None] * (max(size, 1 if size < 0 else 0) - len(flat))]
            reason = "" if case.failure is None else f"{case.failure.kind}: {' '.join(case.failure.found.split())}"
            body.append([*row, case.status, reason])
        return [*head, "status", "reason"], body

    def _head(self, text: str, name: str | None = None) -> str:
        unit = self.units.get(text if name is None else name, "")
        return f"{text} [{unit}]" if unit else text

    def to_csv(self, path: Any, units: Any = None, *, decimal: str = ".", bom: bool = False) -> None:
        """Write one line per case (.csv): parameters, what was kept, status, reason; whole or not at all.

        `units="mm, kN, deg"` are those of the columns, default those of the model; `decimal=","` and `bom=True` as in `run.to_csv`.
        """
        asked = f"to_csv({str(path)!r})"
        head, body = self._shown(asked, units).rows()
        write_table(path, asked, head, body, decimal, bom)

    def to_pandas(self) -> Any:
        """One line per case as a pandas DataFrame."""
        head, body = self.rows()
        return optional("pandas", "tables of sweeps").DataFrame(body, columns=head)

    def to_xarray(self) -> Any:
        """Arrays by parameter as an xarray Dataset; texts are left out."""
        xarray = optional("xarray", "labelled arrays of sweeps")
        axes = {"case": np.arange(self.total)} if self.axes is None else {n: list(x) for n, x in self.axes.items()}
        made = {}
        for name in (*(self.parameters if self.axes is None else ()), *self.names):
            values = self[name]
            if values.dtype != object:
                extra = [f"{name}[]" if k == 0 else f"{name}[{k}]" for k in range(values.ndim - len(axes))]
                made[name] = ([*axes, *extra], values, {"units": self.units.get(name, "")})
        return xarray.Dataset(made, coords=axes, attrs={"model": self.name, "ask": self.ask})


def _times(x: Any, factor: float) -> Any:
    """A number, or every number of nested lists, times a factor; texts and flags as they are."""
    if isinstance(x, list):
        return [_times(one, factor) for one in x]
    return x * factor if factor != 1.0 and isinstance(x, int | float) and not isinstance(x, bool) else x


def _cell(x: Any) -> str:
    if isinstance(x, bool | str) or not isinstance(x, int | float | list):
        return str(x)
    if isinstance(x, list):
        many = len(x) > 4 or any(isinstance(item, list) for item in x)
        return f"{len(x)} values" if many else " ".join(_cell(item) for item in x)
    # adding zero turns -0.0 into 0.0
    return f"{x + 0.0:.6g}"
