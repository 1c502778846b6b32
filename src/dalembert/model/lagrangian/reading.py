"""What is given to a Lagrangian system, read: expressions of its coordinates, vectors, turns, names; wrong ones are refused with what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import ExpressionError, ModelError, nearest, shown
from ..expression import CheckedFunction, Expr, FunctionCall, Name, as_expression, check_name, is_function
from ..expression.derivative import ZERO
from ..expression.sympy_bridge import from_sympy, is_sympy
from ..model import Model
from ..reading import listed, read_name
from .friction import CoordinateFriction
from .parts import Field, Load, Particle
from .vectors import AXES, Matrix, Vector


class Reading(Model):
    """A system that has coordinates, rows and parts, as far as reading needs them."""

    q: tuple[str, ...]
    holonomic: dict[str, Expr]
    nonholonomic: dict[str, Expr]
    _asked: str
    _parameters: dict[str, float]
    _parts: dict[str, Particle]
    _loads: dict[str, Load]
    _fields: dict[str, Field]
    _frictions: dict[str, CoordinateFriction]

    def _read(self, what: str, x: Any) -> Expr:
        """An expression; names must be coordinates, their rates, t, or (later) parameters."""
        asked = f"{what} of {self._asked}"
        made = as_expression(x, tables=self._tables, asked=asked)
        for name in sorted(made.names):
            inside = name.removeprefix("rate(").removesuffix(")")
            if name != inside and inside not in self.q:
                raise ExpressionError(
                    asked, f"{name} in {shown(str(made))}", "only coordinates have rates", nearest(inside, self.q)
                )
        return made

    def _number(self, what: str, x: Any) -> float:
        made = self._read(what, x)
        return made.evaluate(self._parameters)

    def _law(self, what: str, x: Any, *measured: Expr) -> Expr:
        """An expression, or the call of a Python function with what is measured (value and rate) and t."""
        if not is_function(x) or is_sympy(x):
            return self._read(what, x)
        names = ("s", "v")[: len(measured)]
        return FunctionCall(CheckedFunction(f"{what} of {self._asked}", x, (*names, "t")), (*measured, Name("t")))

    def _vector(self, what: str, x: Any, laws: bool = False) -> Vector:
        items = listed(x)
        if items is None or len(items) not in (2, 3):
            raise ModelError(
                f"{what} of {self._asked}", shown(x), "two or three components are needed", "give for example (0, '-g')"
            )
        read = [self._law(what, item) if laws else self._read(what, item) for item in items]
        return read[0], read[1], read[2] if len(read) == 3 else ZERO

    def _position(self, what: str, x: Any) -> Vector:
        made = self._vector(f"{what}: position", x)
        for component in made:
            self._no_rates(f"{what}: position", component)
        return made

    def _matrix(self, what: str, x: Any) -> Matrix:
        rows = [list(row) for row in x.tolist()] if is_sympy(x) and hasattr(x, "tolist") else listed(x)
        if rows is None or len(rows) != 3:
            why = "a 3 x 3 matrix is needed"
            raise ModelError(f"{what} of {self._asked}", shown(x), why, "give three rows of three")
        a, b, c = (self._vector(what, row) for row in rows)
        return a, b, c

    def _inertia(self, what: str, x: Any) -> Matrix:
        items = listed(x)
        if items is None:
            items = [0, 0, x]
        if len(items) == 3 and listed(items[0]) is None:
            a, b, c = self._vector(f"{what}: inertia", items)
            return (a, ZERO, ZERO), (ZERO, b, ZERO), (ZERO, ZERO, c)
        return self._matrix(f"{what}: inertia", items)

    def _turns(self, what: str, turns: Any) -> list[tuple[int, Expr]]:
        made = []
        for item in listed(turns) or [None]:
            pair = listed(item)
            if pair is None or len(pair) != 2 or pair[0] not in AXES:
                raise ModelError(
                    f"{what} of {self._asked}", f"turn {shown(item)}", "a turn is an axis x, y or z and an angle",
                    "give for example turns=[('z', 'psi'), ('x', 'theta')]",
                )  # fmt: skip
            angle = self._read(f"{what}: turn about {pair[0]}", pair[1])
            self._no_rates(f"{what}: turn about {pair[0]}", angle)
            made.append((AXES[pair[0]], angle))
        return made

    def _no_rates(self, what: str, made: Expr) -> None:
        rate = next((name for name in sorted(made.names) if name.startswith("rate(")), None)
        if rate is not None:
            raise ModelError(
                f"{what} of {self._asked}", f"{rate} in {shown(str(made))}", "it depends on coordinates and time only",
                "leave rates to kinetic=, dissipation=, forces= and nonholonomic=",
            )  # fmt: skip

    def _coordinate(self, what: str, name: Any) -> str:
        text = str(from_sympy(name)) if is_sympy(name) else str(name) if isinstance(name, Expr) else name
        if isinstance(text, str) and text in self.q:
            return text
        raise ModelError(f"{what} of {self._asked}", shown(name), "it is no coordinate", nearest(text, self.q))

    def _part(self, what: str, on: Any) -> Particle:
        name = on.name if isinstance(on, Particle) else on
        if isinstance(name, str) and name in self._parts:
            return self._parts[name]
        raise ModelError(f"{what} of {self._asked}", shown(on), "it is no particle or body", nearest(name, self._parts))

    def _part_name(self, name: Any) -> str:
        return self._free_name(name, "part", {**self._parts, **self._loads, **self._fields, **self._frictions})

    def _row_name(self, name: Any) -> str:
        return self._free_name(name, "row", {**self.holonomic, **self.nonholonomic, **self._frictions})

    def _free_name(self, name: Any, what: str, taken: Mapping[str, Any]) -> str:
        text = read_name(self._asked, name)
        if text in taken:
            found, why = f"a {what} of this name exists", "names are unique"
            raise ModelError(f"{text!r} of {self._asked}", found, why, "choose another")
        return text


def read_coordinates(asked: str, q: Any) -> tuple[str, ...]:
    """Names of the coordinates, each once."""
    items: list[Any] | None = (
        q.replace(",", " ").split() if isinstance(q, str) else [q] if is_sympy(q) and not listed(q) else listed(q)
    )
    names = []
    for item in items or []:
        if is_sympy(item):
            item = from_sympy(item)
        text = str(item) if isinstance(item, Name) else item
        check_name(text, f"coordinate {shown(text)} of {asked}")
        if text == "t":
            raise ModelError(asked, "a coordinate 't'", "t is time", "choose another name")
        names.append(str(text))
    repeated: Iterable[str] = [name for k, name in enumerate(names) if name in names[:k]]
    if not names or repeated:
        raise ModelError(
            asked, f"q = {shown(q)}", "the coordinates need names, each once", "give for example q='x theta'"
        )
    return tuple(names)


def read_mapping(asked: str, what: str, x: Any) -> dict[str, Any]:
    """Values by name."""
    if x is None:
        return {}
    if not isinstance(x, Mapping):
        raise ModelError(
            asked, f"{what} = {shown(x)}", "names with values are needed", f"give {what}={{'name': value}}"
        )
    # keys may be SymPy symbols
    return {str(from_sympy(k)) if is_sympy(k) else k: v for k, v in x.items()}


def rows_by_name(asked: str, what: str, x: Any, label: str) -> dict[str, Any]:
    """Rows by name; those of a list are numbered."""
    if isinstance(x, Mapping):
        return dict(x)
    items = [x] if isinstance(x, str | Expr) or is_sympy(x) and listed(x) is None else listed(x)
    if items is None:
        raise ModelError(asked, f"{what} = {shown(x)}", "expressions are needed", f"give {what}=['x - l*cos(theta)']")
    return {f"{label} {k + 1}": item for k, item in enumerate(items)}
